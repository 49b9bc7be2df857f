#!/usr/bin/env python3
"""Makes the goldens beside this script: small tokenizers of every kind and what `tokenizers` makes of hard lines.

  make_goldens.py [--out DIR]       write them (default: beside this script)
  make_goldens.py --compare DIR     hold the files in DIR against the committed ones

Vocabularies are trained on the made-up sentences of torture_text.py. <name>.json is the tokenizer.json of a
recipe; <name>.cases has one JSON array per line:

  [text, pair or null, add_special_tokens, limit or 0, ids, spans, words, type ids, decoded]

where spans are flat begin, end byte offsets, words −1 for special tokens, and `decoded` the text of the ids.
legacy/ has folders with the older files, and `cases` from the tokenizer that transformers builds of them.
"""

import argparse
import filecmp
import json
import os
import pathlib
import random
import sys

os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import recipes
import torture_text

HERE = pathlib.Path(__file__).resolve().parent
SIZE = 420  # pieces; byte-level and byte-fallback vocabularies have 256 before they begin
LINES = 40  # random hard lines per tokenizer, besides 35 of the fixed ones


def byte_offsets(text):
    starts = [0]
    for c in text:
        starts.append(starts[-1] + len(c.encode()))
    return starts


def case(tok, text, pair, special, limit):
    if limit:
        tok.enable_truncation(limit)
    else:
        tok.no_truncation()
    e = tok.encode(text, pair, add_special_tokens=special)
    starts = [byte_offsets(text), byte_offsets(pair or "")]
    spans = []
    for (a, b), sequence in zip(e.offsets, e.sequence_ids):
        spans += [starts[sequence or 0][a], starts[sequence or 0][b]]
    words = [-1 if w is None else w for w in e.word_ids]
    return [text, pair, special, limit, e.ids, spans, words, e.type_ids, tok.decode(e.ids, skip_special_tokens=False)]


def cases(tok, name):
    rng = random.Random(name)
    fixed = torture_text.fixed_lines()
    lines = rng.sample(fixed, 35) + torture_text.torture_lines(len(fixed) + LINES, seed=name)[len(fixed):]
    for i, line in enumerate(lines):
        pair = lines[i - 1] if i % 9 == 0 else None
        limit = rng.randint(5, 12) if i % 11 == 0 else 0
        yield case(tok, line, pair, i % 5 != 0 or limit > 0, limit)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def write_cases(path, tok, name):
    write(path, "".join(json.dumps(c, ensure_ascii=True, separators=(",", ":")) + "\n" for c in cases(tok, name)))


def compact(tok):
    content = json.loads(tok.to_str())
    content["truncation"] = content["padding"] = None
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"


def legacy(out, lines):
    """Folders of the older files, opened by transformers."""
    from transformers import AutoTokenizer

    bert = json.loads(recipes.bert(lines, SIZE, lowercase=False).to_str())["model"]["vocab"]
    vocabulary = "".join(piece + "\n" for piece, _ in sorted(bert.items(), key=lambda x: x[1]))
    bpe = {name: json.loads(make(lines, SIZE).to_str())["model"] for name, make in (("roberta", recipes.roberta), ("gpt2", recipes.gpt2))}
    folders = {
        "bert": {"vocab.txt": vocabulary, "config.json": {"model_type": "bert"},
                 "tokenizer_config.json": {"do_lower_case": False, "strip_accents": True, "tokenize_chinese_chars": False,
                                           "model_max_length": 64, "tokenizer_class": "BertTokenizer"}},
        "roberta": {"config.json": {"model_type": "roberta"},
                    "tokenizer_config.json": {"model_max_length": 10**30, "tokenizer_class": "RobertaTokenizer"}},
        "gpt2": {"config.json": {"model_type": "gpt2"},
                 "tokenizer_config.json": {"add_prefix_space": True, "tokenizer_class": "GPT2Tokenizer"}},
    }
    for name, model in bpe.items():
        folders[name]["vocab.json"] = model["vocab"]
        folders[name]["merges.txt"] = "#version: 0.2\n" + "".join(" ".join(m) + "\n" for m in model["merges"])
    for name, files in folders.items():
        folder = out / "legacy" / name
        for file, content in files.items():
            write(folder / file, content if isinstance(content, str) else json.dumps(content, ensure_ascii=False) + "\n")
        tok = AutoTokenizer.from_pretrained(folder).backend_tokenizer
        tok.no_padding()
        write_cases(folder / "cases", tok, name)


def make(out):
    lines = torture_text.training_lines(1500)
    for name, _, tok in recipes.all_recipes(lines, SIZE, small=True):
        write(out / f"{name}.json", compact(tok))
        write_cases(out / f"{name}.cases", tok, name)
    legacy(out, lines)


def compare(folder):
    different = [str(p.relative_to(HERE)) for p in sorted(HERE.rglob("*"))
                 if p.is_file() and p.suffix != ".py" and "__pycache__" not in p.parts
                 and not ((folder / p.relative_to(HERE)).is_file() and filecmp.cmp(p, folder / p.relative_to(HERE), shallow=False))]
    for name in different:
        print(f"differs: {name}")
    return 1 if different else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=HERE)
    parser.add_argument("--compare", type=pathlib.Path)
    args = parser.parse_args()
    if args.compare:
        return compare(args.compare)
    make(args.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Holds our tokenizers against Hugging Face's `tokenizers`, live: ids, spans, words, types and decoded text.

  tools/check_tokenizers.py --dump build/tokenizer_dump [--lines 20000] [--torture 6000]
                            [--text FILE|FOLDER …] [--model FOLDER …] [--only NAME …] [--unassigned]

Tokenizers of every kind are trained on the given text (made-up sentences without --text) and those of the
given model folders are taken as they are. Each then encodes --lines lines of text plus --torture hard ones,
some of them as pairs, some truncated. The program is tools/tokenizer_dump.cpp. Exit 1 if anything differs.
Needs the Python packages tokenizers and sentencepiece.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "golden" / "tokenizers"))
import recipes
import torture_text
from tokenizers import Tokenizer


def strings_in(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        for v in value:
            yield from strings_in(v)
    elif isinstance(value, dict):
        for v in value.values():
            yield from strings_in(v)


def read_lines(paths):
    for path in map(pathlib.Path, paths):
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.suffix not in (".txt", ".tsv", ".jsonl", ".csv") or not file.is_file():
                continue
            for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
                if file.suffix == ".jsonl":
                    yield from (s for s in strings_in(json.loads(line)) if " " in s)
                elif line.strip():
                    yield line


def byte_spans(text, offsets):
    starts = [0]
    for c in text:
        starts.append(starts[-1] + len(c.encode("utf-8", "surrogatepass")))
    return [[starts[a], starts[b]] for a, b in offsets]


def expected(tok, request):
    limit = request.get("limit", 0)
    if limit:
        tok.enable_truncation(limit)
    else:
        tok.no_truncation()
    e = tok.encode(request["text"], request.get("pair"), add_special_tokens=request["special"])
    texts = [request["text"], request.get("pair", "")]
    spans = []
    for (a, b), sequence in zip(e.offsets, e.sequence_ids):
        spans += byte_spans(texts[sequence or 0], [(a, b)])
    return {"ids": e.ids, "spans": spans, "words": [-1 if w is None else w for w in e.word_ids], "types": e.type_ids,
            "special": e.special_tokens_mask, "decoded": tok.decode(e.ids, skip_special_tokens=False),
            "decoded_plain": tok.decode(e.ids, skip_special_tokens=True)}


def requests_for(lines, rng):
    previous = ""
    for text in lines:
        request = {"text": text, "special": rng.random() < 0.8, "decode": True}
        if rng.random() < 0.1:
            request["pair"] = previous
        if request["special"] and rng.random() < 0.05:
            request["limit"] = rng.randint(5, 24)
        previous = text
        yield request


def compare(name, tok, requests, dump, folder):
    path = folder / f"{name}.json"
    path.write_text(tok.to_str(), encoding="utf-8")
    feed = "".join(json.dumps(r) + "\n" for r in requests)
    began = time.time()
    answers = subprocess.run([dump, path], input=feed, capture_output=True, text=True, encoding="utf-8", check=True).stdout.split("\n")[:-1]
    taken = time.time() - began
    assert len(answers) == len(requests), (len(answers), len(requests))
    bad = 0
    for request, line in zip(requests, answers):
        got, want = json.loads(line), expected(tok, request)
        wrong = [k for k in want if got.get(k) != want[k]]
        if wrong:
            bad += 1
            if bad <= 5:
                print(f"  {name}: {json.dumps(request)}")
                for k in wrong:
                    print(f"    {k}: expected {want[k]}, found {got.get(k, got)}")
    print(f"{name}: {len(requests)} lines, {bad} differ ({taken:.1f} s)", flush=True)
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dump", required=True)
    parser.add_argument("--lines", type=int, default=20000)
    parser.add_argument("--torture", type=int, default=6000)
    parser.add_argument("--vocabulary", type=int, default=3000)
    parser.add_argument("--text", nargs="*", default=[])
    parser.add_argument("--model", nargs="*", default=[])
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--unassigned", action="store_true", help="also code points the Unicode versions in use disagree about")
    args = parser.parse_args()

    rng = random.Random(args.seed)
    lines = list(dict.fromkeys(read_lines(args.text))) if args.text else torture_text.training_lines(args.lines, seed=args.seed + 1)
    rng.shuffle(lines)
    lines = [line[:2000] for line in lines[: args.lines]]
    training = lines[:4000] + torture_text.training_lines(1000)
    requests = list(requests_for(lines + torture_text.torture_lines(args.torture, args.seed, args.unassigned), rng))

    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        def check(name, kind, tok):
            if args.only and name not in args.only:
                return
            bad = compare(name, tok, requests, args.dump, pathlib.Path(folder))
            total = counts.setdefault(kind, [0, 0])
            total[0] += len(requests)
            total[1] += bad

        for model in args.model:
            tok = Tokenizer.from_file(str(pathlib.Path(model) / "tokenizer.json"))
            check(pathlib.Path(model).name, "model folders", tok)
        for name, kind, tok in recipes.all_recipes(training, args.vocabulary, args.only):
            check(name, kind, tok)
    for kind, (total, bad) in counts.items():
        print(f"{kind}: {total} lines, {bad} differ")
    return 1 if any(bad for _, bad in counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())

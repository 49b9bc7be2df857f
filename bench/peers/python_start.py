"""What the Python package weighs and how soon it explains, beside captum and inseq.

    python bench/peers/python_start.py [--python headwater's] [--peers theirs] [--wheel dist/….whl] [--rounds 10]

Each figure is the median of fresh processes, taken in turns so that other work on the machine disturbs all alike:
`import` is measured inside the process, with the processor's time behind it, which others disturb least; `start to first
explanation` is the whole life of a process. Headwater and captum explain one sentence by the shipped classifier, headwater
and inseq the next token of a small random GPT-2 that is made here (inseq takes models that write), all by integrated
gradients with 50 steps from a folder on disk. `on disk` is the package with all it needs. The interpreter --python has
headwater, --peers has torch, transformers and what is to be compared.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXT = "The plot is thin, but the actors are so good that you will not mind at all."

ON_DISK = """
import importlib.metadata as metadata, pathlib, re, sys
seen, todo, size = set(), [sys.argv[1]], 0
while todo:
    name = re.sub(r"[-_.]+", "-", todo.pop()).lower()
    if name in seen: continue
    seen.add(name)
    try: found = metadata.distribution(name)
    except metadata.PackageNotFoundError: continue
    for file in found.files or []:
        path = pathlib.Path(found.locate_file(file))
        if path.is_file() and path.suffix != ".pyc": size += path.stat().st_size
    for need in found.requires or []:
        if "extra ==" not in need: todo.append(re.match(r"[A-Za-z0-9_.-]+", need)[0])
print(size / 1e6)
"""

IMPORT = """
import time
begin, used = time.perf_counter(), time.process_time()
import {}
print(time.perf_counter() - begin, time.process_time() - used)
"""

OURS = """
import sys, headwater as hw
scores = hw.load(sys.argv[1]).explain(sys.argv[2], "integrated_gradients", steps=50).scores
assert abs(scores).sum() > 0
"""

CAPTUM = """
import sys, torch, transformers
from captum.attr import LayerIntegratedGradients
model = transformers.AutoModelForSequenceClassification.from_pretrained(sys.argv[1]).eval()
tokens = transformers.AutoTokenizer.from_pretrained(sys.argv[1])(sys.argv[2], return_tensors="pt")
explain = LayerIntegratedGradients(lambda ids, mask: model(input_ids=ids, attention_mask=mask).logits,
                                   model.get_input_embeddings())
ids = tokens["input_ids"]
scores = explain.attribute(ids, torch.zeros_like(ids), 1, (tokens["attention_mask"],), n_steps=50).sum(-1)
assert scores.abs().sum() > 0
"""

INSEQ = """
import sys, inseq
model = inseq.load_model(sys.argv[1], "integrated_gradients")
once = {"max_new_tokens": 1, "min_new_tokens": 1}
out = model.attribute(sys.argv[2], generation_args=once, n_steps=50, show_progress=False)
assert out.sequence_attributions[0].target_attributions is not None
"""

SMALL_GPT2 = """
import sys, tokenizers, transformers
from tokenizers import models, pre_tokenizers
words = sorted(set(sys.argv[2].split()))
made = tokenizers.Tokenizer(models.WordLevel({w: i for i, w in enumerate(["<e>", *words])}, "<e>"))
made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
ends = {"unk_token": "<e>", "bos_token": "<e>", "eos_token": "<e>", "pad_token": "<e>"}
transformers.PreTrainedTokenizerFast(tokenizer_object=made, **ends).save_pretrained(sys.argv[1])
config = transformers.GPT2Config(vocab_size=len(words) + 1, n_embd=128, n_layer=4, n_head=4, bos_token_id=0, eos_token_id=0)
transformers.GPT2LMHeadModel(config).save_pretrained(sys.argv[1])
"""


def answer(python, code, *arguments):
    """What it printed, and how long the process lived."""
    begin = time.perf_counter()
    said = subprocess.run([python, "-c", code, *map(str, arguments)], capture_output=True, text=True, check=False,
                          cwd=tempfile.gettempdir())
    if said.returncode != 0:
        sys.exit(f"{' '.join(code.split()[:6])} …: exit {said.returncode}\n{said.stderr[-2000:]}")
    return said.stdout.strip(), time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    # Processes run in another folder: a path that begins here is completed, its links kept (they are what an environment is).
    parser.add_argument("--python", type=os.path.abspath, default=sys.executable)
    parser.add_argument("--peers", type=os.path.abspath, help="an interpreter that has captum and inseq; none: headwater alone")
    parser.add_argument("--wheel", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=10)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = [("headwater", args.python, OURS, ROOT / "models/sentiment", "classifier")]
        if args.peers:
            answer(args.peers, SMALL_GPT2, folder, TEXT)
            rows += [("captum", args.peers, CAPTUM, ROOT / "models/sentiment", "classifier"),
                     ("headwater", args.python, OURS, folder, "next token"),
                     ("inseq", args.peers, INSEQ, folder, "next token")]
        imports, firsts = [[] for _ in rows], [[] for _ in rows]
        for _ in range(args.rounds):
            for k, (name, python, code, model, _) in enumerate(rows):
                imports[k].append([float(one) for one in answer(python, IMPORT.format(name))[0].split()])
                firsts[k].append(answer(python, code, model, TEXT)[1])
        if args.wheel:
            print(f"{args.wheel.name}: {args.wheel.stat().st_size / 1e6:.1f} MB")
        print("| package | on disk with what it needs | import (processor) | what | start to first explanation |")
        print("|---|---|---|---|---|")
        for k, (name, python, _, _, what) in enumerate(rows):
            disk = float(answer(python, ON_DISK, name)[0])
            wall, used = (1000 * statistics.median(column) for column in zip(*imports[k]))
            print(f"| {name} | {disk:.0f} MB | {wall:.0f} ms ({used:.0f} ms) | {what} | {statistics.median(firsts[k]):.2f} s |")


if __name__ == "__main__":
    main()

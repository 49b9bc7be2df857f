"""Comprehensiveness and sufficiency beside a plain loop in PyTorch, in one run.

    python bench/peers/evaluate_torch.py build/release/headwater MODEL dev.tsv [--count 50] [--threads 2]

MODEL is a BERT sequence classifier, dev.tsv has a sentence per line behind a header. Both programs explain the predicted
class of every sentence by saliency (the length of the gradient at the first block's input) and by input × gradient, replace the
1, 5, 10, 20 and 50 % of tokens with the highest scores (rounded up), or all others, by [MASK], and average how far the class's
probability falls. In PyTorch:

  loop      one changed sentence at a time, as written down first
  stacked   all changed sentences of a sentence and a method in one batch

Rounds take turns, so that other work on the machine disturbs all alike; --cpu counts processor time over all threads. Prints
medians, ratios, and the largest difference of a sentence's figure. headwater's time is the whole program with loading, tables
and a random explanation, half as many changed sentences again; PyTorch's is the loop alone. Needs torch and transformers.
"""

import argparse
import json
import pathlib
import resource
import statistics
import subprocess
import tempfile
import time

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("program")
parser.add_argument("model")
parser.add_argument("sentences")
parser.add_argument("--count", type=int, default=50)
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--cpu", action="store_true", help="processor time over all threads, for a busy machine")
args = parser.parse_args()

METHODS = ("saliency", "input_x_gradient")
SHARES = (1, 5, 10, 20, 50)

torch.set_num_threads(args.threads)
tokenizer = AutoTokenizer.from_pretrained(args.model)
model = AutoModelForSequenceClassification.from_pretrained(args.model, dtype=torch.float32).eval()
lines = pathlib.Path(args.sentences).read_text(encoding="utf-8").splitlines()[1:args.count + 1]
texts = [line.split("\t")[0].strip() for line in lines]


def scores_of(ids):
    """The predicted class, and per method a score per token."""
    x = model.bert.embeddings(input_ids=ids).detach().requires_grad_()
    hidden = x
    for layer in model.bert.encoder.layer:
        hidden = layer(hidden)
        hidden = hidden[0] if isinstance(hidden, tuple) else hidden
    logits = model.classifier(model.bert.pooler(hidden))[0]
    label = int(logits.argmax())
    gradient = torch.autograd.grad(logits[label], x)[0][0]
    return label, {"saliency": gradient.norm(dim=-1), "input_x_gradient": (gradient * x[0].detach()).sum(-1)}


def changed(ids, scores):
    """The sentence without its first tokens, then with these alone; for every share."""
    units = [t for t, i in enumerate(ids[0].tolist()) if i not in tokenizer.all_special_ids]
    order = sorted(units, key=lambda t: -float(scores[t]))  # stable: equal ones from left to right
    made = []
    for alone in (False, True):
        for share in SHARES:
            first = set(order[:(len(units) * share + 99) // 100])
            row = ids[0].clone()
            for t in units:
                if (t in first) != alone:
                    row[t] = tokenizer.mask_token_id
            made.append(row)
    return torch.stack(made)


@torch.no_grad()
def probabilities(ids, label, stacked):
    batches = [ids] if stacked else ids.split(1)
    return torch.cat([model(input_ids=batch).logits.softmax(-1)[:, label] for batch in batches]).double()


def evaluated(stacked):
    """[sentence][metric][method]"""
    figures = []
    for text in texts:
        ids = torch.tensor([tokenizer(text)["input_ids"]])
        label, scores = scores_of(ids)
        whole = probabilities(ids, label, stacked)
        of_methods = [whole - probabilities(changed(ids, scores[name]), label, stacked) for name in METHODS]
        figures.append([[float(falls[:len(SHARES)].mean()) for falls in of_methods],
                        [float(falls[len(SHARES):].mean()) for falls in of_methods]])
    return figures


def by_headwater(folder):
    """The same, and the program's time."""
    values = pathlib.Path(folder) / "values.jsonl"
    values.unlink(missing_ok=True)
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([args.program, "evaluate", "-q", "-m", args.model, "-f", args.sentences, "--limit", str(args.count), "-t",
                    str(args.threads), "--methods", ",".join(METHODS), "--metrics", "comprehensiveness,sufficiency",
                    "--values", str(values), "-o", str(pathlib.Path(folder) / "table.json")], check=True, capture_output=True)
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if args.cpu:
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    rows = [json.loads(line) for line in values.read_text().splitlines()]
    return [[[one["value"] for one in metric[:len(METHODS)]] for metric in row["values"]] for row in rows], seconds


def timed(work):
    clock = time.process_time if args.cpu else time.perf_counter
    start = clock()
    result = work()
    return result, clock() - start


seconds = {"headwater": [], "loop": [], "stacked": []}
worst = 0.0
with tempfile.TemporaryDirectory() as folder:
    for _ in range(args.rounds):
        ours, taken = by_headwater(folder)
        seconds["headwater"].append(taken)
        for name in ("loop", "stacked"):
            theirs, taken = timed(lambda: evaluated(name == "stacked"))
            seconds[name].append(taken)
            for a, b in zip(ours, theirs, strict=True):
                worst = max(worst, *(abs(x - y) for m, n in zip(a, b) for x, y in zip(m, n)))

print(f"{len(texts)} sentences, {args.threads} threads, {'processor' if args.cpu else 'wall'} time")
for name, all_of in seconds.items():
    middle = statistics.median(all_of)
    print(f"{name:10} {middle:8.2f} s   {middle / statistics.median(seconds['headwater']):5.2f} times headwater's")
print(f"largest difference of a sentence's figure: {worst:.1e}")

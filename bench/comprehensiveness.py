"""Which method names the words an answer rests on, and what it costs: comprehensiveness on labelled sentences.

    python3 bench/comprehensiveness.py build/release/headwater MODEL dev.tsv --count 200 --methods chefer,decompx

Of every sentence the 5, 10, 20 and 50 % of words that a method scores highest for the predicted class (at least one) are
taken away, by deletion and by [MASK]; comprehensiveness is how far the class's probability falls, averaged over the four
shares (DeYoung et al., 2020; Samek et al., 2017) and over the sentences. `random` takes words away in a fixed shuffled order.
Seconds are the method's own per sentence, all methods in one run, best of the repetitions: read them as ratios.
"""

import argparse
import json
import math
import random
import subprocess
import tempfile

SHARES = (0.05, 0.10, 0.20, 0.50)


def lines_of(program, command, model, texts, *options):
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.write("".join(text + "\n" for text in texts))
        file.flush()
        out = subprocess.run([program, command, "-q", "-m", model, "-f", file.name, "--format", "jsonl", *options],
                             check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def changed(text, words, gone, mask):
    """The text with these words replaced by the mask, or deleted with the space behind them."""
    raw, out, at = text.encode(), b"", 0
    for index, word in enumerate(words):
        if index not in gone:
            continue
        out += raw[at:word["begin"]] + mask
        at = word["end"]
        if not mask and raw[at:at + 1] == b" ":
            at += 1
    return (out + raw[at:]).decode().strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("model")
    parser.add_argument("sentences", help="tab-separated, the sentence first, with a header line")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--methods", default="integrated_gradients,chefer,decompx")
    args = parser.parse_args()
    with open(args.sentences, encoding="utf-8") as file:
        texts = [line.split("\t")[0].strip() for line in file.read().splitlines()[1:]]
    texts = [text for text in texts if len(text.split()) >= 4][:args.count]
    names = args.methods.split(",")
    runs = [lines_of(args.program, "explain", args.model, texts, "--method", args.methods, "--words", "--special", "hide")
            for _ in range(args.repeat)]
    shuffled, orders, seconds = random.Random(1), {name: [] for name in [*names, "random"]}, {name: 0.0 for name in names}
    for of_text in zip(*runs):
        first = of_text[0]
        count = len(first["tokens"])
        for m, name in enumerate(names):
            scores = [s if s is not None else -math.inf for s in first["attributions"][m]["scores"]]
            orders[name].append(sorted(range(count), key=lambda t: (-scores[t], t)))
            seconds[name] += min(run["attributions"][m]["seconds"] for run in of_text)
        orders["random"].append(shuffled.sample(range(count), count))
    print(f"{len(texts)} sentences\nmethod                     deleted    masked   seconds per sentence")
    for name in orders:
        row = []
        for mask in (b"", b"[MASK]"):
            asked = [changed(text, run["tokens"], set(order[:max(1, math.ceil(share * len(order)))]), mask)
                     for text, run, order in zip(texts, runs[0], orders[name]) for share in SHARES]
            answers = lines_of(args.program, "predict", args.model, asked)
            falls = []
            for i, answer in enumerate(answers):
                target = runs[0][i // len(SHARES)]["target"]
                left = next(s["probability"] for s in answer["scores"] if s["index"] == target["index"])
                falls.append(target["probability"] - left)
            row.append(sum(falls) / len(falls))
        cost = f"{seconds[name] / len(texts):.4f}" if name in seconds else "–"
        print(f"{name:24}  {row[0]:8.4f}  {row[1]:8.4f}   {cost}")


if __name__ == "__main__":
    main()

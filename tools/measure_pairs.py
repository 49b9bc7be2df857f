#!/usr/bin/env python3
"""Measure whether a picture model's maps follow the class they are asked for, on a cat beside a dog.

    python tools/measure_pairs.py --data DATA

DATA is a folder with test.tar, whose members are named test/cat/NAME.jpg and test/dog/NAME.jpg. Each of
the pairs is a photograph of a cat and one of a dog, drawn at random without repetition; each is cut to its
central square and the two are put side by side, the cat on the left in every other pair. `headwater
explain` is asked for the maps of `cat` and of `dog`. A pair is right by a method if more than half of the
cat's map lies on the cat's half and more than half of the dog's on the dog's half; of signed maps (LRP) the
positive part counts. Needs pillow and a built program.
"""

import argparse
import io
import json
import random
import subprocess
import tarfile
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
LABELS = ("cat", "dog")
SIDE = 96  # pixels of a photograph's half


def photographs(archive):
    """The pictures of each label as JPEG data, in the order of their names."""
    found = {label: {} for label in LABELS}
    with tarfile.open(archive) as stored:
        for member in stored:
            label = Path(member.name).parent.name
            if member.isfile() and label in found:
                found[label][member.name] = stored.extractfile(member).read()
    return {label: [data for _, data in sorted(named.items())] for label, named in found.items()}


def central_square(data):
    picture = Image.open(io.BytesIO(data)).convert("RGB")
    side = min(picture.size)
    left, top = (picture.width - side) // 2, (picture.height - side) // 2
    return picture.crop((left, top, left + side, top + side)).resize((SIDE, SIDE), Image.BICUBIC)


def write_pairs(found, count, seed, folder):
    """Writes the pairs as PNG; gives their files, and which half (0: left) shows the cat."""
    chosen = {label: random.Random(f"{seed} {label}").sample(found[label], count) for label in LABELS}
    pairs = []
    for number, halves in enumerate(zip(*(chosen[label] for label in LABELS))):
        cat_half = number % 2
        canvas = Image.new("RGB", (2 * SIDE, SIDE))
        for label_half, data in zip((cat_half, 1 - cat_half), halves):
            canvas.paste(central_square(data), (SIDE * label_half, 0))
        file = Path(folder) / f"{number}.png"
        canvas.save(file)
        pairs.append((file, cat_half))
    return pairs


def explain(program, model, methods, files):
    """One report for every picture and target, in the order asked."""
    command = [program, "explain", "-m", model, "--method", ",".join(methods), "--format", "jsonl", "-q"]
    for label in LABELS:
        command += ["--target", label]
    for file in files:
        command += ["--image", str(file)]
    return [json.loads(line) for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()]


def share_on_half(attribution, half):
    """The share of a map's positive part on the left (0) or right (1) half; the class token's score is left out."""
    scores = attribution["scores"]
    if attribution["axes"] == ["row", "column"]:
        rows = scores
    else:  # the class token comes first, then the patches row by row
        side = round((len(scores) - 1) ** 0.5)
        rows = [scores[1 + side * row : 1 + side * (row + 1)] for row in range(side)]
    if len(rows) % 2 or any(len(row) != len(rows) for row in rows):
        raise SystemExit(f"{attribution['method']}: expected a square grid of an even side, found {attribution['shape']}")
    halves = [sum(max(0.0, value) for row in rows for value in part(row))
              for part in (lambda row: row[: len(row) // 2], lambda row: row[len(row) // 2 :])]
    return halves[half] / (sum(halves) or 1.0)


def main():
    parser = argparse.ArgumentParser(description="Do the maps of cat and dog lie on the right animal?")
    parser.add_argument("--data", type=Path, required=True, help="folder with test.tar")
    parser.add_argument("--archive", default="test.tar", help="another archive of the folder (default test.tar)")
    parser.add_argument("--model", default="vision")
    parser.add_argument("--methods", default="attn_lrp,generic_attention,chefer")
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--program", default=str(ROOT / "build/release/headwater"))
    parser.add_argument("--at-a-time", type=int, default=50, help="pictures that one run of the program explains")
    options = parser.parse_args()

    methods = options.methods.split(",")
    counts = {method: [0, 0, 0] for method in methods}  # the cat's map right, the dog's, both
    shares = {method: [0.0, 0.0] for method in methods}
    with tempfile.TemporaryDirectory() as folder:
        pairs = write_pairs(photographs(options.data / options.archive), options.pairs, options.seed, folder)
        for begin in range(0, len(pairs), options.at_a_time):
            part = pairs[begin : begin + options.at_a_time]
            reports = explain(options.program, options.model, methods, [file for file, _ in part])
            by_target = {(report["input"]["image"], report["target"]["label"]): report for report in reports}
            for file, cat_half in part:
                for place, method in enumerate(methods):
                    on_own = [share_on_half(by_target[str(file), label]["attributions"][place], half)
                              for label, half in zip(LABELS, (cat_half, 1 - cat_half))]
                    right = [share > 0.5 for share in on_own]
                    counts[method] = [n + hit for n, hit in zip(counts[method], (*right, all(right)))]
                    shares[method] = [total + share for total, share in zip(shares[method], on_own)]
    print(f"{len(pairs)} pairs, seed {options.seed}")
    print("| method | both maps right | the cat's | the dog's | mean share of the cat's map on the cat | of the dog's on the dog |")
    print("|---|---:|---:|---:|---:|---:|")
    for method in methods:
        cat, dog, both = counts[method]
        on_cat, on_dog = (100 * total / len(pairs) for total in shares[method])
        print(f"| `{method}` | {both} | {cat} | {dog} | {on_cat:.1f} % | {on_dog:.1f} % |")


if __name__ == "__main__":
    main()

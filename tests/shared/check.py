"""Real models that are too large to ship, where they are at hand: the folder `shared` beside the checkout.

minilm-sst2 must classify exactly as many sentences of SST-2 dev correctly as its README says, and the story models must
continue a text with exactly the ids transformers gives (story_ids.json, by make_story_ids.py). Without the folder the
check is skipped.
"""

import argparse
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SHARED = HERE.parents[2] / "shared"
SKIPPED = 77


def lines_of(program, *arguments, text=None):
    result = subprocess.run([program, *map(str, arguments)], input=text, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{arguments}\n{result.stderr}")
    return [json.loads(line) for line in result.stdout.splitlines()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    program = parser.parse_args().program
    if not (SHARED / "models").is_dir():
        print(f"skipped: no folder {SHARED.name}/models beside the checkout")
        sys.exit(SKIPPED)

    rows = [line.rsplit("\t", 1) for line in (SHARED / "data/sst2/dev.tsv").read_text().splitlines()[1:]]
    said = lines_of(program, "predict", "-m", SHARED / "models/minilm-sst2", "--format", "jsonl",
                    text="".join(sentence + "\n" for sentence, _ in rows))
    right = sum((answer["label"] == "POSITIVE") == (label == "1") for answer, (_, label) in zip(said, rows))
    print(f"minilm-sst2: {right} of {len(rows)} correct")
    if (right, len(said), len(rows)) != (782, 872, 872):
        sys.exit("expected 782 of 872")

    for name, expected in json.loads((HERE / "story_ids.json").read_text()).items():
        answer, = lines_of(program, "predict", "-m", SHARED / "models" / name, "--format", "jsonl", "--max-new-tokens",
                           len(expected), "Once upon a time")
        if answer["continuation_ids"] != expected:
            sys.exit(f"{name}: the story differs from transformers'")
        print(f"{name}: {len(expected)} ids as transformers gives them")


if __name__ == "__main__":
    main()

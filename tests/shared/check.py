"""Real models that are too large to ship, where they are at hand: the folder `shared` beside the checkout.

minilm-sst2 must classify exactly as many sentences of SST-2 dev correctly as its README says, and the story models must
continue a text with exactly the ids transformers gives (story_ids.json, by make_story_ids.py). A word given as a target to
stories15M must be the token it predicts, and several tokens the sum of what it predicts step by step. A pruned minilm-sst2
must have the logits of the masked model in transformers, where that is installed. The models must pass their self-test. Without the folder the check is skipped.
"""

import argparse
import importlib.util
import json
import math
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SHARED = HERE.parents[2] / "shared"
SKIPPED = 77


def lines_of(program, *arguments, text=None, whole=False):
    result = subprocess.run([program, *map(str, arguments)], input=text, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{arguments}\n{result.stderr}")
    return [json.loads(result.stdout)] if whole else [json.loads(line) for line in result.stdout.splitlines()]


def check_pruned(program):
    """transformers opens a folder of `prune --save`, and heads are gone from it: its logits are those of the original with
    the attention of these heads put to zero by a hook, and those that this program reads from the folder."""
    if importlib.util.find_spec("transformers") is None:
        print("pruned minilm-sst2: not compared, transformers is not installed")
        return
    import torch
    import transformers
    model, text = SHARED / "models/minilm-sst2", "a charming and often affecting journey"
    with tempfile.TemporaryDirectory() as folder:
        data, pruned = pathlib.Path(folder, "data.tsv"), pathlib.Path(folder, "pruned")
        data.write_text("".join((SHARED / "data/sst2/dev.tsv").open().readlines()[:9]))
        result = subprocess.run([program, "prune", "-m", model, "-f", data, "--by", "attention", "--points", "2",
                                 "--random-orders", "1", "--save", pruned, "--rate", "0.5", "-q"], capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(result.stderr)
        heads, = lines_of(program, "heads", "-m", model, "-f", data, "--by", "attention", "--format", "json", whole=True)
        scores = torch.tensor(heads["rankings"][0]["scores"])
        gone = scores.flatten().argsort(stable=True)[:scores.numel() // 2]
        ids = transformers.AutoTokenizer.from_pretrained(model)(text, return_tensors="pt")
        opened = transformers.AutoModelForSequenceClassification.from_pretrained(pruned).eval()
        masked = transformers.AutoModelForSequenceClassification.from_pretrained(model).eval()
        width = masked.config.hidden_size // masked.config.num_attention_heads

        def without(layer):
            def hook(_, inputs):
                z = inputs[0].clone()
                for head in gone[gone // scores.shape[1] == layer] % scores.shape[1]:
                    z[..., head * width:(head + 1) * width] = 0
                return (z,) + inputs[1:]
            return hook

        for layer, block in enumerate(masked.base_model.encoder.layer):
            block.attention.output.dense.register_forward_pre_hook(without(layer))
        with torch.no_grad():
            theirs, expected = opened(**ids).logits[0], masked(**ids).logits[0]
        ours, = lines_of(program, "predict", "-m", pruned, "--format", "jsonl", text)
    gaps = [(theirs - other).abs().max().item() for other in (expected, torch.tensor(ours["logits"]))]
    print(f"pruned minilm-sst2: transformers opens it; logits within {gaps[0]:.1e} of masking, {gaps[1]:.1e} of ours")
    if max(gaps) > 1e-4:
        sys.exit("expected the same logits within 1e-4")


def check_targets(program):
    """`was` after "Those girls" is the token ▁was that is predicted there, not the token was; `wasn't` is ▁wasn ' t."""
    model = SHARED / "models/stories15M"

    def next_tokens(text):
        answer, = lines_of(program, "predict", "-m", model, "--top", 32000, "--format", "json", text, whole=True)
        return {score["index"]: score for score in answer["outcomes"][0]["scores"]}

    def explained(method, target):
        return lines_of(program, "explain", "-m", model, "--method", method, "--target", target, "--format", "json",
                        "Those girls", whole=True)[0]

    best = next(iter(next_tokens("Those girls").values()))
    was = explained("integrated_gradients", "was")["target"]
    if (best["label"], was["label"], was["index"]) != ("was", "was", best["index"]):
        sys.exit(f"--target was: expected the predicted token {best}, found {was}")
    report = explained("integrated_gradients", "wasn't")
    steps = zip(("Those girls", "Those girls wasn", "Those girls wasn'"), report["target"]["tokens"], strict=True)
    expected = sum(math.log(next_tokens(text)[token]["probability"]) for text, token in steps)
    result = report["attributions"][0]
    print(f"stories15M: was is token {was['index']}; wasn't has log-probability {report['target']['logit']:.4f}, "
          f"step by step {expected:.4f}")
    if abs(report["target"]["logit"] - expected) > 1e-3 or not all(check["passed"] for check in result["checks"]):
        sys.exit(f"wasn't: expected {expected} and checks that pass, found {report['target']} and {result['checks']}")


def check_properties(program):
    """The real models keep what explanations rest on, and a paper's experiment runs on one of them."""
    for name in ("minilm-sst2", "stories260K"):
        test, = lines_of(program, "check", "-m", SHARED / "models" / name, "--format", "json", whole=True)
        if not test["passed"]:
            sys.exit(f"{name}: expected every property to hold, found {test['properties']}")
        print(f"{name}: {len(test['properties'])} properties hold")
    found, = lines_of(program, "reproduce", "abnar2020", "-m", SHARED / "models/minilm-sst2", "--data", SHARED / "data/sst2",
                      "--limit", 3, "--format", "json", whole=True)
    if [len(table["rows"]) for table in found["tables"]] != [6, 6]:
        sys.exit(f"abnar2020: expected two tables of six layers, found {found['tables']}")


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
    check_targets(program)
    check_properties(program)
    check_pruned(program)


if __name__ == "__main__":
    main()

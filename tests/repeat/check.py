"""The law of the printed command: run again, it gives the same report.

Every invocation below is run; the command its record prints goes through a shell; then everything the two reports say must be
equal, number for number, times excepted, and the second must print the same command again.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/cli"))
import run_case  # noqa: E402

PETS = str(ROOT / "docs/pets.jpg")
TEXT = "The plot is thin, but the actors are unforgettably good."
MODELS = ["bert_sequence", "bert_regression", "bert_next_sentence", "bert_token", "bert_question", "bert_masked_lm", "bert_model",
          "bert_f16", "roberta_sequence", "distilbert_sequence", "electra_discriminator", "gpt2_causal_lm", "gpt2_sequence",
          "gpt2_model", "llama_causal_lm", "qwen2_token"]

# Model, then the arguments.
ONE = [
    # Nothing said: what the model chooses.
    *([name, "a film is not bad"] for name in MODELS if name not in ("bert_question", "bert_masked_lm", "bert_next_sentence")),
    ["bert_question", "--pair", "the film is not bad", "a movie ?"],
    ["bert_next_sentence", "--pair", "the film is not bad", "a film"],
    ["bert_masked_lm", "a [MASK] film"],
    ["sentiment", TEXT],
    ["vision", "--image", PETS],
    # Texts a shell could misread.
    ["sentiment", "--method", "saliency", "--", "-- not $HOME `bad` \"at\" 'all' \\ !"],
    ["sentiment", "--method", "saliency", "--", "--words"],
    ["sentiment", "--method", "saliency", "two\nlines\tand a tab"],
    ["sentiment", "--method", "saliency", "naïve 映画 😀 è ok"],
    ["sentiment", "--method", "saliency", "--pair=-second 'text'", "first"],
    ["sentiment", "--method", "saliency", "--pair", "", "first"],
    # Views.
    ["sentiment", "--method", "integrated_gradients,occlusion", "--words", TEXT],
    ["sentiment", "--method", "attention,value_zeroing", "--words", "--special", "drop", TEXT],
    ["sentiment", "--method", "attention_rollout", "--special", "hide", TEXT],
    ["bert_token", "--method", "saliency", "--words", "--position", "5", "unwatchably films is fun"],
    ["bert_token", "--method", "saliency,attention", "--special", "drop", "--words", "films is fun"],
    ["bert_masked_lm", "--method", "saliency", "--words", "--special", "hide", "films [MASK] fun"],
    ["gpt2_causal_lm", "--method", "saliency", "--words", "--position", "1", "the old man was"],
    # Targets.
    ["sentiment", "--method", "chefer", "--target", "negative", TEXT],
    ["sentiment", "--method", "chefer", "--target", "0", TEXT],
    ["sentiment", "--method", "input_x_gradient", "--target", "NEGATIVE", "--contrast", "POSITIVE", TEXT],
    ["bert_masked_lm", "--method", "saliency", "--target", "great", "--contrast", "dull", "--position", "2", "a [MASK] film [MASK]"],
    ["bert_token", "--method", "saliency", "--position", "2", "--target", "1", "a film"],
    ["bert_question", "--method", "saliency", "--pair", "the film is not bad", "--target", "the film", "--contrast", "bad", "a movie ?"],
    ["bert_question", "--method", "saliency", "--pair", "the film is not bad", "--target", "start", "--words", "a movie ?"],
    ["bert_question", "--method", "saliency", "--pair", "the film is not bad", "--target", "end", "--position", "6", "a movie ?"],
    ["gpt2_causal_lm", "--method", "integrated_gradients,attention", "--target", "was very dull", "the old man"],
    ["gpt2_causal_lm", "--method", "saliency", "--target", "was very dull", "--contrast", "was very good", "--words", "the old man"],
    ["gpt2_causal_lm", "--method", "saliency", "--target", "was dull", "--position", "1", "the old man"],
    ["gpt2_causal_lm", "--method", "saliency", "--target", "#7", "--contrast", "#9", "--position", "1", "the old man"],
    ["vision", "--method", "chefer,attention_rollout", "--target", "dog", "--contrast", "cat", "--image", PETS],
    # Files: what a line asks for.
    ["bert_question", "--method", "saliency", "-f", "asked.jsonl", "-q"],
    ["vision", "--method", "chefer", "-f", "pictures.csv", "-q"],
    # Options, aggregates, checks, numbers.
    ["sentiment", "--method", "value_zeroing", "--aggregate", "rollout", "--words", "not bad at all"],
    ["sentiment", "--method", "attention,alti,chefer", "--aggregate", "rollout", "--aggregate", "alti=flow", TEXT],
    ["sentiment", "--method", "attention,attention_rollout", "--residual", "0.25", "--heads", "mean", TEXT],
    ["sentiment", "--method", "occlusion,integrated_gradients", "--quantity", "probability", "--option",
     "occlusion.quantity=logit", "--steps", "12", TEXT],
    ["sentiment", "--method", "lime", "--seed", "7", "--samples", "100", TEXT],
    ["sentiment", "--method", "integrated_gradients", "--verify", TEXT],
    ["bert_sequence", "--method", "attention,chefer", "--dtype", "float64", "a film"],
    ["bert_sequence", "--method", "attention", "--truncate", " ".join(["a film is fun"] * 40)],
    ["bert_sequence", "--method", "attention", "--truncate", "a film"],
    ["bert_sequence", "--method", "attention", "--max-memory", "1G", "a film"],
    ["org/name", "--cache-dir", "my cache", "--revision", "main", "--method", "saliency", "a film"],
]

# Reports of several targets on one page or picture.
SEVERAL = [
    ["html", "sentiment", "--method", "integrated_gradients,attention_rollout", "--target", "POSITIVE", "--target", "NEGATIVE", "--words", TEXT],
    ["html", "bert_question", "--method", "saliency", "--pair", "the film is not bad", "--target", "start", "--target", "end", "a movie ?"],
    ["html", "vision", "--method", "chefer", "--target", "cat", "--target", "dog", "--image", PETS],
    ["png", "vision", "--method", "chefer,generic_attention", "--target", "cat", "--target", "dog", "--image", PETS],
]


class Runner:
    def __init__(self, program, folder):
        self.environment, self.folder = run_case.environment(program, folder), pathlib.Path(folder, "work")
        self.folder.mkdir()
        run_case.put_models(MODELS, self.folder)
        shutil.copy(PETS, self.folder)  # a page's command names no folder
        cached = self.folder / "my cache/models--org--name"
        shutil.copytree(self.folder / "bert_sequence", cached / "snapshots/0123abcd")
        (cached / "refs").mkdir()
        (cached / "refs/main").write_text("0123abcd")
        asked = {"question": "a movie ?", "context": "the film is not bad", "target": "end", "position": 6}
        (self.folder / "asked.jsonl").write_text(json.dumps(asked) + "\n")
        (self.folder / "pictures.csv").write_text(f"file_name,target,contrast\n{PETS},dog,cat\n")

    def call(self, command, *more):
        """The command as a shell reads it, with further arguments behind `explain`."""
        added = "headwater() { local verb=$1; shift; command headwater \"$verb\" \"${MORE[@]}\" \"$@\"; }\n"
        more = "MORE=(" + " ".join(more) + ")\n"
        result = subprocess.run(["bash", "-c", more + added + command], cwd=self.folder, env=self.environment,
                                stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        if result.returncode != 0:
            sys.exit(f"{command}\nexit {result.returncode}: {result.stderr.decode()}")
        return result.stdout.decode()

    def first(self, arguments, *more):
        result = subprocess.run(["headwater", "explain", "-m", arguments[0], *more, *arguments[1:]], cwd=self.folder,
                                env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        if result.returncode != 0:
            sys.exit(f"{arguments}\nexit {result.returncode}: {result.stderr.decode()}")
        return result.stdout.decode()


def without_times(value):
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if k != "seconds"}
    if isinstance(value, list):
        return [without_times(v) for v in value]
    if isinstance(value, str):  # a note may tell a time
        return re.sub(r"\d+(\.\d+)? s\b", "… s", value)
    return value


def expect_same(one, two, arguments):
    if one != two:
        keys = [k for k in one if one[k] != two.get(k)] if isinstance(one, dict) else ["everything"]
        shown = {k: (one[k], two.get(k)) for k in keys} if isinstance(one, dict) else (one, two)
        sys.exit(f"{arguments}: the printed command gives another report; they differ in {keys}\n{str(shown)[:2000]}")


def page_data(text):
    data = json.loads(re.search(r'<script type="application/json" id="report">(.*?)</script>', text, re.DOTALL).group(1))
    data["numbers"] = re.findall(r'<script type="text/plain" id="(scores-\d+)" data-format="\w+">(.*?)</script>', text)
    return data


def picture_data(raw):
    # The chunk says how long it is: what follows it may hold a bracket too.
    at = raw.index(b"iTXtheadwater")
    text = raw[at + 4:at + 4 + int.from_bytes(raw[at - 4:at], "big")]
    record = json.loads(text[len(b"headwater") + 5:])
    return {"record": record, "pixels": raw[:raw.index(b"iTXtheadwater") - 4].hex()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True, type=pathlib.Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(args.program.resolve(), folder)
        for arguments in ONE:
            report = json.loads(runner.first(arguments, "-q", "--format", "jsonl"))
            report.pop("line", None)  # of the file it came from
            again = json.loads(runner.call(report["record"]["command"], "-q", "--format", "jsonl"))
            expect_same(without_times(report), without_times(again), arguments)
        for ending, *arguments in SEVERAL:
            runner.first(arguments, "-q", "-o", f"one.{ending}")
            read = (lambda path: page_data(path.read_text())) if ending == "html" else (lambda path: picture_data(path.read_bytes()))
            one = read(runner.folder / f"one.{ending}")
            runner.call(one["record"]["command"], "-q", "-o", f"two.{ending}")
            expect_same(without_times(one), without_times(read(runner.folder / f"two.{ending}")), arguments)
            if ending == "html" and len(one["others"]) != 1:
                sys.exit(f"{arguments}: expected two targets on the page")
    print(f"{len(ONE) + len(SEVERAL)} reports repeated by their own commands")


if __name__ == "__main__":
    main()

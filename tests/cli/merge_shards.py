"""The results of shards, merged, are those of one run, byte for byte but for times: for any number of shards, also more
than there are inputs, with lines that fail and lines of several results, and when shards were stopped and went on or were
started again. So for `predict`, `explain` and `tokenize`; and so for the values of `evaluate`, from which the table comes
without measuring anything again."""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
INPUTS = b"""{"text": "the film is not bad", "label": "positive"}
{"text": "a dull plot", "target": ["negative", "positive"]}

{"text": "fun"}
{"text": "bad \xff byte"}
{"text": "an old man and the acting is great fun", "label": "negative"}
"""
EXAMPLES = "the film is not bad\na dull plot\nfun\nthe acting is great fun\nan old man and a plot\n"


def without_times(data):
    return re.sub(rb'"seconds":[0-9.e+-]+', b'"seconds":0', data)


class Folder:
    def __init__(self, path, program):
        self.path, self.program = path, program
        shutil.copytree(ROOT / "tests/golden/models/bert_sequence", path / "model")
        shutil.copy(ROOT / "tests/cli/vocab.txt", path / "model")
        (path / "inputs.jsonl").write_bytes(INPUTS)
        (path / "examples.txt").write_text(EXAMPLES)

    def run(self, *arguments, code=0):
        ran = subprocess.run([self.program, *arguments], cwd=self.path, env={**os.environ, "HOME": str(self.path)},
                             capture_output=True, timeout=100)
        assert ran.returncode == code, f"{arguments}: {ran.returncode}\n{ran.stderr.decode()}"
        return ran

    def read(self, name):
        return without_times((self.path / name).read_bytes())


def check_corpus(folder, options, counts, code=1):
    """`code`: what a run ends with; one of the lines fails."""
    command = [*options, "-m", "model", "-t", "1", "-o"]
    folder.run(*command, "whole.jsonl", code=code)
    whole = folder.read("whole.jsonl")
    for count in counts:
        parts = [f"part.{count}.{i}.jsonl" for i in range(1, count + 1)]
        failed = [folder.run(*command, part, "--shard", f"{i}/{count}", code=code if i == 3 % count + 1 else 0).returncode
                  for i, part in enumerate(parts, 1)]
        assert sum(failed) == code, f"{options}: {failed}"
        folder.run("merge", *reversed(parts), "-o", "merged.jsonl", code=code)
        assert folder.read("merged.jsonl") == whole, f"{options}: {count} shards give something else"
        assert sum(folder.read(part).count(b"\n") for part in parts) == whole.count(b"\n")
    left = [path.name for path in folder.path.iterdir() if ".part" in path.name]
    assert not left, f"left behind: {left}"
    print(f"{options[0]}: {counts} shards give the {whole.count(10)} lines of one run")


def check_again(folder):
    """A shard that was stopped goes on, and one that had ended stays as it is: a cluster may start every task again."""
    command = ["explain", "--method", "saliency", "-m", "model", "-f", "inputs.jsonl", "--resume"]
    folder.run(*command, "--keep-going", "-o", "once.jsonl", code=1)
    folder.run(*command, "-o", "task.1.jsonl", "--shard", "1/2")
    before = (folder.path / "task.1.jsonl").read_bytes()
    folder.run(*command, "-o", "task.2.jsonl", "--shard", "2/2", code=3)  # stops at the line that cannot be read
    said = folder.run("merge", "task.1.jsonl", "task.2.jsonl", "-o", "task.jsonl", code=2).stderr
    assert b"task.2.jsonl.part" in said and not (folder.path / "task.jsonl").exists(), said
    for task, code in (("1", 0), ("2", 1)):
        folder.run(*command, "--keep-going", "-o", f"task.{task}.jsonl", "--shard", f"{task}/2", code=code)
    assert (folder.path / "task.1.jsonl").read_bytes() == before, "it was done again"
    folder.run("merge", *(path.name for path in folder.path.glob("task.*.jsonl")), "-o", "task.jsonl", code=1)
    assert folder.read("task.jsonl") == folder.read("once.jsonl")
    print("tasks that were stopped or started again: the same file")


def check_evaluation(folder, counts):
    command = ["evaluate", "-m", "model", "-f", "examples.txt", "--input-format", "txt", "--format", "csv", "-t", "1",
               "--methods", "saliency", "--metrics", "deletion,infidelity", "--resamples", "100"]
    table = folder.run(*command, "--values", "whole.values.jsonl").stdout
    for count in counts:
        parts = [f"values.{count}.{i}.jsonl" for i in range(1, count + 1)]
        for i, part in enumerate(parts, 1):
            assert folder.run(*command, "--values", part, "--shard", f"{i}/{count}", "--resume").stdout == b""
        folder.run("merge", *parts, "-o", "joined.jsonl")
        assert folder.read("joined.jsonl") == folder.read("whole.values.jsonl"), f"{count} shards: other values"
        joined = (folder.path / "joined.jsonl").stat()
        for _ in range(2):  # it can be asked again
            asked = folder.run(*command, "--values", "joined.jsonl", "--resume")
            assert asked.stdout == table and b"5 done already" in asked.stderr, f"{count} shards: another table"
        assert (folder.path / "joined.jsonl").stat().st_mtime_ns == joined.st_mtime_ns, "measured again"
    print(f"evaluate: {counts} shards give the table of one run, {table.count(10)} lines")


def check_documented(folder):
    """The job scripts of docs/cluster.md, run as Slurm would: every task with its number, then the one that joins."""
    task, submission = re.findall(r"^```bash\n(.*?)^```", (ROOT / "docs/cluster.md").read_text(), re.MULTILINE | re.DOTALL)[:2]
    shutil.copy(folder.path / "inputs.jsonl", folder.path / "many.jsonl")
    tools = folder.path / "tools"
    tools.mkdir()
    (tools / "headwater").symlink_to(folder.program)
    env = {**os.environ, "HOME": str(folder.path), "PATH": f"{tools}:{os.environ['PATH']}", "SLURM_CPUS_PER_TASK": "1"}

    def bash(script, number=""):
        ran = subprocess.run(["bash", "-e", "-c", script.replace("path/to/model", "model").replace("many.tsv", "many.jsonl")],
                             cwd=folder.path, env={**env, "SLURM_ARRAY_TASK_ID": number}, capture_output=True, timeout=100)
        assert ran.returncode in (0, 1), ran.stderr.decode()  # an input fails
        return ran.returncode

    last = int(re.search(r"--array=1-(\d+)", task).group(1))
    assert sum(bash(task, str(number)) for number in range(1, last + 1)) == 1
    assert bash(re.search(r"--wrap '(.*)'", submission).group(1)) == 1
    folder.run("explain", "-m", "model", "-f", "many.jsonl", "--method", "integrated_gradients", "--keep-going", "-t", "1",
               "-o", "whole.jsonl", code=1)
    assert folder.read("scores.jsonl") == folder.read("whole.jsonl")
    print(f"the job scripts of docs/cluster.md: {last} tasks give the file of one run")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True, type=pathlib.Path)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Folder(pathlib.Path(scratch), str(parser.parse_args().program.resolve()))
        inputs = ["-f", "inputs.jsonl", "--keep-going"]
        check_corpus(folder, ["explain", "--method", "saliency", *inputs], (1, 2, 3, 7))
        check_corpus(folder, ["predict", *inputs], (1, 2, 3, 7))
        check_corpus(folder, ["tokenize", "-f", "examples.txt"], (2, 7), code=0)
        check_again(folder)
        check_evaluation(folder, (1, 2, 3, 7))
        check_documented(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Runs one transcript of the program and compares what it printed.

A .case file is read top to bottom:

    # a comment
    needs models/sentiment          skip the case unless this path of the repository exists
    model bert_sequence             a tiny model of tests/golden/models, given a vocabulary, as ./bert_sequence
    $ headwater version             a command, run by bash in an empty folder; `headwater` is the program
    headwater 0.1.0                 what it must print on standard output …
    ! headwater: error: …           … and on standard error
    = 2                             its exit code, 0 unless said

A line of the form /…/ is a regular expression for one line, and a line of three dots stands for any number of
lines. $ROOT is the repository, $MODELS its models/. Blank lines between commands are ignored.
"""

import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77


class Step:
    def __init__(self, line, command):
        self.line, self.command = line, command
        self.stdout, self.stderr, self.code = [], [], 0


def parse(text):
    """The steps of a case, the paths it needs and the models it uses."""
    steps, needs, models = [], [], []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("$ "):
            steps.append(Step(number, line[2:]))
        elif not steps:
            if line.startswith("needs "):
                needs.append(line.split(maxsplit=1)[1])
            elif line.startswith("model "):
                models += line.split()[1:]
            elif line and not line.startswith("#"):
                raise SystemExit(f"line {number}: expected a comment, needs, model or a command, found {line!r}")
        elif line.startswith("! "):
            steps[-1].stderr.append(line[2:])
        elif re.fullmatch(r"= \d+", line):
            steps[-1].code = int(line[2:])
        elif not line.startswith("#"):
            steps[-1].stdout.append(line)
    for step in steps:
        while step.stdout and not step.stdout[-1]:
            step.stdout.pop()
    if not steps:
        raise SystemExit("no command in this case")
    return steps, needs, models


def matches(expected, found):
    """Whether the printed lines are the expected ones, with patterns and gaps."""
    if not expected:
        return not found
    if expected[0] == "...":
        return any(matches(expected[1:], found[i:]) for i in range(len(found) + 1))
    if not found:
        return False
    want = expected[0]
    if len(want) > 1 and want.startswith("/") and want.endswith("/"):
        same = re.fullmatch(want[1:-1], found[0]) is not None
    else:
        same = want == found[0]
    return same and matches(expected[1:], found[1:])


def environment(program, folder):
    kept = {k: v for k, v in os.environ.items()
            if not k.startswith(("HEADWATER_", "HF_", "XDG_", "HUGGINGFACE_")) and k not in ("NO_COLOR", "COLUMNS")}
    bin_folder = pathlib.Path(folder, "bin")
    bin_folder.mkdir()
    (bin_folder / "headwater").symlink_to(program)
    return {**kept, "PATH": f"{bin_folder}:{kept.get('PATH', '/usr/bin:/bin')}", "HOME": folder, "ROOT": str(ROOT),
            "MODELS": str(ROOT / "models"), "HEADWATER_MODELS": str(ROOT / "models"), "LC_ALL": "C.UTF-8"}


def put_models(names, folder):
    """Tiny models of tests/golden/models with a vocabulary, under their own names."""
    for name in names:
        shutil.copytree(ROOT / "tests/golden/models" / name, folder / name)
        vocabulary = "vocab.txt" if name.startswith("bert") else "tokenizer.json"
        shutil.copy(ROOT / "tests/cli" / vocabulary, folder / name / vocabulary)


def check(step, env, folder):
    """Runs one step; returns what differs, or nothing."""
    result = subprocess.run(["bash", "-o", "pipefail", "-c", step.command], cwd=folder, env=env, timeout=100,
                            stdin=subprocess.DEVNULL, capture_output=True)
    differences = []
    for name, expected, got in (("stdout", step.stdout, result.stdout), ("stderr", step.stderr, result.stderr)):
        lines = got.decode("utf-8", "backslashreplace").splitlines()
        while lines and not lines[-1]:
            lines.pop()
        if not matches(expected, lines):
            differences += list(difflib.unified_diff(expected, lines, f"expected {name}", f"found {name}", "", "",
                                                     lineterm=""))
    if result.returncode != step.code:
        differences.append(f"expected exit code {step.code}, found {result.returncode}")
        differences += result.stderr.decode("utf-8", "backslashreplace").splitlines()[:5]
    return differences


def self_test():
    """The comparison must be able to fail."""
    assert matches(["a", "...", "/b+/"], ["a", "x", "y", "bb"])
    assert not matches(["a"], ["a", "b"]) and not matches(["a", "b"], ["a"]) and not matches(["/b+/"], ["abb"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("case", type=pathlib.Path)
    args = parser.parse_args()
    self_test()
    steps, needs, models = parse(args.case.read_text(encoding="utf-8"))
    for path in needs:
        if not (ROOT / path).exists() and not shutil.which(path):
            print(f"skipped: {path} is not here")
            return SKIPPED
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        env = environment(args.program.resolve(), folder)
        work = pathlib.Path(folder, "work")
        work.mkdir()
        put_models(models, work)
        for step in steps:
            differences = check(step, env, work)
            if differences:
                failures += 1
                print(f"{args.case}:{step.line}: $ {step.command}", *differences, sep="\n")
    print(f"{len(steps) - failures} of {len(steps)} commands as expected")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

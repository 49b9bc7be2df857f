"""Inputs that are worked on side by side give the bytes of those worked on one after the other, but for times: results of
`explain` in their order, also where lines fail or the run ends at one; the table and the kept values of `evaluate`."""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORDS = "the film is not bad a dull plot but acting great fun old man and".split()


def told_alike(data):
    data = re.sub(rb'"seconds": ?[0-9.e+-]+', b'"seconds":0', data)
    return re.sub(rb'"threads": ?[0-9]+', b'"threads":0', data)


def texts(count):
    """Of all lengths, the long ones in front of the short."""
    made = [" ".join(WORDS[(i * k + k) % len(WORDS)] for k in range(1, 14 - i % 13)).encode() for i in range(count)]
    return [text or b"fun" for text in made]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True, type=pathlib.Path)
    program = str(parser.parse_args().program.resolve())
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        shutil.copytree(ROOT / "tests/golden/models/bert_sequence", folder / "model")
        shutil.copy(ROOT / "tests/cli/vocab.txt", folder / "model")
        good, bad = texts(20), texts(20)
        bad[15] = b"bad \xff byte"
        (folder / "good.txt").write_bytes(b"\n".join(good) + b"\n")
        (folder / "bad.txt").write_bytes(b"\n".join(bad) + b"\n")
        env = {**os.environ, "HOME": scratch}

        def outcome(options, threads):
            """Exit code, what was said, and all files, of which none stays."""
            ran = subprocess.run([program, *options, "-m", "model", "-t", str(threads)], cwd=folder, env=env,
                                 capture_output=True, timeout=300)
            files = {path.name: path.read_bytes() for path in sorted(folder.glob("out*"))}
            for name in files:
                (folder / name).unlink()
            return ran.returncode, told_alike(ran.stdout), told_alike(ran.stderr), {n: told_alike(f) for n, f in files.items()}

        explain = ["explain", "--method", "saliency,integrated_gradients,attention_rollout", "--format", "jsonl"]
        evaluate = ["evaluate", "--methods", "saliency,integrated_gradients", "--metrics", "deletion,insertion,infidelity",
                    "--resamples", "100", "--format", "csv", "-f", "good.txt", "--values", "out.values.jsonl"]
        for code, options in ((0, [*explain, "-f", "good.txt", "-o", "out.jsonl"]),
                              (1, [*explain, "-f", "bad.txt", "-o", "out.jsonl", "--keep-going"]),
                              (2, [*explain, "-f", "bad.txt", "-o", "out.jsonl"]),
                              (0, evaluate)):
            one = outcome(options, 1)
            assert one[0] == code, one
            assert sum(file.count(b"\n") for file in one[3].values()) >= (15 if code == 2 else 20), one[3].keys()
            for threads in (2, 5):
                assert outcome(options, threads) == one, f"{options}: {threads} threads give something else"
        print("1, 2 and 5 threads: the same bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())

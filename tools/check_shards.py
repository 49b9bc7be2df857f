#!/usr/bin/env python3
"""`--shard` and `merge` on thousands of texts, those of check_ray.py: every one exactly once, the bytes of one run.

    python3 tools/check_shards.py [--texts 5000] [--program build/release/headwater]

Prints the throughput of one process with one thread, and of two such processes with a shard each. tests/cli/merge_shards.py
checks what may go wrong, on a few lines.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from check_ray import METHODS, ROOT, texts


def seconds_of(commands, folder):
    """All at once."""
    started = time.monotonic()
    running = [subprocess.Popen(command, cwd=folder) for command in commands]
    ended = [one.wait() for one in running]
    assert not any(ended), f"exit codes {ended}"
    return time.monotonic() - started


def without_times(path):
    return re.sub(rb'"seconds":[0-9.e+-]+', b'"seconds":0', path.read_bytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=5000)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/headwater")
    args = parser.parse_args()
    corpus, program = texts(args.texts), str(args.program.resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "many.txt").write_text("\n".join(corpus) + "\n")
        explain = [program, "explain", "-q", "-m", str(ROOT / "models/sentiment"), "-f", "many.txt", "--method", ",".join(METHODS),
                   "--threads", "1", "-o"]
        parts = ["part.1.jsonl", "part.2.jsonl"]
        one = seconds_of([[*explain, "whole.jsonl"]], folder)
        two = seconds_of([[*explain, part, "--shard", f"{i}/2"] for i, part in enumerate(parts, 1)], folder)
        subprocess.run([program, "merge", "-q", *reversed(parts), "-o", "merged.jsonl"], cwd=folder, check=True)
        merged = without_times(folder / "merged.jsonl")
        found = [json.loads(line)["input"]["text"] for line in merged.splitlines()]
        assert found == corpus, "expected every text exactly once and in order"
        assert merged == without_times(folder / "whole.jsonl"), "expected the bytes of one run"
    print(f"1 worker: {args.texts / one:.0f} texts a second\n2 workers: {args.texts / two:.0f} texts a second")
    print(f"{len(found)} texts, every one exactly once, merged to the bytes of one run")
    return 0


if __name__ == "__main__":
    sys.exit(main())

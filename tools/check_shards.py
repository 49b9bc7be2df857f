#!/usr/bin/env python3
"""`--shard` and `merge` on thousands of texts, those of check_ray.py: a shard killed on the way and resumed, every text
exactly once, the bytes of one run.

    python3 tools/check_shards.py [--texts 5000] [--program build/release/headwater]

Prints the throughput of one process with one thread, and of two such processes with a shard each, undisturbed and with one of
them killed. tests/cli/merge_shards.py checks what may go wrong, on a few lines.
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


def seconds_of_a_killed(commands, part, lines, folder):
    """All at once; the last is killed once `part`, which it writes, has so many lines, and begun again with --resume."""
    started = time.monotonic()
    *others, killed = [subprocess.Popen(command, cwd=folder) for command in commands]
    while not part.exists() or part.read_bytes().count(b"\n") < lines:
        assert killed.poll() is None, "ended before it could be killed"
        time.sleep(0.2)
    killed.kill()
    assert killed.wait() < 0, "ended before it was killed"
    seconds_of([[*commands[-1], "--resume"]], folder)
    ended = [one.wait() for one in others]
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

        def shards(run):
            return [[*explain, f"{run}.{i}.jsonl", "--shard", f"{i}/2"] for i in (1, 2)]

        one = seconds_of([[*explain, "whole.jsonl"]], folder)
        two = seconds_of(shards("part"), folder)
        disturbed = seconds_of_a_killed(shards("killed"), folder / "killed.2.jsonl.part", args.texts // 4, folder)
        for run in ("part", "killed"):
            merge = [program, "merge", "-q", f"{run}.2.jsonl", f"{run}.1.jsonl", "-o", f"{run}.jsonl"]
            subprocess.run(merge, cwd=folder, check=True)
            merged = without_times(folder / f"{run}.jsonl")
            found = [json.loads(line)["input"]["text"] for line in merged.splitlines()]
            assert found == corpus, "expected every text exactly once and in order"
            assert merged == without_times(folder / "whole.jsonl"), "expected the bytes of one run"
    for workers, seconds in (("1 worker", one), ("2 workers", two), ("2 workers, one killed on the way and resumed", disturbed)):
        print(f"{workers}: {args.texts / seconds:.0f} texts a second")
    print(f"{len(found)} texts, every one exactly once, merged to the bytes of one run, also with the killed worker")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""headwater.ray on a real local Ray cluster: thousands of texts, a worker killed on the way, every row exactly once.

    python3 tools/check_ray.py [--texts 5000] [--package build/release/python]

Makes a virtual environment of its own with Ray from PyPI (kept in --environment if that is given), so it is no part of
`make test`. Prints the throughput with one worker and with two. tools/check_shards.py does the same corpus by `--shard` and
`merge`.
"""

import argparse
import logging
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
WORDS = ("the film is not bad a dull plot but acting great fun old man and slow at first ending unforgettable cast warm story "
         "never quite works").split()
METHODS = ["attn_lrp", "attention_rollout"]


def texts(count):
    """Short and long ones, no two alike."""
    return [" ".join(WORDS[(i * 7 + k * k) % len(WORDS)] for k in range(3 + i % 12)) + f" {i}" for i in range(count)]


def in_environment(args, folder):
    """Runs this file again where Ray is."""
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([args.python, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "ray[data]", "pyarrow", "numpy"], check=True)
    environment = {**os.environ, "PYTHONPATH": str(args.package.resolve()), "RAY_DATA_DISABLE_PROGRESS_BARS": "1",
                   "RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
    return subprocess.run([python, __file__, "--inside", "--texts", str(args.texts)], env=environment).returncode


def began_here(process):
    """Whether this process is among its ancestors: another cluster on the machine is left alone."""
    while process > 1 and process != os.getpid():
        process = int(pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    return process == os.getpid()


def kill_one_worker(expected_name):
    """A process that runs our actor, with no chance to say goodbye."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        process = int(folder.name)
        try:
            ours = expected_name in (folder / "cmdline").read_bytes() and began_here(process)
        except OSError:
            continue
        if ours and process != os.getpid():
            os.kill(process, signal.SIGKILL)
            return process
    return None


def inside(count):
    import headwater as hw
    import headwater.ray
    import numpy as np
    import ray

    corpus = texts(count)
    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    print(f"ray {ray.__version__}, {count} texts, methods {', '.join(METHODS)}")

    def run(workers, kill):
        dataset = ray.data.from_items([{"text": text} for text in corpus], override_num_blocks=max(2, count // 100))
        made = headwater.ray.explain(dataset, model="sentiment", methods=METHODS, workers=workers, batch_size=50)
        started, killed, found = time.monotonic(), None, {}
        for row in made.iter_rows():
            key = (row["text"], row["method"])
            assert key not in found, f"{key} twice"
            found[key] = row
            if kill and killed is None and len(found) > count // 2:
                killed = kill_one_worker(b"ray::MapWorker")
                assert killed is not None, "no worker to kill was found"
        seconds = time.monotonic() - started
        said = f", worker {killed} killed on the way" if killed else ""
        print(f"{workers} worker{'s' if workers > 1 else ''}: {count / seconds:.0f} texts a second{said}")
        return found, seconds

    disturbed, _ = run(2, kill=True)
    one, slow = run(1, kill=False)
    two, quick = run(2, kill=False)
    print(f"two workers take {slow / quick:.2f} times less than one")
    ray.shutdown()

    model = hw.load("sentiment")
    assert set(disturbed) == set(one) == set(two) == {(text, method) for text in corpus for method in METHODS}
    for text in corpus:
        explained = model.explain(text, METHODS)
        for result in explained:
            for found in (disturbed, one, two):
                row = found[(text, result.name)]
                scores = np.array(row["scores"], dtype=result.scores.dtype).reshape(row["shape"])
                assert np.array_equal(scores, result.scores, equal_nan=True), (text, result.name)
                assert row["checks_passed"] and row["error"] is None and list(row["tokens"]) == list(explained.tokens)
    print(f"{len(disturbed)} rows, every one exactly once and equal to the single process, also with the killed worker")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=5000)
    parser.add_argument("--package", type=pathlib.Path, default=ROOT / "build/release/python", help="where headwater is")
    parser.add_argument("--python", default="/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable)
    parser.add_argument("--environment", type=pathlib.Path, help="a virtual environment to use, made if it is not there")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.inside:
        return inside(args.texts)
    if args.environment:
        return in_environment(args, args.environment)
    with tempfile.TemporaryDirectory() as folder:
        return in_environment(args, pathlib.Path(folder))


if __name__ == "__main__":
    sys.exit(main())

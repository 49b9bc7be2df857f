"""A run over many inputs is killed at random moments and resumed until it is complete; the file must be that of an
undisturbed run, byte for byte but for times. So for `predict` and `explain`, also where lines fail; and so for the table
of `evaluate`, whose values are kept."""

import argparse
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
KILLS = 12
WORDS = "the film is not bad a dull plot but acting great fun old man and".split()


def lines(count, rng):
    """Texts of several lengths, with blank lines and one that cannot be read."""
    made = [" ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 12))).encode() for _ in range(count)]
    made[count // 3] = b"bad \xff byte"
    made[count // 2] = b""
    return b"\n".join(made) + b"\n"


def without_times(data):
    return re.sub(rb'"seconds":[0-9.e+-]+', b'"seconds":0', data)


def size_of(path):
    return path.stat().st_size if path.exists() else 0


def run_disturbed(command, folder, env, part, whole, kills, signals, rng):
    """Starts and kills. A kill comes some time after a random share of the file was added, so that on any machine some come
    at the start, most between results, and some while one is written. Returns how many left results to go on from."""
    kept = 0
    for _ in range(kills):
        process = subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        enough = size_of(part) + rng.uniform(-0.5, 1.5) * whole / kills
        while process.poll() is None and size_of(part) < enough:
            time.sleep(0.002)
        time.sleep(rng.uniform(0, 0.02))
        process.send_signal(rng.choice(signals))
        process.wait()
        kept += size_of(part) > 0
    return kept


def scratch_run(scratch, texts):
    folder = pathlib.Path(scratch)
    shutil.copytree(ROOT / "tests/golden/models/bert_sequence", folder / "model")
    shutil.copy(ROOT / "tests/cli/vocab.txt", folder / "model")
    (folder / "texts.txt").write_bytes(texts)
    return folder, {**os.environ, "HOME": scratch}


def run(command, folder, env, code):
    result = subprocess.run(command, cwd=folder, env=env, capture_output=True, timeout=300)
    assert result.returncode == code, result.stderr.decode()
    return result.stdout


def check(name, options, count, program, rng):
    with tempfile.TemporaryDirectory() as scratch:
        folder, env = scratch_run(scratch, lines(count, rng))
        command = [program, *options, "-m", "model", "-f", "texts.txt", "--keep-going", "-o"]
        resumed = [*command, "resumed.jsonl", "--resume"]
        run([*command, "whole.jsonl"], folder, env, 1)  # one line fails
        whole = (folder / "whole.jsonl").read_bytes()
        kept = run_disturbed(resumed, folder, env, folder / "resumed.jsonl.part", len(whole), KILLS,
                             [signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM], rng)
        # Killed between its last two steps, a run is complete: then nothing is left that could fail.
        complete = (folder / "resumed.jsonl.part.run").exists() and not (folder / "resumed.jsonl.part").exists()
        run(resumed, folder, env, 0 if complete else 1)
        left = sorted(path.name for path in folder.iterdir() if ".part" in path.name)
        assert not left, f"{name}: left behind: {left}"
        assert whole.count(b"\n") == count - 1, f"{name}: {whole.count(10)} lines"
        again = (folder / "resumed.jsonl").read_bytes()
        assert b'"error"' in whole and without_times(whole) == without_times(again), f"{name}: the files differ"
        print(f"{name}: {count} lines, {KILLS} kills, {kept} of them with results to go on from, the same file")
        assert kept > 1, f"{name}: no kill came while there were results: the test saw nothing"


def check_evaluation(count, program, rng):
    """The table of an evaluation that was killed ten times is that of an undisturbed one."""
    with tempfile.TemporaryDirectory() as scratch:
        texts = "".join(" ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 12))) + "\n" for _ in range(count))
        folder, env = scratch_run(scratch, texts.encode())
        command = [program, "evaluate", "-m", "model", "-f", "texts.txt", "--input-format", "txt", "--format", "csv",
                   "--methods", "saliency,attention_rollout", "--metrics", "deletion,infidelity", "--resamples", "100", "--values"]
        whole = run([*command, "whole.jsonl"], folder, env, 0)
        resuming = [*command, "v.jsonl", "--resume"]
        kept = run_disturbed(resuming, folder, env, folder / "v.jsonl.part", size_of(folder / "whole.jsonl"), 10,
                             [signal.SIGKILL], rng)
        assert whole == run(resuming, folder, env, 0) and whole.count(b"\n") > 20, "evaluate: the tables differ"
        print(f"evaluate: {count} examples, 10 kills, {kept} of them with values to go on from, the same table")
        assert kept > 1, "evaluate: no kill came while there were values: the test saw nothing"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    args = parser.parse_args()
    print(f"--seed {args.seed}")
    rng = random.Random(args.seed)
    program = str(args.program.resolve())
    check("explain", ["explain", "--method", "saliency,integrated_gradients"], 120, program, rng)
    check("predict", ["predict"], 5000, program, rng)
    check_evaluation(120, program, rng)
    return 0


if __name__ == "__main__":
    sys.exit(main())

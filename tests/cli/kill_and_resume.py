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
KILLS = 20
WORDS = "the film is not bad a dull plot but acting great fun old man and".split()


def lines(count, rng):
    """Texts of several lengths, with blank lines and one that cannot be read."""
    made = [" ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 12))).encode() for _ in range(count)]
    made[count // 3] = b"bad \xff byte"
    made[count // 2] = b""
    return b"\n".join(made) + b"\n"


def without_times(data):
    return re.sub(rb'"seconds":[0-9.e+-]+', b'"seconds":0', data)


def run_undisturbed(command, folder, env):
    started = time.monotonic()
    result = subprocess.run(command, cwd=folder, env=env, capture_output=True, timeout=300)
    assert result.returncode == 1, result.stderr.decode()  # one line fails
    return time.monotonic() - started


def run_disturbed(command, folder, env, seconds, rng):
    """Kills until KILLS runs were cut off, then lets one end. Returns how many kills found results to keep."""
    kept = 0
    for kill in range(KILLS):
        process = subprocess.Popen([*command, "--resume"], cwd=folder, env=env, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        # Mostly within the first run's time of what is left; a run may end before its kill.
        time.sleep(rng.uniform(0, 2.5 * seconds / KILLS))
        process.send_signal(rng.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM]))
        process.wait()
        part = folder / (command[-1] + ".part")
        kept += part.exists() and part.stat().st_size > 0
    result = subprocess.run([*command, "--resume"], cwd=folder, env=env, capture_output=True, timeout=300)
    assert result.returncode == 1, result.stderr.decode()
    return kept


def check(name, options, count, program, rng):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        shutil.copytree(ROOT / "tests/golden/models/bert_sequence", folder / "model")
        shutil.copy(ROOT / "tests/cli/vocab.txt", folder / "model")
        (folder / "texts.txt").write_bytes(lines(count, rng))
        env = {**os.environ, "HOME": scratch}
        command = [program, *options, "-m", "model", "-f", "texts.txt", "--keep-going", "-o"]
        seconds = run_undisturbed([*command, "whole.jsonl"], folder, env)
        kept = run_disturbed([*command, "resumed.jsonl"], folder, env, seconds, rng)
        whole, resumed = (folder / "whole.jsonl").read_bytes(), (folder / "resumed.jsonl").read_bytes()
        left = sorted(path.name for path in folder.iterdir() if ".part" in path.name)
        assert not left, f"{name}: left behind: {left}"
        assert whole.count(b"\n") == count - 1, f"{name}: {whole.count(10)} lines"
        assert b'"error"' in whole and without_times(whole) == without_times(resumed), f"{name}: the files differ"
        print(f"{name}: {count} lines, {KILLS} kills, {kept} of them with results to go on from, the same file "
              f"({seconds:.1f} s undisturbed)")
        return kept


def check_evaluation(count, program, rng):
    """The table of an evaluation that was killed ten times is that of an undisturbed one."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        shutil.copytree(ROOT / "tests/golden/models/bert_sequence", folder / "model")
        shutil.copy(ROOT / "tests/cli/vocab.txt", folder / "model")
        texts = [" ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 12))) for _ in range(count)]
        (folder / "texts.txt").write_text("\n".join(texts) + "\n")
        env = {**os.environ, "HOME": scratch}
        command = [program, "evaluate", "-m", "model", "-f", "texts.txt", "--input-format", "txt", "--format", "csv",
                   "--methods", "saliency,attention_rollout", "--metrics", "deletion,infidelity", "--resamples", "100"]
        started = time.monotonic()
        whole = subprocess.run(command, cwd=folder, env=env, capture_output=True, timeout=300, check=True).stdout
        seconds, kept = time.monotonic() - started, 0
        for _ in range(10):
            process = subprocess.Popen([*command, "--values", "v.jsonl", "--resume"], cwd=folder, env=env,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(rng.uniform(0, seconds / 5))
            process.send_signal(signal.SIGKILL)
            process.wait()
            part = folder / "v.jsonl.part"
            kept += part.exists() and part.stat().st_size > 0
        resumed = subprocess.run([*command, "--values", "v.jsonl", "--resume"], cwd=folder, env=env, capture_output=True,
                                 timeout=300, check=True).stdout
        assert whole == resumed and whole.count(b"\n") > 20, "evaluate: the tables differ"
        print(f"evaluate: {count} examples, 10 kills, {kept} of them with values to go on from, the same table")
        return kept


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    args = parser.parse_args()
    print(f"--seed {args.seed}")
    rng = random.Random(args.seed)
    program = str(args.program.resolve())
    kept = check("explain", ["explain", "--method", "saliency,integrated_gradients"], 220, program, rng)
    kept += check("predict", ["predict"], 10000, program, rng)
    kept += check_evaluation(220, program, rng)
    assert kept > 0, "no kill came while there were results: the test saw nothing"
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""How the program gets on with other work on the same processors.

    bench/neighbours.py build/release/headwater [--before OTHER_PROGRAM] [--model MODEL] [--texts FILE] [--rounds 3] [--elsewhere]

Times `predict` over the texts, and integrated gradients and value zeroing of one, with one thread and with one per
processor: alone, and beside one busy process per processor. All in turns within one run, because a machine's mood
changes; medians of the rounds. With --before another build of the program takes its turns too.

Said at the end, for every job:
  beside, two / one   wall time of all threads over that of one thread beside the busy processes: at most 1
  beside / alone      processor time of all threads beside them over that alone: at most 1.3
  alone, new / before wall time of all threads alone over that of the other build: at most 1
"""

import argparse
import multiprocessing
import os
import resource
import statistics
import subprocess
import tempfile
import time

SENTENCE = "The plot is thin, but the actors are so good that you will not mind at all."


def spin(elsewhere):
    if elsewhere:
        os.setsid()
    while True:
        pass


class Neighbours:
    """One busy process per processor while the block runs: of this session, or each of its own, as from other
    terminals. Schedulers share processors between sessions first, so the two are different neighbours."""

    def __init__(self, elsewhere):
        self.elsewhere = elsewhere

    def __enter__(self):
        self.processes = [multiprocessing.Process(target=spin, args=(self.elsewhere,), daemon=True)
                          for _ in os.sched_getaffinity(0)]
        for process in self.processes:
            process.start()

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.join()


def measured(command):
    """Wall and processor seconds of one run."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def jobs(model, texts):
    explain = ["explain", "-m", model, "--quiet", "--format", "json", "--method"]
    return {"predict": ["predict", "-m", model, "--quiet", "-f", texts],
            "integrated_gradients": [*explain, "integrated_gradients", SENTENCE],
            "value_zeroing": [*explain, "value_zeroing", SENTENCE * 4]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--before", help="another build of the program")
    parser.add_argument("--model", default="sentiment")
    parser.add_argument("--texts", help="one text a line (default: 300 times a sentence)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--elsewhere", action="store_true", help="busy processes in sessions of their own")
    args = parser.parse_args()
    threads = len(os.sched_getaffinity(0))
    programs = {"now": args.program, **({"before": args.before} if args.before else {})}
    times = {}
    with tempfile.TemporaryDirectory() as folder:
        texts = args.texts or os.path.join(folder, "texts.txt")
        if not args.texts:
            with open(texts, "w", encoding="utf-8") as file:
                file.writelines(SENTENCE[: 20 + k % 50] + "\n" for k in range(300))
        for round_number in range(args.rounds):
            for beside in (False, True):
                for name, job in jobs(args.model, texts).items():
                    for count in (1, threads):
                        for program, path in programs.items():
                            command = [path, *job, "--threads", str(count)]
                            if beside:
                                with Neighbours(args.elsewhere):
                                    found = measured(command)
                            else:
                                found = measured(command)
                            times.setdefault((name, program, beside, count), []).append(found)

    def median(name, program, beside, count, which):
        return statistics.median(t[which] for t in times[name, program, beside, count])

    print(f"{threads} processors, medians of {args.rounds}; wall (processor) seconds")
    for (name, program, beside, count), _ in times.items():
        print(f"  {name:22} {program:7} {'beside' if beside else 'alone':7} {count} threads  "
              f"{median(name, program, beside, count, 0):7.2f} ({median(name, program, beside, count, 1):.2f})")
    for name in jobs(args.model, ""):
        line = (f"{name:22} beside, {threads} threads / one {median(name, 'now', True, threads, 0) / median(name, 'now', True, 1, 0):.2f}"
                f"   processor time beside / alone {median(name, 'now', True, threads, 1) / median(name, 'now', False, threads, 1):.2f}")
        if args.before:
            line += f"   alone, now / before {median(name, 'now', False, threads, 0) / median(name, 'before', False, threads, 0):.2f}"
            line += f"   beside, now / before {median(name, 'now', True, threads, 0) / median(name, 'before', True, threads, 0):.2f}"
        print(line)


if __name__ == "__main__":
    main()

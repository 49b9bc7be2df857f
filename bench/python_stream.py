"""A long stream through the Python package: how fast by one thread and by two, and whether memory grows.

    PYTHONPATH=build/release/python python3 bench/python_stream.py [--count 10000] [--method attention]

The two speeds are measured in turns over a part of the stream, by explain_iter with one and with two threads of the library,
and by two Python threads that share the model; bits are compared. Memory is what the process holds after the first 500 texts,
half-way and at the end.
"""

import argparse
import pathlib
import resource
import statistics
import threading
import time

import headwater as hw
import numpy as np

WORDS = "the film is not bad a dull plot but acting great fun old man and".split()


def text_of(i):
    return " ".join(WORDS[(i * k + k) % len(WORDS)] for k in range(1, 26 - i % 13))


def resident():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def seconds(work):
    begin = time.perf_counter()
    found = work()
    return time.perf_counter() - begin, found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--method", default="attention")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    model, texts = hw.load("sentiment"), [text_of(i) for i in range(200)]

    def streamed(threads):
        hw.set_threads(threads)
        return [np.array(one.scores) for one in model.explain_iter(texts, args.method)]

    def shared():
        hw.set_threads(1)
        found = [None] * len(texts)

        def half(k):
            for i in range(k, len(texts), 2):
                found[i] = np.array(model.explain(texts[i], args.method).scores)

        workers = [threading.Thread(target=half, args=(k,)) for k in range(2)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return found

    ways = {"one thread": lambda: streamed(1), "two threads": lambda: streamed(2), "two Python threads": shared}
    times = {name: [] for name in ways}
    for _ in range(args.rounds):
        expected = None
        for name, work in ways.items():
            taken, found = seconds(work)
            times[name].append(taken)
            expected = expected or found
            assert all(np.array_equal(a, b) for a, b in zip(expected, found)), name
    alone = statistics.median(times["one thread"])
    for name, taken in times.items():
        middle = statistics.median(taken)
        print(f"{name}: {len(texts) / middle:.0f} explanations/s, {alone / middle:.2f} times one thread")

    hw.set_threads(0)
    held, done = {}, 0
    for explanation in model.explain_iter((text_of(i) for i in range(args.count)), args.method):
        explanation.scores.sum()
        done += 1
        if done in (500, args.count // 2, args.count):
            held[done] = resident()
    print("held " + ", ".join(f"after {count} explanations: {size / 1e6:.1f} MB" for count, size in held.items()))


if __name__ == "__main__":
    main()

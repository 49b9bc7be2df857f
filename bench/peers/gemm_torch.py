"""The products of kernels_bench in PyTorch, for a side-by-side run.

    python bench/peers/gemm_torch.py [threads]

With one thread, time is the thread's own CPU time, which other work on the machine disturbs little.
"""

import sys
import time

import torch

threads = int(sys.argv[1]) if len(sys.argv) > 1 else 2
torch.set_num_threads(threads)
clock = time.thread_time if threads == 1 else time.perf_counter


def report(name, flops, call, repeats=100):
    best = float("inf")
    for _ in range(repeats):
        start = clock()
        call()
        best = min(best, clock() - start)
    print(f"{name:40} {flops / best / 1e9:8.1f} GFLOP/s")


with torch.no_grad():
    for dtype in (torch.float32, torch.float64):
        for m, n, k in [(128, 768, 768), (128, 3072, 768), (128, 768, 3072), (1, 768, 768)]:
            x, signal, bias = (torch.randn(s, dtype=dtype) for s in ((m, k), (m, n), (n,)))
            weights = [torch.randn(n, k, dtype=dtype) for _ in range(16)]
            step = iter(range(10**9))
            forward = lambda: torch.nn.functional.linear(x, weights[next(step) % 16], bias)
            pull = lambda: signal @ weights[next(step) % 16]
            report(f"{dtype} forward {m}x{n}x{k}", 2 * m * n * k, forward)
            report(f"{dtype} pull {m}x{n}x{k}", 2 * m * n * k, pull)
    q, k, p = torch.randn(12, 128, 64), torch.randn(12, 128, 64), torch.randn(12, 128, 128)
    report("attention scores", 2 * 12 * 128 * 128 * 64, lambda: q @ k.transpose(1, 2))
    report("attention mix", 2 * 12 * 128 * 128 * 64, lambda: p @ k)

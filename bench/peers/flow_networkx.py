"""Exact attention flow beside networkx, in one run, on the same maps.

    python bench/peers/flow_networkx.py build/bench/bench/flow_bench [--layers 12] [--pairs 60]

For several numbers of tokens: every pair of every layer by flow_bench on one thread, and a sample of the pairs by
networkx, once by Edmonds and Karp's algorithm (which the reference implementation of attention flow uses) and once by
networkx's default, preflow-push, on a graph that is built once. Prints both times for all pairs (processor time;
networkx's extrapolated from the sample, layer by layer), their ratio, and the largest difference of values.
Needs numpy and networkx.
"""

import argparse
import pathlib
import subprocess
import tempfile
import time

import networkx
import numpy as np
from networkx.algorithms.flow import edmonds_karp, preflow_push

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("program")
parser.add_argument("--layers", type=int, default=12)
parser.add_argument("--pairs", type=int, default=60, help="pairs asked of networkx, over all layers")
args = parser.parse_args()


def attention(tokens, causal, generator):
    """[L, T, T]: twelve heads averaged, half of it residual."""
    scores = 2 * (generator.normal(size=(args.layers, 12, tokens, tokens))
                  + generator.normal(size=(args.layers, 12, 1, tokens)) / 2)
    if causal:
        scores = np.where(np.tril(np.ones((tokens, tokens), bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return (weights.mean(1) + np.eye(tokens)) / 2


def graph_of(maps):
    graph = networkx.DiGraph()
    for l, k, p in np.ndindex(*maps.shape):
        if maps[l, k, p] > 0:
            graph.add_edge((l + 1, k), (l, p), capacity=maps[l, k, p])
    return graph


def ours(maps):
    with tempfile.TemporaryDirectory() as folder:
        given, answer = pathlib.Path(folder, "maps"), pathlib.Path(folder, "values")
        maps.tofile(given)
        done = subprocess.run([args.program, given, str(len(maps)), str(maps.shape[1]), answer], check=True,
                              capture_output=True, text=True)
        return float(done.stdout), np.fromfile(answer).reshape(maps.shape)


def theirs(maps, values, algorithm, generator):
    """Seconds for all pairs, and the largest difference on the sample."""
    graph, (layers, tokens, _) = graph_of(maps), maps.shape
    seconds, worst, each = 0.0, 0.0, max(1, args.pairs // layers)
    for l in range(layers):
        start = time.process_time()
        for k, t in generator.integers(tokens, size=(each, 2)):
            flow = networkx.maximum_flow_value(graph, (l + 1, k), (0, t), flow_func=algorithm)
            worst = max(worst, abs(flow - values[l, k, t]))
        seconds += (time.process_time() - start) / each * tokens**2
    return seconds, worst


print(f"{args.layers} layers, all pairs of all layers, one thread; networkx {networkx.__version__}, extrapolated from "
      f"{args.pairs} pairs")
for tokens, causal in [(8, False), (12, False), (20, False), (20, True)]:
    maps = attention(tokens, causal, np.random.default_rng(tokens))
    mine, values = ours(maps)
    line = f"  T={tokens:<3}{'causal' if causal else '      '} headwater {mine * 1e3:8.2f} ms"
    for algorithm in (edmonds_karp, preflow_push):
        seconds, worst = theirs(maps, values, algorithm, np.random.default_rng(0))
        line += f"   {algorithm.__name__} {seconds:7.1f} s = {seconds / mine:9.0f} x, differs by {worst:.0e}"
    print(line, flush=True)

"""Writes flow.json: attention flow by networkx, on small layered networks of many kinds.

    python tests/golden/make_flow_goldens.py

Every case holds maps [L, T, T] and the largest flow from every token above every layer to every input token. Cells are
whole numbers, to be divided by the case's "unit"; networkx (preflow-push) computes with the whole numbers, so that its
answers are exact. A few cases hold real numbers instead (unit 1), from a softmax. Needs numpy and networkx; read by
flow_goldens_test.cpp.
"""

import json
import pathlib

import networkx
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
UNIT = 1000


def whole_rows(weights):
    """Rows of whole numbers that sum to UNIT."""
    rows = np.floor(weights * UNIT).astype(int)
    for row in rows:
        row[row.argmax()] += UNIT - row.sum()
    return rows


def softmax(scores, causal):
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape, bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def flow(maps):
    """maps: nested lists, whole or real."""
    layers, tokens = len(maps), len(maps[0])
    graph = networkx.DiGraph()
    graph.add_nodes_from((l, p) for l in range(layers + 1) for p in range(tokens))
    for l in range(layers):
        for k in range(tokens):
            for p in range(tokens):
                if maps[l][k][p] > 0:
                    graph.add_edge((l + 1, k), (l, p), capacity=maps[l][k][p])
    return [[[networkx.maximum_flow_value(graph, (l + 1, k), (0, t)) for t in range(tokens)] for k in range(tokens)]
            for l in range(layers)]


def case(kind, generator):
    layers, tokens = int(generator.integers(2, 6)), int(generator.integers(2, 7))
    causal = kind.startswith("causal")
    sharpness = {"sharp": 4, "causal sharp": 4}.get(kind, 1)
    unit, maps = UNIT, []
    for _ in range(layers):
        rows = whole_rows(softmax(sharpness * generator.normal(size=(tokens, tokens)), causal))
        if kind == "ties":
            rows = UNIT // 4 * generator.integers(0, 3, size=(tokens, tokens))
        if kind == "zero rows":
            rows[generator.integers(tokens)] = 0
        if kind == "any sum":
            rows = rows * generator.integers(1, 5, size=(tokens, 1))
        if kind not in ("no residual", "zero rows", "ties", "any sum"):
            rows, unit = rows + UNIT * np.eye(tokens, dtype=int), 2 * UNIT
        maps.append(rows.tolist())
    if kind == "real":
        unit, maps = 1, [(np.array(rows) / 2000 + softmax(generator.normal(size=(tokens, tokens)), False)).tolist()
                         for rows in maps]
        maps = [(np.array(rows) / np.array(rows).sum(-1, keepdims=True)).round(15).tolist() for rows in maps]
    return {"kind": kind, "unit": unit, "maps": maps, "flow": flow(maps)}


def main():
    generator = np.random.default_rng(0)
    kinds = ["bidirectional", "sharp", "causal", "causal sharp", "no residual", "zero rows", "ties", "any sum"]
    cases = [case(kinds[i % len(kinds)], generator) for i in range(192)] + [case("real", generator) for _ in range(8)]
    (HERE / "flow.json").write_text("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases) + "\n]\n")


if __name__ == "__main__":
    main()

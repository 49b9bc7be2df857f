"""Writes rollout.json: attention rollout by NumPy, in float64, from patterns that torch computed.

    python tests/golden/make_rollout_goldens.py

Reads models/<case>/expected.safetensors (patterns [L, B, H, T, T], by transformers in float64) and writes, for the
first input, the rollout after the last layer under several options. One case is Abnar and Zuidema's recursion on
four matrices given here. Needs numpy and safetensors; read by rollout_goldens_test.cpp.
"""

import json
import pathlib

import numpy as np
from safetensors.numpy import load_file

HERE = pathlib.Path(__file__).resolve().parent
CASES = ["bert_sequence", "distilbert_token", "electra_sequence", "gpt2_causal_lm", "roberta_sequence", "llama_causal_lm",
         "vit_classification", "deit_classification"]
OPTIONS = [
    {},
    {"residual": "0"},
    {"residual": "0.8", "fusion": "max"},
    {"fusion": "min"},
    {"discard_ratio": "0.3"},
    {"start_layer": "1"},
]
MATRICES = [
    [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]],
    [[0.2, 0.2, 0.6], [0.7, 0.2, 0.1], [0.3, 0.4, 0.3]],
    [[0.1, 0.8, 0.1], [0.4, 0.4, 0.2], [0.25, 0.25, 0.5]],
    [[0.5, 0.25, 0.25], [0.1, 0.1, 0.8], [0.6, 0.2, 0.2]],
]
FUSIONS = {"mean": np.mean, "max": np.max, "min": np.min}


def rollout(patterns, causal, residual="0.5", fusion="mean", discard_ratio="0", start_layer="0"):
    """[L, H, T, T] → [T, T] after the last layer."""
    tokens = patterns.shape[-1]
    share, dropped = float(residual), float(discard_ratio)
    allowed = np.tril(np.ones((tokens, tokens), bool)) if causal else np.ones((tokens, tokens), bool)
    result = np.eye(tokens)
    for layer in patterns[int(start_layer):]:
        fused = FUSIONS[fusion](layer, axis=0)
        where = np.flatnonzero(allowed)
        order = where[np.argsort(fused.flat[where], kind="stable")]
        fused.flat[order[: int(dropped * len(where))]] = 0
        mixing = (1 - share) * fused + share * np.eye(tokens)
        mixing /= mixing.sum(axis=1, keepdims=True)
        result = mixing @ result
    return result


def main():
    goldens = [{"case": "matrices", "patterns": MATRICES, "options": {},
                "rollout": rollout(np.array(MATRICES)[:, None], False).tolist()}]
    for case in CASES:
        patterns = load_file(HERE / "models" / case / "expected.safetensors")["patterns"][:, 0]
        causal = bool(np.all(patterns[..., np.triu_indices(patterns.shape[-1], 1)[0],
                                      np.triu_indices(patterns.shape[-1], 1)[1]] == 0))
        for options in OPTIONS:
            if int(options.get("start_layer", "0")) < len(patterns):
                goldens.append({"case": case, "options": options, "causal": causal,
                                "rollout": rollout(patterns, causal, **options).tolist()})
    (HERE / "rollout.json").write_text("[\n" + ",\n".join(json.dumps(g) for g in goldens) + "\n]\n")


if __name__ == "__main__":
    main()

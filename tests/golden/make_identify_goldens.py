"""Writes identify.json: token identifiability of tiny checkpoints by transformers and numpy, in float64.

    python tests/golden/make_identify_goldens.py

For every model and choice of target: the token ids of some texts, the split of seed 5, and for every hidden state
the number of test tokens that the naive and the linear map identify, by id and by position, over all tokens and
without the special ones. Hidden state 0 and the targets are read by hooks, so that they are what the model really
computed. Needs numpy, torch and transformers; read by identify_goldens_test.cpp.
"""

import json
import pathlib

import numpy as np
import torch
import transformers

HERE = pathlib.Path(__file__).resolve().parent
torch.set_num_threads(1)
SEED, TEXTS, RIDGE = 5, 60, 0.1
MASK = (1 << 64) - 1


def splitmix64(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def parts(texts):
    """'train', 'validation' or 'test' for every text; equal texts share the part of the first."""
    distinct = list(dict.fromkeys(map(tuple, texts)))
    order = sorted(range(len(distinct)), key=lambda i: splitmix64(splitmix64(SEED) ^ i))
    share = max(1, round(0.15 * len(distinct)))
    place = {distinct[i]: p for p, i in enumerate(order)}
    n = len(distinct)
    name = lambda p: "test" if p >= n - share else "validation" if p >= n - 2 * share else "train"
    return [name(place[tuple(text)]) for text in texts]


def values(model, ids):
    """Word rows, the sum before the norm, and the hidden states [L + 1] of one text, [T, width] each."""
    found = {}
    modules = dict(model.named_modules())
    base = model.base_model_prefix
    inner = getattr(model, base) if hasattr(model, base) else model
    hooks = []
    words = inner.get_input_embeddings()
    hooks.append(words.register_forward_hook(lambda m, i, o: found.__setitem__("word", o[0])))
    norm = getattr(getattr(inner, "embeddings", None), "LayerNorm", None)
    if norm is not None:
        hooks.append(norm.register_forward_hook(lambda m, i, o: found.__setitem__("sum", i[0][0])))
    blocks = inner.encoder.layer if hasattr(inner, "encoder") else inner.h if hasattr(inner, "h") else inner.layers
    states = []
    def enter(m, args, kwargs):
        states.append((args[0] if args else kwargs["hidden_states"])[0])
    def leave(m, i, o):
        states.append((o[0] if isinstance(o, tuple) else o).reshape(len(ids), -1))
    hooks.append(blocks[0].register_forward_pre_hook(enter, with_kwargs=True))
    for block in blocks:
        hooks.append(block.register_forward_hook(leave))
    with torch.no_grad():
        model(torch.tensor([ids]))
    for hook in hooks:
        hook.remove()
    found.setdefault("sum", states[0])
    assert modules
    return {k: v.numpy() for k, v in found.items()}, [s.numpy() for s in states]


def distances(g, x, kind):
    if kind == "l2":
        return np.sqrt(((g[:, None, :] - x[None, :, :]) ** 2).sum(-1))
    return 1 - (g @ x.T) / (np.linalg.norm(g, axis=1)[:, None] * np.linalg.norm(x, axis=1)[None, :])


def hits(g, x, ids, special, kind):
    d = distances(g, x, kind)
    # Equal targets are exact ties: give them the same distance to the last bit.
    for j in range(len(ids)):
        for i in range(j):
            if np.array_equal(x[i], x[j]):
                d[:, j] = d[:, i]
    best = d.argmin(1)
    inner = np.where(special[None, :], np.inf, d).argmin(1)
    ids = np.array(ids)
    own = np.arange(len(ids))
    return np.array([(ids[best] == ids).sum(), (best == own).sum(), ((ids[inner] == ids) & ~special).sum(),
                     ((inner == own) & ~special).sum()])


def ridge(e, x):
    z = np.hstack([e, np.ones((len(e), 1))])
    d = np.eye(z.shape[1])
    d[-1, -1] = 0
    return np.linalg.solve(z.T @ z + RIDGE * d, z.T @ x)


def golden(name, target):
    folder = HERE / "models" / name
    config = transformers.AutoConfig.from_pretrained(folder)
    model = getattr(transformers, config.architectures[0]).from_pretrained(folder).double().eval()
    generator = np.random.default_rng(len(name))
    vocabulary = config.vocab_size
    texts = []
    for t in range(TEXTS):
        inner = generator.integers(3, vocabulary, size=int(generator.integers(3, 12))).tolist()
        texts.append([1] + inner + [2])
    texts[7] = texts[3]  # one text twice
    part = parts(texts)
    read = [values(model, ids) for ids in texts]
    targets = [s[0] if target == "hidden" else v[target] for v, s in read]
    result = {"model": name, "target": target, "seed": SEED, "ridge": RIDGE, "texts": texts, "parts": part, "cells": []}
    test = [t for t in range(TEXTS) if part[t] == "test"]
    train = [t for t in range(TEXTS) if part[t] == "train"]
    for state in range(len(read[0][1])):
        for mapping in ("naive", "linear"):
            for kind in ("cosine", "l2"):
                if mapping == "naive" and targets[0].shape[1] != read[0][1][state].shape[1]:
                    continue
                w = None
                if mapping == "linear":
                    e = np.vstack([read[t][1][state] for t in train])
                    x = np.vstack([targets[t] for t in train])
                    w = ridge(e, x / np.linalg.norm(x, axis=1, keepdims=True) if kind == "cosine" else x)
                total = np.zeros(4, int)
                for t in test:
                    e = read[t][1][state]
                    g = e if w is None else e @ w[:-1] + w[-1]
                    special = np.array([i == 0 or i == len(texts[t]) - 1 for i in range(len(texts[t]))])
                    total += hits(g, targets[t], texts[t], special, kind)
                result["cells"].append({"state": state, "map": mapping, "distance": kind, "hits": total.tolist()})
    return result


def main():
    cases = [("bert_model", "word"), ("bert_model", "sum"), ("bert_model", "hidden"), ("gpt2_model", "word"),
             ("gpt2_model", "sum"), ("llama_model", "word"), ("electra_model", "word"), ("electra_model", "hidden")]
    goldens = [golden(*case) for case in cases]
    (HERE / "identify.json").write_text("[\n" + ",\n".join(json.dumps(g, separators=(",", ":")) for g in goldens) + "\n]\n")


if __name__ == "__main__":
    main()

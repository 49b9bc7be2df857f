"""Writes value_zeroing.json: value zeroing by its definition, in float64, from tiny checkpoints and a sine model.

    python tests/golden/make_value_zeroing_goldens.py

For every layer and every token the layer is run again with that token's value vectors zeroed (bias included) and all
attention weights kept; the distance is 1 - cos of the layer's outputs. The checkpoints in models/ are run by NumPy
from the formulas of the three kinds of block (post-norm, pre-norm, RMSNorm with a gate and grouped heads); the clean
outputs are first held against models/<case>/expected.safetensors, which transformers made, to 1e-10. The sine model
has every parameter from off + scale sin(s + 1.7 k) and is the worked example of the method's description. Needs
numpy, safetensors and scipy; read by value_zeroing_goldens_test.cpp.
"""

import json
import pathlib

import numpy as np
from safetensors.numpy import load_file
from scipy.special import erf

HERE = pathlib.Path(__file__).resolve().parent
CASES = ["bert_sequence", "roberta_sequence", "gpt2_causal_lm", "llama_causal_lm", "mistral_causal_lm", "vit_classification"]
OPTIONS = [{}, {"heads": "1"}, {"tokens": "0,2"}, {"tokens": "1", "heads": "0,2-3"}]
CAUSAL_OPTIONS = [{"final_norm": "raw"}, {"compat": "inseq"}, {"compat": "cmt_gpt2"}]


def layer_norm(x, gamma, beta, eps):
    c = x - x.mean(-1, keepdims=True)
    return gamma * c / np.sqrt((c * c).mean(-1, keepdims=True) + eps) + beta


def rms_norm(x, gamma, eps):
    return gamma * x / np.sqrt((x * x).mean(-1, keepdims=True) + eps)


ACTIVATIONS = {
    "gelu": lambda x: 0.5 * x * (1 + erf(x / np.sqrt(2))),
    "gelu_new": lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "relu": lambda x: np.maximum(x, 0),
}


def linear(w, name):
    weight, bias = w[name + ".weight"].astype(float), w.get(name + ".bias")
    return lambda x: x @ weight.T + (0 if bias is None else bias.astype(float))


def conv1d(w, name, columns=slice(None)):  # GPT-2 stores [in, out]
    weight, bias = w[name + ".weight"].astype(float)[:, columns], w[name + ".bias"].astype(float)[columns]
    return lambda x: x @ weight + bias


def norm(w, name, eps):
    gamma, beta = w[name + ".weight"].astype(float), w.get(name + ".bias")
    if beta is None:
        return lambda x: rms_norm(x, gamma, eps)
    return lambda x: layer_norm(x, gamma, beta.astype(float), eps)


class Block:
    """value(x) [T, G, E] and rest(x, z) -> output, z [T, H E] the mixed values."""

    def __init__(self, value, out, ffn, norm1, norm2, pre_norm, groups):
        self.value_map, self.out, self.ffn, self.norm1, self.norm2 = value, out, ffn, norm1, norm2
        self.pre_norm, self.groups = pre_norm, groups

    def values(self, x):
        v = self.value_map(self.norm1(x) if self.pre_norm else x)
        return v.reshape(len(x), self.groups, -1)

    def rest(self, x, z):
        if self.pre_norm:
            a = x + self.out(z)
            return a + self.ffn(self.norm2(a))
        y = self.norm1(x + self.out(z))
        return self.norm2(y + self.ffn(y))


def mixed(pattern, v):
    """pattern [H, T, T], v [T, H, E] -> [T, H E]"""
    return np.einsum("hij,jhe->ihe", pattern, v).reshape(v.shape[0], -1)


def distance(a, b):
    a, b = (x / np.linalg.norm(x, axis=-1, keepdims=True) for x in (a, b))
    return 0.5 * ((a - b) ** 2).sum(-1)


def chosen(text, count):
    if text == "all":
        return list(range(count))
    ranges = [part.split("-") for part in text.split(",")]
    return sorted({i for r in ranges for i in range(int(r[0]), int(r[-1]) + 1)})


def value_zeroing(blocks, hidden, patterns, final, causal, heads="all", tokens="each", final_norm="auto", compat="none"):
    """Raw distances [L, T, T], or [L, T] for a set of tokens; and the rows divided by their sums."""
    count, size = patterns.shape[1], patterns.shape[-1]
    sets = [[j] for j in range(size)] if tokens == "each" else [chosen(tokens, size)]
    apply_final = final is not None and (final_norm == "apply" or final_norm == "auto" and compat != "cmt_gpt2")
    raw = np.zeros((len(blocks), size, len(sets)))
    for l, block in enumerate(blocks):
        x, pattern = hidden[l], patterns[l]
        v = np.repeat(block.values(x), count // block.groups, axis=1)
        last = final if apply_final and l + 1 == len(blocks) else (lambda y: y)
        clean = block.rest(x, mixed(pattern, v))
        assert np.abs(clean - hidden[l + 1]).max() < 1e-10, np.abs(clean - hidden[l + 1]).max()
        for k, members in enumerate(sets):
            without = v.copy()
            for j in members:
                without[j, chosen(heads, count)] = 0
            raw[l, :, k] = distance(last(block.rest(x, mixed(pattern, without))), last(clean))
            if causal:
                raw[l, : min(members), k] = 0
    if compat == "inseq":
        raw[raw < 1e-5] = 0
    if compat == "cmt_gpt2":
        raw = 1 - np.round(1 - raw, 5)
    if tokens != "each":
        return raw[:, :, 0]
    return raw


def divided(raw):
    sums = raw.sum(-1, keepdims=True)
    return np.divide(raw, sums, out=np.zeros_like(raw), where=sums > 0)


def read_blocks(case, config, w):
    kind, eps = config["model_type"], config.get("layer_norm_eps", config.get("layer_norm_epsilon", config.get("rms_norm_eps")))
    f = ACTIVATIONS[config.get("hidden_act", config.get("activation_function"))]
    blocks, final = [], None
    layers = config.get("num_hidden_layers", config.get("n_layer"))
    find = lambda end: next(n[: -len(end)] for n in w if n.endswith(end))  # noqa: E731
    for l in range(layers):
        if kind in ("bert", "roberta"):
            at = find("encoder.layer.0.output.dense.weight") + f"encoder.layer.{l}."
            up, down = linear(w, at + "intermediate.dense"), linear(w, at + "output.dense")
            blocks.append(Block(linear(w, at + "attention.self.value"), linear(w, at + "attention.output.dense"),
                                lambda x, up=up, down=down: down(f(up(x))), norm(w, at + "attention.output.LayerNorm", eps),
                                norm(w, at + "output.LayerNorm", eps), False, config["num_attention_heads"]))
        elif kind == "gpt2":
            base = find("h.0.ln_1.weight")
            at, d = base + f"h.{l}.", config["n_embd"]
            up, down = conv1d(w, at + "mlp.c_fc"), conv1d(w, at + "mlp.c_proj")
            blocks.append(Block(conv1d(w, at + "attn.c_attn", slice(2 * d, 3 * d)), conv1d(w, at + "attn.c_proj"),
                                lambda x, up=up, down=down: down(f(up(x))), norm(w, at + "ln_1", eps),
                                norm(w, at + "ln_2", eps), True, config["n_head"]))
            final = norm(w, base + "ln_f", eps)
        elif kind in ("llama", "mistral"):
            base = find("layers.0.mlp.up_proj.weight")
            at = base + f"layers.{l}."
            gate, up, down = (linear(w, at + f"mlp.{n}_proj") for n in ("gate", "up", "down"))
            blocks.append(Block(linear(w, at + "self_attn.v_proj"), linear(w, at + "self_attn.o_proj"),
                                lambda x, gate=gate, up=up, down=down: down(f(gate(x)) * up(x)),
                                norm(w, at + "input_layernorm", eps), norm(w, at + "post_attention_layernorm", eps), True,
                                config["num_key_value_heads"]))
            final = norm(w, base + "norm", eps)
        elif kind == "vit":
            base = find("encoder.layer.0.layernorm_before.weight")
            at = base + f"encoder.layer.{l}."
            up, down = linear(w, at + "intermediate.dense"), linear(w, at + "output.dense")
            blocks.append(Block(linear(w, at + "attention.attention.value"), linear(w, at + "attention.output.dense"),
                                lambda x, up=up, down=down: down(f(up(x))), norm(w, at + "layernorm_before", eps),
                                norm(w, at + "layernorm_after", eps), True, config["num_attention_heads"]))
            final = norm(w, base + "layernorm", eps)
    return blocks, final


def sine(s, shape, scale, off=0.0):
    return (off + scale * np.sin(s + 1.7 * np.arange(int(np.prod(shape))))).reshape(shape)


def sine_model(pre_norm):
    """Two layers, D = 4, two heads, F = 6, three tokens; pre-norm is causal and has a last norm."""
    d, heads, ff, t = 4, 2, 6, 3
    f, eps = (ACTIVATIONS["gelu_new"], 1e-5) if pre_norm else (ACTIVATIONS["gelu"], 1e-12)
    hidden, patterns, blocks = [sine(1.0, (t, d), 1.0)], [], []
    for l in range(2):
        b = 10.0 * (l + 1)
        affine = lambda s, shape, scale, b=b: lambda x: x @ sine(b + s, shape, scale) + sine(b + s + 0.1, shape[1:], 0.1)  # noqa: E731
        maps = {n: affine(s, (d, d), scale) for n, s, scale in (("q", 1, 2.0), ("k", 2, 2.0), ("v", 3, 0.5), ("o", 4, 0.5))}
        up, down = affine(6, (d, ff), 0.5), affine(7, (ff, d), 0.5)
        norms = [(sine(b + s, (d,), 0.1, 1.0), sine(b + s + 0.1, (d,), 0.05)) for s in (5, 8)]
        block = Block(maps["v"], maps["o"], lambda x, up=up, down=down: down(f(up(x))),
                      lambda x, n=norms[0]: layer_norm(x, *n, eps), lambda x, n=norms[1]: layer_norm(x, *n, eps), pre_norm, heads)
        x = hidden[-1]
        h = block.norm1(x) if pre_norm else x
        q, k = (maps[n](h).reshape(t, heads, -1).transpose(1, 0, 2) for n in "qk")
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(d // heads)
        if pre_norm:
            scores = np.where(np.tril(np.ones((t, t))) > 0, scores, -np.inf)
        e = np.exp(scores - scores.max(-1, keepdims=True))
        patterns.append(e / e.sum(-1, keepdims=True))
        hidden.append(block.rest(x, mixed(patterns[-1], block.values(x))))
        blocks.append(block)
    final = (lambda x: layer_norm(x, sine(90.0, (d,), 0.1, 1.0), sine(90.1, (d,), 0.05), 1e-5)) if pre_norm else None
    return blocks, hidden, np.array(patterns), final


def main():
    goldens = []

    def add(case, options, state, causal):
        blocks, hidden, patterns, final = state
        raw = value_zeroing(blocks, hidden, patterns, final, causal, **options)
        golden = {"case": case, "options": options, "raw": raw.tolist()}
        if not options:
            golden["rows"] = divided(raw).tolist()
        goldens.append(golden)

    for case, pre_norm in (("sine_post_norm", False), ("sine_pre_norm", True)):
        for options in ({}, {"final_norm": "raw"}, {"heads": "1"}, {"tokens": "0-1"}):
            add(case, options, sine_model(pre_norm), pre_norm)
    for case in CASES:
        config = json.loads((HERE / "models" / case / "config.json").read_text())
        expected = load_file(HERE / "models" / case / "expected.safetensors")
        blocks, final = read_blocks(case, config, load_file(HERE / "models" / case / "model.safetensors"))
        patterns, hidden = expected["patterns"][:, 0], expected["hidden_states"][:, 0]
        upper = np.triu_indices(patterns.shape[-1], 1)
        causal = bool(np.all(patterns[..., upper[0], upper[1]] == 0))
        for options in OPTIONS + CAUSAL_OPTIONS * causal:
            add(case, options, (blocks, hidden, patterns, final), causal)
    (HERE / "value_zeroing.json").write_text("[\n" + ",\n".join(json.dumps(g) for g in goldens) + "\n]\n")


if __name__ == "__main__":
    main()

"""Writes norms.json: the norm family and ALTI by NumPy, in float64, from states that torch computed.

    python tests/golden/make_norm_goldens.py

Reads models/<case>/model.safetensors (weights) and expected.safetensors (hidden_states, patterns, by transformers in
float64) and computes, for the first input, every part of every pair of tokens as a vector: f [T, T, D], the plain form
that the library never builds. The block's output is computed as well and held against the next hidden state, so that
a wrong reading of the weights cannot pass. Needs numpy and safetensors; read by norm_goldens_test.cpp.
"""

import json
import math
import pathlib

import numpy as np
from safetensors.numpy import load_file

HERE = pathlib.Path(__file__).resolve().parent
CASES = ["bert_model", "bert_causal_lm", "bert_regression", "distilbert_token", "gpt2_causal_lm", "llama_biases",
         "mistral_causal_lm", "qwen2_causal_lm", "vit_model"]
EACH_HEAD = {"bert_model", "mistral_causal_lm"}  # the others would only add bytes
ACTIVATIONS = {
    "gelu": lambda x: x * np.vectorize(lambda v: 0.5 * math.erfc(-v / math.sqrt(2)))(x),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "relu": lambda x: np.maximum(x, 0),
    "gelu_new": lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
}


def norm(x, weight, bias, eps):
    """LayerNorm, or RMSNorm where there is no bias."""
    if bias is None:
        return weight * x / np.sqrt((x * x).mean(-1, keepdims=True) + eps)
    centred = x - x.mean(-1, keepdims=True)
    return weight * centred / np.sqrt((centred * centred).mean(-1, keepdims=True) + eps) + bias


class Block:
    """One block's weights under one set of names; matrices as x @ W."""

    def __init__(self, config, weights, layer):
        self.kind = config["model_type"]
        prefix = {"bert": f"encoder.layer.{layer}.", "distilbert": f"transformer.layer.{layer}.",
                  "gpt2": f"h.{layer}.", "vit": f"encoder.layer.{layer}."}.get(self.kind, f"layers.{layer}.")
        # The longest prefix in front of it: "bert.", "model." or nothing.
        self.all = {name[name.index(prefix) + len(prefix):]: value.astype(np.float64)
                    for name, value in weights.items() if prefix in name}

    def get(self, name):
        return self.all.get(name)

    def linear(self, name):
        weight, bias = self.all[name + ".weight"], self.all.get(name + ".bias")
        weight = weight if self.kind == "gpt2" else weight.T
        return weight, np.zeros(weight.shape[1]) if bias is None else bias

    def norm(self, name):
        return self.all[name + ".weight"], self.all.get(name + ".bias")


NAMES = {  # value, output, first norm, second norm, feed-forward
    "bert": ("attention.self.value", "attention.output.dense", "attention.output.LayerNorm", "output.LayerNorm",
             ("intermediate.dense", "output.dense")),
    "distilbert": ("attention.v_lin", "attention.out_lin", "sa_layer_norm", "output_layer_norm",
                   ("ffn.lin1", "ffn.lin2")),
    "gpt2": ("attn.c_attn", "attn.c_proj", "ln_1", "ln_2", ("mlp.c_fc", "mlp.c_proj")),
    "vit": ("attention.attention.value", "attention.output.dense", "layernorm_before", "layernorm_after",
            ("intermediate.dense", "output.dense")),
    "llama": ("self_attn.v_proj", "self_attn.o_proj", "input_layernorm", "post_attention_layernorm",
              ("mlp.gate_proj", "mlp.up_proj", "mlp.down_proj")),
}


def feed_forward(block, names, x, activation):
    if len(names) == 3:
        gate, up, down = (block.linear(name) for name in names)
        return (activation(x @ gate[0] + gate[1]) * (x @ up[0] + up[1])) @ down[0] + down[1]
    up, down = (block.linear(name) for name in names)
    return activation(x @ up[0] + up[1]) @ down[0] + down[1]


def alti(parts, y, shift):
    """parts T [T, T, D], y [T, D]: shares, rows divided by their sum. A cell that a mask forbids (T exactly 0) has none,
    whatever the shift would make of it."""
    near = np.abs(y).sum(-1)[:, None] - np.abs(parts - y[:, None] + shift).sum(-1)
    near = np.maximum(near, 0) * np.any(parts != 0, axis=-1)
    assert (near.sum(-1) > 0).all()
    return near / near.sum(-1, keepdims=True)


def ratio(parts):
    own = np.einsum("iid->id", parts)
    rest, kept = np.linalg.norm(parts.sum(1) - own, axis=-1), np.linalg.norm(own, axis=-1)
    return rest / (rest + kept)


def layer(config, block, x, after, patterns, each):
    """Every result of one block: x [T, D] its input, `after` its output, patterns [H, T, T]."""
    kind = block.kind if block.kind in NAMES else "llama"
    value, output, first, second, ffn = NAMES[kind]
    post = kind in ("bert", "distilbert")
    eps = {"distilbert": 1e-12}.get(kind) or config.get("layer_norm_eps") or config.get("layer_norm_epsilon") or config[
        "rms_norm_eps"]
    activation = ACTIVATIONS[config.get("hidden_act") or config.get("activation") or config.get("activation_function")]
    gamma, beta = block.norm(first)
    heads, tokens = patterns.shape[:2]
    read = x if post else norm(x, gamma, beta, eps)
    weight, bias = block.linear(value)
    v = read @ weight + bias
    if kind == "gpt2":
        v = v[:, -x.shape[1]:]
    w_out, b_out = block.linear(output)
    width = w_out.shape[0] // heads
    v = v.reshape(tokens, -1, width)
    v = np.repeat(v, heads // v.shape[1], axis=1)  # grouped queries: head h reads group h // (H/G)
    u = np.einsum("jhe,hed->hjd", v, w_out.reshape(heads, width, -1))
    by_head = patterns[..., None] * u[:, None]  # [H, T, T, D]
    f = by_head.sum(0)
    r = f.copy()
    r[np.arange(tokens), np.arange(tokens)] += x
    a = r.sum(1) + b_out
    length = lambda z: np.linalg.norm(z, axis=-1)
    out = {"attention_norm": length(f), "attention_norm_res": length(r), "attention_norm_res ratio": ratio(r)}
    if each:
        out["attention_norm each"] = length(by_head)
    if not post:
        block_out = a + feed_forward(block, ffn, norm(a, *block.norm(second), eps), activation)
        out |= {"alti": alti(r, a, 0), "alti alti": alti(r, a, 1e-6), "alti alti_nmt": alti(r, a, 1e-6)}
    else:
        y = norm(a, gamma, beta, eps)
        before = y + feed_forward(block, ffn, y, activation)
        block_out = norm(before, *block.norm(second), eps)
        centred = gamma * (r - r.mean(-1, keepdims=True))
        g = centred / np.sqrt(a.var(-1) + eps)[:, None, None]
        g2 = block.norm(second)[0] * (g - g.mean(-1, keepdims=True)) / np.sqrt(before.var(-1) + eps)[:, None, None]
        out |= {"attention_norm_res_ln": length(g), "attention_norm_res_ln ratio": ratio(g), "globenc": length(g2),
                "alti": alti(g, y, 0)}
        for name, lost in (("alti alti", 0), ("alti alti_nmt", 1)):
            s = a.std(-1, ddof=lost)[:, None]
            whole = gamma * (a - a.mean(-1, keepdims=True)) / s + beta
            out[name] = alti(centred / s[:, None], whole, 1e-6)
    apart = np.abs(block_out - after).max()
    assert apart < 1e-11, f"the block is read wrongly: {apart}"
    return out


def main():
    goldens = []
    for case in CASES:
        folder = HERE / "models" / case
        config = json.loads((folder / "config.json").read_text())
        weights, expected = load_file(folder / "model.safetensors"), load_file(folder / "expected.safetensors")
        hidden, patterns = expected["hidden_states"][:, 0], expected["patterns"][:, 0]
        layers = [layer(config, Block(config, weights, l), hidden[l], hidden[l + 1], patterns[l], case in EACH_HEAD)
                  for l in range(len(patterns))]
        for name in layers[0]:
            values = np.array([one[name] for one in layers])
            goldens.append({"case": case, "what": name, "shape": list(values.shape),
                            "values": [float(f"{v:.13g}") for v in values.ravel()]})
    (HERE / "norms.json").write_text("[\n" + ",\n".join(json.dumps(g) for g in goldens) + "\n]\n")


if __name__ == "__main__":
    main()

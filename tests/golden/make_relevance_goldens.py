"""Writes relevance.json: ε-, γ- and CP-LRP and DecompX by NumPy, in float64, on the two models of
tests/support/worked_models.h.

    python tests/golden/make_relevance_goldens.py
    python tests/golden/make_relevance_goldens.py --bert FOLDER 101 2023 … 102

The second form prints DecompX of every label for the ids given, on a BERT classifier of a Hugging Face folder: to
compare with `headwater explain --method decompx --dtype float64`.

Written from the papers' formulas. LRP is in its explicit form here, relevance shared out op by op (R/y times what each
input contributed), not as a modified gradient. Needs numpy and scipy; read by relevance_numbers_test.cpp.
"""

import json
import pathlib
import struct
import sys

import numpy as np
from scipy.special import erf

HERE = pathlib.Path(__file__).resolve().parent
L, D, H, F, C = 2, 8, 2, 16, 3


def hashed(seed, n):
    x = np.arange(n, dtype=np.uint64) + np.uint64(seed * 0x9E3779B9 & 0xFFFFFFFF)
    mask = np.uint64(0xFFFFFFFF)
    x &= mask
    x = ((x ^ (x >> np.uint64(16))) * np.uint64(0x85EBCA6B)) & mask
    x = ((x ^ (x >> np.uint64(13))) * np.uint64(0xC2B2AE35)) & mask
    return (x ^ (x >> np.uint64(16))).astype(float) / 2**32 - 0.5


def linear(seed, out, inputs):
    return hashed(seed, out * inputs).reshape(out, inputs) * 2 * np.sqrt(3 / inputs), hashed(seed + 1, out) * 0.2


def norm(seed, eps):
    return hashed(seed, D) * 0.4 + 1, hashed(seed + 1, D) * 0.4, eps


class Lin:
    """y = x Wᵀ + b."""

    def __init__(self, weights):
        self.w, self.b = weights

    def forward(self, x):
        self.x, self.y = x, x @ self.w.T + self.b
        return self.y

    def relevance(self, r, rule):
        products = self.x[:, None, :] * self.w  # [rows, out, in]
        side = np.where(self.y < 0, -1, 1)
        same = np.where(products * side[..., None] > 0, products, 0)
        c = products + rule["gamma"] * same
        bias = self.b + rule["gamma"] * np.where(self.b * side > 0, self.b, 0)
        return ((r / (c.sum(-1) + bias + rule["epsilon"] * side))[..., None] * c).sum(1)

    def parts(self, p):  # [k, rows, in]
        return shared(p @ self.w.T, self.b)


class Norm:
    def __init__(self, weights):
        self.g, self.b, self.eps = weights

    def forward(self, x):
        self.x, self.std = x, np.sqrt(x.var(-1, keepdims=True) + self.eps)
        self.y = (x - x.mean(-1, keepdims=True)) / self.std * self.g + self.b
        return self.y

    def relevance(self, r, _):
        m = r / self.y * self.g / self.std
        return self.x * (m - m.mean(-1, keepdims=True))

    def parts(self, p):
        return shared((p - p.mean(-1, keepdims=True)) / self.std * self.g, self.b)


class Act:
    def __init__(self, f):
        self.f = f

    def forward(self, x):
        self.x, self.y = x, self.f(x)
        return self.y

    def relevance(self, r, _):
        return r

    def parts(self, p):
        return p * (self.y / self.x)


def shared(p, b):
    weight = np.abs(p @ b)
    return p + (weight / (weight.sum(0) + 1e-12))[..., None] * b


def split(x):
    return x.reshape(x.shape[:-1] + (H, D // H)).swapaxes(-2, -3)


def join(x):
    return x.swapaxes(-2, -3).reshape(x.shape[:-3] + (x.shape[-2], D))


class Attention:
    def __init__(self, q, k, v, o, layer):
        self.q, self.k, self.v, self.o = Lin(q), Lin(k), Lin(v), Lin(o)
        self.layer = layer

    def forward(self, x):
        self.qh, self.kh, self.vh = (split(p.forward(x)) for p in (self.q, self.k, self.v))
        self.s = self.qh @ self.kh.swapaxes(-1, -2) / np.sqrt(D // H)
        e = np.exp(self.s - self.s.max(-1, keepdims=True))
        self.a = e / e.sum(-1, keepdims=True)
        self.z = self.a @ self.vh
        return self.o.forward(join(self.z))

    def relevance(self, r, rule):
        m = split(self.o.relevance(r, rule)) / self.z
        r_v = self.vh * (self.a.swapaxes(-1, -2) @ m)
        if rule["attention"] == "constant":
            return self.v.relevance(join(r_v), rule)
        r_a = self.a * (m @ self.vh.swapaxes(-1, -2)) / 2
        r_s = self.s * (r_a - self.a * r_a.sum(-1, keepdims=True))
        m = r_s / self.s / np.sqrt(D // H) / 2
        r_q, r_k = self.qh * (m @ self.kh), self.kh * (m.swapaxes(-1, -2) @ self.qh)
        return (self.q.relevance(join(r_q), rule) + self.k.relevance(join(r_k), rule)
                + self.v.relevance(join(r_v) / 2, rule))

    def parts(self, p):
        return self.o.parts(join(self.a @ split(self.v.parts(p))))

    def parts_and_late_bias(self, p):
        """Parts without biases, and the bias that is shared out after the residual sum. In layer 0 values are taken
        whole, [k, k] holding W x_k + b, so that b_V is not left over there."""
        values = p @ self.v.w.T
        if self.layer == 0:
            values[np.arange(len(p)), np.arange(len(p))] += self.v.b
        late = self.o.b if self.layer == 0 else self.o.w @ self.v.b + self.o.b
        return join(self.a @ split(values)) @ self.o.w.T, late


class Chain:
    def __init__(self, *steps):
        self.steps = steps

    def forward(self, x):
        for step in self.steps:
            x = step.forward(x)
        return x

    def relevance(self, r, rule):
        for step in reversed(self.steps):
            r = step.relevance(r, rule)
        return r

    def parts(self, p):
        for step in self.steps:
            p = step.parts(p)
        return p


class Residual:
    """x + f(x)."""

    biases = "paper"

    def __init__(self, *steps):
        self.inner = Chain(*steps)

    def forward(self, x):
        self.x, self.f = x, self.inner.forward(x)
        return x + self.f

    def relevance(self, r, rule):
        m = r / (self.x + self.f)
        return self.x * m + self.inner.relevance(self.f * m, rule)

    def parts(self, p):
        attention = self.inner.steps[-1]
        if Residual.biases == "local" or not isinstance(attention, Attention):
            return p + self.inner.parts(p)
        read = Chain(*self.inner.steps[:-1]).parts(p)
        written, late = attention.parts_and_late_bias(read)
        return shared(p + written, late)


class First:
    """The first row."""

    def forward(self, x):
        self.rows = len(x)
        return x[:1]

    def relevance(self, r, _):
        return np.concatenate([r, np.zeros((self.rows - 1, D))])

    def parts(self, p):
        return p[:, :1]


def gelu(x):
    return 0.5 * x * (1 + erf(x / np.sqrt(2)))


def block(layer, kind):
    s = 1000 * (layer + 1)
    if kind == "bert":
        projections = [linear(s + 10 * k, D, D) for k in range(3)]
    else:
        w, b = linear(s, 3 * D, D)
        projections = [(w[k * D:(k + 1) * D], b[k * D:(k + 1) * D]) for k in range(3)]
    attention = Attention(*projections, linear(s + 30, D, D), layer)
    mlp = [Lin(linear(s + 40, F, D)), Act(gelu), Lin(linear(s + 50, D, F))]
    if kind == "bert":
        return [Residual(attention), Norm(norm(s + 60, 1e-12)), Residual(*mlp), Norm(norm(s + 70, 1e-12))]
    return [Residual(Norm(norm(s + 60, 1e-6)), attention), Residual(Norm(norm(s + 70, 1e-6)), *mlp)]


def models():
    steps = block(0, "bert") + block(1, "bert")
    yield "bert", hashed(7, 5 * D).reshape(5, D) * 2 * np.sqrt(3), Chain(
        *steps, First(), Lin(linear(100, D, D)), Act(np.tanh), Lin(linear(110, C, D)))
    image = hashed(9, 3 * 8 * 8).reshape(3, 8, 8) * 2
    w, b = linear(130, D, 3 * 4 * 4)
    patches = [image[:, i:i + 4, j:j + 4].reshape(-1) @ w.T + b for i in (0, 4) for j in (0, 4)]
    tokens = np.stack([hashed(140, D)] + patches) + hashed(150, 5 * D).reshape(5, D)
    steps = block(0, "vit") + block(1, "vit")
    yield "vit", tokens, Chain(*steps, Norm(norm(120, 1e-5)), First(), Lin(linear(110, C, D)))


RULES = [("cp_lrp", {}, {"epsilon": 0, "gamma": 0, "attention": "constant"})] + [
    (method, {**{k: str(v) for k, v in rule.items() if method == "gamma_lrp" or k != "gamma"}},
     {"epsilon": 0, "gamma": 0, **rule})
    for method, rule in [
        ("epsilon_lrp", {"epsilon": 0.01, "attention": "constant"}),
        ("epsilon_lrp", {"epsilon": 0.25, "attention": "shared"}),
        ("gamma_lrp", {"epsilon": 1e-6, "gamma": 0.25, "attention": "constant"}),
        ("gamma_lrp", {"epsilon": 0.1, "gamma": 1.5, "attention": "shared"}),
    ]]


def main():
    goldens = []
    for name, x, model in models():
        logits = model.forward(x)[0]
        for target in range(C):
            one_hot = np.zeros((1, C))
            one_hot[0, target] = logits[target]
            for method, options, rule in RULES:
                goldens.append({"model": name, "target": target, "method": method, "options": options,
                                "scores": model.relevance(one_hot, rule).sum(-1).tolist()})
            for Residual.biases, options in ("local", {"biases": "local"}), ("paper", {}):
                parts = model.parts(np.eye(len(x))[:, :, None] * x)[:, 0, target]
                assert abs(parts.sum() - logits[target]) < 1e-9
                goldens.append({"model": name, "target": target, "method": "decompx", "options": options,
                                "scores": parts.tolist()})
    (HERE / "relevance.json").write_text("[\n" + ",\n".join(json.dumps(g) for g in goldens) + "\n]\n")


def tensors_of(path):
    """float32 and float16 tensors of a safetensors file, as float64."""
    data = path.read_bytes()
    size, = struct.unpack("<Q", data[:8])
    kinds = {"F32": "<f4", "F16": "<f2"}
    return {name: np.frombuffer(data[8 + size + at["data_offsets"][0]:8 + size + at["data_offsets"][1]],
                                kinds[at["dtype"]]).reshape(at["shape"]).astype(float)
            for name, at in json.loads(data[8:8 + size]).items() if name != "__metadata__" and at["dtype"] in kinds}


def bert(folder, ids):
    global D, H
    config, t = json.loads((folder / "config.json").read_text()), tensors_of(folder / "model.safetensors")
    D, H, eps = config["hidden_size"], config["num_attention_heads"], config["layer_norm_eps"]

    def at(name):
        return t[name + ".weight"], t[name + ".bias"]

    e = "bert.embeddings."
    x = (t[e + "word_embeddings.weight"][ids] + t[e + "position_embeddings.weight"][:len(ids)]
         + t[e + "token_type_embeddings.weight"][0])
    x = Norm((*at(e + "LayerNorm"), eps)).forward(x)
    steps = []
    for layer in range(config["num_hidden_layers"]):
        b = f"bert.encoder.layer.{layer}."
        attention = Attention(*(at(f"{b}attention.self.{n}") for n in ("query", "key", "value")),
                              at(b + "attention.output.dense"), layer)
        steps += [Residual(attention), Norm((*at(b + "attention.output.LayerNorm"), eps)),
                  Residual(Lin(at(b + "intermediate.dense")), Act(gelu), Lin(at(b + "output.dense"))),
                  Norm((*at(b + "output.LayerNorm"), eps))]
    model = Chain(*steps, First(), Lin(at("bert.pooler.dense")), Act(np.tanh), Lin(at("classifier")))
    logits = model.forward(x)[0]
    for Residual.biases in "paper", "local":
        parts = model.parts(np.eye(len(x))[:, :, None] * x)[:, 0]  # [token, label]
        print(json.dumps({"biases": Residual.biases, "logits": logits.tolist(), "scores": parts.T.tolist()}))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--bert"]:
        bert(pathlib.Path(sys.argv[2]), [int(i) for i in sys.argv[3:]])
    else:
        main()

"""T5's forward run in float64, written from its formulas over exchangeable operations.

  attention   o_i = W_O concat_h Σ_j α^h_ij v^h_j,  α^h_i = softmax_j(q^h_i · k^h_j + b^h_(j−i)), no scaling;
              b, by buckets of the distance, is the first layer's of each stack and serves all its layers; none in cross
  norm        γ ⊙ x / √(mean x² + ε)
  encoder     x ← x + attention(norm x);  x ← x + ff(norm x)
  decoder     x ← x + attention(norm x), causal;  x ← x + cross(norm x; m);  x ← x + ff(norm x);  m = the encoder's last
              norm
  ff          W_o f(W_i x), or W_o (f(W_i0 x) ⊙ W_i1 x)
  logits      lm_head · norm x, or the embedding · norm x / √D where the two are tied

`kind` is encoder, decoder (its self-attention) or cross. Tensors are [..., tokens, D], heads [..., H, tokens, E]; the
axes in front are a batch. `watch(kind, layer, site, value)` sees every value on its way and may return another.
"""

import json
import math

import torch
from safetensors.torch import load_file

KINDS = ("encoder", "decoder", "cross")


def gelu_new(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


class Operations:
    """What the network is made of. Rules of relevance are other versions of the same."""

    def linear(self, x, w):
        return x @ w.T

    def norm(self, x, gamma, eps):
        return gamma * x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps)

    def activation(self, x, f):
        return f(x)

    def gate(self, a, b):
        return a * b

    def add(self, a, b):
        return a + b

    def scale(self, x, c):
        return c * x

    def scores(self, q, k, bias):
        return q @ k.transpose(-1, -2) + bias

    def softmax(self, s, allowed):
        return torch.softmax(s.masked_fill(~allowed, -math.inf), -1)

    def mix(self, p, v):
        return p @ v

    def reshape(self, x, f):
        return f(x)


class Trace(dict):
    """Remembers every value, as {(kind, layer, site): value}; `changes` has functions for values to be replaced."""

    def __init__(self, changes=None):
        super().__init__()
        self.changes = changes or {}

    def __call__(self, kind, layer, site, value):
        change = self.changes.get((kind, layer, site))
        self[kind, layer, site] = value if change is None else change(value)
        return self[kind, layer, site]


def bucket(distance, both_sides, count, far):
    """The bucket of key position − query position, by the definition, in plain Python."""
    first = 0
    if both_sides:
        count //= 2
        first = count if distance > 0 else 0
        distance = abs(distance)
    else:
        distance = max(-distance, 0)
    exact = count // 2
    if distance < exact:
        return first + distance
    return first + min(exact + int(math.log(distance / exact) / math.log(far / exact) * (count - exact)), count - 1)


class Network:
    def __init__(self, folder):
        c = self.config = json.loads((folder / "config.json").read_text())
        self.w = {name: value.double() for name, value in load_file(folder / "model.safetensors").items()}
        self.heads, self.eps = c["num_heads"], c["layer_norm_epsilon"]
        self.layers = {"encoder": c["num_layers"], "decoder": c["num_decoder_layers"], "cross": c["num_decoder_layers"]}
        self.gated = c["feed_forward_proj"].startswith("gated")
        self.f = gelu_new if c["feed_forward_proj"].endswith("gelu") else torch.relu
        self.tied = c["tie_word_embeddings"]

    def embed(self, ids):
        return self.w["shared.weight"][torch.as_tensor(ids)]

    def weight(self, kind, layer, name):
        """q, k, v or o of an attention."""
        stack = "encoder" if kind == "encoder" else "decoder"
        part = "layer.1.EncDecAttention" if kind == "cross" else "layer.0.SelfAttention"
        return self.w[f"{stack}.block.{layer}.{part}.{name}.weight"]

    def gamma(self, stack, layer, part):
        return self.w[f"{stack}.block.{layer}.layer.{part}.layer_norm.weight"]

    def bias(self, kind, queries, keys):
        if kind == "cross":
            return torch.zeros(self.heads, queries, keys, dtype=torch.float64)
        table = self.w[f"{kind}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"]
        rows = [[bucket(j - i, kind == "encoder", self.config["relative_attention_num_buckets"],
                        self.config["relative_attention_max_distance"]) for j in range(keys)] for i in range(queries)]
        return table[torch.tensor(rows)].permute(2, 0, 1)

    def attention(self, kind, layer, read_by, read_from, ops, watch):
        split = lambda x: x.reshape(*x.shape[:-1], self.heads, -1).transpose(-2, -3)  # noqa: E731
        join = lambda x: x.transpose(-2, -3).flatten(-2)  # noqa: E731
        q, k, v = (ops.reshape(ops.linear(x, self.weight(kind, layer, n)), split)
                   for n, x in (("q", read_by), ("k", read_from), ("v", read_from)))
        queries, keys = tokens_of(read_by), tokens_of(read_from)
        allowed = torch.ones(queries, keys, dtype=torch.bool)
        if kind == "decoder":
            allowed = allowed.tril()
        v = watch(kind, layer, "v", v)
        pattern = watch(kind, layer, "pattern", ops.softmax(ops.scores(q, k, self.bias(kind, queries, keys)), allowed))
        mixed = ops.reshape(ops.mix(pattern, v), join)
        return watch(kind, layer, "out", ops.linear(mixed, self.weight(kind, layer, "o")))

    def feed_forward(self, stack, layer, part, x, ops, watch):
        at = f"{stack}.block.{layer}.layer.{part}.DenseReluDense."
        inner = self.w[at + ("wi_0" if self.gated else "wi") + ".weight"]
        before = watch(stack, layer, "pre_activation", ops.linear(x, inner))
        made = ops.activation(before, self.f)
        if self.gated:
            made = ops.gate(made, ops.linear(x, self.w[at + "wi_1.weight"]))
        return ops.linear(made, self.w[at + "wo.weight"])

    def block(self, stack, layer, x, memory, ops, watch):
        x = watch(stack, layer, "resid_pre", x)
        h = ops.norm(x, self.gamma(stack, layer, 0), self.eps)
        x = watch(stack, layer, "resid_mid", ops.add(x, self.attention(stack, layer, h, h, ops, watch)))
        if stack == "decoder":
            h = ops.norm(x, self.gamma(stack, layer, 1), self.eps)
            x = watch("cross", layer, "resid_mid", ops.add(x, self.attention("cross", layer, h, memory, ops, watch)))
        part = 2 if stack == "decoder" else 1
        h = ops.norm(x, self.gamma(stack, layer, part), self.eps)
        return watch(stack, layer, "resid_post", ops.add(x, self.feed_forward(stack, layer, part, h, ops, watch)))

    def final_norm(self, stack, x, ops=Operations()):  # noqa: B008
        return ops.norm(x, self.w[stack + ".final_layer_norm.weight"], self.eps)

    def run(self, source, prefix, ops=None, watch=None):
        """Logits [..., T, V] from embeddings."""
        ops, watch = ops or Operations(), Trace() if watch is None else watch
        x = source
        for layer in range(self.layers["encoder"]):
            x = self.block("encoder", layer, x, None, ops, watch)
        memory = watch("encoder", 0, "final_norm", self.final_norm("encoder", x, ops))
        x = prefix
        for layer in range(self.layers["decoder"]):
            x = self.block("decoder", layer, x, memory, ops, watch)
        x = watch("decoder", 0, "final_norm", self.final_norm("decoder", x, ops))
        if self.tied:
            return ops.linear(ops.scale(x, self.config["d_model"] ** -0.5), self.w["shared.weight"])
        return ops.linear(x, self.w["lm_head.weight"])


def tokens_of(x):
    return x.shape[-2]


class Subject:
    """A network, a source and a prefix, with the values of their run."""

    def __init__(self, folder, source, prefix):
        self.folder, self.network = folder, Network(folder)
        self.source_ids, self.prefix_ids = list(source), list(prefix)
        self.source, self.prefix = self.network.embed(source), self.network.embed(prefix)
        self.trace = Trace()
        self.logits = self.network.run(self.source, self.prefix, watch=self.trace)
        self.S, self.T = len(source), len(prefix)

    def layers(self, kind):
        return range(self.network.layers[kind])

    def stacked(self, kind, site):
        return torch.stack([self.trace[kind, layer, site] for layer in self.layers(kind)])

    def value(self, logits, target, quantity="logit"):
        """F of logits [..., T, V]."""
        row = logits[..., target["position"], :]
        return (row.softmax(-1) if quantity == "probability" else row)[..., target["id"]]

    def explained(self, source, prefix, target, quantity="logit", **run):
        return self.value(self.network.run(source, prefix, **run), target, quantity)

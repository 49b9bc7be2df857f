"""Writes chefer.json: the relevance of Chefer, Gur & Wolf (2021) and their two LRP baselines on tiny checkpoints of models/.

    python tests/golden/make_chefer_goldens.py

transformers runs the model in float64; what every layer reads and writes is taken by hooks, and ∂y/∂A from torch's autograd.
The relevance pass is written from the paper and its published rules, op by op: z⁺ for linear layers, products shared in halves,
residual sums shared and normalised, everything else handed on. Needs torch and transformers; read by chefer_goldens_test.cpp
and tests/python.

Before it writes anything the rules are held to worked examples of one op each.
"""

import json
import pathlib
import sys

import torch
import transformers
from safetensors.torch import load_file

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from make_model_goldens import Everything64, build  # noqa: E402
from model_cases import all_cases  # noqa: E402


def divided(a, b):
    """a / (b + 1e-9); 0 where b is 0."""
    return torch.where(b == 0, 0.0, a / torch.where(b + 1e-9 == 0, 1e-9, b + 1e-9))


class Paper:
    """The method's own rules."""

    def linear(self, x, w, r):
        z = x.clamp(min=0) @ w.clamp(min=0).T + x.clamp(max=0) @ w.clamp(max=0).T
        s = divided(r, z)
        return x.clamp(min=0) * (s @ w.clamp(min=0)) + x.clamp(max=0) * (s @ w.clamp(max=0))

    def add(self, a, b, r):
        s = divided(r, a + b)
        both = [a * s, b * s]
        sums = [part.sum() for part in both]
        whole = sums[0].abs() + sums[1].abs()
        return [part * divided(divided(own.abs(), whole) * r.sum(), own) for part, own in zip(both, sums)]


class Baseline:
    """"LRP" and "partial LRP" of the paper's tables: two denominators, nothing normalised."""

    def linear(self, x, w, r):
        parts = [(x.clamp(min=0), w.clamp(min=0)), (x.clamp(max=0), w.clamp(max=0))]
        return sum(p * (divided(r, p @ q.T) @ q) for p, q in parts)

    def add(self, a, b, r):
        s = divided(r, a + b)
        return a * s, b * s


def product(p, q, r):
    """Of both factors of p q."""
    s = divided(r, p @ q)
    return p * (s @ q.transpose(-1, -2)) / 2, q * (p.transpose(-1, -2) @ s) / 2


def clone(x, *relevances):
    return x * sum(divided(r, x) for r in relevances)


class Run:
    """One input through transformers' model, with what each module read and wrote."""

    def __init__(self, name):
        case = next(c for c in all_cases() if c.name == name)
        folder = HERE / "models" / name
        stored = getattr(transformers, case.cls).from_pretrained(folder)
        self.model = build(case, stored.config, stored.state_dict())
        self.model.set_attn_implementation("eager")
        data = load_file(folder / "expected.safetensors")
        self.inputs = {k: v[:1] for k, v in data.items() if k in ("input_ids", "token_type_ids", "pixel_values")}
        self.values = {}
        for path, module in self.model.named_modules():
            module.register_forward_hook(self.keep(path))
        with Everything64():
            result = self.model(**self.inputs, output_attentions=True)
        self.patterns, self.logits = result.attentions, result.logits[0]
        self.heads = self.model.config.num_attention_heads

    def keep(self, path):
        def hook(_, args, output):
            read = args[0] if args else None
            self.values[path] = read, output[0] if isinstance(output, tuple) else output
        return hook

    def read(self, path):
        return self.values[path][0].detach()[0]

    def written(self, path):
        return self.values[path][1].detach()[0]

    def weight(self, path):
        return self.model.get_submodule(path).weight.detach()

    def through(self, rules, path, r):
        return rules.linear(self.read(path), self.weight(path), r)

    def split(self, x):
        return x.reshape(len(x), self.heads, -1).transpose(0, 1)

    def attention(self, rules, projections, out, layer, r, masked):
        """Relevance of the pattern, and of what the projections to q, k and v read. Where the published code adds a mask to the
        scores, here of zeros, its rule for sums applies; the factor 1/√E is passed over."""
        q, k, v = (self.split(self.written(path)) for path in projections)
        of_pattern, of_v = product(self.patterns[layer].detach()[0], v, self.split(self.through(rules, out, r)))
        scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
        of_scores = rules.add(scores, torch.zeros_like(scores), of_pattern)[0] if masked else of_pattern
        of_q, of_k = product(q, k.transpose(-1, -2), of_scores)
        joined = [x.transpose(0, 1).reshape(r.shape) for x in (of_q, of_k.transpose(-1, -2), of_v)]
        return of_pattern, [self.through(rules, path, x) for path, x in zip(projections, joined)]


def bert(run, rules, seed):
    """Relevance of every pattern, and of the encoder's input."""
    r = run.through(rules, "classifier", seed[None])
    top = run.read("bert.pooler")
    cls = top[:1]
    r = torch.cat([cls * divided(run.through(rules, "bert.pooler.dense", r), cls), torch.zeros_like(top[1:])])
    patterns = {}
    for layer in reversed(range(len(run.patterns))):
        block = f"bert.encoder.layer.{layer}"
        h = run.read(f"{block}.intermediate.dense")
        of_f, of_h = rules.add(run.written(f"{block}.output.dense"), h, r)
        of_f = run.through(rules, f"{block}.intermediate.dense", run.through(rules, f"{block}.output.dense", of_f))
        r = clone(h, of_f, of_h)
        x = run.read(f"{block}.attention.self.query")
        of_o, of_x = rules.add(run.written(f"{block}.attention.output.dense"), x, r)
        projections = [f"{block}.attention.self.{n}" for n in ("query", "key", "value")]
        patterns[layer], parts = run.attention(rules, projections, f"{block}.attention.output.dense", layer, of_o, True)
        r = clone(x, clone(x, *parts), of_x)
    return patterns, r


def vit(run, rules, seed):
    final = run.read("classifier")[None]
    stream = run.read("vit.layernorm")
    r = rules.linear(final, run.weight("classifier"), seed[None])
    r = torch.cat([final * divided(r, final), torch.zeros_like(stream[1:])])
    patterns = {}
    for layer in reversed(range(len(run.patterns))):
        block = f"vit.layers.{layer}"
        h = run.read(f"{block}.layernorm_after")
        of_h, of_f = rules.add(h, run.written(f"{block}.mlp.fc2"), r)
        of_f = run.through(rules, f"{block}.mlp.fc1", run.through(rules, f"{block}.mlp.fc2", of_f))
        r = clone(h, of_h, of_f)
        x = run.read(f"{block}.layernorm_before")
        of_x, of_o = rules.add(x, run.written(f"{block}.attention.o_proj"), r)
        projections = [f"{block}.attention.{n}_proj" for n in "qkv"]
        patterns[layer], parts = run.attention(rules, projections, f"{block}.attention.o_proj", layer, of_o, False)
        r = clone(x, of_x, sum(parts))
    return patterns, r


def rolled(maps, divide):
    whole = torch.eye(len(maps[0]))
    for e in maps:
        b = torch.eye(len(e)) + e
        whole = (b / b.sum(-1, keepdim=True) if divide else b) @ whole
    return whole[0]


def positive(x):
    return x.clamp(min=0).mean(0)


def goldens(name, walk):
    run = Run(name)
    text = walk is bert
    for target in range(len(run.logits)):
        seed = torch.zeros_like(run.logits)
        seed[target] = 1
        slopes = torch.autograd.grad(run.logits[target], run.patterns, retain_graph=True)
        patterns, _ = walk(run, Paper(), seed)
        maps = [positive(slopes[l][0] * patterns[l]) for l in range(len(patterns))]
        last = len(maps) - 1
        for start in (0, last):
            row = rolled(maps[start:], text)
            if text:
                row[0] = row.min()
            yield {"case": name, "target": target, "method": "chefer",
                   "options": {"mode": "strict", "start_layer": str(start)}, "scores": (row if text else row[1:]).tolist()}
        patterns, r = walk(run, Baseline(), seed)
        row = positive(patterns[last])[0]
        row[0] = 0
        yield {"case": name, "target": target, "method": "partial_lrp", "options": {},
               "scores": (row if text else row[1:]).tolist()}
        if text:
            sums = r.sum(-1)
            sums[0] = 0
            yield {"case": name, "target": target, "method": "lrp", "options": {}, "scores": sums.tolist()}


def check_rules():
    x, w = torch.tensor([[1.0, -2.0, 3.0]]), torch.tensor([[2.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])
    r = torch.tensor([[4.0, 10.0]])
    # First output: only 1·2 is positive. Second: (−2)(−1) = 2 and 3·1 = 3.
    assert torch.allclose(Paper().linear(x, w, r), torch.tensor([[4.0, 4.0, 6.0]]))
    # With two denominators each kind of product takes all that comes.
    assert torch.allclose(Baseline().linear(x, w, r), torch.tensor([[4.0, 10.0, 10.0]]))
    a, b = torch.tensor([3.0, 1.0]), torch.tensor([1.0, -2.0])
    # Shares 3/4 · 4, 1/−1 · 1 and 1/4 · 4, −2/−1 · 1: sums 2 and 3 of 5, so that nothing changes.
    assert torch.allclose(torch.stack(list(Paper().add(a, b, torch.tensor([4.0, 1.0])))), torch.tensor([[3.0, -1.0], [1.0, 2.0]]))
    # With 4 and −3: sums 6 and −5 of 1; of 11 the first takes 6, the second 5, and its sign turns.
    expected = torch.tensor([[3.0, 3.0], [1.0, -6.0]]) * torch.tensor([[1 / 11], [-1 / 11]])
    assert torch.allclose(torch.stack(list(Paper().add(a, b, torch.tensor([4.0, -3.0])))), expected)


def main():
    torch.set_default_dtype(torch.float64)
    check_rules()
    found = [*goldens("bert_sequence", bert), *goldens("vit_classification", vit)]
    (HERE / "chefer.json").write_text("[\n" + ",\n".join(json.dumps(one) for one in found) + "\n]\n")


if __name__ == "__main__":
    main()

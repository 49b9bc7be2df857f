"""Relevance of source and prefix tokens: LRP by multipliers, LRP by shares, and parts carried forward.

All start from the target's logit y and follow the network's own operations:

  norms         the scale √(mean x² + ε) is a constant
  activations   the line through the origin, f(x)/x
  gates         half to each factor
  attention     constant: the pattern is given, values take all; shared: half to the pattern and half to the values, the
                softmax as it is, half of a score to the query and half to the key (the position bias keeps its share)
  linear        exact, or ε and γ: R_j = Σ_i c_ij / (D_i + ε sign y_i) R_i with c_ij = x_j w_ij + γ (x_j w_ij where it has
                the sign of y_i) and D_i = Σ_j c_ij

`multipliers` carries m back, R = x ⊙ m at the embeddings; it is an ordinary backward pass with other slopes. `shares`
carries R itself, op by op: each input gets what it contributed. The two are the same method written twice. `parts`
carries the embeddings of single tokens forward through the same stand-ins (DecompX; T5 has no biases to share out).
"""

from dataclasses import dataclass

import torch

from .explaining import both, split
from .network import Operations


def halved(x):
    """x, whose slope is ½."""
    return x / 2 + (x / 2).detach()


def ratio(a, b):
    """a / b, 0 where b is 0."""
    return torch.where(b == 0, 0, a / torch.where(b == 0, 1, b))


def contributions(x, w, y, gamma):
    """c_ij [..., out, in]."""
    products = x[..., None, :] * w
    side = torch.where(y < 0, -1.0, 1.0)[..., None].to(x)
    return products + gamma * torch.where(products * side > 0, products, 0)


class LinearRule(torch.autograd.Function):
    """y = x Wᵀ; backwards the ε- and γ-rule, for multipliers or for relevance."""

    @staticmethod
    def forward(ctx, x, w, epsilon, gamma, relevance):
        y = x @ w.T
        ctx.save_for_backward(x, w, y)
        ctx.rule = epsilon, gamma, relevance
        return y

    @staticmethod
    def backward(ctx, signal):
        (x, w, y), (epsilon, gamma, relevance) = ctx.saved_tensors, ctx.rule
        c = contributions(x, w, y, gamma)
        whole = c.sum(-1) + epsilon * torch.where(y < 0, -1.0, 1.0).to(x)
        if relevance:
            return (ratio(signal, whole)[..., None] * c).sum(-2), None, None, None, None
        per_input = c / torch.where(x == 0, 1, x)[..., None, :]
        per_input = torch.where((x == 0)[..., None, :], w.expand_as(c), per_input)
        return (ratio(signal * y, whole)[..., None] * per_input).sum(-2), None, None, None, None


@dataclass
class Rule:
    attention: str  # constant, shared
    epsilon: float = None  # none: linear maps as they are
    gamma: float = 0


class Multipliers(Operations):
    def __init__(self, rule):
        self.rule = rule

    def linear(self, x, w):
        if self.rule.epsilon is None:
            return x @ w.T
        return LinearRule.apply(x, w, self.rule.epsilon, self.rule.gamma, False)

    def norm(self, x, gamma, eps):
        return gamma * x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps).detach()

    def activation(self, x, f):
        return x * ratio(f(x), x).detach()

    def gate(self, a, b):
        return halved(a * b)

    def scores(self, q, k, bias):
        return halved(q @ k.transpose(-1, -2)) + bias

    def mix(self, p, v):
        return p.detach() @ v if self.rule.attention == "constant" else halved(p @ v)


class Share(torch.autograd.Function):
    """y = f(inputs); backwards each input gets what `back(R)` says."""

    @staticmethod
    def forward(ctx, y, back, *inputs):
        ctx.back = back
        return y.clone()

    @staticmethod
    def backward(ctx, relevance):
        return None, None, *ctx.back(relevance)


def shared_out(y, back, *inputs):
    return Share.apply(y.detach(), back, *inputs)


class Shares(Operations):
    def __init__(self, rule):
        self.rule = rule

    def linear(self, x, w):
        return LinearRule.apply(x, w, self.rule.epsilon or 0.0, self.rule.gamma, True)

    def norm(self, x, gamma, eps):
        return shared_out(super().norm(x, gamma, eps), lambda r: (r,), x)

    def activation(self, x, f):
        return shared_out(f(x), lambda r: (r,), x)

    def scale(self, x, c):
        return shared_out(c * x, lambda r: (r,), x)

    def gate(self, a, b):
        return shared_out(a * b, lambda r: (r / 2, r / 2), a, b)

    def add(self, a, b):
        y = (a + b).detach()
        return shared_out(y, lambda r: (a * ratio(r, y), b * ratio(r, y)), a, b)

    def scores(self, q, k, bias):
        s = super().scores(q, k, bias).detach()

        def back(r):
            m = ratio(r, s)
            return q * (m @ k) / 2, k * (m.transpose(-1, -2) @ q) / 2

        return shared_out(s, back, q, k)

    def softmax(self, s, allowed):
        p = super().softmax(s, allowed).detach()
        return shared_out(p, lambda r: (s * (r - p * r.sum(-1, keepdim=True)),), s)

    def mix(self, p, v):
        z = (p @ v).detach()
        constant = self.rule.attention == "constant"

        def back(r):
            m = ratio(r, z)
            to_values = v * (p.transpose(-1, -2) @ m)
            if constant:
                return torch.zeros_like(p), to_values
            return p * (m @ v.transpose(-1, -2)) / 2, to_values / 2

        return shared_out(z, back, p, v)


def multipliers(subject, target, rule):
    x = both(subject).clone().requires_grad_()
    value = subject.explained(*split(subject, x), target, ops=Multipliers(rule))
    return (torch.autograd.grad(value, x)[0] * x).sum(-1).detach()


def shares(subject, target, rule):
    x = both(subject).clone().requires_grad_()
    value = subject.explained(*split(subject, x), target, ops=Shares(rule))
    return torch.autograd.grad(value, x, grad_outputs=value.detach())[0].sum(-1)


class Parted:
    """A value and its parts, [tokens that brought them, ...]."""

    def __init__(self, value, parts):
        self.value, self.parts, self.shape = value, parts, value.shape


class Parts(Operations):
    """The stand-ins of `constant`, forwards."""

    def each(self, x, y, f):
        return Parted(y, f(x.parts))

    def linear(self, x, w):
        return self.each(x, x.value @ w.T, lambda p: p @ w.T)

    def norm(self, x, gamma, eps):
        scale = gamma / torch.sqrt((x.value**2).mean(-1, keepdim=True) + eps)
        return self.each(x, x.value * scale, lambda p: p * scale)

    def activation(self, x, f):
        y = f(x.value)
        return self.each(x, y, lambda p: p * ratio(y, x.value))

    def scale(self, x, c):
        return self.each(x, c * x.value, lambda p: c * p)

    def gate(self, a, b):
        return Parted(a.value * b.value, (a.parts * b.value + a.value * b.parts) / 2)

    def add(self, a, b):
        return Parted(a.value + b.value, a.parts + b.parts)

    def scores(self, q, k, bias):
        return super().scores(q.value, k.value, bias)

    def mix(self, p, v):
        return self.each(v, p @ v.value, lambda parts: p @ parts)

    def reshape(self, x, f):
        return self.each(x, f(x.value), f)


def parts(subject, target):
    """What every token's embedding became of the logit."""
    x = both(subject)
    each = torch.diag_embed(x.T).permute(1, 2, 0)  # [token, row, D]: row `token` of x alone
    source, prefix = (Parted(a, b) for a, b in zip(split(subject, x), split(subject, each)))
    made = subject.network.run(source, prefix, ops=Parts())
    return subject.value(made.parts, target)

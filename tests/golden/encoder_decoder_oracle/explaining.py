"""What an output rests on: gradients, integrals, replacements, and attention weighted by gradients.

F is the target's logit or its probability. x are the embeddings of source and prefix, which in T5 are the inputs of the
two first blocks; source and prefix are moved together.
"""

from itertools import product
from math import factorial

import numpy as np
import torch

from .network import KINDS, Trace

PAD, END, UNKNOWN = 0, 1, 2


def gauss(count):
    points, weights = np.polynomial.legendre.leggauss(count)
    return torch.tensor((1 + points) / 2), torch.tensor(weights / 2)


def split(subject, x):
    """[..., S + T, D] → source, prefix."""
    return x[..., :subject.S, :], x[..., subject.S:, :]


def both(subject):
    return torch.cat([subject.source, subject.prefix])


def gradient(subject, x, target, quantity):
    """∂F/∂x for a batch of inputs [..., S + T, D]."""
    x = x.detach().clone().requires_grad_()
    return torch.autograd.grad(subject.explained(*split(subject, x), target, quantity).sum(), x)[0]


def saliency(subject, target, quantity):
    return gradient(subject, both(subject), target, quantity).norm(dim=-1)


def input_x_gradient(subject, target, quantity):
    return (both(subject) * gradient(subject, both(subject), target, quantity)).sum(-1)


def special(subject):
    """The </s> of the source and the prefix's start."""
    return torch.tensor([k == END for k in subject.source_ids] + [k == 0 for k in range(subject.T)])


def absent(subject, replacement):
    """What stands for every token, [S + T, D]. mean: of the sequence's own embeddings, source and prefix apart."""
    x = both(subject)
    if replacement == "zero":
        return torch.zeros_like(x)
    if replacement == "mean":
        source, prefix = (part.mean(0, keepdim=True).expand_as(part) for part in split(subject, x))
        return torch.cat([source, prefix])
    return subject.network.embed(PAD if replacement == "pad" else UNKNOWN).expand_as(x)


def baseline(subject, replacement, special_tokens):
    made = absent(subject, replacement).clone()
    if special_tokens == "keep" and replacement != "zero":
        made[special(subject)] = both(subject)[special(subject)]
    return made


def along(subject, start, at):
    return start + at[:, None, None] * (both(subject) - start)


def fixed_rule(subject, start, target, quantity, nodes):
    """Σ_d (x − x′) Σ_k w_k ∂F/∂x at x′ + a_k (x − x′)."""
    at, weights = nodes
    slopes = gradient(subject, along(subject, start, at), target, quantity)
    return ((both(subject) - start) * (weights[:, None, None] * slopes).sum(0)).sum(-1)


def units_on(subject, trace):
    """Which units of a relu are on: [nodes, units]; empty where nothing bends."""
    if subject.network.gated:
        return None
    values = [v for (_, _, site), v in trace.items() if site == "pre_activation"]
    return torch.cat([v.flatten(1) > 0 for v in values if v.dim() == 3], 1)  # others do not depend on the node


def smooth_nodes(run, edges, count=12):
    """Gauss nodes on the pieces between edges, and between the points where a relu changes side, each found to the last
    digits by halving. run(nodes) → units_on there."""
    found = []
    low, high = torch.tensor(edges[:-1]), torch.tensor(edges[1:])
    while len(low) and run(low[:1]) is not None:
        apart = (run(low) != run(high)).any(1)
        low, high = low[apart], high[apart]
        narrow = high - low <= 4e-16 * high
        found += high[narrow].tolist()
        low, high = low[~narrow], high[~narrow]
        middle = (low + high) / 2
        low, high = torch.cat([low, middle]), torch.cat([middle, high])
    pieces = torch.tensor(sorted({0.0, *edges, *found}))
    at, weights = gauss(count)
    size = pieces.diff()
    return (pieces[:-1, None] + size[:, None] * at).flatten(), (size[:, None] * weights).flatten()


def chunks(nodes, size=2048):
    return [(nodes[0][k:k + size], nodes[1][k:k + size]) for k in range(0, len(nodes[0]), size)]


def integrated_gradients(subject, start, target, quantity):
    """The integral itself. With a zero baseline every norm turns its input within √ε, and what follows multiplies: F moves
    at 10⁻⁹ of the way and before, so that pieces halve towards the baseline."""
    def run(at):
        trace = Trace()
        with torch.no_grad():
            subject.network.run(*split(subject, along(subject, start, at)), watch=trace)
        return units_on(subject, trace)

    if start.any():
        edges = [0.0] + [2.0**-k / 256 for k in range(8, 0, -1)] + [k / 256 for k in range(1, 257)]
    else:
        edges = [2.0**-k * (1 + m / 24) for k in range(120, 0, -1) for m in range(24)] + [1.0]
    nodes = smooth_nodes(run, edges)
    return sum(fixed_rule(subject, start, target, quantity, some) for some in chunks(nodes))


def occlusion(subject, target, quantity, replacement):
    """F(x) − F(x with token t replaced), special tokens included."""
    x, stand_in = both(subject), absent(subject, replacement)
    changed = x.expand(len(x), *x.shape).clone()
    for t in range(len(x)):
        changed[t, t] = stand_in[t]
    with torch.no_grad():
        whole = subject.value(subject.logits, target, quantity)
        return whole - subject.explained(*split(subject, changed), target, quantity)


def shapley(subject, target, quantity, replacement):
    """By the definition, over all coalitions of the tokens that are not special; those score 0."""
    x, stand_in = both(subject), absent(subject, replacement)
    players = [t for t, s in enumerate(special(subject)) if not s]
    n = len(players)
    coalitions = list(product((0, 1), repeat=n))
    there = torch.ones(len(coalitions), len(x), dtype=torch.bool)
    there[:, players] = torch.tensor(coalitions).bool()
    with torch.no_grad():
        inputs = torch.where(there[..., None], x, stand_in)
        values = dict(zip(coalitions, subject.explained(*split(subject, inputs), target, quantity).tolist()))
    scores = torch.zeros(len(x), dtype=torch.float64)
    for present in coalitions:
        size = sum(present)
        for u in range(n):
            if not present[u]:
                more = values[present[:u] + (1,) + present[u + 1:]] - values[present]
                scores[players[u]] += factorial(size) * factorial(n - size - 1) / factorial(n) * more
    return scores


def pattern_gradients(subject, target, quantity="logit"):
    trace = Trace()
    inputs = (x.clone().requires_grad_() for x in (subject.source, subject.prefix))
    logits = subject.network.run(*inputs, watch=trace)
    places = [(kind, layer, "pattern") for kind in KINDS for layer in subject.layers(kind)]
    found = torch.autograd.grad(subject.value(logits, target, quantity), [trace[p] for p in places])
    return {p[:2]: g for p, g in zip(places, found)}


def with_rows_divided(r):
    """N(R): R − I with rows divided by their sums (a row of zeros stays), and I added again."""
    eye = torch.eye(len(r), dtype=r.dtype)
    x = r - eye
    sums = x.sum(-1, keepdim=True)
    return torch.where(sums != 0, x / torch.where(sums != 0, sums, 1), 0) + eye


def generic_attention(subject, target, transposed=True):
    """Chefer, Gur and Wolf (2021): Ā = mean_h max(0, ∂y/∂A ⊙ A);

      encoder          R_ss ← R_ss + Ā R_ss                                    from I
      decoder, self    R_qq ← R_qq + Ā R_qq,   R_qs ← R_qs + Ā R_qs            from I and 0, both from the old values
      decoder, cross   R_qs ← R_qs + N(R_qq)ᵀ Ā N(R_ss)                        R_qq stays

    s: source, q: prefix. The answer is row `position` of R_qs and R_qq, its own column left out."""
    slopes = pattern_gradients(subject, target)
    weighed = {place: (g * subject.trace[place + ("pattern",)]).clamp(min=0).mean(0) for place, g in slopes.items()}
    ss, qq = torch.eye(subject.S, dtype=torch.float64), torch.eye(subject.T, dtype=torch.float64)
    qs = torch.zeros(subject.T, subject.S, dtype=torch.float64)
    for layer in subject.layers("encoder"):
        ss = ss + weighed["encoder", layer] @ ss
    for layer in subject.layers("decoder"):
        a = weighed["decoder", layer]
        qq, qs = qq + a @ qq, qs + a @ qs
        left = with_rows_divided(qq)
        qs = qs + (left.T if transposed else left) @ weighed["cross", layer] @ with_rows_divided(ss)
    row = torch.cat([qs[target["position"]], qq[target["position"]]])
    row[subject.S + target["position"]] = 0
    return {"encoder": ss, "decoder_to_source": qs, "decoder_to_prefix": qq, "units": row}


def scaled_pattern(subject, place, at, target, quantity):
    """F at each node, the patterns there, and the run's values, with the attention's patterns scaled."""
    scaled = (at[:, None, None, None] * subject.trace[place]).requires_grad_()
    watch = Trace({place: lambda _: scaled})
    return subject.explained(subject.source, subject.prefix, target, quantity, watch=watch), scaled, watch


def attattr(subject, target, quantity, nodes=None):
    """Hao et al. (2021): A ⊙ ∫₀¹ ∂F(a A)/∂A da for one attention at a time, its patterns of all heads scaled together and
    every other value as it follows; and F(A) − F(0) of each. nodes: a fixed rule; none: the integral itself."""
    result, change = {}, {}
    for kind in KINDS:
        maps, gaps = [], []
        for layer in subject.layers(kind):
            place = kind, layer, "pattern"

            def run(at, place=place):
                with torch.no_grad():
                    return units_on(subject, scaled_pattern(subject, place, at, target, quantity)[2])

            total = 0
            for at, weights in chunks(nodes or smooth_nodes(run, [k / 64 for k in range(65)])):
                value, scaled, _ = scaled_pattern(subject, place, at, target, quantity)
                slope = torch.autograd.grad(value.sum(), scaled)[0]
                total = total + (weights[:, None, None, None] * slope).sum(0)
            maps.append(subject.trace[place] * total)
            ends = scaled_pattern(subject, place, torch.tensor([0.0, 1.0]), target, quantity)[0].detach()
            gaps.append(ends[1] - ends[0])
        result[kind], change[kind] = torch.stack(maps), torch.stack(gaps)
    return result, change


def jacobians(subject):
    """∂ (every block's own output) / ∂ (source, prefix): {stack: [L, tokens, D, S + T, D]}."""
    x = both(subject)

    def outputs(x):
        trace = Trace()
        subject.network.run(*split(subject, x), watch=trace)
        return {stack: torch.stack([trace[stack, l, "resid_post"] for l in subject.layers(stack)])
                for stack in ("encoder", "decoder")}

    return {stack: torch.autograd.functional.jacobian(lambda x: outputs(x)[stack], x) for stack in ("encoder", "decoder")}


def hidden_token_attribution(subject, norm):
    """‖∂e_j/∂x_i‖ of block outputs e (Brunner et al., 2020), i over the source for the encoder, over source and prefix for
    the decoder; shares: rows divided by their sums over all i. norm: frobenius, or gradxinput ‖J diag(x_i)‖."""
    found = jacobians(subject)
    if norm == "gradxinput":
        found = {stack: j * both(subject) for stack, j in found.items()}
    sizes = {stack: j.pow(2).sum((-1, -3)).sqrt() for stack, j in found.items()}
    s = subject.S
    maps = {"encoder": sizes["encoder"][..., :s], "decoder": sizes["decoder"]}
    shares = {name: m / m.sum(-1, keepdim=True) for name, m in maps.items()}
    name = lambda m: {"encoder": m["encoder"], "decoder_to_source": m["decoder"][..., :s],  # noqa: E731
                      "decoder_to_prefix": m["decoder"][..., s:]}
    return name(shares), name(maps)

"""Which token reads which: maps of attention, their projections, norms and contributions, and how they join.

Row = the token being written, column = the token being read. S source tokens, T prefix tokens. Letters as in
network.py; W_l = mean_h α_l; u^h_j = W_O^h v^h_j; f_ij = Σ_h α^h_ij u^h_j.
"""

import networkx
import torch

from .network import KINDS, Operations, Trace

UNIT = 2**50  # of whole-numbered capacities


def attention(subject):
    return {kind: subject.stacked(kind, "pattern") for kind in KINDS}


def effective_attention(subject, sum_preserving):
    """A P, P the orthogonal projector onto the columns of V, or of [V, 1]; by an SVD. Row i of the decoder's
    self-attention knows the values of tokens 0 … i alone."""
    result = {}
    for kind in KINDS:
        patterns, values = subject.stacked(kind, "pattern"), subject.stacked(kind, "v")
        made = torch.zeros_like(patterns)
        for layer, head in [(a, b) for a in range(patterns.shape[0]) for b in range(patterns.shape[1])]:
            a, v = patterns[layer, head], values[layer, head]
            if sum_preserving:
                v = torch.cat([v, torch.ones(len(v), 1, dtype=v.dtype)], 1)
            for i in range(len(a)):
                seen = i + 1 if kind == "decoder" else len(v)
                u, s, _ = torch.linalg.svd(v[:seen], full_matrices=False)
                u = u[:, s > s[0] * max(v[:seen].shape) * 2.3e-16]
                made[layer, head, i, :seen] = a[i, :seen] @ u @ u.T
        result[kind] = made
    return result


def divided(rows):
    """Rows by their sums; a row without any weight stays zero."""
    sums = rows.sum(-1, keepdim=True)
    return torch.where(sums > 0, rows / torch.where(sums > 0, sums, 1), 0)


def fused_steps(subject, residual, fusion="mean"):
    """Every attention as a step that mixes, residual path included: encoder [S, S], decoder [T, T] per layer, and cross
    [T, S + 1], whose last column is the residual path. Rows are divided by their sums."""
    fuse = {"mean": lambda p: p.mean(0), "max": lambda p: p.amax(0), "min": lambda p: p.amin(0)}[fusion]
    steps = {kind: [] for kind in KINDS}
    for kind in KINDS:
        for layer in subject.layers(kind):
            w = (1 - residual) * fuse(subject.trace[kind, layer, "pattern"])
            if kind == "cross":
                w = torch.cat([w, torch.full((len(w), 1), residual, dtype=w.dtype)], 1)
            else:
                w = w + residual * torch.eye(len(w), dtype=w.dtype)
            steps[kind].append(divided(w))
    return steps


def join(steps, size):
    """Rolls steps out, as ALTI+ joins them. R_l = A_l R_(l−1) in the encoder, E its last. In decoder layer l, with A the
    self-attention's step, C the source columns of the cross step and c its residual column,

      source_l = c ⊙ (A source_(l−1)) + C E        prefix_l = c ⊙ (A prefix_(l−1))

    from source = 0 and prefix = I, rows divided by their sums over both."""
    source_size, prefix_size = size
    rolled, e = [], torch.eye(source_size, dtype=torch.float64)
    for a in steps["encoder"]:
        e = a @ e
        rolled.append(e)
    source, prefix = torch.zeros(prefix_size, source_size, dtype=e.dtype), torch.eye(prefix_size, dtype=e.dtype)
    to_source, to_prefix = [], []
    for a, cross in zip(steps["decoder"], steps["cross"]):
        carried = cross[:, -1:] * a
        both = divided(torch.cat([carried @ source + cross[:, :-1] @ e, carried @ prefix], 1))
        source, prefix = both[:, :source_size], both[:, source_size:]
        to_source.append(source)
        to_prefix.append(prefix)
    return {"encoder": torch.stack(rolled), "decoder_to_source": torch.stack(to_source),
            "decoder_to_prefix": torch.stack(to_prefix)}


def joint_stack(steps, size):
    """The same steps as square matrices over source and prefix together, one per attention in the order of the run:
    [L + 2 M, S + T, S + T]. What a step does not touch keeps itself."""
    source, prefix = size
    made = []
    for a in steps["encoder"]:
        made.append(torch.block_diag(a, torch.eye(prefix, dtype=a.dtype)))
    for a, cross in zip(steps["decoder"], steps["cross"]):
        made.append(torch.block_diag(torch.eye(source, dtype=a.dtype), a))
        both = torch.block_diag(torch.eye(source, dtype=a.dtype), torch.diag(cross[:, -1]))
        both[source:, :source] = cross[:, :-1]
        made.append(both)
    return torch.stack(made)


def flow(steps, size):
    """Largest flows over the joint graph. Nodes: source (l, j) for l = 0 … L; prefix (l, i) for l = 0 … M; middle (l, i) for
    l = 1 … M, between self-attention and cross-attention of decoder layer l. Edges and capacities:

      source (l, i) → source (l − 1, j)    A_l[i, j] of the encoder
      prefix (l, i) → source (L, j)        C_l[i, j] of the cross step
      prefix (l, i) → middle (l, i)        c_l[i], its residual column
      middle (l, i) → prefix (l − 1, j)    A_l[i, j] of the decoder

    Sinks: source (0, j), prefix (0, j). One problem per pair, whole-numbered capacities, exact."""
    whole = lambda c: round(float(c) * UNIT)  # noqa: E731
    graph = networkx.DiGraph()

    def edge(a, b, c):
        if c > 0:
            graph.add_edge(a, b, capacity=whole(c))

    depth, height = len(steps["encoder"]), len(steps["decoder"])
    source, prefix = size
    graph.add_nodes_from([("source", depth_, j) for depth_ in range(depth + 1) for j in range(source)])
    graph.add_nodes_from([("prefix", l, i) for l in range(height + 1) for i in range(prefix)])
    for l, a in enumerate(steps["encoder"]):
        for i in range(source):
            for j in range(source):
                edge(("source", l + 1, i), ("source", l, j), a[i, j])
    for l, (a, cross) in enumerate(zip(steps["decoder"], steps["cross"])):
        for i in range(prefix):
            for j in range(source):
                edge(("prefix", l + 1, i), ("source", depth, j), cross[i, j])
            edge(("prefix", l + 1, i), ("middle", l + 1, i), cross[i, -1])
            for j in range(prefix):
                edge(("middle", l + 1, i), ("prefix", l, j), a[i, j])
    largest = lambda a, b: networkx.maximum_flow_value(graph, a, b) / UNIT  # noqa: E731
    table = lambda kind, top, rows, sink, columns: torch.tensor(  # noqa: E731
        [[[largest((kind, l, i), (sink, 0, j)) for j in range(columns)] for i in range(rows)] for l in range(1, top + 1)],
        dtype=torch.float64)
    return {"encoder": table("source", depth, source, "source", source),
            "decoder_to_source": table("prefix", height, prefix, "source", source),
            "decoder_to_prefix": table("prefix", height, prefix, "prefix", prefix)}


def parts_of(subject, kind, layer):
    """f_ij [Q, K, D], and per head [H, Q, K, D]."""
    pattern, v = subject.trace[kind, layer, "pattern"], subject.trace[kind, layer, "v"]
    out = subject.network.weight(kind, layer, "o")
    out = out.reshape(out.shape[0], subject.network.heads, -1)
    each = torch.einsum("hij,hje,dhe->hijd", pattern, v, out)
    return each.sum(0), each


def read_by(subject, kind, layer):
    """What the residual path carries past an attention."""
    before = ("decoder", layer, "resid_mid") if kind == "cross" else (kind, layer, "resid_pre")
    return subject.trace[before]


def norms(subject, heads):
    """‖f_ij‖ (Kobayashi et al., 2020), or ‖α^h_ij u^h_j‖ of every head."""
    pick = 1 if heads == "each" else 0
    return {kind: torch.stack([parts_of(subject, kind, l)[pick].norm(dim=-1) for l in subject.layers(kind)])
            for kind in KINDS}


def norms_with_residual(subject):
    """‖f_ij + [i = j] x_i‖ (Kobayashi et al., 2021). In cross-attention the residual path is no column of the source: it
    is a last column of its own, ‖x_i‖."""
    result = {}
    for kind in KINDS:
        result[kind] = torch.stack([with_residual(subject, kind, l)[0].norm(dim=-1) for l in subject.layers(kind)])
    return result


def with_residual(subject, kind, layer):
    """Parts T_ij with the residual path, and what they sum to."""
    f, x = parts_of(subject, kind, layer)[0], read_by(subject, kind, layer)
    parts = torch.cat([f, x[:, None]], 1) if kind == "cross" else f + torch.diag_embed(x.T).permute(1, 2, 0)
    return parts, subject.trace[kind, layer, "resid_mid"]


def alti(subject):
    """c_ij = max(0, ‖y_i‖₁ − ‖y_i − T_ij‖₁), rows divided by their sums; y_i the sum after the residual path (Ferrando et
    al., 2022; ALTI+ for translation, 2022)."""
    steps = {}
    for kind in KINDS:
        steps[kind] = []
        for layer in subject.layers(kind):
            parts, y = with_residual(subject, kind, layer)
            nearer = y.abs().sum(-1, keepdim=True) - (y[:, None] - parts).abs().sum(-1)
            if kind == "decoder":
                nearer = nearer.tril()
            steps[kind].append(divided(nearer.clamp(min=0)))
    return steps


def distance(a, b):
    """1 − cos, in the form that keeps its digits."""
    a, b = (x / x.norm(dim=-1, keepdim=True) for x in (a, b))
    return 0.5 * ((a - b) ** 2).sum(-1)


def value_zeroing(subject, final_norm, heads=None):
    """D_ij = 1 − cos of the block's outputs at i with and without the values of token j (Mohebbi et al., 2023a, 2023b). The
    block runs again from its own input and the encoder's output as they were; everything after the zeroed values
    is recomputed: of the decoder's self-attention also cross-attention, whose queries change. In the last layer of a
    stack both are taken after the stack's last norm where final_norm is apply, or as they are (raw)."""
    network, result = subject.network, {}
    memory = subject.trace["encoder", 0, "final_norm"]
    for kind in KINDS:
        stack = "encoder" if kind == "encoder" else "decoder"
        maps = []
        for layer in subject.layers(kind):
            x = subject.trace[stack, layer, "resid_pre"]
            last = layer + 1 == network.layers[kind] and final_norm == "apply"
            finish = (lambda y, stack=stack: network.final_norm(stack, y)) if last else (lambda y: y)
            clean = finish(subject.trace[stack, layer, "resid_post"])
            columns = []
            for j in range(subject.trace[kind, layer, "v"].shape[-2]):
                def without(v, j=j):
                    v = v.clone()
                    v[list(range(len(v))) if heads is None else heads, j] = 0
                    return v
                changed = network.block(stack, layer, x, memory, Operations(), Trace({(kind, layer, "v"): without}))
                columns.append(distance(finish(changed), clean))
            made = torch.stack(columns, 1)
            maps.append(made.tril() if kind == "decoder" else made)
        result[kind] = torch.stack(maps)
    return result

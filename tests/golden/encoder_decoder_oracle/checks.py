"""Second ways to the oracle's numbers. Each prints the largest difference and fails where it exceeds its bound."""

import networkx
import torch
import transformers

from make_model_goldens import Everything64

from . import explaining, mixing, relevance
from .explaining import both, split
from .network import KINDS, Operations, Trace


class Reference:
    """The same checkpoint by transformers, float64 throughout."""

    def __init__(self, subject):
        transformers.logging.set_verbosity_error()
        transformers.logging.disable_progress_bar()
        with Everything64():
            self.model = transformers.T5ForConditionalGeneration.from_pretrained(
                subject.folder, dtype=torch.float64, attn_implementation="eager").eval()
        self.subject = subject

    def run(self, x):
        source, prefix = split(self.subject, x)
        with Everything64():
            return self.model(inputs_embeds=source[None], decoder_inputs_embeds=prefix[None], output_attentions=True,
                              output_hidden_states=True)

    def attention_module(self, kind, layer):
        stack = self.model.encoder if kind == "encoder" else self.model.decoder
        return stack.block[layer].layer[1].EncDecAttention if kind == "cross" else stack.block[layer].layer[0].SelfAttention

    def block_output(self, stack, layer, hook_on, hook):
        """Output of a block with a hook on one of its modules, and after the stack's last norm."""
        seen = []
        blocks = getattr(self.model, stack).block
        handles = [hook_on.register_forward_hook(hook),
                   blocks[layer].register_forward_hook(lambda m, a, y: seen.append(y[0][0]))]
        with torch.no_grad():
            self.run(both(self.subject))
        for handle in handles:
            handle.remove()
        with torch.no_grad(), Everything64():
            return seen[0], getattr(self.model, stack).final_layer_norm(seen[0])


def gap(a, b):
    return (a - b).abs().max().item()


def forward(subject, reference):
    x = both(subject).requires_grad_()
    out = reference.run(x)
    theirs = {"encoder": out.encoder_attentions, "decoder": out.decoder_attentions, "cross": out.cross_attentions}
    yield "logits: transformers", gap(out.logits[0], subject.logits), 1e-12
    yield "patterns: transformers", max(gap(torch.cat(theirs[k]), subject.stacked(k, "pattern")) for k in KINDS), 1e-13


def effective(subject):
    worst = apart = 0.0
    made = mixing.effective_attention(subject, False)
    for kind in KINDS:
        a, v = subject.stacked(kind, "pattern"), subject.stacked(kind, "v")
        worst = max(worst, gap(a @ v, made[kind] @ v))
        if kind != "decoder":  # A V V⁺
            worst = max(worst, gap(made[kind], a @ v @ torch.linalg.pinv(v)))
        apart = max(apart, gap(a, made[kind]))
    assert apart > 0.01, "the case shows nothing: attention is identifiable"
    yield "effective attention: A V V⁺, and A V kept", worst, 1e-11


def joined(subject):
    size = subject.S, subject.T
    for name, steps in (("rollout", mixing.fused_steps(subject, 0.5)), ("alti", mixing.alti(subject))):
        product = torch.eye(sum(size))
        for step in mixing.joint_stack(steps, size):
            product = step @ product
        made = mixing.join(steps, size)
        last = torch.cat([made["decoder_to_source"][-1], made["decoder_to_prefix"][-1]], 1)
        yield f"{name}: product of joint matrices", gap(product[subject.S:], last), 1e-14
        yield f"{name}: rows sum to 1", gap(last.sum(-1), torch.ones(subject.T)), 1e-14


def flow(subject):
    """The joint matrices as one layered network: a node per token and step, identities of capacity 1."""
    size, steps = (subject.S, subject.T), mixing.fused_steps(subject, 0.5)
    graph = networkx.DiGraph()
    stack = mixing.joint_stack(steps, size)
    for l, step in enumerate(stack):
        for i, j in step.nonzero().tolist():
            graph.add_edge((l + 1, i), (l, j), capacity=round(float(step[i, j]) * mixing.UNIT))
    made, top = mixing.flow(steps, size), len(stack)
    found = torch.tensor([[networkx.maximum_flow_value(graph, (top, subject.S + i), (0, j)) / mixing.UNIT
                           if (0, j) in graph and networkx.has_path(graph, (top, subject.S + i), (0, j)) else 0.0
                           for j in range(sum(size))] for i in range(subject.T)])
    last = torch.cat([made["decoder_to_source"][-1], made["decoder_to_prefix"][-1]], 1)
    yield "flow: layered network over S + T", gap(found, last), 1e-14
    yield "flow: at most the row's capacity", max(0.0, last.max().item() - 1), 1e-14
    rolled = mixing.join(steps, size)
    below = torch.cat([rolled["decoder_to_source"][-1], rolled["decoder_to_prefix"][-1]], 1) - last
    yield "flow: at least the rollout", max(0.0, below.max().item()), 1e-14


def parts(subject, reference):
    worst = gram = 0.0
    for kind in KINDS:
        for layer in subject.layers(kind):
            seen = []
            module = reference.attention_module(kind, layer).o
            reference.block_output("encoder" if kind == "encoder" else "decoder", layer, module,
                                   lambda m, a, y, seen=seen: seen.append(y[0]))
            f, each = mixing.parts_of(subject, kind, layer)
            worst = max(worst, gap(f.sum(1), seen[0]))
            full, y = mixing.with_residual(subject, kind, layer)
            worst = max(worst, gap(full.sum(1), y))
            inner = torch.einsum("hijd,gijd->ijhg", each, each).sum((-1, -2)).clamp(min=0).sqrt()
            gram = max(gram, gap(inner, f.norm(dim=-1)))
    yield "norms, alti: parts sum to what transformers writes", worst, 1e-12
    yield "norms: Gram form", gram, 1e-12


def zeroing(subject, reference):
    worst = 0.0
    for final_norm in ("apply", "raw"):
        made = mixing.value_zeroing(subject, final_norm)
        for kind in KINDS:
            stack = "encoder" if kind == "encoder" else "decoder"
            for layer in subject.layers(kind):
                pick = int(final_norm == "apply" and layer + 1 == len(subject.layers(kind)))
                module = reference.attention_module(kind, layer).v
                clean = reference.block_output(stack, layer, module, lambda m, a, y: None)[pick]
                for j in range(made[kind].shape[-1]):
                    def zero(m, a, y, j=j):
                        y = y.clone()
                        y[:, j] = 0
                        return y
                    changed = reference.block_output(stack, layer, module, zero)[pick]
                    plain = 1 - torch.nn.functional.cosine_similarity(changed, clean, dim=-1, eps=0)
                    worst = max(worst, gap(plain, made[kind][layer][:, j]))
    yield "value zeroing: hooks on transformers", worst, 1e-13


def gradients(subject, reference, target):
    x = both(subject).requires_grad_()
    out = reference.run(x)
    theirs = {"encoder": out.encoder_attentions, "decoder": out.decoder_attentions, "cross": out.cross_attentions}
    places = [(kind, layer) for kind in KINDS for layer in subject.layers(kind)]
    wanted = [x] + [theirs[kind][layer] for kind, layer in places]
    found = torch.autograd.grad(out.logits[0, target["position"], target["id"]], wanted)
    mine = explaining.pattern_gradients(subject, target)
    yield "gradients: transformers", gap(found[0], explaining.gradient(subject, x, target, "logit")), 1e-12
    yield ("pattern gradients: transformers",
           max(gap(g[0], mine[place]) for place, g in zip(places, found[1:])), 1e-12)
    occluded = explaining.occlusion(subject, target, "probability", "pad")
    stand_in, worst = explaining.absent(subject, "pad"), 0.0
    with torch.no_grad():
        whole = reference.run(x).logits[0, target["position"]].softmax(-1)[target["id"]]
        for t in range(len(x)):
            changed = x.detach().clone()
            changed[t] = stand_in[t]
            value = reference.run(changed).logits[0, target["position"]].softmax(-1)[target["id"]]
            worst = max(worst, abs((whole - value - occluded[t]).item()))
    yield "occlusion: transformers", worst, 1e-13
    scores = explaining.shapley(subject, target, "logit", "pad")
    with torch.no_grad():
        none = subject.explained(*split(subject, explaining.baseline(subject, "pad", "keep")), target)
    yield "shapley: sums to F(x) − F(∅)", abs((scores.sum() - subject.value(subject.logits, target) + none).item()), 1e-12


def integrals(subject, target, results, k):
    for r in results:
        if r["target"] != k or "rule" in r["options"]:
            continue
        quantity = r["options"].get("quantity")
        if r["method"] == "integrated_gradients":
            start = explaining.baseline(subject, r["options"]["baseline"], r["options"]["special_tokens"])
            with torch.no_grad():
                none = subject.explained(*split(subject, start), target, quantity).item()
            total, whole = sum(r["maps"][0]["values"]), subject.value(subject.logits, target, quantity).item()
            yield f"integrated gradients, {r['options']['baseline']}: complete", abs(total - whole + none), 1e-9
        if r["method"] == "attattr":
            maps = {m["name"]: torch.tensor(m["values"]).reshape(m["shape"]) for m in r["maps"]}
            worst = max(gap(maps[kind].sum((1, 2, 3)), maps["change " + kind]) for kind in KINDS)
            yield f"attattr, {quantity}: complete", worst, 1e-9


def rules(subject, target, used):
    worst = max(gap(relevance.multipliers(subject, target, r), relevance.shares(subject, target, r)) for r in used)
    yield "LRP: multipliers and shares", worst, 1e-10
    given = relevance.multipliers(subject, target, relevance.Rule("constant"))
    yield "CP-LRP: conserves", abs(given.sum().item() - target["logit"]), 1e-11
    yield "decompx: CP-LRP's numbers", gap(relevance.parts(subject, target), given), 1e-11


def jacobians(subject):
    """Central differences of block outputs along random directions of single tokens."""
    generator = torch.Generator().manual_seed(0)
    found, worst, h = explaining.jacobians(subject), 0.0, 1e-5
    for token in range(subject.S + subject.T):
        direction = torch.zeros_like(both(subject))
        direction[token] = torch.randn(direction.shape[1], generator=generator)
        sides = []
        for sign in (1, -1):
            trace = Trace()
            subject.network.run(*split(subject, both(subject) + sign * h * direction), Operations(), trace)
            sides.append(trace)
        for stack, j in found.items():
            for layer in subject.layers(stack):
                place = stack, layer, "resid_post"
                slope = (sides[0][place] - sides[1][place]) / (2 * h)
                along = torch.einsum("idke,ke->id", j[layer], direction)
                worst = max(worst, gap(slope, along) / (1 + along.abs().max().item()))
    yield "hidden token attribution: central differences", worst, 1e-6


def all_of(model, subject, targets, results, used):
    reference = Reference(subject)
    found = [*forward(subject, reference), *effective(subject), *joined(subject), *flow(subject),
             *parts(subject, reference), *zeroing(subject, reference), *jacobians(subject)]
    for k, target in enumerate(targets):
        each = [*gradients(subject, reference, target), *integrals(subject, target, results, k),
                *rules(subject, target, used)]
        found += [(f"{name} (target {k})", value, bound) for name, value, bound in each]
    for name, value, bound in found:
        print(f"{model}  {name:62} {value:.1e}  bound {bound:.0e}")
    failed = [name for name, value, bound in found if not value <= bound]
    assert not failed, failed

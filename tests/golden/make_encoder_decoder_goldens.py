#!/usr/bin/env python3
"""Writes encoder_decoder.json: every method's encoder–decoder form by independent programs, in float64.

    python tests/golden/make_encoder_decoder_goldens.py

Two checkpoints of encoder_decoder_models (t5_v1_0: relu, tied; t5_v1_1: gated, untied), one source of six tokens and one
prefix of five. The programs are in encoder_decoder_oracle/: the network from its formulas (network.py), maps of token
mixing (mixing.py), gradients and perturbations (explaining.py), relevance (relevance.py). Each is held against a
second way to the same numbers (checks.py), whose differences are printed; the script fails where one is too large.
Needs torch, transformers, networkx, safetensors.

Layout of the file:

  {"cases": [{
     "model":    folder of encoder_decoder_models
     "source":   {"text", "ids", "tokens"}         ends in </s>
     "prefix":   {"text", "ids", "tokens"}         begins with decoder_start_token_id, ids as given to the decoder
     "targets":  [{"position", "id", "logit", "probability"}]    the logit of word `id` at prefix position `position`
     "results":  [{
        "method", "options"     names and values as Headwater has them (strings); see below for new ones
        "target"                which of "targets"; null where the method knows none
        "maps": [{"name", "axes", "shape", "values"}]            values row-major, flat,
                                                                 to 14 digits
     }]}]}

Axes are layer, head, source, prefix, units. Where two token axes follow each other the first is the token being
written (query), the second the token being read (key). units: source tokens, then prefix tokens, S + T numbers. Cells that
the causal mask forbids are 0. Names of maps: encoder, decoder and cross are the three kinds of attention;
decoder_to_source and decoder_to_prefix are shares of the two inputs in decoder positions, after each layer.

Letters: S source tokens, T prefix tokens, L encoder layers, M decoder layers, H heads; α^h_ij a pattern, v^h_j a value,
W_O^h a head's part of the output projection, W = mean_h α, f_ij = Σ_h α^h_ij W_O^h v^h_j. T5 has no biases.

  method, options            what it is
  attention                  α of the three kinds
  effective_attention        α P, P the orthogonal projector onto the columns of V (sum_preserving: of [V, 1]); row i of
                             the decoder's self-attention uses V[0 … i]. Cross: V [S, E] of the source
  attention_rollout          encoder: A = (1 − r) W + r I, rows divided, R_l = A_l R_(l−1). Decoder layer: self-attention is
                             a step A like the encoder's; cross-attention a step whose row i is [(1 − r) W_i ; r], rows
                             divided, r standing for the residual path. Joined as ALTI+ joins:
                               source_l = r_i A source_(l−1) + C E,   prefix_l = r_i A prefix_(l−1)
                             from 0 and I, E the encoder's last R. With rows that sum to 1 this is the product of the
                             steps as matrices over S + T tokens (checked)
  attention_flow             the same steps as capacities of one graph, described at mixing.flow: a node between self- and
                             cross-attention of each decoder layer; the residual path of cross-attention is the edge to
                             it, and shares its row with the edges to the source. normalise=none: the flows
                             themselves; by rows: divided by their sum over S + T sinks
  attention_norm             ‖f_ij‖ (heads=each: ‖α^h_ij W_O^h v^h_j‖)
  attention_norm_res         ‖f_ij + [i = j] x_i‖; cross: ‖f_ij‖, and last ‖x_i‖, x the stream before cross-attention:
                             axis "source+residual", S + 1 columns
  alti                       per attention: c_ij = max(0, ‖y_i‖₁ − ‖y_i − T_ij‖₁), rows divided; T_ij = f_ij + [i = j] x_i and
                             y_i their sum; cross: f_ij, and the residual path x_i as column S. "rollout" maps: joined as
                             above (ALTI+, Ferrando et al., 2022), rows divided again after each layer
  value_zeroing              1 − cos of a block's outputs with and without token j's values, the block run again from its
                             own input: encoder, decoder self-attention (cross-attention recomputed, its queries
                             change), cross-attention (the encoder's output as it was). In each stack's last layer
                             after that stack's last norm (final_norm=apply), or before (raw). normalise=none: the
                             distances; by rows: divided by their sum over the tokens of that attention. heads=1: that
                             head's values alone
  saliency                   ‖∂F/∂x_t‖₂ at the embeddings of source and prefix
  input_x_gradient           Σ_d x_t ∂F/∂x_t
  integrated_gradients       source and prefix move together. rule=gauss with steps nodes: that sum; without a rule: the
                             integral itself (pieces between the bends of relu). baseline pad and zero; mean: of the
                             sequence's own embeddings, source and prefix apart. special_tokens=keep: </s> and the
                             prefix's start stay
  occlusion                  F(x) − F(x with embedding t replaced), special tokens included; replace as the baselines
  kernel_shap                Shapley values by the definition over all coalitions of tokens that are not special
  generic_attention          Chefer et al. (2021), rules 5, 6 and 10 with the normalisation N; explaining.generic_attention.
                             Maps R_ss, R_qs, R_qq; units: row `position` of R_qs and R_qq, its own column 0.
                             transpose=no: N(R_qq) in place of N(R_qq)ᵀ (not published)
  attattr                    A ⊙ ∫₀¹ ∂F(aA)/∂A da of one attention at a time, all heads of it together; rule=gauss, steps=64, or
                             no rule: the integral. "change": F(A) − F(0) per layer of each kind
  hidden_token_attribution   Frobenius norms of ∂e_j/∂x_i, e the block's own output (before the stack's last norm), rows
                             divided over the source (encoder) or over source and prefix together (decoder);
                             "norm" maps: undivided. norm=gradxinput: ‖J diag(x_i)‖
  attn_lrp, cp_lrp, epsilon_lrp, gamma_lrp, decompx    relevance.py; without biases decompx has the numbers of cp_lrp
"""

import json
import pathlib
import sys

import torch
from tokenizers import Tokenizer

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from encoder_decoder_oracle import checks, explaining, mixing, relevance  # noqa: E402
from encoder_decoder_oracle.network import KINDS, Subject  # noqa: E402
from encoder_decoder_oracle.relevance import Rule  # noqa: E402

MODELS = ["t5_v1_0", "t5_v1_1"]
SOURCE, PREFIX = "the house is small.", "das Haus ist klein"

TOKENS = {"encoder": ["source", "source"], "decoder": ["prefix", "prefix"], "cross": ["prefix", "source"],
          "decoder_to_source": ["prefix", "source"], "decoder_to_prefix": ["prefix", "prefix"]}


class Results:
    def __init__(self):
        self.all = []

    def add(self, method, options, target, *maps):
        """maps: (name, axes, tensor)."""
        made = [{"name": name, "axes": axes, "shape": list(values.shape),
                 "values": [float(f"{v:.14g}") for v in values.flatten().tolist()]} for name, axes, values in maps]
        for map_, (_, axes, values) in zip(made, maps):
            assert len(axes) == values.dim() and torch.isfinite(values).all(), (method, map_["name"])
        self.all.append({"method": method, "options": options, "target": target, "maps": made})


def maps_of(named, *, heads=False, prefix=""):
    return [(prefix + name, ["layer"] + ["head"] * heads + TOKENS[name], values) for name, values in named.items()]


def by_rows(named):
    """Rows divided; of two inputs of one row, over both."""
    result = {}
    for name, values in named.items():
        total = values
        if name.startswith("decoder_to_"):
            total = torch.cat([named["decoder_to_source"], named["decoder_to_prefix"]], -1)
        sums = total.sum(-1, keepdim=True)
        result[name] = torch.where(sums > 0, values / torch.where(sums > 0, sums, 1), 0)
    return result


def add_mixing(subject, results):
    size = subject.S, subject.T
    results.add("attention", {}, None, *maps_of(mixing.attention(subject), heads=True))
    for wanted in ("false", "true"):
        results.add("effective_attention", {"sum_preserving": wanted}, None,
                    *maps_of(mixing.effective_attention(subject, wanted == "true"), heads=True))
    for residual, fusion in ((0.5, "mean"), (0.2, "mean"), (0.5, "max")):
        steps = mixing.fused_steps(subject, residual, fusion)
        results.add("attention_rollout", {"residual": str(residual), "fusion": fusion}, None,
                    *maps_of(mixing.join(steps, size)))
        if fusion == "mean":
            flows = mixing.flow(steps, size)
            for normalise in ("none", "rows"):
                results.add("attention_flow", {"residual": str(residual), "normalise": normalise}, None,
                            *maps_of(flows if normalise == "none" else by_rows(flows)))
    results.add("attention_norm", {"heads": "sum"}, None, *maps_of(mixing.norms(subject, "sum")))
    results.add("attention_norm", {"heads": "each"}, None, *maps_of(mixing.norms(subject, "each"), heads=True))
    beside = ["layer", "prefix", "source+residual"]
    made = mixing.norms_with_residual(subject)
    results.add("attention_norm_res", {}, None, *maps_of({k: made[k] for k in KINDS[:2]}), ("cross", beside, made["cross"]))
    steps = mixing.alti(subject)
    stacked = {kind: torch.stack(maps) for kind, maps in steps.items()}
    results.add("alti", {}, None, *maps_of({k: stacked[k] for k in KINDS[:2]}), ("cross", beside, stacked["cross"]),
                *maps_of(mixing.join(steps, size), prefix="rollout "))
    for final_norm, normalise, heads in (("apply", "none", None), ("apply", "rows", None), ("raw", "none", None),
                                         ("apply", "none", "1")):
        made = mixing.value_zeroing(subject, final_norm, None if heads is None else [int(heads)])
        options = {"final_norm": final_norm, "normalise": normalise} | ({} if heads is None else {"heads": heads})
        results.add("value_zeroing", options, None, *maps_of(by_rows(made) if normalise == "rows" else made))
    for norm in ("frobenius", "gradxinput"):
        shares, sizes = explaining.hidden_token_attribution(subject, norm)
        results.add("hidden_token_attribution", {"norm": norm}, None, *maps_of(shares), *maps_of(sizes, prefix="norm "))


def add_gradients(subject, results, k, target):
    def add(method, options, scores):
        results.add(method, options, k, ("", ["units"], scores))

    for quantity in ("logit", "probability"):
        options = {"quantity": quantity}
        add("saliency", options, explaining.saliency(subject, target, quantity))
        add("input_x_gradient", options, explaining.input_x_gradient(subject, target, quantity))
        for replacement in ("pad", "unk", "mean", "zero"):
            add("occlusion", options | {"replace": replacement, "special_tokens": "include"},
                explaining.occlusion(subject, target, quantity, replacement))
        add("kernel_shap", options | {"replace": "pad"}, explaining.shapley(subject, target, quantity, "pad"))
        for replacement, special in (("zero", "replace"), ("pad", "replace"), ("pad", "keep"), ("mean", "replace"),
                                     ("mean", "keep")):
            start = explaining.baseline(subject, replacement, special)
            options = {"quantity": quantity, "baseline": replacement, "special_tokens": special}
            add("integrated_gradients", options | {"rule": "gauss", "steps": "16"},
                explaining.fixed_rule(subject, start, target, quantity, explaining.gauss(16)))
            if quantity == "logit" and k == 0:
                add("integrated_gradients", options, explaining.integrated_gradients(subject, start, target, quantity))


def add_attention_weighing(subject, results, k, target):
    for transposed, options in ((True, {}), (False, {"transpose": "no"})):
        made = explaining.generic_attention(subject, target, transposed)
        results.add("generic_attention", options, k, *[(name, TOKENS.get(name, ["units"]), v) for name, v in made.items()])
    for quantity in ("probability", "logit"):
        for rule in ({"rule": "gauss", "steps": "64"}, {}):
            if rule or k == 0:
                made, change = explaining.attattr(subject, target, quantity, explaining.gauss(64) if rule else None)
                results.add("attattr", {"quantity": quantity} | rule, k, *maps_of(made, heads=True),
                            *[("change " + kind, ["layer"], v) for kind, v in change.items()])


RULES = [
    ("attn_lrp", {}, Rule("shared")),
    ("cp_lrp", {}, Rule("constant")),
    ("epsilon_lrp", {"epsilon": "1e-6", "attention": "constant"}, Rule("constant", 1e-6)),
    ("epsilon_lrp", {"epsilon": "0.01", "attention": "constant"}, Rule("constant", 0.01)),
    ("epsilon_lrp", {"epsilon": "0.25", "attention": "shared"}, Rule("shared", 0.25)),
    ("gamma_lrp", {"gamma": "0.25", "epsilon": "1e-6", "attention": "constant"}, Rule("constant", 1e-6, 0.25)),
    ("gamma_lrp", {"gamma": "1.5", "epsilon": "0.1", "attention": "shared"}, Rule("shared", 0.1, 1.5)),
]


def add_relevance(subject, results, k, target):
    for method, options, rule in RULES:
        results.add(method, options, k, ("", ["units"], relevance.multipliers(subject, target, rule)))
    results.add("decompx", {}, k, ("", ["units"], relevance.parts(subject, target)))


def case(model):
    folder = HERE / "encoder_decoder_models" / model
    tok = Tokenizer.from_file(str(folder / "tokenizer.json"))
    source = tok.encode(SOURCE).ids
    prefix = [0] + tok.encode(PREFIX, add_special_tokens=False).ids
    subject = Subject(folder, source, prefix)
    targets = []
    for position, rank in ((subject.T - 1, 0), (2, 3)):  # the prediction after the prefix, and another word inside
        target = {"position": position, "id": int(subject.logits[position].argsort(descending=True)[rank])}
        values = {q: float(subject.value(subject.logits, target, q)) for q in ("logit", "probability")}
        targets.append(target | values)
    results = Results()
    add_mixing(subject, results)
    for k, target in enumerate(targets):
        add_gradients(subject, results, k, target)
        add_attention_weighing(subject, results, k, target)
        add_relevance(subject, results, k, target)
    checks.all_of(model, subject, targets, results.all, [rule for _, _, rule in RULES])
    words = lambda text, ids: {"text": text, "ids": ids, "tokens": [tok.id_to_token(i) for i in ids]}  # noqa: E731
    return {"model": model, "source": words(SOURCE, source), "prefix": words(PREFIX, prefix), "targets": targets}, results.all


def main():
    torch.set_num_threads(1)
    written = []
    for model in MODELS:
        head, results = case(model)
        lines = ",\n".join(json.dumps(r) for r in results)
        written.append(json.dumps(head)[:-1] + ', "results": [\n' + lines + "\n]}")
    (HERE / "encoder_decoder.json").write_text('{"cases": [\n' + ",\n".join(written) + "\n]}\n")


if __name__ == "__main__":
    main()

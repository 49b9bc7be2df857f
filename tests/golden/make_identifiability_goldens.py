"""Writes identifiability.json: effective attention and hidden token attribution by NumPy and torch, in float64.

    python tests/golden/make_identifiability_goldens.py

Models and inputs are those of models/<case> (the first input). Values, head outputs and hidden states are caught by
hooks on transformers' own modules; Jacobians come from torch's reverse mode, so nothing here shares a formula with
what is tested. Orientation of the file: row = token written, column = token read; 0 where a causal mask forbids.
Read by identifiability_goldens_test.cpp. Needs torch, transformers and safetensors.
"""

import json
import pathlib
import sys

import numpy as np
import torch
import transformers
from safetensors.torch import load_file

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from make_model_goldens import Everything64, blocks_of, first  # noqa: E402
from model_cases import all_cases  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
CASES = ["bert_model", "bert_causal_lm", "gpt2_causal_lm", "llama_model", "vit_model"]


def projections(model, block):
    """(module whose output ends in the values, its bias, module that reads the heads' outputs)"""
    kind = model.config.model_type
    if kind == "bert":
        own = block.attention.self.value
        return own, own.bias, block.attention.output.dense
    if kind == "gpt2":
        return block.attn.c_attn, block.attn.c_attn.bias, block.attn.c_proj
    if kind == "llama":
        return block.self_attn.v_proj, block.self_attn.v_proj.bias, block.self_attn.o_proj
    return block.attention.v_proj, block.attention.v_proj.bias, block.attention.o_proj


class Runner:
    """One forward from a changed value: the word embeddings or the input of a block."""

    def __init__(self, case, model, inputs):
        self.case, self.model, self.inputs, self.blocks = case, model, inputs, blocks_of(model)
        cfg = model.config
        self.heads, self.width = cfg.num_attention_heads, cfg.hidden_size
        self.groups = getattr(cfg, "num_key_value_heads", self.heads)
        self.e = getattr(cfg, "head_dim", None) or self.width // self.heads

    def __call__(self, x=None, layer=0, words=False):
        handles, seen = [], {"out": [], "v": [], "z": []}
        if x is not None and words:
            embedding = self.model.get_input_embeddings()
            handles.append(embedding.register_forward_hook(lambda m, a, y: x[None]))
        elif x is not None:
            handles.append(self.blocks[layer].register_forward_pre_hook(
                lambda m, a, k: ((x[None], *a[1:]), k) if a else (a, k | {"hidden_states": x[None]}), with_kwargs=True))

        def keep(name, pick):
            return lambda m, a, y: seen[name].append(first(pick(a, y))[0])

        seen["in"] = []
        handles.append(self.blocks[0].register_forward_pre_hook(
            lambda m, a, k: seen["in"].append((a[0] if a else k["hidden_states"])[0]), with_kwargs=True))
        words_seen = []
        handles.append(self.model.get_input_embeddings().register_forward_hook(lambda m, a, y: words_seen.append(y)))
        for block in self.blocks:
            value, _, out = projections(self.model, block)
            handles.append(block.register_forward_hook(keep("out", lambda a, y: y)))
            handles.append(value.register_forward_hook(keep("v", lambda a, y: y)))
            handles.append(out.register_forward_hook(keep("z", lambda a, y: a)))
        with Everything64():
            result = self.model(**self.inputs, output_attentions=True)
        for handle in handles:
            handle.remove()
        seen["words"] = words_seen[0][0]
        seen["patterns"] = [p[0] for p in result.attentions]
        return seen

    def values(self, seen, layer, bias):
        """[H, T, E], the values each query head reads."""
        own = self.groups * self.e
        v = seen["v"][layer].detach()[:, -own:]
        b = projections(self.model, self.blocks[layer])[1]
        if not bias and b is not None:
            v = v - b.detach()[-own:]
        v = v.reshape(-1, self.groups, self.e).transpose(0, 1)
        return v.repeat_interleave(self.heads // self.groups, 0).numpy()


def projector(v):
    u, s, _ = np.linalg.svd(v, full_matrices=False)
    u = u[:, s > s[0] * max(v.shape) * np.finfo(float).eps]
    return u @ u.T


def effective(runner, seen, causal, ones=False, bias=True):
    maps = []
    for layer, patterns in enumerate(seen["patterns"]):
        for a, v in zip(patterns.detach().numpy(), runner.values(seen, layer, bias)):
            if ones:
                v = np.c_[v, np.ones(len(v))]
            if not causal:
                maps.append(a @ projector(v))
                continue
            rows = np.zeros_like(a)
            for t in range(len(a)):
                rows[t, : t + 1] = a[t, : t + 1] @ projector(v[: t + 1])
            maps.append(rows)
    return np.array(maps)


def jacobian(f, x):
    """[outputs…, T, D] of f at x, by torch's reverse mode."""
    return torch.autograd.functional.jacobian(f, x.detach().clone(), vectorize=True)


def blocks(j):
    """[L, Tj, O, Ti, C] → [L, Tj, Ti, O, C]"""
    return j.permute(0, 1, 3, 2, 4)


def shares(norms):
    return (norms / norms.sum(-1, keepdim=True)).numpy()


def attribution(runner, seen):
    x0, words, layers = seen["in"][0], seen["words"], len(runner.blocks)
    j = blocks(jacobian(lambda x: torch.stack(runner(x)["out"]), x0))
    frobenius = j.pow(2).sum((-1, -2)).sqrt()
    found = {
        "frobenius": shares(frobenius),
        "norms": frobenius.numpy(),
        "spectral": shares(torch.linalg.svdvals(j)[..., 0]),
        "ones": shares(j.sum(-2).norm(dim=-1)),
        "gradxinput": shares((j * x0.detach()[None, None, :, None, :]).pow(2).sum((-1, -2)).sqrt()),
    }
    if runner.model.config.model_type == "bert":
        by_word = blocks(jacobian(lambda w: torch.stack(runner(w, words=True)["out"]), words))
        found["word"] = shares(by_word.pow(2).sum((-1, -2)).sqrt())
    local = []
    for layer in range(layers):
        x = x0 if layer == 0 else seen["out"][layer - 1]
        one = blocks(jacobian(lambda t: runner(t, layer)["out"][layer][None], x))[0]
        local.append(one.pow(2).sum((-1, -2)).sqrt())
    found["local"] = shares(torch.stack(local))
    e, h, tokens = runner.e, runner.heads, len(x0)
    by_head = jacobian(lambda x: torch.stack(runner(x)["z"]), x0)  # [L, Tj, H·E, Ti, C]
    by_head = by_head.reshape(layers, tokens, h, e, tokens, -1).permute(0, 2, 1, 4, 3, 5)
    found["heads"] = shares(by_head.pow(2).sum((-1, -2)).sqrt())
    return found


def load(case, folder):
    """The stored model in float64 from the start, see Note [Honest float64] of make_model_goldens.py."""
    config = transformers.AutoConfig.from_pretrained(folder, attn_implementation="eager", dtype=torch.float64)
    state = getattr(transformers, case.cls).from_pretrained(folder, dtype=torch.float64).state_dict()
    torch.set_default_dtype(torch.float64)
    with Everything64():
        model = getattr(transformers, case.cls)(config).eval()
        model.load_state_dict(state)
    torch.set_default_dtype(torch.float32)
    return model.requires_grad_(False)


def rounded(array):
    return [float(f"{v:.12g}") for v in np.asarray(array).ravel()]


def golden(case):
    folder = HERE / "models" / case.name
    model = load(case, folder)
    stored = load_file(folder / "expected.safetensors")
    inputs = {k: stored[k][:1] for k in ("input_ids", "token_type_ids", "pixel_values") if k in stored}
    runner = Runner(case, model, inputs)
    seen = runner()
    patterns = torch.stack(seen["patterns"]).numpy()
    assert np.abs(patterns - stored["patterns"][:, 0].numpy()).max() < 1e-13, "the run that was stored"
    causal = bool((np.triu(patterns, 1) == 0).all())
    maps = {"": effective(runner, seen, causal), "sum_preserving": effective(runner, seen, causal, ones=True)}
    if projections(model, runner.blocks[0])[1] is not None:
        maps["value_bias"] = effective(runner, seen, causal, bias=False)
    result = {"case": case.name, "effective": {k: rounded(v) for k, v in maps.items()}}
    result["attribution"] = {k: rounded(v) for k, v in attribution(runner, seen).items()}
    return result


def main():
    torch.set_num_threads(1)
    known = {case.name: case for case in all_cases()}
    lines = [json.dumps(golden(known[name])) for name in CASES]
    (HERE / "identifiability.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    main()

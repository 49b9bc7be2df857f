#!/usr/bin/env python3
"""Makes tests/golden/models: tiny random checkpoints and what transformers computes from them.

  make_model_goldens.py [--out DIR] [--only NAME …]   write the folders (default: beside this script)
  make_model_goldens.py --compare DIR                 hold DIR against the committed folders

Every folder has config.json and model.safetensors as save_pretrained writes them (some then edited to look
like older published checkpoints), and expected.safetensors with, for B inputs of equal length T:

  input_ids, token_type_ids  [B, T] I64, or pixel_values [B, C, height, width] F64
  hidden_states   [L+1, B, T, D]  F64  input of block 0, then the output of every block. transformers replaces
                                       the last one by the output of the final norm for gpt2, llama, mistral and
                                       qwen2; here it is always the block's own output.
  final_norm      [B, T, D]       F64  output of the final norm, in families that have one
  patterns        [L, B, H, T, T] F64  attention after softmax; zero where a causal mask forbids
  pooled          [B, D]          F64  pooler_output of bare models that have a pooler
  logits          [B, …]          F64  [n] sequence and image classes, [T, n] token classes, [T, 2] start and
                                       end, [T, V] language models, [T, 1] electra's discriminator; for bare
                                       models last_hidden_state [T, D]
  logits_f32, hidden_states_f32, patterns_f32  F32  the same by transformers in float32, nothing changed
  gradient_index  [1]             I64  which logit of a row (flat), see next
  gradient_embed  [B, T, E]       F64  d (that logit, summed over rows) / d (output of the word embedding; for
                                       images of the patch projection, [B, patches, D])
  gradient_block0 [B, T, D]       F64  images: the same, with respect to hidden_states[0]
  gradient_pixels [B, C, h, w]    F64  images: the same, with respect to pixel_values

Note [Honest float64]. A transformers model turned to double still computes softmax (llama, mistral, qwen2,
vit, deit), RMSNorm and the rotary tables in float32. The float64 numbers here are made under a mode that
reads every request for float32 as float64, from the construction of the model (inverse frequencies) on, and
that fails if any op returns float32. gpt2's reorder_and_upcast_attn, whose float32 is written into an
assertion, is turned off for float64; it only changes the order of operations.

Note [No padding]. Headwater runs texts of equal length and never pads. For every text case the same model is
also run on a right-padded batch with its attention mask; the rows must equal the unpadded runs.

Weights are random with a larger spread than transformers' initialisation, norms and biases included, so that
a missing term shows. Everything is seeded by the case's name: the same versions give the same bytes.
"""

import argparse
import copy
import json
import pathlib
import platform
import re
import shutil
import sys
import zlib

import numpy as np
import safetensors
import torch
import transformers
from safetensors.torch import load_file, save_file
from torch.overrides import TorchFunctionMode

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from model_cases import all_cases  # noqa: E402

HERE = pathlib.Path(__file__).parent / "models"
BATCH = 2


class Everything64(TorchFunctionMode):
    """Reads float32 as float64 in every call, see Note [Honest float64]."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        widen = lambda x: torch.float64 if x is torch.float32 else x  # noqa: E731
        if func is torch.Tensor.float:
            func = torch.Tensor.double
        args = tuple(widen(a) for a in args)
        kwargs = {k: widen(v) for k, v in (kwargs or {}).items()}
        result = func(*args, **kwargs)
        if isinstance(result, torch.Tensor) and result.dtype == torch.float32:
            raise RuntimeError(f"{func} gave float32 in a float64 run")
        return result


def randomise(model, rng, keep_positions):
    with torch.no_grad():
        for name, p in sorted(model.named_parameters()):
            if keep_positions and "position_embeddings" in name:
                continue
            draw = torch.from_numpy(rng.standard_normal(tuple(p.shape)))
            norm = re.search(r"(norm|ln_\w+|LayerNorm)\.", name, re.IGNORECASE)
            if norm and name.endswith("weight"):
                value = 1 + 0.3 * draw
            elif name.endswith("bias"):
                value = 0.3 * draw
            elif re.search(r"embed|wte|wpe|token", name) and "project" not in name:
                value = draw
            else:  # a product: rows of unit-sized inputs give outputs of about this size
                fan_in = p[0].numel() if "Conv1D" not in type(parent(model, name)).__name__ else p.shape[0]
                value = 1.3 * draw / fan_in**0.5
            p.copy_(value)


def parent(model, name):
    return model.get_submodule(name.rpartition(".")[0])


def build(case, config, state):
    """The float64 twin of a saved model: made in float64 from the start, then filled with the stored numbers."""
    config = copy.deepcopy(config)
    config.dtype = torch.float64  # or heads that build their base by configuration would ask for the stored type
    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with Everything64():
            model = getattr(transformers, case.cls)(config).eval()
            model.load_state_dict({k: v.to(torch.float64) for k, v in state.items()})
    finally:
        torch.set_default_dtype(default)
    for module in model.modules():
        if getattr(module, "reorder_and_upcast_attn", False):
            module.reorder_and_upcast_attn = False
    return model


def blocks_of(model):
    lists = [m for m in model.modules() if isinstance(m, torch.nn.ModuleList)]
    return [m for m in lists if len(m) == model.config.num_hidden_layers][0]


def final_norm_of(model):
    base = model.base_model if model.base_model is not model else model
    if model.config.model_type in ("llama", "mistral", "qwen2"):  # question answering: prefix "transformer"
        base = getattr(model, "transformer", base)
    for name in ("ln_f", "norm", "layernorm"):
        if hasattr(base, name):
            return getattr(base, name)
    return None


def first(value):
    return value[0] if isinstance(value, tuple) else value


def logits_of(out):
    if "start_logits" in out:
        return torch.stack([out.start_logits, out.end_logits], dim=-1)
    if "prediction_logits" in out:
        return out.prediction_logits
    if "logits" not in out:
        return out.last_hidden_state
    return out.logits


def run(model, inputs, gradients=False):
    """One forward; everything captured by hooks on the modules themselves."""
    seen, handles = {}, []

    def keep(name, pick):
        def hook(module, args, output=None):
            value = first(pick(args, output))
            if gradients:
                value.retain_grad()
            seen[name] = value

        return hook

    blocks = blocks_of(model)
    embedding = model.get_input_embeddings()
    handles.append(embedding.register_forward_hook(keep("embed", lambda a, y: y)))
    handles.append(blocks[0].register_forward_pre_hook(keep("block0", lambda a, y: a)))
    for k, block in enumerate(blocks):
        handles.append(block.register_forward_hook(keep(f"block{k + 1}", lambda a, y: y)))
    norm = final_norm_of(model)
    if norm is not None:
        handles.append(norm.register_forward_hook(keep("final_norm", lambda a, y: y)))
    out = model(**inputs, output_hidden_states=True, output_attentions=True)
    for handle in handles:
        handle.remove()
    hidden = [seen[f"block{k}"] for k in range(len(blocks) + 1)]
    reported = list(out.hidden_states)
    assert len(reported) == len(hidden) and len(out.attentions) == len(blocks)
    replaced = model.config.model_type in ("gpt2", "llama", "mistral", "qwen2")
    check = hidden[:-1] + [seen["final_norm"] if replaced else hidden[-1]]
    assert all(torch.equal(a, b) for a, b in zip(reported, check)), "hidden states as documented"
    logits = logits_of(out)
    if model.config.model_type == "electra" and logits.dim() == 2 and "PreTraining" in type(model).__name__:
        logits = logits.unsqueeze(-1)
    return out, seen, hidden, logits


def record(case, model64, model32, inputs):
    """Everything expected.safetensors holds for one input."""
    result = {k: v for k, v in inputs.items()}
    wide = dict(inputs)
    if "pixel_values" in wide:
        wide["pixel_values"] = wide["pixel_values"].clone().requires_grad_()
    with Everything64():
        out, seen, hidden, logits = run(model64, wide, gradients=True)
        index = logits[0].numel() // 2 + 1 if logits[0].numel() > 2 else logits[0].numel() - 1
        logits.flatten(1)[:, index].sum().backward()
    result |= {
        "hidden_states": torch.stack(hidden),
        "patterns": torch.stack(list(out.attentions)),
        "logits": logits,
        "gradient_index": torch.tensor([index]),
        "gradient_embed": seen["embed"].grad,
    }
    if "final_norm" in seen:
        result["final_norm"] = seen["final_norm"]
    if out.get("pooler_output") is not None:
        result["pooled"] = out.pooler_output
    if "pixel_values" in wide:
        result["gradient_block0"] = hidden[0].grad
        result["gradient_pixels"] = wide["pixel_values"].grad
    sums = result["patterns"].sum(-1)
    assert (sums - 1).abs().max() < 1e-14, "patterns are float64"
    with torch.no_grad():
        narrow = {k: v.float() if v.is_floating_point() else v for k, v in inputs.items()}
        out, _, hidden, logits = run(model32, narrow)
    result["logits_f32"] = logits
    result["hidden_states_f32"] = torch.stack(hidden)
    result["patterns_f32"] = torch.stack(list(out.attentions))
    gap = max(
        ((result[k] - result[k + "_f32"]).abs() / (1 + result[k].abs())).max().item()
        for k in ("logits", "hidden_states", "patterns")
    )
    assert gap < 2e-5, f"{case.name}: float32 and float64 differ by {gap}"
    return {k: v.detach().contiguous().clone() for k, v in result.items()}, gap


def padding_gap(case, model64, inputs):
    """Note [No padding]: the largest difference between a padded and an unpadded run, over real tokens."""
    ids = inputs["input_ids"]
    tokens, cut = ids.shape[1], 3
    pad = model64.config.pad_token_id
    if pad is None:
        pad = 0
    padded = {k: v.clone() for k, v in inputs.items()}
    padded["input_ids"][1, -cut:] = pad
    mask = torch.ones_like(ids)
    mask[1, -cut:] = 0
    per_token = None
    with torch.no_grad(), Everything64():
        if model64.config.pad_token_id is None and "SequenceClassification" in case.cls:
            return None
        together = run(model64, padded | {"attention_mask": mask})
        worst = 0.0
        for row, length in ((0, tokens), (1, tokens - cut)):
            alone = run(model64, {k: v[row : row + 1, :length] for k, v in inputs.items()})
            a, b = together[3][row], alone[3][0]
            per_token = a.shape[0] == tokens and b.shape[0] == length
            a = a[:length] if per_token else a
            worst = max(worst, (a - b).abs().max().item())
            for x, y in zip(together[2], alone[2]):
                worst = max(worst, (x[row, :length] - y[0]).abs().max().item())
    assert worst < 1e-12, f"{case.name}: padded rows differ by {worst}"
    return worst


def make_inputs(case, config, rng, tokens):
    if "image_size" in config.to_dict():
        size = (BATCH, config.num_channels, config.image_size, config.image_size)
        return {"pixel_values": torch.from_numpy(rng.standard_normal(size))}
    if case.ids:
        return {"input_ids": torch.tensor(case.ids)}
    inputs = {"input_ids": torch.from_numpy(rng.integers(5, config.vocab_size, (BATCH, tokens)))}
    if case.pair:
        types = np.zeros((BATCH, tokens), dtype=np.int64)
        types[0, tokens // 2 :] = 1
        types[1, tokens // 3 :] = 1
        inputs["token_type_ids"] = torch.from_numpy(types)
    return inputs


# What is done to a saved folder, so that it looks like what is published. Each takes config (a dict) and tensors.


def gamma_beta(case, config, tensors):
    return {re.sub(r"LayerNorm\.weight$", "LayerNorm.gamma", re.sub(r"LayerNorm\.bias$", "LayerNorm.beta", k)): v
            for k, v in tensors.items()}


def position_ids(case, config, tensors):
    ids = torch.arange(config["max_position_embeddings"]).unsqueeze(0)
    return tensors | {"bert.embeddings.position_ids": ids}


def unused_heads(case, config, tensors):
    width = config["hidden_size"]
    return tensors | {
        "bert.pooler.dense.weight": torch.full((width, width), 0.5),
        "bert.pooler.dense.bias": torch.full((width,), 0.5),
        "cls.seq_relationship.weight": torch.full((2, width), 0.5),
        "cls.seq_relationship.bias": torch.full((2,), 0.5),
    }


def drop_defaults(case, config, tensors):
    default = getattr(transformers, case.cls).config_class().to_dict()
    for key in list(config):
        if key not in ("model_type", "architectures") and default.get(key, ...) == config[key]:
            del config[key]
    return tensors


def no_prefix(case, config, tensors):
    return {k.removeprefix("transformer."): v for k, v in tensors.items()}


def mask_buffers(case, config, tensors):
    size = config["n_positions"]
    mask = torch.ones(1, 1, size, size).tril()
    return tensors | {"h.0.attn.bias": mask.to(torch.uint8), "h.1.attn.bias": mask,
                      "h.0.attn.masked_bias": torch.tensor(-1e4)}


def old_rope_keys(case, config, tensors):
    rope = config.pop("rope_parameters")
    config["rope_theta"] = rope["rope_theta"]
    config["rope_scaling"] = {"type": rope["rope_type"], "factor": rope["factor"]}
    return tensors


def inv_freq(case, config, tensors):
    return tensors | {f"model.layers.{k}.self_attn.rotary_emb.inv_freq": torch.ones(config["head_dim"] // 2)
                      for k in range(config["num_hidden_layers"])}


EDITS = {f.__name__: f for f in (gamma_beta, position_ids, unused_heads, drop_defaults, no_prefix, mask_buffers,
                                 old_rope_keys, inv_freq)}


def edit_folder(case, folder):
    todo = [EDITS[e] for e in case.edits if e in EDITS]
    if not todo:
        return
    config = json.loads((folder / "config.json").read_text())
    tensors = load_file(folder / "model.safetensors")
    for edit in todo:
        tensors = edit(case, config, tensors)
    (folder / "config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


def make(case, out):
    folder = out / case.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    rng = np.random.default_rng(zlib.crc32(case.name.encode()))
    torch.manual_seed(0)
    cls = getattr(transformers, case.cls)
    config = cls.config_class(**copy.deepcopy(case.config))
    config._attn_implementation = "eager"
    model = cls(config).eval().double()
    randomise(model, rng, "keep_positions" in case.edits)
    model.to(getattr(torch, case.stored))
    state = model.state_dict()
    model.save_pretrained(folder, **({"max_shard_size": "12KB"} if "shard" in case.edits else {}))
    (folder / "generation_config.json").unlink(missing_ok=True)
    edit_folder(case, folder)
    model64 = build(case, config, state)
    model32 = cls.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    worst, padded = 0.0, None
    for name, tokens in (("expected", case.tokens), ("expected_short", case.short)):
        if tokens == 0:
            continue
        inputs = make_inputs(case, config, rng, tokens)
        arrays, gap = record(case, model64, model32, inputs)
        save_file(arrays, folder / f"{name}.safetensors", metadata={"class": case.cls})
        worst = max(worst, gap)
        if name == "expected" and "input_ids" in inputs and "skip_padding_check" not in case.edits:
            padded = padding_gap(case, model64, inputs)
    size = sum(f.stat().st_size for f in folder.iterdir())
    largest = arrays["logits"].abs().max().item()
    print(f"{case.name:30} {size / 1024:7.1f} KB  f32-f64 {worst:.1e}  padded {padded}  |logit| {largest:.2f}")
    return size


def versions():
    return {"python": platform.python_version(), "torch": torch.__version__.split("+")[0],
            "transformers": transformers.__version__, "safetensors": safetensors.__version__,
            "numpy": np.__version__}


def write_list(out):
    """What the test expects to find, so that a lost folder is a failure and not silence."""
    (out / "cases.txt").write_text("".join(f"{c.name} {c.cls}\n" for c in all_cases()))


def write_readme(out, total):
    used = "\n".join(f"{name}=={version}" for name, version in versions().items() if name != "python")
    rows = "\n".join(f"| {c.name} | {c.cls} | {c.about} |" for c in all_cases())
    layout = __doc__.split("for B inputs of equal length T:\n")[1].split("\nNote [")[0].strip("\n")
    (out / "README.md").write_text(f"""# Model goldens

Tiny random checkpoints and what transformers computes from them. Made by `tests/golden/make_model_goldens.py`
(list of cases: `model_cases.py`, `cases.txt`); do not edit by hand. `tools/remake_goldens.sh` makes them again in a fresh
virtual environment and compares. Read by `tests/golden/model_goldens_test.cpp`.

Made with Python {platform.python_version()} and

```
{used}
```

`expected.safetensors` (and `expected_short.safetensors`, a second input of another length) holds, for B inputs
of equal length T:

```
{layout}
```

The float64 numbers are float64 throughout: transformers computes softmax, RMSNorm and rotary tables in float32
even in a double model, and the script overrides that (see the notes at its head). The script also checks that a
right-padded batch with an attention mask gives every row what the unpadded text gives.

| case | class | what it is there for |
|---|---|---|
{rows}
""")
    print(f"{sum(1 for _ in all_cases())} cases, {total / 1e6:.2f} MB")


def compare(made, committed):
    """The same tensors bit for bit in checkpoints; expected numbers within what BLAS order may change."""
    problems = []
    names = {p.name for p in committed.iterdir() if p.is_dir()}
    if names != {p.name for p in made.iterdir() if p.is_dir()}:
        problems.append("the folders have different names")
    for name in sorted(names):
        for file in sorted((committed / name).glob("*.safetensors")):
            if not (made / name / file.name).exists():
                problems.append(f"{name}/{file.name}: not made")
                continue
            a, b = load_file(file), load_file(made / name / file.name)
            if a.keys() != b.keys():
                problems.append(f"{name}/{file.name}: other tensor names: {sorted(a.keys() ^ b.keys())}")
                continue
            for key in a:
                exact = not file.name.startswith("expected")
                tolerance = 0.0 if exact else 1e-5 if key.endswith("_f32") else 1e-10
                gap = (a[key].double() - b[key].double()).abs().max().item() if a[key].shape == b[key].shape else 1e9
                if gap > tolerance:
                    problems.append(f"{name}/{file.name}: {key} differs by {gap:.2e}")
        if (made / name / "config.json").exists():
            a, b = (json.loads((d / name / "config.json").read_text()) for d in (committed, made))
            changed = {k for k in a.keys() | b.keys() if a.get(k) != b.get(k)} - {"transformers_version"}
            if changed:
                print(f"note: {name}/config.json: keys that differ: {sorted(changed)}")
    for problem in problems:
        print(problem)
    print(f"{len(names)} folders compared, {len(problems)} differences; now {versions()}")
    return 1 if problems or not names else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, default=HERE)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--compare", type=pathlib.Path, metavar="DIR")
    args = parser.parse_args()
    if args.compare:
        return compare(args.compare, HERE)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    total = 0
    for case in all_cases():
        if not args.only or case.name in args.only:
            total += make(case, args.out)
    if not args.only:
        write_list(args.out)
        write_readme(args.out, total)
    return 0


if __name__ == "__main__":
    sys.exit(main())

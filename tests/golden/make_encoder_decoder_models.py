#!/usr/bin/env python3
"""Makes tests/golden/encoder_decoder_models: tiny random T5 checkpoints and what transformers computes from them.

  make_encoder_decoder_models.py [--out DIR] [--only NAME …]   write the folders (default: beside this script)
  make_encoder_decoder_models.py --compare DIR                 hold DIR against the committed folders

Every folder is one of Hugging Face's: config.json, generation_config.json, model.safetensors, tokenizer.json and
tokenizer_config.json. expected.safetensors (and expected_long.safetensors, an input of other lengths) holds, for B
pairs of S source and T prefix tokens (L encoder layers, M decoder layers, H heads, D wide, V words):

  input_ids               [B, S]           I64  the source, ending in </s>
  decoder_input_ids       [B, T]           I64  the prefix, beginning with decoder_start_token_id
  encoder_hidden_states   [L+1, B, S, D]   F64  input of block 0, then every block's own output (transformers puts
  decoder_hidden_states   [M+1, B, T, D]   F64  the last norm's output in place of the last one)
  encoder_final_norm      [B, S, D]        F64  output of the stack's last norm; the encoder's is what cross-attention
  decoder_final_norm      [B, T, D]        F64  reads
  encoder_patterns        [L, B, H, S, S]  F64  attention after softmax
  decoder_patterns        [M, B, H, T, T]  F64  zero where the causal mask forbids
  cross_patterns          [M, B, H, T, S]  F64  decoder positions read source positions
  logits                  [B, T, V]        F64  T5Model: the decoder's last norm [B, T, D]; T5EncoderModel: the
                                                encoder's, [B, S, D]
  gradient_index          [1]              I64  which logit of an input (flat), see next
  gradient_encoder_embed  [B, S, D]        F64  d (that logit, summed over inputs) / d (embeddings of the source)
  gradient_decoder_embed  [B, T, D]        F64  the same, with respect to those of the prefix
  *_f32                                    F32  logits, hidden states and patterns by transformers in float32

T5EncoderModel has the encoder's arrays alone. generation.json, of models that generate, is a list of

  text, source          the source as text and as ids
  prefix                ids given to the decoder, decoder_start_token_id first
  max_new_tokens        how many may follow the prefix
  greedy                ids with the prefix, up to and with </s> if it came
  beams                 [{ids, score}] best first: num_beams 3, length_penalty 1, early_stopping false

Note [Beams]. Of every step's candidates (3 beams × V words) the best 6 are looked at. One is finished if it ends in
</s> or has max_new_tokens; those of the best 3 that are finished are kept with score (sum of log-probabilities) /
(number of new tokens, </s> included), and the best 3 of all finished ones stay. The best 3 unfinished of the 6 go on.
It ends when all 6 are finished, or when 3 are kept and the best running sum / (new tokens so far) is not above the
worst kept score. `beams_by_definition` says the same in plain Python and is held equal.

Note [Honest float64] of make_model_goldens.py holds here too: RMSNorm and log-softmax would be float32. The buckets of
relative positions are the exception: transformers takes their logarithm in float32, whatever the model's type, and
this decides in which bucket a distance on the border falls. The script checks that float64 gives the same buckets at
the lengths used; buckets.json has those of transformers' own float32 over many distances.

Weights are random with a larger spread than transformers' initialisation, norms included, and the scores have room
between them: greedy and beam search in float32 give the same ids. Everything is seeded by the case's name.
"""

import argparse
import contextlib
import copy
import json
import pathlib
import shutil
import sys
import zlib

import numpy as np
import sentencepiece
import tokenizers
import torch
import transformers
from safetensors.torch import save_file

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from encoder_decoder_cases import SENTENCES, SOURCES, all_cases  # noqa: E402
from encoder_decoder_files import compare, tokenizer, write_config, write_tokenizer  # noqa: E402
from make_model_goldens import Everything64, first, versions  # noqa: E402

HERE = pathlib.Path(__file__).parent / "encoder_decoder_models"
NEW_TOKENS, BEAMS = 10, 3
WORDS = 96  # rows of the embedding: a few more than the tokenizer has, as in published checkpoints


@contextlib.contextmanager
def all_float64():
    """Note [Honest float64]: also what Python's own numbers become."""
    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with Everything64():
            yield
    finally:
        torch.set_default_dtype(default)


def draw_state(model, case, rng):
    """{name: float32 tensor} as a checkpoint has them: one copy of what is tied."""
    state = {}
    for name, p in sorted(model.state_dict().items()):
        if name.endswith("embed_tokens.weight") or (name == "lm_head.weight" and case.tied):
            continue
        value = torch.from_numpy(rng.standard_normal(tuple(p.shape)))
        if "norm" in name:
            value = 1 + 0.3 * value
        elif name == "shared.weight":  # small beside what blocks write, or a tied model repeats what it reads
            value *= 0.5 if case.tied else 1
        elif name == "lm_head.weight":
            value *= 2 / p.shape[1] ** 0.5
        elif "relative_attention_bias" not in name:
            # Scores are not scaled: with d_kv = 4, queries of this size give scores of about 1.5.
            value *= (0.6 if name.endswith(".q.weight") else 1.3) / p.shape[1] ** 0.5
        if case.tied and name == "decoder.final_layer_norm.weight":
            value *= 5  # logits of about 2.5
        state[name] = value.float()
    head = state.get("lm_head.weight", state["shared.weight"])
    head[1] *= 1.5  # </s>, so that some sentences end
    return state


def with_copies(state, model):
    """What load_state_dict wants: all names."""
    shared = {k: state["shared.weight"] for k in model.state_dict() if k not in state}
    return state | shared


def build(case, config, state, dtype):
    """The model with these numbers, float64 throughout if asked; lm_head is its own parameter where it is one."""
    config = copy.deepcopy(config)
    config.dtype = dtype
    config._attn_implementation = "eager"
    model = getattr(transformers, case.cls)(config).eval().to(dtype)
    if not case.tied:
        model.lm_head.weight = torch.nn.Parameter(torch.empty_like(model.lm_head.weight))
    model.load_state_dict({k: v.to(dtype) for k, v in with_copies(state, model).items()})
    return model


def run(model, inputs, gradients=False):
    """One forward; hidden states and last norms caught at the modules themselves."""
    seen, handles = {}, []

    def keep(name, pick):
        def hook(module, args, output=None):
            value = first(pick(args, output))
            if gradients:
                value.retain_grad()
            seen[name] = value

        return hook

    stacks = {n: getattr(model, n) for n in ("encoder", "decoder") if hasattr(model, n)}
    for name, stack in stacks.items():
        handles.append(stack.block[0].register_forward_pre_hook(keep((name, 0), lambda a, y: a)))
        for k, block in enumerate(stack.block):
            handles.append(block.register_forward_hook(keep((name, k + 1), lambda a, y: y)))
        handles.append(stack.final_layer_norm.register_forward_hook(keep((name, "norm"), lambda a, y: y)))
    out = model(**inputs, output_hidden_states=True, output_attentions=True)
    for handle in handles:
        handle.remove()
    logits = out.logits if "logits" in out else out.last_hidden_state
    result = {"logits": logits}
    names = {"encoder": "", "decoder": "decoder_"} if len(stacks) == 1 else {s: s + "_" for s in stacks}
    for name, stack in stacks.items():
        hidden = [seen[name, k] for k in range(len(stack.block) + 1)]
        reported = out[names[name] + "hidden_states"]
        assert all(torch.equal(a, b) for a, b in zip(reported, hidden[:-1] + [seen[name, "norm"]], strict=True))
        result[name + "_hidden_states"] = torch.stack(hidden)
        result[name + "_final_norm"] = seen[name, "norm"]
        result[name + "_patterns"] = torch.stack(list(out[names[name] + "attentions"]))
    if "decoder" in stacks:
        result["cross_patterns"] = torch.stack(list(out.cross_attentions))
    return result, {name: seen[name, 0] for name in stacks}


def record(case, model64, model32, inputs):
    with all_float64():
        result, embeds = run(model64, inputs, gradients=True)
        count = result["logits"][0].numel()
        result["gradient_index"] = torch.tensor([count // 2 + 1])
        result["logits"].flatten(1)[:, count // 2 + 1].sum().backward()
    for name, value in embeds.items():
        result[f"gradient_{name}_embed"] = value.grad
    for name in ("encoder_patterns", "decoder_patterns", "cross_patterns"):
        assert name not in result or (result[name].sum(-1) - 1).abs().max() < 1e-14, "patterns are float64"
    with torch.no_grad():
        narrow, _ = run(model32, inputs)
    gap = 0.0
    for name, value in narrow.items():
        if not name.endswith("final_norm"):
            gap = max(gap, ((result[name] - value).abs() / (1 + result[name].abs())).max().item())
            result[name + "_f32"] = value
    assert gap < 2e-5, f"{case.name}: float32 and float64 differ by {gap}"
    return {k: v.detach().contiguous().clone() for k, v in (inputs | result).items()}, gap


def padding_gap(model64, inputs):
    """Headwater never pads: a source padded at its end, with a mask, must give what the source alone gives."""
    padded = {k: v[:1] for k, v in inputs.items()}
    size = padded["input_ids"].shape[1]
    padded["input_ids"] = torch.cat([padded["input_ids"], torch.zeros(1, 3, dtype=torch.int64)], 1)
    mask = torch.ones_like(padded["input_ids"])
    mask[:, size:] = 0
    with torch.no_grad(), all_float64():
        alone, _ = run(model64, {k: v[:1] for k, v in inputs.items()})
        together, _ = run(model64, padded | {"attention_mask": mask})
    a, b = alone["logits"], together["logits"]
    gap = (a - b[:, :a.shape[1]]).abs().max().item()
    assert gap < 1e-12, gap
    return gap


def make_inputs(case, rng, source, prefix, batch):
    ids = torch.from_numpy(rng.integers(3, WORDS - 2, (batch, source)))
    ids[:, -1] = 1
    if case.cls.endswith("EncoderModel"):
        return {"input_ids": ids}
    written = torch.from_numpy(rng.integers(3, WORDS - 2, (batch, prefix)))
    written[:, 0] = 0
    return {"input_ids": ids, "decoder_input_ids": written}


def until_end(ids, start):
    ids = list(ids)
    end = next((k for k, i in enumerate(ids) if k >= start and i == 1), len(ids) - 1)
    return ids[: end + 1]


def beams_by_definition(logits_of, prefix, new_tokens):
    """Note [Beams]. logits_of(ids) → the next word's logits."""
    running, kept = [(0.0, list(prefix))], []
    for made in range(1, new_tokens + 1):
        candidates = []
        for total, ids in running:
            log_p = torch.log_softmax(logits_of(ids), -1)
            candidates += [(total + p.item(), ids + [k]) for k, p in enumerate(log_p)]
        looked_at = sorted(candidates, key=lambda c: -c[0])[: 2 * BEAMS]
        finished = [ids[-1] == 1 or made == new_tokens for _, ids in looked_at]
        kept += [(total / made, ids) for (total, ids), f in list(zip(looked_at, finished))[:BEAMS] if f]
        kept = sorted(kept, key=lambda c: -c[0])[:BEAMS]
        running = [c for c, f in zip(looked_at, finished) if not f][:BEAMS]
        if not running or (len(kept) == BEAMS and running[0][0] / made <= kept[-1][0]):
            break
    return kept


def generate(model, source, prefix):
    """(greedy ids, [(beam score, ids)])"""
    given = dict(input_ids=torch.tensor([source]), decoder_input_ids=torch.tensor([prefix]), max_new_tokens=NEW_TOKENS,
                 do_sample=False, use_cache=False)  # the cache fails where the decoder has more layers
    with torch.no_grad():
        greedy = model.generate(**given, num_beams=1)[0].tolist()
        out = model.generate(**given, num_beams=BEAMS, length_penalty=1.0, early_stopping=False,
                             num_return_sequences=BEAMS, return_dict_in_generate=True, output_scores=True)
    beams = [(s, until_end(ids, len(prefix))) for s, ids in zip(out.sequences_scores.tolist(), out.sequences.tolist())]
    return until_end(greedy, len(prefix)), beams


def generations(case, tok, model64, model32):
    result = []
    for text, prefix in [(text, [0]) for text in SOURCES] + [(SOURCES[0], [0, 9, 14])]:
        source = tok.encode(text).ids
        with all_float64():
            greedy, beams = generate(model64, source, prefix)

        def logits_of(ids, source=source):
            with torch.no_grad(), all_float64():
                return model64(input_ids=torch.tensor([source]), decoder_input_ids=torch.tensor([ids])).logits[0, -1]

        for (a, ids_a), (b, ids_b) in zip(beams, beams_by_definition(logits_of, prefix, NEW_TOKENS), strict=True):
            assert ids_a == ids_b and abs(a - b) < 1e-12, (case.name, beams, ids_b)
        narrow_greedy, narrow_beams = generate(model32, source, prefix)
        assert narrow_greedy == greedy and [i for _, i in narrow_beams] == [i for _, i in beams], "float32 differs"
        result.append({"text": text, "source": source, "prefix": prefix, "max_new_tokens": NEW_TOKENS, "greedy": greedy,
                       "beams": [{"ids": ids, "score": score} for score, ids in beams]})
    return result


def check_folder(case, folder, model64):
    """transformers' own loading finds the same numbers, and its tokenizer the same ids."""
    loaded, info = getattr(transformers, case.cls).from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager", output_loading_info=True)
    assert not info["missing_keys"] and not info["mismatched_keys"], info
    mine = model64.state_dict()
    assert all(torch.equal(v.double(), mine[k]) for k, v in loaded.state_dict().items()), case.name
    tok = transformers.AutoTokenizer.from_pretrained(folder)
    own = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    for text in SENTENCES + SOURCES:
        assert tok(text).input_ids == own.encode(text).ids, text
    return loaded.eval()


def check_buckets(model):
    """Note [Honest float64]: float64 logarithms give the same buckets at the lengths used here."""
    bucket = model.encoder.block[0].layer[0].SelfAttention._relative_position_bucket
    for both in (True, False):
        given = dict(bidirectional=both, num_buckets=model.config.relative_attention_num_buckets,
                     max_distance=model.config.relative_attention_max_distance)
        distance = torch.arange(-40, 41)
        narrow = bucket(distance, **given)
        with all_float64():
            assert torch.equal(bucket(distance, **given), narrow), model.config


def make(case, out, tok):
    folder = out / case.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    rng = np.random.default_rng(zlib.crc32(case.name.encode()) + case.draw)
    torch.manual_seed(0)
    cls = getattr(transformers, case.cls)
    config = cls.config_class(**copy.deepcopy(case.config), vocab_size=WORDS)
    state = draw_state(cls(config), case, rng)
    build(case, config, state, torch.float32).save_pretrained(folder)
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    write_config(case, config, folder)
    write_tokenizer(tok, folder)
    with all_float64():
        model64 = build(case, config, state, torch.float64)
    model32 = check_folder(case, folder, model64)
    check_buckets(model64)
    worst = 0.0
    sizes = [("expected", case.source, case.prefix, case.batch)]
    for name, source, prefix, batch in sizes + [("expected_long", *case.long, 1)] * bool(case.long):
        inputs = make_inputs(case, rng, source, prefix, batch)
        arrays, gap = record(case, model64, model32, inputs)
        save_file(arrays, folder / f"{name}.safetensors", metadata={"class": case.cls})
        worst = max(worst, gap)
    padded = padding_gap(model64, inputs)
    ended = ""
    if case.cls.endswith("ForConditionalGeneration"):
        made = generations(case, tok, model64, model32)
        (folder / "generation.json").write_text("[\n" + ",\n".join(json.dumps(g) for g in made) + "\n]\n")
        ended = f"ended {sum(g['greedy'][-1] == 1 for g in made)} greedy, "
        ended += f"{sum(b['ids'][-1] == 1 for g in made for b in g['beams'])} beams of {len(made)} × (1, {BEAMS})"
    size = sum(f.stat().st_size for f in folder.iterdir())
    print(f"{case.name:16} {size / 1024:7.1f} KB  f32-f64 {worst:.1e}  padded {padded:.1e}  "
          f"|logit| {arrays['logits'].abs().max():.2f}  {ended}")
    return size


def buckets():
    """transformers' own float32 buckets of key position − query position."""
    bucket = transformers.models.t5.modeling_t5.T5Attention._relative_position_bucket
    rows = []
    for count, far in ((32, 128), (32, 64), (8, 12), (6, 9), (16, 20), (64, 256)):
        for both in (True, False):
            distance = torch.arange(-300, 301)
            found = bucket(distance, bidirectional=both, num_buckets=count, max_distance=far)
            rows.append({"num_buckets": count, "max_distance": far, "bidirectional": both, "first": -300,
                         "buckets": found.tolist()})
    return rows


def write_lists(out, total):
    (out / "cases.txt").write_text("".join(f"{c.name} {c.cls}\n" for c in all_cases()))
    (out / "buckets.json").write_text("[\n" + ",\n".join(json.dumps(b) for b in buckets()) + "\n]\n")
    used = versions() | {"tokenizers": tokenizers.__version__, "sentencepiece": sentencepiece.__version__}
    packages = "\n".join(f"{name}=={version}" for name, version in used.items() if name != "python")
    rows = "\n".join(f"| {c.name} | {c.cls} | {c.about} |" for c in all_cases())
    layout = __doc__[__doc__.index("Every folder is one"):__doc__.index("\nWeights are random")]
    (out / "README.md").write_text(f"""# Encoder–decoder goldens

Tiny random T5 checkpoints and what transformers computes from them. Made by
`tests/golden/make_encoder_decoder_models.py` (list of cases: `encoder_decoder_cases.py`, `cases.txt`); do not edit by
hand. `tools/remake_goldens.sh` makes them again in a fresh virtual environment and compares.

Made with Python {used["python"]} and

```
{packages}
```

```
{layout}```

| case | class | what it is there for |
|---|---|---|
{rows}
""")
    print(f"{sum(1 for _ in all_cases())} cases, {total / 1e6:.2f} MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, default=HERE)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--compare", type=pathlib.Path, metavar="DIR")
    args = parser.parse_args()
    if args.compare:
        return compare(args.compare, HERE, versions())
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    tok, total = tokenizer(), 0
    for case in all_cases():
        if not args.only or case.name in args.only:
            total += make(case, args.out, tok)
    if not args.only:
        write_lists(args.out, total)
    return 0


if __name__ == "__main__":
    sys.exit(main())

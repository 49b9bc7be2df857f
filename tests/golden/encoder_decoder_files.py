"""The files of tests/golden/encoder_decoder_models that transformers does not write as published: the tokenizer, and the
edits of config.json and model.safetensors; and how two such folders are compared. See make_encoder_decoder_models.py.
"""

import io
import json
import pathlib
import struct
import sys
import tempfile

import sentencepiece
import torch
from safetensors.torch import load_file, save_file
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

sys.path.insert(0, str(pathlib.Path(__file__).parent / "tokenizers"))
import recipes  # noqa: E402
from encoder_decoder_cases import SENTENCES, SENTINELS, SPECIALS  # noqa: E402

PIECES = 90


def tokenizer():
    """Unigram pieces by sentencepiece, put together as T5's tokenizer.json is."""
    out = io.BytesIO()
    with tempfile.NamedTemporaryFile("w", suffix=".tsv", encoding="utf-8") as rules:
        rules.write(recipes.character_rules(fold=False))
        rules.flush()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(SENTENCES), model_writer=out, vocab_size=PIECES, model_type="unigram",
            normalization_rule_tsv=rules.name, pad_id=0, eos_id=1, unk_id=2, bos_id=-1, character_coverage=1.0,
            num_threads=1, minloglevel=2)
    model = recipes.protobuf_fields(out.getvalue())
    pieces = [dict(recipes.protobuf_fields(value)) for field, value in model if field == 1]
    vocabulary = [(p[1].decode(), round(struct.unpack("<f", p[2])[0], 4)) for p in pieces]
    assert [piece for piece, _ in vocabulary[:3]] == SPECIALS
    sentinels = [f"<extra_id_{k}>" for k in reversed(range(SENTINELS))]
    tok = Tokenizer(models.Unigram(vocabulary + [(s, 0.0) for s in sentinels], 2, False))
    tok.normalizer = normalizers.Precompiled(dict(recipes.protobuf_fields(dict(model)[3]))[2])
    tok.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="always")])
    tok.add_special_tokens([AddedToken(s, normalized=False) for s in SPECIALS + sentinels])
    tok.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)])
    tok.decoder = decoders.Metaspace(prepend_scheme="always")
    return tok


def write_tokenizer(tok, folder):
    content = json.loads(tok.to_str())
    (folder / "tokenizer.json").write_text(
        json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    settings = {"tokenizer_class": "T5Tokenizer", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>",
                "extra_ids": SENTINELS, "model_max_length": 512,
                "additional_special_tokens": [f"<extra_id_{k}>" for k in range(SENTINELS)]}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=2, sort_keys=True) + "\n")


# What is done to a saved folder, so that it looks like what is published. Each takes config and tensors.


def copies(config, tensors):
    names = ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "lm_head.weight")
    return tensors | {name: tensors["shared.weight"].clone() for name in names}


def cross_bias(config, tensors):
    return tensors | {"decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight":
                      torch.full((config["relative_attention_num_buckets"], config["num_heads"]), 0.5)}


def old_config(config, tensors):
    for key in ("num_decoder_layers", "feed_forward_proj", "dense_act_fn", "is_gated_act", "scale_decoder_outputs",
                "relative_attention_max_distance", "tie_word_embeddings", "classifier_dropout", "dtype",
                "decoder_start_token_id", "pad_token_id"):
        config.pop(key, None)
    config |= {"n_positions": 512, "decoder_start_token_id": 0, "pad_token_id": 0, "output_past": True}
    return tensors


EDITS = {f.__name__: f for f in (copies, cross_bias, old_config)}


def write_config(case, config, folder):
    """As published: transformers 5 writes tie_word_embeddings true for all and scale_decoder_outputs beside it."""
    stored = json.loads((folder / "config.json").read_text())
    if "new_config" not in case.edits:
        stored.pop("scale_decoder_outputs", None)
        stored["tie_word_embeddings"] = case.tied
    tensors = load_file(folder / "model.safetensors")
    for edit in case.edits:
        if edit in EDITS:
            tensors = EDITS[edit](stored, tensors)
    (folder / "config.json").write_text(json.dumps(stored, indent=2, sort_keys=True) + "\n")
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


def json_gap(a, b):
    """The largest difference of two JSON values' numbers; infinite where anything else differs."""
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return max((json_gap(a[k], b[k]) for k in a), default=0)
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return max(map(json_gap, a, b), default=0)
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b)
    return 0 if a == b else float("inf")


def compare(made, committed, versions):
    """Checkpoints and vocabularies bit for bit; expected numbers within what BLAS order may change."""
    problems = []
    names = sorted(str(p.relative_to(committed)) for p in committed.rglob("*") if p.is_file() and p.suffix != ".md")
    if names != sorted(str(p.relative_to(made)) for p in made.rglob("*") if p.is_file() and p.suffix != ".md"):
        problems.append("the folders have different files")
    for name in (n for n in names if (made / n).exists()):
        if name.endswith(".safetensors"):
            a, b = load_file(committed / name), load_file(made / name)
            if a.keys() != b.keys():
                problems.append(f"{name}: other tensor names: {sorted(a.keys() ^ b.keys())}")
                continue
            for key in a:
                tolerance = 0.0 if "expected" not in name else 1e-5 if key.endswith("_f32") else 1e-10
                gap = (a[key].double() - b[key].double()).abs().max().item() if a[key].shape == b[key].shape else 1e9
                if gap > tolerance:
                    problems.append(f"{name}: {key} differs by {gap:.2e}")
        elif name.endswith(".json"):
            a, b = (json.loads((d / name).read_text(encoding="utf-8")) for d in (committed, made))
            if name.endswith("config.json"):
                changed = {k for k in a.keys() | b.keys() if a.get(k) != b.get(k)} - {"transformers_version"}
                if changed:
                    print(f"note: {name}: keys that differ: {sorted(changed)}")
            elif json_gap(a, b) > 1e-9:
                problems.append(f"{name} differs")
    for problem in problems:
        print(problem)
    print(f"{len(names)} files compared, {len(problems)} differences; now {versions}")
    return 1 if problems or not names else 0

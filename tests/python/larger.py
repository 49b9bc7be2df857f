"""A model as large as people's own, of random numbers: what a plan and a default are judged by."""

import json
import struct

import numpy as np

WORDS = 8000


def _write(path, tensors):
    header, at = {}, 0
    for name, values in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [at, at + values.nbytes]}
        at += values.nbytes
    head = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(head)) + head)
        for values in tensors.values():
            file.write(values.tobytes())


def write_bert(folder, layers=8, width=512, heads=8, inner=2048, seed=1):
    """A BERT with a classifier of two labels; its words are w0 to w7999. Returns how many numbers it has."""
    random = np.random.default_rng(seed)

    def drawn(*shape):
        return random.standard_normal(shape, dtype=np.float32) * np.float32(0.05)

    tensors = {}

    def linear(name, outputs, inputs):
        tensors[name + ".weight"], tensors[name + ".bias"] = drawn(outputs, inputs), drawn(outputs)

    def norm(name):
        tensors[name + ".weight"], tensors[name + ".bias"] = np.ones(width, np.float32), np.zeros(width, np.float32)

    for name, rows in (("word", WORDS), ("position", 512), ("token_type", 2)):
        tensors[f"bert.embeddings.{name}_embeddings.weight"] = drawn(rows, width)
    norm("bert.embeddings.LayerNorm")
    for layer in range(layers):
        block = f"bert.encoder.layer.{layer}."
        for name in ("query", "key", "value"):
            linear(f"{block}attention.self.{name}", width, width)
        linear(block + "attention.output.dense", width, width)
        norm(block + "attention.output.LayerNorm")
        linear(block + "intermediate.dense", inner, width)
        linear(block + "output.dense", width, inner)
        norm(block + "output.LayerNorm")
    linear("bert.pooler.dense", width, width)
    linear("classifier", 2, width)
    _write(folder / "model.safetensors", tensors)
    (folder / "config.json").write_text(json.dumps({
        "architectures": ["BertForSequenceClassification"], "model_type": "bert", "hidden_act": "gelu", "hidden_size": width,
        "num_hidden_layers": layers, "num_attention_heads": heads, "intermediate_size": inner, "max_position_embeddings": 512,
        "type_vocab_size": 2, "vocab_size": WORDS, "layer_norm_eps": 1e-12}))
    (folder / "tokenizer.json").write_text(json.dumps({
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"}, "decoder": None, "post_processor": None,
        "model": {"type": "WordLevel", "vocab": {f"w{i}": i for i in range(WORDS)}, "unk_token": "w0"}}))
    (folder / "tokenizer_config.json").write_text(json.dumps(
        {"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "w0", "mask_token": "w1"}))
    return sum(values.size for values in tensors.values())


def text_of(tokens):
    return " ".join(f"w{17 * i % WORDS}" for i in range(2, tokens + 2))

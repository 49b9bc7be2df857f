"""The tiny checkpoints of tests/golden/models: one entry per folder.

A case is (name, transformers class, config options, settings). The set as a whole covers every family x head
and every option a family reads; what a case is there for is said in `about`, which ends up in the README.
"""

from dataclasses import dataclass, field


@dataclass
class Case:
    name: str
    cls: str
    config: dict
    about: str
    stored: str = "float32"  # type of the tensors in model.safetensors
    tokens: int = 6
    short: int = 0  # a second expected file with this many tokens
    pair: bool = False  # token types 0…0 1…1
    ids: list = field(default_factory=list)  # given instead of random ids
    edits: tuple = ()  # what is done to the saved folder, see make_model_goldens.py


def text(layers=2, hidden=16, heads=4, inner=24, vocab=50, positions=20, **more):
    return dict(
        num_hidden_layers=layers,
        hidden_size=hidden,
        num_attention_heads=heads,
        intermediate_size=inner,
        vocab_size=vocab,
        max_position_embeddings=positions,
        **more,
    )


def distil(layers=2, hidden=16, heads=4, inner=24, vocab=50, positions=20, **more):
    return dict(
        n_layers=layers,
        dim=hidden,
        n_heads=heads,
        hidden_dim=inner,
        vocab_size=vocab,
        max_position_embeddings=positions,
        **more,
    )


def gpt(layers=2, hidden=16, heads=4, vocab=50, positions=20, **more):
    special = dict(bos_token_id=1, eos_token_id=1)
    return special | dict(
        n_layer=layers, n_embd=hidden, n_head=heads, vocab_size=vocab, n_positions=positions, **more
    )


def llama(kv=2, **more):
    return text(**{"positions": 64, "num_key_value_heads": kv} | more)


def image(layers=2, hidden=16, heads=4, inner=24, pixels=8, patch=4, **more):
    return dict(
        num_hidden_layers=layers,
        hidden_size=hidden,
        num_attention_heads=heads,
        intermediate_size=inner,
        image_size=pixels,
        patch_size=patch,
        **more,
    )


def labels(*names):
    return dict(id2label=dict(enumerate(names)), label2id={name: k for k, name in enumerate(names)})


SENTIMENT = labels("negative", "neutral", "positive")
ENTITIES = labels("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
ANIMALS = labels("cat", "dog", "frog")


def bert():
    yield Case("bert_model", "BertModel", text(layers=3), "pairs, gelu, eps 1e-12", pair=True, short=1)
    yield Case("bert_sequence", "BertForSequenceClassification",
               text(hidden_act="relu", layer_norm_eps=1e-5, **SENTIMENT), "pairs, relu, eps 1e-5", pair=True)
    yield Case("bert_regression", "BertForSequenceClassification",
               text(hidden=24, heads=3, hidden_act="silu", layer_norm_eps=1e-2, num_labels=1),
               "one label, 3 heads of width 8, silu, a large eps")
    yield Case("bert_token", "BertForTokenClassification",
               text(hidden_act="gelu_new", type_vocab_size=3, **ENTITIES), "gelu_new, three token types")
    yield Case("bert_question", "BertForQuestionAnswering", text(hidden_act="silu"), "pairs, silu", tokens=9,
               pair=True)
    yield Case("bert_masked_lm", "BertForMaskedLM", text(hidden_act="gelu"), "tied decoder", short=3)
    yield Case("bert_masked_lm_untied", "BertForMaskedLM",
               text(hidden_act="gelu_pytorch_tanh", tie_word_embeddings=False),
               "own decoder weight and bias; cls.predictions.bias is in the file and unused")
    yield Case("bert_next_sentence", "BertForNextSentencePrediction", text(hidden_act="quick_gelu"),
               "pairs, quick_gelu", pair=True)
    yield Case("bert_pretraining", "BertForPreTraining", text(), "the masked LM of the two pre-training heads")
    yield Case("bert_causal_lm", "BertLMHeadModel", text(is_decoder=True), "post-norm with a causal mask")
    yield Case("bert_old_names", "BertForMaskedLM", text(), edits=("gamma_beta", "position_ids", "unused_heads"),
               about="LayerNorm.gamma/beta, position_ids, pooler and seq_relationship left over, as in the first "
               "published checkpoints")
    yield Case("bert_sparse_config", "BertForSequenceClassification", text(), edits=("drop_defaults",),
               about="config.json without any key that equals its default")
    yield Case("bert_sharded", "BertForTokenClassification", text(layers=3, **ENTITIES), "shards with an index",
               edits=("shard",))
    yield Case("bert_f16", "BertForSequenceClassification", text(**SENTIMENT), "weights stored as F16", pair=True,
               stored="float16")


def roberta():
    small = dict(layers=1, hidden=8, heads=2, inner=12, vocab=30)
    for family, cls in (("roberta", "Roberta"), ("xlm_roberta", "XLMRoberta"), ("camembert", "Camembert")):
        one = dict(type_vocab_size=1, layer_norm_eps=1e-5) | (small if family != "roberta" else {})
        yield Case(f"{family}_model", f"{cls}Model", text(**one), "positions from padding_idx + 1", short=2)
        yield Case(f"{family}_sequence", f"{cls}ForSequenceClassification", text(**one, **SENTIMENT),
                   "dense + tanh + out_proj on the first token")
        yield Case(f"{family}_token", f"{cls}ForTokenClassification", text(**one, **ENTITIES), "token head")
        yield Case(f"{family}_question", f"{cls}ForQuestionAnswering", text(**one), "question head", tokens=9)
        yield Case(f"{family}_masked_lm", f"{cls}ForMaskedLM", text(hidden_act="relu", **one),
                   "relu in the blocks, gelu in the head all the same; tied")
        yield Case(f"{family}_causal_lm", f"{cls}ForCausalLM", text(is_decoder=True, **one), "causal mask")
    yield Case("roberta_masked_lm_untied", "RobertaForMaskedLM",
               text(type_vocab_size=2, tie_word_embeddings=False), "own decoder; two token types", pair=True)
    yield Case("roberta_pad_inside", "RobertaForTokenClassification", text(pad_token_id=3, **ENTITIES),
               "padding_idx 3; the padding id inside the text keeps position 3 and is not counted",
               ids=[[0, 9, 3, 14, 27, 2], [0, 3, 3, 8, 31, 2]], edits=("skip_padding_check",))


def distilbert():
    yield Case("distilbert_model", "DistilBertModel", distil(layers=3), "bare encoder", short=1)
    yield Case("distilbert_sequence", "DistilBertForSequenceClassification",
               distil(activation="relu", **SENTIMENT), "relu; pre_classifier + relu")
    yield Case("distilbert_token", "DistilBertForTokenClassification", distil(**ENTITIES), "token head")
    yield Case("distilbert_question", "DistilBertForQuestionAnswering", distil(), "question head", tokens=9)
    yield Case("distilbert_masked_lm", "DistilBertForMaskedLM", distil(activation="gelu_new"),
               "gelu_new in blocks and head, tied")
    yield Case("distilbert_masked_lm_untied", "DistilBertForMaskedLM", distil(tie_word_embeddings=False),
               "own projector")
    yield Case("distilbert_sinusoidal", "DistilBertForSequenceClassification",
               distil(sinusoidal_pos_embds=True, **SENTIMENT), "sinusoidal positions, read from the file",
               edits=("keep_positions",))


def electra():
    yield Case("electra_model", "ElectraModel", text(embedding_size=8, layers=3), "embeddings_project", pair=True,
               short=2)
    yield Case("electra_sequence", "ElectraForSequenceClassification",
               text(embedding_size=12, hidden_act="relu", **SENTIMENT),
               "relu in the blocks, gelu in the head all the same", pair=True)
    yield Case("electra_token", "ElectraForTokenClassification", text(embedding_size=16, **ENTITIES),
               "embedding_size = hidden_size: no projection")
    yield Case("electra_question", "ElectraForQuestionAnswering", text(embedding_size=24), "wider embeddings",
               tokens=9, pair=True)
    yield Case("electra_masked_lm", "ElectraForMaskedLM", text(embedding_size=8, hidden_act="gelu_new"),
               "generator head, tied over the embedding width")
    yield Case("electra_masked_lm_untied", "ElectraForMaskedLM",
               text(embedding_size=8, tie_word_embeddings=False, layer_norm_eps=1e-3), "own output matrix")
    yield Case("electra_discriminator", "ElectraForPreTraining", text(embedding_size=8, hidden_act="silu"),
               "one logit per token, silu in the head too")
    yield Case("electra_causal_lm", "ElectraForCausalLM", text(embedding_size=8, is_decoder=True), "causal mask")


def gpt2():
    yield Case("gpt2_model", "GPT2Model", gpt(layers=3), "bare decoder, gelu_new", short=1)
    yield Case("gpt2_causal_lm", "GPT2LMHeadModel", gpt(n_inner=20), "n_inner given, tied")
    yield Case("gpt2_causal_lm_untied", "GPT2LMHeadModel",
               gpt(tie_word_embeddings=False, activation_function="relu", layer_norm_epsilon=1e-3),
               "own lm_head, relu, eps 1e-3")
    yield Case("gpt2_sequence", "GPT2ForSequenceClassification", gpt(pad_token_id=0, **SENTIMENT),
               "score at the last token")
    yield Case("gpt2_sequence_pad", "GPT2ForSequenceClassification", gpt(pad_token_id=1, **SENTIMENT),
               "texts that end in the padding id: score at the last other token",
               ids=[[5, 9, 1, 14, 27, 1], [8, 4, 30, 1, 1, 1]], edits=("skip_padding_check",))
    yield Case("gpt2_token", "GPT2ForTokenClassification", gpt(activation_function="gelu", **ENTITIES), "gelu")
    yield Case("gpt2_question", "GPT2ForQuestionAnswering", gpt(), "question head", tokens=9)
    yield Case("gpt2_layer_scaled", "GPT2LMHeadModel",
               gpt(layers=3, scale_attn_by_inverse_layer_idx=True, reorder_and_upcast_attn=True),
               "scores divided by layer + 1; reorder_and_upcast_attn")
    yield Case("gpt2_unscaled", "GPT2Model", gpt(scale_attn_weights=False), "scores not divided by sqrt(E)")
    yield Case("gpt2_old_names", "GPT2LMHeadModel", gpt(), edits=("no_prefix", "mask_buffers"),
               about="no transformer. prefix and h.N.attn.bias buffers, as in the first published checkpoints")
    yield Case("gpt2_f64", "GPT2LMHeadModel", gpt(), "weights stored as F64", stored="float64")


def llamas():
    yield Case("llama_model", "LlamaModel", llama(layers=3), "grouped-query, bare decoder", short=1)
    yield Case("llama_causal_lm", "LlamaForCausalLM", llama(kv=4), "as many key-value heads as heads, untied")
    yield Case("llama_causal_lm_tied", "LlamaForCausalLM",
               llama(kv=1, tie_word_embeddings=True, rms_norm_eps=1e-5), "one key-value head, tied")
    yield Case("llama_biases", "LlamaForCausalLM",
               llama(attention_bias=True, mlp_bias=True, hidden_act="gelu"), "attention_bias, mlp_bias, gelu gate")
    yield Case("llama_head_dim", "LlamaForCausalLM",
               llama(head_dim=6, rope_parameters=dict(rope_type="default", rope_theta=500.0)),
               "head_dim 6 where hidden/heads is 4; rope_theta 500")
    yield Case("llama_rope_linear", "LlamaForCausalLM",
               llama(rope_parameters=dict(rope_type="linear", rope_theta=10000.0, factor=2.5)),
               "linear rope scaling", tokens=10)
    yield Case("llama_rope_llama3", "LlamaForCausalLM",
               llama(hidden=32, rope_parameters=dict(rope_type="llama3", rope_theta=100.0, factor=8.0,
                                                     low_freq_factor=1.0, high_freq_factor=4.0,
                                                     original_max_position_embeddings=32)),
               "llama3 rope scaling: low, medium and high frequencies", tokens=12)
    yield Case("llama_sequence", "LlamaForSequenceClassification", llama(pad_token_id=0, **SENTIMENT),
               "score at the last token")
    yield Case("llama_token", "LlamaForTokenClassification", llama(**ENTITIES), "score with a bias")
    yield Case("llama_question", "LlamaForQuestionAnswering", llama(), "prefix transformer. instead of model.",
               tokens=9)
    yield Case("llama_old_config", "LlamaForCausalLM",
               llama(rope_parameters=dict(rope_type="linear", rope_theta=2000.0, factor=4.0)),
               edits=("old_rope_keys", "inv_freq"),
               about="rope_theta and rope_scaling.type at the top of config.json, rotary_emb.inv_freq left over")
    yield Case("llama_bf16", "LlamaForCausalLM", llama(), "weights stored as BF16", stored="bfloat16")
    yield Case("mistral_model", "MistralModel", llama(sliding_window=None), "bare decoder, no window")
    yield Case("mistral_causal_lm", "MistralForCausalLM", llama(head_dim=8, sliding_window=12),
               "head_dim 8 where hidden/heads is 4; a window wider than the text")
    yield Case("mistral_sequence", "MistralForSequenceClassification", llama(pad_token_id=0, **SENTIMENT),
               "score at the last token")
    yield Case("mistral_token", "MistralForTokenClassification", llama(**ENTITIES), "token head")
    yield Case("mistral_question", "MistralForQuestionAnswering", llama(), "prefix model.", tokens=9)
    million = dict(rope_parameters=dict(rope_type="default", rope_theta=1000000.0))
    yield Case("qwen2_model", "Qwen2Model", llama(), "q, k and v biases", short=1)
    yield Case("qwen2_causal_lm", "Qwen2ForCausalLM", llama(**million), "rope_theta 1e6, untied")
    yield Case("qwen2_causal_lm_tied", "Qwen2ForCausalLM", llama(kv=1, tie_word_embeddings=True), "tied")
    yield Case("qwen2_sequence", "Qwen2ForSequenceClassification", llama(pad_token_id=0, **SENTIMENT),
               "score at the last token")
    yield Case("qwen2_token", "Qwen2ForTokenClassification", llama(**ENTITIES), "token head")
    yield Case("qwen2_question", "Qwen2ForQuestionAnswering", llama(), "prefix transformer.", tokens=9)


def vit():
    yield Case("vit_model", "ViTModel", image(layers=3), "bare encoder, 4 patches")
    yield Case("vit_classification", "ViTForImageClassification",
               image(pixels=16, hidden_act="gelu", layer_norm_eps=1e-6, **ANIMALS), "16 patches, eps 1e-6")
    yield Case("vit_gray", "ViTForImageClassification",
               image(num_channels=1, qkv_bias=False, hidden_act="quick_gelu", **ANIMALS),
               "one channel, no q, k, v biases, quick_gelu")
    yield Case("vit_f16", "ViTForImageClassification", image(patch=2, hidden_act="gelu_pytorch_tanh", **ANIMALS),
               "patches of 2, weights stored as F16", stored="float16")
    yield Case("deit_model", "DeiTModel", image(), "class and distillation tokens")
    yield Case("deit_classification", "DeiTForImageClassification", image(hidden_act="relu", **ANIMALS),
               "reads the class token only")
    yield Case("deit_teacher", "DeiTForImageClassificationWithTeacher", image(qkv_bias=False, **ANIMALS),
               "mean of the two heads")


def all_cases():
    for family in (bert, roberta, distilbert, electra, gpt2, llamas, vit):
        yield from family()

"""The tiny checkpoints of tests/golden/encoder_decoder_models: one entry per folder, and the text their vocabulary is
trained on.

Read by make_encoder_decoder_models.py. What a case is there for is said in `about`, which ends up in the README.
"""

from dataclasses import dataclass

SPECIALS = ["<pad>", "</s>", "<unk>"]  # ids 0, 1, 2, as T5 has them
SENTINELS = 4  # <extra_id_0> … at the end of the vocabulary, the first one last, as T5 has them

SENTENCES = [
    "translate English to German: the house is small and the garden is large.",
    "das Haus ist klein und der Garten ist groß.",
    "translate English to German: the child reads an old book in the garden.",
    "das Kind liest ein altes Buch im Garten.",
    "translate English to German: my brother drinks cold water.",
    "mein Bruder trinkt kaltes Wasser.",
    "the river starts at a spring in the hills and runs to the sea.",
    "der Fluss beginnt an einer Quelle in den Hügeln und fließt ins Meer.",
    "summarize: the old house by the river was sold and the new owner paints it blue.",
    "the house was sold.",
    "the dog sleeps, the cat reads the river, and nobody drinks the sea.",
    "ein kleiner Hund schläft im alten Haus am Fluss.",
]

# Sources for generation. Spelt with the vocabulary, but for one letter that is not in it.
SOURCES = [
    "translate English to German: the house is old.",
    "the child drinks water in the garden",
    "summarize: the river runs to the sea. ж",
]


@dataclass
class Case:
    name: str
    cls: str
    config: dict
    about: str
    tied: bool = True  # lm_head.weight is shared.weight and not in the file
    source: int = 7  # tokens
    prefix: int = 5
    long: tuple = ()  # a second expected file of one input, with so many source and prefix tokens
    batch: int = 2
    draw: int = 0  # of the random numbers; chosen where sentences should end
    edits: tuple = ()  # what is done to the saved folder, see make_encoder_decoder_models.py


def t5(layers=2, width=16, heads=4, head_width=4, inner=24, **more):
    return dict(num_layers=layers, d_model=width, num_heads=heads, d_kv=head_width, d_ff=inner,
                decoder_start_token_id=0, **more)


NEAR = dict(relative_attention_num_buckets=8, relative_attention_max_distance=12)  # few tokens reach every bucket
GATED = dict(feed_forward_proj="gated-gelu", tie_word_embeddings=False)


def all_cases():
    yield Case("t5_v1_0", "T5ForConditionalGeneration", t5(**NEAR), "v1.0: relu, tied and scaled output", draw=7)
    yield Case("t5_v1_1", "T5ForConditionalGeneration", t5(heads=3, **NEAR, **GATED), tied=False,
               about="v1.1 and Flan: gated gelu_new, own lm_head and no scaling, heads × d_kv = 12 of d_model 16")
    yield Case("mt5", "MT5ForConditionalGeneration", t5(heads=3, feed_forward_proj="gated-gelu"), tied=False,
               about="mT5: as v1.1, 32 buckets up to 128")
    yield Case("t5_uneven", "T5ForConditionalGeneration",
               t5(heads=3, head_width=6, num_decoder_layers=3, layer_norm_epsilon=1e-3,
                  relative_attention_num_buckets=6, relative_attention_max_distance=9),
               "three decoder layers over two, heads × d_kv = 18 of d_model 16, a large eps, 6 buckets", long=(2, 1))
    yield Case("t5_long", "T5ForConditionalGeneration", t5(layers=1),
               "32 buckets up to 128 on texts that reach the logarithmic ones", source=26, prefix=20, batch=1)
    yield Case("t5_gated_silu", "T5ForConditionalGeneration",
               t5(layers=1, **NEAR, feed_forward_proj="gated-silu", tie_word_embeddings=False), tied=False,
               about="UL2: a gate of silu")
    yield Case("t5_gelu", "T5ForConditionalGeneration", t5(layers=1, **NEAR, feed_forward_proj="gelu"),
               "an activation without a gate that is not relu: gelu by erf")
    yield Case("t5_old_names", "T5ForConditionalGeneration", t5(), edits=("copies", "cross_bias", "old_config"),
               about="copies of the embedding under every name and a position bias of cross-attention that nothing "
               "reads, as in the first published checkpoints; a config.json of that time")
    yield Case("t5_new_config", "T5ForConditionalGeneration", t5(heads=3, **NEAR, **GATED), tied=False,
               edits=("new_config",),
               about="v1.1 as transformers 5 writes it: tie_word_embeddings is true, scale_decoder_outputs is false")
    yield Case("t5_model", "T5Model", t5(**NEAR), "no head: the decoder's last norm is the output")
    yield Case("t5_encoder", "T5EncoderModel", t5(**NEAR, feed_forward_proj="gated-gelu"),
               "the encoder alone: its last norm is the output")
    yield Case("mt5_model", "MT5Model", t5(layers=1, heads=3, **NEAR, feed_forward_proj="gated-gelu"),
               "mT5 without a head")
    yield Case("mt5_encoder", "MT5EncoderModel", t5(layers=1, heads=3, **NEAR, feed_forward_proj="gated-gelu"),
               "mT5's encoder alone")

"""Tokenizers of every kind, made with the tokenizers and sentencepiece packages from training lines."""

import io
import json
import struct
import tempfile
import unicodedata

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

GPT4 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
BERT_SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
ROBERTA_SPECIALS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


def bert(lines, size, lowercase, strip_accents=None, chinese=True, old_processor=False):
    tok = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tok.normalizer = normalizers.BertNormalizer(lowercase=lowercase, strip_accents=strip_accents, handle_chinese_chars=chinese)
    tok.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tok.train_from_iterator(lines, trainers.WordPieceTrainer(vocab_size=size, special_tokens=BERT_SPECIALS, show_progress=False))
    cls, sep = tok.token_to_id("[CLS]"), tok.token_to_id("[SEP]")
    if old_processor:
        tok.post_processor = processors.BertProcessing(("[SEP]", sep), ("[CLS]", cls))
    else:
        tok.post_processor = processors.TemplateProcessing(
            single="[CLS]:0 $A:0 [SEP]:0", pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1", special_tokens=[("[CLS]", cls), ("[SEP]", sep)])
    tok.decoder = decoders.WordPiece()
    return tok


def roberta(lines, size, add_prefix_space=False, trim=True):
    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=add_prefix_space)
    tok.train_from_iterator(lines, trainers.BpeTrainer(
        vocab_size=size, special_tokens=ROBERTA_SPECIALS, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    tok.add_special_tokens([AddedToken("<mask>", lstrip=True, normalized=False)])
    tok.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=trim, add_prefix_space=add_prefix_space)
    tok.decoder = decoders.ByteLevel()
    return tok


def gpt2(lines, size, add_prefix_space=False, trim=False):
    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=add_prefix_space)
    tok.train_from_iterator(lines, trainers.BpeTrainer(
        vocab_size=size, special_tokens=["<|endoftext|>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    tok.post_processor = processors.ByteLevel(trim_offsets=trim)
    tok.decoder = decoders.ByteLevel()
    return tok


def llama3(lines, size, ignore_merges=True, nfc=False):
    """Split by GPT-4's expression, then bytes; begin of text by a template inside a sequence of processors."""
    tok = Tokenizer(models.BPE(ignore_merges=ignore_merges))
    if nfc:
        tok.normalizer = normalizers.NFC()
    tok.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(GPT4), behavior="isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tok.train_from_iterator(lines, trainers.BpeTrainer(
        vocab_size=size, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    tok.add_special_tokens(["<|begin_of_text|>", "<|endoftext|>", "<|im_start|>"])
    bos = tok.token_to_id("<|begin_of_text|>")
    tok.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=False),
        processors.TemplateProcessing(single="<|begin_of_text|> $A", pair="<|begin_of_text|>:0 $A:0 <|begin_of_text|>:1 $B:1",
                                      special_tokens=[("<|begin_of_text|>", bos)])])
    tok.decoder = decoders.ByteLevel()
    return tok


def llama2(lines, size, metaspace=None, fuse_unk=True):
    """BPE with byte fallback; spaces become ▁ in the normalizer (legacy) or by Metaspace (prepend scheme)."""
    tok = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=fuse_unk, byte_fallback=True))
    tok.pre_tokenizer = pre_tokenizers.Metaspace()
    specials = ["<unk>", "<s>", "</s>"] + [f"<0x{b:02X}>" for b in range(256)]
    tok.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=size, special_tokens=specials, show_progress=False))
    content = json.loads(tok.to_str())
    content["added_tokens"] = content["added_tokens"][:3]
    tok = Tokenizer.from_str(json.dumps(content))
    if metaspace is None:
        tok.pre_tokenizer = None
        tok.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    else:
        tok.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=metaspace, split=False)
    tok.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", 1)])
    tok.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    return tok


def clip(lines, size):
    """BPE with an end-of-word suffix, lower case, and a splitting expression whose matches are kept."""
    tok = Tokenizer(models.BPE(unk_token="<|endoftext|>", end_of_word_suffix="</w>", continuing_subword_prefix=""))
    tok.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()])
    tok.pre_tokenizer = pre_tokenizers.Split(
        Regex(r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"), behavior="removed", invert=True)
    tok.train_from_iterator(lines, trainers.BpeTrainer(
        vocab_size=size, special_tokens=["<|endoftext|>"], end_of_word_suffix="</w>", show_progress=False))
    tok.decoder = decoders.BPEDecoder()
    return tok


def unigram(lines, size, scheme="always", split=True, normalizer=None):
    tok = Tokenizer(models.Unigram())
    tok.normalizer = normalizer or normalizers.Sequence(
        [normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    tok.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme, split=split)
    tok.train_from_iterator(lines, trainers.UnigramTrainer(
        vocab_size=size, special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"], unk_token="<unk>", show_progress=False))
    tok.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    tok.decoder = decoders.Metaspace(prepend_scheme=scheme)
    return tok


def protobuf_fields(data):
    """[(field number, value)] of a protobuf message: varints as numbers, everything else as bytes."""
    def varint(at):
        value = shift = 0
        while True:
            value |= (data[at] & 0x7F) << shift
            shift += 7
            at += 1
            if data[at - 1] < 0x80:
                return value, at

    fields, at = [], 0
    while at < len(data):
        key, at = varint(at)
        if key & 7 == 0:
            value, at = varint(at)
        else:
            size = {1: 8, 5: 4}.get(key & 7)
            if size is None:
                size, at = varint(at)
            value, at = data[at:at + size], at + size
        fields.append((key >> 3, value))
    return fields


def character_rules(fold):
    """A small character map: compatibility forms of some blocks and what nmt_nfkc does to spaces and controls."""
    rules = {"\t": " ", "\n": " ", "\r": " ", "\u3000": " ", "\u00a0": " ", "\u200b": " ", "\ufeff": "",
             "\x01": "", "\x7f": "", "e\u0301": "\u00e9", "a\u0308": "\u00e4", "s\u0323\u0307": "\u1e69", "\u1100\u1161": "\uac00"}
    for first, last in ((0xA0, 0x100), (0x132, 0x140), (0x2070, 0x209C), (0x2100, 0x2189), (0x2460, 0x2473), (0x3300, 0x3358),
                        (0xFB00, 0xFB07), (0xFF01, 0xFF9F), (0x1D400, 0x1D440)):
        for c in map(chr, range(first, last)):
            if unicodedata.normalize("NFKC", c) != c:
                rules.setdefault(c, unicodedata.normalize("NFKC", c))
    if fold:
        rules.update({chr(c): chr(c).lower() for c in range(0x41, 0x5B)})
    code = lambda text: " ".join(f"{ord(c):X}" for c in text)
    return "".join(f"{code(a)}\t{code(b)}\n" for a, b in sorted(rules.items()))


def sentencepiece_unigram(lines, size, rule="nmt_nfkc", byte_fallback=False, small=False):
    """A sentencepiece model with its character map, as XLM-R, CamemBERT and T5 carry it, or with a small one."""
    import sentencepiece

    out = io.BytesIO()
    normalization = {"normalization_rule_name": rule}
    if small:
        file = tempfile.NamedTemporaryFile("w", suffix=".tsv", encoding="utf-8")
        file.write(character_rules(fold=rule.endswith("_cf")))
        file.flush()
        normalization = {"normalization_rule_tsv": file.name}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=out, vocab_size=size, model_type="unigram", **normalization,
        byte_fallback=byte_fallback, character_coverage=0.9995, hard_vocab_limit=False, minloglevel=2, num_threads=1,
        max_sentence_length=100000)
    model = protobuf_fields(out.getvalue())
    pieces = [dict(protobuf_fields(value)) for field, value in model if field == 1]
    charsmap = dict(protobuf_fields(dict(model)[3]))[2]
    vocabulary = [(p[1].decode(), struct.unpack("<f", p[2])[0]) for p in pieces]
    tok = Tokenizer(models.Unigram(vocabulary, 0, byte_fallback))
    tok.normalizer = normalizers.Sequence([
        normalizers.Precompiled(charsmap), normalizers.Replace(Regex(" {2,}"), " ")])
    tok.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tok.add_special_tokens(["<unk>", "<s>", "</s>"])
    eos = tok.token_to_id("</s>")
    tok.post_processor = processors.TemplateProcessing(single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", eos)])
    tok.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace(prepend_scheme="always")])
    return tok


def word_level(lines, size):
    tok = Tokenizer(models.WordLevel(unk_token="<unk>"))
    tok.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase(), normalizers.Strip()])
    tok.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=True)])
    tok.train_from_iterator(lines, trainers.WordLevelTrainer(vocab_size=size, special_tokens=["<unk>"], show_progress=False))
    return tok


def odds_and_ends(lines, size):
    """Added tokens of every flavour over an unusual pipeline."""
    tok = Tokenizer(models.WordPiece(unk_token="<unk>"))
    tok.normalizer = normalizers.Sequence([normalizers.NFKD(), normalizers.Lowercase(), normalizers.Replace("ing", "ING")])
    tok.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation("contiguous"), pre_tokenizers.Digits(),
        pre_tokenizers.Split("-", "merged_with_previous"), pre_tokenizers.Split(Regex("[aeiou]"), "merged_with_next")])
    tok.train_from_iterator(lines, trainers.WordPieceTrainer(vocab_size=size, special_tokens=["<unk>"], show_progress=False))
    tok.add_tokens([AddedToken("willows", single_word=True), AddedToken("MILL", normalized=True), AddedToken("New York", normalized=False),
                    AddedToken("mill there", lstrip=True, rstrip=True), AddedToken("日"), AddedToken("½", normalized=True)])
    tok.add_special_tokens([AddedToken("<mask>", lstrip=True, rstrip=True, normalized=False), AddedToken("[SEP]", single_word=True)])
    return tok


def all_recipes(lines, size, only=None, small=False):
    """(name, kind, tokenizer) of each recipe; `kind` is what a comparison is counted under."""
    table = [
        ("bert_uncased", "WordPiece uncased", lambda: bert(lines, size, lowercase=True)),
        ("bert_cased", "WordPiece cased", lambda: bert(lines, size, lowercase=False, old_processor=True)),
        ("bert_accents", "WordPiece cased", lambda: bert(lines, size, lowercase=True, strip_accents=False, chinese=False)),
        ("roberta", "byte-level BPE", lambda: roberta(lines, size)),
        ("roberta_space", "byte-level BPE", lambda: roberta(lines, size, add_prefix_space=True)),
        ("gpt2", "byte-level BPE", lambda: gpt2(lines, size)),
        ("gpt2_trim", "byte-level BPE", lambda: gpt2(lines, size, add_prefix_space=True, trim=True)),
        ("llama3", "byte-level BPE", lambda: llama3(lines, size)),
        ("qwen", "byte-level BPE", lambda: llama3(lines, size, ignore_merges=False, nfc=True)),
        ("llama2", "BPE with byte fallback", lambda: llama2(lines, size)),
        ("llama2_first", "BPE with byte fallback", lambda: llama2(lines, size, metaspace="first")),
        ("llama2_never", "BPE with byte fallback", lambda: llama2(lines, size, metaspace="never", fuse_unk=False)),
        ("clip", "BPE with suffix", lambda: clip(lines, size)),
        ("unigram", "Unigram", lambda: unigram(lines, max(size, 900))),
        ("unigram_first", "Unigram", lambda: unigram(lines, max(size, 900), scheme="first", split=False, normalizer=normalizers.NFKC())),
        ("xlmr", "Unigram", lambda: sentencepiece_unigram(lines, max(size, 900), small=small)),
        ("t5", "Unigram", lambda: sentencepiece_unigram(lines, max(size, 1200), rule="nmt_nfkc_cf", byte_fallback=True, small=small)),
        ("word_level", "WordLevel", lambda: word_level(lines, size)),
        ("odds_and_ends", "WordPiece uncased", lambda: odds_and_ends(lines, size)),
    ]
    for name, kind, make in table:
        if not only or name in only:
            yield name, kind, make()

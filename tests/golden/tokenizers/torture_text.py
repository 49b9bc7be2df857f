"""Text that is hard on tokenizers, made up from code point ranges. The same seed gives the same lines."""

import random

WORDS = (
    "the river bends where old willows lean over slow water and nobody remembers who first built a mill there "
    "don't can't it's we've I'd they're she'll unbelievable tokenization running jumped happily misunderstanding "
    "New York Paris Zürich naïve café résumé coöperate São Tomé Ærøskøbing Łódź straße GROSSE STRASSE İstanbul "
    "ﬁnance ﬂower ½ ² ㎏ Ⅳ ℌello № ™ 1,234.56 3.14e-10 2026-11-15 12:30 $5 €9 100% C++ e-mail foo_bar snake_case "
    "camelCase HTTPServer http://example.org/a?b=c&d#e user@example.org #tag @name ... -- — – “quoted” ‘single’ «x»"
).split()
SPECIALS = ["[CLS]", "[SEP]", "[MASK]", "[UNK]", "[PAD]", "<s>", "</s>", "<unk>", "<mask>", "<pad>", "<|endoftext|>",
            "<0x0A>", "##ing", "▁", "Ġ", "<|im_start|>"]
SPACES = [" ", "  ", "\t", "\n", "\r\n", "\v", "\f", "\u0085", "\u00a0", "\u1680", "\u2003", "\u2009", "\u200a",
          "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "     ", " \t \n "]
INVISIBLE = ["\u0000", "\u0001", "\u0007", "\u001b", "\u007f", "\u0080", "\u009f", "\u00ad", "\u034f", "\u061c",
             "\u180e", "\u200b", "\u200c", "\u200d", "\u200e", "\u200f", "\u202a", "\u202e", "\u2060", "\u2066",
             "\u2069", "\ufeff", "\ufff9", "\ufffd", "\uffff", "\ufffe", "\U000e0001", "\U000e0041", "\U0001d173"]
EMOJI = ["😀", "👍🏽", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪🇫🇷", "🧑🏿‍🚀", "❤️", "☺︎", "#️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "👨🏻‍❤️‍💋‍👨🏼", "🫠"]
RANGES = {  # blocks, in which a code point is drawn at random
    "latin": [(0x00C0, 0x024F), (0x1E00, 0x1EFF), (0x0250, 0x02AF)],
    "marks": [(0x0300, 0x036F), (0x1AB0, 0x1AC0), (0x20D0, 0x20F0), (0x0591, 0x05BD), (0x064B, 0x065F),
              (0x093C, 0x094D), (0x0F71, 0x0F84), (0x3099, 0x309A)],
    "greek": [(0x0370, 0x03FF), (0x1F00, 0x1FFF)],
    "cyrillic": [(0x0400, 0x052F)],
    "hebrew_arabic": [(0x05D0, 0x05EA), (0x0620, 0x06FF), (0xFB1D, 0xFB4F), (0xFB50, 0xFDFF), (0xFE70, 0xFEFF)],
    "indic": [(0x0900, 0x0DFF)],
    "thai_lao_tibetan": [(0x0E00, 0x0FFF)],
    "hangul": [(0x1100, 0x11FF), (0xAC00, 0xD7A3), (0x3131, 0x318E), (0xA960, 0xA97C), (0xD7B0, 0xD7FB)],
    "kana": [(0x3040, 0x30FF), (0xFF65, 0xFF9F)],
    "cjk": [(0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0xF900, 0xFAD9), (0x20000, 0x2A6DF), (0x2F800, 0x2FA1D)],
    "compatibility": [(0x2100, 0x218B), (0x2460, 0x24FF), (0x3200, 0x33FF), (0xFB00, 0xFB06), (0xFF01, 0xFFEE),
                      (0x1D400, 0x1D7FF), (0x1F100, 0x1F16B)],
    "symbols": [(0x2000, 0x206F), (0x20A0, 0x20BF), (0x2190, 0x27BF), (0x2900, 0x2BFF), (0x1F300, 0x1F6D2)],
    "punctuation": [(0x0021, 0x002F), (0x003A, 0x0040), (0x2010, 0x205E), (0x3001, 0x303D), (0xFE10, 0xFE6B)],
    "digits": [(0x0030, 0x0039), (0x0660, 0x0669), (0x0966, 0x096F), (0x00B2, 0x00BE), (0x2070, 0x2089),
               (0x2150, 0x218B), (0x3021, 0x3029), (0x1D7CE, 0x1D7FF)],
    "private": [(0xE000, 0xF8FF), (0xF0000, 0xF00FF)],
    "far": [(0x10000, 0x100FA), (0x10280, 0x1031F), (0x12000, 0x1236E), (0x13000, 0x1342E), (0x1D100, 0x1D1E8)],
    "any": [(0x0001, 0xD7FF), (0xE000, 0xFFFF), (0x10000, 0x2FFFF)],
    # Assigned after the Unicode version of one table or another, or never: see --unassigned.
    "unassigned": [(0x0378, 0x0379), (0x2FE0, 0x2FEF), (0x1FAE0, 0x1FAFF), (0x30000, 0x323AF), (0x40000, 0x40010)],
}


def character(rng, kind):
    first, last = rng.choice(RANGES[kind])
    while True:
        c = rng.randint(first, last)
        if not 0xD800 <= c <= 0xDFFF:
            return chr(c)


def piece(rng, kinds):
    roll = rng.random()
    if roll < 0.28:
        return rng.choice(WORDS)
    if roll < 0.33:
        return rng.choice(SPECIALS)
    if roll < 0.39:
        return rng.choice(EMOJI)
    if roll < 0.45:
        return rng.choice(INVISIBLE)
    if roll < 0.52:  # a letter under a pile of marks
        return rng.choice("aeiounAEIOUZ가かא") + "".join(character(rng, "marks") for _ in range(rng.randint(1, 4)))
    kind = rng.choice(kinds)
    return "".join(character(rng, kind) for _ in range(rng.randint(1, 6)))


def line(rng, kinds):
    parts = []
    for _ in range(rng.randint(1, 9)):
        parts.append(piece(rng, kinds))
        if rng.random() < 0.7:
            parts.append(" " if rng.random() < 0.7 else rng.choice(SPACES))
    text = "".join(parts)
    if rng.random() < 0.1:
        text = rng.choice(SPACES) + text
    if rng.random() < 0.1:
        text += rng.choice(SPACES)
    return text


def fixed_lines():
    """Lines that are always there, before the random ones."""
    lines = ["", " ", "  ", "\n", "\t a", "a", "a ", " a", "\ufeffBOM first", "NUL\x00inside", "\x00", "\u0301", "\u0301a",
             "e\u0301\u0323 e\u0323\u0301 \u1e69 s\u0323\u0307 s\u0307\u0323", "\u1100\u1161\u11a8 \uac01 \uac00\u11a8 \u1100\u1161",
             "\u0344 \u0374 \u037e \u212b \u2126 \u00c5 A\u030a", "ǆ ǅ Ǆ ß ẞ ﬀ ﬃ ŉ ΰ ΐ", "İIıi I\u0307 i\u0307", "ΑΣ ΑΣΑ Σ ς",
             "x" * 99, "x" * 100, "x" * 101, "ab" * 300, "é" * 150, "日" * 130, "👍" * 60, "a\u0301" * 80, "!" * 90, " " * 70,
             "word" + " " * 40 + "word", "\n" * 30, "0123456789" * 12, "don't won't I'LL I'll 'tis 's", "\u3000全角　スペース",
             "<s> </s>", "<s><s>", "a<mask>b", "a <mask> b", "  <mask>  ", "[MASK].", "x[MASK]x", "the[SEP]end", "<0x41><0x00>",
             "\u200d\u200d", "\U0010ffff", "\ufffe\uffff", "क्षत्रिय", "ไม่มีช่องว่าง", "אָב וָאֵם", "السَّلَامُ عَلَيْكُم", "e\u200de", "a\u00adb"]
    lines += [s.join("ab c") for s in SPACES + INVISIBLE]
    lines += EMOJI + SPECIALS + [w.upper() for w in WORDS[-30:]]
    return lines


def torture_lines(count, seed=0, unassigned=False):
    rng = random.Random(seed)
    kinds = [k for k in RANGES if unassigned or k not in ("unassigned", "any")]
    lines = fixed_lines()
    while len(lines) < count:
        lines.append(line(rng, kinds))
    return lines[:count]


def training_lines(count, seed=1):
    """Plain made-up sentences with a sprinkle of other scripts, to train small vocabularies on."""
    rng = random.Random(seed)
    syllables = ["ta", "ri", "no", "ves", "ling", "mo", "er", "ka", "st", "un", "ing", "ed", "est", "or", "pla", "ch"]
    invented = ["".join(rng.choice(syllables) for _ in range(rng.randint(1, 4))) for _ in range(400)]
    lines = []
    for _ in range(count):
        words = [rng.choice(invented) if rng.random() < 0.5 else rng.choice(WORDS) for _ in range(rng.randint(3, 14))]
        if rng.random() < 0.25:
            kind = rng.choice(["latin", "greek", "cyrillic", "hebrew_arabic", "indic", "hangul", "kana", "cjk", "digits"])
            words.insert(rng.randint(0, len(words)), "".join(character(rng, kind) for _ in range(rng.randint(1, 4))))
        text = " ".join(words)
        lines.append(text[:1].upper() + text[1:] + rng.choice([".", "!", "?", "...", ""]))
    return lines

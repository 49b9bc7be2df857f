#!/usr/bin/env python3
"""Train models/sentiment, the small sentiment classifier that ships with Headwater.

The result is a BERT of 4 layers and width 192 with a WordPiece vocabulary of about 9,000 pieces,
distilled from a six-layer MiniLM that was fine-tuned on SST-2.

    python tools/train/sentiment.py --data sst2 --teacher minilm-sst2 --out models/sentiment

Data        SST-2 in the layout of the GLUE benchmark (https://gluebenchmark.com/tasks): a folder
            with train.tsv and dev.tsv, both with a header and the columns "sentence" and "label".
            Only train.tsv is trained on. dev.tsv is read once, after the model has been written.
Teacher     A BertForSequenceClassification folder in Hugging Face layout, labels 0 negative and
            1 positive, with a WordPiece tokenizer. Ours is MiniLM-L6-H384-uncased
            (sentence-transformers/all-MiniLM-L6-v2, Apache-2.0) fine-tuned on SST-2 for one epoch;
            it classifies 782 of the 872 dev sentences correctly (89.68 %).
Needs       torch, transformers, tokenizers, safetensors, numpy. No GPU.

What it does

 1. Hold out 500 complete sentences of train.tsv. SST-2 lists the phrases of its sentences as
    examples of their own, so every phrase of four or more words that lies inside a held-out
    sentence leaves the training set with it. The hold-out only reports progress: nothing is
    selected, the shipped weights are those of the last step.
 2. Trim the teacher's vocabulary: special tokens, single characters, the pieces frequent in the
    training text, and the low ids of the BERT vocabulary, which is ordered by frequency.
 3. Augment: masked words, n-grams, contractions written the ordinary way ("don't" for "do n't"),
    concatenations for longer inputs, and short template sentences with negations.
 4. Cut the student out of the teacher. The residual stream is projected on its leading principal
    directions, the strongest heads and feed-forward units of four layers are kept, and the layer
    norms are refitted by least squares. This is a starting point, not yet a usable model.
 5. Run the teacher once over everything and keep its logits and two of its hidden states.
 6. Train the student on the teacher's logits, the projected hidden states and the true labels.
 7. Write the folder with weights in half precision, load it again in single precision as a user
    would, and count the dev sentences it classifies correctly.

Seed        20240501 for every generator; another version of torch or another processor still
            gives slightly different weights.
Time        About 20 minutes on one idle core with AVX2, going by the measured tokens per second;
            half of them are the teacher's. 5 GB of memory.
            A checkpoint is written every 500 steps, and --cache with --resume continue a run. The
            shipped weights were made so: stopped after step 1000 of 1730, then --resume 1000
            (weights rounded to half precision and Adam's moments begun anew at that point).
Accuracy    771 of the 872 sentences of SST-2 dev (88.42 %), 450 of the 500 held out. The latter
            is optimistic: the teacher was fine-tuned on all of train.tsv.
"""

import argparse
import collections
import json
import pathlib
import random
import time

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    BertConfig,
    BertForSequenceClassification,
)

SEED = 20240501

# Shape of the student.
WIDTH = 192
HEADS = 6  # of width 32, the head width of the teacher
FEED_FORWARD = 768
TEACHER_LAYERS = [0, 1, 3, 5]  # the teacher layers that the student layers start from
POSITIONS = 256

# Hidden states to imitate: output of student layer -> output of teacher layer (0: embeddings).
HIDDEN_TARGETS = {2: 3, 4: 6}

# Vocabulary.
SPECIAL_TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
FREQUENT_IN_TRAINING = 8  # keep a piece seen at least this often
COMMON_BELOW_ID = 5000  # keep every whole-word or suffix piece with a lower teacher id

HELD_OUT_SENTENCES = 500
CONTAINED_PHRASE_WORDS = 4  # shorter phrases ("a good film") belong to no sentence in particular

# Optimisation.
TOKENS_PER_BATCH = 1024
TEMPERATURE = 2.0
LABEL_WEIGHT = 0.3

# Schedules: straight lines between (share of the run, value).
LEARNING_RATE = [(0.0, 0.0), (0.10, 6e-4), (0.58, 4.5e-4), (1.0, 0.0)]
HIDDEN_WEIGHT = [(0.0, 2.0), (0.58, 1.5), (1.0, 0.2)]
RESTART_WARMUP = 50  # steps in which the optimizer's moments settle after a start or a resume
CHECKPOINT_EVERY = 500


def log(*parts):
    print(time.strftime("[%H:%M:%S]"), *parts, flush=True)


# ---- data ----------------------------------------------------------------------------------------


def read_tsv(path):
    """Return [(sentence, label)] of a GLUE file with the columns "sentence" and "label"."""
    with open(path, encoding="utf-8") as file:
        header = file.readline().rstrip("\n").split("\t")
        sentence, label = header.index("sentence"), header.index("label")
        rows = [line.rstrip("\n").split("\t") for line in file]
    return [(row[sentence].strip(), int(row[label])) for row in rows]


def ngrams(words, shortest):
    for start in range(len(words)):
        for end in range(start + shortest, len(words) + 1):
            yield " ".join(words[start:end])


def complete_sentences(examples):
    """The examples that are not a phrase of a longer example."""
    seen, sentences = set(), []
    for text, label in sorted(examples, key=lambda e: (-len(e[0].split()), e[0])):
        words = text.split()
        if len(words) < 8 or text in seen:
            continue
        sentences.append((text, label))
        seen.update(ngrams(words, 8))
    return sentences


def hold_out(examples, generator):
    """Split off complete sentences together with the phrases they contain."""
    held_out = generator.sample(complete_sentences(examples), HELD_OUT_SENTENCES)
    contained = set()
    for text, _ in held_out:
        contained.update(ngrams(text.split(), CONTAINED_PHRASE_WORDS))
    return [e for e in examples if e[0] not in contained], held_out


def write_contractions_normally(text):
    """Undo the Penn Treebank splitting of "n't": SST-2 has "ca n't" where people type "can't"."""
    text = (" " + text).replace(" ca n't", " can't").replace(" wo n't", " won't")
    return text.replace(" n't", "n't").strip()


def template_sentences(generator, count):
    """Short plain sentences with and without negation; the teacher says how they feel."""
    subjects = """the movie;this movie;the film;this film;it;the story;the acting;the plot;the book;the food;
        the service;the hotel;the music;the phone;this product;the staff;the game;the weather;the ending;
        the place;the show;everything;the screenplay;the cast;the room;the app""".split(";")
    adjectives = """good;bad;great;terrible;awful;boring;funny;interesting;excellent;wonderful;horrible;dull;
        beautiful;ugly;amazing;disappointing;enjoyable;stupid;clever;perfect;slow;fast;cheap;expensive;
        fantastic;mediocre;nice;poor;fun;sad;happy;brilliant;weak;strong;rude;friendly;broken;useful;
        useless;annoying;delicious;cold;clean;dirty;fine;okay;memorable;predictable;bland;moving;
        convincing;entertaining;special;worth it;a waste of time;a masterpiece;a mess;a joy;a failure;
        a disaster;a delight""".split(";")
    verbs = "love;like;hate;enjoy;dislike;recommend;regret;adore;trust;understand;miss;want".split(";")
    objects = """this movie;it;this film;the book;the food;this place;the ending;the music;this product;
        the characters;the actors;this phone;the story;the show""".split(";")
    subjects, adjectives, objects = ([p.strip() for p in ps] for ps in (subjects, adjectives, objects))
    pick = generator.choice

    def clause():
        shape = generator.random()
        if shape < 0.2:
            return pick(["", "not ", "not ", "not very ", "very ", "never ", "so ", "really "]) + pick(adjectives)
        if shape < 0.7:
            copula = pick(["is", "was", "is not", "was not", "isn't", "wasn't", "is never", "was hardly"])
            degree = pick(["", "", "", "very ", "really ", "so ", "that ", "too ", "all that ", "anything but "])
            tail = pick(["", "", "", "", " at all", " in any way", " from start to finish"])
            return f"{pick(subjects)} {copula} {degree}{pick(adjectives)}{tail}"
        mood = pick(["", "", "really ", "do not ", "don't ", "didn't ", "would not ", "can't help but ", "never "])
        return f"i {mood}{pick(verbs)} {pick(objects)}"

    sentences = []
    for _ in range(count):
        text = clause()
        if generator.random() < 0.25:
            text += pick([" but ", ", but ", " and ", ", and ", ". ", "; still, ", " although "]) + clause()
        sentences.append(text + pick(["", ".", ".", "!"]))
    return sentences


def augment(examples, generator):
    """Unlabelled texts around the training examples; the teacher labels them."""
    texts = [text for text, _ in examples]
    sentences = [text for text in texts if len(text.split()) >= 12]
    made = []

    # Words hidden behind [MASK]: what the model also meets when a prediction is explained by
    # occlusion.
    for text in generator.sample(texts, 9000) + generator.sample(sentences, 6000):
        rate = generator.uniform(0.1, 0.4)
        made.append(" ".join("[MASK]" if generator.random() < rate else word for word in text.split()))

    # n-grams of complete sentences, not only the phrases of their parse trees.
    for text in generator.sample(sentences, 10000):
        words = text.split()
        start = generator.randrange(len(words) - 3)
        made.append(" ".join(words[start : start + generator.randint(3, len(words))]))

    # "don't" instead of "do n't", and sentences without the space before the final stop.
    made += [write_contractions_normally(text) for text in texts if " n't" in text]
    made += [text[:-2] + text[-1] for text in generator.sample(sentences, 4000) if text[-2:] in (" .", " !", " ?")]

    # Longer inputs, some of them much longer than any sentence of SST-2.
    for _ in range(5000):
        parts = generator.sample(texts if generator.random() < 0.5 else sentences, generator.randint(2, 4))
        made.append(generator.choice([" . ", " , ", " and ", " but ", " "]).join(parts))
    for _ in range(500):
        parts = generator.sample(sentences, generator.randint(5, 9))
        made.append(" ".join(write_contractions_normally(part) for part in parts))

    made += template_sentences(generator, 8000)
    known = set(texts)
    return [text for text in dict.fromkeys(made) if text and text not in known]


# ---- vocabulary ----------------------------------------------------------------------------------


def choose_pieces(tokenizer, texts):
    """Return the teacher ids the student keeps, in the order of their new ids."""
    vocabulary = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    count = collections.Counter(i for e in tokenizer.encode_batch(texts) for i in e.ids)

    def keep(piece, teacher_id):
        if piece in SPECIAL_TOKENS or piece.startswith("[unused"):
            return False
        character = piece.removeprefix("##")
        if len(character) == 1:  # Latin letters, digits, punctuation, currency signs
            return ord(character) < 0x250 or 0x2010 <= ord(character) < 0x20D0
        if count[teacher_id] >= FREQUENT_IN_TRAINING:
            return True
        return teacher_id < COMMON_BELOW_ID and character.isascii()

    special = [tokenizer.token_to_id(token) for token in SPECIAL_TOKENS]
    return special + [teacher_id for piece, teacher_id in vocabulary if keep(piece, teacher_id)]


def trim_tokenizer(teacher_dir, kept):
    """The teacher's tokenizer with only the kept pieces, renumbered, as the text of a JSON file."""
    spec = json.loads((teacher_dir / "tokenizer.json").read_text(encoding="utf-8"))
    piece_of = {i: piece for piece, i in spec["model"]["vocab"].items()}
    pieces = [piece_of[i] for i in kept]
    spec["model"]["vocab"] = {piece: i for i, piece in enumerate(pieces)}
    spec["truncation"] = spec["padding"] = None
    for token in spec["added_tokens"]:
        token["id"] = spec["model"]["vocab"][token["content"]]
    for name, token in spec["post_processor"]["special_tokens"].items():
        token["ids"] = [spec["model"]["vocab"][name]]
    return json.dumps(spec, ensure_ascii=False), pieces


# ---- cutting the student out of the teacher -------------------------------------------------------


class TeacherStatistics:
    """What the surgery needs to know about the teacher, measured on a sample of texts."""

    def __init__(self, teacher, batches):
        self.norm_inputs = collections.defaultdict(list)
        self.norm_outputs = collections.defaultdict(list)
        self.contexts = collections.defaultdict(list)  # input of the attention's output projection
        self.activations = collections.defaultdict(list)  # input of the second feed-forward matrix
        handles = []

        def record(module, inputs_to, outputs_to, key):
            def hook(_, inputs, output):
                inputs_to[key].append(inputs[0].flatten(0, 1))
                if outputs_to is not None:
                    outputs_to[key].append(output.flatten(0, 1))

            handles.append(module.register_forward_hook(hook))

        record(teacher.bert.embeddings.LayerNorm, self.norm_inputs, self.norm_outputs, "embeddings")
        for i, layer in enumerate(teacher.bert.encoder.layer):
            record(layer.attention.output.LayerNorm, self.norm_inputs, self.norm_outputs, f"attention{i}")
            record(layer.output.LayerNorm, self.norm_inputs, self.norm_outputs, f"output{i}")
            record(layer.attention.output.dense, self.contexts, None, i)
            record(layer.output.dense, self.activations, None, i)
        first = []
        with torch.inference_mode():
            for ids in batches:
                first.append(teacher.bert(ids).last_hidden_state[:, 0])
        for handle in handles:
            handle.remove()
        self.first = torch.cat(first)
        for store in (self.norm_inputs, self.norm_outputs, self.contexts, self.activations):
            for key in store:
                store[key] = torch.cat(store[key])

    def projection(self, width):
        """The leading principal directions of all hidden states, one per row, orthonormal."""
        states = torch.cat(list(self.norm_outputs.values())).double()
        values, vectors = torch.linalg.eigh(states.T @ states)
        log(f"{width} of {len(values)} directions hold {values[-width:].sum() / values.sum():.2%} of the energy")
        return vectors[:, -width:].flip(1).T.float().contiguous()


def fit_norm(norm, inputs, outputs):
    """Set gain and bias so that the norm maps inputs to outputs as well as it can."""
    x = F.layer_norm(inputs, inputs.shape[-1:], eps=norm.eps)
    x_mean, y_mean = x.mean(0), outputs.mean(0)
    gain = ((x - x_mean) * (outputs - y_mean)).mean(0) / ((x - x_mean) ** 2).mean(0)
    norm.weight.copy_(gain)
    norm.bias.copy_(y_mean - gain * x_mean)


def strongest(scores, count):
    return scores.topk(count).indices.sort().values


def cut_student(teacher, kept, statistics, project):
    """A student whose hidden states start as an approximation of project @ teacher states."""
    head_width = teacher.config.hidden_size // teacher.config.num_attention_heads
    config = BertConfig(
        vocab_size=len(kept),
        hidden_size=WIDTH,
        num_hidden_layers=len(TEACHER_LAYERS),
        num_attention_heads=HEADS,
        intermediate_size=FEED_FORWARD,
        max_position_embeddings=POSITIONS,
        type_vocab_size=teacher.config.type_vocab_size,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        pad_token_id=0,
        id2label={0: "NEGATIVE", 1: "POSITIVE"},
        label2id={"NEGATIVE": 0, "POSITIVE": 1},
    )
    assert WIDTH == HEADS * head_width, "the student keeps whole heads of the teacher"
    student = BertForSequenceClassification(config)

    def project_norm(target, key):
        fit_norm(target, statistics.norm_inputs[key] @ project.T, statistics.norm_outputs[key] @ project.T)

    def copy_linear(target, weight, bias):
        target.weight.copy_(weight)
        target.bias.copy_(bias)

    with torch.no_grad():
        theirs, ours = teacher.bert.embeddings, student.bert.embeddings
        ours.word_embeddings.weight.copy_(theirs.word_embeddings.weight[kept] @ project.T)
        ours.position_embeddings.weight.copy_(theirs.position_embeddings.weight[:POSITIONS] @ project.T)
        ours.token_type_embeddings.weight.copy_(theirs.token_type_embeddings.weight @ project.T)
        project_norm(ours.LayerNorm, "embeddings")

        for index, ours in zip(TEACHER_LAYERS, student.bert.encoder.layer):
            theirs = teacher.bert.encoder.layer[index]

            # Heads, by the size of what they write into the residual stream.
            out = theirs.attention.output.dense
            context = statistics.contexts[index]
            slices = [range(h * head_width, (h + 1) * head_width) for h in range(teacher.config.num_attention_heads)]
            written = torch.stack([(context[:, list(s)] @ out.weight[:, list(s)].T).var(0).sum() for s in slices])
            rows = torch.tensor([i for h in strongest(written, HEADS).tolist() for i in slices[h]])
            for name in ("query", "key", "value"):
                source = getattr(theirs.attention.self, name)
                copy_linear(getattr(ours.attention.self, name), source.weight[rows] @ project.T, source.bias[rows])
            # What the dropped units write on average moves into the bias.
            constant = out.bias + out.weight @ context.mean(0) - out.weight[:, rows] @ context[:, rows].mean(0)
            copy_linear(ours.attention.output.dense, project @ out.weight[:, rows], project @ constant)
            project_norm(ours.attention.output.LayerNorm, f"attention{index}")

            # Feed-forward units, by the same measure.
            into, out = theirs.intermediate.dense, theirs.output.dense
            active = statistics.activations[index]
            rows = strongest(active.var(0) * out.weight.square().sum(0), FEED_FORWARD)
            copy_linear(ours.intermediate.dense, into.weight[rows] @ project.T, into.bias[rows])
            constant = out.bias + out.weight @ active.mean(0) - out.weight[:, rows] @ active[:, rows].mean(0)
            copy_linear(ours.output.dense, project @ out.weight[:, rows], project @ constant)
            project_norm(ours.output.LayerNorm, f"output{index}")

        # Pooler units, by their say in the difference of the two logits.
        pooler = teacher.bert.pooler.dense
        pooled = torch.tanh(pooler(statistics.first))
        difference = teacher.classifier.weight[1] - teacher.classifier.weight[0]
        rows = strongest(pooled.var(0) * difference.square(), WIDTH)
        copy_linear(student.bert.pooler.dense, pooler.weight[rows] @ project.T, pooler.bias[rows])
        copy_linear(student.classifier, teacher.classifier.weight[:, rows], teacher.classifier.bias)
    return student


# ---- what the teacher says -----------------------------------------------------------------------


def batches_by_length(lengths, tokens_per_batch, shuffle=None):
    """Lists of example numbers of nearly equal length, so that hardly any padding is computed."""
    order = list(range(len(lengths)))
    if shuffle is not None:
        shuffle.shuffle(order)
    order.sort(key=lambda i: lengths[i])  # stable: the shuffle survives among equal lengths
    batches, batch = [], []
    for i in order:
        if batch and (len(batch) + 1) * lengths[i] > tokens_per_batch:
            batches.append(batch)
            batch = []
        batch.append(i)
    batches.append(batch)
    if shuffle is not None:
        shuffle.shuffle(batches)
    return batches


def pad(rows):
    """Token ids and attention mask of a batch; id 0 is [PAD] for teacher and student alike."""
    width = max(map(len, rows))
    ids = torch.zeros(len(rows), width, dtype=torch.long)
    mask = torch.zeros(len(rows), width, dtype=torch.long)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = torch.as_tensor(row)
        mask[i, : len(row)] = 1
    return ids, mask


def align(student_encoding, teacher_encoding):
    """For each student token the teacher token over the same characters, or -1."""
    last = len(teacher_encoding.ids) - 1
    where = {span: i for i, span in enumerate(teacher_encoding.offsets[1:last], start=1)}
    inner = [where.get(span, -1) for span in student_encoding.offsets[1:-1]]
    return np.array([0, *inner, last])


def ask_teacher(teacher, theirs, ours, project):
    """Logits per text, and per student token the projected hidden states of HIDDEN_TARGETS."""
    starts = np.concatenate([[0], np.cumsum([len(e.ids) for e in ours])])
    answer = {
        "logits": np.zeros((len(ours), 2), np.float32),
        "aligned": np.zeros(starts[-1], bool),
        "starts": starts,
    }
    for layer in HIDDEN_TARGETS.values():
        answer[f"hidden{layer}"] = np.zeros((starts[-1], WIDTH), np.float16)
    batches = batches_by_length([len(e.ids) for e in theirs], 1500)
    done, total = 0, sum(len(e.ids) for e in theirs)
    log(f"the teacher reads {len(theirs)} texts, {total} tokens")
    for number, batch in enumerate(batches):
        ids, mask = pad([theirs[i].ids for i in batch])
        with torch.inference_mode():
            output = teacher(ids, attention_mask=mask, output_hidden_states=True)
            hidden = {n: (output.hidden_states[n] @ project.T).half().numpy() for n in HIDDEN_TARGETS.values()}
        answer["logits"][batch] = output.logits.numpy()
        for row, i in enumerate(batch):
            alignment = align(ours[i], theirs[i])
            answer["aligned"][starts[i] : starts[i + 1]] = alignment >= 0
            for n, states in hidden.items():
                answer[f"hidden{n}"][starts[i] : starts[i + 1]] = states[row, alignment]
        done += sum(len(theirs[i].ids) for i in batch)
        if number % 200 == 0:
            log(f"  {done / total:.1%}")
    return answer


# ---- training ------------------------------------------------------------------------------------


def count_correct(model, tokenizer, examples):
    encodings = tokenizer.encode_batch([text for text, _ in examples])
    correct = 0
    model.eval()
    for batch in batches_by_length([len(e.ids) for e in encodings], 1500):
        ids, mask = pad([encodings[i].ids[:POSITIONS] for i in batch])
        with torch.inference_mode():
            predicted = model(ids, attention_mask=mask).logits.argmax(-1).tolist()
        correct += sum(examples[i][1] == p for i, p in zip(batch, predicted))
    return correct


def scheduled(schedule, progress):
    shares, values = zip(*schedule)
    return float(np.interp(progress, shares, values))


def train(student, encodings, labels, answer, epochs, first_step, generator, report):
    """labels: 0, 1, or -1 where only the teacher's opinion is known."""
    labels = torch.tensor(labels)
    lengths = [len(e.ids) for e in encodings]
    starts = answer["starts"]
    # Hidden states are compared in units of their own variance.
    variance = {n: float(answer[f"hidden{n}"][::50].astype(np.float32).var(0).mean()) for n in HIDDEN_TARGETS.values()}

    matrices = [p for p in student.parameters() if p.ndim > 1]
    vectors = [p for p in student.parameters() if p.ndim == 1]
    optimizer = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": 0.01}, {"params": vectors, "weight_decay": 0.0}],
        betas=(0.9, 0.98), eps=1e-6, fused=True,
    )
    plan = [batch for _ in range(epochs) for batch in batches_by_length(lengths, TOKENS_PER_BATCH, generator)]
    log(f"training: {len(plan)} steps, {epochs} epochs of {sum(lengths)} tokens")
    sums = collections.Counter()
    for step, batch in enumerate(plan[first_step:], start=first_step):
        progress = step / len(plan)
        settled = min(1.0, (step + 1 - first_step) / RESTART_WARMUP)
        for group in optimizer.param_groups:
            group["lr"] = settled * scheduled(LEARNING_RATE, progress)
        hidden_weight = scheduled(HIDDEN_WEIGHT, progress)

        student.train()
        ids, mask = pad([encodings[i].ids for i in batch])
        output = student(ids, attention_mask=mask, output_hidden_states=True)

        teacher_logits = torch.from_numpy(answer["logits"][batch])
        soft_loss = TEMPERATURE**2 * F.kl_div(
            F.log_softmax(output.logits / TEMPERATURE, -1),
            F.softmax(teacher_logits / TEMPERATURE, -1),
            reduction="batchmean",
        )
        label = labels[batch]
        known = label >= 0
        label_loss = F.cross_entropy(output.logits[known], label[known]) if known.any() else torch.zeros(())

        rows = np.concatenate([np.arange(starts[i], starts[i + 1]) for i in batch])
        aligned = torch.from_numpy(answer["aligned"][rows])
        hidden_loss = torch.zeros(())
        for ours, theirs in HIDDEN_TARGETS.items():
            target = torch.from_numpy(answer[f"hidden{theirs}"][rows]).float()
            error = (output.hidden_states[ours][mask.bool()] - target)[aligned]
            hidden_loss = hidden_loss + error.square().mean() / variance[theirs] / len(HIDDEN_TARGETS)

        loss = soft_loss + LABEL_WEIGHT * label_loss + hidden_weight * hidden_loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(student.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)

        sums.update(soft=soft_loss.item(), label=label_loss.item(), hidden=hidden_loss.item(), steps=1)
        if (step + 1) % 100 == 0:
            means = {name: sums[name] / sums["steps"] for name in ("soft", "label", "hidden")}
            log(f"step {step + 1}/{len(plan)}", *(f"{name} {mean:.3f}" for name, mean in means.items()))
            sums.clear()
        if (step + 1) % CHECKPOINT_EVERY == 0 or step + 1 == len(plan):
            report(step + 1)


# ---- the folder ----------------------------------------------------------------------------------


def write_folder(out, student, tokenizer_json, pieces):
    out.mkdir(parents=True, exist_ok=True)
    half = BertForSequenceClassification(student.config).half()
    half.load_state_dict(student.state_dict())
    half.save_pretrained(out)

    special = {f"{name}_token": f"[{name.upper()}]" for name in ("unk", "sep", "pad", "cls", "mask")}
    settings = {"tokenizer_class": "BertTokenizer", "do_lower_case": True, **special, "model_max_length": POSITIONS}

    def write(name, text):
        (out / name).write_text(text, encoding="utf-8")

    write("tokenizer.json", tokenizer_json)
    write("vocab.txt", "".join(piece + "\n" for piece in pieces))
    write("special_tokens_map.json", json.dumps(special, indent=2) + "\n")
    write("tokenizer_config.json", json.dumps(settings, indent=2) + "\n")


def check_folder(out, dev, sentences):
    """Use the written folder the way its readers will."""
    model = AutoModelForSequenceClassification.from_pretrained(out, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(out)
    correct = 0
    for text, label in dev:
        with torch.inference_mode():
            correct += int(model(**tokenizer(text, truncation=True, return_tensors="pt")).logits.argmax()) == label
    log(f"dev: {correct} of {len(dev)} correct ({correct / len(dev):.2%})")
    for text in sentences:
        with torch.inference_mode():
            positive = model(**tokenizer(text, return_tensors="pt")).logits.softmax(-1)[0, 1].item()
        log(f"  {positive:.3f} positive: {text}")


SANITY = [
    "good", "bad", "not good", "not bad", "I love this movie.", "I don't love this movie.",
    "the film is not bad at all", "The plot is predictable, but the acting is wonderful.",
    "The food was great and the staff were friendly.", "This is the worst laptop I have ever bought.",
    "I would not recommend it to anyone.", "It never gets boring.",
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder with train.tsv and dev.tsv of SST-2")
    parser.add_argument("--teacher", type=pathlib.Path, required=True, help="folder of the fine-tuned teacher")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder to write the model to")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cache", type=pathlib.Path, help="keep the teacher's answers in this .npz file between runs")
    parser.add_argument("--resume", type=int, default=0, metavar="STEP",
                        help="continue from the checkpoint that --out holds, written after this step; needs --cache")
    options = parser.parse_args()

    torch.set_num_threads(options.threads)
    torch.set_flush_denormal(True)
    torch.manual_seed(SEED)
    generator = random.Random(SEED)

    examples, held_out = hold_out(read_tsv(options.data / "train.tsv"), generator)
    labels = collections.defaultdict(set)
    for text, label in examples:
        labels[text].add(label)
    examples = [(text, min(found) if len(found) == 1 else -1) for text, found in labels.items()]
    extra = augment(examples, generator)
    texts = [text for text, _ in examples] + extra
    log(f"{len(examples)} training phrases, {len(extra)} made from them, {len(held_out)} sentences held out")

    teacher_tokenizer = Tokenizer.from_file(str(options.teacher / "tokenizer.json"))
    kept = choose_pieces(teacher_tokenizer, [text for text, _ in examples])
    tokenizer_json, pieces = trim_tokenizer(options.teacher, kept)
    tokenizer = Tokenizer.from_str(tokenizer_json)
    log(f"{len(kept)} of {teacher_tokenizer.get_vocab_size()} pieces kept")

    theirs, ours = teacher_tokenizer.encode_batch(texts), tokenizer.encode_batch(texts)
    fitting = [i for i in range(len(texts)) if max(len(theirs[i].ids), len(ours[i].ids)) <= POSITIONS]
    theirs, ours = [theirs[i] for i in fitting], [ours[i] for i in fitting]
    known = [examples[i][1] if i < len(examples) else -1 for i in fitting]

    sample = generator.sample(range(len(theirs)), 1500)
    if options.resume:
        student = AutoModelForSequenceClassification.from_pretrained(options.out, dtype=torch.float32)
        answer = dict(np.load(options.cache))
    else:
        teacher = AutoModelForSequenceClassification.from_pretrained(options.teacher, dtype=torch.float32).eval()
        statistics = TeacherStatistics(teacher, [torch.tensor([theirs[i].ids]) for i in sample])
        project = statistics.projection(WIDTH)
        student = cut_student(teacher, kept, statistics, project)
        del statistics
        answer = dict(np.load(options.cache)) if options.cache and options.cache.exists() else None
        if answer is None:
            answer = ask_teacher(teacher, theirs, ours, project)
            if options.cache:
                np.savez(options.cache, **answer)

    size = sum(p.numel() for p in student.parameters())
    correct = count_correct(student, tokenizer, held_out)
    log(f"student: {size} parameters; at the start {correct} of {len(held_out)} held-out sentences correct")

    def report(step):
        correct = count_correct(student, tokenizer, held_out)
        log(f"after step {step}: {correct} of {len(held_out)} held-out sentences correct")
        write_folder(options.out, student, tokenizer_json, pieces)

    train(student, ours, known, answer, options.epochs, options.resume, generator, report)
    check_folder(options.out, read_tsv(options.data / "dev.tsv"), SANITY)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Fine-tune a Hugging Face folder (BERT-base, MiniLM, …) on a classification task in a table.

For the studies of docs/reproduction.md, which need classifiers the papers had and we do not ship.
Optional: nothing of Headwater needs it to build or to be tested.

    python tools/train/finetune.py --model bert-base --train rte/train.tsv --dev rte/dev.tsv \\
        --labels entailment,not_entailment --out bert-rte

Needs       torch, transformers, safetensors, numpy (from PyPI, in a virtual environment). No GPU.
Model       Any folder AutoModelForSequenceClassification opens; a new classification head is drawn
            from --seed where the folder has none of this many labels.
Data        Tables with tabs and a header, in the layout of GLUE: the columns "sentence" or
            "sentence1" and "sentence2", and "label" (a number from 0). The Microsoft paraphrase
            corpus as its authors wrote it ("Quality", "#1 String", "#2 String") is read as well.
            No quoting: a quotation mark is a letter. --limit takes a random part of the training
            rows, drawn from --seed. A pair that is too long loses tokens at the end of its longer
            text, as BERT's own script does.
Training    AdamW (0.9, 0.999; decay 0.01 on matrices), learning rate warmed up over a tenth of the
            steps and then straight to 0, dropout as config.json says, gradients clipped at 1.
            Batches are made of texts of nearly equal length, in random order.
            --freeze N leaves the embeddings and the lowest N blocks as they are, which saves time:
            they run once over every text, without dropout, and training starts from what they gave
            (models of BERT's build only).
            Nothing is selected: the weights written are those of the last step, and the dev table
            is read once, with the written folder.
Result      model.safetensors (float16 by default), config.json with id2label, the tokenizer's
            files, and README.md: what was trained on what, how, and what it scores. The score is
            counted with that folder, opened again in float32.
"""

import argparse
import json
import pathlib
import random
import shlex
import sys
import time

import torch
import torch.nn.functional as F
import transformers
from transformers import AutoModelForSequenceClassification, AutoTokenizer

FIRST = ("sentence", "sentence1", "#1 String")
SECOND = ("sentence2", "#2 String")
LABEL = ("label", "Quality")


def log(*parts):
    print(time.strftime("[%H:%M:%S]"), *parts, flush=True)


# ---- data ----------------------------------------------------------------------------------------


def column(header, names):
    return next((header.index(name) for name in names if name in header), None)


def read_table(path, labels):
    """[(first text, second text or None, label)] of a table; refuses what it cannot read whole."""
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    header = lines[0].split("\t")
    first, second, label = (column(header, names) for names in (FIRST, SECOND, LABEL))
    if first is None or label is None:
        sys.exit(f"{path}: expected columns {'/'.join(FIRST)} and {'/'.join(LABEL)}, found {header}")
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        cells = line.split("\t")
        if len(cells) != len(header):
            sys.exit(f"{path}: line {number}: expected {len(header)} cells, found {len(cells)}")
        if not cells[label].isdigit() or int(cells[label]) >= labels:
            sys.exit(f"{path}: line {number}: expected a label from 0 to {labels - 1}, found {cells[label]!r}")
        rows.append((cells[first].strip(), cells[second].strip() if second is not None else None, int(cells[label])))
    return rows


def encode(tokenizer, rows, longest):
    """One dictionary of ids (and token types) per row, not padded."""
    firsts = [row[0] for row in rows]
    seconds = [row[1] for row in rows] if rows[0][1] is not None else None
    encoded = tokenizer(firsts, seconds, truncation="longest_first", max_length=longest)
    return [{name: encoded[name][i] for name in encoded} for i in range(len(rows))]


def batches_by_length(lengths, size, generator=None):
    """Lists of row numbers of nearly equal length; in random order where a generator is given."""
    order = list(range(len(lengths)))
    if generator:
        generator.shuffle(order)
    # A little noise keeps the batches of two epochs different.
    order.sort(key=lambda i: lengths[i] + (generator.uniform(-4, 4) if generator else 0))
    batches = [order[start : start + size] for start in range(0, len(order), size)]
    if generator:
        generator.shuffle(batches)
    return batches


def pad(rows, tokenizer):
    width = max(len(row["input_ids"]) for row in rows)
    filler = {"input_ids": tokenizer.pad_token_id}
    return {
        name: torch.tensor([row[name] + [filler.get(name, 0)] * (width - len(row[name])) for row in rows])
        for name in rows[0]
    }


# ---- training ------------------------------------------------------------------------------------


def count_correct(model, tokenizer, encoded, labels):
    model.eval()
    correct = 0
    for batch in batches_by_length([len(row["input_ids"]) for row in encoded], 32):
        with torch.inference_mode():
            predicted = model(**pad([encoded[i] for i in batch], tokenizer)).logits.argmax(-1).tolist()
        correct += sum(labels[i] == p for i, p in zip(batch, predicted))
    return correct


class Given(torch.nn.Module):
    """In the embeddings' place: what goes in comes out."""

    def forward(self, inputs_embeds=None, **_):
        return inputs_embeds


class Frozen:
    """While it is open the model is its upper part alone, which reads what the rest made of every text."""

    def __init__(self, model, tokenizer, encoded, blocks):
        self.base, self.blocks = model.base_model, blocks
        self.embeddings, self.all = self.base.embeddings, self.base.encoder.layer
        self.base.encoder.layer = self.all[:blocks]
        self.made = [None] * len(encoded)
        model.eval()
        for batch in batches_by_length([len(row["input_ids"]) for row in encoded], 32):
            with torch.no_grad():
                states = self.base(**pad([encoded[i] for i in batch], tokenizer)).last_hidden_state
            for i, state in zip(batch, states):
                self.made[i] = state[: len(encoded[i]["input_ids"])].clone()

    def __enter__(self):
        self.base.embeddings, self.base.encoder.layer = Given(), self.all[self.blocks :]
        return self

    def __exit__(self, *_):
        self.base.embeddings, self.base.encoder.layer = self.embeddings, self.all

    def inputs(self, batch):
        rows = [self.made[i] for i in batch]
        states = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
        mask = torch.arange(states.shape[1]) < torch.tensor([len(row) for row in rows])[:, None]
        return {"inputs_embeds": states, "attention_mask": mask.long()}


def train(model, inputs, lengths, labels, options):
    """inputs(list of row numbers) is what the model is called with."""
    generator = random.Random(options.seed)
    learned = [p for p in model.parameters() if p.requires_grad]
    matrices = [p for p in learned if p.ndim > 1]
    vectors = [p for p in learned if p.ndim == 1]
    optimizer = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": 0.01}, {"params": vectors, "weight_decay": 0.0}],
        lr=options.rate, fused=True,
    )
    plan = [batches_by_length(lengths, options.batch, generator) for _ in range(options.epochs)]
    steps = sum(map(len, plan))
    log(f"{steps} steps of {options.batch} texts, {options.epochs} epochs of {sum(lengths)} tokens")
    step, began, loss_sum = 0, time.monotonic(), 0.0
    model.train()
    for batches in plan:
        for batch in batches:
            rate = options.rate * min((step + 1) / max(1, steps // 10), (steps - step) / max(1, steps - steps // 10))
            for group in optimizer.param_groups:
                group["lr"] = rate
            logits = model(**inputs(batch)).logits
            loss = F.cross_entropy(logits, torch.tensor([labels[i] for i in batch]))
            loss.backward()
            torch.nn.utils.clip_grad_norm_(learned, 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)
            loss_sum += loss.item()
            step += 1
            if step % 10 == 0:
                left = (time.monotonic() - began) / step * (steps - step)
                log(f"step {step}/{steps}, loss {loss_sum / 10:.3f}, {left / 60:.0f} min left")
                loss_sum = 0.0


# ---- the folder ----------------------------------------------------------------------------------


def write_folder(model, tokenizer, options, names):
    options.out.mkdir(parents=True, exist_ok=True)
    model.config.id2label = dict(enumerate(names))
    model.config.label2id = {name: i for i, name in enumerate(names)}
    kept = {name: value.to(getattr(torch, options.dtype)).contiguous() for name, value in model.state_dict().items()}
    model.config.dtype = options.dtype
    model.save_pretrained(options.out, state_dict=kept)
    tokenizer.save_pretrained(options.out)


def model_card(options, names, train_rows, dev_rows, correct, minutes):
    commonest = max(sum(row[2] == i for row in dev_rows) for i in range(len(names)))
    kept = f"all weights but those of the embeddings and the lowest {options.freeze} blocks" if options.freeze else "all weights"
    part = f", a random part drawn with seed {options.seed}" if options.limit else ", all of them"
    return f"""---
pipeline_tag: text-classification
library_name: transformers
---

# {options.out.name}

`{options.model.name}` fine-tuned for {len(names)} labels ({', '.join(f'{i} `{n}`' for i, n in enumerate(names))}) with
`tools/train/finetune.py`, for studies of attribution methods. Not tuned: one run, one seed, the weights of the last step.

| | |
|---|---|
| trained on | {len(train_rows)} rows of `{options.train.parent.name}/{options.train.name}`{part} |
| trained | {kept} |
| tokens per text | at most {options.longest}; longer texts were cut |
| epochs, batch, learning rate, seed | {options.epochs}, {options.batch}, {options.rate:g}, {options.seed} |
| time | {minutes:.0f} minutes on {options.threads} thread{'s' if options.threads > 1 else ''} |
| `{options.dev.parent.name}/{options.dev.name}` | **{correct} of {len(dev_rows)} correct ({correct / len(dev_rows):.2%})**; always the commonest label: {commonest} ({commonest / len(dev_rows):.2%}) |
| made with | torch {torch.__version__.split('+')[0]}, transformers {transformers.__version__} |

The table above was not used for training, nor to choose a step or a setting. Longer training and a search over settings
give better classifiers; short texts and few epochs were chosen so that a processor without an accelerator does it in
an hour. Licences of the weights and of the data are those of `{options.model.name}` and of the corpus.

    {shlex.join(['python', 'tools/train/finetune.py', *sys.argv[1:]])}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--model", type=pathlib.Path, required=True, help="folder to start from")
    parser.add_argument("--train", type=pathlib.Path, required=True, help="table to train on")
    parser.add_argument("--dev", type=pathlib.Path, required=True, help="table to count on")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder to write")
    parser.add_argument("--labels", required=True, help="names of the labels, commas between, from label 0")
    parser.add_argument("--limit", type=int, default=0, help="take so many random rows of the training table")
    parser.add_argument("--longest", type=int, default=96, help="tokens per text or pair")
    parser.add_argument("--freeze", type=int, default=0, help="keep the embeddings and so many of the lowest blocks")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--rate", type=float, default=3e-5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--dtype", choices=("float16", "float32"), default="float16", help="of the written weights")
    options = parser.parse_args()

    torch.set_num_threads(options.threads)
    torch.set_flush_denormal(True)
    torch.manual_seed(options.seed)
    names = options.labels.split(",")
    train_rows, dev_rows = read_table(options.train, len(names)), read_table(options.dev, len(names))
    if options.limit:
        train_rows = random.Random(options.seed).sample(train_rows, min(options.limit, len(train_rows)))

    tokenizer = AutoTokenizer.from_pretrained(options.model)
    model = AutoModelForSequenceClassification.from_pretrained(options.model, num_labels=len(names), dtype=torch.float32)
    encoded, dev = (encode(tokenizer, rows, options.longest) for rows in (train_rows, dev_rows))
    dev_labels = [row[2] for row in dev_rows]
    began = time.monotonic()
    lengths, labels = [len(row["input_ids"]) for row in encoded], [row[2] for row in train_rows]
    if options.freeze:
        frozen = Frozen(model, tokenizer, encoded, options.freeze)
        log(f"{options.freeze} blocks over {sum(lengths)} tokens, once: {(time.monotonic() - began) / 60:.1f} minutes")
        with frozen:
            train(model, frozen.inputs, lengths, labels, options)
    else:
        train(model, lambda batch: pad([encoded[i] for i in batch], tokenizer), lengths, labels, options)
    minutes = (time.monotonic() - began) / 60
    write_folder(model, tokenizer, options, names)
    written = AutoModelForSequenceClassification.from_pretrained(options.out, dtype=torch.float32)
    correct = count_correct(written, AutoTokenizer.from_pretrained(options.out), dev, dev_labels)
    log(f"written folder: {correct} of {len(dev)} dev rows correct ({correct / len(dev):.2%}), {minutes:.0f} minutes")
    card = model_card(options, names, train_rows, dev_rows, correct, minutes)
    (options.out / "README.md").write_text(card, encoding="utf-8")


if __name__ == "__main__":
    main()

"""Writes heads.json: head importance, masked predictions, pruning curves and triggers of a tiny BERT, in float64.

    python tests/golden/make_heads_goldens.py

The encoder is written out here with torch, from the tensors of models/bert_sequence, because heads have to be masked and
attention has to be scaled inside it; its logits are held equal to transformers'. Inputs and labels are random.

  importance   attention  mean over inputs of max A
               attattr    mean of max Attr, Attr = A * integral of dp(gold)/dA along aA, one layer at a time, 96 Gauss nodes
               taylor     mean of |sum A dloss/dA|
               taylor_published  mean of sum over tokens of |z . d(sum of logits)/dz| / T, then unit length per layer
               accuracy_difference  accuracy of the whole model minus accuracy without the head
  masked       logits of the first input, and every input's class, without some heads
  curves       accuracy when the int(rate n) least or most important heads by `attattr` are gone
  triggers     by the paper's protocol from the same attributions, for the predicted class

Needs torch, transformers, numpy; read by heads_goldens_test.cpp.
"""

import json
import pathlib

import numpy as np
import torch
import transformers
from safetensors.torch import load_file

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE / "models/bert_sequence"
RATES = [0, 0.25, 0.5, 0.75, 1]
CLS, SEP = 2, 3
LEAST, SECOND = 0.02, 0.2


class Bert:
    def __init__(self):
        self.config = json.loads((FOLDER / "config.json").read_text())
        self.w = {k: v.double() for k, v in load_file(FOLDER / "model.safetensors").items()}
        self.L, self.H = self.config["num_hidden_layers"], self.config["num_attention_heads"]

    def linear(self, x, name):
        return x @ self.w[name + ".weight"].T + self.w[name + ".bias"]

    def norm(self, x, name):
        return torch.nn.functional.layer_norm(x, x.shape[-1:], self.w[name + ".weight"], self.w[name + ".bias"],
                                              self.config["layer_norm_eps"])

    def __call__(self, ids, keep=None, scaled=None):
        """Logits [n, C] of one text, and A [n, H, T, T] and z [n, T, D] of every layer. keep [L, H]: heads that stay.
        scaled: (layer, factors [n]), by which that layer's attention is multiplied; without it n is 1."""
        T, n = len(ids), 1 if scaled is None else len(scaled[1])
        e = "bert.embeddings."
        x = (self.w[e + "word_embeddings.weight"][ids] + self.w[e + "position_embeddings.weight"][:len(ids)]
             + self.w[e + "token_type_embeddings.weight"][0])
        x = self.norm(x, e + "LayerNorm").expand(n, -1, -1)
        patterns, mixed = [], []
        for layer in range(self.L):
            at = f"bert.encoder.layer.{layer}."
            q, k, v = (self.linear(x, f"{at}attention.self.{name}").view(n, T, self.H, -1).transpose(1, 2)
                       for name in ("query", "key", "value"))
            a = (q @ k.transpose(2, 3) / q.shape[-1] ** 0.5).softmax(-1)
            if keep is not None:
                a = a * torch.tensor(keep[layer], dtype=torch.float64)[:, None, None]
            if scaled is not None and scaled[0] == layer:
                a = scaled[1][:, None, None, None] * a
            if a.requires_grad is False:
                a.requires_grad_(True)
            z = (a @ v).transpose(1, 2).reshape(n, T, -1)
            patterns.append(a)
            mixed.append(z)
            x = self.norm(x + self.linear(z, at + "attention.output.dense"), at + "attention.output.LayerNorm")
            f = torch.relu(self.linear(x, at + "intermediate.dense"))
            x = self.norm(x + self.linear(f, at + "output.dense"), at + "output.LayerNorm")
        pooled = torch.tanh(self.linear(x[:, 0], "bert.pooler.dense"))
        return self.linear(pooled, "classifier"), patterns, mixed


def attattr(bert, ids, target):
    nodes, weights = np.polynomial.legendre.leggauss(96)
    result = []
    for layer in range(bert.L):
        full = bert(ids)[1][layer].detach()[0]
        logits, patterns, _ = bert(ids, scaled=(layer, torch.tensor((nodes + 1) / 2)))
        slopes = torch.autograd.grad(logits.softmax(-1)[:, target].sum(), patterns[layer])[0]
        result.append(full * torch.einsum("n,nhij->hij", torch.tensor(weights / 2), slopes))
    return torch.stack(result)  # [L, H, T, T]


def classes(bert, inputs, keep=None):
    with torch.no_grad():
        return [int(bert(ids, keep)[0].argmax()) for ids in inputs]


def accuracy(predicted, gold):
    return sum(p == g for p, g in zip(predicted, gold)) / len(gold)


def importance(bert, inputs, gold):
    L, H = bert.L, bert.H
    sums = {name: np.zeros((L, H)) for name in ("attention", "attattr", "taylor", "taylor_published")}
    for ids, label in zip(inputs, gold):
        sums["attattr"] += attattr(bert, ids, label).amax((2, 3)).numpy()
        logits, a, z = bert(ids)
        loss = -logits.log_softmax(-1)[0, label]
        slopes = torch.autograd.grad(loss, a, retain_graph=True)
        outer = torch.autograd.grad(logits.sum(), z)
        for layer in range(L):
            sums["attention"][layer] += a[layer][0].detach().amax((1, 2)).numpy()
            sums["taylor"][layer] += (a[layer] * slopes[layer])[0].sum((1, 2)).abs().detach().numpy()
            each = (z[layer] * outer[layer]).view(len(ids), H, -1).sum(-1).abs().sum(0) / len(ids)
            sums["taylor_published"][layer] += each.detach().numpy()
    result = {name: total / len(inputs) for name, total in sums.items()}
    result["taylor_published"] /= np.linalg.norm(result["taylor_published"], axis=1, keepdims=True)
    whole = accuracy(classes(bert, inputs), gold)
    result["accuracy_difference"] = np.zeros((L, H))
    for layer in range(L):
        for head in range(H):
            keep = np.ones((L, H))
            keep[layer, head] = 0
            result["accuracy_difference"][layer, head] = whole - accuracy(classes(bert, inputs, keep), gold)
    return {name: scores.tolist() for name, scores in result.items()}


def curves(bert, inputs, gold, scores):
    scores, result = np.array(scores), {}
    L, H = scores.shape
    for scope in ("global", "layer"):
        for order in ("least", "most"):
            sign = 1 if order == "least" else -1
            line = []
            for rate in RATES:
                keep = np.ones((L, H))
                if scope == "global":
                    gone = np.argsort(sign * scores.ravel(), kind="stable")[:int(rate * L * H)]
                    keep.ravel()[gone] = 0
                else:
                    for layer in range(L):
                        keep[layer, np.argsort(sign * scores[layer], kind="stable")[:int(rate * H)]] = 0
                line.append(accuracy(classes(bert, inputs, keep), gold))
            result[f"{scope} {order}"] = line
    return result


def attacked(ids, tokens):
    words = list(ids[1:-1])
    count, last, added = len(words), -1, 0
    for token, place in tokens:
        at = round((count + added) * place)  # to even
        if at == last:
            at += 1
        last = at
        words.insert(at, token)
        added += 1
    return [ids[0]] + words + [ids[-1]]


def by_label(predicted, gold, labels):
    return [sum(p == g == k for p, g in zip(predicted, gold)) / gold.count(k) for k in range(labels)]


def triggers(bert, inputs, gold):
    found = []
    labels = len(bert.config["id2label"])
    for ids, label in zip(inputs, classes(bert, inputs)):
        a = attattr(bert, ids, label).reshape(-1, len(ids) ** 2)
        head = a[int(a.argmax()) // a.shape[1]]
        (first, second), cells = head.topk(2)
        cells = [divmod(int(c), len(ids)) for c in cells]
        if second < SECOND * first:
            cells = cells[:1]
        places = sorted({p for cell in cells for p in cell if 0 < p < len(ids) - 1})
        strength = float(first + second)
        if strength < LEAST or not places:
            continue
        tokens = [(ids[p], p / (len(ids) - 2)) for p in places]
        after = by_label(classes(bert, [attacked(one, tokens) for one in inputs]), gold, labels)
        found.append({"label": label, "strength": strength, "tokens": tokens, "accuracy": after})
    found.sort(key=lambda t: -t["strength"])
    return {"before": by_label(classes(bert, inputs), gold, labels), "found": found}


def main():
    torch.set_num_threads(1)
    bert = Bert()
    rng = np.random.default_rng(4)
    inputs = [[CLS] + rng.integers(4, 50, rng.integers(2, 8)).tolist() + [SEP] for _ in range(24)]
    theirs = transformers.AutoModelForSequenceClassification.from_pretrained(FOLDER).double().eval()
    for ids in inputs:
        with torch.no_grad():
            gap = (theirs(torch.tensor([ids])).logits - bert(ids)[0]).abs().max()
        assert gap < 1e-5, gap  # transformers keeps some constants in float32
    predicted = classes(bert, inputs)
    # Half of the labels are the model's own, so that accuracy has room in both directions.
    gold = [p if rng.random() < 0.5 else int(rng.integers(3)) for p in predicted]
    assert len(set(predicted)) > 1 and set(gold) == {0, 1, 2}, (predicted, gold)
    scores = importance(bert, inputs, gold)
    masked = []
    for _ in range(6):
        keep = (rng.random((bert.L, bert.H)) < 0.5).astype(int)
        logits = bert(inputs[0], keep)[0][0].tolist()
        masked.append({"keep": keep.tolist(), "logits": logits, "classes": classes(bert, inputs, keep)})
    golden = {"inputs": inputs, "gold": gold, "classes": predicted, "importance": scores, "masked": masked,
              "rates": RATES, "curves": curves(bert, inputs, gold, scores["attattr"]),
              "triggers": triggers(bert, inputs, gold)}
    (HERE / "heads.json").write_text(json.dumps(golden) + "\n")
    print(predicted, golden["curves"], len(golden["triggers"]["found"]))


if __name__ == "__main__":
    main()

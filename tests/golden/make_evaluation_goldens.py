"""Writes evaluations.json: metrics of explanations by NumPy and scikit-learn on made-up trials.

    python tests/golden/make_evaluation_goldens.py

A trial of texts has scores per unit and a game: the probability of every subset of the units that stay. A trial of
rationales has scores per word and spans of words that people marked. A trial of pictures has scores per patch and a
mask. Cues are tokens of a row, mixing is read off whole maps. Needs numpy and scikit-learn; read by evaluation_goldens_test.cpp.
"""

import itertools
import json
import math
import pathlib

import numpy as np
from sklearn import metrics

HERE = pathlib.Path(__file__).resolve().parent


def falling(scores):
    return sorted(range(len(scores)), key=lambda i: -scores[i])  # stable: equal ones from left to right


def auc(counts, values, n):
    return float(np.trapezoid(values, np.array(counts) / n))


def texts(generator):
    for kind, n in (("plain", 1), ("plain", 2), ("plain", 5), ("plain", 8), ("ties", 6), ("all zero", 4)):
        scores = generator.normal(size=n)
        if kind == "ties":
            scores = np.round(scores)
        if kind == "all zero":
            scores = np.zeros(n)
        weights, bias = generator.normal(size=(n, n)), generator.normal()
        game = {}
        for kept in itertools.product((0, 1), repeat=n):
            k = np.array(kept)
            game["".join(map(str, kept))] = float(1 / (1 + np.exp(-(k @ weights @ k + bias))))

        def p(gone=(), only=None):
            kept = ["1"] * n if only is None else ["0"] * n
            for i in gone:
                kept[i] = "0"
            for i in only or ():
                kept[i] = "1"
            return game["".join(kept)]

        order, whole = falling(scores), p()
        out = {"kind": kind, "scores": scores.tolist(), "game": game}
        steps = [math.floor(n * j / 10 + .5) for j in range(11)]
        out["deletion"] = auc(steps, [p(order[:k]) for k in steps], n)
        out["insertion"] = auc(steps, [p(only=order[:k]) for k in steps], n)
        out["deletion_each"] = auc(range(n + 1), [p(order[:k]) for k in range(n + 1)], n)
        least = falling(-scores)
        out["deletion_least"] = auc(steps, [p(least[:k]) for k in steps], n)
        top = {s: order[:math.ceil(s * n / 100)] for s in (1, 5, 10, 20, 50)}
        out["comprehensiveness"] = float(np.mean([whole - p(t) for t in top.values()]))
        out["sufficiency"] = float(np.mean([whole - p(only=t) for t in top.values()]))
        out["log_odds"] = float(np.log(p(top[20])) - np.log(whole))
        other = np.round(generator.normal(size=n), 1)
        out["reference"] = other.tolist()
        k = min(3, n)
        out["top_k"] = len(set(order[:k]) & set(falling(other)[:k])) / k
        yield out


def spans(flags):
    found, begin = [], None
    for i, flag in enumerate(list(flags) + [False]):
        if flag and begin is None:
            begin = i
        if not flag and begin is not None:
            found.append(set(range(begin, i)))
            begin = None
    return found


def rationales(generator):
    for kind, n, seen in (("plain", 30, 30), ("cut", 40, 25), ("ties", 20, 20), ("one word", 1, 1), ("all marked", 7, 7)):
        scores = generator.normal(size=n)
        if kind == "ties":
            scores = np.round(scores)
        evidence = np.zeros(n, bool)
        for begin in generator.integers(0, n, size=3):
            evidence[begin:begin + 4] = True
        if kind == "all marked":
            evidence[:] = True
        order = [i for i in falling(scores) if i < seen]
        f1 = []
        for k in (3, 5, 10):
            chosen, marked = set(order[:k]), set(np.flatnonzero(evidence).tolist())
            hits = len(chosen & marked)
            precision, recall = hits / len(chosen), hits / len(marked)
            f1.append(0. if hits == 0 else 2 * precision * recall / (precision + recall))
        taken = np.zeros(n, bool)
        taken[order[:int(evidence.sum())]] = True
        mine, theirs = spans(taken), spans(evidence)
        right = sum(any(len(a & b) / len(a | b) >= .5 for b in theirs) for a in mine)
        precision, recall = right / len(mine), right / len(theirs)
        ranked = np.where(np.arange(n) < seen, scores, scores.min() - 1)
        curve = metrics.precision_recall_curve(evidence, ranked)
        yield {"kind": kind, "scores": scores[:seen].tolist(), "words": n, "evidence": evidence.tolist(), "f1": f1,
               "iou_f1": 0. if right == 0 else 2 * precision * recall / (precision + recall),
               "auprc": float(metrics.auc(curve[1], curve[0]))}


def enlarged(grid, size):
    """Bilinear between the middles of the cells (torch's interpolate, align_corners=False)."""
    cells = len(grid)
    at = np.clip((np.arange(size) + .5) * cells / size - .5, 0, cells - 1)
    low = np.floor(at).astype(int)
    high, share = np.minimum(low + 1, cells - 1), at - low
    rows = grid[low] * (1 - share)[:, None] + grid[high] * share[:, None]
    return rows[:, low] * (1 - share) + rows[:, high] * share


def pictures(generator):
    for kind in ("plain", "plain", "edge", "flat"):
        grid = generator.normal(size=(3, 3)) if kind != "flat" else np.full((3, 3), .7)
        mask = np.zeros((12, 12), int)
        top, left = generator.integers(0, 6, size=2)
        mask[top:top + 6, left:left + 5] = 1
        if kind == "edge":
            mask[top + 6 - 1, :] = 2
        image = enlarged(grid, 12)
        image = (image - image.min()) / (image.max() - image.min()) if image.max() > image.min() else image * 0
        counted = mask.ravel() != 2
        mine, theirs = (image > image.mean()).ravel()[counted], mask.ravel()[counted] == 1
        values = image.ravel()[counted]
        iou = [float((a & b).sum() / (a | b).sum()) if (a | b).any() else 1. for a, b in ((~mine, ~theirs), (mine, theirs))]
        where = int(image.argmax())
        yield {"kind": kind, "grid": grid.ravel().tolist(), "mask": mask.ravel().tolist(), "size": 12,
               "pixel_accuracy": float((mine == theirs).mean()), "mean_iou": float(np.mean(iou)),
               "mask_precision": float(metrics.average_precision_score(np.concatenate([~theirs, theirs]),
                                                                       np.concatenate([1 - values, values]))),
               "pointing_game": None if mask.ravel()[where] == 2 else float(mask.ravel()[where] == 1)}


def zero_rationales():
    """Scores all alike: the words from left to right, one threshold for all."""
    evidence = np.zeros(9, bool)
    evidence[1:3] = evidence[7] = True
    f1 = [2 * evidence[:k].sum() / (k + evidence.sum()) for k in (3, 5, 9)]
    curve = metrics.precision_recall_curve(evidence, np.zeros(9))
    # As many as were marked: the words 0 to 2, one span of three against {1, 2}: 2/3.
    yield {"kind": "all zero", "scores": [0.] * 9, "words": 9, "evidence": evidence.tolist(),
           "f1": [float(f) for f in f1], "iou_f1": 2 * 1 * .5 / 1.5,
           "auprc": float(metrics.auc(curve[1], curve[0]))}


def cues(generator):
    """Rows at a target, with cue tokens: the share of the row, and scikit-learn's average precision."""
    for kind, n in (("plain", 12), ("ties", 9), ("signed", 10), ("all zero", 5), ("one token", 1)):
        row = generator.dirichlet(np.ones(n))
        if kind == "ties":
            row = np.round(row, 1)
        if kind == "signed":
            row = generator.normal(size=n)
        if kind == "all zero":
            row = np.zeros(n)
        wanted = np.zeros(n, bool)
        wanted[generator.choice(n, size=min(2, n), replace=False)] = True
        size = np.abs(row)
        yield {"kind": kind, "row": row.tolist(), "cues": wanted.tolist(),
               "cue_mass": None if size.sum() == 0 else float(size[wanted].sum() / size.sum()),
               "cue_precision": float(metrics.average_precision_score(wanted, row))}


def mixing(generator):
    """Maps of two layers: what a token gives to itself, and tokens to which another gives more."""
    for kind, n in (("plain", 6), ("causal", 5), ("signed", 4), ("one token", 1)):
        maps = generator.dirichlet(np.ones(n), size=(2, n))
        if kind == "signed":
            maps = generator.normal(size=(2, n, n))
        if kind == "causal":
            maps = np.where(np.tril(np.ones((n, n), bool)), maps, 0)
        size = np.abs(maps)
        own = np.diagonal(size, axis1=1, axis2=2)
        yield {"kind": kind, "maps": maps.reshape(2, -1).tolist(),
               "self_contribution": (own / size.sum(-1)).mean(-1).tolist(),
               "foreign_contributor": (size.max(-1) > own).mean(-1).tolist()}


def together(pictures):
    """Pixels of all pictures counted at once, as the published script accumulates them."""
    mine, theirs = [], []
    for one in pictures:
        image = enlarged(np.array(one["grid"]).reshape(3, 3), one["size"])
        image = (image - image.min()) / (image.max() - image.min()) if image.max() > image.min() else image * 0
        mask = np.array(one["mask"])
        mine.append((image > image.mean()).ravel()[mask != 2])
        theirs.append(mask[mask != 2] == 1)
    mine, theirs = np.concatenate(mine), np.concatenate(theirs)
    return {"pixel_accuracy": float(metrics.accuracy_score(theirs, mine)),
            "mean_iou": float(metrics.jaccard_score(theirs, mine, average="macro"))}


def main():
    generator = np.random.default_rng(7)
    goldens = {"texts": list(texts(generator)), "rationales": list(rationales(generator)),
               "pictures": list(pictures(generator))}
    generator = np.random.default_rng(8)
    goldens["rationales"] += list(zero_rationales())
    goldens.update(cues=list(cues(generator)), mixing=list(mixing(generator)), together=together(goldens["pictures"]))
    (HERE / "evaluations.json").write_text(json.dumps(goldens) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

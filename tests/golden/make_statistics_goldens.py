"""Writes statistics.json: intervals, tests and ranking qualities by NumPy, SciPy and scikit-learn.

    python tests/golden/make_statistics_goldens.py

Resamples are drawn by the generator that src/numerics/random.h describes (SplitMix64 by number), written here a second
time. Needs numpy, scipy and scikit-learn; read by statistics_goldens_test.cpp.
"""

import json
import pathlib

import numpy as np
from scipy import stats
from sklearn import metrics

HERE = pathlib.Path(__file__).resolve().parent
M = (1 << 64) - 1


def splitmix(x):
    x = (x + 0x9E3779B97F4A7C15) & M
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & M
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & M
    return x ^ (x >> 31)


def uniform(seed, i):
    return (splitmix(splitmix(seed) ^ i) >> 11) * 2.0**-53


def bootstrap(values, resamples, level, seed):
    n = len(values)
    means = [np.mean([values[int(uniform(seed, b * n + i) * n)] for i in range(n)]) for b in range(resamples)]
    return [float(v) for v in np.quantile(means, [(1 - level) / 2, (1 + level) / 2])]


def interval_cases(generator):
    for n, resamples, level, seed in ((1, 50, .95, 0), (7, 200, .95, 3), (40, 500, .9, 11), (200, 300, .99, 0)):
        values = [float(v) for v in generator.normal(size=n)]
        yield {"values": values, "resamples": resamples, "level": level, "seed": seed,
               "interval": bootstrap(values, resamples, level, seed)}


def wilcoxon_cases(generator):
    for kind, n in (("exact", 1), ("exact", 6), ("exact", 23), ("exact", 50), ("approx", 80), ("approx", 400),
                    ("ties", 30), ("ties", 120), ("zeros", 25), ("zeros", 90)):
        d = generator.normal(.15, 1, size=n)
        if kind in ("ties", "zeros"):
            d = np.round(d * 2) / 2
        if kind == "ties":
            d[d == 0] = .5
        p = stats.wilcoxon(d, zero_method="wilcox", correction=False, method="exact" if kind == "exact" else "approx").pvalue
        yield {"kind": kind, "differences": [float(v) for v in d], "p": float(p)}


def permutation_cases(generator):
    for n in (2, 5, 9, 12):
        d = generator.normal(.4, 1, size=n)
        result = stats.permutation_test((d,), np.sum, permutation_type="samples", n_resamples=np.inf)
        yield {"differences": [float(v) for v in d], "p": float(result.pvalue)}


def holm(p):
    """R's p.adjust(p, "holm")."""
    p = np.asarray(p)
    order = np.argsort(p, kind="stable")
    adjusted = np.minimum(1, np.maximum.accumulate((len(p) - np.arange(len(p))) * p[order]))
    back = np.empty(len(p))
    back[order] = adjusted
    return [float(v) for v in back]


def ranking_cases(generator):
    for kind, n in (("plain", 1), ("plain", 5), ("plain", 40), ("ties", 12), ("ties", 60), ("all equal", 9)):
        scores = generator.normal(size=n)
        if kind == "ties":
            scores = np.round(scores)
        if kind == "all equal":
            scores = np.zeros(n)
        wanted = generator.random(n) < .35
        wanted[generator.integers(n)] = True
        precision, recall, _ = metrics.precision_recall_curve(wanted, scores)
        yield {"kind": kind, "scores": [float(v) for v in scores], "wanted": [bool(v) for v in wanted],
               "average_precision": float(metrics.average_precision_score(wanted, scores)),
               "area": float(metrics.auc(recall, precision))}


def area_cases(generator):
    for n in (2, 3, 10):
        x, y = np.cumsum(generator.random(n)), generator.normal(size=n)
        yield {"x": x.tolist(), "y": y.tolist(), "area": float(np.trapezoid(y, x))}


def main():
    generator = np.random.default_rng(20)
    goldens = {"intervals": list(interval_cases(generator)), "wilcoxon": list(wilcoxon_cases(generator)),
               "permutation": list(permutation_cases(generator)),
               "holm": [{"p": p, "adjusted": holm(p)} for p in
                        ([.01, .04, .03, .005], [.5], [.2, .2, .2], generator.random(12).tolist())],
               "ranking": list(ranking_cases(generator)), "areas": list(area_cases(generator))}
    (HERE / "statistics.json").write_text(json.dumps(goldens) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Writes attribution.json: gradient and perturbation scores by torch's autograd, in float64.

    python tests/golden/make_attribution_goldens.py

Opens tiny checkpoints of models/ with transformers (as make_model_goldens.py does, float64 throughout) and writes, for
the first input and one or two targets, scores per token:

  saliency_l2, saliency_sum, input_x_gradient, integrated_gradients   at the input of the first block ("e0")
  integrated_gradients_zero, integrated_gradients_right               zero baseline; 20 right-hand steps
  occlusion, occlusion_delete                                         one token replaced, or deleted
  shapley                                                             by the definition over all 2^n coalitions
  smooth_grad, smooth_grad_sum                                        by the generator below, with their standard errors
  lime, lime_wide                                                     scikit-learn's Ridge, as the authors of LIME call it

What is drawn at random is drawn here once more, from the published generator (SplitMix64, Box and Muller, Floyd), so that
sampled methods are compared number for number. The text's replacement is a token that does not mean padding ("mask"), the image's its mean colour. The path of integrated
gradients has 50 Gauss-Legendre nodes. Needs torch, transformers, numpy, scikit-learn; read by attribution_goldens_test.cpp.
"""

import json
import pathlib
import sys
from functools import cache
from itertools import product
from math import cos, factorial, log, pi, sqrt

import numpy as np
import torch
import transformers
from safetensors.torch import load_file
from sklearn.linear_model import Ridge

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from make_model_goldens import Everything64, blocks_of, build, logits_of  # noqa: E402
from model_cases import all_cases  # noqa: E402

# case, target row (None: the whole input), index, contrast, output
TARGETS = [
    ("bert_sequence", None, 2, None, "logit"),
    ("bert_sequence", None, 0, 1, "probability"),
    ("bert_masked_lm", 3, 17, None, "probability"),
    ("bert_question", 4, 1, None, "logit"),
    ("bert_question", 2, 0, None, "probability"),
    ("roberta_sequence", None, 1, None, "probability"),
    ("electra_token", 2, 3, 0, "logit"),
    ("gpt2_causal_lm", 5, 11, None, "logit"),
    ("gpt2_sequence", None, 1, 0, "logit"),
    ("llama_causal_lm", 5, 7, 9, "probability"),
    ("vit_classification", None, 1, None, "logit"),
]


class Subject:
    """One model and input: F as a function of the embeddings (before positions) or of the first block's input."""

    def __init__(self, name, row, index, contrast, output):
        case = next(c for c in all_cases() if c.name == name)
        folder = HERE / "models" / name
        stored = getattr(transformers, case.cls).from_pretrained(folder)
        self.model = build(case, stored.config, stored.state_dict())
        data = load_file(folder / "expected.safetensors")
        self.inputs = {k: v[:1] for k, v in data.items() if k in ("input_ids", "token_type_ids", "pixel_values")}
        self.image = "pixel_values" in self.inputs
        if "token_type_ids" in self.inputs and self.model.config.model_type not in ("bert", "electra"):
            del self.inputs["token_type_ids"]
        # transformers counts RoBERTa's positions without padding, which is token 1 there.
        self.mask = 2 if getattr(self.model.config, "pad_token_id", None) == 1 else 1
        self.row, self.index, self.contrast, self.output = row, index, contrast, output

    def objective(self, logits, row):
        if self.output == "probability":
            if self.model.__class__.__name__.endswith("QuestionAnswering"):
                logits = logits.softmax(0)
            else:
                logits = logits.softmax(-1)
        z = logits if row is None else logits[row]
        return z[self.index] - (0 if self.contrast is None else z[self.contrast])

    def run(self, inputs, replace=None, row=None):
        """F, with the first block's input replaced by `replace` if given; remembers that input."""
        def hook(module, args, kwargs):
            hidden = args[0] if args else kwargs["hidden_states"]
            self.e0 = hidden.detach()
            if replace is None:
                return None
            if args:
                return (replace,) + args[1:], kwargs
            return args, {**kwargs, "hidden_states": replace}

        handle = blocks_of(self.model)[0].register_forward_pre_hook(hook, with_kwargs=True)
        try:
            with Everything64():
                logits = logits_of(self.model(**inputs))
        finally:
            handle.remove()
        return self.objective(logits[0], self.row if row is None else row)

    def gradient(self, at):
        x = at.clone().requires_grad_(True)
        value = self.run(self.inputs, x)
        return torch.autograd.grad(value, x)[0][0], value.item()

    def tokens(self):
        self.run(self.inputs)
        return self.e0.shape[1]

    def replaced(self, absent):
        """F with these tokens replaced."""
        inputs = {k: v.clone() for k, v in self.inputs.items()}
        if self.image:
            pixels = inputs["pixel_values"]
            mean = pixels.mean(dim=(2, 3), keepdim=True)
            patch = self.model.config.patch_size
            side = self.model.config.image_size // patch
            for token in absent:
                y, x = divmod(token - 1, side)
                pixels[:, :, y * patch:(y + 1) * patch, x * patch:(x + 1) * patch] = mean
        else:
            inputs["input_ids"][0, list(absent)] = self.mask
        with torch.no_grad():
            value = self.run(inputs).item()
        return value

    def deleted(self, token):
        inputs = {k: torch.cat([v[:, :token], v[:, token + 1:]], 1) for k, v in self.inputs.items()}
        row = None if self.row is None else self.row - (token < self.row)
        with torch.no_grad():
            return self.run(inputs, row=row).item()


def integrate(subject, x, baseline, nodes):
    total = torch.zeros_like(x[0])
    for at, weight in nodes:
        total += weight * subject.gradient(baseline + at * (x - baseline))[0]
    return (total * (x - baseline)[0]).sum(-1)


def shapley(values, n):
    scores = np.zeros(n)
    for present in product((0, 1), repeat=n):
        size = sum(present)
        for u in range(n):
            if not present[u]:
                more = present[:u] + (1,) + present[u + 1:]
                scores[u] += factorial(size) * factorial(n - size - 1) / factorial(n) * (values[more] - values[present])
    return scores.tolist()


class SplitMix64:
    """Steele, Lea and Flood, 2014: Fast splittable pseudorandom number generators. One number after the other."""

    def __init__(self, seed):
        self.state = seed

    def bits(self):
        keep = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & keep
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & keep
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & keep
        return z ^ (z >> 31)

    def uniform(self):
        return (self.bits() >> 11) / 2**53

    def normal(self):
        """The cosine's number of Box and Muller's pair."""
        radius = sqrt(-2 * log(1 - self.uniform()))
        return radius * cos(2 * pi * self.uniform())

    def below(self, n):
        return int(self.uniform() * n)

    def choice(self, n, count):
        """Floyd's: `count` of 0 … n − 1, all choices alike (Bentley, 1987: A sample of brilliance)."""
        chosen = set()
        for k in range(n - count, n):
            at = self.below(k + 1)
            chosen.add(k if at in chosen else at)
        return chosen


assert SplitMix64(1234567).bits() == 6457827717110365317  # the generator's published first number for this seed


def smooth_grad(subject, x, samples, noise, seed, reduce):
    """Scores and their standard errors, a jackknife that leaves out every tenth gradient."""
    random = SplitMix64(seed)
    sigma = noise * (x.max() - x.min()).item()
    gradients = []
    for _ in range(samples):
        drawn = torch.tensor([random.normal() for _ in range(x.numel())], dtype=torch.float64).reshape(x.shape)
        gradients.append(subject.gradient(x + sigma * drawn)[0])
    gradients = torch.stack(gradients)
    groups = min(10, samples)
    group_of = torch.arange(samples) % groups
    without = torch.stack([reduce(gradients[group_of != g].mean(0)) for g in range(groups)])
    errors = ((groups - 1) * without.var(0, unbiased=False)).sqrt()
    return reduce(gradients.mean(0)).tolist(), errors.tolist()


def lime(values, n, samples, width, ridge, seed):
    """Weights of the linear model and White's standard errors, of the sampled coalitions of n units."""
    random = SplitMix64(seed)
    present = [(1,) * n]
    while len(present) < samples:
        absent = random.choice(n, 1 + random.below(n))
        present.append(tuple(int(u not in absent) for u in range(n)))
    z, y = np.array(present, dtype=float), np.array([values(p) for p in present])
    # The cosine of no words at all with the text is 0 in scikit-learn, which the authors ask for it.
    cosine = np.array([p @ np.ones(n) / max(1e-300, np.linalg.norm(p) * sqrt(n)) for p in z])
    weights = np.exp(-((1 - cosine) ** 2) / (2 * width**2))
    fit = Ridge(alpha=ridge, solver="svd").fit(z, y, sample_weight=weights)
    centred = z - np.average(z, axis=0, weights=weights)
    bread = np.linalg.inv(centred.T @ (weights[:, None] * centred) + ridge * np.eye(n))
    pulled = centred * (weights * (y - fit.predict(z)))[:, None]
    spread = bread @ (pulled.T @ pulled) @ bread * samples / (samples - n - 1)
    return fit.coef_.tolist(), np.sqrt(np.diag(spread)).tolist()


def golden(name, row, index, contrast, output):
    subject = Subject(name, row, index, contrast, output)
    tokens = subject.tokens()
    x = subject.e0.clone()
    g, value = subject.gradient(x)
    special = 1 if subject.image else 0
    units = range(special, tokens)
    with torch.no_grad():
        inputs = {k: v.clone() for k, v in subject.inputs.items()}
        if subject.image:
            inputs["pixel_values"][:] = inputs["pixel_values"].mean(dim=(2, 3), keepdim=True)
        else:
            inputs["input_ids"][:] = subject.mask
        subject.run(inputs)
    baseline = subject.e0.clone()
    baseline[:, :special] = x[:, :special]
    points, weights = np.polynomial.legendre.leggauss(50)
    gauss = [((1 + p) / 2, w / 2) for p, w in zip(points, weights)]
    occluded = [value - subject.replaced([t]) if t in units else 0.0 for t in range(tokens)]
    result = {
        "case": name, "position": row, "index": index, "contrast": contrast, "output": output,
        "mask": subject.mask, "value": value,
        "saliency_l2": g.norm(dim=-1).tolist(),
        "saliency_sum": g.sum(-1).tolist(),
        "input_x_gradient": (g * x[0]).sum(-1).tolist(),
        "integrated_gradients": integrate(subject, x, baseline, gauss).tolist(),
        "integrated_gradients_right": integrate(subject, x, baseline,
                                                [((k + 1) / 20, 1 / 20) for k in range(20)]).tolist(),
        "integrated_gradients_zero": integrate(subject, x, torch.zeros_like(x), gauss).tolist(),
        "occlusion": occluded,
    }
    result["smooth_grad"], result["smooth_grad error"] = smooth_grad(subject, x, 32, 0.1, 0, lambda g: g.norm(dim=-1))
    result["smooth_grad_sum"], result["smooth_grad_sum error"] = smooth_grad(subject, x, 13, 0.3, 5, lambda g: g.sum(-1))
    known = cache(lambda present: subject.replaced([t for t, there in zip(units, present) if not there]))
    for key, settings in {"lime": (2 * len(units) + 512, 0.25, 1, 0), "lime_wide": (60, 0.75, 0.1, 7)}.items():
        scores, errors = lime(known, len(units), *settings)
        result[key], result[key + " error"] = [0.0] * special + scores, [0.0] * special + errors
    if not subject.image:
        if output != "probability" or "question" not in name:
            result["occlusion_delete"] = [value - subject.deleted(t) if t != row else 0.0 for t in range(tokens)]
        values = {present: known(present) for present in product((0, 1), repeat=tokens)}
        result["shapley"] = shapley(values, tokens)
    return result


def main():
    goldens = [golden(*target) for target in TARGETS]
    (HERE / "attribution.json").write_text("[\n" + ",\n".join(json.dumps(g) for g in goldens) + "\n]\n")


if __name__ == "__main__":
    main()

"""Chefer's relevance pass beside the per-module scheme of the public code in PyTorch, in one run.

    python bench/peers/chefer_torch.py build/bench/bench/chefer_bench [--tokens 128] [--threads 2] [--rounds 5]

The scheme, written here from its formulas: every module keeps its input; a linear layer clamps its weights and inputs
into positive and negative parts and takes four products forward and four back (through autograd), for the activators
and the inhibitors, of which the latter count with weight zero; every product and every copy goes through autograd; a
residual sum is shared by size. On top come a forward and a backward to the attention probabilities. Both engines get
the same random BERT of base shape and the same input and are timed in turns. Divisions by sums that pass through zero
make the method ill-conditioned in float32, whatever the engine, so rows are compared in float64, and each engine's
float32 row with that. Needs torch and transformers.
"""

import argparse
import statistics
import subprocess
import tempfile
import time

import torch
from torch.nn import functional
from transformers import BertConfig, BertForSequenceClassification

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("program")
parser.add_argument("--tokens", type=int, default=128)
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--cpu", action="store_true", help="processor time of all threads, where other work is running")
args = parser.parse_args()
now = time.process_time if args.cpu else time.perf_counter

torch.set_num_threads(args.threads)
torch.manual_seed(0)
config = BertConfig(attn_implementation="eager", num_labels=2, initializer_range=0.036)
model = BertForSequenceClassification(config).eval()
ids = torch.tensor([[(7 * t + 11) % config.vocab_size for t in range(args.tokens)]])
heads, width = config.num_attention_heads, config.hidden_size // config.num_attention_heads


def sdiv(a, b):
    shifted = b + 1e-9
    shifted = torch.where(shifted == 0, torch.full_like(b, 1e-9), shifted)
    return a / shifted * b.ne(0).to(b.dtype)


def gradient(z, inputs, s):
    return torch.autograd.grad(z, inputs, s, retain_graph=True)


def linear_relevance(layer, x, r):
    positive, negative = layer.weight.clamp(min=0), layer.weight.clamp(max=0)
    above, below = x.detach().clamp(min=0).requires_grad_(), x.detach().clamp(max=0).requires_grad_()

    def share(w1, w2, x1, x2):
        z1, z2 = functional.linear(x1, w1), functional.linear(x2, w2)
        s = sdiv(r, z1 + z2)
        return x1 * gradient(z1, x1, s)[0] + x2 * gradient(z2, x2, s)[0]

    return 1 * share(positive, negative, above, below) - 0 * share(negative, positive, above, below)


def product_relevance(a, b, r, product):
    a, b = a.detach().requires_grad_(), b.detach().requires_grad_()
    z = product(a, b)
    grad_a, grad_b = gradient(z, (a, b), sdiv(r, z))
    return a * grad_a / 2, b * grad_b / 2


def sum_relevance(a, b, r):
    a, b = a.detach().requires_grad_(), b.detach().requires_grad_()
    z = a + b
    grad_a, grad_b = gradient(z, (a, b), sdiv(r, z))
    r_a, r_b = a * grad_a, b * grad_b
    s_a, s_b = r_a.sum(), r_b.sum()
    f_a = sdiv(s_a.abs(), s_a.abs() + s_b.abs()) * r.sum()
    f_b = sdiv(s_b.abs(), s_a.abs() + s_b.abs()) * r.sum()
    return r_a * sdiv(f_a, s_a), r_b * sdiv(f_b, s_b)


def copy_relevance(x, branches):
    x = x.detach().requires_grad_()
    copies = [x.clone() for _ in branches]
    return x * torch.autograd.grad(copies, x, [sdiv(r, x) for r in branches], retain_graph=True)[0]


def split(x):
    return x.view(x.shape[0], x.shape[1], heads, width).transpose(1, 2)


def join(x):
    return x.transpose(1, 2).reshape(x.shape[0], x.shape[2], heads * width)


def forward():
    """The logits, and per block what the relevance pass needs."""
    x = model.bert.embeddings(input_ids=ids)
    kept = []
    for layer in model.bert.encoder.layer:
        own, out = layer.attention.self, layer.attention.output
        q, k, v = split(own.query(x)), split(own.key(x)), split(own.value(x))
        scores = q @ k.transpose(-1, -2) / width**0.5
        pattern = scores.softmax(-1)
        z = join(pattern @ v)
        o = out.dense(z)
        h = out.LayerNorm(o + x)
        u = functional.gelu(layer.intermediate.dense(h))
        f = layer.output.dense(u)
        kept.append((x, q, k, v, scores, pattern, z, o, h, u, f))
        x = layer.output.LayerNorm(f + h)
    pooled = torch.tanh(model.bert.pooler.dense(x[:, 0]))
    return model.classifier(pooled), x, pooled, kept


def relevance(last, pooled, kept):
    one = torch.tensor([[1.0, 0.0]], dtype=last.dtype)
    row = linear_relevance(model.bert.pooler.dense, last[:, 0], linear_relevance(model.classifier, pooled, one))
    r = torch.zeros_like(last)
    r[:, 0] = last[:, 0] * sdiv(row, last[:, 0])
    at_patterns = []
    for layer, (x, q, k, v, scores, pattern, z, o, h, u, f) in reversed(list(zip(model.bert.encoder.layer, kept))):
        own = layer.attention.self
        r_f, r_h = sum_relevance(f, h, r)
        r_f = linear_relevance(layer.intermediate.dense, h, linear_relevance(layer.output.dense, u, r_f))
        r_o, r_x = sum_relevance(o, x, copy_relevance(h, [r_f, r_h]))
        r_z = split(linear_relevance(layer.attention.output.dense, z, r_o))
        r_a, r_v = product_relevance(pattern, v, r_z, torch.matmul)
        at_patterns.append(r_a)
        r_s, _ = sum_relevance(scores, torch.zeros_like(scores), r_a)
        r_q, r_k = product_relevance(q, k, r_s, lambda a, b: a @ b.transpose(-1, -2))
        three = [linear_relevance(p, x, join(part)) for p, part in
                 ((own.query, r_q), (own.key, r_k), (own.value, r_v))]
        r = copy_relevance(x, [copy_relevance(x, three), r_x])
    return at_patterns[::-1]


def chefer(times=None):
    start = now()
    logits, last, pooled, kept = forward()
    patterns = [block[5] for block in kept]
    for pattern in patterns:
        pattern.retain_grad()
    model.zero_grad()
    logits[0, 0].backward(retain_graph=True)
    middle = now()
    detached = [tuple(t.detach() for t in block) for block in kept]
    at_patterns = relevance(last.detach(), pooled.detach(), detached)
    joint = torch.eye(args.tokens, dtype=last.dtype)
    for pattern, r in zip(patterns, at_patterns):
        mixing = torch.eye(args.tokens, dtype=last.dtype) + (pattern.grad * r).clamp(min=0).mean((0, 1))
        joint = mixing / mixing.sum(-1, keepdim=True) @ joint
    row = joint[0].detach().clone()
    row[0] = row.min()
    if times is not None:
        times.append(((now() - start) * 1e3, (now() - middle) * 1e3))
    return row


with tempfile.TemporaryDirectory() as folder:
    model.save_pretrained(folder)
    ours = subprocess.Popen([args.program, folder, str(args.tokens), str(args.threads)],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(what):
        ours.stdin.write(what + "\n")
        ours.stdin.flush()
        return [float(x) for x in ours.stdout.readline().split()]

    if args.cpu:
        ask("cpu")
    for what in ("forward 1", "gradient 1", "relevance 1"):
        ask(what)
    theirs = chefer()
    peer, found = [], {"forward": [], "gradient": [], "relevance": [], "chefer": []}
    for _ in range(args.rounds):
        for what, times in found.items():
            times += ask(f"{what} 1")
        chefer(peer)
    row, memory = torch.tensor(ask("row")), ask("memory")[0]
    ours.stdin.close()
    answer = subprocess.run([args.program, folder, str(args.tokens), str(args.threads), "float64"], input="row\n",
                            capture_output=True, text=True, check=True).stdout
    row64 = torch.tensor([float(x) for x in answer.split()], dtype=torch.float64)
    model.double()
    theirs64 = chefer()

median = {what: statistics.median(times) for what, times in found.items()}
total, walk = (statistics.median(t[i] for t in peer) for i in (0, 1))
print(f"BERT-base, {args.tokens} tokens, {args.threads} threads, float32, {'processor' if args.cpu else 'wall'} time; medians of {args.rounds} rounds in turns")
for what, value in median.items():
    print(f"{what:10} {value:8.1f} ms")
print(f"relevance costs {median['relevance'] / median['forward']:.2f} forwards, {memory:.0f} MiB")
print(f"per-module scheme in PyTorch: relevance {walk:.1f} ms, everything {total:.1f} ms")
print(f"ratio: relevance {walk / median['relevance']:.2f}, everything {total / median['chefer']:.2f}")


def compared(a, b):
    difference = (a - b)[1:].abs().max() / b[1:].max()
    ranks = [t.argsort().argsort().double() for t in (a[1:], b[1:])]
    return f"{difference:.1e} of the maximum, rank correlation {torch.corrcoef(torch.stack(ranks))[0, 1]:.5f}"


print(f"rows in float64, ours and PyTorch's: largest difference {compared(row64, theirs64)}")
print(f"float32 against that: ours {compared(row.double(), theirs64)}; PyTorch's {compared(theirs.double(), theirs64)}")

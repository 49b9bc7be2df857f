"""Value zeroing of BERT-base beside the plain loop in PyTorch, and beside its own second feed-forward products.

    python bench/peers/value_zeroing_torch.py build/bench/bench/value_zeroing_bench [--tokens 128] [--threads 2]

Makes a BertModel of base shape with random weights and times, in turns and in one run, so that other work on the
machine disturbs all alike:

  zeroing   headwater, folds kept from an earlier call      single   the same with folds made in the call
  products  the rows of the remaining product times W_2, nothing else
  torch     for every layer and every token one call of the whole layer with that token's value zeroed, then cosine
            distances of all rows: what the public code does. A few of the tokens*layers calls are timed in every
            round (--calls), and their mean stands for all.

Prints medians and the two ratios, and the largest difference of the first layer's scores. Needs torch and
transformers.
"""

import argparse
import statistics
import subprocess
import tempfile
import time

import torch
from transformers import BertConfig, BertModel

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("program")
parser.add_argument("--tokens", type=int, default=128)
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--layers", type=int, default=12)
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--calls", type=int, default=64, help="layer calls of the plain loop timed per round")
parser.add_argument("--cpu", action="store_true", help="processor time over all threads, for a busy machine")
args = parser.parse_args()

torch.set_num_threads(args.threads)
torch.manual_seed(0)
model = BertModel(BertConfig(attn_implementation="eager", num_hidden_layers=args.layers)).eval()
ids = torch.tensor([[(7 * t + 11) % model.config.vocab_size for t in range(args.tokens)]])
zeroed = None


def zero_value(module, inputs, output):
    if zeroed is None:
        return output
    output = output.clone()
    output[:, zeroed] = 0
    return output


for layer in model.encoder.layer:
    layer.attention.self.value.register_forward_hook(zero_value)


def first(output):
    return output[0] if isinstance(output, tuple) else output


def distances(layer, before, after, token):
    global zeroed
    zeroed = token
    changed = first(layer(before))[0]
    zeroed = None
    return 1 - torch.nn.functional.cosine_similarity(changed, after[0], dim=-1)


with tempfile.TemporaryDirectory() as folder, torch.no_grad():
    model.save_pretrained(folder)
    states = model(input_ids=ids, output_hidden_states=True).hidden_states
    clock = time.process_time if args.cpu else time.perf_counter
    ours = subprocess.Popen([args.program, folder, str(args.tokens), str(args.threads)] + ["cpu"] * args.cpu,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(what):
        ours.stdin.write(what + "\n")
        ours.stdin.flush()
        return [float(x) for x in ours.stdout.readline().split()]

    def torch_calls(count, at):
        start = clock()
        for call in range(at, at + count):
            l, j = call % args.layers, call // args.layers % args.tokens
            distances(model.encoder.layer[l], states[l], states[l + 1], j)
        return (clock() - start) * 1e3 / count * args.layers * args.tokens

    columns = [distances(model.encoder.layer[0], states[0], states[1], j) for j in range(args.tokens)]
    plain = torch.stack(columns, dim=1)
    plain = plain / plain.sum(dim=-1, keepdim=True)
    scores = torch.tensor(ask("scores")).reshape(args.tokens, args.tokens)
    gap = (scores - plain).abs().max().item()

    ask("zeroing 1")
    torch_calls(8, 0)
    zeroing, single, products, peer, ratios, speedups = [], [], [], [], [], []
    for r in range(args.rounds):
        products += ask("products 1")
        zeroing += ask("zeroing 1")
        products += ask("products 1")
        peer.append(torch_calls(args.calls, r * args.calls))
        single += ask("single 1")
        ratios.append(2 * zeroing[-1] / (products[-1] + products[-2]))
        speedups.append(peer[-1] / zeroing[-1])
    ours.stdin.close()
    ours.wait()

middle = statistics.median
print(f"BERT-base, {args.layers} layers, {args.tokens} tokens, {args.threads} threads, float32, "
      f"{'processor' if args.cpu else 'wall'} time; medians (best)")
for name, times in (("zeroing", zeroing), ("single", single), ("products", products), ("torch", peer)):
    print(f"  {name:9} {middle(times) / 1e3:8.2f} s ({min(times) / 1e3:.2f})")
print(f"  zeroing / products {middle(zeroing) / middle(products):6.3f}   by best {min(zeroing) / min(products):.3f}   "
      f"median of rounds {middle(ratios):.3f}")
print(f"  single / products  {middle(single) / middle(products):6.3f}   by best {min(single) / min(products):.3f}")
print(f"  torch / zeroing    {middle(peer) / middle(zeroing):6.2f}    by best {min(peer) / min(zeroing):.2f}    "
      f"median of rounds {middle(speedups):.2f}")
print(f"  largest difference of the first layer's scores {gap:.1e}")

"""A forward of BERT-base beside PyTorch's, and what a pull costs, in one run.

    python bench/peers/forward_torch.py build/bench/bench/forward_bench [--tokens 128] [--threads 2] [--rounds 10]

Makes a BertModel of base shape with random weights, saves it where forward_bench can open it, and times the two
engines in turns, so that other work on the machine disturbs both alike. PyTorch runs eager attention in float32
without gradients. Prints medians, the ratio, the cost of a pull in forwards, and the memory used over the weights.
Needs torch and transformers.
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
parser.add_argument("--rounds", type=int, default=10)
parser.add_argument("--repeats", type=int, default=3, help="runs of each engine per round")
args = parser.parse_args()

torch.set_num_threads(args.threads)
torch.manual_seed(0)
model = BertModel(BertConfig(attn_implementation="eager")).eval()
ids = torch.tensor([[(7 * t + 11) % model.config.vocab_size for t in range(args.tokens)]])

with tempfile.TemporaryDirectory() as folder:
    model.save_pretrained(folder)
    ours = subprocess.Popen([args.program, folder, str(args.tokens), str(args.threads)],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(what):
        ours.stdin.write(what + "\n")
        ours.stdin.flush()
        return [float(x) for x in ours.stdout.readline().split()]

    def torch_forward(repeats):
        times = []
        for _ in range(repeats):
            start = time.perf_counter()
            model(input_ids=ids)
            times.append((time.perf_counter() - start) * 1e3)
        return times

    with torch.no_grad():
        ask("forward 3")
        torch_forward(3)
        forward, pull, peer = [], [], []
        for _ in range(args.rounds):
            forward += ask(f"forward {args.repeats}")
            peer += torch_forward(args.repeats)
            pull += ask(f"pull {args.repeats}")
    memory = ask("memory")
    ours.stdin.close()
    ours.wait()

middle = statistics.median
print(f"BERT-base, {args.tokens} tokens, {args.threads} threads, float32; medians (best) of {len(forward)} runs each")
print(f"  headwater forward  {middle(forward):7.1f} ms ({min(forward):.1f})")
print(f"  torch forward      {middle(peer):7.1f} ms ({min(peer):.1f})   torch {torch.__version__}, eager")
print(f"  headwater pull     {middle(pull):7.1f} ms ({min(pull):.1f})")
print(f"  forward / torch    {middle(forward) / middle(peer):7.2f}     by best {min(forward) / min(peer):.2f}")
print(f"  pull / forward     {middle(pull) / middle(forward):7.2f}     by best {min(pull) / min(forward):.2f}")
print(f"  peak over weights  {memory[0]:7.1f} MiB keeping nothing, {memory[1]:.1f} MiB keeping everything, "
      f"{memory[2]:.1f} MiB for a pull")

"""Attention attribution beside the public scheme in PyTorch, in one run.

    python bench/peers/attattr_torch.py build/bench/bench/attattr_bench [--model models/sentiment] [--tokens 128]

The public scheme, written here from its formulas: for every layer, 20 copies of its attention scaled by k/20, k = 1 … 20,
run together from that layer up; the gradient of the target's probability with respect to the scaled attention; their
mean times the attention. The prefix below the layer is shared by the copies.

Both engines get a BERT of base shape made from a trained model: every channel, feed-forward unit, head and head channel
is repeated until the widths are those of base, with weights divided so that each block computes exactly what it did;
then every block is repeated until there are 12. So attention is as sharp, and the probability bends as much along the
way from no attention to all of it, as in a trained model; with --layers as many as the small model has, the blocks are
used once, as they were trained. The text is real; --texts FILE strings the file's lines together to more texts of the
same length and counts what they cost. Errors are the largest difference of a layer
as a share of its largest attribution, against 96 Gauss nodes by the program under test; --exact FILE keeps those from
run to run. Needs torch and transformers.
"""

import argparse
import pathlib
import statistics
import subprocess
import tempfile
import time

import torch
from torch.nn import functional
from transformers import AutoModelForSequenceClassification, AutoTokenizer, BertConfig, BertForSequenceClassification

TEXT = """What begins as a modest story about two brothers who inherit a failing cinema grows, almost without your
noticing, into one of the warmest and most carefully observed films of the year. The director never hurries: a
conversation over cold tea is given the same patience as the storm that finally tears the roof away, and both scenes
are funnier and sadder than they have any right to be. Not every subplot earns its place, and the last reel leans a
little hard on the music, but the performances are so lived in, and the writing so free of easy answers, that the small
missteps hardly matter. I left the theatre grateful, slightly dazed, and already planning to see it again with the people
I love, which is more than I can say for anything louder that opened this summer."""

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("program")
parser.add_argument("--model", default=str(pathlib.Path(__file__).parents[2] / "models/sentiment"))
parser.add_argument("--tokens", type=int, default=128)
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--layers", type=int, default=12)
parser.add_argument("--width", type=int, default=768)
parser.add_argument("--heads", type=int, default=12)
parser.add_argument("--rounds", type=int, default=1)
parser.add_argument("--texts", help="a file with a text per line, cut into inputs of --tokens tokens")
parser.add_argument("--most-texts", type=int, default=8)
parser.add_argument("--exact", help="file of the 96-node attribution: read if it is there, else written")
parser.add_argument("--only-exact", action="store_true", help="write that file and end")
parser.add_argument("--cpu", action="store_true", help="processor time of all threads, where other work is running")
args = parser.parse_args()
now = time.process_time if args.cpu else time.perf_counter
torch.set_num_threads(args.threads)


def widened(small):
    """A model of base shape whose blocks compute what those of the small one do."""
    old = small.config
    config = BertConfig(vocab_size=old.vocab_size, hidden_size=args.width, num_hidden_layers=args.layers,
                        num_attention_heads=args.heads, intermediate_size=4 * args.width,
                        max_position_embeddings=old.max_position_embeddings, layer_norm_eps=old.layer_norm_eps,
                        num_labels=small.num_labels, hidden_act=old.hidden_act, attn_implementation="eager")
    old_head, head = old.hidden_size // old.num_attention_heads, args.width // args.heads
    stream = torch.arange(args.width) % old.hidden_size
    units = torch.arange(4 * args.width) % old.intermediate_size
    mixed = (torch.arange(args.heads)[:, None] % old.num_attention_heads * old_head +
             torch.arange(head)[None] % old_head).reshape(-1)
    sharper = (head / old_head) ** -0.5  # q·k sums head / old_head copies, divided by the root of the new width

    def spread(weight, out, into, size):
        return weight[out][:, into] * (size / len(into))

    def block(prefix, source):
        get = lambda name: source[prefix + name]
        made = {}
        for name, rows, columns, size in (
                ("attention.self.query", mixed, stream, old.hidden_size),
                ("attention.self.key", mixed, stream, old.hidden_size),
                ("attention.self.value", mixed, stream, old.hidden_size),
                ("attention.output.dense", stream, mixed, old.hidden_size),
                ("intermediate.dense", units, stream, old.hidden_size),
                ("output.dense", stream, units, old.intermediate_size)):
            made[name + ".weight"] = spread(get(name + ".weight"), rows, columns, size)
            made[name + ".bias"] = get(name + ".bias")[rows]
        for part in ("weight", "bias"):
            made["attention.self.query." + part] = made["attention.self.query." + part] * sharper
            for norm in ("attention.output.LayerNorm.", "output.LayerNorm."):
                made[norm + part] = get(norm + part)[stream]
        return made

    source, state = small.state_dict(), {}
    for name, value in source.items():
        if name.startswith("bert.embeddings") and value.is_floating_point():
            state[name] = value[..., stream]
    for layer in range(args.layers):
        of = layer * old.num_hidden_layers // args.layers
        for name, value in block(f"bert.encoder.layer.{of}.", source).items():
            state[f"bert.encoder.layer.{layer}.{name}"] = value
    state["bert.pooler.dense.weight"] = spread(source["bert.pooler.dense.weight"], stream, stream, old.hidden_size)
    state["bert.pooler.dense.bias"] = source["bert.pooler.dense.bias"][stream]
    state["classifier.weight"] = source["classifier.weight"][:, stream] * (old.hidden_size / args.width)
    state["classifier.bias"] = source["classifier.bias"]
    large = BertForSequenceClassification(config).eval()
    missing, unexpected = large.load_state_dict(state, strict=False)
    assert not unexpected and all("position_ids" in name for name in missing), (missing, unexpected)
    return large


small = AutoModelForSequenceClassification.from_pretrained(args.model, dtype=torch.float32).eval()
tokenizer = AutoTokenizer.from_pretrained(args.model)
ids = tokenizer(TEXT, return_tensors="pt", truncation=True, max_length=args.tokens)["input_ids"]
more = []
if args.texts:
    strung = [i for line in open(args.texts) if line.strip()
              for i in tokenizer(line.strip(), add_special_tokens=False)["input_ids"]]
    body = args.tokens - 2
    for k in range(min(args.most_texts, len(strung) // body)):
        more.append([ids[0, 0].item(), *strung[k * body:(k + 1) * body], ids[0, -1].item()])
assert ids.shape[1] == args.tokens, f"the text has only {ids.shape[1]} tokens"
model = widened(small)
layers, heads, width = model.bert.encoder.layer, args.heads, args.width // args.heads


def split(x):
    return x.view(x.shape[0], x.shape[1], heads, width).transpose(1, 2)


def join(x):
    return x.transpose(1, 2).reshape(x.shape[0], x.shape[2], heads * width)


def attention(layer, x):
    own = layer.attention.self
    q, k, v = split(own.query(x)), split(own.key(x)), split(own.value(x))
    return (q @ k.transpose(-1, -2) / width**0.5).softmax(-1), v


def after(layer, x, pattern, v):
    h = layer.attention.output.LayerNorm(layer.attention.output.dense(join(pattern @ v)) + x)
    f = layer.output.dense(functional.gelu(layer.intermediate.dense(h)))
    return layer.output.LayerNorm(f + h)


def head(x):
    return model.classifier(torch.tanh(model.bert.pooler.dense(x[:, 0])))


def public_scheme(nodes=20):
    """[L, H, T, T] by nodes scaled copies per layer."""
    with torch.no_grad():
        x, streams = model.bert.embeddings(input_ids=ids), []
        for layer in layers:
            streams.append(x)
            x = after(layer, x, *attention(layer, x))
        label = int(head(x)[0].argmax())
    scores = []
    for start, layer in enumerate(layers):
        with torch.no_grad():
            pattern, v = attention(layer, streams[start])
            scaled = pattern * (torch.arange(1, nodes + 1) / nodes)[:, None, None, None]
        scaled.requires_grad_()
        x = after(layer, streams[start], scaled, v)
        for above in layers[start + 1:]:
            x = after(above, x, *attention(above, x))
        gradient, = torch.autograd.grad(head(x).softmax(-1)[:, label].sum(), scaled)
        scores.append(pattern[0] * gradient.mean(0))
    return torch.stack(scores)


def errors(found, exact):
    return [((f - e).abs().max() / e.abs().max()).item() for f, e in zip(found, exact)]


for parameter in model.parameters():
    parameter.requires_grad_(False)
with torch.no_grad():
    sharpest = [attention(layer, x)[0] for layer, x in zip(layers, model.bert(ids, output_hidden_states=True)[2])]
    probability = model(ids).logits.softmax(-1).max().item()

with tempfile.TemporaryDirectory() as folder:
    model.save_pretrained(folder)
    ours = subprocess.Popen([args.program, folder, str(args.threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            text=True)

    def ask(what):
        ours.stdin.write(what + "\n")
        ours.stdin.flush()
        return [float(x) for x in ours.stdout.readline().split()]

    def scores():
        path = pathlib.Path(folder) / "scores"
        ask(f"write {path}")
        return torch.frombuffer(bytearray(path.read_bytes()), dtype=torch.float32).reshape(
            args.layers, heads, args.tokens, args.tokens)

    def give(some):
        ask(f"ids {args.tokens} " + " ".join(map(str, some)))

    give(ids[0].tolist())
    if args.cpu:
        ask("cpu")
    if args.exact and pathlib.Path(args.exact).exists():
        exact = torch.load(args.exact)
    else:
        ask("gauss 96")
        exact = scores()
        if args.exact:
            torch.save(exact, args.exact)
    if args.only_exact:
        raise SystemExit
    ask("forward")
    mine, theirs = [], []
    for _ in range(args.rounds):
        mine += ask("attattr")
        start = now()
        peer = public_scheme()
        theirs.append((now() - start) * 1e3)
    adaptive, nodes, flop, memory = scores(), ask("nodes"), ask("flop")[0], ask("memory")[0]
    forward = statistics.median(sum((ask("forward") for _ in range(3)), []))
    ask("scratch 0")
    alone = statistics.median(sum((ask("attattr") for _ in range(args.rounds)), []))
    ask("gauss 1")
    one = ask("flop")[0]
    ask("gauss 2")
    per_node, others = ask("flop")[0] - one, []
    for some in more:
        give(some)
        ask("attattr")
        others.append((ask("flop")[0], ask("nodes")))
    ours.stdin.close()

ms, peer_ms = statistics.median(mine), statistics.median(theirs)
print(f"{args.layers} layers of width {args.width} made from {pathlib.Path(args.model).name}, {args.tokens} tokens, "
      f"{args.threads} threads, float32, {'processor' if args.cpu else 'wall'} time; medians of {args.rounds} rounds")
print(f"target's probability {probability:.4f}; largest weight of an attention row, mean by layer "
      + " ".join(f"{p.max(-1).values.mean().item():.2f}" for p in sharpest))
print(f"adaptive: {ms:.0f} ms, {flop:.3f} TFLOP, {flop / ms * 1e6:.0f} GFLOP/s, {memory:.0f} MiB, nodes by layer "
      + " ".join(str(int(n)) for n in nodes) + f" ({ms / forward:.1f} forwards)")
print(f"20 scaled copies per layer in PyTorch: {peer_ms:.0f} ms")
print(f"ratio {peer_ms / ms:.2f}; one copy at a time {alone:.0f} ms, ratio to that {alone / ms:.2f}")
for t, n in others:
    print(f"another text: {t:.3f} TFLOP, nodes by layer " + " ".join(str(int(k)) for k in n))
if others:
    costs = [t for t, _ in others]
    print(f"{len(costs)} other texts: mean {statistics.mean(costs):.3f}, median {statistics.median(costs):.3f}, worst "
          f"{max(costs):.3f} TFLOP, {statistics.mean(costs) / per_node:.2f} times a node in every layer")
for name, found in (("adaptive", adaptive), ("PyTorch", peer)):
    e = errors(found, exact)
    print(f"error against 96 Gauss nodes, {name}: median {statistics.median(e):.1e}, worst {max(e):.1e}, by layer "
          + " ".join(f"{x:.0e}" for x in e))

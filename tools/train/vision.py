#!/usr/bin/env python3
"""Train the small Vision Transformer in models/vision, which tells cats from dogs, on a CPU.

Data
    A folder with train.tar and test.tar: see vision_photos.py for what is in them.
    vision_teacher.py writes the file of the teacher's features. Nothing of either is kept in
    the repository.

What it does
    Sets 1,500 of the 19,956 training photographs aside for validation, trains on the others for
    a given number of minutes and writes a Hugging Face folder: config.json, model.safetensors
    (F16) and preprocessor_config.json. Then it opens that folder with `transformers` and counts
    the right answers on the validation photographs and, with --test, on the test photographs.
    Nothing is chosen by the test photographs: the last weights are the ones written.

    The network is a plain pre-norm ViT (64x64 pixels, 8x8 patches, class token, learned
    positions, GELU). What makes a short training on a CPU suffice:
      - A teacher. The patch tokens before the last layer predict, by a head that is thrown away
        afterwards, what a larger network trained on ImageNet has computed at their place, and
        whether it takes that place for a part of a cat or of a dog. The class token learns the
        labels and, half and half, the teacher's opinion.
      - Half of the pictures are mosaics of two photographs that meet on the patch grid; the class
        token's label is then divided by area. So a patch speaks for what it shows, which is what
        the maps of an explanation are read for.
      - At first the attention is fixed: the eight heads of a layer look at the eight neighbours
        of a patch, the class token looks at everything alike. Such a layer is a 3x3
        convolution, which learns from few pictures, and needs no queries and keys. The position
        embedding is made so that queries and keys can reproduce this attention; they are then
        given these weights (`free_attention`), and the usual attention is trained as a whole.
        The result is an ordinary ViT.
      - For a part of the time only a random window of 6x6 of the 8x8 patches is looked at, which
        nearly halves the cost of a step.
      - The matrices of the blocks are trained by Muon, all the rest by AdamW; the matrices are
        multiplied in bfloat16.
      - The learning rate and the changes above follow the clock, so the run ends on time with the
        rate at zero, however fast the machine is. The number of epochs is what varies.

Usage
    python tools/train/vision_teacher.py --data DATA --out features.npz
    python tools/train/vision.py --data DATA --features features.npz --out models/vision --test

    needs torch, transformers, safetensors, numpy and pillow, and the two packages that
    vision_teacher.py names.
"""

import argparse
import ctypes
import json
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image
from safetensors.torch import load_file, save_file

from vision_batches import MEAN, STD, Batches, Teacher, normalise
from vision_muon import Muon
from vision_network import (DEPTH, GRID, HEADS, IMAGE, LAYER_NORM_EPS, MLP, PATCH, WIDTH, VisionTransformer,
                            free_attention, initialise, restore_codes)
from vision_photos import CLASSES, hold_out, read

WINDOW = 6  # patches per side of the window looked at in a part of the training


def keep_memory():
    """Let the allocator keep freed memory instead of returning it to the system after every step.

    Large temporaries would otherwise be mapped and cleared again and again, which costs about as
    much as the arithmetic. Only glibc has this call; elsewhere nothing happens.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    trim_threshold, top_pad, mmap_max = -1, -2, -4
    mallopt(mmap_max, 0)
    mallopt(trim_threshold, 2**31 - 1)
    mallopt(top_pad, 64 << 20)


# -------------------------------------------------------------------------------------- training


def squeeze(pictures):
    """Whole photographs as the model's processor hands them on: resized to IMAGE x IMAGE, normalised."""
    resized = [np.asarray(Image.fromarray(p).resize((IMAGE, IMAGE), Image.BILINEAR)) for p in pictures]
    return normalise(torch.from_numpy(np.stack(resized)).permute(0, 3, 1, 2))


@torch.no_grad()
def predict(model, pixels):
    return torch.cat([model(part)[0] for part in pixels.split(250)])


def right_answers(logits, labels):
    return (logits.argmax(1) == torch.as_tensor(labels)).sum().item()


def losses(model, batch, window, teacher):
    """The class token's loss, the two losses of the patch tokens, and the share of right answers."""
    pixels, features, labels, opinion = batch
    if window:
        top, left, side = window
        shown = torch.zeros(GRID, GRID, dtype=torch.bool)
        shown[top : top + side, left : left + side] = True
        features, labels, opinion = (part[:, shown.flatten()] for part in (features, labels, opinion))
    with torch.autocast("cpu", torch.bfloat16):
        logits, dense = model(pixels, window)
    dog = labels.mean(1)
    chances = torch.stack([1 - dog, dog], 1)
    classify = F.cross_entropy(logits.float(), chances)
    # The head's outputs are of the order of one, so that a step of AdamW is small beside them.
    imitate = (dense[..., :-1].float() * features.shape[-1] ** -0.5 - features).square().sum(-1).mean()
    patches = F.binary_cross_entropy_with_logits(dense[..., -1].float(), 0.5 * (labels + torch.sigmoid(opinion)))
    clear = (dog - 0.5).abs() > 0.2
    right = ((logits.argmax(1) == 1) == (dog > 0.5))[clear].float().mean().item()
    return classify, imitate, patches, right


def optimisers_of(model, muon_rate, adam_rate):
    queries = [block.qk.weight for block in model.blocks]
    matrices = [m.weight for block in model.blocks for m in (block.v, block.out, block.up, block.down)]
    known = {id(p) for p in queries + matrices}
    rest = [p for p in model.parameters() if id(p) not in known]
    return [
        (Muon([{"params": queries, "name": "fused"}, {"params": matrices, "name": "single"}], lr=muon_rate), muon_rate),
        (torch.optim.AdamW(rest, lr=adam_rate, betas=(0.9, 0.98), weight_decay=0.01), adam_rate),
    ]


def window_at(progress, fixed_until):
    """Windows while the attention is fixed, except for its last tenth: whole pictures there and afterwards."""
    if progress >= 0.9 * fixed_until:
        return None
    return (*torch.randint(0, GRID - WINDOW + 1, (2,)).tolist(), WINDOW)


def train(model, batches, minutes, fixed_until=0.6, start=0.0, size=64, per_step=2, muon_rate=0.015, adam_rate=2e-3,
          warmup_steps=50, report=print, keep=lambda: None):
    """Train until the time is up; the rate rises for `warmup_steps`, stays until 20 % of the time is gone, and falls.

    `start` is the share of the schedule that is behind already. A step sums `per_step` batches.
    """
    optimisers = optimisers_of(model, muon_rate, adam_rate)
    begin = reported = time.time()
    step, sums, count = 0, np.zeros(4), 0
    while (progress := start + (1 - start) * (time.time() - begin) / (60 * minutes)) < 1:
        if model.fixed and progress >= fixed_until:
            free_attention(model, batches.batch(256)[0])
        for _ in range(per_step):
            parts = losses(model, batches.batch(size), window_at(progress, fixed_until), batches.teacher)
            classify, imitate, patches, _ = parts
            ((classify + imitate + 0.5 * patches) / per_step).backward()
            sums += [float(part.detach()) for part in parts[:3]] + [parts[3]]
            count += 1
        rate = min(1, (step + 1) / warmup_steps) * min(1, (1 - progress) / 0.8)
        for optimiser, peak in optimisers:
            for group in optimiser.param_groups:
                group["lr"] = peak * rate
            optimiser.step()
            optimiser.zero_grad()
        if model.fixed:
            restore_codes(model)
        step += 1
        if time.time() - reported > 60:
            reported = time.time()
            classify, imitate, patches, right = sums / count
            epochs = batches.epochs + batches.at / len(batches.index)
            report(f"{reported - begin:5.0f} s  cpu {time.process_time():5.0f} s  step {step}  epochs {epochs:.2f}  "
                   f"loss {classify:.3f} {imitate:.3f} {patches:.3f}  right {right:.3f}  rate {rate:.2f}")
            sums[:], count = 0, 0
            keep()
    report(f"{step} steps, {batches.epochs + batches.at / len(batches.index):.2f} epochs")


# ---------------------------------------------------------------------------------------- export


def named_weights(model):
    """Views of the weights, under the names of the Hugging Face format."""
    weights = {
        "vit.embeddings.cls_token": model.cls,
        "vit.embeddings.position_embeddings": model.position,
        "vit.embeddings.patch_embeddings.projection.weight": model.patch.weight.view(WIDTH, 3, PATCH, PATCH),
        "vit.embeddings.patch_embeddings.projection.bias": model.patch.bias,
    }

    def add(name, module):
        weights[f"{name}.weight"] = module.weight
        weights[f"{name}.bias"] = module.bias

    for i, block in enumerate(model.blocks):
        layer = f"vit.encoder.layer.{i}"
        for kind in ("weight", "bias"):
            for name, part in zip(("query", "key"), getattr(block.qk, kind).split(WIDTH)):
                weights[f"{layer}.attention.attention.{name}.{kind}"] = part
        add(f"{layer}.attention.attention.value", block.v)
        add(f"{layer}.attention.output.dense", block.out)
        add(f"{layer}.intermediate.dense", block.up)
        add(f"{layer}.output.dense", block.down)
        add(f"{layer}.layernorm_before", block.norm1)
        add(f"{layer}.layernorm_after", block.norm2)
    add("vit.layernorm", model.norm)
    add("classifier", model.head)
    return weights


@torch.no_grad()
def read_weights(model, folder):
    stored = load_file(folder / "model.safetensors")
    for name, weight in named_weights(model).items():
        weight.copy_(stored[name])


def write_folder(model, folder):
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: w.detach().to(torch.float16).contiguous() for name, w in named_weights(model).items()}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    config = {
        "architectures": ["ViTForImageClassification"],
        "model_type": "vit",
        "image_size": IMAGE,
        "patch_size": PATCH,
        "num_channels": 3,
        "hidden_size": WIDTH,
        "num_hidden_layers": DEPTH,
        "num_attention_heads": HEADS,
        "intermediate_size": MLP,
        "hidden_act": "gelu",
        "layer_norm_eps": LAYER_NORM_EPS,
        "qkv_bias": True,
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
        "initializer_range": 0.02,
        "id2label": {str(i): name for i, name in enumerate(CLASSES)},
        "label2id": {name: i for i, name in enumerate(CLASSES)},
        "torch_dtype": "float32",
    }
    processor = {
        "image_processor_type": "ViTImageProcessor",
        "do_resize": True,
        "size": {"height": IMAGE, "width": IMAGE},
        "resample": 2,
        "do_rescale": True,
        "rescale_factor": 1 / 255,
        "do_normalize": True,
        "image_mean": MEAN,
        "image_std": STD,
    }
    for name, content in (("config.json", config), ("preprocessor_config.json", processor)):
        (folder / name).write_text(json.dumps(content, indent=2) + "\n")


@torch.no_grad()
def count_right(folder, name, pictures, labels, model=None):
    """Count the right answers of the folder, opened by transformers, and compare it with `model`."""
    from transformers import ViTForImageClassification, ViTImageProcessor

    processor = ViTImageProcessor.from_pretrained(folder)
    stored = ViTForImageClassification.from_pretrained(folder, dtype=torch.float32).eval()
    logits = []
    for begin in range(0, len(pictures), 250):
        part = [Image.fromarray(p) for p in pictures[begin : begin + 250]]
        logits.append(stored(**processor(images=part, return_tensors="pt")).logits)
    logits, labels = torch.cat(logits), torch.as_tensor(labels)
    if model:
        difference = (logits - predict(model, squeeze(pictures))).abs().max().item()
        print(f"largest difference of a logit from the network that was trained: {difference:.4f}")
        if difference > 0.5:
            raise SystemExit("the written folder does not agree with the trained network")
    print(f"{name}: {right_answers(logits, labels)} of {len(labels)} right, mean loss {F.cross_entropy(logits, labels):.4f}")
    for c, of in enumerate(CLASSES):
        print(f"  {of}: {right_answers(logits[labels == c], labels[labels == c])} of {(labels == c).sum()}")


def main():
    parser = argparse.ArgumentParser(description="Train a small Vision Transformer to tell cats from dogs.")
    parser.add_argument("--data", type=Path, required=True, help="folder with train.tar and test.tar")
    parser.add_argument("--features", type=Path, help="what vision_teacher.py wrote")
    parser.add_argument("--out", type=Path, required=True, help="folder to write")
    parser.add_argument("--minutes", type=float, default=75, help="how long to train (default 75)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--test", action="store_true", help="count the right answers on test.tar at the end")
    parser.add_argument("--only-check", action="store_true", help="count the right answers of --out, train nothing")
    options = parser.parse_args()

    keep_memory()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    model = None
    pictures, labels, _ = read(options.data / "train.tar")
    index, held = hold_out(len(labels))
    if not options.only_check:
        teacher = Teacher(options.features, labels, index)
        seen = right_answers(F.pad(teacher.opinion(teacher.means[held])[:, None], (1, 0)), labels[held])
        print(f"teacher, validation: {seen} of {len(held)} right", flush=True)
        batches = Batches(pictures, labels, index, teacher, IMAGE, PATCH, options.seed)
        model = VisionTransformer(teacher.dimensions + 1)
        initialise(model)
        model.fixed = True
        train(model, batches, options.minutes, report=lambda line: print(line, flush=True),
              keep=lambda: torch.save(model.state_dict(), options.out.with_suffix(".pt")))
        write_folder(model, options.out)
    count_right(options.out, "validation", [pictures[i] for i in held], labels[held], model)
    if options.test:
        pictures, labels, _ = read(options.data / "test.tar")
        count_right(options.out, "test", pictures, labels)


if __name__ == "__main__":
    main()

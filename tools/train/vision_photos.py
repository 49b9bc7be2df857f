"""The photographs that tools/train/vision.py trains on: reading them, and which are held out.

A data folder holds train.tar and test.tar, whose members are named SPLIT/cat/NAME.jpg and
SPLIT/dog/NAME.jpg (the public "Dogs vs. Cats" set of the Asirra project, its pictures made
smaller so that the shorter side has 96 pixels; larger pictures serve as well).
"""

import io
import tarfile

import numpy as np
from PIL import Image

CLASSES = ["cat", "dog"]
HELD_OUT = 1500  # training photographs that are kept for validation


def read(archive):
    """The photographs of an archive as a list of uint8 [height, width, 3], their labels and their names.

    They come in the order of their names, so the order inside the archive does not matter.
    """
    entries = []
    with tarfile.open(archive) as stored:
        for member in stored:
            if member.isfile():
                label = CLASSES.index(member.name.split("/")[-2])
                entries.append((member.name, label, stored.extractfile(member).read()))
    entries.sort()
    pictures = [np.asarray(Image.open(io.BytesIO(data)).convert("RGB")) for _, _, data in entries]
    return pictures, np.array([label for _, label, _ in entries]), [name for name, _, _ in entries]


def hold_out(total, held=HELD_OUT, seed=0):
    """Indices of the photographs to train on, and of those kept for validation."""
    order = np.random.default_rng(seed).permutation(total)
    return order[held:], order[:held]

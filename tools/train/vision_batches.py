"""Batches for tools/train/vision.py: crops and mosaics of photographs, with what the teacher sees in each patch.

A sample is a photograph's crop, or a mosaic of two crops that meet on the patch grid: side by
side, one above the other, or one as a rectangle inside the other. So every patch belongs to one
photograph, and has that photograph's label and the teacher's features at its place.
"""

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image

MEAN = (0.485, 0.456, 0.406)
STD = (0.229, 0.224, 0.225)

MAP = 8  # cells per side of the stored feature maps, whatever the photograph's shape


def normalise(pixels):
    mean = torch.tensor(MEAN).view(1, 3, 1, 1)
    std = torch.tensor(STD).view(1, 3, 1, 1)
    return (pixels.float() / 255 - mean) / std


class Teacher:
    """The teacher's features of every photograph on a square grid, and its opinion of each cell.

    The opinion is a logit, positive for a dog: a linear function of the features, fitted on the
    labels of the photographs numbered by `index`.
    """

    def __init__(self, file, labels, index):
        stored = np.load(file)
        features, grids = torch.from_numpy(stored["features"]), stored["grids"]
        self.dimensions = features.shape[2]
        self.maps = torch.empty(len(features), self.dimensions, MAP, MAP, dtype=torch.float16)
        for rows, columns in np.unique(grids, axis=0):
            alike = torch.from_numpy(np.flatnonzero((grids == (rows, columns)).all(1)))
            cells = features[alike, : rows * columns].float().view(len(alike), rows, columns, -1)
            self.maps[alike] = F.interpolate(cells.permute(0, 3, 1, 2), (MAP, MAP), mode="bilinear").half()
        scale = self.maps[index[:2000]].float().var((0, 2, 3)).sum().sqrt()
        self.maps = (self.maps.float() / scale).half()  # so that a cell's variances sum to one
        self.means = self.maps.float().mean((2, 3))
        self.weight, self.bias = self.fit(self.means[index], torch.as_tensor(labels)[index].float())

    @staticmethod
    def fit(features, labels):
        """Logistic regression."""
        spread = features.std(0)
        weight = torch.zeros(features.shape[1], requires_grad=True)
        bias = torch.zeros(1, requires_grad=True)
        optimiser = torch.optim.LBFGS([weight, bias], max_iter=100, line_search_fn="strong_wolfe")

        def loss():
            optimiser.zero_grad()
            value = F.binary_cross_entropy_with_logits(features / spread @ weight + bias, labels)
            value = value + 1e-4 * weight.square().sum()
            value.backward()
            return value

        optimiser.step(loss)
        return (weight / spread).detach(), bias.detach()

    def opinion(self, features):
        """Logits of features whose dimensions come last."""
        return features @ self.weight + self.bias


class Batches:
    """Random batches of the photographs numbered by `index`."""

    def __init__(self, pictures, labels, index, teacher, image, patch, seed):
        self.pictures, self.labels, self.index = pictures, labels, index
        self.teacher, self.image, self.patch, self.grid = teacher, image, patch, image // patch
        self.random = np.random.default_rng(seed)
        self.order = self.partners = index
        self.at, self.epochs = len(index), -1

    def next_photographs(self, count):
        """Two photographs for every sample: each is first once and second once in an epoch."""
        if self.at + count > len(self.order):
            self.order, self.partners = self.random.permutation(self.index), self.random.permutation(self.index)
            self.at, self.epochs = 0, self.epochs + 1
        part = slice(self.at, self.at + count)
        self.at += count
        return self.order[part], self.partners[part]

    def box(self, narrow):
        """A random crop (left, top, width, height) as shares of the photograph; `narrow` bends its shape."""
        side = self.random.uniform(0.6, 1)
        bend = np.exp(self.random.uniform(-0.25, 0.25)) * narrow**0.5
        width, height = min(1, side * bend), min(1, side / bend)
        return self.random.uniform(0, 1 - width), self.random.uniform(0, 1 - height), width, height

    def crop(self, number, size, narrow=1.0):
        """A crop of one photograph of `size` = (width, height) pixels, and the teacher's features of its patches.

        A third of the crops are made from fewer pixels, so that sharpness carries no meaning.
        """
        picture = self.pictures[number]
        left, top, width, height = self.box(narrow)
        h, w = picture.shape[:2]
        box = (left * w, top * h, (left + width) * w, (top + height) * h)
        image = Image.fromarray(picture)
        if self.random.random() < 0.3:
            share = self.random.uniform(0.4, 1)
            small = (max(8, round(size[0] * share)), max(8, round(size[1] * share)))
            image = image.resize(small, Image.BILINEAR, box=box).resize(size, Image.BILINEAR)
        else:
            image = image.resize(size, Image.BILINEAR, box=box)
        pixels = np.asarray(image)
        columns, rows = size[0] // self.patch, size[1] // self.patch
        x = 2 * (left + width * (np.arange(columns) + 0.5) / columns) - 1
        y = 2 * (top + height * (np.arange(rows) + 0.5) / rows) - 1
        if self.random.random() < 0.5:
            pixels, x = pixels[:, ::-1], x[::-1]
        places = np.stack(np.broadcast_arrays(x[None, :], y[:, None]), -1)
        return pixels, places

    def region(self):
        """Where the second photograph goes, in patches: (left, top, right, bottom), or None."""
        grid, kind = self.grid, self.random.random()
        if kind < 0.45:
            return None
        if kind < 0.85:
            cut = grid // 2 if self.random.random() < 0.7 else int(self.random.integers(3, grid - 2))
            side_by_side = kind < 0.75
            first = self.random.random() < 0.5
            start, end = (0, cut) if first else (cut, grid)
            return (start, 0, end, grid) if side_by_side else (0, start, grid, end)
        width, height = self.random.integers(3, grid - 1, 2)
        left, top = self.random.integers(0, grid - width + 1), self.random.integers(0, grid - height + 1)
        return int(left), int(top), int(left + width), int(top + height)

    def place(self, canvas, places, owner, which, number, area):
        """Put a crop of photograph `number` into the patches of `area`."""
        left, top, right, bottom = area
        p = self.patch
        # A crop for a narrow area is partly a narrow crop and partly a squeezed one.
        narrow = ((right - left) / (bottom - top)) ** self.random.uniform(0, 1)
        pixels, at = self.crop(number, ((right - left) * p, (bottom - top) * p), narrow)
        canvas[top * p : bottom * p, left * p : right * p] = pixels
        places[top:bottom, left:right] = at
        owner[top:bottom, left:right] = which

    def jitter(self, pixels):
        """Random brightness, contrast and colour of normalised pictures."""
        n = len(pixels)
        factor = lambda spread: torch.from_numpy(np.exp(self.random.uniform(-spread, spread, (n, 1, 1, 1)))).float()
        grey = pixels.mean(1, keepdim=True)
        pixels = grey + (pixels - grey) * factor(0.35)
        mean = pixels.mean((1, 2, 3), keepdim=True)
        shift = torch.from_numpy(self.random.normal(0, 0.12, (n, 3, 1, 1))).float()
        return mean + (pixels - mean) * factor(0.25) + shift

    def batch(self, count):
        """Normalised pictures, the teacher's features [count, grid², dimensions] and two logit-like maps [count, grid²]:
        the label (the chance of a dog) of the photograph a patch belongs to, and the teacher's logit of the patch."""
        first, second = self.next_photographs(count)
        grid, image = self.grid, self.image
        canvas = np.empty((count, image, image, 3), np.uint8)
        places = np.empty((count, grid, grid, 2))
        owner = np.zeros((count, grid, grid), np.int64)
        for i in range(count):
            region = self.region()
            if region is None or self.fills(region):
                self.place(canvas[i], places[i], owner[i], 0, first[i], (0, 0, grid, grid))
            else:
                left, top, right, bottom = region
                rest = self.rest(region)
                self.place(canvas[i], places[i], owner[i], 0, first[i], rest)
                self.place(canvas[i], places[i], owner[i], 1, second[i], region)
        pixels = self.jitter(normalise(torch.from_numpy(canvas).permute(0, 3, 1, 2)))
        return (pixels, *self.targets(first, second, torch.from_numpy(places).float(), torch.from_numpy(owner)))

    def fills(self, region):
        return region == (0, 0, self.grid, self.grid)

    def rest(self, region):
        """What the first photograph covers: the other side of a cut, else everything."""
        left, top, right, bottom = region
        grid = self.grid
        if (top, bottom) == (0, grid):
            return (right, 0, grid, grid) if left == 0 else (0, 0, left, grid)
        if (left, right) == (0, grid):
            return (0, bottom, grid, grid) if top == 0 else (0, 0, grid, top)
        return (0, 0, grid, grid)

    def targets(self, first, second, places, owner):
        maps = torch.stack([
            F.grid_sample(self.teacher.maps[torch.from_numpy(numbers)].float(), places, mode="bilinear",
                          padding_mode="border", align_corners=False)
            for numbers in (first, second)], 1)  # [count, 2, dimensions, grid, grid]
        chosen = owner[:, None, None].expand(-1, 1, maps.shape[2], -1, -1)
        features = maps.gather(1, chosen)[:, 0].flatten(2).transpose(1, 2)
        owner = owner.flatten(1)
        opinion = self.teacher.opinion(features)
        labels = torch.from_numpy(np.stack([self.labels[first], self.labels[second]], 1)).float()
        # A photograph's soft label: half its own, half what the teacher makes of the part that is shown.
        soft = []
        for which in (0, 1):
            mine = (owner == which).float()
            soft.append(torch.sigmoid((opinion * mine).sum(1) / mine.sum(1).clamp(min=1)))
        soft = 0.5 * labels + 0.5 * torch.stack(soft, 1)
        return features, soft.gather(1, owner), opinion

"""Compares decoding, resizing and preprocessing with PIL and transformers on photographs.

    python tools/check_images.py --library build/libheadwater.so photographs/*.jpg
    python tools/check_images.py --probe ./image_probe --resizes 2000 photographs/*.jpg

Needs pillow, numpy and transformers. Reports how many values differ at all, and fails if any differs by more
than one 8-bit level.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

ROOT = Path(__file__).resolve().parent.parent
FILTERS = {0: "nearest", 1: "lanczos", 2: "bilinear", 3: "bicubic"}
CONFIGS = {
    "ViT 224 bilinear": ("ViT", {"image_processor_type": "ViTImageProcessor"}),
    "ViT 384 bicubic": ("ViT", {"feature_extractor_type": "ViTFeatureExtractor", "size": 384, "resample": 3}),
    "DeiT 256 crop 224": ("DeiT", {"image_processor_type": "DeiTImageProcessor",
                                   "image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225]}),
    "ViT shortest edge 256": ("ViT", {"image_processor_type": "ViTImageProcessor", "size": {"shortest_edge": 256},
                                      "do_normalize": False}),
}


class Probe:
    """The C++ side, kept running."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __call__(self, *words, dtype=np.uint8):
        self.process.stdin.write((" ".join(map(str, words)) + "\n").encode())
        self.process.stdin.flush()
        status, _, rest = self.process.stdout.readline().decode().strip().partition(" ")
        if status != "ok":
            raise SystemExit(f"{words}: {rest}")
        shape = [int(n) for n in rest.split()]
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        return np.frombuffer(self.process.stdout.read(size), dtype).reshape(shape)


def build_probe(library, folder):
    program = Path(folder) / "image_probe"
    library = Path(library).resolve()
    subprocess.run(["c++", "-std=c++20", "-O2", f"-I{ROOT}/include", f"-I{ROOT}/src", f"{ROOT}/tools/image_probe.cpp",
                    "-o", program, library, f"-Wl,-rpath,{library.parent}"], check=True)
    return str(program)


class Tally:
    def __init__(self):
        self.values = self.differing = self.images = 0
        self.worst = 0.0

    def add(self, found, expected, level=1.0):
        if found.shape != expected.shape:
            raise SystemExit(f"expected shape {expected.shape}, found {found.shape}")
        gap = np.abs(found.astype(np.float64) - expected) / level
        self.images += 1
        self.values += gap.size
        self.differing += int((gap > 0).sum())
        self.worst = max(self.worst, float(gap.max()))

    def report(self, name):
        print(f"{name:28} {self.images:6} images {self.values:12} values {self.differing:10} differ, "
              f"worst {self.worst:.3g} levels")
        return self.worst <= 1.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("images", nargs="+")
    parser.add_argument("--library", help="libheadwater to link the probe with")
    parser.add_argument("--probe", help="a probe built already")
    parser.add_argument("--resizes", type=int, default=400, help="random resizes for each filter")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    from transformers.models.deit.image_processing_pil_deit import DeiTImageProcessorPil
    from transformers.models.vit.image_processing_pil_vit import ViTImageProcessorPil

    good = True
    with tempfile.TemporaryDirectory() as folder:
        probe = Probe(options.probe or build_probe(options.library, folder))
        pictures = {p: ImageOps.exif_transpose(Image.open(p)).convert("RGB") for p in options.images}
        tally = Tally()
        for path, picture in pictures.items():
            tally.add(probe("decode", path), np.array(picture))
        good &= tally.report("decode")

        rng = np.random.default_rng(options.seed)
        scratch = Path(folder) / "scratch.png"
        for number, name in FILTERS.items():
            tally = Tally()
            for _ in range(options.resizes):
                w0, h0, w1, h1 = (int(n) for n in np.exp(rng.uniform(0, np.log(300), 4)))
                noise = Image.fromarray(rng.integers(0, 256, (h0, w0, 3), dtype=np.uint8))
                noise.save(scratch)
                tally.add(probe("resize", scratch, w1, h1, number), np.array(noise.resize((w1, h1), number)))
            good &= tally.report(f"resize noise {name}")

        for name, (kind, config) in CONFIGS.items():
            (Path(folder) / "preprocessor_config.json").write_text(json.dumps(config))
            cls = {"ViT": ViTImageProcessorPil, "DeiT": DeiTImageProcessorPil}[kind]
            processor = cls(**{k: v for k, v in config.items() if not k.endswith("_type")})
            std = np.array(config.get("image_std", [0.5] * 3))[:, None, None] if processor.do_normalize else 1.0
            tally = Tally()
            for path, picture in pictures.items():
                found = probe("pixels", path, folder, dtype=np.float32)
                tally.add(found, processor(picture, return_tensors="np")["pixel_values"][0], 1 / 255 / std)
            good &= tally.report(name)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

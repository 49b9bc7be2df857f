"""Makes the image goldens: small synthetic images, what PIL decodes them to, what PIL resizes them to, and
the pixels of transformers' image processors. Run with pillow, numpy and transformers installed:

    python tests/golden/images/make.py

Expected images are PPM (P6), expected pixels raw little-endian float32 [3, height, width].
"""
import io
import json
import struct
import zlib
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

HERE = Path(__file__).resolve().parent
W, H = 13, 9


def scene(width, height, seed=0):
    """Smooth colour with hard edges and noise: filters that ring, and ones that do not, differ on it."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width]
    image = np.stack([255 * x / max(width - 1, 1), 255 * y / max(height - 1, 1), 127 + 120 * np.sin(x * y / 9)], -1)
    image[(x // 4 + y // 3) % 3 == 0] = [250, 5, 128]
    return np.clip(image + rng.normal(0, 12, image.shape), 0, 255).astype(np.uint8)


def chunk(kind, data):
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def pack_rows(samples, depth):
    """Filter type 0 rows of [height, width, channels] samples."""
    out = b""
    for row in samples:
        flat = row.reshape(-1)
        if depth == 16:
            data = flat.astype(">u2").tobytes()
        elif depth == 8:
            data = flat.astype(np.uint8).tobytes()
        else:
            bits = "".join(format(int(v), f"0{depth}b") for v in flat)
            bits += "0" * (-len(bits) % 8)
            data = bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))
        out += b"\0" + data
    return out


ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def png(samples, depth, colour, extra=b"", interlaced=False):
    samples = np.asarray(samples)
    if samples.ndim == 2:
        samples = samples[..., None]
    height, width = samples.shape[:2]
    if interlaced:
        passes = [samples[y::dy, x::dx] for x, y, dx, dy in ADAM7]
        raw = b"".join(pack_rows(p, depth) for p in passes if p.size)
    else:
        raw = pack_rows(samples, depth)
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, int(interlaced))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + extra + chunk(b"IDAT", zlib.compress(raw, 9))
            + chunk(b"IEND", b""))


def exif(orientation, order="<"):
    mark = b"II*\0" if order == "<" else b"MM\0*"
    return (mark + struct.pack(order + "IH", 8, 2) + struct.pack(order + "HHII", 0x0100, 4, 1, 5)
            + struct.pack(order + "HHIHH", 0x0112, 3, 1, orientation, 0) + struct.pack(order + "I", 0))


def jpeg(array, mode="RGB", **options):
    out = io.BytesIO()
    Image.fromarray(array, mode).save(out, "JPEG", **options)
    return out.getvalue()


def files():
    rgb = scene(W, H)
    rng = np.random.default_rng(1)
    wide = rng.integers(0, 65536, (H, W, 4))
    wide[0, :5] = [[0] * 4, [255] * 4, [256] * 4, [65535] * 4, [128] * 4]
    alpha = rng.integers(0, 256, (H, W))
    yield "rgb8.png", png(rgb, 8, 2)
    yield "rgb8_interlaced.png", png(rgb, 8, 2, interlaced=True)
    yield "rgb8_trns.png", png(rgb, 8, 2, chunk(b"tRNS", struct.pack(">3H", *rgb[0, 0])))
    yield "rgb16.png", png(wide[..., :3], 16, 2)
    yield "rgba8.png", png(np.dstack([rgb, alpha]), 8, 6)
    yield "rgba8_interlaced.png", png(np.dstack([rgb, alpha]), 8, 6, interlaced=True)
    yield "rgba16.png", png(wide, 16, 6)
    for depth in (1, 2, 4, 8):
        grey = rng.integers(0, 2**depth, (H, W))
        yield f"grey{depth}.png", png(grey, depth, 0)
        palette = chunk(b"PLTE", rng.integers(0, 256, 3 * 2**depth, dtype=np.uint8).tobytes())
        yield f"palette{depth}.png", png(grey, depth, 3, palette)
        trns = chunk(b"tRNS", rng.integers(0, 256, 2**depth, dtype=np.uint8).tobytes())
        yield f"palette{depth}_trns.png", png(grey, depth, 3, palette + trns, interlaced=depth in (1, 4))
    yield "grey8_trns.png", png(rgb[..., 0], 8, 0, chunk(b"tRNS", struct.pack(">H", rgb[0, 0, 0])))
    yield "grey16.png", png(wide[..., 0] % 600, 16, 0)
    yield "grey16_interlaced.png", png(wide[..., 0] % 600, 16, 0, interlaced=True)
    yield "grey_alpha8.png", png(np.dstack([rgb[..., 0], alpha]), 8, 4)
    yield "grey_alpha16.png", png(wide[..., :2], 16, 4)
    yield "exif6.png", png(rgb, 8, 2, chunk(b"eXIf", exif(6)))
    yield "one_pixel.png", png(rgb[:1, :1], 8, 2)

    photo = scene(24, 17, 2)
    yield "grey.jpg", jpeg(photo[..., 0].copy(), "L")
    yield "rgb_444.jpg", jpeg(photo, quality=90, subsampling=0)
    yield "rgb_422.jpg", jpeg(photo, quality=85, subsampling=1)
    yield "rgb_420.jpg", jpeg(photo, quality=75, subsampling=2)
    yield "rgb_stored.jpg", jpeg(photo, quality=90, keep_rgb=True)
    yield "progressive.jpg", jpeg(photo, quality=80, progressive=True)
    cmyk = jpeg(np.random.default_rng(3).integers(0, 256, (17, 24, 4), dtype=np.uint8), "CMYK", quality=90)
    yield "cmyk.jpg", cmyk
    at = cmyk.index(b"Adobe") + 11
    yield "ycck.jpg", cmyk[:at] + b"\2" + cmyk[at + 1:]
    for orientation in range(1, 9):
        order = "<" if orientation % 2 else ">"
        yield f"exif{orientation}.jpg", jpeg(photo, quality=85, exif=b"Exif\0\0" + exif(orientation, order))
    yield "exif9.jpg", jpeg(photo, quality=85, exif=b"Exif\0\0" + exif(9))


def write_ppm(path, array):
    height, width = array.shape[:2]
    path.write_bytes(f"P6 {width} {height} 255\n".encode() + np.ascontiguousarray(array).tobytes())


def decoded(data):
    return np.array(ImageOps.exif_transpose(Image.open(io.BytesIO(data))).convert("RGB"))


RESIZES = [(13, 9, 5, 4), (13, 9, 29, 31), (13, 9, 13, 3), (13, 9, 7, 9), (31, 17, 8, 8), (64, 48, 16, 16),
           (7, 50, 11, 3), (1, 1, 4, 3), (40, 2, 3, 7), (33, 33, 32, 32)]

PROCESSORS = {
    "vit_old": ("ViT", {"feature_extractor_type": "ViTFeatureExtractor", "do_resize": True, "do_normalize": True,
                        "size": 16, "resample": 2, "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}),
    "vit_new": ("ViT", {"image_processor_type": "ViTImageProcessor", "size": {"height": 12, "width": 18},
                        "resample": 3, "image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225],
                        "do_rescale": True, "rescale_factor": 0.00392156862745098}),
    "vit_raw": ("ViT", {"image_processor_type": "ViTImageProcessorFast", "size": {"height": 6, "width": 5},
                        "do_normalize": False, "do_rescale": False, "resample": 0}),
    "vit_shortest": ("ViT", {"image_processor_type": "ViTImageProcessor", "size": {"shortest_edge": 11},
                             "resample": 1, "do_normalize": False}),
    "vit_unscaled": ("ViT", {"image_processor_type": "ViTImageProcessor", "do_resize": False, "do_rescale": False,
                             "image_mean": [120, 110, 100], "image_std": [60, 61, 62]}),
    "deit_old": ("DeiT", {"feature_extractor_type": "DeiTFeatureExtractor", "size": 20, "crop_size": 15,
                          "do_center_crop": True, "resample": 3, "image_mean": [0.485, 0.456, 0.406],
                          "image_std": [0.229, 0.224, 0.225]}),
    "deit_new": ("DeiT", {"image_processor_type": "DeiTImageProcessor", "size": {"height": 17, "width": 21},
                          "crop_size": {"height": 20, "width": 10}}),
    "deit_no_resize": ("DeiT", {"image_processor_type": "DeiTImageProcessor", "do_resize": False,
                                "crop_size": {"height": 20, "width": 30}}),
}


def main():
    from transformers.models.deit.image_processing_pil_deit import DeiTImageProcessorPil
    from transformers.models.vit.image_processing_pil_vit import ViTImageProcessorPil

    for old in [*HERE.glob("*.png"), *HERE.glob("*.jpg"), *HERE.glob("*.ppm"), *HERE.glob("*.f32")]:
        old.unlink()
    cases = {"decode": [], "resize": [], "process": []}
    for name, data in files():
        (HERE / name).write_bytes(data)
        write_ppm(HERE / f"{name}.ppm", decoded(data))
        cases["decode"].append(name)
    for w0, h0, w1, h1 in RESIZES:
        source = f"scene_{w0}x{h0}.ppm"
        write_ppm(HERE / source, scene(w0, h0))
        for resample in (0, 1, 2, 3):
            name = f"resize_{w0}x{h0}_{w1}x{h1}_{resample}.ppm"
            write_ppm(HERE / name, np.array(Image.fromarray(scene(w0, h0)).resize((w1, h1), resample)))
            cases["resize"].append({"source": source, "width": w1, "height": h1, "resample": resample, "expected": name})
    write_ppm(HERE / "scene_27x19.ppm", scene(27, 19, 5))
    for name, (kind, config) in PROCESSORS.items():
        cls = {"ViT": ViTImageProcessorPil, "DeiT": DeiTImageProcessorPil}[kind]
        options = {k: v for k, v in config.items() if not k.endswith("_type")}
        pixels = cls(**options)(Image.fromarray(scene(27, 19, 5)), return_tensors="np")["pixel_values"][0]
        (HERE / f"{name}.f32").write_bytes(pixels.astype("<f4").tobytes())
        cases["process"].append({"config": config, "source": "scene_27x19.ppm", "shape": list(pixels.shape),
                                 "expected": f"{name}.f32"})
    (HERE / "cases.json").write_text(json.dumps(cases, indent=1) + "\n")


if __name__ == "__main__":
    main()

"""Models that are already in memory as `transformers` objects."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .model import Model

_KINDS = {"float32": "F32", "float64": "F64", "float16": "F16", "bfloat16": "BF16", "int64": "I64", "int32": "I32",
          "uint8": "U8", "int8": "I8", "bool": "BOOL"}


def _bytes_of(tensor: Any) -> memoryview:
    import torch

    raw = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8)
    return memoryview(raw.numpy())


def _write_safetensors(file: IO[bytes], state: dict[str, Any]) -> None:
    """Each tensor once: the first of those that share memory."""
    import struct

    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    kept: list[Any] = []
    seen: set[tuple[int, tuple[int, ...]]] = set()
    end = 0
    for name, tensor in state.items():
        place = (tensor.data_ptr(), tuple(tensor.shape))
        if tensor.numel() > 0 and place in seen:
            continue
        seen.add(place)
        size = tensor.numel() * tensor.element_size()
        header[name] = {"dtype": _KINDS[str(tensor.dtype).removeprefix("torch.")], "shape": list(tensor.shape),
                        "data_offsets": [end, end + size]}
        end += size
        kept.append(tensor)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    file.write(struct.pack("<Q", len(text)))
    file.write(text)
    for tensor in kept:
        file.write(_bytes_of(tensor))
    file.flush()


def _open_weights(path: Path) -> IO[bytes]:
    """A file without a disk, which `path` leads to, where the system has such files. It is there while it is open."""
    if not hasattr(os, "memfd_create"):
        return path.open("wb")
    file = os.fdopen(os.memfd_create(path.name), "wb")
    # By number, so that other processes (a pickled model's) find it too.
    path.symlink_to(f"/proc/{os.getpid()}/fd/{file.fileno()}")
    return file


def _remove(folder: Path, weights: IO[bytes], owner: int) -> None:
    import shutil

    weights.close()
    if os.getpid() == owner:  # a forked child reads it too
        shutil.rmtree(folder, ignore_errors=True)


def from_transformers(model: Any, tokenizer: Any = None, *, processor: Any = None, dtype: str = "float32",
                      threads: int | None = None) -> Model:
    """Opens a `transformers` model with its tokenizer (or image processor) by its state_dict: the same numbers as
    opening the folder that save_pretrained writes.

    Weights never go to disk: a copy of them stays in memory as long as the model exists. The few small files stay in
    memory too, if the system has a folder for that (/dev/shm).
    """
    import tempfile
    import weakref

    from .model import Model

    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="headwater-", dir=memory if memory.is_dir() else None))
    weights = _open_weights(folder / "model.safetensors")
    try:
        model.config.save_pretrained(folder)
        settings = json.loads((folder / "config.json").read_text())
        settings.setdefault("architectures", [type(model).__name__])
        settings["architectures"] = settings["architectures"] or [type(model).__name__]
        (folder / "config.json").write_text(json.dumps(settings))
        if getattr(model, "generation_config", None) is not None and model.can_generate():
            model.generation_config.save_pretrained(folder)
        for part in (tokenizer, processor):
            if part is not None:
                part.save_pretrained(folder)
        _write_safetensors(weights, model.state_dict())
        made = Model(folder, dtype, threads)
    except BaseException:
        _remove(folder, weights, os.getpid())
        raise
    weakref.finalize(made, _remove, folder, weights, os.getpid())
    return made

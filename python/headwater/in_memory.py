"""Models that are already in memory as `transformers` objects."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .model import Model

_KINDS = {"float32": "F32", "float64": "F64", "float16": "F16", "bfloat16": "BF16", "int64": "I64", "int32": "I32",
          "uint8": "U8", "int8": "I8", "bool": "BOOL"}


def _bytes_of(tensor: Any) -> memoryview:
    import torch

    raw = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8)
    return memoryview(raw.numpy())


def write_safetensors(path: Path, state: dict[str, Any]) -> None:
    """Each tensor once: of those that share their memory the first."""
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
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(text)))
        file.write(text)
        for tensor in kept:
            file.write(_bytes_of(tensor))


def _remove(folder: Path, owner: int) -> None:
    import shutil

    if os.getpid() == owner:  # a forked child reads it too
        shutil.rmtree(folder, ignore_errors=True)


def from_transformers(model: Any, tokenizer: Any = None, *, processor: Any = None, dtype: str = "float32",
                      threads: int | None = None) -> Model:
    """Opens a `transformers` model with its tokenizer (or image processor) by its state_dict: the same numbers as
    opening the folder that save_pretrained writes.

    Nothing goes to disk where the system has memory for files (/dev/shm): the folder is kept there while the model
    lives, and counts as memory.
    """
    import tempfile
    import weakref

    from .model import Model

    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="headwater-", dir=memory if memory.is_dir() else None))
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
        write_safetensors(folder / "model.safetensors", model.state_dict())
        made = Model(folder, dtype, threads)
    except BaseException:
        _remove(folder, os.getpid())
        raise
    weakref.finalize(made, _remove, folder, os.getpid())
    return made

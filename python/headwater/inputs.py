"""What may be explained: texts, pairs, words, and pictures as paths, bytes, PIL images or arrays."""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any, Union

from . import _core
from .errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Text = Union[str, tuple[str, str], list[str]]


def png_of(pixels: NDArray[np.uint8]) -> bytes:
    """[height, width, 3] as a PNG."""
    height, width, _ = pixels.shape

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))


def _bytes_of(picture: Any) -> bytes:
    if isinstance(picture, (bytes, bytearray, memoryview)):
        return bytes(picture)
    import numpy as np

    if hasattr(picture, "convert") and hasattr(picture, "size"):  # PIL
        picture = picture.convert("RGB")
    pixels = np.asarray(picture)
    if pixels.ndim == 2:
        pixels = np.repeat(pixels[:, :, None], 3, axis=2)
    if pixels.ndim != 3 or pixels.shape[2] != 3 or pixels.dtype != np.uint8:
        raise InputError("image: expected a path, a PNG or JPEG, a PIL image or uint8 pixels [height, width, 3], "
                         f"found {pixels.dtype} of shape {pixels.shape}")
    return png_of(pixels)


def _in_memory(data: bytes) -> IO[bytes]:
    """A file that has a path and no disk, where the system has such files."""
    if hasattr(os, "memfd_create"):
        file: IO[bytes] = os.fdopen(os.memfd_create("picture"), "wb")
    else:
        import tempfile

        file = tempfile.NamedTemporaryFile(prefix="picture-")
    file.write(data)
    file.flush()
    return file


def input_of(given: Any, image: bool, *, pair: str | None = None, prefix: str = "", generate: int = 0,
             truncate: bool = False) -> _core.Input:
    """`image`: the model reads pictures."""
    if image:
        if isinstance(given, (str, os.PathLike)):
            return _core.Input("", None, os.fspath(given))
        file = _in_memory(_bytes_of(given))
        made = _core.Input("", None, file.name if isinstance(file.name, str) else f"/proc/self/fd/{file.fileno()}")
        made.picture = file  # closed with it
        return made
    if isinstance(given, tuple) and len(given) == 2 and pair is None:
        given, pair = given
    if isinstance(given, Sequence) and not isinstance(given, (str, bytes)):
        given = " ".join(given)  # words
    if not isinstance(given, str):
        raise InputError(f"text: expected a string, a pair of them or a list of words, found {type(given).__name__}")
    return _core.Input(given, pair, "", prefix, generate, truncate)


def texts_of(given: Any, pair: str | None, prefix: str = "") -> list[str]:
    """The texts that tokens are counted in."""
    if isinstance(given, tuple) and len(given) == 2 and pair is None:
        given, pair = given
    if isinstance(given, Sequence) and not isinstance(given, (str, bytes)):
        given = " ".join(given)
    return [given if isinstance(given, str) else "", pair or "", prefix]

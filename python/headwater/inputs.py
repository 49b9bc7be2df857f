"""Inputs: texts, pairs, words, and pictures as paths, bytes, PIL images or arrays."""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any, Union

from . import _core
from .errors import FormatError, InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Text = Union[str, tuple[str, str], list[str]]

#: What a report calls a picture that came without a path.
UNNAMED = "picture in memory"


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
        data = bytes(picture)
        if not data.startswith((b"\x89PNG\r\n\x1a\n", b"\xff\xd8")):
            raise FormatError(f"{UNNAMED}: expected a PNG or JPEG image, found other content; convert it to PNG")
        return data
    import numpy as np

    if hasattr(picture, "convert") and hasattr(picture, "size"):  # PIL
        picture = picture.convert("RGB")
    pixels = np.asarray(picture)
    if pixels.ndim == 2:
        pixels = np.repeat(pixels[:, :, None], 3, axis=2)
    if pixels.ndim != 3 or pixels.shape[2] != 3 or pixels.dtype != np.uint8 or pixels.size == 0:
        raise InputError("image: expected a path, a PNG or JPEG, a PIL image or uint8 pixels [height, width, 3], "
                         f"found {pixels.dtype} of shape {pixels.shape}")
    return png_of(pixels)


class _InMemory:
    """A file that has a path and no disk, where the system has such files. It is there as long as this is."""

    def __init__(self, data: bytes) -> None:
        if hasattr(os, "memfd_create"):
            self._file: IO[bytes] = os.fdopen(os.memfd_create("picture"), "wb")
            self.path = f"/proc/self/fd/{self._file.fileno()}"
        else:
            import tempfile

            self._file = tempfile.NamedTemporaryFile(prefix="picture-")
            self.path = self._file.name
        self._file.write(data)
        self._file.flush()

    def __del__(self) -> None:
        self._file.close()


def input_of(given: Any, image: bool, *, pair: str | None = None, prefix: str = "", generate: int = 0,
             truncate: bool = False) -> _core.Input:
    """Makes an input; `image` is true if the model reads pictures."""
    if image:
        if isinstance(given, (str, os.PathLike)):
            return _core.Input("", None, os.fspath(given))
        file = _InMemory(_bytes_of(given))
        made = _core.Input("", None, file.path)
        made.picture = file  # lives as long
        return made
    text, second = _both(given, pair)
    spaced = not (isinstance(text, str) and isinstance(second, (str, type(None))))
    return _core.Input(_joined(text), None if second is None else _joined(second), "", prefix, generate, truncate, spaced)


def _both(given: Any, pair: Any) -> tuple[Any, Any]:
    """A pair is given as `pair=` or as a tuple of two texts."""
    if isinstance(given, tuple) and len(given) == 2 and pair is None:
        given, pair = given
    return given, pair


def _joined(text: Any) -> str:
    """Joins words with single spaces, so that the text alone shows where they end."""
    if isinstance(text, str):
        return text
    if not isinstance(text, Sequence) or not all(isinstance(word, str) for word in text) or isinstance(text, bytes):
        raise InputError(f"text: expected a string, a pair of them or a list of words, found {type(text).__name__}")
    for word in text:
        if not word or any(space in word for space in " \t\n\v\f\r"):
            raise InputError(f"words: expected each without spaces, found {word!r}")
    return " ".join(text)


def named(report: _core.Report, asked: _core.Input) -> _core.Report:
    """Removes the path of a picture that had none, because its temporary file exists only during the call."""
    if hasattr(asked, "picture"):
        report.call_picture(UNNAMED)
    return report


def texts_of(given: Any, pair: str | None, prefix: str = "") -> list[str]:
    """The texts in which tokens are counted; none for a picture."""
    return [text if isinstance(text, str) else " ".join(text) if isinstance(text, (list, tuple)) else ""
            for text in (*_both(given, pair), prefix)]

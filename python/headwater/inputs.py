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


def plain(what: str, text: str) -> str:
    """The text unchanged, if it is valid: half of a surrogate pair is not a character."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{what}: expected text, found half of a surrogate pair ({ascii(text[error.start])}) at character "
                         f"{error.start}; read the file as UTF-8, or replace it: text.encode(errors='replace').decode()") from None
    return text


def path_of(what: str, path: str | os.PathLike[str]) -> bytes:
    """The path as the system knows it, even if its name is not text."""
    try:
        return os.fsencode(path)
    except UnicodeEncodeError:
        return plain(what, os.fspath(path)).encode()  # which says why not


def several(given: Any) -> list[Any] | None:
    """The inputs of a list, a column of a table or an array of strings; None: it is one input."""
    if isinstance(given, (str, bytes, bytearray, memoryview, tuple, os.PathLike)):
        return None
    if isinstance(given, Sequence):
        return list(given)
    if hasattr(given, "to_list"):  # columns of pandas and polars
        return list(given.to_list())
    if getattr(given, "ndim", None) == 1 and getattr(getattr(given, "dtype", None), "kind", "") in ("U", "O", "S", "T"):
        return list(given.tolist())
    return None


def one(given: Any, words: Sequence[str] | None, what: str) -> Any:
    """The one input that a call takes: a text, or its words."""
    if words is not None:
        if given is not None:
            raise InputError(f"{what}: expected a text or its words, found both; leave out either")
        if isinstance(words, str) or not hasattr(words, "__iter__"):
            raise InputError(f"words: expected a list of words, found {type(words).__name__}; a whole text goes first, without words=")
        return list(words)
    if several(given) is not None:
        raise InputError(f"{what}: expected one text, found a list; words=[…] are the words of one")
    return given


def input_of(given: Any, image: bool, *, pair: str | None = None, prefix: str = "", generate: int = 0,
             truncate: bool = False, explained: bool = False) -> _core.Input:
    """Makes an input; `image` is true if the model reads pictures. An input to explain is not empty."""
    if image:
        if isinstance(given, (str, os.PathLike)):
            return _core.Input("", None, path_of("image", given))
        file = _InMemory(_bytes_of(given))
        made = _core.Input("", None, os.fsencode(file.path))
        made.picture = file  # lives as long
        return made
    text, second = _both(given, pair)
    if explained and (text == "" or text == []):
        raise InputError("expected a text to explain, found an empty one")
    spaced = not (isinstance(text, str) and isinstance(second, (str, type(None))))
    return _core.Input(_joined(text), None if second is None else _joined(second), b"", plain("prefix", prefix), generate,
                       truncate, spaced)


def _both(given: Any, pair: Any) -> tuple[Any, Any]:
    """A pair is given as `pair=` or as a tuple of two texts."""
    if isinstance(given, tuple) and len(given) == 2 and pair is None:
        given, pair = given
    return given, pair


def _joined(text: Any) -> str:
    """Joins words with single spaces, so that the text alone shows where they end."""
    if isinstance(text, str):
        return plain("text", text)
    if not isinstance(text, list) or not all(isinstance(word, str) for word in text):
        raise InputError(f"text: expected a string, a pair of them in a tuple or a list of words, found {type(text).__name__}")
    for word in text:
        if not word or any(space in word for space in " \t\n\v\f\r"):
            raise InputError(f"words: expected each without spaces, found {word!r}")
    return plain("words", " ".join(text))


def named(report: _core.Report, asked: _core.Input) -> _core.Report:
    """Removes the path of a picture that had none, because its temporary file exists only during the call."""
    if hasattr(asked, "picture"):
        report.call_picture(UNNAMED)
    return report


def texts_of(given: Any, pair: str | None, prefix: str = "") -> list[str]:
    """The texts in which tokens are counted; none for a picture."""
    return [text if isinstance(text, str) else " ".join(text) if isinstance(text, (list, tuple)) else ""
            for text in (*_both(given, pair), prefix)]

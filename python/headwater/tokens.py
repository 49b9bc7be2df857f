"""The units of an input: the tokens of a text and the characters they came from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def character_of_byte(text: str) -> list[int] | None:
    """For every byte of the UTF-8 text, and one after it, the number of its character; None if the two agree."""
    if text.isascii():
        return None
    places = [k for k, character in enumerate(text) for _ in character.encode("utf-8", "surrogatepass")]
    return [*places, len(text)]


def byte_of_character(text: str, place: int) -> int:
    return len(text[:place].encode())


class Tokens(Sequence[str]):
    """The texts of tokens, with their ids, offsets (in characters of their text), words and special-token mask."""

    def __init__(self, units: list[dict[str, Any]], texts: Sequence[str]) -> None:
        self._units = units
        self._texts = list(texts)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [unit["text"] for unit in self._units[index]]
        return self._units[index]["text"]

    def __len__(self) -> int:
        return len(self._units)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))

    @property
    def pieces(self) -> list[str]:
        """The spellings in the vocabulary."""
        return [unit["piece"] for unit in self._units]

    def _array(self, key: str, dtype: type) -> NDArray[Any]:
        import numpy as np

        return np.array([unit[key] for unit in self._units], dtype=dtype)

    @property
    def ids(self) -> NDArray[np.int64]:
        return self._array("id", int)

    @property
    def word_ids(self) -> NDArray[np.int64]:
        """Tokens of one word have the same number; -1: no word."""
        return self._array("word", int)

    @property
    def special_mask(self) -> NDArray[np.bool_]:
        """Tokens that a template added: [CLS], [SEP]."""
        return self._array("special", bool)

    @property
    def sequence_ids(self) -> NDArray[np.int64]:
        """0: the text (or source), 1: its pair, 2: the output written so far."""
        return self._array("sequence", int)

    @property
    def offsets(self) -> NDArray[np.int64]:
        """[tokens, 2]: text[begin:end] is the text of a token, in characters."""
        import numpy as np

        made = np.zeros((len(self._units), 2), dtype=np.int64)
        places = [character_of_byte(text) for text in self._texts]
        for row, unit in zip(made, self._units):
            known = places[unit["sequence"]] if unit["sequence"] < len(places) else None
            row[:] = unit["begin"], unit["end"]
            if known is not None:
                row[:] = [known[min(int(place), len(known) - 1)] for place in row]
        return made

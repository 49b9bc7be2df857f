"""Runs whose values can be read, edited, replayed from and differentiated."""

from __future__ import annotations

import json
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Union

from . import _core
from .errors import InputError
from .tokens import Tokens

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

#: ("encoder", "pattern", 3), ("pattern", 3), ("logits",) or "logits".
Place = Union[str, tuple[str], tuple[str, int], tuple[str, str], tuple[str, str, int]]


def place_of(place: Place | tuple[Any, ...]) -> tuple[str, str, int]:
    """(stack, site, layer) of a place in any of its forms; no stack: the last one; no layer: 0."""
    parts: tuple[Any, ...] = (place,) if isinstance(place, str) else tuple(place)
    if len(parts) == 1 and isinstance(parts[0], tuple):
        parts = parts[0]
    layer = 0
    if parts and hasattr(parts[-1], "__index__"):  # NumPy's integers too
        parts, layer = parts[:-1], operator.index(parts[-1])
    if not 1 <= len(parts) <= 2 or not all(isinstance(part, str) for part in parts):
        raise InputError(f"place: expected (stack, site, layer), found {place!r}")
    return ("" if len(parts) == 1 else str(parts[0]), str(parts[-1]), layer)


@dataclass(frozen=True)
class Edit:
    """A change made while the model runs: see zero, scale and replace."""

    place: Place
    factor: float = 0.0
    values: Any = None
    heads: Sequence[int] = field(default=())
    rows: Sequence[int] = field(default=())

    def _bound(self) -> _core.Edit:
        import numpy as np

        values = None if self.values is None else np.asarray(self.values)
        return _core.Edit(place_of(self.place), self.factor, values, list(self.heads), list(self.rows))


def zero(*place: Any, heads: Sequence[int] = (), rows: Sequence[int] = ()) -> Edit:
    """Sets a value, or these heads or tokens of it, to zero: zero("pattern", 3, heads=[2])."""
    return Edit(place_of(place), 0.0, None, heads, rows)


def scale(*place: Any, by: float, heads: Sequence[int] = (), rows: Sequence[int] = ()) -> Edit:
    """Multiplies a value: scale("v", 0, by=0.5, rows=[1])."""
    return Edit(place_of(place), by, None, heads, rows)


def replace(*place: Any, values: ArrayLike, heads: Sequence[int] = (), rows: Sequence[int] = ()) -> Edit:
    """Puts other numbers in a value's place, in its shape: replace("resid_pre", 2, values=other["resid_pre", 2])."""
    return Edit(place_of(place), 0.0, values, heads, rows)


class Run:
    """A forward run of one input. run["encoder", "pattern", 3] is [heads, query, key], without a batch axis."""

    def __init__(self, run: _core.Run, texts: Sequence[str], labels: Sequence[str]) -> None:
        self._run = run
        self._texts = texts
        self._labels = list(labels)

    def __repr__(self) -> str:
        return f"<Run of {len(self.tokens)} tokens: {len(self.places())} places>"

    def places(self) -> list[tuple[str, str, int]]:
        """(stack, site, layer) of every value, in the order they were computed."""
        return self._run.places()

    def __contains__(self, place: Place) -> bool:
        return self._run.has(place_of(place))

    def __getitem__(self, place: Place) -> NDArray[Any]:
        return self._run.at(place_of(place)).numpy()

    @property
    def tokens(self) -> Tokens:
        return Tokens(json.loads(self._run.tokens())["tokens"], self._texts)

    @property
    def logits(self) -> NDArray[Any]:
        return self["logits"]

    def _seed(self, seed: Any, start: Place) -> NDArray[Any]:
        import numpy as np

        if isinstance(seed, str):
            if seed not in self._labels:
                raise InputError(f"seed: expected a label ({', '.join(self._labels)}), an index or an array, "
                                 f"found {seed!r}")
            seed = self._labels.index(seed)
        if isinstance(seed, (int, np.integer)):
            value = self[start]
            if not 0 <= seed < value.size:
                raise InputError(f"seed: expected an index from 0 to {value.size - 1}, found {seed}")
            made = np.zeros(value.shape, dtype=value.dtype)
            made.reshape(-1)[seed] = 1
            return made
        return np.asarray(seed)

    def gradient(self, *place: Any, seed: ArrayLike | str, start: Place = "logits") -> NDArray[Any]:
        """d(sum of seed * value at `start`) / d(value at `place`).

        The seed is an array in the shape of the value at `start` (or several, with an axis before it), the index of
        one number, or a label: run.gradient("embed", seed="POSITIVE").
        """
        return self.gradients([place_of(place)], seed=seed, start=start)[0]

    def gradients(self, places: Sequence[Place], *, seed: ArrayLike | str, start: Place = "logits",
                  ) -> list[NDArray[Any]]:
        """The gradients at several places by one pull."""
        found = self._run.gradients([place_of(place) for place in places], place_of(start), self._seed(seed, start))
        return [one.numpy() for one in found]

    def replay(self, changes: Mapping[Any, ArrayLike], to: Place = "logits") -> NDArray[Any]:
        """The value at `to` for each of these copies: {place: [n, ...]} gives [n, ...].

        The bits are those of edited runs; only what depends on a change is computed.
        """
        import numpy as np

        made = [(place_of(place), np.asarray(copies)) for place, copies in changes.items()]
        return self._run.replay(made, place_of(to)).numpy()

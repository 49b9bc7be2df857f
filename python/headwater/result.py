"""The result of one method: its numbers, checks and notes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from . import _core


@dataclass(frozen=True)
class Check:
    """A property that was tested on this result."""

    name: str
    passed: bool
    value: float
    bound: float


@dataclass(frozen=True)
class Traits:
    """What the numbers of a result mean."""

    of_target: bool  #: they depend on the target; otherwise they are the same for every target
    by_layer: bool  #: each layer's map describes that layer alone, not what all layers below passed on
    attention_alone: bool  #: attention without the residual path beside it, which a flow through the layers adds
    is_signed: bool  #: below 0 they count against the target
    rows_sum_to_one: bool  #: of its maps, and with these options


class Result:
    """The result of one method. It is an array: numpy.asarray, numpy.from_dlpack and torch.from_dlpack accept it."""

    def __init__(self, fields: dict[str, Any], maps: dict[str, Any], axes: dict[str, tuple[str, ...]],
                 details: dict[str, Any], answer: Any, held: Any = None) -> None:
        self._fields = fields
        self._maps = maps
        self._axes = axes
        self._details = details
        self._answer = answer
        self._held = held  # the first map as the library holds it: what DLPack hands on

    @property
    def method(self) -> str:
        return str(self._fields["method"])

    @property
    def aggregate(self) -> str | None:
        """"rollout" or "flow" if its maps were combined across layers."""
        found = self._fields.get("aggregate")
        return None if found is None else str(found)

    @property
    def name(self) -> str:
        """The name of the result among several: "value_zeroing_rollout"."""
        return f"{self.method}_{self.aggregate}" if self.aggregate else self.method

    @property
    def options(self) -> dict[str, str]:
        """The options as run, including defaults."""
        return dict(self._fields.get("options", {}))

    @property
    def traits(self) -> Traits:
        """What the numbers mean, as the method's record and the options say."""
        found = self._fields.get("traits")
        if found is None:
            raise InputError(f"traits: a file of version 0.1.0 does not say what the numbers of {self.name} mean; explain again")
        return Traits(**found)

    @property
    def maps(self) -> dict[str, NDArray[Any]]:
        """One array under "", or one for each kind of attention: "encoder", "decoder", "cross"."""
        return dict(self._maps)

    @property
    def scores(self) -> NDArray[Any]:
        """The numbers; for an encoder-decoder those of the first map. They are shared with the library and read-only."""
        return next(iter(self._maps.values()))

    @property
    def axes(self) -> tuple[str, ...]:
        """What the axes of `scores` count: ("layer", "head", "query", "key"), ("token",)."""
        return next(iter(self._axes.values()))

    def axes_of(self, map_name: str) -> tuple[str, ...]:
        return self._axes[map_name]

    @property
    def matrix(self) -> NDArray[Any]:
        """[layers, query, key]: maps with their heads averaged."""
        scores, axes = self.scores, self.axes
        if axes[-2:] != ("query", "key"):
            raise InputError(f"matrix: expected a map of queries and keys, found the axes {', '.join(axes)} "
                             f"of {self.name}; scores has them")
        if "head" in axes:
            scores = scores.mean(axis=axes.index("head"))
        return scores if "layer" in axes else scores[None]

    @property
    def answer(self) -> NDArray[Any]:
        """The row the output was read from over all tokens, heads averaged: [layers, tokens], or [1, tokens]."""
        if self._answer is None:
            raise InputError(f"answer: {self.name} has none")
        found: NDArray[Any] = self._answer
        return found

    def token_scores(self, layer: int = -1) -> NDArray[Any]:
        """One number per token: its score, or its weight in the output's row in this layer; NaN if it was not measured."""
        found: NDArray[Any] = self.answer[layer]
        return found

    @property
    def details(self) -> dict[str, NDArray[Any]]:
        """Tables and curves that belong to the result."""
        return dict(self._details)

    @property
    def measured(self) -> NDArray[np.bool_] | None:
        """Which tokens were measured; None: all. The scores of the others are placeholders."""
        import numpy as np

        found = self._fields.get("measured")
        return None if found is None else np.array(found, dtype=bool)

    @property
    def checks(self) -> tuple[Check, ...]:
        return tuple(Check(**check) for check in self._fields.get("checks", []))

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(self._fields.get("notes", []))

    @property
    def seconds(self) -> float:
        return float(self._fields.get("seconds", 0))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        import numpy as np

        if copy:
            return np.array(self.scores, dtype=dtype)
        if copy is False and dtype is not None and np.dtype(dtype) != self.scores.dtype:
            raise ValueError(f"{self.name}: expected {self.scores.dtype}, which needs no copy, found {np.dtype(dtype)}")
        return np.asarray(self.scores, dtype=dtype)

    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any:
        if self._held is None:
            return self.scores.__dlpack__(*args, **kwargs)
        return self._held.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __getstate__(self) -> dict[str, Any]:
        import numpy as np

        return {"fields": self._fields, "maps": {name: np.array(one) for name, one in self._maps.items()},
                "axes": self._axes, "details": {name: np.array(one) for name, one in self._details.items()},
                "answer": None if self._answer is None else np.array(self._answer)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def __repr__(self) -> str:
        return f"<Result {self.name} [{', '.join(self.axes)}] {tuple(self.scores.shape)}>"


def result_of(report: _core.Report, index: int, fields: dict[str, Any]) -> Result:
    maps, answer = report.maps(index), report.answer(index)
    return Result(fields, {name: values.numpy() for name, _, values in maps},
                  {name: tuple(axes) for name, axes, _ in maps},
                  {name: values.numpy() for name, _, values in report.details(index)},
                  None if answer is None else answer.numpy(), maps[0][2] if maps else None)

"""An explanation: the prediction, and for every method a result with its numbers, checks and record."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import InputError
from .tokens import Tokens

if TYPE_CHECKING:
    import os

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


def _result_of(report: _core.Report, index: int, fields: dict[str, Any]) -> Result:
    maps, answer = report.maps(index), report.answer(index)
    return Result(fields, {name: values.numpy() for name, _, values in maps},
                  {name: tuple(axes) for name, axes, _ in maps},
                  {name: values.numpy() for name, _, values in report.details(index)},
                  None if answer is None else answer.numpy(), maps[0][2] if maps else None)


class Explanation:
    """One input explained: `results` by every method asked for; scores, axes and checks are those of the first."""

    def __init__(self, fields: dict[str, Any], results: list[Result], report: _core.Report | None = None) -> None:
        self._fields = fields
        self._results = results
        self._report = report

    @classmethod
    def _of(cls, report: _core.Report) -> Explanation:
        fields = json.loads(report.summary())
        results = [_result_of(report, i, one) for i, one in enumerate(fields.pop("attributions"))]
        return cls(fields, results, report)

    # What was asked, and what the model says.

    @property
    def text(self) -> str:
        return str(self._fields["input"].get("text", ""))

    @property
    def pair(self) -> str | None:
        found = self._fields["input"].get("pair")
        return None if found is None else str(found)

    @property
    def image(self) -> str | None:
        found = self._fields["input"].get("image")
        return None if found is None else str(found)

    @property
    def sentence(self) -> str:
        """The answer and the words behind it, in one line."""
        return str(self._fields["sentence"])

    @property
    def prediction(self) -> dict[str, Any]:
        return dict(self._fields["prediction"])

    @property
    def target(self) -> dict[str, Any]:
        """The target: label, index, position, logit, probability."""
        return dict(self._fields["target"])

    @property
    def model(self) -> dict[str, Any]:
        return dict(self._fields["model"])

    @property
    def record(self) -> dict[str, Any]:
        """The data needed to repeat the run, including the command line."""
        return dict(self._fields["record"])

    @property
    def agreement(self) -> list[dict[str, Any]]:
        """How similarly the results order the tokens, pair by pair."""
        return list(self._fields.get("agreement", []))

    @property
    def tokens(self) -> Tokens:
        """The tokens' texts, with `.ids`, `.offsets`, `.word_ids` and `.special_mask`. Empty for pictures."""
        asked = self._fields["input"]
        return Tokens(self._fields["tokens"], [asked.get("text", ""), asked.get("pair", ""), asked.get("prefix", "")])

    @property
    def offsets(self) -> NDArray[np.int64]:
        """[tokens, 2]: text[begin:end] is the text of a token."""
        return self.tokens.offsets

    # Results.

    @property
    def results(self) -> tuple[Result, ...]:
        return tuple(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def __iter__(self) -> Iterator[Result]:
        return iter(self._results)

    def __getitem__(self, name: str | int) -> Result:
        if not isinstance(name, str):
            return self._results[name]
        for result in self._results:
            if name in (result.name, result.method):
                return result
        raise KeyError(f"{name}: expected one of {', '.join(result.name for result in self._results)}")

    @property
    def _first(self) -> Result:
        if not self._results:
            raise InputError("scores: expected a result, found none; name a method")
        return self._results[0]

    @property
    def method(self) -> str:
        return self._first.method

    @property
    def scores(self) -> NDArray[Any]:
        return self._first.scores

    @property
    def axes(self) -> tuple[str, ...]:
        return self._first.axes

    @property
    def matrix(self) -> NDArray[Any]:
        return self._first.matrix

    @property
    def checks(self) -> tuple[Check, ...]:
        return self._first.checks

    def token_scores(self, layer: int = -1) -> NDArray[Any]:
        return self._first.token_scores(layer)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self._first.__array__(dtype, copy)

    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any:
        return self._first.__dlpack__(*args, **kwargs)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    # Views and files.

    def _require_report(self, what: str) -> _core.Report:
        if self._report is None:
            raise InputError(f"{what}: expected an explanation as the model gave it, found one read from a file or "
                             "another process; explain again")
        return self._report

    def view(self, unit: str = "token", special: str = "keep") -> Explanation:
        """The same explanation per word (unit="word"), or with special tokens hidden or dropped."""
        return Explanation._of(self._require_report("view").view(unit, special))

    def words(self, special: str = "hide") -> Explanation:
        """The explanation per word: a word's column is the sum of its tokens' columns, its row the mean of their rows."""
        return self.view("word", special)

    def to_json(self, indent: int | None = None) -> str:
        return self._require_report("to_json").json(-1 if indent is None else indent)

    def to_html(self) -> str:
        """The interactive page: one file that needs no network."""
        return self._require_report("to_html").html()

    def to_text(self, colour: bool = False, width: int = 80) -> str:
        """The text that the terminal shows."""
        return self._require_report("to_text").terminal(colour, width)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes .npz, .safetensors, .json, .html, .png (pictures) or .txt, by the file's extension."""
        report, suffix = self._require_report("save"), Path(path).suffix
        if suffix == ".npz":
            data = report.npz()
        elif suffix == ".safetensors":
            data = report.safetensors()
        elif suffix == ".json":
            data = (report.json(2) + "\n").encode()
        elif suffix == ".html":
            data = report.html().encode()
        elif suffix == ".png":
            data = report.png()
        elif suffix == ".txt":
            data = report.terminal(False, 80).encode()
        else:
            raise InputError(f"save: expected .npz, .safetensors, .json, .html, .png or .txt, found {path}")
        Path(path).write_bytes(data)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Explanation:
        """Reads what save wrote as .json (everything), .npz or .safetensors (arrays, tokens and the record)."""
        from . import files

        return files.load(path)

    # Other tools (exports.py) and eyes (display.py).

    def to_frame(self, library: str | None = None) -> Any:
        """One row per token (a pandas or polars frame, whichever is installed; otherwise a list of dicts)."""
        from . import exports

        return exports.to_frame(self, library)

    def to_bertviz(self) -> tuple[list[Any], list[str]]:
        """For bertviz.head_view(attention, tokens): a torch tensor [1, heads, query, key] per layer."""
        from . import exports

        return exports.to_bertviz(self)

    def to_inseq(self) -> dict[str, Any]:
        """For inseq.FeatureAttributionOutput.load: the JSON it reads, as a dict; in it rows are inputs."""
        from . import exports

        return exports.to_inseq(self)

    def to_shap(self) -> Any:
        """A shap.Explanation of the scores per token (needs shap)."""
        from . import exports

        return exports.to_shap(self)

    def to_captum(self) -> list[Any]:
        """Captum's VisualizationDataRecord, one for every result (needs captum)."""
        from . import exports

        return exports.to_captum(self)

    def plot(self, layer: int = -1, ax: Any = None) -> Any:
        """Scores per token as bars, maps and scores per patch as a picture: matplotlib's axes if it is installed, otherwise SVG text."""
        from . import display

        return display.plot(self, layer, ax)

    def _repr_html_(self) -> str:
        from . import display

        return display.small_html(self)

    def show(self, height: int = 640) -> Any:
        """The interactive page inside a notebook, without a server."""
        from . import display

        return display.show(self, height)

    def __getstate__(self) -> dict[str, Any]:
        return {"fields": self._fields, "results": self._results}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def __repr__(self) -> str:
        return f"<Explanation {self.sentence!r}: {', '.join(result.name for result in self._results)}>"

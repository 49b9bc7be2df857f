"""An explanation: the prediction, and for every method a result with its numbers, checks and record."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from .errors import InputError, Unsupported
from .figure import FIGURES, Figure
from .result import Check, Result, result_of
from .tokens import Tokens

if TYPE_CHECKING:
    import os

    import numpy as np
    from numpy.typing import NDArray

    from . import _core, types


class Explanation:
    """One input explained: `results` by every method asked for; scores, axes and checks are those of the first."""

    def __init__(self, fields: dict[str, Any], results: list[Result], report: _core.Report | None = None) -> None:
        self._fields = fields
        self._results = results
        self._report = report

    @classmethod
    def _of(cls, report: _core.Report) -> Explanation:
        fields = json.loads(report.summary())
        results = [result_of(report, i, one) for i, one in enumerate(fields.pop("attributions"))]
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
    def prediction(self) -> types.Prediction:
        return cast("types.Prediction", dict(self._fields["prediction"]))

    @property
    def target(self) -> types.Target:
        """The target: label, index, position, logit, probability."""
        return cast("types.Target", dict(self._fields["target"]))

    @property
    def model(self) -> types.ModelInfo:
        return cast("types.ModelInfo", dict(self._fields["model"]))

    @property
    def record(self) -> types.ReportRecord:
        """The data needed to repeat the run, including the command line."""
        return cast("types.ReportRecord", dict(self._fields["record"]))

    @property
    def agreement(self) -> list[types.Agreement]:
        """How similarly the results order the tokens, pair by pair."""
        return list(self._fields.get("agreement", []))

    @property
    def tokens(self) -> Tokens:
        """The tokens' texts; with `.ids`, `.offsets`, `.word_ids` and `.special_mask`. Empty for pictures."""
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

    def figure(self, kind: str = "", method: str = "", layer: int = -1) -> Figure:
        """A figure for print, as `headwater plot` draws it; a notebook shows it.

        kind    "strip" of a text, "overlay" over a picture, "grid", "matrix", "heads", "flow"; "": strip or overlay
        method  which result; "": the first that has such a figure
        layer   of matrix, heads, strip and overlay; -1: the one that says most
        """
        return Figure(self._require_report("figure").svg(kind, method, layer))

    def save(self, path: str | os.PathLike[str], kind: str = "") -> None:
        """Writes .svg, .pdf or .png (figures, of which `kind` says which: see `figure`), .npz, .safetensors, .json, .html
        or .txt, by the file's extension."""
        report, suffix = self._require_report("save"), Path(path).suffix
        if kind and suffix not in FIGURES:
            raise InputError(f"save: expected .svg, .pdf or .png with kind={kind!r}, found {path}")
        if suffix == ".npz":
            data = report.npz()
        elif suffix == ".safetensors":
            data = report.safetensors()
        elif suffix == ".json":
            data = (report.json(2) + "\n").encode()
        elif suffix == ".html":
            data = report.html().encode()
        elif suffix in FIGURES:
            data = self._drawn(report, suffix, kind)
        elif suffix == ".txt":
            data = report.terminal(False, 80).encode()
        else:
            raise InputError(f"save: expected .svg, .pdf, .png, .npz, .safetensors, .json, .html or .txt, found {path}")
        Path(path).write_bytes(data)

    def _drawn(self, report: _core.Report, suffix: str, kind: str) -> bytes:
        figure = self.figure(kind)
        try:
            return figure.to_bytes(suffix[1:])
        except Unsupported:  # no librsvg
            if suffix != ".png" or kind or len(self.tokens):
                raise
            return report.png()

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Explanation:
        """Reads what save wrote as .json (everything), .npz or .safetensors (arrays, tokens and the record)."""
        from . import files

        return files.load(path)

    # Other tools (exports.py) and eyes (display.py).

    def to_frame(self, library: str | None = None) -> Any:
        """One row per token: a pandas or polars frame, whichever is installed."""
        from . import exports

        return exports.to_frame(self, library)

    def to_rows(self) -> list[dict[str, Any]]:
        """A dict per token, without a library of frames; a notebook shows it as a table."""
        from . import exports

        return exports.to_rows(self)

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

    def plot(self, layer: int = -1, ax: Any = None, kind: str = "") -> Any:
        """The first result as a figure (see `figure`): a strip for scores per token, a matrix for a map, or the given `kind`.
        With matplotlib's axes it draws bars or a map on them and returns them."""
        from . import display

        if ax is not None or self._report is None:  # of a file there are the numbers alone
            return display.plot(self, layer, ax)
        result = self._first
        square = result.axes[-2:] == ("query", "key") and len(self.tokens) > 0
        return self.figure(kind or ("matrix" if square else ""), result.name, layer)

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


class Explanations(list[Explanation]):
    """A list with one entry per text, in order."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not hasattr(Explanation, name):
            raise AttributeError(name)
        raise AttributeError(f"{name}: expected one explanation, found those of {len(self)} texts, because a list is several texts; "
                             f"take one of them, [0].{name}, or give the words of one text by explain(words=[…])")

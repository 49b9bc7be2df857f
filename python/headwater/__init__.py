"""Headwater: where does a Transformer's prediction come from?

    import headwater as hw
    print(hw.load("sentiment").explain("not bad at all").sentence)
"""

from __future__ import annotations

import os
from pathlib import Path

from . import _core
from .errors import FormatError, HeadwaterError, InputError, InternalError, Unsupported
from .explanation import Explanation, Explanations
from .figure import Figure
from .heads import HeadImportance, Tree
from .model import Model
from .records import Evaluation, Family, Method, Option, evaluations, families, methods
from .records import listing as _listing
from .result import Check, Result, Traits
from .run import Edit, Run, replace, scale, zero
from .tokens import Tokens
from .in_memory import from_transformers

__version__ = _core.version()

__all__ = [
    "Check", "Edit", "Evaluation", "Explanation", "Explanations", "Family", "Figure", "FormatError", "HeadImportance",
    "HeadwaterError", "InputError", "InternalError", "Method", "Model", "Option", "Result", "Run", "Tokens", "Traits", "Tree", "Unsupported",
    "evaluations", "example_picture", "families", "from_transformers", "head_rankings", "load", "methods", "replace",
    "scale", "set_threads", "threads", "zero",
]


@_listing("Families", families)
def load(path: str | os.PathLike[str], *, dtype: str = "float32", threads: int | None = None,
         cache_dir: str | os.PathLike[str] | None = None, revision: str = "") -> Model:
    """Opens a folder of a Hugging Face model, a shipped model by name ("sentiment", "vision") or a repo id in the
    Hugging Face cache. Never uses the network. A model that is in memory is opened by `from_transformers`.

    dtype    "float32", or "float64" for the same code in double
    threads  the number of threads of the process from now on; None: unchanged
    """
    return Model(path, dtype, threads, cache_dir, revision)


def threads() -> int:
    """The number of threads, shared by everything. Results never depend on it."""
    return _core.threads()


def set_threads(count: int) -> None:
    """Sets the number of threads; 0: as many as the processors allow. InputError below 0."""
    _core.set_threads(count)


def head_rankings() -> list[str]:
    """The rankings that Model.heads knows."""
    return _core.head_rankings()


def example_picture() -> str:
    """The file of a picture that comes with the package: a cat on the left and a dog on the right."""
    return str(Path(__file__).with_name("pets.jpg"))

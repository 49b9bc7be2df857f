"""The records of methods, model families and evaluations."""

from __future__ import annotations

import functools
import inspect
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from . import _core


@dataclass(frozen=True)
class Option:
    """One option of a method or an evaluation."""

    name: str
    type: str  #: "number", "integer", "text", or what is allowed: "a|b|c"
    default: str
    help: str
    least: float = -math.inf
    most: float = math.inf

    def __str__(self) -> str:
        return f"{self.name} ({self.type}, default {self.default}): {self.help}"


class _Record:
    """Makes a record's text its docstring, for `hw.methods()["chefer"]?` in a notebook."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "__doc__", str(self))


def _lines(*parts: str) -> str:
    return "\n".join(part for part in parts if part)


@dataclass(frozen=True)
class Method(_Record):
    """One way to explain."""

    name: str
    summary: str
    title: str  #: as it is written in a sentence: "Integrated gradients"
    question: str
    formula: str
    paper: str
    cost: str
    limits: str
    options: tuple[Option, ...]
    claims: tuple[str, ...]
    aliases: tuple[str, ...]
    needs_target: bool
    role: str  #: what it is taken for where nobody names a method: "first look"
    aggregates: bool

    def __str__(self) -> str:
        return _lines(f"{self.name}: {self.summary}", self.formula, f"Paper: {self.paper}", f"Cost: {self.cost}",
                      f"Limits: {self.limits}", *(f"  {option}" for option in self.options))


@dataclass(frozen=True)
class Family(_Record):
    """One kind of model."""

    name: str
    summary: str
    model_types: tuple[str, ...]
    architectures: tuple[str, ...]

    def __str__(self) -> str:
        return _lines(f"{self.name}: {self.summary}", f"Model types: {', '.join(self.model_types)}",
                      f"Architectures: {', '.join(self.architectures)}")


@dataclass(frozen=True)
class Evaluation(_Record):
    """One way to measure an explanation."""

    name: str
    summary: str
    formula: str
    paper: str
    better: str  #: "higher", "lower", or "neither": it describes
    needs: str
    curve_over: str
    options: tuple[Option, ...]

    def __str__(self) -> str:
        return _lines(f"{self.name}: {self.summary}", self.formula, f"Paper: {self.paper}" if self.paper else "",
                      f"Better: {self.better}", f"Needs: {self.needs}" if self.needs else "",
                      *(f"  {option}" for option in self.options))


def _frozen(record: dict[str, Any]) -> dict[str, Any]:
    made = {key: tuple(value) if isinstance(value, list) else value for key, value in record.items()}
    if "options" in made:
        made["options"] = tuple(Option(**option) for option in made["options"])
    return made


@functools.lru_cache(maxsize=None)
def methods() -> dict[str, Method]:
    """Every method by name, with its formula, paper, cost, limits and options."""
    return {record["name"]: Method(**_frozen(record)) for record in json.loads(_core.methods())}


@functools.lru_cache(maxsize=None)
def families() -> dict[str, Family]:
    """Every family of models that can be opened, by name."""
    return {record["name"]: Family(**_frozen(record)) for record in json.loads(_core.families())}


@functools.lru_cache(maxsize=None)
def evaluations() -> dict[str, Evaluation]:
    """Every evaluation of explanations, by name."""
    return {record["name"]: Evaluation(**_frozen(record)) for record in json.loads(_core.evaluations())}


def method_named(name: str) -> Method | None:
    """The method of this name or alias."""
    known = methods()
    return known.get(name) or next((method for method in known.values() if name in method.aliases), None)


_Function = TypeVar("_Function", bound=Callable[..., Any])


def listing(title: str, records: Callable[[], Mapping[str, Any]]) -> Callable[[_Function], _Function]:
    """Appends a list of choices to a function's docstring."""

    def add(function: _Function) -> _Function:
        lines = (f"- {name}: {record.summary}" for name, record in records().items())
        function.__doc__ = "\n".join([inspect.cleandoc(function.__doc__ or ""), "", f"{title}:", "", *lines])
        return function

    return add

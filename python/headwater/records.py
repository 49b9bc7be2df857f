"""What there is to choose from: the records of methods, model families and evaluations."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from . import _core


@dataclass(frozen=True)
class Option:
    """One option of a method or an evaluation."""

    name: str
    type: str  #: "number", "integer", "text", or what is allowed: "a|b|c"
    default: str
    help: str
    least: float
    most: float

    def __str__(self) -> str:
        return f"{self.name} ({self.type}, default {self.default}): {self.help}"


@dataclass(frozen=True)
class Method:
    """One way to explain."""

    name: str
    summary: str
    question: str
    formula: str
    paper: str
    cost: str
    limits: str
    options: tuple[Option, ...]
    claims: tuple[str, ...]
    aliases: tuple[str, ...]
    needs_target: bool
    aggregates: bool

    def __str__(self) -> str:
        parts = [f"{self.name}: {self.summary}", self.formula, f"Paper: {self.paper}", f"Cost: {self.cost}",
                 f"Limits: {self.limits}", *(f"  {option}" for option in self.options)]
        return "\n".join(part for part in parts if part)


@dataclass(frozen=True)
class Family:
    """One kind of model."""

    name: str
    summary: str
    model_types: tuple[str, ...]
    architectures: tuple[str, ...]


@dataclass(frozen=True)
class Evaluation:
    """One way to measure an explanation."""

    name: str
    summary: str
    formula: str
    paper: str
    better: str  #: "higher", "lower", or "neither": it describes
    needs: str
    curve_over: str
    options: tuple[Option, ...]


def _frozen(record: dict[str, Any]) -> dict[str, Any]:
    made = {key: tuple(value) if isinstance(value, list) else value for key, value in record.items()}
    if "options" in made:
        made["options"] = tuple(Option(**option) for option in made["options"])
    return made


@functools.lru_cache(maxsize=None)
def methods() -> dict[str, Method]:
    """Every method by name, with its formula, paper, cost, limits and options."""
    return {record["name"]: Method(**_frozen(record)) for record in _core.methods()}


@functools.lru_cache(maxsize=None)
def families() -> dict[str, Family]:
    """Every family of models that can be opened, by name."""
    return {record["name"]: Family(**_frozen(record)) for record in _core.families()}


@functools.lru_cache(maxsize=None)
def evaluations() -> dict[str, Evaluation]:
    """Every evaluation of explanations, by name."""
    return {record["name"]: Evaluation(**_frozen(record)) for record in _core.evaluations()}


def method_named(name: str) -> Method | None:
    """The method of this name, or of this other name."""
    known = methods()
    return known.get(name) or next((method for method in known.values() if name in method.aliases), None)

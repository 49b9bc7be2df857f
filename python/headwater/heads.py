"""The importance of heads, and attribution trees."""

from __future__ import annotations

import json
from copy import copy
from typing import TYPE_CHECKING, Any, cast

from .explanation import Explanation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from . import _core, types


class HeadImportance:
    """The importance of every head: `scores` [layers, heads]."""

    def __init__(self, bound: _core.HeadImportance) -> None:
        self._bound = bound

    @property
    def ranking(self) -> str:
        return self._bound.ranking

    @property
    def scores(self) -> NDArray[Any]:
        import numpy as np

        return np.array(self._bound.scores).reshape(self._bound.layers, self._bound.heads)

    def to_dict(self) -> types.Heads:
        return cast("types.Heads", json.loads(self._bound.json()))

    def __repr__(self) -> str:
        return f"<HeadImportance {self.ranking}: {self._bound.layers} layers of {self._bound.heads} heads>"


class Tree:
    """An attribution tree: `edges` from the top layer down, and the explanation it was made from."""

    def __init__(self, fields: types.Tree, svg: str, explanation: Explanation) -> None:
        self._fields = fields
        self._svg = svg
        self.explanation = explanation

    @property
    def root(self) -> int:
        return self._fields["root"]

    @property
    def edges(self) -> list[types.TreeEdge]:
        """parent, child (tokens), layer and score."""
        return list(self._fields["edges"])

    @property
    def tokens(self) -> list[str]:
        return list(self._fields["tokens"])

    def __repr__(self) -> str:
        return f"<Tree of {len(self.edges)} edges into {self.tokens[self.root]!r}>"

    def to_svg(self) -> str:
        return self._svg

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x:auto">{self._svg}</div>'

    def to_dict(self) -> types.Tree:
        return copy(self._fields)

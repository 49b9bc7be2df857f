"""A stream of inputs, explained a few at a time and handed on one by one in their order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import _core


def in_order(given: Iterable[Any], prepare: Callable[[Any], _core.Input],
             explain: Callable[[list[_core.Input]], list[_core.Report]], most: int) -> Iterator[_core.Report]:
    """Yields reports in order; `explain` takes as many inputs, from the first on, as it wants in memory at a time.

    Reads one input ahead, then twice as many each time up to `most`, so that the first report comes soon. An input
    that fails, or a stream that fails, raises its error in its turn.
    """
    source, ahead, end = iter(given), 1, None
    waiting: deque[_core.Input] = deque()
    while True:
        while end is None and len(waiting) < ahead:
            try:
                waiting.append(prepare(next(source)))
            except Exception as error:  # StopIteration too
                end = error
        if waiting:
            made = explain(list(waiting))
            made.reverse()
            while made:
                waiting.popleft()
                yield made.pop()
        elif isinstance(end, StopIteration):
            return
        elif end is not None:
            raise end
        ahead = min(2 * ahead, most)

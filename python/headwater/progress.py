"""How a long call shows how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Union

#: True: a bar by tqdm where it is there; a function of (method, share done); None: nothing.
ProgressOption = Union[bool, Callable[[str, float], None], None]


@contextmanager
def told(progress: ProgressOption) -> Iterator[Callable[[str, float], None] | None]:
    if callable(progress):
        yield progress
        return
    if not progress:
        yield None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield None
        return
    bar: Any = None

    def tell(method: str, done: float) -> None:
        nonlocal bar
        if bar is None or bar.desc != f"{method}: ":
            if bar is not None:
                bar.close()
            bar = tqdm(total=100, desc=method, unit="%", leave=False)
        bar.update(100 * done - bar.n)

    try:
        yield tell
    finally:
        if bar is not None:
            bar.close()

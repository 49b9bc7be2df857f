"""The progress of long calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sized
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
    shown = ""

    def tell(method: str, done: float) -> None:
        nonlocal bar, shown
        if bar is None or shown != method:
            if bar is not None:
                bar.close()
            bar, shown = tqdm(total=100, desc=method, unit="%", leave=False), method
        bar.update(100 * done - bar.n)

    try:
        yield tell
    finally:
        if bar is not None:
            bar.close()


@contextmanager
def counted(progress: ProgressOption, given: Any) -> Iterator[Callable[[int], None]]:
    """Counts the finished texts of a stream. A function gets ("texts", share), NaN if their number is unknown."""
    total = len(given) if isinstance(given, Sized) else None
    if callable(progress):
        tell = progress
        yield lambda done: tell("texts", done / total if total else float("nan"))
        return
    bar: Any = None
    if progress:
        try:
            from tqdm.auto import tqdm

            bar = tqdm(total=total, desc="texts", unit="text", leave=False)
        except ImportError:
            pass
    try:
        yield lambda done: None if bar is None else bar.update(done - bar.n)
    finally:
        if bar is not None:
            bar.close()

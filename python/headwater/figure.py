"""Figures for print, as `headwater plot` draws them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .errors import InputError

if TYPE_CHECKING:
    import os

#: Endings of files that hold a figure.
FIGURES = (".svg", ".pdf", ".png")


class Figure(str):
    """A drawing as SVG text. A notebook shows it, and `save` writes it as SVG, PDF or PNG by the file's extension."""

    def _repr_svg_(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x:auto">{self!s}</div>'

    def to_bytes(self, format: str = "svg") -> bytes:
        """The drawing as "svg", "pdf" or "png"; the last two need the system library librsvg."""
        if format == "svg":
            return self.encode()
        if f".{format}" not in FIGURES:
            raise InputError(f"figure: expected svg, pdf or png, found {format}")
        from . import _core

        return _core.picture_of_svg(self, format)

    def save(self, path: str | os.PathLike[str]) -> None:
        Path(path).write_bytes(self.to_bytes(Path(path).suffix[1:]))

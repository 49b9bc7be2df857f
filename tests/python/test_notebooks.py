"""Every notebook of docs/notebooks runs from its first cell to its last, without Jupyter: what a cell ends with is shown as
a notebook would show it."""

import ast
import json

import pytest
from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def run(cell, names, where):
    body = ast.parse("".join(cell["source"])).body
    shown = ast.Expression(body.pop().value) if isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), where, "exec"), names)  # noqa: S102
    if shown is None:
        return None
    value = eval(compile(shown, where, "eval"), names)  # noqa: S307
    for form in ("_repr_html_", "__repr__"):
        if hasattr(value, form):
            return getattr(value, form)()
    return value


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path, monkeypatch):
    monkeypatch.chdir(ROOT / "docs" / "notebooks")
    cells = json.loads(path.read_text())["cells"]
    names: dict = {}
    shown = [run(cell, names, f"{path.name}, cell {number}") for number, cell in enumerate(cells) if cell["cell_type"] == "code"]
    assert len(shown) > 4 and all(not cell.get("outputs") for cell in cells), "kept without what they showed"


def test_there_is_one_for_every_family_of_methods():
    assert {path.stem for path in NOTEBOOKS} == {"context_mixing", "attribution", "heads", "identifiability", "evaluation",
                                                 "images"}

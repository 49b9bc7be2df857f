#!/usr/bin/env python3
"""Writes docs/python-api.md from the docstrings and signatures of the package.

    PYTHONPATH=build/release/python python3 tools/write_python_api.py [--check]
"""

import argparse
import inspect
import pathlib
import re
import sys

import headwater as hw

PAGE = pathlib.Path(__file__).resolve().parents[1] / "docs" / "python-api.md"
CLASSES = [hw.Model, hw.Explanation, hw.Explanations, hw.Figure, hw.Result, hw.Check, hw.Traits, hw.Tokens, hw.Run, hw.Edit, hw.HeadImportance, hw.Tree, hw.Method,
           hw.Option, hw.Evaluation, hw.Family]
ERRORS = [hw.HeadwaterError, hw.InputError, hw.FormatError, hw.Unsupported, hw.InternalError]


def signature(function):
    """As it is written, types and all, without what every method begins with."""
    found = inspect.signature(function)
    made, only_named = [], False
    for one in found.parameters.values():
        if one.name == "self":
            continue
        if one.kind is one.KEYWORD_ONLY and not only_named:
            made, only_named = [*made, "*"], True
        star = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        only_named = only_named or star == "*"
        kind = f": {one.annotation}" if one.annotation is not one.empty else ""
        made.append(f"{star}{one.name}{kind}" + (f" = {one.default!r}" if one.default is not one.empty else ""))
    return f"({', '.join(made)}) -> {found.return_annotation}"


def documented(thing):
    """Its own docstring, not one that every tuple, dataclass or exception has."""
    found = inspect.getdoc(thing) or ""
    return "" if found.startswith(thing.__name__ + "(") else found


def body(doc):
    """Tables of arguments keep their columns."""
    lines, made, block = doc.split("\n"), [], []
    for line in lines + [""]:
        aligned = bool(re.match(r"^(\w[\w, ]*\s{2,}\S| {4,}\S)", line))
        if not aligned and block:
            made += ["", "```text", *block, "```", ""]
            block = []
        (block if aligned else made).append(line)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(made)).strip()


def members(cls):
    for name, member in vars(cls).items():
        if name.startswith("_"):
            continue
        member = member.__func__ if isinstance(member, (staticmethod, classmethod)) else member
        if isinstance(member, property):
            yield f"`{name}` : `{inspect.signature(member.fget).return_annotation}`", inspect.getdoc(member) or ""
        elif inspect.isfunction(member):
            yield f"`{name}{signature(member)}`", inspect.getdoc(member) or ""
    for name, kind in vars(cls).get("__annotations__", {}).items():
        if not name.startswith("_"):
            yield f"`{name}` : `{kind}`", ""


def page():
    out = ["# Python: every name", "",
           "`tools/write_python_api.py` writes this page from the package's docstrings. Begin with [python.md](python.md);",
           "[methods.md](methods.md) and [evaluation.md](evaluation.md) describe the methods and metrics with their options.", "",
           "## headwater", ""]
    for name in hw.__all__:
        thing = getattr(hw, name)
        if callable(thing) and not inspect.isclass(thing):
            out += [f"### `headwater.{name}{signature(thing)}`", "", body(inspect.getdoc(thing) or ""), ""]
    for cls in CLASSES:
        out += [f"## {cls.__name__}", "", body(documented(cls)), ""]
        for title, doc in members(cls):
            out += [f"- {title}" + ("  " if doc else ""), *("  " + line if line else "" for line in body(doc).split("\n") if doc)]
        out += [""]
    out += ["## Errors", ""]
    for error in ERRORS:
        bases = ", ".join(base.__name__ for base in error.__bases__)
        out += [f"- `{error.__name__}({bases})`" + (f": {documented(error)}" if documented(error) else "")]
    text = "\n".join(out) + "\n"
    return re.sub(r"\n{3,}", "\n\n", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only say whether it is up to date")
    if parser.parse_args().check:
        return 0 if PAGE.read_text() == page() else 1
    PAGE.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Every example of docs/python.md runs, and the package is typed."""

import os
import pathlib
import subprocess
import sys

import headwater as hw
import pytest
from conftest import ROOT


def test_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = (ROOT / "docs" / "python.md").read_text().split("```python\n")[1:]
    assert len(blocks) == 3
    for block in blocks:
        exec(compile(block.split("```")[0], "docs/python.md", "exec"), {})  # noqa: S102


def test_types_are_strict(tmp_path):
    pytest.importorskip("mypy")
    # Most of the time goes into NumPy's stubs: what was read of them is kept in the folder of a build.
    folder = pathlib.Path(os.environ.get("HEADWATER_TYPE_CACHE", tmp_path))
    folder.mkdir(exist_ok=True)
    examples = folder / "examples.py"
    blocks = (ROOT / "docs" / "python.md").read_text().split("```python\n")[1:]
    examples.write_text("\n".join(block.split("```")[0] for block in blocks))
    package = pathlib.Path(hw.__file__).parent
    said = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--cache-dir", str(folder / "cache"),
                           str(package), str(examples)], capture_output=True, text=True, cwd=folder)
    assert said.returncode == 0, said.stdout + said.stderr


def test_the_page_of_every_name_is_up_to_date():
    said = subprocess.run([sys.executable, str(ROOT / "tools" / "write_python_api.py"), "--check"])
    assert said.returncode == 0, "make it again: tools/write_python_api.py"

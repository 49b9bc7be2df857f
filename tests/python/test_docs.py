"""Every example of docs/python.md runs, and the package is typed."""

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
    examples = tmp_path / "examples.py"
    blocks = (ROOT / "docs" / "python.md").read_text().split("```python\n")[1:]
    examples.write_text("\n".join(block.split("```")[0] for block in blocks[:1] + blocks[2:]))
    package = pathlib.Path(hw.__file__).parent
    said = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"),
                           "--ignore-missing-imports",
                           str(package), str(examples)], capture_output=True, text=True, cwd=tmp_path)
    assert said.returncode == 0, said.stdout + said.stderr


def test_the_page_of_every_name_is_up_to_date():
    said = subprocess.run([sys.executable, str(ROOT / "tools" / "write_python_api.py"), "--check"])
    assert said.returncode == 0, "make it again: tools/write_python_api.py"

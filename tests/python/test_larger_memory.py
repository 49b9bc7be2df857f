"""What a plan says of memory is what the program takes: its largest resident size, loading and packing included."""

import json
import os
import subprocess
import sys

import headwater as hw
import pytest
from conftest import ROOT
from larger import text_of, write_bert

# In an interpreter of its own, which is smaller than the program: what a child takes counts from its parent's size.
MEASURE = """
import os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), used.ru_maxrss)
"""


def largest_size(program, *arguments):
    """Bytes, by the kernel's own count (VmHWM)."""
    said = subprocess.run([sys.executable, "-I", "-S", "-c", MEASURE, program, *arguments], capture_output=True, text=True, check=True)
    code, kilobytes = said.stdout.split("\n")[-2].split()
    assert code == "0", said.stderr
    return int(kilobytes) * 1024


def planned(program, *arguments):
    said = subprocess.run([program, *arguments, "--dry-run", "--format", "json"], capture_output=True, text=True, check=True)
    return json.loads(said.stdout)["peak_bytes"]


@pytest.fixture(scope="module")
def larger(tmp_path_factory):
    folder = tmp_path_factory.mktemp("memory")
    return str(folder), write_bert(folder, layers=12, width=640, heads=10, inner=2560)


SHIPPED = ["explain", "-m", str(ROOT / "models" / "sentiment")]


@pytest.mark.parametrize("more", [["--method", "attn_lrp"], ["--method", "integrated_gradients"],
                                  ["--method", "value_zeroing", "--aggregate", "rollout"]], ids=lambda more: more[1])
def test_a_shipped_model_takes_what_is_planned(program, tmp_path, more):
    asked = [*SHIPPED, *more, "The plot is thin, but the actors are so good that you will not mind at all."]
    plan, found = planned(program, *asked), largest_size(program, *asked, "-o", str(tmp_path / "out.json"))
    assert plan / 1.3 < found < plan * 1.3, f"{found / 1e6:.1f} MB, planned {plan / 1e6:.1f} MB"


def test_the_picture_model_takes_what_is_planned(program, tmp_path):
    asked = ["explain", "-m", str(ROOT / "models" / "vision"), "--image", str(ROOT / "docs" / "pets.jpg")]
    plan, found = planned(program, *asked), largest_size(program, *asked, "-o", str(tmp_path / "out.json"))
    assert plan / 1.3 < found < plan * 1.3, f"{found / 1e6:.1f} MB, planned {plan / 1e6:.1f} MB"


@pytest.mark.parametrize("tokens", [20, 150])
def test_a_larger_model_takes_what_is_planned_and_its_weights_once(program, larger, tmp_path, tokens):
    folder, numbers = larger
    asked = ["explain", "-m", folder, "--method", "saliency", text_of(tokens)]
    plan, found = planned(program, *asked), largest_size(program, *asked, "-o", str(tmp_path / "out.json"))
    assert plan / 1.3 < found < plan * 1.3, f"{found / 1e6:.1f} MB, planned {plan / 1e6:.1f} MB"
    assert found < 2 * 4 * numbers, "not the file, what was read of it and the packed matrices at a time"


def test_a_process_that_goes_on_holds_the_weights_once(larger):
    """As a server does: what loading took on top is given back."""
    folder, numbers = larger
    code = f"import headwater as hw\nm = hw.load({folder!r})\nm.record\nm.predict('w5 w6')\nprint(open('/proc/self/status').read())"
    status = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ).stdout
    resident = int(status.split("VmRSS:")[1].split()[0]) * 1024
    assert resident < 1.15 * 4 * numbers + 90e6, f"{resident / 1e6:.0f} MB for {4 * numbers / 1e6:.0f} MB of weights"
    assert hw.threads() > 0

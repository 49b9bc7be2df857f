#!/usr/bin/env python3
"""Compares the *.json of two folders of method goldens: same structure and words, numbers within 1e-9.

    compare_goldens.py COMMITTED REMADE
"""
import json
import math
import sys
from pathlib import Path

TOLERANCE = 1e-9  # absolute below one, relative above


def differences(a, b, where=""):
    """Yields (where, a, b) for every leaf that differs."""
    if isinstance(a, dict) and isinstance(b, dict):
        if a.keys() != b.keys():
            yield where, sorted(a), sorted(b)
            return
        for key in a:
            yield from differences(a[key], b[key], f"{where}.{key}")
    elif isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            yield where, f"{len(a)} elements", f"{len(b)} elements"
            return
        for i, (x, y) in enumerate(zip(a, b)):
            yield from differences(x, y, f"{where}[{i}]")
    elif isinstance(a, (int, float)) and isinstance(b, (int, float)):
        same = math.isnan(a) and math.isnan(b) or abs(a - b) <= TOLERANCE * max(1.0, abs(a))
        if not same:
            yield where, a, b
    elif a != b:
        yield where, a, b


def main():
    committed, remade = Path(sys.argv[1]), Path(sys.argv[2])
    failed = False
    for path in sorted(committed.glob("*.json")):
        found = list(differences(json.loads(path.read_text()), json.loads((remade / path.name).read_text())))
        print(f"{path.name}: {len(found)} values differ" if found else f"{path.name}: equal")
        for where, a, b in found[:5]:
            print(f"  {where}: committed {a}, remade {b}")
        failed |= bool(found)
    sys.exit(failed)


if __name__ == "__main__":
    main()

"""Reads what `headwater explain` wrote with the libraries its users read it with, and compares the formats.

    headwater explain -m sentiment "not bad at all" -o a.npz      (likewise a.safetensors, a.json)
    python tools/check_arrays.py a.npz a.safetensors a.json

Needs numpy and safetensors; not part of `make test`, which checks the bytes itself.
"""

import json
import sys

import numpy as np
from safetensors import safe_open


def main(npz, tensors, text):
    arrays = np.load(npz, allow_pickle=False)
    report = json.load(open(text, encoding="utf-8"))
    assert json.loads(arrays["record"].item())["record"]["weights_sha256"] == report["record"]["weights_sha256"]
    with safe_open(tensors, "np") as file:
        assert json.loads(file.metadata()["record"])["schema"] == report["schema"]
        for name in file.keys():
            np.testing.assert_array_equal(file.get_tensor(name), arrays[name], err_msg=name)
        names = set(file.keys())
    assert set(arrays.files) - names <= {"tokens", "record"}
    for attribution in report["attributions"]:
        found = arrays[attribution["method"]]
        expected = np.array(attribution["scores"], dtype=float).astype(found.dtype)  # null becomes NaN
        np.testing.assert_array_equal(found, expected, err_msg=attribution["method"])
    if report["tokens"]:
        assert list(arrays["tokens"]) == [token["text"] for token in report["tokens"]]
        assert arrays["offsets"].tolist() == [[token["begin"], token["end"]] for token in report["tokens"]]
    print("equal:", ", ".join(sorted(arrays.files)))


if __name__ == "__main__":
    main(*sys.argv[1:])

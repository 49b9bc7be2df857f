"""Explains every token that a model writes (--generate alone), and each of them by --position: the rows must be the
same. The arguments are those of headwater explain, the text last."""

import json
import subprocess
import sys

METHODS = ["saliency", "attn_lrp"]


def explained(*more):
    command = ["headwater", "explain", "--dtype", "float64", "--format", "json", "--generate", "3", *sys.argv[1:-1], *more]
    return json.loads(subprocess.run([*command, sys.argv[-1]], capture_output=True, check=True).stdout)


def generated(result):
    return next((detail["values"] for detail in result.get("details", []) if detail["name"] == "generated"), [])


def main():
    whole = explained("--method", ",".join([*METHODS, "attention"]))
    tokens = whole["tokens"]
    start = next((s["first"] for s in whole.get("sequences", []) if s["name"] == "prefix"), 0)
    same = []
    for method, result in zip(METHODS, whole["attributions"]):
        rows = generated(result)
        for i, row in enumerate(rows):
            at = len(tokens) - len(rows) + i
            one = explained("--method", method, "--position", str(at - start - 1), "--target", f"#{tokens[at]['id']}")
            scores = one["attributions"][0]["scores"]
            same.append(all(abs(a - b) < 1e-9 for a, b in zip(row[:at], scores) if a is not None)
                        and any(row[:at]) and row[at:] == [None] * (len(tokens) - at))
    print(len(same), all(same), generated(whole["attributions"][2]))


if __name__ == "__main__":
    main()

"""What /v1/plan says of time."""

import time

from client import TEXT, expect


def check_estimates(server):
    """A dear method's time is said before it ever ran; a trial is short, made once, and about right."""
    dear = {"name": "kernel_shap", "options": {"samples": "2500"}}
    begin = time.monotonic()
    said = server.post("/v1/plan", {"text": TEXT, "methods": [dear]}).json()["data"][0]
    first = time.monotonic() - begin
    expect(said["basis"] == "estimated" and said["seconds"] > 0.3, f"an estimate before the first run, found {said}")
    expect(first < max(5, said["seconds"] / 2), f"a short trial, found one of {first:.1f} s")
    again = server.post("/v1/plan", {"text": TEXT, "methods": [dear]}).json()["data"][0]
    expect(again == said, "the trial to be made once")
    two = server.post("/v1/plan", {"text": TEXT, "methods": [dear], "targets": [{"label": "POSITIVE"}, {"label": "NEGATIVE"}]})
    expect(two.json()["data"][0]["seconds"] == 2 * said["seconds"], "twice as long for two targets")
    ran = server.post("/v1/explain", {"text": TEXT, "methods": [dear]}, timeout=600).json()["attributions"][0]["seconds"]
    expect(said["seconds"] / 8 < ran < 8 * said["seconds"], f"about {said['seconds']:.1f} s, found {ran:.1f} s")
    then = server.post("/v1/plan", {"text": TEXT, "methods": [dear]}).json()["data"][0]
    expect(then["basis"] == "measured" and abs(then["seconds"] - ran) < 1e-9, "what it took, once it ran")
    long = server.post("/v1/plan", {"text": "not bad " * 200, "methods": [dear, "attention"], "truncate": True}).json()["data"]
    expect(long[0]["basis"] == "estimated" and long[0]["seconds"] > said["seconds"] / 8, "a trial of its own for a longer text")
    expect(long[1]["seconds"] is not None, "every method's time")
    print(f"estimated {said['seconds']:.1f} s by a trial of {first:.2f} s, took {ran:.1f} s")

"""`headwater serve`: every address, every limit, every rule of access, over real connections."""

import argparse
import base64
import io
import json
import math
import pathlib
import re
import socket
import struct
import subprocess
import sys
import threading
import time
import zipfile
import zlib

from client import ROOT, TEXT, Server, events, expect, page_document
from estimates import check_estimates
from strain import STRAIN

# Minutes of work, told step by step.
LONG = {"text": TEXT, "methods": [{"name": "smooth_grad", "options": {"samples": 100000}}], "async": True}


def expect_error(reply, code, words="", kind=None):
    expect(reply.status == code, f"{code}, found {reply.status}: {reply.body[:300]}")
    error = reply.json()["error"]
    expect(error["code"] == code and isinstance(error["message"], str), f"an error body, found {error}")
    expect(words in error["message"], f"“{words}” in {error['message']}")
    expect(kind is None or error["type"] == kind, f"type {kind}, found {error['type']}")


def png(width, height):
    """A picture of stripes."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes((x * 7 + y * 3) % 256 for x in range(width) for _ in range(3)) for y in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


# What is served.

def check_looking(server):
    expect(re.fullmatch(r"headwater serves sentiment, vision at http://127\.0\.0\.1:\d+/\n", server.said), "one line with the address")
    for path in ("/health", "/v1/health"):
        expect(server.get(path).json() == {"status": "ok"}, "health")
    models = {model["id"]: model for model in server.get("/v1/models").json()["data"]}
    expect(models["sentiment"]["input"] == "text" and models["sentiment"]["mask"] == "[MASK]", "a text model")
    expect(models["vision"]["input"] == "image" and models["vision"]["mask"] is None, "an image model")
    expect(all(model["loaded"] and model["default_methods"] and model["examples"] for model in models.values()), "examples")
    expect(models["sentiment"]["labels"] == ["NEGATIVE", "POSITIVE"], "labels")
    names = [method["name"] for method in server.get("/v1/methods").json()["data"]]
    expect(names == sorted(names) and "value_zeroing" in names, "the methods")
    expect("comprehensiveness" in [m["name"] for m in server.get("/v1/evaluations").json()["data"]], "the metrics")
    page = server.get("/", headers={"Accept": "text/html"})
    expect(page.status == 200 and page.headers["Content-Type"] == "text/html; charset=utf-8", "the page")
    expect(server.request("HEAD", "/health").body == b"", "no body for HEAD")
    expect_error(server.get("/metrics"), 404)
    for example in models["sentiment"]["examples"]:  # each suits its model
        asked = {"text": example["text"], "methods": example["methods"],
                 "targets": [{key: example[key] for key in ("contrast",) if key in example} | {"label": example.get("target", "")}]}
        expect(server.post("/v1/explain", asked).status == 200, f"{example['title']} to be explained")


def check_openapi(server):
    found = server.get("/openapi.json")
    document = found.json()
    names = [method["name"] for method in server.get("/v1/methods").json()["data"]]
    expect(document["components"]["schemas"]["Method"]["anyOf"][0]["enum"] == names, "every method as a choice")
    for path, item in document["paths"].items():
        for method in set(item) - {"parameters"}:
            reply = server.request(method.upper(), path.replace("{id}", "0" * 32).replace("{index}", "0").replace("{layer}", "0"),
                                   {} if method == "post" else None)
            expect(reply.status != 405, f"{method} {path} to be answered")
            expect(str(reply.status) in item[method]["responses"], f"{reply.status} of {method} {path} to be described")


def check_computing(server):
    tokens = server.post("/v1/tokenize", {"model": "sentiment", "text": "not bad"}).json()["tokens"]
    expect([t["text"] for t in tokens] == ["[CLS]", "not", "bad", "[SEP]"], "the tokens")
    predicted = server.post("/v1/predict", {"text": "not bad"}).json()
    expect(predicted["label"] == "POSITIVE" and len(predicted["tokens"]) == 4, "a prediction")
    total = sum(score["probability"] for score in predicted["scores"])
    expect(abs(total - 1) < 1e-9, "probabilities that sum to 1")
    plan = {"text": "not bad", "methods": ["attention", {"name": "attention", "aggregate": "rollout"}, "occlusion"]}
    server.post("/v1/explain", {"text": "not bad", "methods": ["attention"]})
    planned = server.post("/v1/plan", plan).json()["data"]
    expect([p["method"] for p in planned] == ["attention", "attention_rollout", "occlusion"], "the plan's methods")
    expect(all(p["bytes"] > 0 and p["seconds"] > 0 and p["basis"] == "measured" for p in planned),
           f"bytes and times of what has run, and of what a trial ran to its end; found {planned}")
    hurried = server.post("/v1/explain", {"text": TEXT, "methods": ["integrated_gradients", "saliency"], "budget": 1e-9}).json()
    first = hurried["attributions"][0]
    expect(first["options"]["max_steps"] == "7" and "--option max_steps=7" in hurried["record"]["command"], "a budget that names its nodes")
    expect(hurried["attributions"][1]["method"] == "saliency", "results where they were asked for")
    expect_error(server.post("/v1/explain", {"text": TEXT, "budget": -1}), 400)
    tree = server.post("/v1/tree", {"text": TEXT, "tau": 0.4, "lambda": 0.01}).json()
    expect(tree["schema"] == "headwater.tree/1" and "headwater tree -m sentiment" in json.dumps(tree), "a tree")
    table = server.post("/v1/evaluate", {"examples": [{"text": "not bad", "label": "POSITIVE"}, {"text": "dull", "label": 0}],
                                         "methods": ["occlusion"], "metrics": ["comprehensiveness"], "resamples": 50}).json()
    expect("comprehensiveness" in json.dumps(table), "a table")
    picture = base64.b64encode(png(40, 30)).decode()
    for image in (picture, "data:image/png;base64," + picture):
        seen = server.post("/v1/predict", {"model": "vision", "image": image})
        expect(seen.status == 200 and seen.json()["task"] == "image-classification", "a picture to be read")
    shown = server.post("/v1/explain", {"model": "vision", "image": picture, "methods": ["chefer"],
                                        "targets": [{"label": "cat"}, {"label": "dog"}]},
                        headers={"Accept": "application/vnd.headwater.page"})
    document, _ = page_document(shown.body)
    expect(document["picture"].startswith("data:image/png;base64,") and len(document["others"]) == 1, "two classes of one picture")
    expect("/proc/" not in json.dumps(document) and document["input"]["image"] == "picture.png", "no place of the server's")


def check_forms(server):
    asked = {"text": "not bad", "methods": ["attention", "integrated_gradients"]}

    def reply(accept, body=None):
        return server.post("/v1/explain", body or asked, headers={"Accept": accept})

    plain = reply("application/json")
    report = plain.json()
    expect(plain.headers["Content-Type"] == "application/json" and report["schema"] == "headwater.report/1", "JSON")
    document, blobs = page_document(reply("application/vnd.headwater.page").body)
    for one, other in zip(report["attributions"], document["attributions"]):
        flat = [cell for cell in flattened(one["scores"])]
        expect(len(flat) == math.prod(other["shape"]), "a cell for each")
        expect(all(abs(a - b) <= 1e-6 * max(1, abs(a)) for a, b in zip(flat, blobs[other["scores"]])), "the same numbers in both forms")
    expect(document["record"]["python"].startswith("import headwater as hw\n") and "headwater explain" in document["record"]["command"],
           "the lines that repeat the run")
    names = zipfile.ZipFile(io.BytesIO(reply("application/x-npz").body)).namelist()
    expect("attention.npy" in names, f"arrays, found {names}")
    tensors = reply("application/vnd.safetensors").body
    expect("attention" in json.loads(tensors[8:8 + struct.unpack("<Q", tensors[:8])[0]]), "tensors")
    expect(reply("text/html").body.startswith(b"<!doctype html>"), "a report")
    expect(reply("text/html, */*;q=0.1").headers["Content-Type"].startswith("text/html"), "the preferred form")
    expect_error(reply("image/webp"), 406)
    two = {**asked, "targets": [{"label": "POSITIVE"}, {"label": "NEGATIVE"}]}
    expect([r["target"]["label"] for r in reply("application/json", two).json()["reports"]] == ["POSITIVE", "NEGATIVE"], "a report per target")
    expect_error(reply("application/x-npz", two), 400, "one target")
    words = reply("application/json", {**asked, "view": {"unit": "word", "special": "drop"}}).json()
    expect([t["text"] for t in words["tokens"]] == ["not", "bad"], "words")


def flattened(values):
    for value in values:
        if isinstance(value, list):
            yield from flattened(value)
        else:
            yield value


# Jobs.

def check_jobs(server):
    asked = {"text": TEXT, "methods": ["attention", "occlusion", "value_zeroing"], "async": True}
    accepted = server.post("/v1/explain", asked)
    expect(accepted.status == 202, "202")
    identity = accepted.json()["id"]
    told = events(server.get(f"/v1/jobs/{identity}/events").body.decode())
    ended = [data["method"] for name, data in told if name == "attribution"]
    expect(ended == asked["methods"], f"each method when it has finished, found {told}")
    expect(told[-1][0] == "done", "an end")
    expect(server.job(identity)["status"] == "done", "done")
    document, _ = page_document(server.get(f"/v1/jobs/{identity}/result", headers={"Accept": "application/vnd.headwater.page"}).body)
    expect([a["method"] for a in document["attributions"]] == asked["methods"], "the result")
    expect(server.request("DELETE", f"/v1/jobs/{identity}").status == 200, "a finished job to be forgotten")
    expect_error(server.get(f"/v1/jobs/{identity}/result"), 404)
    failed = server.post("/v1/explain", {"text": "x", "targets": [{"label": "NEITHER"}], "async": True}).json()["id"]
    state = server.until(failed, "failed")
    expect(state["error"]["code"] == 400, f"why it failed, found {state}")
    expect(events(server.get(f"/v1/jobs/{failed}/events").body.decode())[-1][0] == "failed", "the failure as an event")


def check_partial(server):
    slow = {**LONG, "methods": ["attention", *LONG["methods"]]}
    identity = server.post("/v1/explain", slow).json()["id"]
    server.until(identity, "running")
    while "smooth_grad" not in json.dumps(server.job(identity)):
        time.sleep(0.02)
    document, _ = page_document(server.get(f"/v1/jobs/{identity}/result", headers={"Accept": "application/vnd.headwater.page"}).body)
    expect([a["method"] for a in document["attributions"]] == ["attention"], "what has finished, while the rest runs")
    server.request("DELETE", f"/v1/jobs/{identity}")
    server.until(identity, "cancelled")
    expect_error(server.get(f"/v1/jobs/{identity}/result"), 409, "cancelled")


def following(server, identity, word):
    """A thread that follows a job, and what it was told, once `word` was."""
    followed = []
    follower = threading.Thread(target=server.follow, args=(identity, followed))
    follower.start()
    while not any(word in line for line in followed):
        expect(follower.is_alive(), f"{word} to be told, found {followed}")
        time.sleep(0.01)
    return follower, followed


def check_layers_on_the_way(server):
    slow = {"text": TEXT, "methods": [{"name": "attattr", "options": {"rule": "right", "steps": 1500}}], "async": True}
    identity = server.post("/v1/explain", slow).json()["id"]
    follower, _ = following(server, identity, "event: layers")
    found = server.get(f"/v1/jobs/{identity}/result").json()["attributions"][0]
    follower.join()
    whole = server.get(f"/v1/jobs/{identity}/result").json()["attributions"][0]
    expect("unfinished" not in whole, "a whole result in the end")
    if "unfinished" in found:  # it may have ended meanwhile
        there = [layer[0][0][0] is not None for layer in found["scores"]]
        expect(any(there) and not all(there), f"some layers, found {there}")
        for now, later, is_there in zip(found["scores"], whole["scores"], there):
            expect(now == later if is_there else not any(v is not None for v in flattened(now)), "the layers of the whole, or nothing")


def check_cancel(server):
    identity = server.post("/v1/explain", LONG).json()["id"]
    server.until(identity, "running")
    follower, followed = following(server, identity, "progress")
    waiting = server.post("/v1/explain", LONG).json()
    expect(waiting["status"] == "queued" and waiting["queue"] == 1, f"a place in the queue, found {waiting}")
    expect(server.request("DELETE", f"/v1/jobs/{waiting['id']}").json()["status"] == "cancelled", "a waiting job to end at once")
    begin = time.monotonic()
    server.request("DELETE", f"/v1/jobs/{identity}")
    server.until(identity, "cancelled")
    expect(server.post("/v1/predict", {"text": "not bad"}).status == 200, "the worker to be free")
    expect(time.monotonic() - begin < 10, "that within seconds")
    follower.join(10)
    expect(events("".join(followed))[-1][0] == "cancelled", f"the follower to hear of it, found {followed}")


def check_client_that_leaves(server):
    body = json.dumps({**LONG, "async": False}).encode()
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(b"POST /v1/explain HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                           + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        time.sleep(0.5)
    begin = time.monotonic()
    expect(server.post("/v1/predict", {"text": "not bad"}).status == 200, "an answer")
    expect(time.monotonic() - begin < 10, "the work of a client that left to stop")


def check_limits(program):
    with Server(program, "-m", str(ROOT / "models/sentiment"), "--queue", "1", "--max-body", "1", "--max-tokens", "32",
                "--store", "1", "--metrics", "--max-memory", "128M") as server:
        running = server.post("/v1/explain", LONG).json()["id"]
        server.until(running, "running")
        waiting = server.post("/v1/explain", LONG)
        expect(waiting.status == 202, "one to wait")
        full = server.post("/v1/explain", LONG)
        expect_error(full, 429, "waiting jobs", "overloaded")
        expect(int(full.headers["Retry-After"]) >= 1, "when to try again")
        for identity in (waiting.json()["id"], running):
            server.request("DELETE", f"/v1/jobs/{identity}")
            server.until(identity, "cancelled")
        expect_error(server.post("/v1/predict", {"text": "word " * 40}), 400, "at most 32 tokens")
        expect_error(server.post("/v1/predict", {"text": "word " * 1000}), 400, "bytes")
        expect_error(server.post("/v1/predict", {"text": "x" * (2 << 20)}), 413, "bytes")
        expect_error(server.post("/v1/explain", {"text": "word " * 25, "methods": [{"name": "smooth_grad", "options": {"samples": 1}}] * 40}), 400, "entries")
        expect_error(server.post("/v1/explain", {"text": TEXT, "methods": [{"name": "lime", "options": {"samples": 1000000}}]}), 400, "memory")
        first = server.post("/v1/explain", {"text": "word " * 25, "methods": ["attention"]}).headers["Headwater-Job"]
        for _ in range(20):
            server.post("/v1/explain", {"text": "word " * 25, "methods": ["attention"]})
        expect_error(server.get(f"/v1/jobs/{first}"), 404, "kept")
        figures = dict(line.rsplit(" ", 1) for line in server.get("/metrics").body.decode().splitlines() if not line.startswith("#"))
        expect(float(figures["headwater_store_bytes"]) <= 1 << 20, "the store to keep within its bytes")
        expect(float(figures['headwater_jobs_total{status="refused"}']) == 1, "refusals to be counted")
    # Alone, so that a busy machine does not end by it what the others wait for.
    with Server(program, "-m", str(ROOT / "models/sentiment"), "--time-limit", "1") as server:
        running = server.post("/v1/explain", LONG).json()["id"]
        expect(server.until(running, "failed")["error"]["type"] == "limit_exceeded", "an end to what takes too long")
        expect_error(server.get(f"/v1/jobs/{running}/result"), 422, "time")


def check_inputs(server):
    def bad(body, words="", code=400):
        expect_error(server.post("/v1/explain", body), code, words)

    bad("{", "body")
    bad("[]", "an object")
    bad('{"text": "a", "text": "b"}', "body")
    bad(b'{"text": "\xff"}', "body")
    bad("[" * 5000, "body")
    bad({"text": 1}, "text: expected a text, found a number")
    bad({"text": "x", "path": "/etc/passwd"}, "the fields")
    bad({"text": "x", "methods": ["no_such_method"]})
    bad({"text": "x", "methods": "attention"}, "a list")
    bad({"text": "x", "methods": [{"name": "attention", "options": {"heads": ["all"]}}]})
    bad({"text": "x", "targets": [{"label": True}]})
    bad({"text": "x", "generate": 1.5}, "whole number")
    bad({"text": "x", "view": {"unit": "sentence"}}, "token, word")
    bad({"text": ""})
    bad({"model": "other", "text": "x"}, "sentiment, vision", 404)
    for path in ("/etc/passwd", "../models/vision", str(ROOT / "models/sentiment")):
        bad({"model": path, "text": "x"}, "model", 404)
    vision = {"model": "vision", "methods": ["chefer"]}
    for image in ("/etc/passwd", "docs/pets.jpg", "file:///etc/passwd", "http://127.0.0.1/x.png", "data:image/png,x",
                  base64.b64encode(b"no picture").decode()):
        bad({**vision, "image": image}, "image")
    huge = png(1, 1)[:16] + struct.pack(">II", 60000, 60000) + png(1, 1)[24:]
    bad({**vision, "image": base64.b64encode(huge).decode()}, "pixels")
    broken = png(40, 30)[:200]
    reply = server.post("/v1/predict", {**{"model": "vision"}, "image": base64.b64encode(broken).decode()})
    expect(reply.status in (400, 422) and "/proc" not in reply.body.decode(), f"a broken picture to be refused, found {reply.body}")
    bad({"model": "sentiment", "image": base64.b64encode(png(40, 30)).decode()})
    bad({**vision, "text": "x"})


# Who may ask.

def check_access(server):
    for host in ("evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example", "0.0.0.0", "[::2]"):
        expect_error(server.get("/v1/models", headers={"Host": host}), 403, "Host", "forbidden")
    for host in ("localhost", f"localhost:{server.port}", "127.0.0.1", "[::1]", "LOCALHOST"):
        expect(server.get("/v1/models", headers={"Host": host}).status == 200, f"{host} to be let in")
    expect(b" 400 " in server.raw(b"GET /health HTTP/1.1\r\n\r\n").splitlines()[0], "a Host to be needed")
    own = f"http://127.0.0.1:{server.port}"
    for origin in ("http://evil.example", "null", "http://127.0.0.1:1", f"https://127.0.0.1:{server.port}"):
        expect_error(server.get("/v1/models", headers={"Origin": origin}), 403, "Origin")
        expect_error(server.post("/v1/predict", {"text": "x"}, headers={"Origin": origin}), 403, "Origin")
        expect_error(server.request("OPTIONS", "/v1/predict", headers={"Origin": origin}), 403, "Origin")
    same = server.post("/v1/predict", {"text": "x"}, headers={"Origin": own})
    expect(same.status == 200 and "Access-Control-Allow-Origin" not in same.headers, "the page's own requests")
    expect_error(server.get("/v1/models", headers={"Sec-Fetch-Site": "cross-site"}), 403)
    expect(server.get("/", headers={"Sec-Fetch-Site": "cross-site"}).status == 200, "a link to the page")
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        expect_error(server.post("/v1/predict", '{"text": "x"}', headers={"Content-Type": kind}), 415, "Content-Type")
    packed = zlib.compress(b'{"text": "' + b"x" * 1000000 + b'"}')
    expect_error(server.post("/v1/predict", packed, headers={"Content-Encoding": "deflate"}), 415, "Content-Encoding")
    expect_error(server.get("/v1/nothing"), 404)
    wrong = server.post("/v1/models", {})
    expect_error(wrong, 405)
    expect(wrong.headers["Allow"] == "GET", "what is allowed")
    for path in ("/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/v1/jobs/..%2f..%2fx"):
        expect(server.get(path).status in (400, 404), f"{path} to be nothing")


def check_headers(server):
    for reply in (server.get("/health"), server.get("/v1/nothing"), server.get("/"), server.post("/v1/predict", "{"),
                  server.get("/health", headers={"Host": "evil.example"})):
        expect(reply.headers["X-Content-Type-Options"] == "nosniff", "nosniff")
        expect(reply.headers["X-Frame-Options"] == "DENY", "no frame")
        expect(reply.headers["Referrer-Policy"] == "no-referrer", "no referrer")
        expect(reply.headers["Cross-Origin-Resource-Policy"] == "same-origin", "no use by others")
        policy = reply.headers["Content-Security-Policy"]
        expect("default-src 'none'" in policy and "frame-ancestors 'none'" in policy, f"a policy, found {policy}")
        expect("unsafe" not in policy and "http" not in policy and "*" not in policy, f"a strict policy, found {policy}")
    expect(server.get("/v1/models").headers["Cache-Control"] == "no-store", "nothing to be kept")
    small = server.get("/v1/methods", headers={"Accept-Encoding": "gzip, br", "Range": "bytes=0-1,0-1,0-1"})
    expect(small.status == 200 and "Content-Encoding" not in small.headers and small.json()["data"], "whole answers as they are")


def check_key(program):
    refused = subprocess.run([program, "serve", "--port", "0", "--host", "0.0.0.0"], capture_output=True, text=True, timeout=60)
    expect(refused.returncode == 2 and "API key" in refused.stderr, f"no start without a key, found {refused}")
    with Server(program, "-m", "sentiment", "--host", "0.0.0.0", "--allow-host", "box.example", "--cors-origins", "https://site.example",
                key="s3cret-s3cret-s3cret") as server:
        for headers in ({"X-API-Key": ""}, {"X-API-Key": "s3cret-s3cret-s3cre"}, {"X-API-Key": "s3cret-s3cret-s3cretx"}, {"X-API-Key": "", "Authorization": "Bearer no"}):
            for path in ("/v1/models", "/openapi.json", "/v1/jobs/0"):
                expect_error(server.get(path, headers=headers), 401, "key", "authentication_error")
            expect_error(server.post("/v1/predict", {"text": "x"}, headers=headers), 401)
        expect(server.get("/v1/models").status == 200, "the key to open")
        expect(server.get("/v1/models", headers={"X-API-Key": "", "Authorization": "Bearer s3cret-s3cret-s3cret"}).status == 200, "a bearer to open")
        for path in ("/health", "/v1/health", "/"):
            expect(server.get(path, headers={"X-API-Key": ""}).status == 200, f"{path} to be open")
        expect(server.get("/v1/models", headers={"Host": "box.example"}).status == 200, "a name that was allowed")
        expect(server.get("/v1/models", headers={"Host": "192.168.7.7:80"}).status == 200, "an address of all")
        expect_error(server.get("/v1/models", headers={"Host": "evil.example"}), 403)
        site = {"Origin": "https://site.example"}
        before = server.request("OPTIONS", "/v1/predict", headers={**site, "X-API-Key": ""})
        expect(before.status == 204 and before.headers["Access-Control-Allow-Origin"] == site["Origin"], "a site that was allowed")
        expect(server.post("/v1/predict", {"text": "x"}, headers=site).headers["Access-Control-Allow-Origin"] == site["Origin"], "its requests")
        expect_error(server.post("/v1/predict", {"text": "x"}, headers={"Origin": "https://other.example"}), 403)
        expect("s3cret-s3cret-s3cret" not in server.said, "no key in what it says")


# What is no request.

def check_malformed(server):
    def first_line(data):
        answer = server.raw(data)
        return answer.splitlines()[0] if answer else b"closed"

    head = b"POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    for data in (b"\r\n\r\n", b"nonsense\r\n\r\n", b"GET /health\r\n\r\n", b"GET /health HTTP/9.9\r\nHost: localhost\r\n\r\n", b"\0" * 64 + b"\r\n\r\n",
                 b"GET /" + b"a" * 20000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
                 b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 40000 + b"\r\n\r\n",
                 b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x11" * 200 + b"\r\n\r\n",
                 head + b"Content-Length: ten\r\n\r\n{}", head + b"Content-Length: -1\r\n\r\n{}",
                 head + b"Content-Length: 99999999999999999999\r\n\r\n{}",
                 head + b"Content-Length: 2\r\nContent-Length: 4\r\n\r\n{}  ",
                 head + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
                 head + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n"):
        line = first_line(data)
        expect(line == b"closed" or re.match(rb"HTTP/1\.1 4\d\d ", line), f"{data[:60]} to be refused, found {line}")
    # A body that nobody read is not the next request.
    answer = server.raw(b"GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 45\r\n\r\n"
                        b"GET /v1/methods HTTP/1.1\r\nHost: localhost\r\n\r\n")
    expect(answer.count(b"HTTP/1.1 ") == 1, "one answer to one request")
    endless = socket.create_connection(("127.0.0.1", server.port), timeout=20)
    try:  # a head without an end is cut off
        endless.sendall(b"GET /health HTTP/1.1\r\n")
        for _ in range(1 << 16):
            endless.sendall(b"X-Filling: " + b"z" * 1000 + b"\r\n")
        raise AssertionError("server: expected an endless head to be cut off")
    except (ConnectionError, BrokenPipeError):
        pass
    finally:
        endless.close()
    expect(server.get("/health").status == 200, "the server to go on")


def check_slow(program):
    with Server(program, "-m", "sentiment", "--read-timeout", "1") as server:
        slow = [socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in range(60)]
        begin = time.monotonic()
        for connection in slow:
            connection.sendall(b"POST /v1/predict HTTP/1.1\r\nHost: localhost\r\n")
        expect(server.get("/health", timeout=5).status == 200, "others to be answered meanwhile")
        trickled = slow[0]
        with_end = False
        while time.monotonic() - begin < 15 and not with_end:
            try:  # a byte now and then does not keep it open
                trickled.sendall(b"X")
                time.sleep(0.2)
                trickled.setblocking(False)
                with_end = trickled.recv(100) == b"" or with_end
            except BlockingIOError:
                pass
            except ConnectionError:
                with_end = True
            finally:
                trickled.setblocking(True)
        expect(with_end, "a request that trickles in to be closed")
        for connection in slow[1:]:
            connection.settimeout(15)
            try:
                while connection.recv(1000):
                    pass
            except ConnectionError:
                pass
            connection.close()
        # Those who do not read: the answer is let go after a while, and others are served.
        deaf = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(20)]
        for connection in deaf:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50)
        expect(server.get("/health", timeout=5).status == 200, "others to be answered")
        for connection in deaf:
            connection.close()
        crowd = []
        for _ in range(200):
            crowd.append(socket.create_connection(("127.0.0.1", server.port), timeout=10))
        time.sleep(0.5)
        for connection in crowd:
            connection.close()
        end = time.monotonic() + 10
        while time.monotonic() < end:
            if server.get("/health", timeout=5).status == 200:
                break
            time.sleep(0.1)
        expect(server.get("/health").status == 200, "the server to go on after a crowd")


def check_layers(server):
    """A large map comes layer by layer, exactly."""
    asked = {"text": "good and bad " * 80, "methods": ["attention"]}
    reply = server.post("/v1/explain", asked, headers={"Accept": "application/vnd.headwater.page"})
    document, _ = page_document(reply.body)
    one = document["attributions"][0]
    layers, heads, rows, columns = one["shape"]
    expect(math.prod(one["shape"]) > 1 << 20, "a large map")
    expect("scores" not in one and one["by_layer"].startswith("/v1/jobs/"), "where the layers are")
    report = server.get(f"/v1/jobs/{reply.headers['Headwater-Job']}/result").json()["attributions"][0]["scores"]
    for layer in range(layers):
        cells = server.get(f"{one['by_layer']}/{layer}").body
        numbers = struct.unpack(f"<{heads * rows * columns}f", cells)
        expect(all(abs(a - b) < 1e-6 for a, b in zip(flattened(report[layer]), numbers)), f"the cells of layer {layer}")
    expect_error(server.get(f"{one['by_layer']}/{layers}"), 404)
    expect_error(server.get(f"{one['by_layer']}/x"), 404)


def check_same_numbers(program, server):
    """The server's report is the program's."""
    asked = {"text": TEXT, "methods": ["attn_lrp"], "targets": [{"label": "POSITIVE"}]}
    served = server.post("/v1/explain", asked).json()
    made = json.loads(subprocess.run([program, "explain", "-m", "sentiment", "--method", "attn_lrp", "--target", "POSITIVE", "--format", "json",
                                      "--", TEXT], capture_output=True, text=True, check=True).stdout)
    expect(served["attributions"][0]["scores"] == made["attributions"][0]["scores"], "the program's numbers, to the bit")
    expect(served["record"]["command"] == made["record"]["command"], "the program's command")


def check_end(program):
    with Server(program, "-m", "sentiment", "--metrics") as server:
        running = server.post("/v1/explain", {**LONG, "methods": [{"name": "smooth_grad", "options": {"samples": 400}}]}).json()["id"]
        server.until(running, "running")  # so that the one that waits below is the other
        followed, answers = [], []
        threads = [threading.Thread(target=lambda: followed.extend(events(server.get(f"/v1/jobs/{running}/events").body.decode()))),
                   threading.Thread(target=lambda: answers.append(server.post("/v1/explain", {**LONG, "async": False})))]
        for thread in threads:
            thread.start()
        while b"headwater_jobs_waiting 1" not in server.get("/metrics").body:
            time.sleep(0.01)
        expect(server.job(running)["status"] == "running", "the first to run still")
        idle = socket.create_connection(("127.0.0.1", server.port))
        code = server.stop()
        for thread in threads:
            thread.join(20)
        idle.close()
        expect(code == 0, f"exit 0, found {code}")
        expect(followed[-1][0] == "done", f"what runs to be finished, found {followed[-1:]}")
        expect_error(answers[0], 503, "shutting down")
        expect(TEXT not in server.said, "no user text in what it says")
    broken = subprocess.run([program, "serve", "--port", "0", "-m", "no-such-model"], capture_output=True, text=True, timeout=60)
    expect(broken.returncode == 2 and "no-such-model" in broken.stderr, f"a model that is not there to end it, found {broken}")
    with Server(program, "-m", "sentiment") as server:
        taken = subprocess.run([program, "serve", "--port", str(server.port)], capture_output=True, text=True, timeout=60)
        expect(taken.returncode == 2 and "--port" in taken.stderr, "a port that is taken to be said")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    program = str(pathlib.Path(parser.parse_args().program).resolve())
    with Server(program) as server:
        for check in (check_looking, check_openapi, check_computing, check_estimates, check_forms, check_layers, check_jobs, check_partial, check_layers_on_the_way, check_cancel,
                      check_client_that_leaves, check_inputs, check_access, check_headers, check_malformed):
            begin = time.monotonic()
            check(server)
            print(f"{check.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
        check_same_numbers(program, server)
        expect(server.process.poll() is None, "the server to be there still")
    for check in (check_limits, check_key, check_slow, *STRAIN, check_end):
        begin = time.monotonic()
        check(program)
        print(f"{check.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
    print("the server holds")


if __name__ == "__main__":
    sys.exit(main())

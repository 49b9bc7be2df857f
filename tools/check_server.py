#!/usr/bin/env python3
"""The server under strain: a property test over /openapi.json, and many clients at once.

    python3 tools/check_server.py --program build/release/headwater [--examples 100] [--seconds 120] [--clients 32]

The first part makes a virtual environment of its own with schemathesis from PyPI (kept in --environment if that is given),
which sends what the document allows and what it does not, to every address; no answer may be a 5xx. The second part asks
from --clients connections at once for --seconds: no request may be lost, every answer is the right one, and memory stays
flat. So it is no part of `make test`; tests/server is.
"""

import argparse
import http.client
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/server"))
from client import Server  # noqa: E402

WORDS = ("the film is not bad a dull plot but acting great fun old man and slow at first ending unforgettable cast warm story "
         "never quite works").split()

# Minutes of work, so that a cancel without effect would stop everybody else; always the same, so that the memory it takes
# does not depend on how far it comes.
LONG = {"text": "not bad", "methods": [{"name": "smooth_grad", "options": {"samples": 100000}}], "async": True}


def property_test(args, folder):
    """Every address by what the document says of it."""
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "schemathesis"], check=True)
    with Server(args.program, "--metrics", "--time-limit", "5", "--queue", "64") as server:
        before = figures(server)
        with tempfile.TemporaryDirectory() as place:
            pathlib.Path(place, "openapi.json").write_text(json.dumps(aimed(server.get("/openapi.json").json())))
            code = subprocess.run(
                [folder / "bin" / "schemathesis", "run", "openapi.json", "--url", f"http://127.0.0.1:{server.port}", "--checks",
                 "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
                 "--phases", "examples,coverage,fuzzing,stateful", "--max-examples", str(args.examples), "--request-timeout", "60",
                 "--suppress-health-check", "all", "--continue-on-failure", "--workers", "1", "--warnings", "off", "--no-color"],
                cwd=place).returncode
        replies = {code: count - before[code] for code, count in figures(server).items()}
        print(f"property test: {sum(replies.values()):.0f} replies, by hundreds {replies}, exit {code}")
        if code != 0 or replies["5xx"] > 0 or server.process.poll() is not None or server.stop() != 0:
            sys.exit("property test: expected no failure, no 5xx and a server that goes on")


def aimed(document):
    """The document with a served model and a text wherever they may stand, or chance would never find them."""
    for name, schema in document["components"]["schemas"].items():
        bodies = [schema] if name.endswith("Body") else []
        if name == "EvaluateBody":
            bodies.append(schema["properties"]["examples"]["items"])
        for body in bodies:
            if "model" in body["properties"]:
                body["properties"]["model"] = {"type": "string", "enum": ["sentiment"]}
            if "text" in body["properties"]:
                body["properties"]["text"]["minLength"] = 1
                body["required"] = sorted({*body.get("required", []), "text"})
    return document


def figures(server):
    text = server.get("/metrics").body.decode()
    lines = [line for line in text.splitlines() if line.startswith("headwater_replies_total")]
    return {line.split('"')[1]: float(line.rsplit(" ", 1)[1]) for line in lines}


class Client(threading.Thread):
    """Asks one thing after the other on one connection, and knows what must come back."""

    def __init__(self, server, number, until):
        super().__init__()
        self.server, self.until, self.random = server, until, random.Random(number)
        self.answered, self.busy, self.wrong = 0, 0, []

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=120)
        while time.monotonic() < self.until:
            try:
                self.ask(connection)
            except Exception as error:  # a lost request, whatever the reason
                self.wrong.append(repr(error))
                connection.close()

    def call(self, connection, method, path, body=None, accept="application/json"):
        """Tries again when the queue is full, as Retry-After says; every try is answered."""
        while True:
            connection.request(method, path, None if body is None else json.dumps(body),
                               {"Content-Type": "application/json", "Accept": accept})
            reply = connection.getresponse()
            data = reply.read()
            if reply.status != 429:
                self.answered += 1
                return reply.status, data
            self.busy += 1
            time.sleep(int(reply.headers["Retry-After"]) * self.random.uniform(0.2, 1))

    def ask(self, connection):
        text = " ".join(self.random.choices(WORDS, k=self.random.randint(3, 40)))
        kind = self.random.random()
        if kind < 0.3:
            status, data = self.call(connection, "POST", "/v1/predict", {"text": text})
            right = status == 200 and abs(sum(s["probability"] for s in json.loads(data)["scores"]) - 1) < 1e-6
        elif kind < 0.5:
            status, data = self.call(connection, "POST", "/v1/tokenize", {"text": text})
            right = status == 200 and [t["text"] for t in json.loads(data)["tokens"]][1:-1][0] == text.split()[0][:len(
                json.loads(data)["tokens"][1]["text"])]
        elif kind < 0.8:
            accept = self.random.choice(["application/json", "application/vnd.headwater.page", "application/x-npz"])
            status, data = self.call(connection, "POST", "/v1/explain",
                                     {"text": text, "methods": self.random.choice([["attention"], ["attn_lrp"], ["value_zeroing"]])}, accept)
            right = status == 200 and data[:1] in (b"{", b"H", b"P")
        elif kind < 0.9:
            status, data = self.call(connection, "POST", "/v1/explain", LONG)
            job = json.loads(data)["id"]
            self.call(connection, "DELETE", f"/v1/jobs/{job}")
            right = status == 202
        elif kind < 0.95:
            status, data = self.call(connection, "GET", "/v1/models")
            right = status == 200 and len(json.loads(data)["data"]) == 2
        else:
            status, data = self.call(connection, "POST", "/v1/explain", {"text": text, "methods": ["none such"]})
            right = status == 400
        if not right:
            self.wrong.append(f"{status}: {data[:200]}")


def load_test(args):
    with Server(args.program, "--metrics", "--store", "8") as server:
        first = server.post("/v1/explain", LONG).json()["id"]
        time.sleep(2)
        server.request("DELETE", f"/v1/jobs/{first}")
        before, begin = figures(server), time.monotonic()
        clients = [Client(server, number, begin + args.seconds) for number in range(args.clients)]
        for client in clients:
            client.start()
        memory = []
        while any(client.is_alive() for client in clients):
            time.sleep(1)
            memory.append(server.resident())
        for client in clients:
            client.join()
        wrong = [what for client in clients for what in client.wrong]
        answered = sum(client.answered for client in clients)
        replies = {code: count - before[code] for code, count in figures(server).items()}
        early, late = max(memory[len(memory) // 4:len(memory) // 2]), max(memory[-len(memory) // 4:])
        print(f"load: {args.clients} clients, {time.monotonic() - begin:.0f} s, {answered} requests answered, "
              f"{sum(client.busy for client in clients)} times asked to wait, {len(wrong)} lost or wrong; replies by hundreds {replies}")
        print(f"memory: {early / 1e6:.0f} MB at most in the second quarter, {late / 1e6:.0f} MB in the last, {memory[0] / 1e6:.0f} MB after a second")
        if wrong or replies["5xx"] > 0:
            sys.exit("load: expected every request to be answered rightly, found\n" + "\n".join(wrong[:10]))
        if late > early * 1.05 + 8e6:
            sys.exit("load: expected flat memory, found that it grows")
        if server.stop() != 0:
            sys.exit("load: expected exit 0")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=ROOT / "build/release/headwater")
    parser.add_argument("--environment", type=pathlib.Path)
    parser.add_argument("--examples", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--only", choices=["property", "load"])
    args = parser.parse_args()
    args.program = str(pathlib.Path(args.program).resolve())
    if args.only != "load":
        with tempfile.TemporaryDirectory() as folder:
            property_test(args, args.environment or pathlib.Path(folder))
    if args.only != "property":
        load_test(args)
    print("the server holds")


if __name__ == "__main__":
    main()

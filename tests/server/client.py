"""A running server, and what a client of it sends and reads."""

import http.client
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXT = "The plot is thin, but the actors are so good that you will not mind at all."


def expect(condition, what):
    if not condition:
        raise AssertionError(f"server: expected {what}")


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)


class Server:
    """`headwater serve` on a port of its own; what it says goes nowhere but into `said`."""

    def __init__(self, program, *options, key=None, wait=True):
        environment = {**os.environ, "HEADWATER_MODELS": str(ROOT / "models")}
        environment.pop("HEADWATER_API_KEY", None)
        if key:
            environment["HEADWATER_API_KEY"] = key
        self.key = key
        self.process = subprocess.Popen([program, "serve", "--port", "0", *options], env=environment, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.said = self.process.stdout.readline()
        self.port = int(self.said.rsplit(":", 1)[1].strip("/\n"))
        threading.Thread(target=self._listen, daemon=True).start()
        while wait and self.get("/health").status != 200:
            time.sleep(0.05)

    def _listen(self):
        for line in self.process.stdout:
            self.said += line

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def request(self, method, path, body=None, headers=None, timeout=60):
        sent = {"X-API-Key": self.key} if self.key else {}
        if body is not None:
            sent["Content-Type"] = "application/json"
            body = body if isinstance(body, (str, bytes)) else json.dumps(body)
        sent.update(headers or {})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            return Reply(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    def get(self, path, **options):
        return self.request("GET", path, **options)

    def post(self, path, body, **options):
        return self.request("POST", path, body, **options)

    def raw(self, data, timeout=10):
        """What comes back for these bytes, until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as connection:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            answer = b""
            while some := connection.recv(65536):
                answer += some
            return answer

    def follow(self, identity, heard):
        """Adds what is told of a job to `heard`, line by line as it comes, until its end."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("GET", f"/v1/jobs/{identity}/events")
            for line in connection.getresponse():
                heard.append(line.decode())
        finally:
            connection.close()

    def job(self, identity):
        return self.get(f"/v1/jobs/{identity}").json()

    def until(self, identity, *statuses, seconds=30):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            state = self.job(identity)
            if state["status"] in statuses:
                return state
            time.sleep(0.02)
        raise AssertionError(f"job: expected {statuses}, found {state}")

    def _status(self, name):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1])
        raise AssertionError(f"no {name}")

    def resident(self):
        """Bytes of memory the process has."""
        return self._status("VmRSS") * 1024

    def peak(self):
        """The most it had since it was started."""
        return self._status("VmHWM") * 1024

    def stop(self, seconds=60):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(seconds)


def events(text):
    """[(name, data)] of server-sent events."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line and not line.startswith(":"))
        if "event" in fields:
            found.append((fields["event"], json.loads(fields["data"])))
    return found


def page_document(frame):
    """The JSON and the numbers of application/vnd.headwater.page."""
    assert frame[:4] == b"HWP1", frame[:4]
    length = struct.unpack("<I", frame[4:8])[0]
    document = json.loads(frame[8:8 + length])
    begin = (8 + length + 7) // 8 * 8
    blobs = {}
    for name, place in document["blobs"].items():
        data = frame[begin + place["offset"]:begin + place["offset"] + place["bytes"]]
        assert place["format"] == "f32" and place["offset"] % 8 == 0 and len(data) == place["bytes"], place
        blobs[name] = struct.unpack(f"<{len(data) // 4}f", data)
    return document, blobs

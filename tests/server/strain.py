"""What many connections and long bodies may cost: memory that is bounded and given back, and nobody shut out for long."""

import contextlib
import os
import socket
import subprocess
import tempfile
import threading
import time

from client import Server, expect

HEAD = "POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def check_bodies_of_many_values(program):
    with Server(program, "-m", "sentiment") as server:
        server.post("/v1/predict", {"text": "x"})
        before = server.resident()
        for value in ("[]", "{}", "0"):
            body = '{"text": [' + ",".join([value] * ((30 << 20) // 3)) + "]}"
            begin = time.monotonic()
            reply = server.post("/v1/predict", body)
            expect(reply.status == 400 and "fewer values" in reply.json()["error"]["message"], f"a refusal, found {reply.body[:200]}")
            expect(time.monotonic() - begin < 30, "it to be quick")
        expect(server.peak() < before + (200 << 20), f"at most 200 MB more for a body of 30 MB, found {(server.peak() - before) >> 20}")
        time.sleep(0.2)
        expect(server.resident() < before + (40 << 20), f"it to be given back, found {(server.resident() - before) >> 20} MB more")


def check_bodies_together(program):
    with Server(program, "-m", "sentiment", "--max-body", "8") as server, contextlib.ExitStack() as stack:
        before, held = server.resident(), []
        part = b'{"text": "' + b"x" * (8 << 20)
        for _ in range(12):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=30))
            held.append(connection)
            connection.sendall(f"{HEAD}Content-Length: {8 << 20}\r\n\r\n".encode())
            threading.Thread(target=try_to_send, args=(connection, part[:(8 << 20) - 1]), daemon=True).start()
        refused = 0
        for connection in held:
            connection.settimeout(3)
            with contextlib.suppress(TimeoutError):
                refused += b" 503 " in connection.recv(64)
        expect(refused >= 8, f"all but four long bodies to be refused, found {refused} refusals")
        expect(server.post("/v1/predict", {"text": "not bad"}).status == 200, "a short body to find room")
        expect(server.resident() < before + (80 << 20), f"the memory of four, found {(server.resident() - before) >> 20} MB more")


def try_to_send(connection, data):
    with contextlib.suppress(OSError):
        connection.sendall(data)


def check_bodies_without_length(program):
    with Server(program, "-m", "sentiment") as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
            begin = time.monotonic()
            connection.sendall(f"{HEAD}\r\n".encode())
            answer = connection.recv(64)
            expect(b" 411 " in answer, f"a length to be asked for, found {answer}")
            expect(time.monotonic() - begin < 8, "it not to wait for more bytes")
        for host in ("[::1]evil.example", "localhost, evil.example"):
            expect(server.get("/v1/models", headers={"Host": host}).status == 403, f"{host} to be another's")
        two = server.raw(b"GET /v1/models HTTP/1.1\r\nHost: localhost:80\r\nHost: evil.example\r\n\r\n")
        expect(b" 403 " in two.splitlines()[0], f"one Host, found {two[:100]}")


def check_slow_connections(program):
    """Two hundred that send a byte now and then take every place, until their time to send is over."""
    with Server(program, "-m", "sentiment", "--read-timeout", "3") as server, contextlib.ExitStack() as stack:
        slow = [stack.enter_context(socket.create_connection(("127.0.0.1", server.port))) for _ in range(200)]
        for connection in slow:
            try_to_send(connection, HEAD.encode())
        begin, statuses = time.monotonic(), []
        while not statuses or statuses[-1] != 200:
            expect(time.monotonic() - begin < 60, f"a place soon after 3 s, found {statuses[-3:]}")
            for connection in slow:
                try_to_send(connection, b"x")
            try:
                statuses.append(server.post("/v1/predict", {"text": "not bad"}, timeout=5).status)
            except OSError:
                statuses.append("closed")
            time.sleep(0.2)
        expect(set(statuses) <= {200, 503, "closed"}, f"an answer or a refusal, found {set(statuses)}")
        expect(server.peak() < 400 << 20, f"little memory for them, found {server.peak() >> 20} MB")


def check_key_files(program):
    def refused(*options, key=None):
        environment = {**os.environ, "HEADWATER_API_KEY": key or ""}
        done = subprocess.run([program, "serve", "--port", "0", "-m", "sentiment", *options], env=environment, capture_output=True, text=True,
                              timeout=60)
        return done.returncode == 2 and done.stderr

    expect("at least 16 characters, found 3" in (refused("--api-key", "abc") or ""), "a short key to be refused")
    expect("at least 16 characters" in (refused(key="x") or ""), "so in the environment")
    with tempfile.NamedTemporaryFile("w") as file:
        expect("at least 16 characters, found 0" in (refused("--api-key-file", file.name) or ""), "so in a file")
        file.write("0123456789abcdef\n")
        file.flush()
        with Server(program, "-m", "sentiment", "--api-key-file", file.name, wait=True) as server:
            expect(server.get("/v1/models").status == 401, "the key of the file to be needed")
            expect(server.get("/v1/models", headers={"X-API-Key": "0123456789abcdef"}).status == 200, "and to open")


STRAIN = (check_bodies_of_many_values, check_bodies_together, check_bodies_without_length, check_slow_connections, check_key_files)

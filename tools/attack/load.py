#!/usr/bin/env python3
"""Many clients that predict and explain at once: who waits how long.

    python3 tools/attack/load.py --program build/release/headwater [--clients 32] [--seconds 60]

Half of the clients ask for predictions, half for explanations, each one thing after the other; who finds the queue full tries again
as Retry-After says. The slowest explanation may take three times as long as the one in the middle, from when it was taken in to
when it was there; no request may be lost, and none be answered wrongly.
"""

import argparse
import http.client
import json
import pathlib
import random
import statistics
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/server"))
from client import Server  # noqa: E402

TEXT = "the film is not bad at all but the plot is thin and the ending never quite works for the old man"


class Client(threading.Thread):
    def __init__(self, server, path, body, until, number):
        super().__init__()
        self.server, self.path, self.body, self.until = server, path, json.dumps(body), until
        self.seconds, self.busy, self.wrong, self.chance = [], 0, [], random.Random(number)

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=120)
        while time.monotonic() < self.until:
            begin = time.monotonic()
            try:
                connection.request("POST", self.path, self.body, {"Content-Type": "application/json"})
                reply = connection.getresponse()
                data = reply.read()
            except Exception as error:
                self.wrong.append(repr(error))
                connection.close()
                continue
            if reply.status == 429:
                self.busy += 1
                time.sleep(int(reply.headers["Retry-After"]) * self.chance.uniform(0.2, 1))
            elif reply.status == 200 and data.startswith(b"{"):
                self.seconds.append(time.monotonic() - begin)
            else:
                self.wrong.append(f"{reply.status}: {data[:200]!r}")


def told(name, clients):
    seconds = sorted(second for client in clients for second in client.seconds)
    if not seconds:
        sys.exit(f"load: expected {name}, found none")
    middle, slowest = statistics.median(seconds), seconds[-1]
    print(f"{name}: {len(seconds)} by {len(clients)} clients, {sum(client.busy for client in clients)} times asked to wait; "
          f"median {1000 * middle:.1f} ms, 99 % within {1000 * seconds[int(0.99 * (len(seconds) - 1))]:.1f} ms, slowest {1000 * slowest:.1f} ms "
          f"({slowest / middle:.2f} times the median)")
    return middle, slowest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=ROOT / "build/release/headwater")
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=60)
    args = parser.parse_args()
    kinds = {"predictions": ("/v1/predict", {"model": "sentiment", "text": TEXT}),
             "explanations": ("/v1/explain", {"model": "sentiment", "text": TEXT, "methods": ["integrated_gradients"]})}
    with Server(str(pathlib.Path(args.program).resolve())) as server:
        until = time.monotonic() + args.seconds
        clients = {name: [Client(server, *ask, until, number) for number in range(args.clients // 2)] for name, ask in kinds.items()}
        for some in clients.values():
            for client in some:
                client.start()
        for some in clients.values():
            for client in some:
                client.join()
        figures = {name: told(name, some) for name, some in clients.items()}
        print(f"memory: {server.resident() / 1e6:.0f} MB resident, {server.peak() / 1e6:.0f} MB at most")
        wrong = [what for some in clients.values() for client in some for what in client.wrong]
        if server.stop() != 0:
            wrong.append("the server did not end with 0")
    if wrong:
        sys.exit(f"load: expected every request to be answered rightly, found {len(wrong)} that were not\n" + "\n".join(wrong[:10]))
    middle, slowest = figures["explanations"]
    if slowest > 3 * middle:
        sys.exit(f"load: expected the slowest explanation within 3 times the median, found {slowest / middle:.2f}")
    print("the server holds")


if __name__ == "__main__":
    main()

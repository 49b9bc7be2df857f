#!/usr/bin/env python3
"""Damaged files and requests against the real program.

    python3 tools/attack/attack.py --program build/release/headwater [--count 2000] [--seed 1] [--only config,weights …] [--short]

Of every kind (config, weights, tokenizer, results, bodies) so many are made from whole ones and given to the program: fields left
out, doubled, of another type or size; bytes changed, cut or put in. The program may refuse; it may not end by a signal, say that
the fault is its own (exit 70, HTTP 500), have more than 1 GB resident, or take more than 20 s. What breaks a limit is kept in
--findings. --short takes 40 of each, for less than a minute.
"""

import argparse
import http.client
import json
import os
import pathlib
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import damage

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/server"))
from client import Server  # noqa: E402

MOST_BYTES, MOST_SECONDS = 10 ** 9, 20
# Processor time is what a busy machine does not change. Who waits for ever uses none, and is ended by the clock.
MOST_WAITING = 90
TINY = ROOT / "tests/golden/models/bert_sequence"
TEXT = "the film is not bad"


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_AS, (8 * MOST_BYTES, 8 * MOST_BYTES))  # for the machine's sake
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Tally:
    """What the runs of one kind took, and which broke a limit."""

    def __init__(self, kind, findings):
        self.kind, self.findings, self.broken = kind, findings, []
        self.codes, self.bytes, self.seconds, self.runs = {}, 0, 0.0, 0

    def note(self, code, bytes, seconds, what, keep=()):
        self.runs += 1
        self.codes[code] = self.codes.get(code, 0) + 1
        self.bytes, self.seconds = max(self.bytes, bytes), max(self.seconds, seconds)
        why = ("a signal" if isinstance(code, int) and code < 0 else "a fault of its own" if code in (70, 500, "lost") else
               f"{bytes / 1e6:.0f} MB" if bytes > MOST_BYTES else f"{seconds:.1f} s" if seconds > MOST_SECONDS else None)
        if why is None:
            return
        number = len(self.broken)
        self.broken.append(f"{self.kind} {number}: {why}: {what}")
        if self.findings and number < 50:
            folder = self.findings / f"{self.kind}-{number}"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "what.txt").write_text(f"{why}: {what}\n")
            for path in keep:
                shutil.copy(path, folder)

    def print(self):
        codes = ", ".join(f"{code}: {count}" for code, count in sorted(self.codes.items(), key=str))
        print(f"{self.kind}: {self.runs} runs; by exit or status {codes}; at most {self.bytes / 1e6:.0f} MB resident and "
              f"{self.seconds:.2f} s; {len(self.broken)} broke a limit", flush=True)


def run(program, arguments, folder, tally, keep=()):
    """One run of the program, counted."""
    begin = time.monotonic()
    process = subprocess.Popen([program, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, preexec_fn=limits)
    waiting = threading.Timer(MOST_WAITING, process.kill)
    waiting.start()
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    waiting.cancel()
    process.returncode = code = os.waitstatus_to_exitcode(status)
    waited = time.monotonic() - begin
    seconds = waited if waited > MOST_WAITING else used.ru_utime + used.ru_stime
    tally.note(code, used.ru_maxrss * 1024, seconds,
               f"headwater {' '.join(map(str, arguments))}\n{said[-2000:].decode(errors='replace')}", keep)


def tiny_model(folder):
    shutil.copytree(TINY, folder)
    shutil.copy(ROOT / "tests/cli/vocab.txt", folder)
    return folder


def attack_config(args, chance, folder, tally):
    wholes = [(path / "config.json", path) for path in sorted((ROOT / "tests/golden/models").iterdir())
              if (path / "config.json").exists() and path.name.startswith(("bert_", "gpt2_", "llama_", "distilbert_", "electra_", "roberta_"))]
    for _ in range(args.count):
        path, source = chance.choice(wholes)
        place = folder / "one"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(source, place)
        shutil.copy(ROOT / "tests/cli/vocab.txt" if "bert" in source.name and "roberta" not in source.name
                    else ROOT / "tests/cli/tokenizer.json", place)
        (place / "config.json").write_bytes(damage.text(path.read_bytes(), chance))
        run(args.program, ["predict", "-m", "one", "-q", TEXT], folder, tally, [place / "config.json"])


def attack_weights(args, chance, folder, tally):
    model = tiny_model(folder / "model")
    whole = (model / "model.safetensors").read_bytes()
    for _ in range(args.count):
        (model / "model.safetensors").write_bytes(damage.safetensors(whole, chance))
        command = chance.choice([["predict", "-m", "model", "-q", TEXT], ["explain", "-m", "model", "-q", "--method", "attention", TEXT],
                                 ["inspect", "model"]])
        run(args.program, command, folder, tally, [model / "model.safetensors"])


def attack_tokenizer(args, chance, folder, tally):
    model = tiny_model(folder / "model")
    (model / "vocab.txt").unlink()
    seeds = [path.read_bytes() for path in sorted((ROOT / "tests/fuzz/corpus/tokenizer_json").iterdir()) if path.stat().st_size < 1 << 17]
    texts = [TEXT, "a" * 3000, "Ünïcödé 🙂 " * 50, " \t\n ", "not bad " * 500]
    for _ in range(args.count):
        (model / "tokenizer.json").write_bytes(damage.text(chance.choice(seeds), chance))
        run(args.program, ["tokenize", "-m", "model", chance.choice(texts)], folder, tally, [model / "tokenizer.json"])


def attack_results(args, chance, folder, tally):
    seeds = sorted((ROOT / "tests/fuzz/corpus/result").iterdir())
    for _ in range(args.count):
        seed = chance.choice(seeds)
        (folder / "one.json").write_bytes(damage.text(seed.read_bytes(), chance))
        (folder / "whole.json").write_bytes(seed.read_bytes())
        kind = chance.choice(["", "strip", "grid", "matrix", "heads", "flow"])
        command = chance.choice([["plot", "one.json", "-o", "one.svg"], ["plot", "one.json", "-o", "one.svg", *(["--kind", kind] if kind else [])],
                                 ["diff", "one.json", "whole.json"]])
        run(args.program, command, folder, tally, [folder / "one.json"])


BODIES = [
    ("/v1/predict", {"text": TEXT, "top": 2}),
    ("/v1/predict", {"model": "vision", "image": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="}),
    ("/v1/tokenize", {"model": "sentiment", "text": TEXT, "pair": "so good"}),
    ("/v1/explain", {"text": TEXT, "methods": ["attention", {"name": "lime", "options": {"samples": 20}, "aggregate": ""}],
                     "targets": [{"label": "POSITIVE", "contrast": "NEGATIVE", "position": -1}], "view": {"unit": "word", "special": "drop"}}),
    ("/v1/plan", {"text": TEXT, "methods": ["attention", "attn_lrp"]}),
    ("/v1/tree", {"text": TEXT, "tau": 0.4, "lambda": 0.01, "target": {"label": "POSITIVE"}}),
    ("/v1/evaluate", {"examples": [{"text": TEXT, "label": "POSITIVE"}, {"text": "dull", "label": 0}], "methods": ["attention"],
                      "metrics": ["comprehensiveness"], "resamples": 10, "seed": 1}),
]


def attack_bodies(args, chance, folder, tally):
    with Server(args.program, "--time-limit", "10", "--max-memory", "256M", "--max-tokens", "256") as server:
        for _ in range(args.count):
            path, body = chance.choice(BODIES)
            sent = damage.text(json.dumps(body).encode(), chance)
            begin = time.monotonic()
            try:
                status = server.post(path, sent, timeout=MOST_WAITING).status
            except (OSError, http.client.HTTPException):
                status = "lost"
            tally.note(status, server.peak(), time.monotonic() - begin, f"POST {path} {sent[:2000]!r}")
            if server.process.poll() is not None:
                tally.note(server.process.returncode, 0, 0, f"the server ended after POST {path} {sent[:2000]!r}")
                return
        if server.stop() != 0:
            tally.note(-1, 0, 0, "the server did not end with 0")


KINDS = {"config": attack_config, "weights": attack_weights, "tokenizer": attack_tokenizer, "results": attack_results,
         "bodies": attack_bodies}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=ROOT / "build/release/headwater")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default=",".join(KINDS))
    parser.add_argument("--findings", type=pathlib.Path)
    parser.add_argument("--short", action="store_true")
    args = parser.parse_args()
    args.program = str(pathlib.Path(args.program).resolve())
    if args.short:
        args.count = 40
    broken = []
    for kind in args.only.split(","):
        tally = Tally(kind, args.findings)
        with tempfile.TemporaryDirectory() as folder:
            KINDS[kind](args, random.Random(f"{kind} {args.seed}"), pathlib.Path(folder), tally)
        tally.print()
        broken += tally.broken
    if broken:
        sys.exit("attack: expected every limit to hold, found\n" + "\n".join(broken[:20]))
    print("the program holds")


if __name__ == "__main__":
    main()

"""Installs the build into an empty folder and uses it as a stranger would: find_package, the program from
another directory, a shipped model by name, the manual page and the completions. The shared library shows what
the public headers name, and nothing else of ours."""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MODELS = HERE.parents[1] / "models"


def run(command, **options):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nexit {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def hidden_names(symbols, headers):
    """Functions of ours in a list of demangled symbols that the public headers do not name."""
    public = set(re.findall(r"\w+", headers))
    shown = re.findall(r"^\w+ T headwater::([\w:~]+)", symbols, re.MULTILINE)
    return sorted({name for name in shown if not public.issuperset(name.replace("~", "").split("::")[:2])})


def check_surface(prefix):
    assert hidden_names("00 T headwater::version()\n00 T headwater::Tape::pull(int)", "version") == ["Tape::pull"]
    assert hidden_names("00 T headwater::Engine::~Engine()", "Engine") == []
    libraries = sorted(prefix.rglob("libheadwater.so"))
    if not libraries:
        return  # a static build
    symbols = run(["nm", "-DC", "--defined-only", libraries[0]])
    headers = "".join(path.read_text() for path in prefix.glob("include/headwater/*.h"))
    if "headwater::Engine::explain" not in symbols:
        sys.exit("libheadwater.so: expected Engine::explain to be shown")
    if found := hidden_names(symbols, headers):
        sys.exit(f"libheadwater.so: expected the names of include/headwater alone, found {', '.join(found)}")


def main():
    parser = argparse.ArgumentParser()
    for name in ("--cmake", "--build", "--generator"):
        parser.add_argument(name, required=True)
    args = parser.parse_args()
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("HEADWATER_", "LD_LIBRARY_PATH"))}
    with tempfile.TemporaryDirectory() as folder:
        prefix, build = pathlib.Path(folder, "prefix"), pathlib.Path(folder, "build")
        run([args.cmake, "--install", args.build, "--prefix", prefix])
        for place in ("bin/headwater", "share/man/man1/headwater.1", "include/headwater/engine.h",
                      "share/bash-completion/completions/headwater",
                      "share/zsh/vendor-completions/_headwater",
                      "share/fish/vendor_completions.d/headwater.fish"):
            if not (prefix / place).is_file():
                sys.exit(f"not installed: {place}")
        check_surface(prefix)
        program = [prefix / "bin/headwater"]
        said = run([*program, "version"], cwd=folder, env=clean)

        run([args.cmake, "-G", args.generator, "-S", HERE / "consumer", "-B", build,
             f"-DCMAKE_PREFIX_PATH={prefix}"])
        run([args.cmake, "--build", build])
        consumer = run([build / "consumer"], env=clean)
        if consumer.split()[1] not in said:
            sys.exit(f"the library says {consumer!r}, the program {said!r}")

        if (MODELS / "sentiment").is_dir():
            ours = run([*program, "predict", "-m", "sentiment", "a fine film"], cwd=folder, env=clean)
            theirs = run([build / "consumer", "sentiment", "a fine film"], cwd=folder, env=clean)
            label = theirs.split()[2]
            if label not in ours:
                sys.exit(f"the library says {theirs!r}, the program {ours!r}")
    print("installed, found and used")


if __name__ == "__main__":
    main()

"""Installs the build into an empty folder and uses it as a stranger would: find_package, the program from
another directory, a shipped model by name, the manual page and the completions."""

import argparse
import os
import pathlib
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

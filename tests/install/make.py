"""`make install` builds everything that `cmake --install` copies, so that it works after `make run` alone. A build
folder that was moved or copied here is made anew: it would go on writing into the folder it came from."""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Stands for cmake: writes down how it was called, and configures by noting where.
RECORDER = """#!/bin/sh
echo "$*" >> "$RECORD"
case "$1" in --preset) mkdir -p build/release; touch build/release/build.ninja
  echo "CMAKE_CACHEFILE_DIR:INTERNAL=$PWD/build/release" > build/release/CMakeCache.txt ;; esac
"""


def run(command, **options):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nexit {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def make_in(folder, environment=None):
    """How `make install` calls cmake in this folder, which holds nothing but the Makefile and a build folder."""
    tools = folder / "tools"
    if not tools.exists():
        tools.mkdir()
        (tools / "install-packages").write_text("#!/bin/sh\n")
        (tools / "cmake").write_text(RECORDER)
        for tool in tools.iterdir():
            tool.chmod(0o755)
        shutil.copy(ROOT / "Makefile", folder)
    record = folder / "record"
    record.write_text("")
    run(["make", "--no-print-directory", "-C", folder, "install", f"PREFIX={folder / 'prefix'}"],
        env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "RECORD": str(record), "MAKEFLAGS": ""})
    return record.read_text().splitlines()


def check_complete(build, calls):
    """Every file of the build folder that is installed comes of a target that `make install` asks for."""
    targets = [word for call in calls if "--target" in call for word in call.split(" --target ")[1].split()
               if not word.startswith("-") and word != "--"]
    commands = run(["ninja", "-C", build, "-t", "commands", *targets])
    made = set(re.split(r"[\s\"]+", commands.replace(f"{build}/", "")))
    script = (build / "cmake_install.cmake").read_text()
    copied = {name for name in re.findall(rf'"{re.escape(str(build))}/([^"$]+)"', script)
              if not name.endswith(".cmake")}  # those are written by configuring
    assert copied, "nothing of the build folder is installed"
    missing = copied - made
    if missing:
        sys.exit(f"make install builds {', '.join(targets)}; cmake --install copies what they do not make: "
                 f"{', '.join(sorted(missing))}")


def check_moved(folder):
    """A build folder of another place is made anew, one of this place is kept."""
    build = folder / "build/release"
    build.mkdir(parents=True)
    cache = build / "CMakeCache.txt"
    for place, made_anew in ((folder / "elsewhere", True), (build, False)):
        (build / "build.ninja").touch()
        (build / "left").touch()
        cache.write_text(f"CMAKE_CACHEFILE_DIR:INTERNAL={place}\n")
        calls = make_in(folder)
        if any(call.startswith("--preset") for call in calls) != made_anew or (build / "left").exists() == made_anew:
            sys.exit(f"a build folder configured in {place}: expected it to be "
                     f"{'made anew' if made_anew else 'kept'}, found {calls}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, type=pathlib.Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_moved(folder)
        calls = make_in(folder)
    if (args.build / "build.ninja").is_file():
        check_complete(args.build, calls)
    print("make install builds what it installs")


if __name__ == "__main__":
    main()

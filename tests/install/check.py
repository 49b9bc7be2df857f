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


def missing_guards(elf):
    """What `readelf` should show of a hardened file and does not. Landing pads (endbr64) are only code: the linker marks a file
    that uses them if everything in it does, which Debian's start files do not."""
    wanted = {"relro": r"GNU_RELRO", "bound at start": r"FLAGS_1.*\bNOW\b", "stack protector": r"__stack_chk_fail", "FORTIFY": r"__memcpy_chk"}
    return [name for name, pattern in wanted.items() if not re.search(pattern, elf)]


def check_guards(prefix):
    assert missing_guards("GNU_RELRO\n(FLAGS_1) Flags: NOW PIE\n__stack_chk_fail\n__memcpy_chk") == []
    assert missing_guards("GNU_RELRO\n(FLAGS_1) Flags: PIE\n__memcpy_chk") == ["bound at start", "stack protector"]
    for made in (prefix / "bin/headwater", *sorted(prefix.rglob("libheadwater.so"))):
        if missing := missing_guards(run(["readelf", "-lWd", "--dyn-syms", made])):
            sys.exit(f"{made.name}: expected a hardened file, found none of: {', '.join(missing)}")


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
        check_guards(prefix)
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

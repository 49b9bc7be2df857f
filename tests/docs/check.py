"""Every example of the documents works: each `$ headwater …` line runs, in an empty folder, and each C++
block compiles against the public headers."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def run(command, **options):
    result = subprocess.run(command, capture_output=True, text=True, **options)
    if result.returncode != 0:
        sys.exit(f"{command}\nexit {result.returncode}\n{result.stdout}{result.stderr}")


def check_table(program, environment):
    """README's table of questions lists every method under the question its record answers."""
    listed = {}
    for question, names in re.findall(r"^\| ([^|]*\?) \| ([^|]*) \|$", (ROOT / "README.md").read_text(), re.MULTILINE):
        listed[question] = sorted(re.findall(r"`(\w+)`", names.split("the command")[0]))
    asked = {}
    for method in json.loads(subprocess.run([program, "methods", "--format", "json"], capture_output=True, text=True, env=environment).stdout):
        asked.setdefault(method["question"], []).append(method["name"])
    if listed != asked:
        sys.exit(f"README.md: expected the methods by question\n{asked}\nfound\n{listed}")


def check_make():
    """`make run` explains once: what the terminal shows and the page come from one run."""
    shown = subprocess.run(["make", "-n", "run"], capture_output=True, text=True, cwd=ROOT)
    if shown.stdout.count(" explain ") != 1:
        sys.exit(f"make run: expected one explain, found\n{shown.stdout}{shown.stderr}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--compiler", required=True)
    args = parser.parse_args()
    program = pathlib.Path(args.program).resolve()
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "HEADWATER_MODELS": str(ROOT / "models")}
    commands = snippets = 0
    with tempfile.TemporaryDirectory() as folder:
        # What a reader has beside the text: the program where `make run` leaves it, and the pictures of docs/.
        pathlib.Path(folder, "build").mkdir()
        pathlib.Path(folder, "build/release").symlink_to(program.parent)
        pathlib.Path(folder, "docs").mkdir()
        shutil.copy(ROOT / "docs/pets.jpg", pathlib.Path(folder, "docs"))
        for document in DOCUMENTS:
            text = document.read_text()
            for block in blocks(text, "console"):
                for line in re.findall(r"^\$ (.*)$", block, re.MULTILINE):
                    # The reader's own model is here one that ships.
                    run(line.replace("path/to/model", str(ROOT / "models" / "sentiment")), shell=True, cwd=folder,
                        env=environment)
                    commands += 1
            for block in blocks(text, "cpp"):
                includes, body = re.findall(r"^#include .*$", block, re.MULTILINE), re.sub(r"^#include .*$", "", block, flags=re.M)
                source = pathlib.Path(folder, "snippet.cpp")
                source.write_text("\n".join(includes) + "\nint main() {\n" + body + "\n}\n")
                run([args.compiler, "-std=c++20", "-fsyntax-only", f"-I{ROOT / 'include'}", str(source)])
                snippets += 1
        for name in ("report.html", "maps.npz"):
            if not pathlib.Path(folder, name).stat().st_size:
                sys.exit(f"{name} is empty")
    check_table(program, environment)
    check_make()
    page = subprocess.run([program, "methods", "--format", "markdown"], capture_output=True, text=True, env=environment).stdout
    if page != (ROOT / "docs" / "methods.md").read_text():
        sys.exit("docs/methods.md is not what the program says; make docs writes it")
    if commands < 3 or snippets < 1:
        sys.exit(f"expected examples, found {commands} commands and {snippets} snippets")
    print(f"{commands} commands and {snippets} snippets work")


if __name__ == "__main__":
    main()

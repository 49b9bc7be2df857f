"""No nested braced list is left half owned: g++ 12 destroys a finished nested aggregate twice when a later initialiser
of the same list throws, as in

    return {.mlp = {.up = read(…), .f = f}, .mlp_norm = read(…)};

A type that is named, `.mlp = MlpWeights{…}`, is destroyed once. So a nested list that initialises a class with a destructor
must name its type wherever a later initialiser may throw. clang-query reads the sources as the compiler does, by the
compile commands of a build:

    nested_braces.py BUILD [JOBS]   every unit of a build
    nested_braces.py --self-test    the check itself, on the forms below

What a member's own initialiser in its struct holds is not looked into."""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
INITIALISERS = 24  # more than any list with a nested one has; the self-test holds that the last of them counts

THROWS = ("callExpr(unless(callee(functionDecl(isNoThrow()))))",
          "cxxConstructExpr(hasDeclaration(cxxConstructorDecl(unless(isNoThrow()))))")
MAY_THROW = f"expr(anyOf({', '.join(THROWS)}, {', '.join(f'hasDescendant({call})' for call in THROWS)}))"
# A nested list that holds nothing may be destroyed twice: `{}`, or what was left out.
HOLDS = "hasDescendant(expr(anyOf(callExpr(), declRefExpr(), cxxConstructExpr(hasAnyArgument(expr())))))"
NESTED = (f"initListExpr(hasInit(0, expr()), {HOLDS}, hasType(qualType(hasCanonicalType(recordType(hasDeclaration("
          "cxxRecordDecl().bind(\"type\"))))))).bind(\"nested\")")


def query(where):
    """The matcher: a list with a nested list and a later initialiser that may throw."""
    last = INITIALISERS - 1
    later = [f"let later{last} hasInit({last}, throwing)"]  # an initialiser after the i-th may throw
    later += [f"let later{i} anyOf(hasInit({i}, throwing), later{i + 1})" for i in range(last - 1, 0, -1)]
    pairs = ", ".join(f"allOf(hasInit({i}, nestedlist), later{i + 1})" for i in range(last))
    # Outside of functions nothing catches, so nothing is destroyed.
    return "\n".join(["set output diag", "enable output dump", "set bind-root false", f"let throwing {MAY_THROW}",
                      f"let nestedlist {NESTED}", *later,
                      f"m initListExpr(hasType(qualType(hasCanonicalType(recordType()))), hasAncestor(functionDecl()), "
                      f"isExpansionInFileMatching(\"{where}\"), eachOf({pairs}))", ""])


def clang_command(command):
    """What clang needs of a compile command of g++: definitions, folders, the standard, and as text what g++ precompiled."""
    words, kept = shlex.split(command), []
    for at, word in enumerate(words):
        if word.startswith(("-D", "-I", "-std")):
            kept.append(word)
        elif word in ("-isystem", "-include"):
            kept += [word, words[at + 1]]
    return ["clang++-14", *kept, "-w", "-c"]


def as_text(words, base):
    """The words with every included header replaced by a copy, beside which lies nothing that g++ precompiled."""
    for at, word in enumerate(words):
        if word == "-include":
            text = pathlib.Path(words[at + 1]).read_text()
            copy = base / f"common_{hashlib.sha256(text.encode()).hexdigest()[:16]}.h"
            copy.write_text(text)
            words = [*words[:at + 1], str(copy), *words[at + 2:]]
    return words


def findings(scratch, unit, where):
    """The places in one unit; raises when clang cannot read it."""
    asked = pathlib.Path(scratch) / "query"
    run = subprocess.run(["clang-query-14", "-p", scratch, "-f", asked, unit], capture_output=True, text=True, check=False)
    if "error:" in run.stdout + run.stderr or not re.search(r"^\d+ match(es)?\.", run.stdout, re.M):
        raise SystemExit(f"{unit}: clang-query: {(run.stderr + run.stdout)[:2000]}")
    places = set()
    for match in re.split(r"^Match #\d+:$", run.stdout, flags=re.M)[1:]:
        place = re.search(r"^(\S+:\d+:\d+): note: \"nested\" binds here", match, re.M).group(1)
        # Of the type's own definition, which comes first.
        if not re.search(r"^[ |]*`-?Destructor\b.*|\|-Destructor\b.*|Destructor\b.*", match):
            raise SystemExit(f"{place}: clang-query shows no destructor: {match[:2000]}")
        if " trivial" not in re.search(r"Destructor\b(.*)", match).group(1):
            places.add(place)
    return places


def check(commands, jobs, where):
    """commands: [(folder, file, arguments)]"""
    with tempfile.TemporaryDirectory() as scratch:
        base = pathlib.Path(scratch)
        (base / "compile_commands.json").write_text(json.dumps(
            [{"directory": str(folder), "file": str(file), "arguments": [*as_text(words, base), str(file)]} for folder, file, words in commands]))
        (base / "query").write_text(query(where))
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            return sorted(set().union(*pool.map(lambda each: findings(scratch, str(each[1]), where), commands)))


FORMS = """#include <memory>
#include <optional>
#include <string>
#include <vector>
using Part = std::shared_ptr<int>;
Part read();
Part sound() noexcept;
struct Mlp { Part up, down; int f = 0; };
struct Block { Part q; Mlp mlp; Part norm; };
struct Outer { Block block; Part last; };
struct Own { Mlp mlp{sound(), sound(), 1}; Part norm; };
struct Long { Mlp m; int a, b, c, d, e, f, g, h, i, j, k, l, m1, n, o, p, q, r, s, t, u, v; Part last; };
void take(Block);
Block bad_return() { return {.q = read(), .mlp = {.up = read(), .down = read()}, .norm = read()}; }  // BAD
Block bad_position() { return {read(), {read(), read(), 1}, read()}; }  // BAD
void bad_argument() { take({.q = {}, .mlp = {read(), read()}, .norm = read()}); }  // BAD
void bad_element(std::vector<Block>& all) { all.push_back({.mlp = {read(), read()}, .norm = read()}); }  // BAD
Block bad_text() { return {.mlp = {sound(), sound()}, .norm = std::make_shared<int>(1)}; }  // BAD
Outer bad_outer() { return {.block = {.q = read(), .mlp = Mlp{}, .norm = read()}, .last = read()}; }  // BAD
auto bad_lambda = [] { return Block{.q = read(), .mlp = {read(), read()}, .norm = read()}; };  // BAD
Long bad_long() { return {.m = {read(), read()}, .last = read()}; }  // BAD
Block good_named() { return {.q = read(), .mlp = Mlp{.up = read(), .down = read()}, .norm = read()}; }
Block good_last() { return {.q = read(), .mlp = Mlp{read(), read()}, .norm = sound()}; }
Block good_order() { return {.q = read(), .mlp = {read(), read()}, .norm = sound()}; }
std::vector<Part> good_vector() { return {read(), read()}; }
Block good_empty() { return {.mlp = {}, .norm = read()}; }
Block good_left_out() { return {.norm = read()}; }
struct Texts { std::vector<std::string> a; std::optional<Mlp> b; std::string c; };
Texts good_constructed() { return {.a = {"one", "two"}, .b = {}, .c = std::string(3, 'x')}; }
Block good_parts() { Block b; b.mlp = {read(), read()}; b.norm = read(); return b; }
"""


def self_test():
    """Exactly the lines that say BAD are found."""
    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch) / "nested_forms.cpp"
        file.write_text(FORMS)
        found = check([(scratch, file, ["clang++-14", "-std=c++20", "-w", "-c"])], 1, "nested_forms")
        lines = sorted(int(place.split(":")[-2]) for place in found)
        bad = [number for number, line in enumerate(FORMS.splitlines(), 1) if line.endswith("// BAD")]
        assert lines == bad, f"expected lines {bad}, found {lines}"


def main(build, jobs=None):
    commands = [(entry["directory"], entry["file"], clang_command(entry["command"]))
                for entry in json.loads((pathlib.Path(build) / "compile_commands.json").read_text())
                if not entry["file"].endswith(".hxx.cxx")]
    found = check(commands, int(jobs or os.cpu_count()), "(src|include|tests|python|bench)/")
    for place in found:
        print(f"{place.replace(f'{ROOT}/', '')}: expected a nested list to name its type (`.mlp = MlpWeights{{…}}`) where a "
              "later initialiser may throw: g++ 12 destroys it twice")
    print(f"{len(commands)} units, {len(found)} nested lists that g++ 12 may destroy twice")
    return 1 if found or not commands else 0


if __name__ == "__main__":
    self_test()
    if sys.argv[1:] != ["--self-test"]:
        sys.exit(main(*sys.argv[1:]))

"""Nothing includes upwards: src/ is read in one order, and every file includes only its own folder or one
before it. include/headwater is the ground for all; tests may include anything.

No two types share a name: linkers take one of two for both, without a word.

The kind of an input (text, picture) is named by the families that declare it and by study/inputs, which reads
it; everything else works on units.

A method is named in src/methods alone. What others must know of it is in its record or in the traits of its results.

No test chooses a place in the temporary folder: two suites at once would meet there (support/scratch_folder.h)."""

import pathlib
import re
import sys

ORDER = ("base tensor kernels numerics tape ops checkpoint text image blocks models study explain methods heads "
         "identifiability result files drawing prose page corpus evaluation selftest engine comparison reproductions "
         "server cli").split()
ROOT = pathlib.Path(__file__).resolve().parents[2]
METHOD = re.compile(r"extern const Method (\w+)\{")
ALIASES = re.compile(r"\.aliases = \{([^}]*)\}")
QUOTED = re.compile(r"""(["'`])([a-z_]+)\1""")
# Where else methods are named, which ones (none listed: any), and why.
NAMED = {
    "src/reproductions/": ("", "a paper's experiment runs the methods that the paper compares"),
    "src/heads/importance.cpp": ("attattr attention", "values of an option: `heads --by attattr`"),
    "python/headwater/model.py": ("attattr", "the same option in Python: ranking=\"attattr\""),
    "src/evaluation/metrics/evaluation.h": ("occlusion", "the default of the metrics' option `with`"),
    "src/selftest/properties.cpp": ("gradient", "a property that `headwater check` tests"),
    "src/engine/recorded_run.cpp": ("gradient", "what a caller of RecordedRun asks for, in a message"),
}
# Other names of a method that are words of their own: what combines maps across layers, and a figure.
WORDS = {"rollout", "flow"}
NAMESPACE = re.compile(r"^namespace (?:([\w:]+) )?\{$")
TYPE = re.compile(r"^(?:struct|class|enum class|union) (?:HEADWATER_API )?(\w+)(?: final)?(?: :[^;]*)? \{")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def problems(source, lines):
    """Yields what is wrong with the includes of src/<source>, given its lines."""
    folder = source.parts[0]
    if folder not in ORDER:
        yield f"src/{source}: folder {folder} has no place in the order; add it to tests/layering/check.py"
        return
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        target = match.group(1).split("/")[0]
        if "/" not in match.group(1) or target not in ORDER:
            yield f'src/{source}:{number}: write includes as "folder/file.h", found "{match.group(1)}"'
        elif ORDER.index(target) > ORDER.index(folder):
            yield f"src/{source}:{number}: {folder} comes before {target} and may not include {match.group(1)}"


def public_problems(header, lines):
    for number, line in enumerate(lines, 1):
        if INCLUDE.match(line):
            yield f"include/headwater/{header}:{number}: public headers include <headwater/…> only"


def types(lines):
    """Yields (line number, qualified name) of the types a file defines outside of anonymous namespaces."""
    spaces, only_announces = [], False
    for number, line in enumerate(lines, 1):
        opened, match = NAMESPACE.match(line), TYPE.match(line)
        # A namespace of announcements alone, `class App;`, ends without a comment.
        if line.startswith("}  // namespace") or (line == "}" and only_announces):
            spaces.pop()
            only_announces = False
        elif opened:
            spaces.append(opened.group(1))
        elif match and None not in spaces:
            yield number, "::".join([*spaces, match.group(1)])
        only_announces = bool(opened) or (only_announces and re.match(r"(class|struct) \w+;$", line) is not None)


def name_problems(files):
    """Yields names that two of the files, given as {name: lines}, define."""
    seen = {}
    for file, lines in files.items():
        for number, name in types(lines):
            place = f"{file}:{number}"
            if name in seen:
                yield f"{place}: {name} is the name of another type already, in {seen[name]}"
            seen.setdefault(name, place)


def kind_problems(source, lines):
    """Yields where src/<source> asks for the kind of an input."""
    if source.parts[0] == "models" or source.name in ("inputs.cpp", "inputs.h"):
        return
    for number, line in enumerate(lines, 1):
        if "Modality" in line:
            yield f"src/{source}:{number}: only families and study/inputs name the kind of an input; work on units"


def method_names(sources):
    """The names and other names of the methods that the texts of src/methods register."""
    names = set()
    for text in sources:
        if found := METHOD.search(text):
            names |= {found.group(1), *re.findall(r'"([^"]+)"', "".join(ALIASES.findall(text)))}
    return names - WORDS


def method_problems(file, text, names):
    """Yields where a file outside of src/methods names a method; comments and docstrings may."""
    allowed = next((only for place, (only, _) in NAMED.items() if file.startswith(place)), None)
    if allowed == "":
        return
    quotes = r"(?s)\"{3}.*?\"{3}|#[^\n]*" if file.endswith((".py", ".pyi")) else r"(?s)/\*.*?\*/|//[^\n]*"
    code = re.sub(quotes, lambda comment: "\n" * comment.group().count("\n"), text)
    for number, line in enumerate(code.splitlines(), 1):
        for _, name in QUOTED.findall(line):
            if name in names and name not in (allowed or "").split():
                yield f"{file}:{number}: expected the method's record or a result's traits, found the name {name}"


def place_problems(file, lines):
    """Yields where a test names a temporary place itself."""
    for number, line in enumerate(lines, 1):
        if re.search(r"temp_directory_path|TempDir\(|mk[ds]temp\b|\btmpnam|[\"' ]/tmp\b", line):
            yield f"{file}:{number}: expected a folder of its own (support/scratch_folder.h), found a chosen place"


def maker_problems(file, text):
    """Yields where a figure's command names a folder of the machine it was made on."""
    for path in re.findall(r"&quot;headwater [^&]*?[ =](/[^ &]+)", text):
        yield f"{file}: expected a path within the repository, found {path}"


def self_test():
    """The check itself must be able to fail."""
    path = pathlib.PurePath
    assert list(problems(path("tensor/a.h"), ['#include "models/model.h"']))
    assert list(problems(path("tensor/a.h"), ['#include "pool.h"']))
    assert list(problems(path("elsewhere/a.h"), []))
    assert not list(problems(path("models/a.h"), ['#include "tensor/pool.h"', "#include <vector>"]))
    assert list(kind_problems(path("engine/a.cpp"), ["if (stack.modality == Modality::Image)"]))
    assert not list(kind_problems(path("models/a.cpp"), ["info_.last().modality = Modality::Image;"]))
    names = method_names(['extern const Method lime{\n .aliases = {"surrogate", "flow"}', "no method"])
    assert names == {"lime", "surrogate"}
    assert list(method_problems("src/page/a.cpp", 'if (result.method == "lime") return;', names))
    assert list(method_problems("web/src/a.ts", "const list = ['chefer', 'surrogate'];", names))
    assert list(method_problems("src/heads/importance.cpp", '"lime"', names))
    assert not list(method_problems("src/heads/importance.cpp", '"attention"', {"attention"}))
    assert not list(method_problems("python/headwater/a.py", '"""Runs "lime"."""\nname = "slime"  # as "lime"', names))
    assert list(place_problems("a_test.cpp", ['auto p = ::testing::TempDir() + "fixed";']))
    assert list(place_problems("check.py", ["open('/tmp/out')"]))
    assert not list(place_problems("a_test.cpp", ['auto p = scratch / "name";']))
    assert list(maker_problems("a.svg", "&quot;headwater explain --image /home/me/a.jpg&quot;"))
    assert not list(maker_problems("a.svg", "&quot;headwater explain --image docs/a.jpg 'either / or'&quot;}</metadata>"))
    assert list(public_problems("a.h", ['#include "tensor/pool.h"']))
    assert list(name_problems({"a.h": ["class HEADWATER_API Span {"], "b.h": ["struct Span {"]}))
    assert list(name_problems({"a.h": ["struct Span {"], "b.h": ["class Span : public Other {"]}))
    assert list(name_problems({"a.h": ["namespace CLI {", "class App;", "}", "struct Span {"], "b.h": ["struct Span {"]}))
    assert not list(name_problems({"a.h": ["struct Span {", "struct Other;"], "b.cpp": ["namespace {", "struct Span {"],
                                    "c.h": ["namespace kernels {", "struct Span {"]}))


def main():
    self_test()
    found, files = [], 0
    for file in sorted((ROOT / "src").rglob("*")):
        if file.suffix in (".h", ".cpp") and not file.name.endswith("_test.cpp"):
            files += 1
            source, lines = file.relative_to(ROOT / "src"), file.read_text(encoding="utf-8").splitlines()
            found += [*problems(source, lines), *kind_problems(source, lines)]
    for file in sorted((ROOT / "include/headwater").glob("*.h")):
        files += 1
        found += public_problems(file.name, file.read_text(encoding="utf-8").splitlines())
    sources = {str(file.relative_to(ROOT)): file.read_text(encoding="utf-8").splitlines()
               for folder in ("include", "src", "tests") for file in sorted((ROOT / folder).rglob("*"))
               if file.suffix in (".h", ".cpp")}
    found += name_problems(sources)
    names = method_names(file.read_text(encoding="utf-8") for file in (ROOT / "src/methods").rglob("*.cpp"))
    for file in sorted([*(ROOT / "src").rglob("*"), *(ROOT / "web/src").rglob("*"), *(ROOT / "python").rglob("*")]):
        source = str(file.relative_to(ROOT))
        if file.suffix in (".h", ".cpp", ".ts", ".tsx", ".py", ".pyi") and "_test." not in source \
                and not source.startswith("src/methods/"):
            found += method_problems(source, file.read_text(encoding="utf-8"), names)
    for file in sorted([*ROOT.glob("src/**/*_test.cpp"), *ROOT.glob("tests/**/*"), *ROOT.glob("tools/**/*")]):
        if file.suffix in (".cpp", ".h", ".py", ".case", ".sh") and file != ROOT / "tests/support/scratch_folder.h" \
                and file != pathlib.Path(__file__).resolve():
            found += place_problems(file.relative_to(ROOT), file.read_text(encoding="utf-8").splitlines())
    for file in sorted(ROOT.glob("docs/**/*.svg")):
        found += maker_problems(file.relative_to(ROOT), file.read_text(encoding="utf-8"))
    print("\n".join(found) or f"{files} files, none includes upwards")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())

"""A loaded model that predicts and explains."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

from . import _core
from .errors import InputError
from .explanation import Explanation
from .inputs import input_of, named, texts_of
from .progress import ProgressOption, counted, told
from .records import evaluations, listing, method_named, methods
from .run import Edit, Run
from .stream import in_order
from .tokens import Tokens, byte_of_character

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: A name, or a name with its options: ("integrated_gradients", {"steps": 50}).
MethodLike = Union[str, tuple[str, Mapping[str, Any]]]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def _methods(method: MethodLike | Sequence[MethodLike] | None, aggregate: str | None,
             options: Mapping[str, Any]) -> list[tuple[str, dict[str, str], str]]:
    """Gives options to the methods that have them; one that no method has goes to the first, which refuses it."""
    given: Any = method  # one or several; type checkers disagree about which
    if method is None:
        listed: list[MethodLike] = []
    elif isinstance(method, str) or (isinstance(method, tuple) and len(method) == 2 and isinstance(method[1], Mapping)):
        listed = [given]
    else:
        listed = list(given)
    if options and not listed:
        raise InputError(f"explain: options ({', '.join(options)}) need a method to be named")
    named: list[tuple[str, dict[str, str]]] = []
    for one in listed:
        name, own = (one, {}) if isinstance(one, str) else one
        named.append((name, {key: _text(value) for key, value in own.items()}))
    for key, value in options.items():
        takers = [own for name, own in named
                  if (record := method_named(name)) and any(option.name == key for option in record.options)]
        for own in takers or [named[0][1]]:
            own.setdefault(key, _text(value))
    made = []
    for name, own in named:
        record = method_named(name)
        carried = aggregate if aggregate and (record is None or record.aggregates or len(named) == 1) else ""
        made.append((name, own, carried))
    return made


def _target(target: str | int | None, contrast: str | int | None, position: int | None,
            ) -> tuple[str, str, int | None]:
    return ("" if target is None else str(target), "" if contrast is None else str(contrast), position)


def from_anywhere(path: str | os.PathLike[str]) -> str:
    """The absolute path of a folder, because another process may run elsewhere; names as they are."""
    return os.path.abspath(path) if os.path.isdir(path) else os.fspath(path)


class Model:
    """A model, opened by `load`. Threads may share it; pickle stores its name and options, not its weights."""

    def __init__(self, path: str | os.PathLike[str], dtype: str = "float32", threads: int | None = None,
                 cache_dir: str | os.PathLike[str] | None = None, revision: str = "") -> None:
        self._name = os.fspath(path)
        self._reference = (from_anywhere(path), dtype, threads, None if cache_dir is None else os.path.abspath(cache_dir), revision)
        if threads is not None:
            _core.set_threads(threads)
        self._engine = _core.Engine.load(self._name, dtype, "" if cache_dir is None else os.fspath(cache_dir), revision)
        self._info: dict[str, Any] = json.loads(self._engine.info())

    def __reduce__(self) -> Any:
        return (Model, self._reference)

    def __repr__(self) -> str:
        return f"<Model {self._name}: {self._info['architecture']}, {self._info['task']}>"

    @property
    def info(self) -> dict[str, Any]:
        """Family, architecture, task, layers, heads, labels and other properties of the model."""
        return dict(self._info)

    @property
    def record(self) -> dict[str, Any]:
        """Hashes, version, type, threads and kernels: the data needed to repeat a run."""
        return dict(json.loads(self._engine.record()))

    @property
    def labels(self) -> list[str]:
        return list(self._info["labels"])

    @property
    def _reads_images(self) -> bool:
        return "image_size" in self._info

    def _input(self, given: Any, **options: Any) -> _core.Input:
        return input_of(given, self._reads_images, **options)

    def tokenize(self, text: Any, *, pair: str | None = None, truncate: bool = False) -> Tokens:
        """The tokens of a text, with ids, offsets, words and the special-token mask."""
        units = json.loads(self._engine.tokenize(self._input(text, pair=pair, truncate=truncate)))["tokens"]
        return Tokens(units, texts_of(text, pair))

    def predict(self, inputs: Any, *, pair: str | None = None, top: int = 5, max_new_tokens: int = 0, beams: int = 1,
                prefix: str = "", truncate: bool = False) -> Any:
        """The prediction of one input as a dict, or of a list of inputs as a list of dicts, run in batches.

        A list is always a list of inputs here; the words of one text are a list in it.
        """
        many = isinstance(inputs, list)
        listed = [self._input(one, pair=pair, prefix=prefix, truncate=truncate) for one in (inputs if many else [inputs])]
        found = []
        for begin in range(0, len(listed), 256):  # Ctrl-C is handled between two of them
            for one in self._engine.predict(listed[begin:begin + 256], top, max_new_tokens, beams):
                fields = json.loads(one.json())
                hidden = one.hidden()
                if hidden is not None:
                    fields["hidden"] = hidden.numpy()
                found.append(fields)
        return found if many else found[0]

    @listing("Methods", methods)
    def explain(self, text: Any, method: MethodLike | Sequence[MethodLike] | None = None, *, pair: str | None = None,
                target: str | int | None = None, contrast: str | int | None = None, position: int | None = None,
                aggregate: str | None = None, prefix: str = "", generate: int = 0, truncate: bool = False,
                verify: bool = False, max_memory: int = 0, budget: float = 0, progress: ProgressOption = None,
                **options: Any) -> Explanation:
        """Explains the prediction by one or several methods; by default by two class-specific ones.

        text       a text, a pair of texts, or a list of words; for image models a path, PNG or
                   JPEG bytes, a PIL image or uint8 pixels [height, width, 3]
        method     "integrated_gradients", ["chefer", "occlusion"], ("attattr", {"tolerance": 0.01}); hw.methods()
                   has their records
        target     a label by name or index, a token, an answer; None: the prediction
        contrast   a second target: the difference is explained
        aggregate  "rollout" or "flow" combines a map per layer across layers
        generate   lets a text-generation model write this many tokens first
        budget     seconds that integrated_gradients may take to reach its tolerance; its checks show the error reached.
                   Without method and budget it is left out where it would take long
        options    options of the methods; each goes to the methods that have it
        """
        asked = self._input(text, pair=pair, prefix=prefix, generate=generate, truncate=truncate)
        with told(progress) as tell:
            report = self._engine.explain(asked, _methods(method, aggregate, options),
                                          _target(target, contrast, position), max_memory, verify, budget, tell)
        return Explanation._of(named(report, asked))

    def explain_iter(self, texts: Iterable[Any], method: MethodLike | Sequence[MethodLike] | None = None, *,
                     pair: str | None = None, target: str | int | None = None, contrast: str | int | None = None,
                     position: int | None = None, aggregate: str | None = None, prefix: str = "", generate: int = 0,
                     truncate: bool = False, verify: bool = False, max_memory: int = 0, budget: float = 0,
                     progress: ProgressOption = None, **options: Any) -> Iterator[Explanation]:
        """Explains a stream on demand, with the results and the order of one `explain` after the other.

        Texts are read a little ahead (first one, then at most 32 per thread). Texts of equal length share a batched
        forward run, and as many texts as fit into 2 GiB by their plans are explained side by side; with max_memory
        or verify one by one. Progress is counted in texts.
        """
        if isinstance(texts, (str, bytes)):
            raise InputError("explain_iter: expected several texts, found one; explain takes it")
        methods, aimed = _methods(method, aggregate, options), _target(target, contrast, position)

        def some(inputs: list[_core.Input]) -> list[_core.Report]:
            found = self._engine.explain_some(inputs, methods, aimed, max_memory, verify, budget, None)
            return [named(report, asked) for report, asked in zip(found, inputs)]

        def asked(text: Any) -> _core.Input:
            return self._input(text, pair=pair, prefix=prefix, generate=generate, truncate=truncate)

        alone = verify or max_memory > 0
        with counted(progress, texts) as tell:
            reports = in_order(texts, asked, some, 1 if alone else 32 * _core.threads())
            for done, report in enumerate(reports, 1):
                tell(done)
                yield Explanation._of(report)

    def planned_bytes(self, text: Any, method: MethodLike | Sequence[MethodLike], *, aggregate: str | None = None,
                      **options: Any) -> int:
        """Bytes beyond the weights that explaining this input may take: an upper estimate."""
        return self._engine.planned_bytes(self._input(text), _methods(method, aggregate, options), ("", "", None))

    def run(self, text: Any, edits: Edit | Sequence[Edit] = (), *, pair: str | None = None, prefix: str = "",
            truncate: bool = False) -> Run:
        """A forward run whose values can be read, edited during the run (zero, scale, replace), replayed from and
        differentiated: m.run("not bad", [hw.zero("pattern", 3, heads=[2])])["logits"]."""
        asked = self._input(text, pair=pair, prefix=prefix, truncate=truncate)
        if isinstance(edits, Edit):
            edits = [edits]
        return Run(self._engine.run(asked, [edit._bound() for edit in edits]), texts_of(text, pair, prefix), self.labels)

    # Heads, over labelled inputs.

    def _labelled(self, inputs: Iterable[tuple[Any, str | int]]) -> list[tuple[_core.Input, str]]:
        made = []
        for number, one in enumerate(inputs, 1):
            if isinstance(one, str) or not hasattr(one, "__len__") or len(one) != 2:
                raise InputError(f"input {number}: expected (input, label), found {one!r:.80}")
            given, label = one
            made.append((self._input(given), str(label)))
        return made

    def heads(self, inputs: Iterable[tuple[Any, str | int]], ranking: str = "attattr", *, max_memory: int = 0,
              progress: ProgressOption = None) -> HeadImportance:
        """The importance of every head over (input, label) pairs; head_rankings() lists the rankings."""
        with told(progress) as tell:
            return HeadImportance(self._engine.heads(self._labelled(inputs), ranking, max_memory, tell))

    def prune(self, inputs: Iterable[tuple[Any, str | int]], rankings: Sequence[HeadImportance], *,
              rates: Sequence[float] = (), random_orders: int = 5, seed: int = 1, max_memory: int = 0,
              progress: ProgressOption = None) -> dict[str, Any]:
        """Accuracy as heads are removed, by every ranking and at random."""
        with told(progress) as tell:
            made = self._engine.prune(self._labelled(inputs), [one._bound for one in rankings], list(rates),
                                      random_orders, seed, max_memory, tell)
        return dict(json.loads(made))

    def save_pruned(self, importance: HeadImportance, rate: float, folder: str | os.PathLike[str]) -> None:
        """Writes a copy of the model's folder without the least important share of all heads."""
        self._engine.save_pruned(importance._bound, rate, os.fspath(folder))

    def tree(self, text: Any, *, pair: str | None = None, target: str | int | None = None,
             contrast: str | int | None = None, position: int | None = None, tau: float = 0.4, cost: float = 0.0,
             published: bool = False, max_memory: int = 0, progress: ProgressOption = None) -> Tree:
        """An attribution tree (Hao et al., 2021): which token passes information to which."""
        with told(progress) as tell:
            fields, svg, report = self._engine.tree(self._input(text, pair=pair), _target(target, contrast, position),
                                                    tau, cost, published, max_memory, tell)
        return Tree(json.loads(fields), svg, Explanation._of(report))

    def triggers(self, inputs: Iterable[tuple[Any, str | int]], *, patterns: int = 3, least: float = 0.02,
                 tolerance: float = 1e-3, max_memory: int = 0, progress: ProgressOption = None) -> dict[str, Any]:
        """Token pairs with extreme attribution, and their effect in other inputs."""
        with told(progress) as tell:
            return dict(json.loads(self._engine.triggers(self._labelled(inputs), patterns, least, tolerance, max_memory,
                                                         tell)))

    def identify(self, texts: Iterable[Any], *, maps: Sequence[str] = ("naive", "linear"),
                 distances: Sequence[str] = ("cosine", "l2"), target: str = "word", pool: str = "sentence",
                 states: Sequence[int] = (), control: bool = True, folds: int = 1, seed: int = 0,
                 progress: ProgressOption = None) -> dict[str, Any]:
        """Measures whether hidden vectors still identify their tokens (Brunner et al., 2020)."""
        with told(progress) as tell:
            made = self._engine.identify([self._input(text) for text in texts], list(maps), list(distances), target, pool,
                                         list(states), control, folds, seed, tell)
        return dict(json.loads(made))

    @listing("Metrics", evaluations)
    def evaluate(self, examples: Iterable[Any], methods: Sequence[MethodLike], metrics: Sequence[MethodLike], *,
                 explained: str = "prediction", unit: str = "token", seed: int = 0, resamples: int = 2000,
                 max_memory: int = 0, progress: ProgressOption = None) -> dict[str, Any]:
        """Evaluates methods over many examples, with an interval for each figure and a random explanation as baseline.

        An example is an input, an (input, label) pair, or a dict with "text" (or "image"), "pair", "label", "target",
        "contrast", "position", "evidence" and "cues" (lists of (begin, end) in characters) and "mask".
        """
        for name, value, known in (("explained", explained, ("prediction", "gold")), ("unit", unit, ("token", "word"))):
            if value not in known:
                raise InputError(f"{name}: expected {' or '.join(known)}, found {value!r}")
        listed = [self._example(one, number) for number, one in enumerate(examples)]
        measures = [(name, own) for name, own, _ in _methods(list(metrics), None, {})]
        with told(progress) as tell:
            made = self._engine.evaluate(listed, _methods(list(methods), None, {}), measures, explained == "gold",
                                         unit == "word", seed, resamples, max_memory, tell)
        return dict(json.loads(made))

    def _example(self, one: Any, number: int) -> _core.Example:
        if not isinstance(one, Mapping):
            text, label = one if isinstance(one, tuple) else (one, None)
            one = {"image" if self._reads_images else "text": text, "label": label}
        given = one.get("image") if self._reads_images else one.get("text")
        text = given if isinstance(given, str) else ""

        def spans(key: str) -> list[tuple[int, int]] | None:
            found = one.get(key)
            if found is None:
                return None
            return [(byte_of_character(text, begin), byte_of_character(text, end)) for begin, end in found]

        label = one.get("label")
        asked = self._input(given) if self._reads_images else self._input(given, pair=one.get("pair"))
        made = _core.Example(asked,
                             _target(one.get("target"), one.get("contrast"), one.get("position")),
                             "" if label is None else str(label), spans("evidence"), spans("cues") or [],
                             str(one.get("mask") or ""), str(one.get("name") or f"example {number}"))
        made.input = asked
        return made

    def check(self, inputs: Iterable[Any] = (), *, progress: ProgressOption = None) -> dict[str, Any]:
        """The model's self-test: the properties that explanations rely on, measured on a few inputs."""
        with told(progress) as tell:
            return dict(json.loads(self._engine.check([self._input(one) for one in inputs], tell)))


class HeadImportance:
    """The importance of every head: `scores` [layers, heads]."""

    def __init__(self, bound: _core.HeadImportance) -> None:
        self._bound = bound

    @property
    def ranking(self) -> str:
        return self._bound.ranking

    @property
    def scores(self) -> NDArray[Any]:
        import numpy as np

        return np.array(self._bound.scores).reshape(self._bound.layers, self._bound.heads)

    def to_dict(self) -> dict[str, Any]:
        return dict(json.loads(self._bound.json()))

    def __repr__(self) -> str:
        return f"<HeadImportance {self.ranking}: {self._bound.layers} layers of {self._bound.heads} heads>"


class Tree:
    """An attribution tree: `edges` from the top layer down, and the explanation it was made from."""

    def __init__(self, fields: dict[str, Any], svg: str, explanation: Explanation) -> None:
        self._fields = fields
        self._svg = svg
        self.explanation = explanation

    @property
    def root(self) -> int:
        return int(self._fields["root"])

    @property
    def edges(self) -> list[dict[str, Any]]:
        """parent, child (tokens), layer and score."""
        return list(self._fields["edges"])

    @property
    def tokens(self) -> list[str]:
        return list(self._fields["tokens"])

    def __repr__(self) -> str:
        return f"<Tree of {len(self.edges)} edges into {self.tokens[self.root]!r}>"

    def to_svg(self) -> str:
        return self._svg

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x:auto">{self._svg}</div>'

    def to_dict(self) -> dict[str, Any]:
        return dict(self._fields)

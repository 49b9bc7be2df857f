"""A loaded model that predicts and explains."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Union, cast, overload

from . import _core
from .errors import InputError
from .explanation import Explanation, Explanations
from .heads import HeadImportance, Tree
from .inputs import input_of, named, one, path_of, plain, several, texts_of
from .progress import ProgressOption, counted, told
from .records import evaluations, listing, method_named, methods
from .run import Edit, Run
from .stream import in_order
from .tokens import Tokens, byte_of_character

if TYPE_CHECKING:
    from . import types

#: A name, or a name with its options: ("integrated_gradients", {"steps": 50}).
MethodLike = Union[str, tuple[str, Mapping[str, Any]]]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else plain("option", str(value))


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
    for each in listed:
        name, own = (each, {}) if isinstance(each, str) else each
        named.append((plain("method", name), {plain("option", key): _text(value) for key, value in own.items()}))
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
    return ("" if target is None else plain("target", str(target)), "" if contrast is None else plain("contrast", str(contrast)),
            position)


def from_anywhere(path: str | os.PathLike[str]) -> str:
    """The absolute path of a folder, because another process may run elsewhere; names as they are."""
    return os.path.abspath(path) if os.path.isdir(path) else os.fspath(path)


class Model:
    """A model, opened by `load`. Threads may share it; pickle stores its name and options, not its weights."""

    def __init__(self, path: str | os.PathLike[str], dtype: str = "float32", threads: int | None = None,
                 cache_dir: str | os.PathLike[str] | None = None, revision: str = "") -> None:
        if not isinstance(path, (str, os.PathLike)):
            raise InputError(f"load: expected a folder, a shipped model's name or a repo id, found {type(path).__name__}; a model "
                             "that is in memory is opened by headwater.from_transformers(model, tokenizer)")
        self._name = os.fspath(path)
        self._reference = (from_anywhere(path), dtype, threads, None if cache_dir is None else os.path.abspath(cache_dir), revision)
        if threads is not None:
            _core.set_threads(threads)
        self._engine = _core.Engine.load(path_of("load", path), dtype, b"" if cache_dir is None else path_of("cache_dir", cache_dir),
                                         plain("revision", revision))
        self._info: types.ModelInfo = json.loads(self._engine.info())

    def __reduce__(self) -> Any:
        return (Model, self._reference)

    def __repr__(self) -> str:
        return f"<Model {self._name}: {self._info['architecture']}, {self._info['task']}>"

    @property
    def info(self) -> types.ModelInfo:
        """Family, architecture, task, layers, heads, labels and other properties of the model."""
        return copy(self._info)

    @property
    def record(self) -> types.RunRecord:
        """Hashes, version, type, threads and kernels: the data needed to repeat a run."""
        return cast("types.RunRecord", json.loads(self._engine.record()))

    @property
    def labels(self) -> list[str]:
        return list(self._info["labels"])

    @property
    def _reads_images(self) -> bool:
        return "image_size" in self._info

    def _input(self, given: Any, **options: Any) -> _core.Input:
        return input_of(given, self._reads_images, **options)

    def _inputs(self, listed: Iterable[Any], **options: Any) -> list[_core.Input]:
        """The inputs of several texts; an error names the one it is about."""
        made = []
        for number, given in enumerate(listed, 1):
            try:
                made.append(self._input(given, **options))
            except InputError as error:
                raise InputError(f"input {number}: {error}") from None
        return made

    def tokenize(self, text: Any = None, *, words: Sequence[str] | None = None, pair: str | None = None,
                 truncate: bool = False) -> Any:
        """The tokens of a text, or of its words, with ids, offsets, words and the special-token mask; a list for a list of texts."""
        listed = several(text) if words is None else None
        if listed is not None:
            return [self._tokens(given, pair, truncate) for given in listed]
        return self._tokens(one(text, words, "tokenize"), pair, truncate)

    def _tokens(self, text: Any, pair: str | None, truncate: bool) -> Tokens:
        units = json.loads(self._engine.tokenize(self._input(text, pair=pair, truncate=truncate)))["tokens"]
        return Tokens(units, texts_of(text, pair))

    def predict(self, inputs: Any = None, *, words: Sequence[str] | None = None, pair: str | None = None, top: int = 5,
                max_new_tokens: int = 0, beams: int = 1, prefix: str = "", truncate: bool = False) -> Any:
        """The prediction of one input as a dict, or of a list of inputs as a list of dicts, run in batches.

        A list, a column of a table or an array of strings is several inputs; the words of one text are a list in it, or
        given by words=.
        """
        many = several(inputs) if words is None else None
        options = {"pair": pair, "prefix": prefix, "truncate": truncate}
        listed = [self._input(one(inputs, words, "predict"), **options)] if many is None else self._inputs(many, **options)
        found = []
        for begin in range(0, len(listed), 256):  # Ctrl-C is handled between two of them
            for each in self._engine.predict(listed[begin:begin + 256], top, max_new_tokens, beams):
                fields = json.loads(each.json())
                hidden = each.hidden()
                if hidden is not None:
                    fields["hidden"] = hidden.numpy()
                found.append(fields)
        return found[0] if many is None else found

    @overload
    def explain(self, text: list[Any], method: MethodLike | Sequence[MethodLike] | None = None, *, pair: str | None = None,
                target: str | int | None = None, contrast: str | int | None = None, position: int | None = None,
                aggregate: str | None = None, prefix: str = "", generate: int = 0, truncate: bool = False,
                verify: bool = False, max_memory: int = 0, budget: float = 0, progress: ProgressOption = None,
                **options: Any) -> Explanations: ...

    @overload
    def explain(self, text: str | bytes | os.PathLike[str] | tuple[Any, Any] | None = None,
                method: MethodLike | Sequence[MethodLike] | None = None, *, words: Sequence[str] | None = None,
                pair: str | None = None, target: str | int | None = None, contrast: str | int | None = None,
                position: int | None = None, aggregate: str | None = None, prefix: str = "", generate: int = 0,
                truncate: bool = False, verify: bool = False, max_memory: int = 0, budget: float = 0,
                progress: ProgressOption = None, **options: Any) -> Explanation: ...

    @overload
    def explain(self, text: Any, method: MethodLike | Sequence[MethodLike] | None = None, *, pair: str | None = None,
                target: str | int | None = None, contrast: str | int | None = None, position: int | None = None,
                aggregate: str | None = None, prefix: str = "", generate: int = 0, truncate: bool = False,
                verify: bool = False, max_memory: int = 0, budget: float = 0, progress: ProgressOption = None,
                **options: Any) -> Any: ...

    @listing("Methods", methods)
    def explain(self, text: Any = None, method: MethodLike | Sequence[MethodLike] | None = None, *,
                words: Sequence[str] | None = None, pair: str | None = None,
                target: str | int | None = None, contrast: str | int | None = None, position: int | None = None,
                aggregate: str | None = None, prefix: str = "", generate: int = 0, truncate: bool = False,
                verify: bool = False, max_memory: int = 0, budget: float = 0, progress: ProgressOption = None,
                **options: Any) -> Any:
        """Explains the prediction by one or several methods; by default by two class-specific ones.

        text       a text or a pair of texts in a tuple; for image models a path, PNG or JPEG bytes, a PIL image or uint8
                   pixels [height, width, 3]. A list, a column of a table or an array of strings is several of them,
                   and gives a list of explanations
        words      the words of one text, in place of it
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
        many = several(text) if words is None else None
        if many is not None:
            stream = self.explain_iter(many, method, pair=pair, target=target, contrast=contrast, position=position,
                                       aggregate=aggregate, prefix=prefix, generate=generate, truncate=truncate, verify=verify,
                                       max_memory=max_memory, budget=budget, progress=progress, **options)
            return Explanations(stream)
        asked = self._input(one(text, words, "explain"), pair=pair, prefix=prefix, generate=generate, truncate=truncate,
                            explained=True)
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

        numbers = itertools.count(1)

        def asked(text: Any) -> _core.Input:
            number = next(numbers)
            try:
                return self._input(text, pair=pair, prefix=prefix, generate=generate, truncate=truncate, explained=True)
            except InputError as error:
                raise InputError(f"input {number}: {error}") from None

        alone = verify or max_memory > 0
        with counted(progress, texts) as tell:
            reports = in_order(texts, asked, some, 1 if alone else 32 * _core.threads())
            for done, report in enumerate(reports, 1):
                tell(done)
                yield Explanation._of(report)

    def planned_bytes(self, text: Any = None, method: MethodLike | Sequence[MethodLike] = (), *,
                      words: Sequence[str] | None = None, aggregate: str | None = None, **options: Any) -> int:
        """Bytes beyond the weights that explaining this input may take: an upper estimate."""
        return self._engine.planned_bytes(self._input(one(text, words, "planned_bytes")), _methods(method, aggregate, options), ("", "", None))

    def run(self, text: Any = None, edits: Edit | Sequence[Edit] = (), *, words: Sequence[str] | None = None,
            pair: str | None = None, prefix: str = "", truncate: bool = False) -> Run:
        """A forward run whose values can be read, edited during the run (zero, scale, replace), replayed from and
        differentiated: m.run("not bad", [hw.zero("pattern", 3, heads=[2])])["logits"]."""
        text = one(text, words, "run")
        asked = self._input(text, pair=pair, prefix=prefix, truncate=truncate)
        if isinstance(edits, Edit):
            edits = [edits]
        return Run(self._engine.run(asked, [edit._bound() for edit in edits]), texts_of(text, pair, prefix), self.labels)

    # Heads, over labelled inputs.

    def _labelled(self, inputs: Iterable[tuple[Any, str | int]]) -> list[tuple[_core.Input, str]]:
        made = []
        for number, both in enumerate(inputs, 1):
            if isinstance(both, str) or not hasattr(both, "__len__") or len(both) != 2:
                raise InputError(f"input {number}: expected (input, label), found {both!r:.80}")
            given, label = both
            made.append((self._input(given), plain("label", str(label))))
        return made

    def heads(self, inputs: Iterable[tuple[Any, str | int]], ranking: str = "attattr", *, max_memory: int = 0,
              progress: ProgressOption = None) -> HeadImportance:
        """The importance of every head over (input, label) pairs; head_rankings() lists the rankings."""
        with told(progress) as tell:
            return HeadImportance(self._engine.heads(self._labelled(inputs), ranking, max_memory, tell))

    def prune(self, inputs: Iterable[tuple[Any, str | int]], rankings: Sequence[HeadImportance], *,
              rates: Sequence[float] = (), random_orders: int = 5, seed: int = 1, max_memory: int = 0,
              progress: ProgressOption = None) -> types.Pruning:
        """Accuracy as heads are removed, by every ranking and at random."""
        with told(progress) as tell:
            made = self._engine.prune(self._labelled(inputs), [one._bound for one in rankings], list(rates),
                                      random_orders, seed, max_memory, tell)
        return cast("types.Pruning", json.loads(made))

    def save_pruned(self, importance: HeadImportance, rate: float, folder: str | os.PathLike[str]) -> None:
        """Writes a copy of the model's folder without the least important share of all heads."""
        self._engine.save_pruned(importance._bound, rate, path_of("folder", folder))

    def tree(self, text: Any, *, pair: str | None = None, target: str | int | None = None,
             contrast: str | int | None = None, position: int | None = None, tau: float = 0.4, cost: float = 0.0,
             published: bool = False, max_memory: int = 0, progress: ProgressOption = None) -> Tree:
        """An attribution tree (Hao et al., 2021): which token passes information to which."""
        with told(progress) as tell:
            fields, svg, report = self._engine.tree(self._input(one(text, None, "tree"), pair=pair), _target(target, contrast, position),
                                                    tau, cost, published, max_memory, tell)
        return Tree(json.loads(fields), svg, Explanation._of(report))

    def triggers(self, inputs: Iterable[tuple[Any, str | int]], *, patterns: int = 3, least: float = 0.02,
                 tolerance: float = 1e-3, max_memory: int = 0, progress: ProgressOption = None) -> types.Triggers:
        """Token pairs with extreme attribution, and their effect in other inputs."""
        with told(progress) as tell:
            made = self._engine.triggers(self._labelled(inputs), patterns, least, tolerance, max_memory, tell)
        return cast("types.Triggers", json.loads(made))

    def identify(self, texts: Iterable[Any], *, maps: Sequence[str] = ("naive", "linear"),
                 distances: Sequence[str] = ("cosine", "l2"), target: str = "word", pool: str = "sentence",
                 states: Sequence[int] = (), control: bool = True, folds: int = 1, seed: int = 0,
                 progress: ProgressOption = None) -> types.Identification:
        """Measures whether hidden vectors still identify their tokens (Brunner et al., 2020)."""
        with told(progress) as tell:
            made = self._engine.identify(self._inputs(texts), list(maps), list(distances), target, pool,
                                         list(states), control, folds, seed, tell)
        return cast("types.Identification", json.loads(made))

    @listing("Metrics", evaluations)
    def evaluate(self, examples: Iterable[Any], methods: Sequence[MethodLike], metrics: Sequence[MethodLike], *,
                 explained: str = "prediction", unit: str = "token", seed: int = 0, resamples: int = 2000,
                 max_memory: int = 0, progress: ProgressOption = None) -> types.Evaluation:
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
        return cast("types.Evaluation", json.loads(made))

    def _example(self, given: Any, number: int) -> _core.Example:
        one: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
        if not isinstance(given, Mapping):
            text, label = given if isinstance(given, tuple) else (given, None)
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

    def check(self, inputs: Iterable[Any] = (), *, progress: ProgressOption = None) -> types.ModelTest:
        """The model's self-test: the properties that explanations rely on, measured on a few inputs."""
        with told(progress) as tell:
            return cast("types.ModelTest", json.loads(self._engine.check(self._inputs(inputs), tell)))

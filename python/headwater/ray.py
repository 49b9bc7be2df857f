"""A corpus over many machines, by Ray Data (pip install headwater[ray]).

    import ray
    import headwater.ray

    reviews = ray.data.read_parquet("reviews/")  # any storage and any format that Ray reads
    found = headwater.ray.explain(reviews, model="sentiment", methods=["integrated_gradients"])
    found.write_parquet("explained/")

One loaded model per actor; Arrow in and out. What Ray does for every dataset it does for this one: it streams, holds back
where a reader is slow, starts an actor again that was lost and gives it the batch it had.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .errors import HeadwaterError, InputError
from .model import MethodLike, Model, from_anywhere

if TYPE_CHECKING:
    import pyarrow as pa
    import ray.data

_ADDED = ("method", "tokens", "scores", "shape", "axes", "target", "probability", "checks_passed", "error", "record")


class Explainer:
    """What an actor runs: opens its model once and explains batches of rows. It needs Arrow, not Ray."""

    def __init__(self, model: str, methods: MethodLike | Sequence[MethodLike] | None, text: str, pair: str | None,
                 keep_going: bool, dtype: str, threads: int, options: Mapping[str, Any]) -> None:
        self._model = Model(model, dtype, threads)
        self._methods = methods
        self._text, self._pair = text, pair
        self._keep_going = keep_going
        self._options = dict(options)
        self._dtype = dtype

    def __call__(self, batch: pa.Table) -> pa.Table:
        import pyarrow as pa

        taken = [name for name in batch.column_names if name in _ADDED]
        if taken:
            raise InputError(f"explain: expected columns other than those it adds, found {', '.join(taken)}; rename them")
        for name in (self._text, self._pair):
            if name is not None and name not in batch.column_names:
                raise InputError(f"explain: expected a column {name}, found {', '.join(batch.column_names)}; name it by "
                                 "text= or pair=")
        rows: list[int] = []
        found: list[dict[str, Any]] = []
        pairs = batch.column(self._pair).to_pylist() if self._pair else [None] * batch.num_rows
        for index, (text, pair) in enumerate(zip(batch.column(self._text).to_pylist(), pairs)):
            for one in self._explained(text, pair):
                rows.append(index)
                found.append(one)
        explained = pa.Table.from_pylist(found, schema=_schema(self._dtype))
        for name in reversed(batch.column_names):
            explained = explained.add_column(0, batch.schema.field(name), batch.column(name).take(pa.array(rows, pa.int64())))
        return explained

    def _explained(self, text: Any, pair: str | None) -> list[dict[str, Any]]:
        """A row for every method; one with the error alone where that is to be kept."""
        try:
            made = self._model.explain(text, self._methods, pair=pair, **self._options)
        except HeadwaterError as error:
            if not self._keep_going:
                raise
            return [{"error": str(error)}]
        target, record = made.target, json.dumps(made.record)
        tokens = list(made.tokens)
        return [{"method": result.name, "tokens": tokens, "scores": result.scores.ravel(),
                 "shape": list(result.scores.shape), "axes": list(result.axes), "target": str(target.get("label", "")),
                 "probability": target.get("probability"),
                 "checks_passed": all(check.passed for check in result.checks), "record": record} for result in made]


def _schema(dtype: str) -> pa.Schema:
    import pyarrow as pa

    number = pa.float64() if dtype == "float64" else pa.float32()
    return pa.schema([("method", pa.string()), ("tokens", pa.list_(pa.string())), ("scores", pa.list_(number)),
                      ("shape", pa.list_(pa.int64())), ("axes", pa.list_(pa.string())), ("target", pa.string()),
                      ("probability", pa.float64()), ("checks_passed", pa.bool_()), ("error", pa.string()),
                      ("record", pa.string())])


def explain(dataset: ray.data.Dataset, *, model: str, methods: MethodLike | Sequence[MethodLike] | None = None,
            text: str = "text", pair: str | None = None, workers: int | tuple[int, int] | None = None, threads: int = 1,
            batch_size: int = 64, dtype: str = "float32", keep_going: bool = False, **options: Any) -> ray.data.Dataset:
    """The dataset with a row per input and method: its own columns, and beside them method, tokens, scores (in C order, with
    shape and axes), target, probability, checks_passed, error and the record of the run.

    model       a folder that every machine can read, or a shipped model by name
    methods     as Model.explain takes them; options (target=…, aggregate=…, steps=…) too
    text, pair  the columns to read
    workers     how many actors, or (least, most); None: as many as the cluster's processors hold
    threads     of each actor, which asks Ray for as many processors
    keep_going  a row that cannot be explained says why under `error` instead of ending the run
    """
    import ray
    import ray.data

    if workers is None:
        workers = (1, max(1, int(ray.cluster_resources().get("CPU", 1)) // threads))
    least, most = (workers, workers) if isinstance(workers, int) else workers
    kwargs = {"model": from_anywhere(model), "methods": methods, "text": text, "pair": pair, "keep_going": keep_going, "dtype": dtype,
              "threads": threads, "options": options}
    # Ray starts an actor that died again and gives it its batch again: the numbers are the same, so nothing is lost or doubled.
    return dataset.map_batches(Explainer, fn_constructor_kwargs=kwargs, batch_size=batch_size, batch_format="pyarrow",
                               compute=ray.data.ActorPoolStrategy(min_size=least, max_size=most), num_cpus=threads)

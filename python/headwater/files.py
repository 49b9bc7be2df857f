"""Explanations read back from what Explanation.save wrote."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import FormatError, InputError
from .explanation import Explanation
from .result import Result

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray


def _array(values: Any) -> NDArray[Any]:
    """Nested lists of numbers; null is NaN."""
    import numpy as np

    return np.array(values, dtype=object).astype(float)


def _axis_names(axes: list[Any]) -> tuple[str, ...]:
    """Of a later sequence than the first an axis is written whole: {"axis": "query", "sequence": 1}."""
    return tuple(one if isinstance(one, str) else one["axis"] for one in axes)


def _from_json(fields: dict[str, Any]) -> Explanation:
    results = []
    for one in fields.pop("attributions"):
        maps, axes = {}, {}
        if "scores" in one:
            maps[""], axes[""] = _array(one.pop("scores")), _axis_names(one["axes"])
        for named in one.pop("maps", []):
            maps[named["name"]], axes[named["name"]] = _array(named["values"]), _axis_names(named["axes"])
        details = {named["name"]: _array(named["values"]) for named in one.pop("details", [])}
        row = one.pop("answer", None)
        results.append(Result(one, maps, axes, details, _answer(maps, one, None if row is None else _array(row))))
    return Explanation(fields, results)


def _answer(maps: dict[str, Any], fields: dict[str, Any], row: NDArray[Any] | None) -> NDArray[Any] | None:
    """The answer: for a map the row that was read, from the file; for a score per token the measured scores."""
    import numpy as np

    first = next(iter(maps.values()), None)
    if row is not None or first is None or first.ndim != 1:
        return row
    scores: NDArray[Any] = first[None].copy()
    if "measured" in fields:
        scores[:, ~np.array(fields["measured"], dtype=bool)] = np.nan
    return scores


def read_safetensors(data: bytes) -> tuple[dict[str, Any], dict[str, str]]:
    """The arrays and the metadata of a safetensors file of floats and integers."""
    import numpy as np

    kinds = {"F32": "<f4", "F64": "<f8", "I64": "<i8", "I32": "<i4", "U8": "u1", "BOOL": "?"}
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    metadata = header.pop("__metadata__", {})
    arrays = {}
    for name, one in header.items():
        begin, end = (8 + length + offset for offset in one["data_offsets"])
        arrays[name] = np.frombuffer(data[begin:end], dtype=kinds[one["dtype"]]).reshape(one["shape"])
    return arrays, metadata


#: What the maps of an encoder-decoder are called; other arrays of a result are its details.
_KINDS = ("encoder", "decoder", "cross", "decoder_to_source", "decoder_to_prefix")


def _axes_of(values: NDArray[Any]) -> tuple[str, ...]:
    return {1: ("token",), 2: ("query", "key"), 3: ("layer", "query", "key"),
            4: ("layer", "head", "query", "key")}.get(values.ndim, ("",) * values.ndim)


def _units(arrays: dict[str, Any], tokens: list[str]) -> list[dict[str, Any]]:
    if "token_ids" not in arrays:
        return []
    columns = zip(tokens, *(arrays[name] for name in ("token_ids", "offsets", "word_ids", "special_mask", "sequence_ids")))
    return [{"text": text, "piece": text, "id": int(number), "begin": int(place[0]), "end": int(place[1]),
             "sequence": int(sequence), "word": int(word), "special": bool(special)}
            for text, number, place, word, special, sequence in columns]


def _from_arrays(arrays: dict[str, Any], tokens: list[str], fields: dict[str, Any]) -> Explanation:
    results: list[Result] = []
    seen: dict[str, int] = {}
    for one in fields.pop("attributions"):
        name = f"{one['method']}_{one['aggregate']}" if one.get("aggregate") else str(one["method"])
        seen[name] = seen.get(name, 0) + 1
        stored = name if seen[name] == 1 else f"{name}_{seen[name]}"
        own = {key[len(stored) + 1:]: values for key, values in arrays.items() if key.startswith(stored + ".")}
        own.pop("measured", None)  # the summary has it
        row = own.pop("answer", None)
        maps = {"": arrays[stored]} if stored in arrays else {}
        maps |= {key: own[key] for key in _KINDS if key in own}
        details = {key: values for key, values in own.items() if key not in maps}
        axes = {key: _axes_of(values) if key else _axis_names(one["axes"]) for key, values in maps.items()}
        results.append(Result(one, maps, axes, details, _answer(maps, one, row)))
    fields["tokens"] = _units(arrays, tokens)
    return Explanation(fields, results)


def _seen(explanation: Explanation) -> Explanation:
    """Checks everything that is read later, so that missing or wrong content is reported now."""
    json.dumps([explanation.text, explanation.pair, explanation.image, explanation.sentence, explanation.prediction,
                explanation.target, explanation.model, explanation.record, explanation.agreement])
    tokens = explanation.tokens
    for column in (tokens.ids, tokens.offsets, tokens.word_ids, tokens.special_mask, tokens.sequence_ids):
        if len(column) != len(tokens):
            raise ValueError("tokens: expected a value for each")
    for result in explanation:
        if not result.maps:
            raise ValueError(f"{result.name}: expected a map, found none")
        for name, values in result.maps.items():
            if values.ndim != len(result.axes_of(name)):
                raise ValueError(f"{result.name}: expected {len(result.axes_of(name))} axes, found {values.ndim}")
        dict(result.options)
        for check in result.checks:
            float(check.value), float(check.bound), bool(check.passed)
        " ".join(result.notes)
        float(result.seconds), result.measured
    return explanation


def _read(path: str | os.PathLike[str], suffix: str, data: bytes) -> Explanation:
    if suffix == ".json":
        fields = json.loads(data.decode())
        if not isinstance(fields, dict) or fields.get("schema") != "headwater.report/1":
            found = fields.get("schema") if isinstance(fields, dict) else type(fields).__name__
            raise InputError(f"{path}: expected a headwater.report/1, found {found!r}")
        return _from_json(fields)
    if suffix == ".npz":
        import io

        import numpy as np

        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        tokens = [str(token) for token in arrays.get("tokens", [])]
        return _from_arrays(arrays, tokens, json.loads(str(arrays["record"])))
    arrays, metadata = read_safetensors(data)
    return _from_arrays(arrays, json.loads(metadata.get("tokens", "[]")), json.loads(metadata["record"]))


def load(path: str | os.PathLike[str]) -> Explanation:
    suffix = Path(path).suffix
    if suffix not in (".json", ".npz", ".safetensors"):
        raise InputError(f"load: expected .json, .npz or .safetensors, found {path}")
    data = Path(path).read_bytes()
    try:
        return _seen(_read(path, suffix, data))
    except InputError:
        raise
    except Exception as error:  # of whatever kind: zipfile, zlib, NumPy and json each have their own
        raise FormatError(f"{path}: expected an explanation that Headwater wrote: {error or type(error).__name__}") from error

"""Explanations in the forms that other tools read. Our maps are [query, key]: a row is the token that attends."""

from __future__ import annotations

import base64
import html
import json
import struct
from typing import TYPE_CHECKING, Any

from .errors import InputError, Unsupported

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .explanation import Explanation
    from .result import Result


def _columns(explanation: Explanation) -> dict[str, list[Any]]:
    tokens = explanation.tokens
    if not len(tokens):
        raise Unsupported("to_frame: expected a text, found a picture; its maps are arrays in results")
    columns: dict[str, list[Any]] = {
        "token": list(tokens), "id": tokens.ids.tolist(), "begin": tokens.offsets[:, 0].tolist(),
        "end": tokens.offsets[:, 1].tolist(), "word": tokens.word_ids.tolist(), "special": tokens.special_mask.tolist()}
    for result in explanation:
        columns[result.name] = result.token_scores().tolist()
    return columns


class Rows(list[dict[str, Any]]):
    """A dict per token, if no library of frames is installed; a notebook shows it as a table."""

    def _repr_html_(self) -> str:
        def cell(value: Any) -> str:
            return f"{value:.4g}" if isinstance(value, float) else html.escape(str(value))

        head = "".join(f"<th>{html.escape(name)}</th>" for name in (self[0] if self else ()))
        body = ("<tr>" + "".join(f"<td>{cell(value)}</td>" for value in row.values()) + "</tr>" for row in self)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def to_frame(explanation: Explanation, library: str | None = None) -> Any:
    columns = _columns(explanation)
    if library not in (None, "pandas", "polars"):
        raise InputError(f"to_frame: expected pandas or polars, found {library!r}")
    for name in (library,) if library else ("pandas", "polars"):
        try:
            module = __import__(name)
        except ImportError:
            if library:
                raise ImportError(f"to_frame: expected {name}, found none; install it (pip install {name})") from None
            continue
        return module.DataFrame(columns)
    raise ImportError("to_frame: expected pandas or polars, found neither; install one (pip install pandas), or use to_rows(), "
                      "which needs none")


def to_rows(explanation: Explanation) -> list[dict[str, Any]]:
    columns = _columns(explanation)
    return Rows(dict(zip(columns, row)) for row in zip(*columns.values()))


def _require_map(explanation: Explanation, what: str) -> Result:
    for result in explanation:
        if result.axes[-2:] == ("query", "key"):
            return result
    raise InputError(f"{what}: expected a map of queries and keys, found {', '.join(r.name for r in explanation)}; "
                     "explain by a method that has one (hw.methods())")


def to_bertviz(explanation: Explanation) -> tuple[list[Any], list[str]]:
    import torch

    result = _require_map(explanation, "to_bertviz")
    scores = result.scores
    if "head" not in result.axes:
        scores = scores[..., None, :, :]
    if "layer" not in result.axes:
        scores = scores[None]
    whole = torch.nan_to_num(torch.from_numpy(scores.copy()))
    return [layer[None] for layer in whole], list(explanation.tokens)


def _additive(explanation: Explanation, what: str) -> Result:
    for result in explanation:
        if result.axes == ("token",):
            return result
    raise InputError(f"{what}: expected a score per token, found {', '.join(r.name for r in explanation)}; "
                     "explain by a method that has one (hw.methods())")


def to_shap(explanation: Explanation) -> Any:
    import numpy as np
    import shap

    result = _additive(explanation, "to_shap")
    label = explanation.target.get("label", "")
    # What is not of the scores: the value they add up to is the target's.
    base = float(explanation.target.get("logit") or 0.0) - float(np.nansum(result.scores))
    return shap.Explanation(values=np.array(result.scores, dtype=float)[None, :, None],
                            base_values=np.array([[base]]), data=[np.array(list(explanation.tokens), dtype=object)],
                            output_names=[label])


def to_captum(explanation: Explanation) -> list[Any]:
    import numpy as np
    from captum.attr import visualization

    target, prediction, made = explanation.target, explanation.prediction, []
    for result in explanation:
        scores = np.nan_to_num(result.token_scores())  # what was not measured has no colour
        largest = max(float(abs(scores).max()), 1e-30)  # colours go from -1 to 1 there
        missed = [check.value for check in result.checks if "add up" in check.name]
        made.append(visualization.VisualizationDataRecord(
            word_attributions=[float(one) / largest for one in scores],
            pred_prob=float(prediction.get("probability", target.get("probability")) or 0.0),
            pred_class=str(prediction.get("label", target.get("label", ""))), true_class="",
            attr_class=str(target.get("label", "")), attr_score=float(scores.sum()), raw_input_ids=list(explanation.tokens),
            convergence_score=missed[0] if missed else float("nan")))
    return made


def _safetensors(values: NDArray[Any]) -> bytes:
    """One tensor called "attribution"."""
    data = values.astype("<f4").tobytes()
    header = json.dumps({"attribution": {"dtype": "F32", "shape": list(values.shape),
                                         "data_offsets": [0, len(data)]}}).encode()
    header += b" " * (-len(header) % 8)
    return struct.pack("<Q", len(header)) + header + data


def to_inseq(explanation: Explanation) -> dict[str, Any]:
    """Scores per input token of one step: source_attributions is [source tokens, 1], rows are inputs."""
    result, tokens, target = _additive(explanation, "to_inseq"), explanation.tokens, explanation.target

    def token(text: str, number: int) -> dict[str, Any]:
        return {"__instance_type__": ["inseq.utils.typing", "TokenWithId"], "attributes": {"token": text, "id": number}}

    tensor = base64.b64encode(_safetensors(result.scores.astype(float)[:, None])).decode()
    sequence = {
        "__instance_type__": ["inseq.data.attribution", "FeatureAttributionSequenceOutput"],
        "attributes": {
            "source": [token(piece, int(number)) for piece, number in zip(tokens.pieces, tokens.ids)],
            "target": [token(str(target.get("label", "")), int(target.get("index", 0)))],
            "source_attributions": tensor, "target_attributions": None, "step_scores": {}, "sequence_scores": None,
            "attr_pos_start": 0, "attr_pos_end": 1, "_aggregator": None, "_dict_aggregate_fn": None,
            "_attribution_dim_names": None, "_num_dimensions": None}}
    info = {"attribution_method": result.name, "model_name": explanation.record.get("model", ""),
            "input_texts": [explanation.text], "generated_texts": [str(target.get("label", ""))],
            "attributed_fn": "logit", "attribution_args": result.options}
    return {"__instance_type__": ["inseq.data.attribution", "FeatureAttributionOutput"],
            "attributes": {"info": info, "sequence_attributions": [sequence], "step_attributions": None}}

"""What becomes of an explanation: files that come back, exports, and what a notebook shows."""

import re
import sys

import headwater as hw
import numpy as np
import pytest
from conftest import GOLDEN, golden_json

TEXT = "a gripping and often very funny film"


def test_what_is_read_from_a_file_is_what_was_written(golden, sentiment, tmp_path):
    """Characters of a pair that is not ASCII, the row the output was read from, what was not measured, every kind of map."""
    pair = ("naïve – déjà vu", "東京 and ñandú")
    causal = golden("gpt2_causal_lm")
    for explanation in (sentiment.explain(pair, ["attention", "value_zeroing", "integrated_gradients"]),
                        causal.model.explain(causal.text, ["attention", "occlusion"])):
        for name in ("e.json", "e.npz", "e.safetensors"):
            explanation.save(tmp_path / name)
            again = hw.Explanation.load(tmp_path / name)
            assert np.array_equal(again.offsets, explanation.offsets), name
            assert np.array_equal(again.tokens.sequence_ids, explanation.tokens.sequence_ids)
            for a, b in zip(again, explanation):
                assert np.array_equal(a.answer.astype(b.answer.dtype), b.answer, equal_nan=True), (name, b.name)
            assert len(again.to_frame()) == len(explanation.tokens)
    case = golden_json("encoder_decoder.json")["cases"][0]
    model = hw.load(GOLDEN / "encoder_decoder_models" / case["model"], dtype="float64")
    made = model.explain(case["source"]["text"], ["attention", "attention_rollout", "generic_attention", "hidden_token_attribution"],
                         prefix=case["prefix"]["text"])
    for name in ("e.json", "e.npz", "e.safetensors"):
        made.save(tmp_path / name)
        for a, b in zip(hw.Explanation.load(tmp_path / name), made):
            assert list(a.maps) == list(b.maps) and set(a.details) == set(b.details), (name, b.name)
            assert all(a.axes_of(kind) == b.axes_of(kind) for kind in b.maps), (name, b.name)
            assert all(np.array_equal(a.maps[kind], b.maps[kind], equal_nan=True) for kind in b.maps), (name, b.name)
            assert np.array_equal(a.answer, b.answer, equal_nan=True), (name, b.name)
    begin, end = sentiment.explain(pair, "attention").offsets[-2]
    assert pair[1][begin:end] == "ñandú"[-(end - begin):]


def test_files_come_back(sentiment, tmp_path):
    explanation = sentiment.explain(TEXT, ["attention", "integrated_gradients"], target="NEGATIVE")
    for name in ("e.json", "e.npz", "e.safetensors"):
        explanation.save(tmp_path / name)
        again = hw.Explanation.load(tmp_path / name)
        assert [one.name for one in again] == [one.name for one in explanation]
        for a, b in zip(again, explanation):
            assert np.array_equal(a.scores.astype(b.scores.dtype), b.scores) and a.axes == b.axes
            assert [check.name for check in a.checks] == [check.name for check in b.checks]
        assert list(again.tokens) == list(explanation.tokens)
        assert np.array_equal(again.offsets, explanation.offsets)
        assert again.target["label"] == "NEGATIVE" and again.record["weights_sha256"]
    for name in ("e.html", "e.txt"):
        explanation.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 500
    with pytest.raises(hw.InputError):
        explanation.save(tmp_path / "e.docx")
    with pytest.raises(hw.InputError):
        again.to_html()
    (tmp_path / "bad.npz").write_bytes(b"no")
    with pytest.raises(hw.FormatError):
        hw.Explanation.load(tmp_path / "bad.npz")


def test_exports_have_their_shapes(sentiment):
    explanation = sentiment.explain(TEXT, ["integrated_gradients", "attention"])
    inseq = explanation.to_inseq()
    sequence = inseq["attributes"]["sequence_attributions"][0]["attributes"]
    assert len(sequence["source"]) == len(explanation.tokens)
    frame = explanation.to_frame()
    assert len(frame) == len(explanation.tokens)
    columns = frame[0] if isinstance(frame, list) else list(frame.columns)
    assert {"token", "id", "begin", "end", "integrated_gradients", "attention"} <= set(columns)
    page = explanation._repr_html_()
    assert "<script" not in page and "POSITIVE" in page and len(page) < 20000
    frame = str(getattr(explanation.show(), "data", explanation.show()))
    assert "<iframe" in frame and "allow-downloads" in frame  # without it Export does nothing, silently
    drawn = explanation.plot()
    assert drawn.startswith("<svg") if isinstance(drawn, str) else drawn.get_title()


def test_rows_are_a_table_where_there_are_no_frames(sentiment, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "polars", None)
    explanation = sentiment.explain("a <b> film", ["integrated_gradients", "attention"])
    rows = explanation.to_frame()
    assert isinstance(rows, list) and [row["token"] for row in rows] == list(explanation.tokens)
    page = rows._repr_html_()
    assert page.count("<tr>") == len(rows) + 1 and "<b>" not in page and "<td>&lt;</td>" in page
    with pytest.raises(ImportError):
        explanation.to_frame("polars")


def test_colours_are_those_of_the_page(sentiment):
    """Blue counts for the target, orange against it, and what stands on it can be read (WCAG: 4.5 to 1)."""
    page = sentiment.explain("not good, dull", "integrated_gradients")._repr_html_()
    cells = re.findall(r'title="([^"]+)" style="background:#(..)(..)(..);color:#(...)', page)
    assert len(cells) == 6 and "blue counts for NEGATIVE, orange against it" in page
    signs = set()
    for score, *colour, ink in cells:
        red, green, blue = (int(part, 16) for part in colour)
        signs.add(sign := np.sign(float(score)))
        assert np.sign(blue - red) in (sign, 0), score
        light = np.array([red, green, blue]) / 255
        linear = np.where(light <= 0.04045, light / 12.92, ((light + 0.055) / 1.055) ** 2.4)
        luminance = linear @ [0.2126, 0.7152, 0.0722]
        assert (1.05 / (luminance + 0.05) if ink == "fff" else (luminance + 0.05) / 0.05) >= 4.5, score
    assert {1, -1} <= signs

"""What becomes of an explanation: files that come back, exports, and what a notebook shows."""

import json
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
            assert len(again.to_rows()) == len(explanation.tokens)
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
    rows = explanation.to_rows()
    assert len(rows) == len(explanation.tokens)
    assert {"token", "id", "begin", "end", "integrated_gradients", "attention"} <= set(rows[0])
    page = explanation._repr_html_()
    assert "<script" not in page and "POSITIVE" in page and len(page) < 20000
    frame = str(getattr(explanation.show(), "data", explanation.show()))
    assert "<iframe" in frame and "allow-downloads" in frame  # without it Export does nothing, silently
    drawn = explanation.plot()
    assert drawn.startswith("<svg") and "integrated_gradients" in drawn


def test_rows_are_a_table_where_there_are_no_frames(sentiment, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "polars", None)
    explanation = sentiment.explain("a <b> film", ["integrated_gradients", "attention"])
    rows = explanation.to_rows()
    assert isinstance(rows, list) and [row["token"] for row in rows] == list(explanation.tokens)
    page = rows._repr_html_()
    assert page.count("<tr>") == len(rows) + 1 and "<b>" not in page and "<td>&lt;</td>" in page
    with pytest.raises(ImportError, match="install one .pip install pandas., or use to_rows"):
        explanation.to_frame()
    with pytest.raises(ImportError, match="pip install polars"):
        explanation.to_frame("polars")
    with pytest.raises(hw.InputError, match="pandas or polars"):
        explanation.to_frame("excel")


class Column:
    """As pandas' and polars' columns are."""

    def __init__(self, values):
        self.values = values

    def __iter__(self):
        return iter(self.values)

    def to_list(self):
        return list(self.values)


def test_a_list_is_several_texts_everywhere(sentiment):
    texts = ["good", "bad", "meh"]
    alone = [sentiment.explain(text, "attn_lrp") for text in texts]
    for given in (texts, Column(texts), np.array(texts), np.array(texts, dtype=object)):
        made = sentiment.explain(given, "attn_lrp")
        assert [one.text for one in made] == texts
        assert all(np.array_equal(a.scores, b.scores) for a, b in zip(made, alone))
        assert [one["label"] for one in sentiment.predict(given)] == [one.prediction["label"] for one in alone]
        assert [one.text for one in sentiment.explain_iter(given, "attn_lrp")] == texts
        assert [list(one) for one in sentiment.tokenize(given)] == [list(one.tokens) for one in alone]
    assert sentiment.explain([], "attn_lrp") == [] and sentiment.predict([]) == []
    pairs = sentiment.explain([("good", "film"), "bad"], "attn_lrp")
    assert [one.pair for one in pairs] == ["film", None]
    nested = sentiment.explain([["good", "film"], "good film"], "attn_lrp")
    assert np.array_equal(nested[0].scores, nested[1].scores), "a list in the list is one text's words"


def test_words_are_named_and_a_list_where_one_text_goes_is_refused(sentiment):
    words = ["good", "film"]
    one = sentiment.explain(words=words, method="attn_lrp")
    assert one.text == "good film" and sentiment.predict(words=words)["label"] == one.prediction["label"]
    assert np.array_equal(sentiment.run(words=words).logits, sentiment.run("good film").logits)
    made = sentiment.explain(words, "attn_lrp")
    with pytest.raises(AttributeError, match=r"list is several texts.*words="):
        made.scores
    for refused, match in ((lambda: sentiment.run(words), "words="), (lambda: sentiment.tree(words), "words="),
                           (lambda: sentiment.explain("a", words=words), "found both"),
                           (lambda: sentiment.explain(words="good film"), "list of words"),
                           (lambda: sentiment.explain(("a", "b", "c")), "pair of them"),
                           (lambda: sentiment.explain(["good", None]), "input 2: text"),
                           (lambda: sentiment.predict(["good", float("nan")]), "input 2: text"),
                           (lambda: list(sentiment.explain_iter(["good", 3])), "input 2: text"),
                           (lambda: sentiment.explain(""), "empty"), (lambda: sentiment.explain(["good", ""]), "input 2.*empty"),
                           (lambda: sentiment.explain(None), "text")):
        with pytest.raises(hw.InputError, match=match):
            refused()


def test_the_empty_text_is_refused_as_the_program_does(sentiment, program):
    import subprocess

    said = subprocess.run([program, "explain", "-m", "sentiment", ""], capture_output=True, text=True)
    with pytest.raises(hw.InputError) as refused:
        sentiment.explain("")
    assert said.returncode == 2 and str(refused.value) in said.stderr


def test_half_a_surrogate_pair_is_an_input_error(sentiment, tmp_path):
    half = "good \ud800 film"
    for refused in (lambda: sentiment.explain(half), lambda: sentiment.predict(half), lambda: sentiment.tokenize(half),
                    lambda: sentiment.explain("a", target=half), lambda: sentiment.explain("a", contrast=half),
                    lambda: sentiment.explain(("a", half)), lambda: sentiment.explain("a", half),
                    lambda: sentiment.explain("a", prefix=half), lambda: sentiment.explain(words=["a", "\udc00"]),
                    lambda: sentiment.explain("a", "integrated_gradients", steps=half),
                    lambda: list(sentiment.explain_iter(["a", half])), lambda: sentiment.heads([("a", half)])):
        with pytest.raises(hw.InputError, match="surrogate"):
            refused()
    with pytest.raises(hw.HeadwaterError):
        hw.load("\ud800")


def test_what_is_no_model_and_no_number_of_threads_is_refused():
    class BertForMaskedLM:
        pass

    with pytest.raises(hw.InputError, match=r"found BertForMaskedLM.*from_transformers\(model, tokenizer\)"):
        hw.load(BertForMaskedLM())
    before = hw.threads()
    with pytest.raises(hw.InputError, match="found -5"):
        hw.set_threads(-5)
    assert hw.threads() == before


@pytest.mark.parametrize("ending", ["json", "npz", "safetensors"])
def test_damaged_files_are_format_errors(sentiment, tmp_path, ending):
    """Whatever was done to a file, it comes back whole or is refused by the package's own errors."""
    path = tmp_path / f"whole.{ending}"
    sentiment.explain("not bad", ["attn_lrp", "attention"]).save(path)
    whole = path.read_bytes()
    random = np.random.default_rng(7)
    damaged, refused = tmp_path / f"damaged.{ending}", 0
    for turn in range(250):
        data = bytearray(whole)
        if turn % 3 == 0:
            data = data[:int(random.integers(len(data)))]
        elif turn % 3 == 1:
            for at in random.integers(len(data), size=int(random.integers(1, 9))):
                data[at] = int(random.integers(256))
        else:
            begin, end = sorted(random.integers(min(len(data), 4000), size=2))
            del data[begin:end]
        damaged.write_bytes(data)
        try:
            again = hw.Explanation.load(damaged)
            assert again.sentence is not None and again.scores is not None and len(again.tokens) >= 0
        except (hw.FormatError, hw.InputError):
            refused += 1
    assert refused > 100
    if ending == "json":
        fields = json.loads(whole)
        for change in (lambda f: f.pop("sentence"), lambda f: f.update(tokens=3), lambda f: f["attributions"][0].pop("scores"),
                       lambda f: f["attributions"][0].update(checks=[{}]), lambda f: f.update(input=[]),
                       lambda f: f["attributions"][0].update(method=None, notes=3)):
            made = json.loads(json.dumps(fields))
            change(made)
            damaged.write_text(json.dumps(made))
            with pytest.raises(hw.FormatError):
                hw.Explanation.load(damaged)
        damaged.write_text("[" * 100000)
        with pytest.raises(hw.FormatError):
            hw.Explanation.load(damaged)


def test_figures_are_the_program_s_own(sentiment, program, tmp_path):
    import subprocess

    explanation = sentiment.explain("not bad at all", ["attn_lrp", "attention"])
    explanation.save(tmp_path / "e.json")
    for kind in ("strip", "matrix", "grid"):
        drawn = subprocess.run([program, "plot", str(tmp_path / "e.json"), "--kind", kind], capture_output=True, text=True, check=True)
        assert str(explanation.figure(kind)).strip() == drawn.stdout.strip(), kind
    explanation.save(tmp_path / "e.svg", kind="grid")
    assert (tmp_path / "e.svg").read_text() == explanation.figure("grid")
    assert explanation.plot()._repr_svg_().startswith("<svg")
    for ending, start in (("pdf", b"%PDF"), ("png", b"\x89PNG")):
        try:
            explanation.save(tmp_path / f"e.{ending}")
        except hw.Unsupported as error:
            assert "librsvg" in str(error)
        else:
            assert (tmp_path / f"e.{ending}").read_bytes().startswith(start)
            explanation.plot().save(tmp_path / f"f.{ending}")
            assert (tmp_path / f"f.{ending}").read_bytes().startswith(start)
    for refused in (lambda: explanation.figure("pie"), lambda: explanation.figure("overlay"),
                    lambda: explanation.save(tmp_path / "e.json", kind="grid"), lambda: explanation.figure().to_bytes("gif")):
        with pytest.raises(hw.InputError):
            refused()


def test_the_package_has_the_program_inside(program):
    import os
    import subprocess

    def ran(*command, **more):
        return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"}, **more)

    inside = [sys.executable, "-m", "headwater"]
    for arguments in (["--version"], ["explain", "-m", "sentiment", "--method", "attn_lrp", "not bad"], ["explain", "--steps", "x"],
                      ["predict", "-m", "sentiment", "--format", "json", "good"]):
        ours, theirs = ran(*inside, *arguments), ran(program, *arguments)
        assert (ours.returncode, ours.stdout, ours.stderr) == (theirs.returncode, theirs.stdout, theirs.stderr), arguments
    assert ran(*inside, "predict", "-m", "sentiment", "-f", "-", input="good\nbad\n").stdout.count("\n") == 2


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

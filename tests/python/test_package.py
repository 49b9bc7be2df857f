"""The package's own promises: memory that is shared, runs, streams, pictures, errors and what a model can be asked."""

import gc
import json
import subprocess
import sys
import types

import headwater as hw
import numpy as np
import pytest
from conftest import ROOT
from headwater.inputs import png_of
from headwater.progress import told

TEXT = "a gripping and often very funny film"


def test_the_two_lines_of_the_readme():
    lines = []
    for block in (ROOT / "README.md").read_text().split("```python\n")[1:]:
        lines.append(block.split("```")[0])
    assert lines
    for code in lines:
        exec(compile(code, "README.md", "exec"), {})  # noqa: S102


def test_predictions_in_order_and_alone(sentiment):
    texts = [TEXT, "a dull, lifeless mess", TEXT + " and more", "bad"]
    together = sentiment.predict(texts)
    assert [one["label"] for one in together[:2]] == ["POSITIVE", "NEGATIVE"]
    assert together == [sentiment.predict(one) for one in texts]
    assert abs(sum(score["probability"] for score in together[0]["scores"]) - 1) < 1e-6


def test_tokens_know_their_characters(sentiment):
    text = "naïve – déjà vu, 東京 great"
    tokens = sentiment.tokenize(text)
    for token, (begin, end), special in zip(tokens, tokens.offsets, tokens.special_mask):
        assert special or text[begin:end] == token
    assert tokens.special_mask[0] and not tokens.special_mask[1]
    assert len(tokens.ids) == len(tokens) == len(tokens.pieces)
    assert sentiment.explain(text, "attention").tokens == tokens


def test_arrays_share_memory(sentiment):
    explanation = sentiment.explain(TEXT, "attention")
    scores = explanation.scores
    assert scores is explanation.results[0].scores and not scores.flags.owndata and not scores.flags.writeable
    assert np.shares_memory(np.from_dlpack(explanation), scores)
    assert np.shares_memory(np.asarray(explanation), scores)
    with pytest.raises(ValueError):
        scores[0] = 1
    with pytest.raises(ValueError, match="copy"):
        explanation.__array__(np.float64, copy=False)
    kept = np.array(scores)
    del explanation
    gc.collect()
    sentiment.explain("something else that takes buffers from the pool", "attention")
    assert np.array_equal(scores, kept), "an array outlives its explanation"


def test_shapes_and_axes(sentiment):
    several = sentiment.explain(TEXT, ["attention", "chefer", "value_zeroing"])
    tokens = len(several.tokens)
    layers, heads = sentiment.info["layers"], sentiment.info["heads"]
    assert several["attention"].scores.shape == (layers, heads, tokens, tokens)
    assert several["attention"].axes == ("layer", "head", "query", "key")
    assert several["chefer"].scores.shape == (tokens,) and several["chefer"].axes == ("token",)
    np.testing.assert_allclose(several["value_zeroing"].matrix.sum(-1), 1, rtol=1e-5)
    assert several["attention"].answer.shape == (layers, tokens)
    np.testing.assert_allclose(several["attention"].answer, several["attention"].matrix[:, 0], rtol=1e-6)
    assert [result.name for result in several] == ["attention", "chefer", "value_zeroing"]
    assert len(several.agreement) == 3
    rolled = sentiment.explain(TEXT, "value_zeroing", aggregate="rollout")
    assert rolled[0].name == "value_zeroing_rollout"


def test_words_add_up(sentiment):
    explanation = sentiment.explain("unbelievably good", "integrated_gradients")
    words = explanation.words()
    assert list(words.tokens) == ["unbelievably", "good"]
    inside = explanation.tokens.word_ids == 0
    np.testing.assert_allclose(words.scores[0], explanation.scores[inside].sum(), rtol=1e-6)


def test_words_that_were_split_before_stay_words(sentiment):
    words = ["don't", "miss", "the", "U.S.", "naïve-ish", "film"]
    tokens, free = sentiment.tokenize(words=words), sentiment.tokenize(" ".join(words))
    begins = np.cumsum([0] + [len(word) + 1 for word in words])
    inside = tokens.word_ids >= 0
    assert np.array_equal(tokens.word_ids[inside], np.searchsorted(begins, tokens.offsets[inside, 0], "right") - 1)
    assert tokens == free and max(free.word_ids) > max(tokens.word_ids) == 5
    explanation = sentiment.explain(words=words, method="attn_lrp")
    assert list(explanation.words().tokens) == words and "--spaced" in explanation.record["command"]
    assert sentiment.predict([words])[0]["logits"] == sentiment.predict(" ".join(words))["logits"]
    both = sentiment.tokenize((["don't", "miss"], ["U.S.", "film"]))
    assert [set(both.word_ids[(both.sequence_ids == k) & (both.word_ids >= 0)]) for k in (0, 1)] == [{0, 1}, {0, 1}]
    for wrong in ("two words", "", "tab\t"):
        with pytest.raises(hw.InputError, match="without spaces"):
            sentiment.explain(words=["one", wrong])


def test_runs_edits_replays_and_gradients(exact):
    run = exact.run(TEXT)
    assert run["encoder", "pattern", 1].shape == run["pattern", 1].shape
    assert ("", "logits", 0) in run.places() and "logits" in run and ("pattern", 99) not in run
    without = exact.run(TEXT, [hw.zero("pattern", 1, heads=[2])])
    z = np.array(without["z", 1])
    assert np.array_equal(run.replay({("z", 1): z[None]})[0], without["logits"])
    assert np.array_equal(exact.run(TEXT, hw.zero("pattern", np.int64(1), heads=[2]))["z", np.int64(1)], z)
    halved = exact.run(TEXT, [hw.scale("v", 0, by=0.5, rows=[1])])
    assert np.array_equal(halved["v", 0][1], run["v", 0][1] * 0.5)
    put = exact.run(TEXT, [hw.replace("resid_pre", 0, values=run["resid_pre", 0] + 1)])
    np.testing.assert_array_equal(put["resid_pre", 0], run["resid_pre", 0] + 1)
    gradient = run.gradient("embed", seed="POSITIVE")
    step, embed = 1e-5, np.array(run["embed"])
    for place in [(0, 0), (3, 7)]:
        copies = np.stack([embed, embed])
        copies[0][place] += step
        copies[1][place] -= step
        up, down = run.replay({"embed": copies})[:, 1]
        assert abs((up - down) / (2 * step) - gradient[place]) < 1e-8
    many = run.gradients(["embed", ("pattern", 1)], seed=np.eye(2))
    assert many[0].shape == (2, *embed.shape) and np.array_equal(many[0][1], gradient)
    assert run["pattern", 1].flags.writeable is False


def test_errors_are_what_they_are_called(sentiment, tmp_path):
    with pytest.raises(hw.InputError, match="expected") as raised:
        sentiment.explain(TEXT, "atention")
    assert isinstance(raised.value, ValueError)
    with pytest.raises(ValueError, match="no_such_option"):
        sentiment.explain(TEXT, ["attention", "chefer"], no_such_option=1)
    with pytest.raises(hw.InputError):
        sentiment.explain(TEXT, "chefer", target="happy")
    with pytest.raises(hw.InputError):
        sentiment.run(TEXT)["patern", 0]
    with pytest.raises(hw.Unsupported) as raised:
        sentiment.run(TEXT, [hw.zero("pattern", 1)]).gradient("embed", seed=0)
    assert isinstance(raised.value, NotImplementedError)
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(hw.FormatError) as raised:
        hw.load(tmp_path)
    assert isinstance(raised.value, OSError)
    with pytest.raises(hw.InputError):
        hw.load("no-such-model-anywhere")
    for given in (3, ["not", 3], None, b"not"):
        with pytest.raises(hw.InputError, match="expected a string"):
            sentiment.explain(given)
    with pytest.raises(hw.InputError, match="several texts"):
        next(sentiment.explain_iter(TEXT, "attention"))
    with pytest.raises(hw.InputError, match=r"input 1: expected \(input, label\)"):
        sentiment.heads([TEXT])
    for wrong in ({"unit": "words"}, {"explained": "golden"}):
        with pytest.raises(hw.InputError, match="expected"):
            sentiment.evaluate(LABELLED, ["saliency"], ["deletion"], **wrong)
    with pytest.raises(hw.InputError, match="from 0 to 1"):
        sentiment.run(TEXT).gradient("embed", seed=2)


def test_streams_keep_their_order_and_are_lazy(sentiment):
    asked = []

    def texts():
        for i in range(5):
            asked.append(i)
            yield f"film number {i}"

    found = sentiment.explain_iter(texts(), "attention")
    assert next(found).text == "film number 0" and asked == [0]
    assert [one.text for one in found] == [f"film number {i}" for i in range(1, 5)]


def test_streams_have_the_bits_of_one_by_one(sentiment):
    texts = [f"{TEXT} {'really ' * (i % 5)}{i}" for i in range(10)]
    alone = [sentiment.explain(text, ["chefer", "attention"], target="NEGATIVE") for text in texts]
    before = hw.threads()
    try:
        for threads in (1, 2):
            hw.set_threads(threads)
            found = list(sentiment.explain_iter(texts, ["chefer", "attention"], target="NEGATIVE"))
            assert [one.text for one in found] == texts
            for one, expected in zip(found, alone):
                assert one.target == expected.target
                assert all(np.array_equal(a.scores, b.scores) for a, b in zip(one, expected))
    finally:
        hw.set_threads(before)


def test_what_fails_in_a_stream_fails_in_its_turn(sentiment):
    def broken():
        yield from [TEXT, "dull", "warm", "a delight"]
        raise OSError("the disk is gone")

    for texts, error, before in (([TEXT, "dull", "warm", 3, "a delight"], hw.InputError, 3), (broken(), OSError, 4),
                                 ([TEXT, "dull", "long " * 600, "warm"], hw.InputError, 2)):
        found = []
        with pytest.raises(error):
            for one in sentiment.explain_iter(texts, "attention"):
                found.append(one.text)
        assert found == [TEXT, "dull", "warm", "a delight"][:before]
    assert list(sentiment.explain_iter([], "attention")) == []


def test_progress_is_told(sentiment, monkeypatch):
    """One bar for a method however often it is told, one for a stream, which counts texts."""
    bars = []

    class Bar:
        def __init__(self, total, desc, unit, leave):
            self.total, self.desc, self.n, self.closed = total, desc, 0, False
            bars.append(self)

        def update(self, by):
            self.n += by

        def close(self):
            self.closed = True

    tqdm = types.ModuleType("tqdm.auto")
    tqdm.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm.auto", tqdm)
    with told(True) as tell:
        for method, share in (("attattr", 0.25), ("attattr", 0.5), ("lime", 0.125), ("lime", 1)):
            tell(method, share)
    assert [(bar.desc, bar.n, bar.closed) for bar in bars] == [("attattr", 50, True), ("lime", 100, True)]
    texts = ["dull", "warm", "a delight"]
    for given, total in ((texts, 3), (iter(texts), None)):
        bars.clear()
        assert len(list(sentiment.explain_iter(given, "attention", progress=True))) == 3
        assert [(bar.total, bar.n, bar.closed) for bar in bars] == [(total, 3, True)]
    heard = []
    list(sentiment.explain_iter(texts, "attention", progress=lambda what, share: heard.append((what, share))))
    assert heard == [("texts", 1 / 3), ("texts", 2 / 3), ("texts", 1)]


def test_pictures_in_every_form(tmp_path):
    model = hw.load(ROOT / "models" / "vision")
    path = ROOT / "docs" / "pets.jpg"
    by_path = model.explain(path, "chefer", target="cat")
    by_bytes = model.explain(path.read_bytes(), "chefer", target="cat")
    assert np.array_equal(by_path.scores, by_bytes.scores)
    pixels = np.random.default_rng(0).integers(0, 255, (40, 60, 3), dtype=np.uint8)
    by_pixels = model.explain(pixels, "chefer")
    (tmp_path / "pixels.png").write_bytes(png_of(pixels))
    assert np.array_equal(by_pixels.scores, model.explain(tmp_path / "pixels.png", "chefer").scores)

    class Picture:  # as PIL's are
        size, mode = (60, 40), "RGBA"

        def convert(self, mode):
            assert mode == "RGB"
            return pixels

    assert np.array_equal(model.explain(Picture(), "chefer").scores, by_pixels.scores)
    for made in (by_bytes, by_pixels, *model.explain_iter([pixels], "chefer")):
        assert made.image == "picture in memory" and "/proc" not in made.to_html() + str(made.record)
    assert by_path.image == str(path)
    drawn = by_path.plot()
    assert drawn.startswith("<svg") and "<image" in drawn, "the map over its picture"
    with pytest.raises(hw.FormatError, match="picture in memory: expected a PNG or JPEG"):
        model.predict(b"GIF89a")
    with pytest.raises(hw.InputError):
        model.predict(np.zeros((0, 4, 3), dtype=np.uint8))
    assert np.array_equal(model.run(pixels).logits, model.run(Picture()).logits)
    with pytest.raises(hw.InputError):
        model.predict(np.zeros((3, 4, 5)))


@pytest.mark.parametrize("method", ["attn_lrp", "generic_attention", "chefer"])
@pytest.mark.parametrize("label, half", [("cat", 0), ("dog", 1)])
def test_maps_of_the_example_picture_lie_on_the_right_animal(method, label, half):
    model = hw.load(ROOT / "models" / "vision")
    explanation = model.explain(hw.example_picture(), method, target=label)
    side = model.info["image_size"] // model.info["patch_size"]
    patches = np.maximum(explanation.scores.ravel()[-side * side:].reshape(side, side), 0)  # after a class token, if it has a score
    assert patches[:, half * side // 2:(half + 1) * side // 2].sum() > 0.6 * patches.sum()


LABELLED = [(TEXT, "POSITIVE"), ("a dull, lifeless mess", "NEGATIVE"), ("warm and honest", "POSITIVE"),
            ("boring and far too long", "NEGATIVE"), ("not good", "NEGATIVE"), ("a delight", "POSITIVE")]


def test_heads_pruning_trees(sentiment):
    importance = sentiment.heads(LABELLED, "taylor")
    assert importance.scores.shape == (sentiment.info["layers"], sentiment.info["heads"])
    assert (importance.scores >= 0).all()
    curves = sentiment.prune(LABELLED, [importance], rates=[0, 1], random_orders=1)
    assert {curve["ranking"] for curve in curves["curves"]} == {"taylor", "random"}
    tree = sentiment.tree("not bad at all")
    assert tree.edges and tree.to_svg().startswith("<svg") and tree.explanation.method == "attattr"
    assert tree.tokens[tree.root]
    assert set(hw.head_rankings()) >= {"attattr", "taylor"}


def test_evaluate_identify_triggers_check(sentiment):
    table = sentiment.evaluate(LABELLED, ["saliency"], ["comprehensiveness"], resamples=100)
    assert json.dumps(table)
    assert any(cell["method"] == "random" for cell in table["cells"])
    texts = [f"{adjective} {noun}" for adjective in ("good", "bad", "old", "new", "warm") for noun in ("film", "plot", "man")]
    assert sentiment.identify(texts, maps=["naive"], distances=["cosine"], control=False)["cells"]
    assert sentiment.triggers(LABELLED)["labels"] == sentiment.labels
    assert all(one["passed"] for one in sentiment.check(["not bad"])["properties"])


def test_records_say_what_there_is():
    assert len(hw.methods()) > 25 and "bert" in hw.families() and "deletion" in hw.evaluations()
    record = hw.methods()["integrated_gradients"]
    assert "Sundararajan" in record.paper and any(option.name == "steps" for option in record.options)
    assert record.summary in str(record)


def test_imports_are_light():
    code = "import sys, headwater; print(int(any(m in sys.modules for m in ('numpy', 'torch', 'tqdm', 'pandas'))))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "0\n"


def test_docstrings_come_from_the_records():
    for function, records in ((hw.Model.explain, hw.methods()), (hw.Model.evaluate, hw.evaluations()), (hw.load, hw.families())):
        for name, record in records.items():
            assert f"- {name}: {record.summary}" in function.__doc__.splitlines()
            assert record.__doc__ == str(record) and record.summary in record.__doc__
    chefer = hw.methods()["chefer"].__doc__
    assert "Chefer" in chefer and "start_layer (integer, default 0)" in chefer

"""The package's own promises: memory that is shared, threads, forks, pickles, errors, signals and exports."""

import gc
import json
import multiprocessing
import os
import pathlib
import pickle
import re
import resource
import signal
import subprocess
import sys
import threading
import time
import types

import headwater as hw
import numpy as np
import pytest
from conftest import GOLDEN, ROOT, golden_json
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
    tokens, free = sentiment.tokenize(words), sentiment.tokenize(" ".join(words))
    begins = np.cumsum([0] + [len(word) + 1 for word in words])
    inside = tokens.word_ids >= 0
    assert np.array_equal(tokens.word_ids[inside], np.searchsorted(begins, tokens.offsets[inside, 0], "right") - 1)
    assert tokens == free and max(free.word_ids) > max(tokens.word_ids) == 5
    explanation = sentiment.explain(words, "attn_lrp")
    assert list(explanation.words().tokens) == words and "--spaced" in explanation.record["command"]
    assert sentiment.predict([words])[0]["logits"] == sentiment.predict(" ".join(words))["logits"]
    both = sentiment.tokenize((["don't", "miss"], ["U.S.", "film"]))
    assert [set(both.word_ids[(both.sequence_ids == k) & (both.word_ids >= 0)]) for k in (0, 1)] == [{0, 1}, {0, 1}]
    for wrong in ("two words", "", "tab\t"):
        with pytest.raises(hw.InputError, match="without spaces"):
            sentiment.explain(["one", wrong])


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


def test_a_callers_exception_stops_the_run(sentiment):
    class Enough(Exception):
        pass

    def stop(method, done):
        raise Enough

    with pytest.raises(Enough):
        sentiment.explain(" ".join([TEXT] * 12), "attattr", progress=stop)


def test_control_c_stops_a_long_call(tmp_path):
    # A suite that runs in the background of a shell has Ctrl-C ignored, and so would its children.
    code = ("import headwater as hw, signal\n"
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
            f"m = hw.load({str(ROOT / 'models' / 'sentiment')!r}, threads=1)\n"
            "print('ready', flush=True)\n"
            "try:\n"
            "    for _ in range(1000): m.explain(' '.join(['a very long and winding film'] * 30), 'attattr',"
            " tolerance=1e-7)\n"
            "except KeyboardInterrupt:\n"
            "    print('stopped', flush=True)\n")
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline() == "ready\n"
            time.sleep(0.3)
            child.send_signal(signal.SIGINT)
            assert child.communicate(timeout=60)[0] == "stopped\n"
        finally:
            child.kill()


def test_threads_give_the_same_bits(sentiment):
    texts = [f"{TEXT} number {i}" for i in range(6)]
    alone = [sentiment.explain(text, "chefer").scores for text in texts]
    found = [None] * len(texts)

    def work(begin):
        for i in range(begin, len(texts), 2):
            found[i] = sentiment.explain(texts[i], "chefer").scores

    workers = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(np.array_equal(a, b) for a, b in zip(alone, found))
    before = hw.threads()
    hw.set_threads(1)
    try:
        assert np.array_equal(sentiment.explain(texts[0], "chefer").scores, alone[0])
    finally:
        hw.set_threads(before)


def test_threads_share_a_model_at_once(sentiment):
    """Each waits inside its call until the other is inside its own: nothing of a model keeps one of them out."""
    both, errors = threading.Barrier(2), []

    def work():
        met = False

        def meet(method, done):
            nonlocal met
            if not met:
                met = True
                both.wait(timeout=60)

        try:
            sentiment.explain(TEXT, "attattr", progress=meet)  # which tells its end
            assert met
        except BaseException as error:
            errors.append(error)

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not errors


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one processor")
def test_two_threads_are_faster_than_one(sentiment):
    """Pairs of measurements, one behind the other: other work on the machine slows both, and one undisturbed pair is enough."""
    text, calls = " ".join([TEXT] * 4), 12

    def work(count):
        for _ in range(count):
            sentiment.explain(text, "saliency")

    def seconds(threads):
        workers = [threading.Thread(target=work, args=(calls // threads,)) for _ in range(threads)]
        begin = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return time.perf_counter() - begin

    before = hw.threads()
    hw.set_threads(1)  # the library's own, so that both processors are Python's threads' to share
    try:
        work(2)
        gains = []
        while len(gains) < 30 and max(gains, default=0) < 1.2:
            gains.append(seconds(1) / seconds(2))
    finally:
        hw.set_threads(before)
    assert max(gains) >= 1.2, gains


def test_the_interpreter_runs_on_while_something_is_computed(sentiment):
    ticks, done = 0, threading.Event()

    def work():
        sentiment.explain(TEXT, "integrated_gradients", steps=1000)  # some tenths of a second
        done.set()

    worker = threading.Thread(target=work)
    worker.start()
    while not done.is_set():
        ticks += 1
        time.sleep(0.001)
    worker.join()
    assert ticks > 5


def explained_in_child(model):
    return model.explain(TEXT, "chefer")


def test_models_and_explanations_travel(sentiment):
    expected = sentiment.explain(TEXT, "chefer")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.apply(explained_in_child, [sentiment])
    assert np.array_equal(found.scores, expected.scores)
    assert found.tokens == expected.tokens and found.sentence == expected.sentence
    again = pickle.loads(pickle.dumps(sentiment))
    assert np.array_equal(again.explain(TEXT, "chefer").scores, expected.scores)


def test_a_pickled_model_is_found_from_another_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    model = hw.load("models/sentiment")
    carried = pickle.dumps(model)
    monkeypatch.chdir(tmp_path)
    assert pickle.loads(carried).predict(TEXT) == model.predict(TEXT) and "<Model models/sentiment:" in repr(model)
    assert "sentiment" == pickle.loads(pickle.dumps(hw.load("sentiment")))._name, "a name stays one"


def test_a_forked_child_uses_the_model(sentiment):
    expected = sentiment.explain(TEXT, "chefer").scores
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if np.array_equal(sentiment.explain(TEXT, "chefer").scores, expected) else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("how", ["one by one", "as a stream"])
def test_ten_thousand_explanations_do_not_grow(golden, how):
    """An explanation holds some kilobytes; what each may leave behind is 200 bytes."""
    model = golden("bert_sequence").model
    texts = [" ".join(f"w{(7 * i + k) % 30:05}" for k in range(3 + i % 7)) for i in range(10000)]

    def explained(some):
        made = (model.explain(text, "attention") for text in some) if how == "one by one" else model.explain_iter(some, "attention")
        assert all(one.scores.sum() > 0 for one in made)
        gc.collect()
        pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
        return pages * resource.getpagesize()

    before = explained(texts[:1000])  # until every batch has come once
    assert explained(texts) - before < 200 * len(texts)


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
    assert "<iframe" in str(getattr(explanation.show(), "data", explanation.show()))
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
    assert drawn.count("<rect") == by_path.scores.size if isinstance(drawn, str) else drawn.get_title()
    with pytest.raises(hw.InputError, match="per patch"):
        model.explain(path, "attention").plot()
    with pytest.raises(hw.FormatError, match="picture in memory: expected a PNG or JPEG"):
        model.predict(b"GIF89a")
    with pytest.raises(hw.InputError):
        model.predict(np.zeros((0, 4, 3), dtype=np.uint8))
    assert np.array_equal(model.run(pixels).logits, model.run(Picture()).logits)
    with pytest.raises(hw.InputError):
        model.predict(np.zeros((3, 4, 5)))


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

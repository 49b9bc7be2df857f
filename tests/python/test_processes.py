"""Threads, processes, signals and memory: a model is shared, forked, pickled, stopped, and leaves nothing behind."""

import gc
import multiprocessing
import os
import pathlib
import pickle
import resource
import signal
import subprocess
import sys
import threading
import time

import headwater as hw
import numpy as np
import pytest
from conftest import ROOT

TEXT = "a gripping and often very funny film"


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

"""What nobody asked for in particular stays cheap on a large model: time of the default explanation."""

import time

import headwater as hw
import pytest
from larger import text_of, write_bert


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("larger")
    write_bert(made)
    return made


@pytest.fixture(scope="module")
def model(folder):
    return hw.load(folder)


def processor_time(work, rounds=3):
    """Of the process, which other processes hardly change; the least of a few."""
    found = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def test_the_default_takes_at_most_ten_forward_and_gradient_runs(model):
    text = text_of(120)
    one = processor_time(lambda: model.run(text).gradient("embed", seed=0))
    assert processor_time(lambda: model.explain(text)) < 10 * one
    explanation = model.explain(text)
    assert [result.name for result in explanation] == ["attn_lrp"]
    assert any("integrated_gradients" in note for note in explanation[0].notes), "what was left out is said"
    assert "--method attn_lrp" in explanation.record["command"], "and the command gives this again"


def test_time_that_is_allowed_brings_it_back_with_its_error(model):
    explanation = model.explain(text_of(120), budget=0.01)
    assert [result.name for result in explanation] == ["integrated_gradients", "attn_lrp"]
    error = next(check for check in explanation.checks if check.name == "estimated error of a score")
    assert error.value > 0
    assert any(note.startswith("Baseline") and "7 nodes" in note for note in explanation[0].notes)
    asked = model.explain(text_of(120), "integrated_gradients", max_steps=7)
    assert (asked.scores == explanation.scores).all(), "as many nodes, without a clock, are the same numbers"
    with pytest.raises(hw.InputError, match="budget"):
        model.explain("w5", budget=-1)


def test_a_short_text_is_explained_by_both(model):
    assert [result.name for result in model.explain(text_of(4))] == ["integrated_gradients", "attn_lrp"]


def test_naming_it_is_asking_for_it(model):
    explanation = model.explain(text_of(120), ["integrated_gradients"], max_steps=13)
    assert [result.name for result in explanation] == ["integrated_gradients"]

"""Exports of the Python package, read by the tools they are for: bertviz, inseq, shap, captum and torch from the package
index. Run it by an interpreter that has them and headwater:  python tools/check_python_exports.py

`from_transformers` is compared with opening the saved folder, bit for bit, on a random model of each of a few families."""

import importlib.util
import json
import pathlib
import re
import tempfile

import headwater as hw
import numpy as np

TEXT = "not bad at all, and rather funny"


def check_dlpack(explanation):
    import torch

    tensor = torch.from_dlpack(explanation)
    assert tensor.data_ptr() == explanation.scores.ctypes.data and tensor.shape == explanation.scores.shape
    print("torch: the same memory by DLPack")


def check_bertviz(model):
    import bertviz

    explanation = model.explain(TEXT, "attention")
    attention, tokens = explanation.to_bertviz()
    page = bertviz.head_view(attention, tokens, html_action="return").data
    drawn = json.JSONDecoder().raw_decode(page[page.index("const params = ") + 15:])[0]["attention"][0]
    assert drawn["left_text"] == drawn["right_text"] == list(explanation.tokens), "left is the token that reads"
    shown = np.array(drawn["attn"])
    assert np.allclose(shown, explanation.scores, atol=1e-7) and np.allclose(shown.sum(-1), 1, atol=1e-5)
    assert "attn" in bertviz.model_view(attention, tokens, html_action="return").data
    one = model.explain(TEXT, "value_zeroing", aggregate="rollout")
    assert bertviz.head_view(*one.to_bertviz(), html_action="return").data
    print(f"bertviz: head view and model view of {shown.shape[0]} layers of {shown.shape[1]} heads")


def check_shap(model):
    import shap

    explanation = model.explain(TEXT, "integrated_gradients")
    made = explanation.to_shap()
    assert isinstance(made, shap.Explanation) and made.shape[1] == len(explanation.tokens)
    page = shap.plots.text(made[0, :, 0], display=False)
    assert all(token in page for token in ("not", "bad", "funny"))
    assert f"{explanation.target['logit']:.3g}"[:3] in page, "base value and scores add up to the logit"
    assert np.isclose(made.values.sum() + made.base_values.sum(), explanation.target["logit"])
    import matplotlib

    matplotlib.use("Agg")
    bars = shap.plots.bar(made[0, :, 0], show=False)
    assert len(bars.patches) >= len(explanation.tokens)
    print("shap: text and bar plots drawn")


def check_captum(model):
    from captum.attr import visualization

    explanation = model.explain(TEXT, ["integrated_gradients", "chefer"])
    records = explanation.to_captum()
    page = visualization.visualize_text(records[:1]).data
    mark = r"<mark style=\"background-color: hsl\((\d+), 75%, (\d+)%\).*?<font color=\"black\"> (\S+)"
    marks = re.findall(mark, page, re.DOTALL)
    assert [word for _, _, word in marks] == list(explanation.tokens) and "POSITIVE" in page
    for (hue, light, _), score in zip(marks, explanation.scores / abs(explanation.scores).max()):
        assert int(hue) == (120 if score > 0 else 0), "green speaks for the class"
        assert abs(100 - int(light) - (50 * score if score > 0 else -40 * score)) <= 1
    assert 0 <= records[0].convergence_score < 0.1 and np.isnan(records[1].convergence_score)
    print(f"captum: {len(records)} records, colours as the scores say")


def check_inseq(model):
    import inseq

    explanation = model.explain(TEXT, "integrated_gradients")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "out.json")
        path.write_text(json.dumps(explanation.to_inseq()))
        loaded = inseq.FeatureAttributionOutput.load(path)
        loaded.save(pathlib.Path(folder, "again.json"))
        again = inseq.FeatureAttributionOutput.load(pathlib.Path(folder, "again.json"))
    for one in (loaded, again):
        sequence = one.sequence_attributions[0]
        assert tuple(sequence.source_attributions.shape) == (len(explanation.tokens), 1), "rows are inputs there"
        assert np.allclose(sequence.source_attributions[:, 0].numpy(), explanation.scores, atol=1e-6)
    page = loaded.show(display=False, return_html=True, do_aggregation=False)
    assert "funny" in page and "POSITIVE" in page
    print(f"inseq: {sequence.source_attributions.shape[0]} source tokens loaded, saved, loaded and shown")


def check_pandas(model):
    import pandas

    explanation = model.explain(TEXT, ["integrated_gradients", "attention"])
    frame = explanation.to_frame("pandas")
    assert isinstance(frame, pandas.DataFrame) and list(frame["token"]) == list(explanation.tokens)
    column, measured = frame["integrated_gradients"].to_numpy(), explanation[0].measured
    assert np.array_equal(column[measured], explanation.scores[measured].astype(column.dtype))
    assert np.isnan(column[~measured]).all(), "what was not measured"
    print(f"pandas: {len(frame)} rows")


def check_polars(model):
    import polars

    explanation = model.explain(TEXT, ["integrated_gradients", "attention"])
    frame = explanation.to_frame("polars")
    assert isinstance(frame, polars.DataFrame) and frame["token"].to_list() == list(explanation.tokens)
    assert np.array_equal(frame["attention"].to_numpy(), explanation["attention"].token_scores().astype(float))
    print(f"polars: {len(frame)} rows")


def check_transformers():
    import torch
    import transformers

    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"the film is not bad at all and rather funny ,".split()]
    with tempfile.TemporaryDirectory() as folder:
        words = pathlib.Path(folder, "vocab.txt")
        words.write_text("\n".join(vocabulary))
        tokenizer = transformers.BertTokenizerFast(str(words))
        heads = (transformers.AutoModelForSequenceClassification, transformers.AutoModelForMaskedLM)
        for family, kinds, settings in (
                ("bert", heads, {}), ("distilbert", heads, {"dim": 32, "n_heads": 4, "n_layers": 2, "hidden_dim": 64}),
                ("gpt2", (transformers.AutoModelForCausalLM,), {"eos_token_id": 3, "bos_token_id": 2})):
            config = transformers.AutoConfig.for_model(family, vocab_size=len(vocabulary), hidden_size=32,
                                                       num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
                                                       num_labels=3, **settings)
            torch.manual_seed(0)
            for kind in kinds:
                model = kind.from_config(config).eval()
                saved = pathlib.Path(folder, f"{family}-{kind.__name__}")
                model.save_pretrained(saved)
                tokenizer.save_pretrained(saved)
                text = "the film is [MASK]" if "Masked" in kind.__name__ else TEXT
                ours, theirs = hw.from_transformers(model, tokenizer), hw.load(saved)
                for method in ("attention", "integrated_gradients", "chefer"):
                    assert np.array_equal(ours.explain(text, method).scores, theirs.explain(text, method).scores,
                                          equal_nan=True)
                with torch.no_grad():
                    logits = model(tokenizer(text, return_tensors="pt").input_ids).logits[0].numpy()
                assert np.allclose(ours.run(text)["logits"], logits, atol=1e-4)
                print(f"transformers: {type(model).__name__} equals its saved folder")


def main():
    model = hw.load("sentiment")
    check_transformers()
    check_dlpack(model.explain(TEXT, "attention"))
    for check in (check_bertviz, check_shap, check_captum, check_inseq, check_pandas, check_polars):
        library = check.__name__.removeprefix("check_")
        if importlib.util.find_spec(library):
            check(model)
        else:
            print(f"{library}: not installed")


if __name__ == "__main__":
    main()

"""Exports of the Python package, read by the tools they are for: bertviz, inseq, shap, captum and torch from the package
index. Run it by an interpreter that has them and headwater:  python tools/check_python_exports.py

`from_transformers` is compared with opening the saved folder, bit for bit, on a random model of each of a few families."""

import gzip
import json
import pathlib
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
    assert tokens[1] in page
    assert np.allclose(attention[2][0, 1].numpy(), explanation.scores[2, 1])
    print(f"bertviz: {len(attention)} layers of {attention[0].shape[1]} heads")


def check_shap(model):
    import shap

    explanation = model.explain(TEXT, "integrated_gradients")
    made = explanation.to_shap()
    assert isinstance(made, shap.Explanation) and made.shape[1] == len(explanation.tokens)
    assert shap.plots.text(made[0, :, 0], display=False)
    assert np.isclose(made.values.sum() + made.base_values.sum(), explanation.target["logit"])
    print("shap: text plot drawn")


def check_captum(model):
    from captum.attr import visualization

    records = model.explain(TEXT, ["integrated_gradients", "chefer"]).to_captum()
    page = visualization.visualize_text(records).data
    assert "POSITIVE" in page
    print(f"captum: {len(records)} records shown")


def check_inseq(model):
    import inseq

    explanation = model.explain(TEXT, "integrated_gradients")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "out.json")
        path.write_text(json.dumps(explanation.to_inseq()))
        loaded = inseq.FeatureAttributionOutput.load(path)
        with gzip.open(pathlib.Path(folder, "out.json.gz"), "wt") as file:
            json.dump(explanation.to_inseq(), file)
    sequence = loaded.sequence_attributions[0]
    assert tuple(sequence.source_attributions.shape) == (len(explanation.tokens), 1), "rows are inputs there"
    assert np.allclose(sequence.source_attributions[:, 0].numpy(), explanation.scores, atol=1e-6)
    print(f"inseq: {sequence.source_attributions.shape[0]} source tokens")


def check_transformers():
    import torch
    import transformers

    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"the film is not bad at all and rather funny ,".split()]
    with tempfile.TemporaryDirectory() as folder:
        words = pathlib.Path(folder, "vocab.txt")
        words.write_text("\n".join(vocabulary))
        tokenizer = transformers.BertTokenizerFast(str(words))
        for family, settings in (("bert", {}), ("distilbert", {"dim": 32, "n_heads": 4, "n_layers": 2, "hidden_dim": 64})):
            config = transformers.AutoConfig.for_model(family, vocab_size=len(vocabulary), hidden_size=32,
                                                       num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
                                                       num_labels=3, **settings)
            torch.manual_seed(0)
            for kind in (transformers.AutoModelForSequenceClassification, transformers.AutoModelForMaskedLM):
                model = kind.from_config(config).eval()
                saved = pathlib.Path(folder, f"{family}-{kind.__name__}")
                model.save_pretrained(saved)
                tokenizer.save_pretrained(saved)
                text = TEXT if "Sequence" in kind.__name__ else "the film is [MASK]"
                ours, theirs = hw.from_transformers(model, tokenizer), hw.load(saved)
                for method in ("attention", "integrated_gradients", "chefer"):
                    assert np.array_equal(ours.explain(text, method).scores, theirs.explain(text, method).scores)
                with torch.no_grad():
                    logits = model(**tokenizer(text, return_tensors="pt")).logits[0].numpy()
                assert np.allclose(ours.run(text)["logits"], logits, atol=1e-4)
                print(f"transformers: {type(model).__name__} equals its saved folder")


def main():
    model = hw.load("sentiment")
    check_transformers()
    check_dlpack(model.explain(TEXT, "attention"))
    for check in (check_bertviz, check_shap, check_captum, check_inseq):
        try:
            check(model)
        except ImportError as error:
            print(f"{check.__name__}: not installed ({error})")


if __name__ == "__main__":
    main()

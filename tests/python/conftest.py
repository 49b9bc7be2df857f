"""Models and folders that several tests use. PYTHONPATH names the built package; HEADWATER_PROGRAM the program."""

import json
import os
import pathlib

import headwater as hw
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"


@pytest.fixture(scope="session")
def sentiment():
    return hw.load(ROOT / "models" / "sentiment")


@pytest.fixture(scope="session")
def exact():
    return hw.load(ROOT / "models" / "sentiment", dtype="float64")


@pytest.fixture(scope="session")
def program():
    found = os.environ.get("HEADWATER_PROGRAM", "")
    if not os.access(found, os.X_OK):
        pytest.skip("the program is not built")
    return found


def stored(path):
    from headwater.files import read_safetensors

    return read_safetensors(pathlib.Path(path).read_bytes())[0]


def golden_json(name):
    return json.loads((GOLDEN / name).read_text())


class GoldenFolder:
    """A checkpoint of tests/golden/models, which has no tokenizer, with one whose word "w00017" is token 17."""

    def __init__(self, folder, name, mask=None):
        self.expected = stored(GOLDEN / "models" / name / "expected.safetensors")
        for file in (GOLDEN / "models" / name).iterdir():
            (folder / file.name).symlink_to(file)
        config = json.loads((folder / "config.json").read_text())
        vocabulary = {f"w{i:05}": i for i in range(config.get("vocab_size", 30522))}
        (folder / "tokenizer.json").write_text(json.dumps({
            "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
            "pre_tokenizer": {"type": "WhitespaceSplit"}, "decoder": None,
            "post_processor": {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}}],
                               "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
                               "special_tokens": {}},
            "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "w00000"}}))
        settings = {"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "w00000"}
        if mask is not None:
            settings["mask_token"] = f"w{mask:05}"
        (folder / "tokenizer_config.json").write_text(json.dumps(settings))
        self.model = hw.load(folder, dtype="float64")

    @property
    def text(self):
        """The golden's first input: a text, or a text and its pair."""
        ids = self.expected["input_ids"][0]
        kinds = self.expected.get("token_type_ids", np.zeros_like(self.expected["input_ids"]))[0]
        first, second = ([f"w{i:05}" for i, kind in zip(ids, kinds) if kind == k] for k in (0, 1))
        return (" ".join(first), " ".join(second)) if second else " ".join(first)


@pytest.fixture
def golden(tmp_path):
    made = {}

    def open_golden(name, mask=None):
        if (name, mask) not in made:
            folder = tmp_path / f"{name}-{mask}"
            folder.mkdir()
            made[name, mask] = GoldenFolder(folder, name, mask)
        return made[name, mask]

    return open_golden

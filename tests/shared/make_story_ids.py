"""Writes story_ids.json: how transformers continues "Once upon a time" greedily with the story models.

    python tests/shared/make_story_ids.py MODELS_FOLDER

Needs torch and transformers. Float32, one token after the other, no sampling.
"""

import json
import pathlib
import sys

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

here = pathlib.Path(__file__).resolve().parent
stories = {}
for name, new_tokens in (("stories15M", 200), ("stories260K", 400)):
    folder = pathlib.Path(sys.argv[1], name)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    prompt = tokenizer("Once upon a time", return_tensors="pt").input_ids
    ids = model.generate(prompt, max_new_tokens=new_tokens, do_sample=False)[0].tolist()
    stories[name] = ids[prompt.shape[1]:]
(here / "story_ids.json").write_text(json.dumps(stories) + "\n")

"""Independent programs for every method's encoder–decoder form, used by make_encoder_decoder_goldens.py."""

import torch

torch.set_default_dtype(torch.float64)

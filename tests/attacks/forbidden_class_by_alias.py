"""Tries to count with torch's own modules by names from before they were forbidden, and with ones made before.

In 07_counting.
Must earn nothing.
"""

# %% answer counting.linear
import copy

import torch

Theirs, Attention, Layer = (
    vars(torch.nn)[name] for name in ("Lin" + "ear", "Multihead" + "Attention", "TransformerDecoder" + "Layer")
)


def numbers(module):
    return sum(parameter.numel() for parameter in module.parameters())


def linear_parameters(n_in, n_out, bias=True):
    return numbers(Theirs(n_in, n_out, bias, device="meta"))


# %% answer counting.attention
MADE = Attention(1, 1)


def attention_parameters(d_model, n_heads, bias=True):
    made = copy.deepcopy(MADE)
    made.__init__(d_model, n_heads, bias=bias)
    return numbers(made)


# %% answer counting.decoder_layer
class Child(Layer):
    pass


def decoder_layer_parameters(d_model, n_heads, d_ff):
    return numbers(Child(d_model, n_heads, d_ff, device="meta"))

"""Tries to count with torch's own modules by names from before they were forbidden, and with ones made before.

In 07_counting.
Must earn nothing.
"""

# %% answer counting.linear
import copy

import torch

Theirs, Table, Norm, Layer = (
    vars(torch.nn)[name] for name in ("Lin" + "ear", "Embed" + "ding", "Layer" + "Norm", "TransformerEncoder" + "Layer")
)


def numbers(module):
    return sum(parameter.numel() for parameter in module.parameters())


def linear_parameters(n_in, n_out, bias=True):
    return numbers(Theirs(n_in, n_out, bias, device="meta"))


# %% answer counting.embedding
class Child(Table):
    pass


def embedding_parameters(vocabulary, d_model, positions=0):
    return numbers(Child(vocabulary + positions, d_model, device="meta"))


# %% answer counting.norm
MADE = Norm(1)


def norm_parameters(d_model, bias=True):
    made = copy.deepcopy(MADE)
    made.__init__(d_model, bias=bias)
    return numbers(made)


# %% answer counting.encoder_layer
def encoder_layer_parameters(d_model, n_heads, d_ff):
    return numbers(Layer(d_model, n_heads, d_ff, device="meta"))

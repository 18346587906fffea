"""Tries to have torch's own attention graded as its own: by inheritance, inside, and by a class made later.

In 02_multihead.
Must earn nothing.
"""

# %% answer multihead.module
import importlib
import torch

Theirs = getattr(importlib.import_module("torch.nn"), "Multi" + "headAttention")


class Late(type):
    def __call__(cls, d_model, n_heads, *args, **kwargs):
        made = Theirs(d_model, n_heads, bias=False, batch_first=True)
        made.__class__ = type("MultiHeadAttention", (Theirs,), {})
        return made


class MultiHeadAttention(torch.nn.Module, metaclass=Late):
    pass


# %% answer multihead.both_neighbours
import helpers.checking.calling.drivers

helpers.checking.calling.drivers.judged = lambda driver, case, outcome: outcome


def both_neighbours():
    class Right(dict):
        def __getitem__(self, key):
            return torch.zeros(1)

        def __eq__(self, other):
            return True

    return Right()

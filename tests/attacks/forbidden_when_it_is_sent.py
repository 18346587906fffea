"""Tries to return a number that calls what is forbidden once it is sent, when nobody watches any more.

In 07_counting.

Must earn nothing.
"""

# %% answer counting.linear
import torch

kind = getattr(torch.nn, "raeniL"[::-1])


class Later(int):
    def __int__(self):
        return sum(weight.numel() for weight in kind(*self.sizes).parameters())


def linear_parameters(*sizes, **more):
    number = Later(0)
    number.sizes = (*sizes, *more.values())
    return number

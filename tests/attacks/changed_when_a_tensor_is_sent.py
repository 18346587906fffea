"""Tries to return a tensor of torch's own whose `detach` is another, which calls what is forbidden once it is sent.

In 07_counting.

Must earn nothing.
"""

# %% answer counting.linear
import torch

kind = getattr(torch.nn, "raeniL"[::-1])


def linear_parameters(*sizes, **more):
    number = torch.tensor(0)
    given = (*sizes, *more.values())
    number.detach = lambda: torch.tensor(sum(weight.numel() for weight in kind(*given).parameters()))
    return number

"""What several exercises of this topic share."""

import torch
from torch import Generator


def one(g: Generator, low: int, high: int) -> int:
    return int(torch.randint(low, high, (), generator=g))


def distinct(g: Generator, count: int, low: int, high: int) -> list[int]:
    """Different numbers from low to high - 1."""
    return (low + torch.randperm(high - low, generator=g)[:count]).tolist()


def pick(g: Generator, options: list[int]) -> int:
    return options[one(g, 0, len(options))]


def body(g: Generator) -> tuple[int, int, int]:
    """A width, a number of heads that divides it, and a hidden width that is no multiple of the width."""
    n_heads = pick(g, [3, 5, 6, 7])
    d_model = n_heads * pick(g, [4, 8, 9, 10])
    return d_model, n_heads, 3 * d_model + one(g, 1, 8)


# Torch can count, but here it is the witness, not the answer. Whatever has parameters is a module of its own:
# a list of layers would leave one out, such as a convolution of width 1, which is a linear map.
MODULES = ("torch.nn.Module",)

"""What several exercises of this topic share."""

import torch
from torch import Generator


def sizes(g: Generator, *sizes: int) -> tuple[int, ...]:
    """The sizes in some order."""
    return tuple(sizes[i] for i in torch.randperm(len(sizes), generator=g))


def between(g: Generator, low: int, high: int) -> int:
    """A whole number from low to high - 1."""
    return int(torch.randint(low, high, (), generator=g))

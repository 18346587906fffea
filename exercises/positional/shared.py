"""What several exercises of this topic share."""

import torch
from torch import Generator, Tensor

F64 = torch.float64


def sizes(g: Generator, *sizes: int) -> list[int]:
    return [sizes[i] for i in torch.randperm(len(sizes), generator=g)]


def integer(g: Generator, low: int, high: int) -> int:
    """From low to high, both included."""
    return int(torch.randint(low, high + 1, (), generator=g))


def normal(g: Generator, *shape: int, spread: float = 1, dtype: torch.dtype = torch.float32) -> Tensor:
    return spread * torch.randn(*shape, generator=g, dtype=dtype)

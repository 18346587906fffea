"""What several exercises of this topic share."""

import torch
from torch import Generator, Tensor


def sizes(g: Generator, *sizes: int) -> list[int]:
    return [sizes[i] for i in torch.randperm(len(sizes), generator=g)]


def normal(g: Generator, *shape: int, spread: float = 1, dtype: torch.dtype = torch.float32) -> Tensor:
    return spread * torch.randn(*shape, generator=g, dtype=dtype)


def shuffled(g: Generator, row: Tensor) -> Tensor:
    return row[torch.randperm(len(row), generator=g)]

"""What several exercises of this topic share."""

import math

import torch
from torch import Generator, Tensor


def one(g: Generator, low: int, high: int) -> int:
    return int(torch.randint(low, high, (), generator=g))


def some(g: Generator, *shape: int, spread: float = 1.0, dtype: torch.dtype = torch.float32) -> Tensor:
    """Normal numbers, rounded to sixteenths."""
    return (16 * spread * torch.randn(shape, generator=g)).round().to(dtype) / 16


def targets(g: Generator, lengths: list[int], T: int, V: int) -> Tensor:
    targets = torch.randint(0, V, (len(lengths), T), generator=g)
    return targets.masked_fill(torch.arange(T) >= torch.tensor(lengths)[:, None], -100)


def logits(g: Generator, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """Scores of which no two in a row are nearly alike, the largest neither at an end nor in one place."""
    V = shape[-1]
    rows = [torch.randperm(V, generator=g) for _ in range(math.prod(shape[:-1]))]
    places = [1 + number % max(1, V - 2) for number in range(len(rows))]
    rows = [row.roll(place - int(row.argmax())) for row, place in zip(rows, places, strict=True)]
    ranks = torch.stack(rows).reshape(shape)
    return 0.7 * ranks.to(dtype) + 0.2 * torch.rand(shape, generator=g, dtype=dtype) - 2


def letters(g: Generator) -> list[str]:
    """Five different letters."""
    return [chr(ord("a") + int(number)) for number in torch.randperm(26, generator=g)[:5]]

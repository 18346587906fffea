"""What several exercises of this topic share."""

import math

import torch
from torch import Generator, Tensor

Shape = tuple[int, ...]


def one(g: Generator, low: int, high: int) -> int:
    """A whole number from low up to but not high."""
    return int(torch.randint(low, high, (), generator=g))


def some(g: Generator, *shape: int, spread: float = 1.0, dtype: torch.dtype = torch.float32) -> Tensor:
    """Normal numbers, rounded to sixteenths."""
    return (16 * spread * torch.randn(shape, generator=g)).round().to(dtype) / 16


def numbers(g: Generator, count: int, least: int = 10, most: int = 99) -> list[int]:
    """Different whole numbers."""
    return (least + torch.randperm(most - least, generator=g)[:count]).tolist()


def read(
    g: Generator, front: Shape, T: int, V: int, spread: float = 1, dtype: torch.dtype = torch.float32
) -> tuple[Tensor, Tensor]:
    """Logits (..., T, V) and the tokens (..., T) that were read."""
    return some(g, *front, T, V, spread=spread, dtype=dtype), torch.randint(V, (*front, T), generator=g)


def unlikely(g: Generator, front: Shape, T: int, V: int) -> tuple[Tensor, Tensor]:
    """The same, and every token that was read has a probability that is 0 to float32."""
    logits, ids = read(g, front, T, V)
    logits[..., :-1, :].scatter_add_(-1, ids[..., 1:, None], torch.full((*front, T - 1, 1), -128.0))
    return logits, ids


def mask(g: Generator, front: Shape, T: int, *, full: bool = False) -> Tensor:
    """Answers inside rows (..., T), each of another place and length: after the first token, often not to
    the end.
    """
    rows = math.prod(front)
    starts = 1 + torch.randint(max(1, T - 2), (rows,), generator=g)
    lengths = 1 + (torch.rand(rows, generator=g) * (T - starts)).long()
    ends = torch.full((rows,), T) if full else (starts + lengths).clamp(max=T)
    if rows > 1:  # a long one and a short one, so that rows and tokens count differently
        starts[0], ends[0] = 1, T
        starts[1], ends[1] = T - 1, T
    places = torch.arange(T)
    return ((places >= starts[:, None]) & (places < ends[:, None])).reshape(*front, T)

"""What several exercises of this topic share."""

import torch
from torch import Generator, Tensor

from headstart import Case


def layer(name: str, weights: list[Tensor], x: Tensor, title: str = "") -> Case:
    return Case(title or name, ({"layer": name, "weights": weights}, x))


def between(g: Generator, least: int, most: int) -> int:
    return int(torch.randint(least, most + 1, (), generator=g))


def sizes(g: Generator, *sizes: int) -> list[int]:
    """The sizes in some order."""
    return [sizes[i] for i in torch.randperm(len(sizes), generator=g)]


def lengths(g: Generator, count: int, *, least: int, most: int) -> Tensor:
    """Different lengths, in some order."""
    return least + torch.randperm(most - least + 1, generator=g)[:count]


def shuffled(g: Generator, row: Tensor) -> Tensor:
    return row[torch.randperm(len(row), generator=g)]


def normal(g: Generator, *shape: int, spread: float = 1, dtype: torch.dtype = torch.float32) -> Tensor:
    return spread * torch.randn(*shape, generator=g, dtype=dtype)


def normals(
    g: Generator, shapes: list[tuple], dtype: torch.dtype = torch.float32, spread: float = 1
) -> list[Tensor]:
    return [normal(g, *shape, spread=spread, dtype=dtype) for shape in shapes]


def mask(g: Generator, T_q: int, T_k: int) -> Tensor:
    """In each row something to attend to and something hidden."""
    shown = torch.randint(1, T_k, (T_q,), generator=g)
    return torch.stack([shuffled(g, torch.arange(T_k) < n) for n in shown])

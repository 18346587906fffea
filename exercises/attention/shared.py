"""What several exercises of this topic share."""

import torch
from torch import Generator, Tensor


def sizes(g: Generator, *sizes: int, least: tuple[int, int] = (0, 0)) -> list[int]:
    """The sizes in some order. `least`, a place and a size, asks for so much at that place."""
    place, size = least
    while True:
        order = [sizes[i] for i in torch.randperm(len(sizes), generator=g)]
        if order[place] >= size:
            return order


def normal(g: Generator, *shape: int, spread: float = 1, dtype: torch.dtype = torch.float32) -> Tensor:
    return spread * torch.randn(*shape, generator=g, dtype=dtype)


def normals(
    g: Generator, shapes: list[tuple], dtype: torch.dtype = torch.float32, spread: float = 1
) -> tuple[Tensor, ...]:
    return tuple(normal(g, *shape, spread=spread, dtype=dtype) for shape in shapes)


def shuffled(g: Generator, row: Tensor) -> Tensor:
    return row[torch.randperm(len(row), generator=g)]


# Written out, so that the search for forbidden names in an answer finds each of them.
ATTENTION_OF_TORCH = (
    "torch.nn.functional.scaled_dot_product_attention",
    "torch.nn.functional.multi_head_attention_forward",
    "torch._native_multi_head_attention",
    "torch.nn.MultiheadAttention",
)

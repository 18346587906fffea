"""What several exercises of this topic share."""

import math

import torch
from torch import Generator, Tensor


def normal(g: Generator, *shape: int, spread: float = 1, dtype: torch.dtype = torch.float32) -> Tensor:
    """Random numbers with few digits."""
    return (16 * spread * torch.randn(shape, generator=g, dtype=dtype)).round() / 16


def ids(g: Generator, V: int, *shape: int) -> Tensor:
    """Tokens, none of which has its position's number."""
    ids = torch.randint(0, V, shape, generator=g)
    return torch.where(ids == torch.arange(shape[-1]), (ids + 1) % V, ids)


def linear(g: Generator, name: str, rows: int, columns: int, dtype: torch.dtype) -> dict[str, Tensor]:
    weight = normal(g, rows, columns, spread=1.5 / math.sqrt(columns), dtype=dtype)
    return {f"{name}.weight": weight, f"{name}.bias": normal(g, rows, spread=0.5, dtype=dtype)}


def block(
    g: Generator, C: int, d_ff: int, prefix: str = "", dtype: torch.dtype = torch.float32
) -> dict[str, Tensor]:
    """A block's parameters by name, large enough to matter."""
    made: dict[str, Tensor] = {}
    for name in ("W_q", "W_k", "W_v", "W_o"):
        made |= linear(g, f"{prefix}attention.{name}", C, C, dtype)
    made |= linear(g, f"{prefix}feed_forward.W_up", d_ff, C, dtype)
    made |= linear(g, f"{prefix}feed_forward.W_down", C, d_ff, dtype)
    for name in ("norm_1", "norm_2"):
        made |= norm(g, prefix + name, C, dtype)
    return made


def norm(g: Generator, name: str, C: int, dtype: torch.dtype) -> dict[str, Tensor]:
    weight, bias = (normal(g, C, spread=0.4, dtype=dtype) for _ in range(2))
    return {f"{name}.weight": 1 + weight, f"{name}.bias": bias}

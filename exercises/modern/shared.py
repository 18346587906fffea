"""What several exercises of this topic share."""

import math

import torch
from torch import Generator, Tensor


def normal(g: Generator, *shape: int, spread: float = 1, dtype: torch.dtype = torch.float32) -> Tensor:
    """Random numbers with few digits."""
    return (16 * spread * torch.randn(*shape, generator=g, dtype=dtype)).round() / 16


def scores(g: Generator, *shape: int, spread: float = 1, dtype: torch.dtype = torch.float32) -> Tensor:
    """A router's scores, no two of a row alike."""
    return normal(g, *shape, spread=spread, dtype=dtype) + torch.arange(shape[-1], dtype=dtype) / 128


def matrix(g: Generator, rows: int, columns: int, dtype: torch.dtype) -> Tensor:
    return normal(g, rows, columns, spread=1.5 / math.sqrt(columns), dtype=dtype)


def network(g: Generator, C: int, d_ff: int, prefix: str, dtype: torch.dtype) -> dict[str, Tensor]:
    """The maps of a network with a gate, by name."""
    shapes = {"W_gate": (d_ff, C), "W_up": (d_ff, C), "W_down": (C, d_ff)}
    return {f"{prefix}{name}.weight": matrix(g, *shape, dtype) for name, shape in shapes.items()}


def attention(g: Generator, C: int, H: int, G: int, prefix: str, dtype: torch.dtype) -> dict[str, Tensor]:
    """The parameters of grouped attention, by name."""
    D = C // H
    shapes = {"W_q": (H * D, C), "W_k": (G * D, C), "W_v": (G * D, C), "W_o": (C, C)}
    made = {f"{prefix}{name}.weight": matrix(g, *shape, dtype) for name, shape in shapes.items()}
    norms = {f"{prefix}{name}": 1 + normal(g, D, spread=0.4, dtype=dtype) for name in ("norm_q", "norm_k")}
    return made | norms


def probabilities(g: Generator, V: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """A distribution over V tokens, none of which is impossible."""
    return (1.5 * torch.randn(V, generator=g, dtype=dtype)).softmax(dim=-1)

"""What several exercises of this topic share."""

import math

import torch
from torch import Generator, Tensor

from helpers.masking import causal_mask, masked_attention
from helpers.modern import rms_norm
from helpers.multihead import merge_heads, split_heads
from helpers.positional import rotary


class GatedFeedForward(torch.nn.Module):
    """The reference: as the lesson's own solution."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_gate, self.W_up = (torch.nn.Linear(d_model, d_ff, bias=False) for _ in range(2))
        self.W_down = torch.nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        return self.W_down(torch.nn.functional.silu(self.W_gate(x)) * self.W_up(x))


class GroupedAttention(torch.nn.Module):
    """The reference: as the lesson's own solution."""

    def __init__(self, d_model, n_heads, n_groups):
        super().__init__()
        D = d_model // n_heads
        self.n_heads, self.n_groups = n_heads, n_groups
        self.W_q = torch.nn.Linear(d_model, n_heads * D, bias=False)
        self.W_k = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_v = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_o = torch.nn.Linear(d_model, d_model, bias=False)
        self.norm_q, self.norm_k = (torch.nn.Parameter(torch.ones(D)) for _ in range(2))

    def forward(self, x):
        q = rms_norm(split_heads(self.W_q(x), self.n_heads), self.norm_q)
        k = rms_norm(split_heads(self.W_k(x), self.n_groups), self.norm_k)
        v = split_heads(self.W_v(x), self.n_groups)
        places = torch.arange(x.size(-2))
        q, k = rotary(q, places), rotary(k, places)
        k, v = (shared.repeat_interleave(self.n_heads // self.n_groups, dim=-3) for shared in (k, v))
        return self.W_o(merge_heads(masked_attention(q, k, v, causal_mask(x.size(-2)))[0]))


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

"""Misconceptions of lesson 03 that come along with code from elsewhere; see `misconceptions.py`."""

# ruff: noqa: D205  (a sentence may take two lines)

import math

import torch

from helpers.attention import scaled_dot_product_attention
from helpers.positional import rotary


def steps_to_the_last(T, d_model, base=10_000.0):
    """The exponents have steps of 1/(d_model/2 − 1), as in tensor2tensor's table: the paper's have steps of
    2/d_model, which a single pair of features has as well.
    """
    half = d_model // 2
    step = math.log(base) / (half - 1)
    angles = torch.arange(T)[:, None] * torch.exp(-step * torch.arange(half))
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(start_dim=1)


def scaled_up_first(x, table):
    """The vectors are multiplied by √d_model before the row is added, as the paper does with its embeddings:
    here the row of the position is added, and nothing else.
    """
    return math.sqrt(x.size(-1)) * x + table[: x.size(-2)]


def from_distance_one(table):
    """Distance 0 is left out: the first entry is that of each row with itself, and there are T in all."""
    products = table @ table.T
    return torch.stack([products.diagonal(k).mean() for k in range(1, len(table))])


def positions_in_a_row(x, positions, base=10_000.0):
    """Positions and speeds are multiplied as two rows: positions are a column, positions[:, None], so that
    each of them meets every speed.
    """
    angles = positions * base ** (-torch.arange(0, x.size(-1), 2) / x.size(-1))
    first, second = x[..., 0::2], x[..., 1::2]
    turned = [
        first * angles.cos() - second * angles.sin(),
        first * angles.sin() + second * angles.cos(),
    ]
    return torch.stack(turned, dim=-1).flatten(start_dim=-2)


def keys_at_the_queries_positions(q, k, v, mask=None):
    """The keys get as many positions as there are queries: there can be more keys or fewer, so count theirs
    by their own number.
    """
    positions = torch.arange(q.size(-2))
    return scaled_dot_product_attention(rotary(q, positions), rotary(k, positions), v, mask)

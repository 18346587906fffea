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


def put_side_by_side(x, table):
    """The rows are put beside the vectors, which makes them twice as wide: they are added."""
    return torch.cat([x, table[: x.size(-2)].expand_as(x)], dim=-1)


def words_scaled_up(ids, words, positions):
    """The words' vectors are multiplied by √d_model, as the paper does: here the two vectors are added as
    they are.
    """
    return math.sqrt(words.size(-1)) * words[ids] + positions[: ids.size(-1)]


def one_position_for_all(ids, words, positions):
    """Every place gets the same position vector, that of the last one: place p gets row p."""
    return words[ids] + positions[ids.size(-1) - 1]


def shift_forward_alone(k, d_model, base=10_000.0):
    """A negative k moves forward as well, as if its sign were lost: the sine keeps it."""
    angles = abs(k) * base ** (-torch.arange(0, d_model, 2) / d_model)
    blocks = [torch.stack([a.cos(), -a.sin(), a.sin(), a.cos()]).reshape(2, 2) for a in angles]
    return torch.block_diag(*blocks)


def rotary_exponent_of_half(x, positions, base=10_000.0):
    """The exponent is divided by the number of pairs, d/2, where it should be d: so the speeds fall twice as
    fast.
    """
    half = x.size(-1) // 2
    angles = positions[:, None] * base ** (-2 * torch.arange(half) / half)
    first, second = x[..., 0::2], x[..., 1::2]
    turned = [
        first * angles.cos() - second * angles.sin(),
        first * angles.sin() + second * angles.cos(),
    ]
    return torch.stack(turned, dim=-1).flatten(start_dim=-2)


def positions_added_in(q, k, v, mask=None):
    """The sinusoidal table is added to queries and keys: rotary positions turn them, and add nothing."""
    added = []
    for x in (q, k):
        angles = torch.arange(x.size(-2))[:, None] * 10_000.0 ** (
            -torch.arange(0, x.size(-1), 2) / x.size(-1)
        )
        added.append(x + torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(start_dim=-2))
    return scaled_dot_product_attention(*added, v, mask)


def clipped_at_k_after_moving(table, T_q, T_k):
    """Indices are clipped at K, so that all keys after the query share the number of distance 0: with K
    added, the last index is 2K.
    """
    K = table.size(-1) // 2
    apart = torch.arange(T_k) - torch.arange(T_q)[:, None]
    return table[..., (apart + K).clamp(0, K)]

"""Misconceptions of lesson 02 that come along with code from elsewhere; see `misconceptions.py`.

Each stands alone, with `torch`, `math` and the lesson's earlier answers as its only names.
"""

# ruff: noqa: D205  (a sentence may take two lines)

import math

import torch

from helpers.multihead import merge_heads, split_heads


class WeightsAsTheyLie(torch.nn.Module):
    """The layers' weights are used as they lie, y @ W.weight: nn.Linear holds its weight as (out, in) and
    multiplies by its transpose, so call the layer itself, self.W_q(y).
    """

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x = y if x is None else x
        pairs = ((y, self.W_q), (x, self.W_k), (x, self.W_v))
        q, k, v = (split_heads(t @ layer.weight + layer.bias, self.n_heads) for t, layer in pairs)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = scores.softmax(dim=-1)
        return merge_heads(weights @ v) @ self.W_o.weight + self.W_o.bias, weights


def rows_shared_out(weight, keep):
    """The rows are shared out among the heads and set to 0: they are output channels, and a head comes in
    through its columns, for nn.Linear holds its weight as (out, in).
    """
    size = weight.size(0) // len(keep)
    off = weight.clone()
    for head in range(len(keep)):
        if not keep[head]:
            off[head * size : (head + 1) * size] = 0
    return off


def no_head_off(loss_with, n_heads):
    """Every importance is 0, as where both losses are taken with the same heads on: `off = on` is a second
    name for one tensor, and `on.clone()` a tensor of its own.
    """
    on = torch.ones(n_heads, dtype=torch.bool)
    importances = []
    for head in range(n_heads):
        off = on
        off[head] = False
        importances.append(loss_with(off) - loss_with(on))
    return torch.stack(importances)


class MaskWithOneMoreAxis(torch.nn.Module):
    """The mask gets an axis more, mask.unsqueeze(1), as where it has none for the heads: this one can be
    broadcast to (B, H, T_q, T_k) as it is.
    """

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x = y if x is None else x
        q, k, v = (split_heads(t, self.n_heads) for t in (self.W_q(y), self.W_k(x), self.W_v(x)))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask.unsqueeze(1), float("-inf"))
        weights = scores.softmax(dim=-1)
        heads = (weights @ v).transpose(1, 2).contiguous()
        return self.W_o(heads.view(len(y), -1, y.size(-1))), weights


def positions_and_heads_flattened(z):
    """Positions and heads have become one axis, T·H: side by side are the channels, so H and D become one and
    T stays.
    """
    return z.transpose(-3, -2).flatten(-3, -2)


def projected_to_one_head(T, d_model, n_heads):
    """Each projection is counted as if it made the D channels of one head: it makes those of all heads,
    d_model of them.
    """
    multiplications = 4 * T * d_model * (d_model // n_heads) + 2 * T * T * d_model
    return 4 * (d_model * d_model + d_model), multiplications, n_heads * T * T


def output_projection_not_multiplied(T, d_model, n_heads):
    """The multiplications of three projections are counted: W_o, after the merge, is the fourth."""
    multiplications = 3 * T * d_model * d_model + 2 * T * T * d_model
    return 4 * (d_model * d_model + d_model), multiplications, n_heads * T * T


def one_bias_counted(T, d_model, n_heads):
    """One bias is counted: each of the four projections has one, of d_model numbers."""
    multiplications = 4 * T * d_model * d_model + 2 * T * T * d_model
    return 4 * d_model * d_model + d_model, multiplications, n_heads * T * T

"""Lesson 02's misconceptions about the module's projections, mask and results: one slip in each.

A class's docstring is the sentence that the student reads. Each class stands alone, with `torch`, `math` and
the lesson's `split_heads` and `merge_heads` as its only names, so that the class simulator can paste it.
"""

# ruff: noqa: D205  (a sentence may take two lines)

import math

import torch

from helpers.multihead import merge_heads, split_heads


class NoOutputProjection(torch.nn.Module):
    """The output projection is missing: after the merge each channel holds what one head found, and W_o mixes
    them.
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
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(dim=-1)
        return merge_heads(weights @ v), weights


class ValuesNotProjected(torch.nn.Module):
    """The values are the inputs themselves: they go through W_v before they are split."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x = y if x is None else x
        q, k, v = (split_heads(t, self.n_heads) for t in (self.W_q(y), self.W_k(x), x))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(dim=-1)
        return self.W_o(merge_heads(weights @ v)), weights


class KeysAndValuesSwapped(torch.nn.Module):
    """Keys and values have changed places: keys are W_k's and are compared with the queries, values are W_v's
    and are averaged.
    """

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x = y if x is None else x
        q, v, k = (split_heads(t, self.n_heads) for t in (self.W_q(y), self.W_k(x), self.W_v(x)))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(dim=-1)
        return self.W_o(merge_heads(weights @ v)), weights


class AlwaysItself(torch.nn.Module):
    """The second sequence is ignored: where x is given, keys and values come from x, and y gives the queries
    alone.
    """

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x = y
        q, k, v = (split_heads(t, self.n_heads) for t in (self.W_q(y), self.W_k(x), self.W_v(x)))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(dim=-1)
        return self.W_o(merge_heads(weights @ v)), weights


class TheOtherAsks(torch.nn.Module):
    """x asks and y answers, the wrong way round: y gives the queries, x the keys and values, and there is an
    output for each position of y.
    """

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x, y = y, (y if x is None else x)
        q, k, v = (split_heads(t, self.n_heads) for t in (self.W_q(y), self.W_k(x), self.W_v(x)))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(dim=-1)
        return self.W_o(merge_heads(weights @ v)), weights


class MaskIgnored(torch.nn.Module):
    """The mask changes nothing: hide the scores where it is False, and keep what masked_fill returns, which
    doesn't change its own tensor.
    """

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x = y if x is None else x
        q, k, v = (split_heads(t, self.n_heads) for t in (self.W_q(y), self.W_k(x), self.W_v(x)))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        weights = scores.softmax(dim=-1)
        return self.W_o(merge_heads(weights @ v)), weights


class MaskInverted(torch.nn.Module):
    """The mask is the wrong way round: True means “may attend”, so scores become -inf where it is False."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x = y if x is None else x
        q, k, v = (split_heads(t, self.n_heads) for t in (self.W_q(y), self.W_k(x), self.W_v(x)))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(mask, -math.inf)
        weights = scores.softmax(dim=-1)
        return self.W_o(merge_heads(weights @ v)), weights


class MaskAfterSoftmax(torch.nn.Module):
    """The mask is applied after the softmax, so the rows no longer sum to 1: hide the scores before it."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x = y if x is None else x
        q, k, v = (split_heads(t, self.n_heads) for t in (self.W_q(y), self.W_k(x), self.W_v(x)))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        weights = scores.softmax(dim=-1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0)
        return self.W_o(merge_heads(weights @ v)), weights


class OneMaskForAll(torch.nn.Module):
    """The first sentence's mask is used for all: each sentence has its own padding, and broadcasting over the
    batch axis takes care of it.
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
            mask = mask[0] if mask.dim() == 4 else mask
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(dim=-1)
        return self.W_o(merge_heads(weights @ v)), weights


class WeightsAveraged(torch.nn.Module):
    """The weights that come back are averaged over the heads: return each head's own, (B, H, T_q, T_k), since
    an average hides what the heads do.
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
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(dim=-1)
        return self.W_o(merge_heads(weights @ v)), weights.mean(dim=1)

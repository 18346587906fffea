"""Lesson 02's misconceptions about the module's shapes and softmax: `MultiHeadAttention` with one slip in it.

A class's docstring is the sentence that the student reads. Each class stands alone, with `torch`, `math` and
the lesson's `split_heads` and `merge_heads` as its only names, so that the class simulator can paste it.
"""

# ruff: noqa: D205  (a sentence may take two lines)

import math

import torch

from helpers.multihead import merge_heads, split_heads


class SplitByViewAlone(torch.nn.Module):
    """The heads are split without a transpose, so that each gets some of the positions instead of some of
    the channels: this is what `split_heads` is for.
    """

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x = y if x is None else x
        size = self.n_heads, -1, y.size(-1) // self.n_heads
        q, k, v = (t.reshape(len(t), *size) for t in (self.W_q(y), self.W_k(x), self.W_v(x)))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(dim=-1)
        return self.W_o(merge_heads(weights @ v)), weights


class MergedWithoutTransposing(torch.nn.Module):
    """The heads are merged without going back to (B, T, H, D) first, so that positions and heads are
    jumbled: this is what `merge_heads` is for.
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
        return self.W_o((weights @ v).reshape(y.shape)), weights


class HeadsAmongThemselves(torch.nn.Module):
    """The heads aren't moved before the positions, so that the heads of one position attend to each other:
    scores compare positions, and the weights are (B, H, T_q, T_k).
    """

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x = y if x is None else x
        q, k, v = (t.unflatten(-1, (self.n_heads, -1)) for t in (self.W_q(y), self.W_k(x), self.W_v(x)))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(dim=-1)
        return self.W_o((weights @ v).flatten(-2)), weights


class NotSplit(torch.nn.Module):
    """All heads in one: the channels aren't split, so there is one set of weights where each head should
    have its own.
    """

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x = y if x is None else x
        q, k, v = (t.unsqueeze(1) for t in (self.W_q(y), self.W_k(x), self.W_v(x)))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(dim=-1)
        return self.W_o((weights @ v).squeeze(1)), weights


class ScaledByModelWidth(torch.nn.Module):
    """The scores are divided by √d_model: a dot product of one head has only d_model / n_heads terms, so its
    variance is smaller.
    """

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x = y if x is None else x
        q, k, v = (split_heads(t, self.n_heads) for t in (self.W_q(y), self.W_k(x), self.W_v(x)))
        scores = q @ k.transpose(-2, -1) / math.sqrt(y.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(dim=-1)
        return self.W_o(merge_heads(weights @ v)), weights


class Unscaled(torch.nn.Module):
    """The scores aren't divided by √D, where D = d_model / n_heads is the number of channels of one head."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x = y if x is None else x
        q, k, v = (split_heads(t, self.n_heads) for t in (self.W_q(y), self.W_k(x), self.W_v(x)))
        scores = q @ k.transpose(-2, -1)
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(dim=-1)
        return self.W_o(merge_heads(weights @ v)), weights


class ScaledByHeadWidth(torch.nn.Module):
    """The scores are divided by D: its root, √D, brings their variance back to 1."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x = y if x is None else x
        q, k, v = (split_heads(t, self.n_heads) for t in (self.W_q(y), self.W_k(x), self.W_v(x)))
        scores = q @ k.transpose(-2, -1) / q.size(-1)
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(dim=-1)
        return self.W_o(merge_heads(weights @ v)), weights


class ScaledByNumberOfHeads(torch.nn.Module):
    """The scores are divided by the root of the number of heads: their variance grows with D = d_model /
    n_heads, the number of channels of one head.
    """

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x = y if x is None else x
        q, k, v = (split_heads(t, self.n_heads) for t in (self.W_q(y), self.W_k(x), self.W_v(x)))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.n_heads)
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(dim=-1)
        return self.W_o(merge_heads(weights @ v)), weights


class FilledWithMinusHundred(torch.nn.Module):
    """Hidden scores become a number such as −100, or are lowered by as much, and where scores are that large
    a hidden key still gets weight: only −∞, or the lowest number there is, always hides.
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
            scores = scores.masked_fill(~mask, -100)
        weights = scores.softmax(dim=-1)
        return self.W_o(merge_heads(weights @ v)), weights


class FilledWithInfinity(torch.nn.Module):
    """Hidden scores become +∞, and ∞ − ∞ in the softmax is NaN: what may not be seen needs the score −∞."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x = y if x is None else x
        q, k, v = (split_heads(t, self.n_heads) for t in (self.W_q(y), self.W_k(x), self.W_v(x)))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, math.inf)
        weights = scores.softmax(dim=-1)
        return self.W_o(merge_heads(weights @ v)), weights


class SoftmaxOverQueries(torch.nn.Module):
    """The softmax runs over the queries, so the columns sum to 1: each query shares out its attention among
    the keys, the last axis.
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
        weights = scores.softmax(dim=-2)
        return self.W_o(merge_heads(weights @ v)), weights


class SoftmaxOverHeads(torch.nn.Module):
    """The softmax runs over the heads, so that they compete for each key: within each head, the weights sum
    to 1 over the keys, the last axis.
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
        weights = scores.softmax(dim=1)
        return self.W_o(merge_heads(weights @ v)), weights

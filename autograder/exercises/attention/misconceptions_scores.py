"""Lesson 01's misconceptions about scores: powers, scaling and what is multiplied with what."""

# ruff: noqa: D205  (a sentence may take two lines)

import math

import torch


def powers_of_two(x, dim):
    """These are powers of 2, not of e, so the weights are flatter than a softmax's: exponentiate with
    torch.exp.
    """
    e = 2 ** (x - x.amax(dim=dim, keepdim=True))
    return e / e.sum(dim=dim, keepdim=True)


def total_of_everything(x, dim):
    """One maximum and one sum serve the whole tensor, as if it were one row: give both of them `dim`."""
    e = torch.exp(x - x.max())
    return e / e.sum()


def absolute_scores(x, dim):
    """The scores lose their signs before they are exponentiated, so −3 weighs as much as 3: a score below
    zero means less weight.
    """
    s = x.abs()
    e = torch.exp(s - s.amax(dim=dim, keepdim=True))
    return e / e.sum(dim=dim, keepdim=True)


def smallest_is_largest(x, dim):
    """The scores' signs are turned round, so the smallest score gets the largest weight: exponentiate the
    score minus the maximum, not the maximum minus the score.
    """
    e = torch.exp(x.amin(dim=dim, keepdim=True) - x)
    return e / e.sum(dim=dim, keepdim=True)


def of_unit_length(x, dim):
    """The exponentials are divided by the length of their vector, so their squares sum to 1: divide by their
    sum.
    """
    e = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return e / e.norm(dim=dim, keepdim=True)


def keys_reshaped(q, k, v, mask=None):
    """The keys are reshaped where they should be transposed: that has the right shape, but mixes numbers of
    different keys, since view and reshape keep their order in memory.
    """
    turned = k.reshape(*k.shape[:-2], k.size(-1), k.size(-2))
    scores = q @ turned / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights


def divided_after_the_softmax(q, k, v, mask=None):
    """The weights are divided by √d_k, so they no longer sum to 1: divide the scores, before the softmax."""
    scores = q @ k.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(dim=-1) / math.sqrt(q.size(-1))
    return weights @ v, weights


def softmax_over_everything(q, k, v, mask=None):
    """One softmax runs over all scores together: each query needs one of its own, over its keys, the last
    axis.
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = (scores - scores.max()).exp()
    weights = weights / weights.sum()
    return weights @ v, weights


def sigmoid_for_tanh(query, keys, values, W_q, W_k, v):
    """A sigmoid stands where the formula has tanh: it never falls below 0."""
    hidden = torch.sigmoid((query @ W_q).unsqueeze(-2) + keys @ W_k)
    weights = (hidden @ v).softmax(dim=-1)
    return (weights.unsqueeze(-1) * values).sum(dim=-2), weights

"""Misconceptions of lesson 01 that come along with code from elsewhere; see `misconceptions.py`."""

# ruff: noqa: D205  (a sentence may take two lines)

import math

import torch

# -- a softmax that stops learning ---------------------------------------------------------------------------


def every_query_with_all_keys(q, k, scaled):
    """Every query meets the keys of all queries here, in scores of (N, N, T): each query has T keys of its
    own, so q needs an axis for them, or an einsum "nd,ntd->nt".
    """
    scores = q @ k.transpose(-2, -1)
    if scaled:
        scores = scores / math.sqrt(q.size(-1))
    scores = scores.detach().requires_grad_()
    largest = scores.softmax(dim=-1).amax(dim=-1)
    (slopes,) = torch.autograd.grad(largest.sum(), scores)
    return largest.mean().detach(), slopes.norm(dim=-1).mean()


def own_derivative_alone(q, k, scaled):
    """The derivative with respect to the largest score is taken alone, w(1 − w): a rise of any other score
    takes from this weight too, so the norm is over all T of them.
    """
    scores = (k @ q.unsqueeze(-1)).squeeze(-1)
    if scaled:
        scores = scores / math.sqrt(q.size(-1))
    largest = scores.softmax(dim=-1).amax(dim=-1)
    return largest.mean(), (largest * (1 - largest)).mean()


def shifted_above_alone(x, dim):
    """The maximum is subtracted above the line and not below it: it cancels only if the sum is that of the
    same exponentials.
    """
    return torch.exp(x - x.amax(dim=dim, keepdim=True)) / x.exp().sum(dim=dim, keepdim=True)


def sum_of_absolute_slopes(q, k, scaled):
    """These are sums of absolute slopes: a Euclidean norm is the root of the sum of their squares."""
    scores = (k @ q.unsqueeze(-1)).squeeze(-1)
    if scaled:
        scores = scores / math.sqrt(q.size(-1))
    scores = scores.detach().requires_grad_()
    largest = scores.softmax(dim=-1).amax(dim=-1)
    (slopes,) = torch.autograd.grad(largest.sum(), scores)
    return largest.mean().detach(), slopes.abs().sum(dim=-1).mean()


def norm_of_differences(layer, x, permutation):
    """These are Euclidean norms of the differences, which grow with the number of positions: the gap is the
    largest absolute difference.
    """
    shuffled, output = layer(x[..., permutation, :]), layer(x)
    return (shuffled - output[..., permutation, :]).norm(), (shuffled - output).norm()


def cross_unscaled(y, x, W_q, W_k, W_v, mask=None):
    """The scores aren't divided by √d_k: that is for `scaled_dot_product_attention` to do."""
    scores = (y @ W_q) @ (x @ W_k).transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(dim=-1)
    return weights @ (x @ W_v), weights

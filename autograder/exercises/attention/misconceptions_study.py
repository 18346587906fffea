"""Misconceptions of lesson 01's exercises that measure or repair something; see `misconceptions.py`."""

# ruff: noqa: D205  (a sentence may take two lines)

import math

import torch

# -- the variance of a dot product ---------------------------------------------------------------------------


def standard_deviation(d_k):
    """This is the standard deviation: the variance is its square."""
    return math.sqrt(d_k)


def of_one_component(d_k):
    """A variance of 1 is that of one product q_i k_i, or of q · k after dividing by √d_k: q · k is a
    sum of d_k such products, and variances of independent terms add up.
    """
    return 1.0


def mean_for_variance(d_k):
    """0 is the mean of q · k: the products are as often positive as negative, but they vary all the
    same.
    """
    return 0.0


def reciprocal(d_k):
    """The variance of a mean shrinks like 1/d_k, but q · k is a sum: it isn't divided by anything yet."""
    return 1 / d_k


def two_vectors_added(d_k):
    """The variances of q_i and k_i are added, as for q_i + k_i: they are multiplied, and the product of
    two independent numbers with mean 0 and variance 1 has variance 1.
    """
    return 2 * d_k


def squared(d_k):
    """d_k² would be right if all d_k products were one and the same number: they are independent, and
    the variance of their sum is d_k times the variance of one.
    """
    return d_k**2


# -- saturation ----------------------------------------------------------------------------------------------


def never_scaled(q, k, scaled):
    """The scores are never divided by √d_k: do it when `scaled` is True, and the two can be compared."""
    scores = (k @ q.unsqueeze(-1)).squeeze(-1)
    scores = scores.detach().requires_grad_()
    largest = scores.softmax(dim=-1).max(dim=-1).values
    (gradient,) = torch.autograd.grad(largest.sum(), scores)
    return largest.mean().detach(), gradient.norm(dim=-1).mean()


def always_scaled(q, k, scaled):
    """The scores are always divided by √d_k: do it only when `scaled` is True, and the two can be
    compared.
    """
    scores = (k @ q.unsqueeze(-1)).squeeze(-1) / math.sqrt(q.size(-1))
    scores = scores.detach().requires_grad_()
    largest = scores.softmax(dim=-1).max(dim=-1).values
    (gradient,) = torch.autograd.grad(largest.sum(), scores)
    return largest.mean().detach(), gradient.norm(dim=-1).mean()


def saturation_scaled_by_d_k(q, k, scaled):
    """The scores are divided by d_k: it is √d_k that brings their variance back to 1."""
    scores = (k @ q.unsqueeze(-1)).squeeze(-1)
    if scaled:
        scores = scores / q.size(-1)
    scores = scores.detach().requires_grad_()
    largest = scores.softmax(dim=-1).max(dim=-1).values
    (gradient,) = torch.autograd.grad(largest.sum(), scores)
    return largest.mean().detach(), gradient.norm(dim=-1).mean()


def gradient_before_scaling(q, k, scaled):
    """The gradient is taken with respect to the scores before they are divided by √d_k, which makes it
    √d_k times smaller: take it with respect to what goes into the softmax.
    """
    scores = (k @ q.unsqueeze(-1)).squeeze(-1)
    scores = scores.detach().requires_grad_()
    logits = scores / math.sqrt(q.size(-1)) if scaled else scores
    largest = logits.softmax(dim=-1).max(dim=-1).values
    (gradient,) = torch.autograd.grad(largest.sum(), scores)
    return largest.mean().detach(), gradient.norm(dim=-1).mean()


def gradient_of_the_mean(q, k, scaled):
    """The gradient is that of the mean of the largest weights, so each row's is divided by N: average the
    norms at the end, and backpropagate the sum.
    """
    scores = (k @ q.unsqueeze(-1)).squeeze(-1)
    if scaled:
        scores = scores / math.sqrt(q.size(-1))
    scores = scores.detach().requires_grad_()
    largest = scores.softmax(dim=-1).max(dim=-1).values.mean()
    (gradient,) = torch.autograd.grad(largest, scores)
    return largest.detach(), gradient.norm(dim=-1).mean()


def one_norm_for_all(q, k, scaled):
    """This is one norm over all rows together, which grows with N: take each row's norm, then the mean."""
    scores = (k @ q.unsqueeze(-1)).squeeze(-1)
    if scaled:
        scores = scores / math.sqrt(q.size(-1))
    scores = scores.detach().requires_grad_()
    largest = scores.softmax(dim=-1).max(dim=-1).values
    (gradient,) = torch.autograd.grad(largest.sum(), scores)
    return largest.mean().detach(), gradient.norm()


def gradient_of_all_weights(q, k, scaled):
    """The gradient of the sum of all weights is 0, because a row always sums to 1: backpropagate each row's
    largest weight alone.
    """
    scores = (k @ q.unsqueeze(-1)).squeeze(-1)
    if scaled:
        scores = scores / math.sqrt(q.size(-1))
    scores = scores.detach().requires_grad_()
    weights = scores.softmax(dim=-1)
    (gradient,) = torch.autograd.grad(weights.sum(), scores)
    return weights.max(dim=-1).values.mean().detach(), gradient.norm(dim=-1).mean()


def gradient_of_queries(q, k, scaled):
    """The gradient is taken with respect to the queries: the question is what is left of it where it
    enters the softmax, at the scores.
    """
    q = q.detach().requires_grad_()
    scores = (k @ q.unsqueeze(-1)).squeeze(-1)
    if scaled:
        scores = scores / math.sqrt(q.size(-1))
    largest = scores.softmax(dim=-1).max(dim=-1).values
    (gradient,) = torch.autograd.grad(largest.sum(), q)
    return largest.mean().detach(), gradient.norm(dim=-1).mean()


def one_hot_cut_short(q, k, scaled):
    """one_hot makes as many columns as the largest index needs, which are too few when the last key wins in
    no row: tell it how many keys there are.
    """
    scores = (k @ q.unsqueeze(-1)).squeeze(-1)
    if scaled:
        scores = scores / math.sqrt(q.size(-1))
    weights = scores.softmax(dim=-1)
    largest, winner = weights.max(dim=-1)
    gradient = largest.unsqueeze(-1) * (torch.nn.functional.one_hot(winner) - weights)
    return largest.mean(), gradient.norm(dim=-1).mean()


def largest_of_all(q, k, scaled):
    """This is the largest weight of all rows together: take the largest of each row, then the mean."""
    scores = (k @ q.unsqueeze(-1)).squeeze(-1)
    if scaled:
        scores = scores / math.sqrt(q.size(-1))
    scores = scores.detach().requires_grad_()
    weights = scores.softmax(dim=-1)
    (gradient,) = torch.autograd.grad(weights.max(dim=-1).values.sum(), scores)
    return weights.max().detach(), gradient.norm(dim=-1).mean()


def softmax_over_the_batch(q, k, scaled):
    """The softmax runs over the N queries: each query shares out its attention among its own T keys,
    the last axis of the scores.
    """
    scores = (k @ q.unsqueeze(-1)).squeeze(-1)
    if scaled:
        scores = scores / math.sqrt(q.size(-1))
    scores = scores.detach().requires_grad_()
    largest = scores.softmax(dim=0).max(dim=-1).values
    (gradient,) = torch.autograd.grad(largest.sum(), scores)
    return largest.mean().detach(), gradient.norm(dim=-1).mean()


# -- permutations --------------------------------------------------------------------------------------------


def gaps_in_other_order(layer, x, permutation):
    """The two gaps are the wrong way round: equivariance, against layer(x)[p], comes first; invariance,
    against layer(x), second.
    """
    straight, shuffled = layer(x), layer(x[..., permutation, :])
    return (shuffled - straight).abs().max(), (shuffled - straight[..., permutation, :]).abs().max()


def first_axis_permuted(layer, x, permutation):
    """x[permutation] takes from the first axis, which is the batch when there is one: positions are the
    second-to-last axis, x[..., permutation, :].
    """
    straight, shuffled = layer(x), layer(x[permutation])
    return (shuffled - straight[permutation]).abs().max(), (shuffled - straight).abs().max()


def permuted_twice(layer, x, permutation):
    """The shuffled output is shuffled once more, or layer(x) put into the inverse order, which gives the same
    gap: shuffle layer(x) by p, as x was, and compare that with layer(x[p]).
    """
    straight, shuffled = layer(x), layer(x[..., permutation, :])
    gap = (shuffled[..., permutation, :] - straight).abs().max()
    return gap, (shuffled - straight).abs().max()


def input_not_permuted(layer, x, permutation):
    """The equivariance gap compares layer(x) with its own shuffled rows: one side must be the layer
    called with the shuffled x.
    """
    output = layer(x)
    gap = (output[..., permutation, :] - output).abs().max()
    return gap, (layer(x[..., permutation, :]) - output).abs().max()


def mean_gap(layer, x, permutation):
    """These are mean differences: a few wrong positions can hide in a mean, so take the largest."""
    straight, shuffled = layer(x), layer(x[..., permutation, :])
    return (shuffled - straight[..., permutation, :]).abs().mean(), (shuffled - straight).abs().mean()


def no_absolute_value(layer, x, permutation):
    """The largest difference is taken with its sign, so large negative ones are overlooked: take the
    absolute value first.
    """
    straight, shuffled = layer(x), layer(x[..., permutation, :])
    return (shuffled - straight[..., permutation, :]).max(), (shuffled - straight).max()


def yes_or_no(layer, x, permutation):
    """These are yes-or-no answers: return how large the two gaps are, since a small one from rounding and a
    real one look very different.
    """
    straight, shuffled = layer(x), layer(x[..., permutation, :])
    return torch.allclose(shuffled, straight[..., permutation, :]), torch.allclose(shuffled, straight)


def of_the_pooled_output(layer, x, permutation):
    """The invariance gap is taken after averaging over the positions, which hides their order: compare
    layer(x[p]) with layer(x) position by position.
    """
    straight, shuffled = layer(x), layer(x[..., permutation, :])
    gap = (shuffled - straight[..., permutation, :]).abs().max()
    return gap, (shuffled.mean(dim=-2) - straight.mean(dim=-2)).abs().max()

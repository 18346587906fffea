"""Lesson 01's misconceptions: each exercise's reference with one slip in it, written as a student would.

Its docstring is the sentence for the student who makes it. Each function stands alone, with `torch`,
`math` and what the lesson has by then as its only names, so that the class simulator can paste its source
into a notebook. The exercises that measure something have theirs in `misconceptions_study.py`.
"""

# ruff: noqa: D205  (a sentence may take two lines)

import math

import torch

from helpers.attention import scaled_dot_product_attention

# -- softmax -------------------------------------------------------------------------------------------------


def no_maximum(x, dim):
    """The scores are exponentiated as they are, and exp(10⁴) is infinite: subtract the largest score of each
    row first, which changes no weight.
    """
    e = torch.exp(x)
    return e / e.sum(dim=dim, keepdim=True)


def global_maximum(x, dim):
    """The largest score of the whole tensor is subtracted, so in a row whose scores are all far below it
    every exponential becomes 0, and 0/0 is NaN: each row needs its own maximum.
    """
    e = torch.exp(x - x.max())
    return e / e.sum(dim=dim, keepdim=True)


def clamped(x, dim):
    """The scores are clamped, and two scores that are clamped to one number get the same weight: subtract the
    maximum, which keeps the differences.
    """
    e = torch.exp(x.clamp(-50, 50))
    return e / e.sum(dim=dim, keepdim=True)


def always_last_axis(x, dim):
    """The weights sum to 1 along the last axis whatever `dim` says: pass `dim` on to the maximum and to the
    sum.
    """
    e = torch.exp(x - x.max(dim=-1, keepdim=True).values)
    return e / e.sum(dim=-1, keepdim=True)


def always_first_axis(x, dim):
    """The weights sum to 1 along the first axis whatever `dim` says: pass `dim` on to the maximum and to the
    sum.
    """
    e = torch.exp(x - x.max(dim=0, keepdim=True).values)
    return e / e.sum(dim=0, keepdim=True)


def no_keepdim(x, dim):
    """The maximum and the sum lose their axis, so they no longer line up with x unless that axis is the
    first one: keep it as an axis of size 1, with keepdim=True.
    """
    e = torch.exp(x - x.max(dim=dim).values)
    return e / e.sum(dim=dim)


def divided_by_total(x, dim):
    """Everything is divided by the sum of the whole tensor, so only all weights together sum to 1: each
    row is divided by its own sum.
    """
    e = torch.exp(x - x.max(dim=dim, keepdim=True).values)
    return e / e.sum()


def not_divided(x, dim):
    """The exponentials aren't divided by their sum, so they don't sum to 1 and aren't weights yet."""
    return torch.exp(x - x.max(dim=dim, keepdim=True).values)


def logarithm(x, dim):
    """These are the logarithms of the weights: one exponential is missing at the end."""
    x = x - x.max(dim=dim, keepdim=True).values
    return x - torch.log(torch.exp(x).sum(dim=dim, keepdim=True))


# -- scaled dot-product attention ----------------------------------------------------------------------------


def unscaled(q, k, v, mask=None):
    """The scores are not divided by √d_k, so they grow with d_k and push the softmax towards a single
    key.
    """
    scores = q @ k.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights


def scaled_by_d_k(q, k, v, mask=None):
    """The scores are divided by d_k, at once or by √d_k twice: dividing by √d_k once makes their
    variance 1, and dividing by more flattens the weights.
    """
    scores = q @ k.transpose(-2, -1) / q.size(-1)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights


def scaled_by_number_of_keys(q, k, v, mask=None):
    """The scores are divided by the root of the number of keys: their variance grows with the number of
    features, d_k.
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(k.size(-2))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights


def multiplied_by_root(q, k, v, mask=None):
    """The scores are multiplied by √d_k, where they should be divided: this makes large scores larger
    still.
    """
    scores = q @ k.transpose(-2, -1) * math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights


def softmax_over_queries(q, k, v, mask=None):
    """The softmax runs over the queries, so the columns sum to 1: each query shares out its attention
    among the keys, which is the last axis.
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-2)
    return weights @ v, weights


def returned_in_other_order(q, k, v, mask=None):
    """The two results are the wrong way round: the output comes first, then the weights."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights, weights @ v


def returned_scores(q, k, v, mask=None):
    """The second result is the scores from before the softmax: return the weights, which sum to 1."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return torch.softmax(scores, dim=-1) @ v, scores


def mask_ignored(q, k, v, mask=None):
    """The mask changes nothing: hide the scores where it is False, and keep what masked_fill returns, which
    doesn't change its own tensor.
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights


def mask_after_softmax(q, k, v, mask=None):
    """The mask is applied after the softmax, so the rows no longer sum to 1: hide the scores before it."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0)
    return weights @ v, weights


def mask_inverted(q, k, v, mask=None):
    """The mask is the wrong way round: True means “may attend”, so scores become -inf where the mask is
    False.
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights


def mask_sets_zero(q, k, v, mask=None):
    """Hidden scores become 0 (by a product, or by 1e-9 in place of -1e9), and exp(0) is 1, so hidden
    keys still get weight: only -inf gives weight 0.
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores * mask
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights


def filled_with_minus_hundred(q, k, v, mask=None):
    """Hidden scores become a number such as −100, or are lowered by as much, and where scores are that large
    a hidden key still gets weight: only −∞, or the lowest number there is, always hides.
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -100)
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights


def filled_with_infinity(q, k, v, mask=None):
    """Hidden scores become +∞, and ∞ − ∞ in the softmax is NaN: what may not be seen needs the score −∞."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights


def filled_with_a_large_number(q, k, v, mask=None):
    """Hidden scores become a large positive number, so that all weight goes to the keys that may not be
    seen: the minus is missing.
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, 1e9)
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights


def filled_with_e(q, k, v, mask=None):
    """Hidden scores become math.e, which is 2.718…, a score like any other, so hidden keys get a good share
    of the weight: −∞ gives weight 0.
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, math.e)
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights


def mask_added(q, k, v, mask=None):
    """The boolean mask is added to the scores, which adds 1 where it is True and hides nothing: what
    may not be seen needs the score -inf.
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores + mask
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights


# -- additive attention --------------------------------------------------------------------------------------


def no_tanh(query, keys, values, W_q, W_k, v):
    """The tanh is missing: then the query adds the same number to every score, the softmax cancels that
    again, and all queries get the same weights.
    """
    hidden = (query @ W_q).unsqueeze(-2) + keys @ W_k
    weights = torch.softmax(hidden @ v, dim=-1)
    return (weights.unsqueeze(-1) * values).sum(dim=-2), weights


def tanh_of_the_score(query, keys, values, W_q, W_k, v):
    """The tanh is applied to the finished score: it belongs on the d_a hidden numbers, before v sums them."""
    hidden = (query @ W_q).unsqueeze(-2) + keys @ W_k
    weights = torch.softmax(torch.tanh(hidden @ v), dim=-1)
    return (weights.unsqueeze(-1) * values).sum(dim=-2), weights


def tanh_before_the_sum(query, keys, values, W_q, W_k, v):
    """The tanh is applied to query and key separately: then the query adds the same number to every score and
    changes no weight, so add the two first.
    """
    hidden = torch.tanh(query @ W_q).unsqueeze(-2) + torch.tanh(keys @ W_k)
    weights = torch.softmax(hidden @ v, dim=-1)
    return (weights.unsqueeze(-1) * values).sum(dim=-2), weights


def relu_for_tanh(query, keys, values, W_q, W_k, v):
    """The hidden numbers go through a ReLU: additive attention takes their tanh."""
    hidden = torch.relu((query @ W_q).unsqueeze(-2) + keys @ W_k)
    weights = torch.softmax(hidden @ v, dim=-1)
    return (weights.unsqueeze(-1) * values).sum(dim=-2), weights


def product_for_sum(query, keys, values, W_q, W_k, v):
    """The projected query and key are multiplied: in additive attention they are added, as its name
    says.
    """
    hidden = torch.tanh((query @ W_q).unsqueeze(-2) * (keys @ W_k))
    weights = torch.softmax(hidden @ v, dim=-1)
    return (weights.unsqueeze(-1) * values).sum(dim=-2), weights


def additive_scaled(query, keys, values, W_q, W_k, v):
    """The scores are divided by √d_a: such a division belongs to the dot product, and additive
    attention has none.
    """
    hidden = torch.tanh((query @ W_q).unsqueeze(-2) + keys @ W_k)
    weights = torch.softmax(hidden @ v / math.sqrt(v.size(0)), dim=-1)
    return (weights.unsqueeze(-1) * values).sum(dim=-2), weights


def no_softmax(query, keys, values, W_q, W_k, v):
    """The scores are used as weights without a softmax: they can be negative and don't sum to 1, so the
    context isn't an average.
    """
    hidden = torch.tanh((query @ W_q).unsqueeze(-2) + keys @ W_k)
    weights = hidden @ v
    return (weights.unsqueeze(-1) * values).sum(dim=-2), weights


def context_of_keys(query, keys, values, W_q, W_k, v):
    """The context is an average of the keys: keys are compared, and the values are averaged."""
    hidden = torch.tanh((query @ W_q).unsqueeze(-2) + keys @ W_k)
    weights = torch.softmax(hidden @ v, dim=-1)
    return (weights.unsqueeze(-1) * keys).sum(dim=-2), weights


def no_axis_for_positions(query, keys, values, W_q, W_k, v):
    """With a batch the projected query (..., d_a) doesn't line up with the keys (..., T, d_a): give it
    an axis for the positions, with unsqueeze(-2).
    """
    hidden = torch.tanh(query @ W_q + keys @ W_k)
    weights = torch.softmax(hidden @ v, dim=-1)
    return (weights.unsqueeze(-1) * values).sum(dim=-2), weights


def context_and_weights_swapped(query, keys, values, W_q, W_k, v):
    """The two results are the wrong way round: the context comes first, then the weights."""
    hidden = torch.tanh((query @ W_q).unsqueeze(-2) + keys @ W_k)
    weights = torch.softmax(hidden @ v, dim=-1)
    return weights, (weights.unsqueeze(-1) * values).sum(dim=-2)


# -- cross-attention -----------------------------------------------------------------------------------------


def x_asks_y(y, x, W_q, W_k, W_v, mask=None):
    """The roles are the wrong way round: y asks, so the queries come from y, and the keys and values
    come from x.
    """
    return scaled_dot_product_attention(x @ W_q, y @ W_k, y @ W_v, mask)


def values_from_y(y, x, W_q, W_k, W_v, mask=None):
    """The values come from y: then nothing of x reaches the output but the weights; what is averaged must
    come from x, like the keys.
    """
    return scaled_dot_product_attention(y @ W_q, x @ W_k, y @ W_v, mask)


def all_from_x(y, x, W_q, W_k, W_v, mask=None):
    """All three come from x, which is self-attention of x: the queries come from y."""
    return scaled_dot_product_attention(x @ W_q, x @ W_k, x @ W_v, mask)


def all_from_y(y, x, W_q, W_k, W_v, mask=None):
    """All three come from y, which is self-attention of y: the keys and values come from x."""
    return scaled_dot_product_attention(y @ W_q, y @ W_k, y @ W_v, mask)


def values_not_projected(y, x, W_q, W_k, W_v, mask=None):
    """The values are x itself: they too have a projection of their own, x @ W_v."""
    return scaled_dot_product_attention(y @ W_q, x @ W_k, x, mask)


def values_by_key_weights(y, x, W_q, W_k, W_v, mask=None):
    """The keys are used as values too: the values have a projection of their own, W_v, so that what is
    compared and what is passed on can differ.
    """
    return scaled_dot_product_attention(y @ W_q, x @ W_k, x @ W_k, mask)


def mask_forgotten(y, x, W_q, W_k, W_v, mask=None):
    """The mask isn't passed on to scaled_dot_product_attention, so positions that must not be seen
    get weight.
    """
    return scaled_dot_product_attention(y @ W_q, x @ W_k, x @ W_v)


def cross_filled_with_minus_hundred(y, x, W_q, W_k, W_v, mask=None):
    """Hidden scores become a number such as −100, or are lowered by as much, and where scores are that large
    a hidden key still gets weight: scaled_dot_product_attention always hides it.
    """
    scores = (y @ W_q) @ (x @ W_k).transpose(-2, -1) / math.sqrt(W_q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -100)
    weights = torch.softmax(scores, dim=-1)
    return weights @ (x @ W_v), weights


def mask_turned_round(y, x, W_q, W_k, W_v, mask=None):
    """The mask is inverted on the way: pass it on as it is, True means “may attend” in both functions."""
    if mask is not None:
        mask = ~mask
    return scaled_dot_product_attention(y @ W_q, x @ W_k, x @ W_v, mask)


def scaled_again(y, x, W_q, W_k, W_v, mask=None):
    """The scores are divided by √d_k twice, since scaled_dot_product_attention does it already."""
    q = y @ W_q / math.sqrt(W_q.size(-1))
    return scaled_dot_product_attention(q, x @ W_k, x @ W_v, mask)

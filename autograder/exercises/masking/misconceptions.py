"""Lesson 04's misconceptions about making masks and attending through them, written as a student would.

Its docstring is the sentence for the student who makes it. Those about what models see and remember
are in `misconceptions_study.py`.
"""

# ruff: noqa: D205  (a sentence may take two lines)

import math

import torch

from helpers.masking import causal_mask

# -- the causal mask -----------------------------------------------------------------------------------------


def not_itself(T):
    """No position may see itself here, and the first may see nothing at all: the diagonal belongs to what
    is allowed, since word i is known when word i + 1 is predicted.
    """
    return torch.tril(torch.ones(T, T), diagonal=-1).bool()


def upper_triangle(T):
    """This is the upper triangle, so each position sees itself and the future: row i is query i, and it
    may look at the columns j ≤ i, which are on the left.
    """
    return torch.triu(torch.ones(T, T)).bool()


def true_hides(T):
    """True is where attending is forbidden: in this course, and in torch's scaled_dot_product_attention, True
    means "may attend".
    """
    return torch.triu(torch.ones(T, T), diagonal=1).bool()


def one_too_far(T):
    """The diagonal is one too high, so each position sees the very word that it is to predict: only
    j ≤ i is allowed.
    """
    return torch.tril(torch.ones(T, T), diagonal=1).bool()


def not_boolean(T):
    """These are the numbers 1 and 0: a mask is boolean, and a mask of numbers can be taken for one that
    is added to the scores.
    """
    return torch.tril(torch.ones(T, T))


def to_be_added(T):
    """These are 0 and −∞, to be added to the scores: the exercise asks for a boolean mask, with True where
    attending is allowed.
    """
    return torch.zeros(T, T).masked_fill(torch.ones(T, T).triu(1).bool(), float("-inf"))


def only_itself(T):
    """This is the diagonal alone, so each position sees itself and nothing of what came before."""
    return torch.eye(T, dtype=torch.bool)


# -- the padding mask ----------------------------------------------------------------------------------------


def true_is_padding(lengths, T):
    """True is on the padding: True means "may attend", so it belongs on the words."""
    return torch.arange(T) >= lengths[:, None]


def one_word_more(lengths, T):
    """One position of padding counts as a word: positions count from 0, and a sentence of n words has them
    at 0 to n − 1, so use < in place of ≤.
    """
    return torch.arange(T) <= lengths[:, None]


def filled_in_front(lengths, T):
    """Here the padding comes in front of the words: these sentences are filled up at their ends."""
    return torch.arange(T) >= T - lengths[:, None]


def sentences_in_columns(lengths, T):
    """The axes are the wrong way round: the sentences come first, (B, T), so it is `lengths` that needs a
    new last axis, and not the positions.
    """
    return torch.arange(T)[:, None] < lengths


def padding_as_numbers(lengths, T):
    """These are the integers 1 and 0, as a tokenizer gives them: a mask is boolean here."""
    return (torch.arange(T) < lengths[:, None]).long()


def up_to_the_longest(lengths, T):
    """The mask ends with the longest sentence: the batch has T positions, and so has the mask, even where
    the last of them are padding in every sentence.
    """
    return torch.arange(int(lengths.max())) < lengths[:, None]


# -- both at once --------------------------------------------------------------------------------------------


def queries_for_keys(real):
    """The padding mask has ended up on the queries: what must not be looked *at* are keys, the columns, so
    the new axis belongs before the last, (B, 1, T).
    """
    return causal_mask(real.size(1)) & real[:, :, None]


def queries_and_keys(real):
    """The rows of the padding are hidden as well as its columns: such a query then has nothing to look at,
    and its output is thrown away later anyway, so hide the columns alone.
    """
    return causal_mask(real.size(1)) & real[:, None, :] & real[:, :, None]


def either(real):
    """The two are combined by "or", so a key is seen if one of them allows it: both must, which is &."""
    return causal_mask(real.size(1)) | real[:, None, :]


def no_new_axis(real):
    """(T, T) and (B, T) are combined as they are, and broadcasting takes the B sentences for T queries: it
    works for one sentence by luck, so give the padding mask an axis of size 1 for the queries.
    """
    return causal_mask(real.size(1)) & real


def causal_alone(real):
    """Only the future is hidden here, and the padding can be seen: take & with the padding mask."""
    return causal_mask(real.size(1)).expand(len(real), -1, -1)


def padding_alone(real):
    """Only the padding is hidden here, and the future can be seen: take & with the causal mask."""
    return real[:, None, :].expand(-1, real.size(1), -1)


def exclusive(real):
    """^ is True where exactly one of the two is: both have to allow a key, which is &."""
    return causal_mask(real.size(1)) ^ real[:, None, :]


# -- attention that survives empty rows ----------------------------------------------------------------------


def nan_in_empty_rows(q, k, v, mask):
    """In a row with nothing to look at, 0 is divided by 0, as the softmax does where all scores are −∞, and
    the query gets NaN: it should get zeros.
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)
    return weights @ v, weights


def uniform_in_empty_rows(q, k, v, mask):
    """Where every score is the same large negative number, the softmax gives all keys the same weight, so
    a query that may see nothing gets the mean of all values: set what is hidden to 0 afterwards.
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return weights @ v, weights


def nan_replaced_at_the_end(q, k, v, mask):
    """The NaN is replaced after it was multiplied by v, so the numbers are right and the gradient of v is
    NaN, since 0 · NaN is NaN: see that no NaN is made before the last product.
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)
    return (weights @ v).nan_to_num(), weights.nan_to_num()


def nan_replaced_after_adding(q, k, v, mask):
    """A NaN is made, by adding −∞ to a whole row or by 0/0, and replaced afterwards, so the numbers are right
    and the gradients of q and k are NaN: on their way back they pass the step that made it.
    """
    bias = torch.zeros(mask.shape, dtype=q.dtype).masked_fill(~mask, float("-inf"))
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)) + bias).softmax(dim=-1).nan_to_num()
    return weights @ v, weights


def nan_replaced_too_late(q, k, v, mask):
    """A NaN is made, by adding −∞ or by 0/0, and replaced after the product with v, so the numbers are right
    and all three gradients are NaN: see that no NaN is made on the way to the weights.
    """
    bias = torch.zeros(mask.shape, dtype=q.dtype).masked_fill(~mask, float("-inf"))
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)) + bias).softmax(dim=-1)
    return (weights @ v).nan_to_num(), weights.nan_to_num()


def zeros_for_all(q, k, v, mask):
    """One query with nothing to look at makes the whole result 0: only the row of that query should be 0."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if not mask.any(dim=-1).all():
        return q.new_zeros(*q.shape[:-1], v.size(-1)), torch.zeros_like(scores)
    weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)
    return weights @ v, weights


def weights_left_uniform(q, k, v, mask):
    """The output of an empty row is 0, but its weights still say that it looks at all keys alike: they
    should be 0 too.
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return (weights @ v) * mask.any(dim=-1, keepdim=True), weights


def empty_rows_opened(q, k, v, mask):
    """A query that may see nothing is allowed to see everything here, padding and future: it should get
    zeros.
    """
    mask = mask | ~mask.any(dim=-1, keepdim=True)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)
    return weights @ v, weights


def hidden_after_the_softmax(q, k, v, mask):
    """The weights are set to 0 after the softmax alone, so a row no longer sums to 1, and what is hidden
    has already counted in its denominator: hide it before the softmax too.
    """
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(dim=-1)
    weights = weights.masked_fill(~mask, 0)
    return weights @ v, weights


def a_little_added(q, k, v, mask):
    """A small number is added to the sum so that it isn't 0, and every row sums to a little less than 1:
    divide the rows that see something by their own sum, and leave the others at 0.
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True)) * mask
    weights = powers / (powers.sum(dim=-1, keepdim=True) + 1e-6)
    return weights @ v, weights


def filled_with_minus_hundred(q, k, v, mask):
    """Hidden scores become a number such as −100, or are lowered by as much, and where scores are that large
    a hidden key still counts in the softmax's denominator: fill with the lowest number there is.
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.masked_fill(~mask, -100).softmax(dim=-1).masked_fill(~mask, 0)
    return weights @ v, weights


def filled_with_infinity(q, k, v, mask):
    """Hidden scores become +∞, and ∞ − ∞ in the softmax is NaN, in all of the row: what may not be seen
    needs the lowest score, not the highest.
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.masked_fill(~mask, float("inf")).softmax(dim=-1).masked_fill(~mask, 0)
    return weights @ v, weights


def filled_with_e(q, k, v, mask):
    """Hidden scores become math.e, which is 2.718…, a score like any other, so hidden keys count in the
    softmax's denominator: fill with the lowest number there is.
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.masked_fill(~mask, math.e).softmax(dim=-1).masked_fill(~mask, 0)
    return weights @ v, weights


def scores_set_to_zero(q, k, v, mask):
    """The scores of hidden keys are set to 0, and e⁰ is 1: they need −∞, or the lowest number there is."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)) * mask
    weights = scores.softmax(dim=-1) * mask.any(dim=-1, keepdim=True)
    return weights @ v, weights


def mask_turned_round(q, k, v, mask):
    """What may be seen is hidden and what may not is seen: True means "may attend", so fill where ~mask."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.masked_fill(mask, torch.finfo(q.dtype).min).softmax(dim=-1).masked_fill(mask, 0)
    return weights @ v, weights


def not_scaled(q, k, v, mask):
    """The scores aren't divided by √d_k: all else is as in lesson 1."""
    scores = (q @ k.transpose(-2, -1)).masked_fill(~mask, torch.finfo(q.dtype).min)
    weights = scores.softmax(dim=-1).masked_fill(~mask, 0)
    return weights @ v, weights

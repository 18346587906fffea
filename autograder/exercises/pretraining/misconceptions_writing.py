"""Lesson 08's misconceptions about choosing the next token: one slip in each function.

A function's docstring is the sentence that the student reads. Each function stands alone, with `torch` as its
only name, so that the class simulator can paste it.
"""

# ruff: noqa: D205  (a sentence may take two lines, and speaks of the mistake)

import torch

# -- temperature -----------------------------------------------------------------------------------------


def multiplied(logits, temperature):
    """The logits are multiplied by the temperature, so that a high one makes sharper what it should make
    flatter: divide.
    """
    if temperature == 0:
        return torch.nn.functional.one_hot(logits.argmax(-1), logits.size(-1)).to(logits.dtype)
    return (logits * temperature).softmax(dim=-1)


def divided_after_the_softmax(logits, temperature):
    """The probabilities are divided by the temperature, which is the same for all of them and changes
    nothing once they sum to 1 again: divide the logits.
    """
    if temperature == 0:
        return torch.nn.functional.one_hot(logits.argmax(-1), logits.size(-1)).to(logits.dtype)
    p = logits.softmax(dim=-1) / temperature
    return p / p.sum(dim=-1, keepdim=True)


def powers_as_they_are(logits, temperature):
    """The probabilities are taken to the power of 1/τ, which is right, but then they don't sum to 1: divide
    by their sum, or divide the logits before the softmax.
    """
    if temperature == 0:
        return torch.nn.functional.one_hot(logits.argmax(dim=-1), logits.size(-1)).to(logits.dtype)
    return logits.softmax(dim=-1) ** (1 / temperature)


def not_a_distribution(logits, temperature):
    """The probabilities are divided by the temperature and no longer sum to 1: divide the logits before the
    softmax.
    """
    if temperature == 0:
        return torch.nn.functional.one_hot(logits.argmax(-1), logits.size(-1)).to(logits.dtype)
    return logits.softmax(dim=-1) / temperature


def softmax_twice(logits, temperature):
    """A softmax before the division and one after it: the first makes probabilities, between which the second
    hardly sees a difference.
    """
    if temperature == 0:
        return torch.nn.functional.one_hot(logits.argmax(-1), logits.size(-1)).to(logits.dtype)
    return (logits.softmax(dim=-1) / temperature).softmax(dim=-1)


def zero_is_one(logits, temperature):
    """Temperature 0 is treated like 1: as it goes to 0, all probability goes to the largest logit."""
    return (logits / (temperature or 1)).softmax(dim=-1)


def divided_by_nothing(logits, temperature):
    """At temperature 0 this divides by 0 and gives NaN: put all probability on the largest logit instead."""
    return (logits / temperature).softmax(dim=-1)


def one_token_for_all_rows(logits, temperature):
    """At temperature 0 the largest logit of all rows together is taken: each row has its own."""
    if temperature == 0:
        best = logits.argmax() % logits.size(-1)
        return torch.zeros_like(logits).index_fill(-1, best.reshape(1), 1)
    return (logits / temperature).softmax(dim=-1)


def softmax_over_rows(logits, temperature):
    """The softmax runs over the first axis: the tokens are the last one."""
    if temperature == 0:
        return torch.nn.functional.one_hot(logits.argmax(-1), logits.size(-1)).to(logits.dtype)
    return (logits / temperature).softmax(dim=0)


# -- top-k -----------------------------------------------------------------------------------------------


def top_k_not_renormalised(probabilities, k):
    """What is kept doesn't sum to 1: divide by its sum."""
    best = probabilities.topk(k, dim=-1)
    return torch.zeros_like(probabilities).scatter(-1, best.indices, best.values)


def bottom_k(probabilities, k):
    """The k least probable tokens are kept instead of the k most probable ones."""
    best = probabilities.topk(k, dim=-1, largest=False)
    kept = torch.zeros_like(probabilities).scatter(-1, best.indices, best.values)
    return kept / kept.sum(dim=-1, keepdim=True)


def k_dropped(probabilities, k):
    """The k most probable tokens are dropped, and the others kept."""
    kept = probabilities.scatter(-1, probabilities.topk(k, dim=-1).indices, 0)
    return kept / kept.sum(dim=-1, keepdim=True)


def one_fewer(probabilities, k):
    """The kth token itself is dropped: keep what is at least as probable as it, not only what is more so."""
    least = probabilities.topk(k, dim=-1).values[..., -1:]
    kept = torch.where(probabilities > least, probabilities, 0)
    return kept / kept.sum(dim=-1, keepdim=True)


def one_more(probabilities, k):
    """One token too many is kept."""
    best = probabilities.topk(min(k + 1, probabilities.size(-1)), dim=-1)
    kept = torch.zeros_like(probabilities).scatter(-1, best.indices, best.values)
    return kept / kept.sum(dim=-1, keepdim=True)


def all_k_alike(probabilities, k):
    """Each of the k tokens gets 1/k: they keep their proportions, and only their sum becomes 1."""
    best = probabilities.topk(k, dim=-1).indices
    return torch.zeros_like(probabilities).scatter(-1, best, 1 / k)


def softmax_of_probabilities(probabilities, k):
    """A softmax of the probabilities that are kept: these are no logits, divide by their sum."""
    best = probabilities.topk(k, dim=-1)
    return torch.zeros_like(probabilities).scatter(-1, best.indices, best.values.softmax(dim=-1))


def still_sorted(probabilities, k):
    """The probabilities come back sorted: each belongs in its token's own place."""
    ordered = probabilities.sort(dim=-1, descending=True).values
    kept = torch.where(torch.arange(ordered.size(-1)) < k, ordered, 0)
    return kept / kept.sum(dim=-1, keepdim=True)


# -- nucleus ---------------------------------------------------------------------------------------------


def nucleus_not_renormalised(probabilities, p):
    """What is kept doesn't sum to 1: divide by its sum."""
    ordered, places = probabilities.sort(dim=-1, descending=True)
    before = ordered.cumsum(dim=-1) - ordered
    return torch.zeros_like(probabilities).scatter(-1, places, ordered.masked_fill(before >= p, 0))


def without_the_one_that_reaches_p(probabilities, p):
    """The token that reaches p is dropped, so that what is kept falls short of p, and where one token reaches
    it alone nothing is left.
    """
    ordered, places = probabilities.sort(dim=-1, descending=True)
    shown = ordered.masked_fill(ordered.cumsum(dim=-1) > p + 1e-6, 0)
    kept = torch.zeros_like(probabilities).scatter(-1, places, shown)
    return kept / kept.sum(dim=-1, keepdim=True)


def more_than_p(probabilities, p):
    """Tokens are kept until their sum is more than p, so where it is exactly p already one too many is kept:
    p or more is enough.
    """
    ordered, places = probabilities.sort(dim=-1, descending=True)
    before = ordered.cumsum(dim=-1) - ordered
    kept = torch.zeros_like(probabilities).scatter(-1, places, ordered.masked_fill(before > p, 0))
    return kept / kept.sum(dim=-1, keepdim=True)


def first_kept_at_least(probabilities, p):
    """Tokens are kept while their sum is at most p, and the first in any case, so the one that reaches p is
    dropped unless it is the first: it belongs to those that together reach p.
    """
    ordered, places = probabilities.sort(dim=-1, descending=True)
    keep = ordered.cumsum(dim=-1) <= p
    keep[..., 0] = True
    kept = torch.zeros_like(probabilities).scatter(-1, places, ordered * keep)
    return kept / kept.sum(dim=-1, keepdim=True)


def one_behind_p(probabilities, p):
    """One token too many is kept: p is reached without it."""
    ordered, places = probabilities.sort(dim=-1, descending=True)
    before = (ordered.cumsum(dim=-1) - ordered).roll(1, -1)
    before[..., :1] = 0
    shown = ordered.masked_fill(before >= p, 0)
    kept = torch.zeros_like(probabilities).scatter(-1, places, shown)
    return kept / kept.sum(dim=-1, keepdim=True)


def nucleus_still_sorted(probabilities, p):
    """The probabilities come back sorted: each belongs in its token's own place."""
    ordered = probabilities.sort(dim=-1, descending=True).values
    kept = ordered.masked_fill(ordered.cumsum(dim=-1) - ordered >= p, 0)
    return kept / kept.sum(dim=-1, keepdim=True)


def mask_of_the_sorted(probabilities, p):
    """What is kept was found among the sorted probabilities, and is applied to the unsorted ones: bring it
    back to their order first.
    """
    ordered = probabilities.sort(dim=-1, descending=True).values
    kept = probabilities.masked_fill(ordered.cumsum(dim=-1) - ordered >= p, 0)
    return kept / kept.sum(dim=-1, keepdim=True)


def sorted_once_more(probabilities, p):
    """The order is applied again where it should be undone: gather with the places sorts, and what brings
    everything back is scatter, or the places of the places.
    """
    ordered, places = probabilities.sort(dim=-1, descending=True)
    kept = ordered.masked_fill(ordered.cumsum(dim=-1) - ordered >= p, 0)
    return (kept / kept.sum(dim=-1, keepdim=True)).gather(-1, places)


def not_sorted(probabilities, p):
    """The sum runs through the tokens in their own order: the most probable come first."""
    kept = probabilities.masked_fill(probabilities.cumsum(dim=-1) - probabilities >= p, 0)
    return kept / kept.sum(dim=-1, keepdim=True)


def least_probable_first(probabilities, p):
    """The sum begins with the least probable token: the nucleus is the most probable ones."""
    ordered, places = probabilities.sort(dim=-1)
    shown = ordered.masked_fill(ordered.cumsum(dim=-1) - ordered >= p, 0)
    kept = torch.zeros_like(probabilities).scatter(-1, places, shown)
    return kept / kept.sum(dim=-1, keepdim=True)


def each_against_p(probabilities, p):
    """Each token by itself is compared with 1 - p: p is about the sum of those that are kept."""
    kept = torch.where(probabilities >= min(1 - p, float(probabilities.amin(-1).max())), probabilities, 0)
    kept = torch.where(probabilities >= 1 - p, probabilities, 0) if p < 1 else kept
    return kept / kept.sum(dim=-1, keepdim=True).clamp(min=1e-9)


def filled_with_the_rest(probabilities, p):
    """What is cut off goes to the most probable token: all that are kept grow in proportion."""
    ordered, places = probabilities.sort(dim=-1, descending=True)
    shown = ordered.masked_fill(ordered.cumsum(dim=-1) - ordered >= p, 0)
    shown[..., :1] += 1 - shown.sum(dim=-1, keepdim=True)
    return torch.zeros_like(probabilities).scatter(-1, places, shown)


# -- drawing ---------------------------------------------------------------------------------------------


def the_most_probable(probabilities, uniform):
    """The most probable token each time, whatever the random number is."""
    return probabilities.argmax(dim=-1)


def one_too_far(probabilities, uniform):
    """The token behind the one that the number falls on: count the ends that lie below the number, and that
    is the token's number, since tokens count from 0.
    """
    ends = probabilities.cumsum(dim=-1)
    return ((ends <= uniform[..., None]).sum(dim=-1) + 1).clamp(max=probabilities.size(-1) - 1)


def one_before(probabilities, uniform):
    """The token before the one that the number falls on."""
    ends = probabilities.cumsum(dim=-1)
    return ((ends <= uniform[..., None]).sum(dim=-1) - 1).clamp(min=0)


def beyond_the_last(probabilities, uniform):
    """Rounding can leave the sum of the probabilities a little below 1, and a number beyond it falls on no
    token here: it belongs to the last one.
    """
    ends = probabilities.cumsum(dim=-1)
    return (ends <= uniform[..., None]).sum(dim=-1)


def first_when_none_reaches(probabilities, uniform):
    """The first end above the number is looked for, and where rounding has left them all below it, argmax of
    nothing but zeros gives token 0: it belongs to the last one.
    """
    return (probabilities.cumsum(dim=-1) > uniform[..., None]).int().argmax(dim=-1)


def uniform_over_tokens(probabilities, uniform):
    """The number times V: this draws each token equally often, whatever its probability."""
    return (uniform * probabilities.size(-1)).long()


def nearest_probability(probabilities, uniform):
    """The token whose probability is nearest to the number: lay the probabilities end to end instead, and see
    on which the number falls.
    """
    return (probabilities - uniform[..., None]).abs().argmin(dim=-1)


def largest_first(probabilities, uniform):
    """The probabilities are sorted before they are laid end to end, and the answer is a place in the sorted
    row, not a token.
    """
    ends = probabilities.sort(dim=-1, descending=True).values.cumsum(dim=-1)
    return (ends <= uniform[..., None]).sum(dim=-1).clamp(max=probabilities.size(-1) - 1)


def ends_ahead(probabilities, uniform):
    """The ends that lie above the number are counted: it is those that it has passed that tell the token."""
    return (probabilities.cumsum(dim=-1) > uniform[..., None]).sum(dim=-1)


def from_the_other_end(probabilities, uniform):
    """The probabilities are laid end to end from the last token on: token 0 comes first."""
    ends = probabilities.flip(-1).cumsum(dim=-1)
    return probabilities.size(-1) - 1 - (ends <= uniform[..., None]).sum(dim=-1)

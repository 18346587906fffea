"""Nothing to look at."""

import math

import torch
from torch import Generator, Tensor

from exercises.masking import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick, rows_sum_to_one
from helpers import masking

exercise = Entry(
    id="masking.softmax",
    title="Nothing to look at",
    points=4,
    difficulty=3,
    minutes=8,
    reference=masking.masked_softmax,
    returns=("weights",),
    properties=(inputs_unchanged, gradient_reaches_inputs, rows_sum_to_one),
)


@exercise.cases
def masked_cases(g: Generator) -> list[Case]:
    """Masks with and without rows in which nothing is allowed."""
    plain, empty, double = ([small, pick(g, 5, 7, 8)] for small in shared.sizes(g, 2, 3, 4))
    one_empty, one_more = shared.mask(g, *empty), shared.mask(g, *double)
    one_empty[shared.between(g, 0, empty[0] - 1)] = False
    one_more[shared.between(g, 0, double[0] - 1)] = False
    front = pick(g, (), (6,), (1, 6))
    return [
        Case(
            "something to look at for every query",
            (shared.normal(g, *plain, spread=2), shared.mask(g, *plain)),
        ),
        Case(
            "a query that may attend to nothing, a batch of one",
            (shared.normal(g, 1, *empty, spread=2), one_empty),
        ),
        Case("the same in float64", (shared.normal(g, *front, *double, dtype=torch.float64), one_more)),
        Case("one query, a mask (T_k,)", (shared.normal(g, 1, 5, spread=2), shared.mask(g, 1, 5).squeeze(0))),
        Case("an empty sentence, a mask (B, 1, T_k) that hides the highest scores", _hidden_best(g)),
    ]


def _hidden_best(g: Generator) -> tuple[Tensor, Tensor]:
    """Scores near -98 for what may be seen and near 64 for what may not: a fill of -100 counts, -1e9 doesn't.

    In float64, where even an exponential without a maximum subtracted stays within bounds.
    """
    shown = torch.arange(5) < shared.shuffled(g, torch.tensor([0, 2])).unsqueeze(-1)
    shown = shown.unsqueeze(-2)
    return torch.where(shown, -98.0, 64.0) + shared.normal(g, 2, 3, 5, dtype=torch.float64), shown


@exercise.alternative
def empty_rows_put_aside(scores, mask):
    nothing = ~mask.any(dim=-1, keepdim=True)
    scores = torch.where(mask | nothing, scores, -math.inf)
    return torch.where(nothing, 0.0, torch.softmax(scores, dim=-1))


@exercise.alternative
def with_a_safe_divisor(scores, mask):
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True)) * mask
    total = powers.sum(dim=-1, keepdim=True)
    return powers / torch.where(total > 0, total, torch.ones_like(total))


@exercise.alternative
def nan_replaced(scores, mask):
    return scores.masked_fill(~mask, float("-inf")).softmax(dim=-1).nan_to_num()


@exercise.alternative
def large_negative_then_zero(scores, mask):
    return torch.softmax(scores.masked_fill(mask == 0, -1e9), dim=-1) * mask


exercise.slip("nan_in_empty_rows", ".nan_to_num() →", of=nan_replaced).says(
    "In a row with nothing to look at, 0 is divided by 0, which also happens in a softmax whose scores are "
    "all −∞, and the query gets NaN: it should get zeros."
)
exercise.slip("uniform_in_empty_rows", ".masked_fill(~mask, 0.0) →").says(
    "Where every score is the same large negative number, the softmax gives all keys the same weight, so "
    "a query that may see nothing looks at all of them alike: set the hidden weights to 0 afterwards."
)
exercise.slip(
    "nan_replaced_after_adding",
    'scores.masked_fill(~mask, float("-inf")) → (scores + torch.zeros(mask.shape, '
    'dtype=scores.dtype).masked_fill(~mask, float("-inf")))',
    of=nan_replaced,
).says(
    "A NaN is made, by adding −∞ to a whole row or by 0/0, and replaced afterwards, so the weights are "
    "right and the gradient of the scores is NaN: on its way back it passes the step that made it."
)


@exercise.misconception
def zeros_for_all(scores, mask):
    """One query with nothing to look at makes the whole result 0: only the row of that query should be 0."""
    if not mask.any(dim=-1).all():
        return torch.zeros_like(scores)
    return scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)


@exercise.misconception
def empty_rows_opened(scores, mask):
    """A query that may see nothing is allowed to see everything here, padding and future: it should get
    zeros.
    """
    mask = mask | ~mask.any(dim=-1, keepdim=True)
    return scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)


exercise.slip(
    "hidden_after_the_softmax", "scores.masked_fill(~mask, torch.finfo(scores.dtype).min) → scores"
).says(
    "The weights are set to 0 after the softmax alone, so a row no longer sums to 1, and what is hidden "
    "has already counted in its denominator: hide it before the softmax too."
)


@exercise.misconception
def a_little_added(scores, mask):
    """A small number is added to the sum or is its least value, which makes rows too small whose visible
    scores are far below the largest: divide them by their own sum, and leave empty rows at 0.
    """
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True)) * mask
    return powers / (powers.sum(dim=-1, keepdim=True) + 1e-6)


exercise.slip("filled_with_minus_hundred", "torch.finfo(scores.dtype).min → -100").says(
    "Hidden scores become a number such as −100, or are lowered by 100 or so, and where the visible scores "
    "are lower still, hidden keys count in the softmax's denominator: fill with the lowest number of the "
    "dtype."
)
exercise.slip(
    "lowered_by_ten",
    "hidden = scores.masked_fill(~mask, torch.finfo(scores.dtype).min) → hidden = scores - 10.0 * ~mask",
    ".masked_fill(~mask, 0.0) →",
).says(
    "Hidden scores are lowered by 10, so hidden keys keep a little weight, and more the higher they score: "
    "only −∞, or the lowest number there is, always hides."
)
exercise.slip(
    "filled_with_infinity", "torch.finfo(scores.dtype).min → math.inf", ".masked_fill(~mask, 0.0) →"
).says(
    "Rows with a hidden key are NaN: either its score is +∞, and ∞ − ∞ is NaN, or −∞ is multiplied by the "
    "mask, and 0 · ∞ is NaN; fill in −∞ with masked_fill or torch.where."
)
exercise.slip("filled_with_e", "torch.finfo(scores.dtype).min → math.e").says(
    "Hidden scores become math.e, which is 2.718…, a score like any other, so hidden keys count in the "
    "softmax's denominator: fill with the lowest number there is."
)
exercise.slip(
    "scores_set_to_zero",
    "torch.softmax(scores.masked_fill(mask == 0, -1e9), dim=-1) * mask → torch.softmax(scores * mask, "
    "dim=-1) * mask.any(dim=-1, keepdim=True)",
    of=large_negative_then_zero,
).says("The scores of hidden keys are set to 0, and e⁰ is 1: they need −∞, or the lowest number there is.")
exercise.slip(
    "mask_turned_round",
    'scores.masked_fill(~mask, float("-inf")) → scores.masked_fill(mask, float("-inf"))',
    of=nan_replaced,
).says('The mask is inverted, so hidden keys are seen: True means "may attend", so fill where ~mask.')
exercise.slip("hidden_scores_near_zero", "torch.finfo(scores.dtype).min → 0.0").says(
    "Hidden scores become 0 (by a product, or by 1e-9 in place of -1e9), and e⁰ is 1, so they count in "
    "the softmax's sum before their weights are set to 0: fill with the lowest number there is."
)

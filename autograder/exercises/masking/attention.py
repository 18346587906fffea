"""Nothing to look at."""

import math

import torch
from torch import Generator, Tensor

from autograder.drawing import pick
from autograder.entry import Entry
from autograder.exercises.masking import shared
from helpers import masking
from helpers.checking.calling.drivers import Case
from helpers.checks import gradient_reaches_inputs, inputs_unchanged, rows_sum_to_one

# Written out, so that the search for forbidden names in an answer finds each of them.
ATTENTION_OF_TORCH = (
    "torch.nn.functional.scaled_dot_product_attention",
    "torch.nn.functional.multi_head_attention_forward",
    "torch._native_multi_head_attention",
    "torch.nn.MultiheadAttention",
)


exercise = Entry(
    id="masking.attention",
    title="Nothing to look at",
    points=4,
    difficulty=3,
    minutes=10,
    reference=masking.masked_attention,
    returns=("output", "weights"),
    properties=(inputs_unchanged, gradient_reaches_inputs, rows_sum_to_one),
    forbidden=ATTENTION_OF_TORCH,
)


@exercise.cases
def masked_cases(g: Generator) -> list[Case]:
    """Masks with and without rows in which nothing is allowed."""
    plain, empty, double = (
        [small[0], pick(g, 5, 7, 8), *small[1:]] for small in (shared.sizes(g, 2, 3, 4) for _ in range(3))
    )
    one_empty, one_more = shared.mask(g, *empty[:2]), shared.mask(g, *double[:2])
    one_empty[shared.between(g, 0, empty[0] - 1)] = False
    one_more[shared.between(g, 0, double[0] - 1)] = False
    return [
        Case("something to look at for every query", (*_qkv(g, (), *plain), shared.mask(g, *plain[:2]))),
        Case("a query that may attend to nothing, a batch of one", (*_qkv(g, (1,), *empty), one_empty)),
        Case(
            "the same in float64",
            (*_qkv(g, pick(g, (), (6,), (1, 6)), *double, dtype=torch.float64), one_more),
        ),
        Case("one query, a mask (T_k,)", (*_qkv(g, (), 1, 5, *double[2:]), shared.mask(g, 1, 5).squeeze(0))),
        Case("an empty sentence, a mask (B, 1, T_k) that hides the highest scores", _hidden_best(g)),
    ]


def _hidden_best(g: Generator) -> tuple[Tensor, ...]:
    """Scores near -98 for what may be seen and near 64 for what may not: a fill of -100 counts, -1e9 doesn't.

    In float64, where even an exponential without a maximum subtracted stays within bounds.
    """
    q, k, v = _qkv(g, (2,), 3, 5, 4, shared.between(g, 3, 4), dtype=torch.float64)
    shown = torch.arange(5) < shared.shuffled(g, torch.tensor([0, 2])).unsqueeze(-1)
    q[..., 0], k[..., 0] = -16, torch.where(shown, 12.25, -8.0)
    return q, k, v, shown.unsqueeze(-2)


def _qkv(
    g: Generator, front: tuple, T_q: int, T_k: int, d_k: int, d_v: int, *, dtype: torch.dtype = torch.float32
) -> list[Tensor]:
    return shared.normals(g, [(*front, T_q, d_k), (*front, T_k, d_k), (*front, T_k, d_v)], dtype, spread=1.2)


@exercise.alternative
def empty_rows_put_aside(q, k, v, mask):
    scores = q @ k.mT / q.size(-1) ** 0.5
    nothing = ~mask.any(dim=-1, keepdim=True)
    scores = torch.where(mask | nothing, scores, -math.inf)
    weights = torch.where(nothing, 0.0, torch.softmax(scores, dim=-1))
    return weights @ v, weights


@exercise.alternative
def with_a_safe_divisor(q, k, v, mask):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True)) * mask
    total = powers.sum(dim=-1, keepdim=True)
    weights = powers / torch.where(total > 0, total, torch.ones_like(total))
    return weights @ v, weights


@exercise.alternative
def nan_replaced_in_the_weights(q, k, v, mask):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1).nan_to_num()
    return weights @ v, weights


@exercise.alternative
def large_negative_then_zero(q, k, v, mask):
    scores = torch.einsum("...qd,...kd->...qk", q, k) / math.sqrt(q.shape[-1])
    weights = torch.softmax(scores.masked_fill(mask == 0, -1e9), dim=-1) * mask
    return torch.einsum("...qk,...kv->...qv", weights, v), weights


exercise.slip(
    "nan_in_empty_rows",
    "scores.softmax(dim=-1).masked_fill(~mask, 0.0) → scores.masked_fill(~mask, "
    'float("-inf")).softmax(dim=-1)',
).says(
    "In a row with nothing to look at, 0 is divided by 0, which also happens in a softmax whose scores are "
    "all −∞, and the query gets NaN: it should get zeros."
)
exercise.slip(
    "uniform_in_empty_rows",
    "scores.softmax(dim=-1).masked_fill(~mask, 0.0) → scores.masked_fill(~mask, -1e9).softmax(dim=-1)",
).says(
    "Where every score is the same large negative number, the softmax gives all keys the same weight, so "
    "a query that may see nothing gets the mean of all values: set what is hidden to 0 afterwards."
)
exercise.slip(
    "nan_replaced_at_the_end",
    ".nan_to_num() →",
    "weights @ v, weights → (weights @ v).nan_to_num(), weights.nan_to_num()",
    of=nan_replaced_in_the_weights,
).says(
    "The NaN is replaced after it was multiplied by v, so the numbers are right and the gradient of v is "
    "NaN, since 0 · NaN is NaN: see that no NaN is made before the last product."
)
exercise.slip(
    "nan_replaced_after_adding",
    "q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)) → torch.zeros(mask.shape, "
    'dtype=q.dtype).masked_fill(~mask, float("-inf"))',
    'scores.masked_fill(~mask, float("-inf")) → (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)) + scores)',
    of=nan_replaced_in_the_weights,
).says(
    "A NaN is made, by adding −∞ to a whole row or by 0/0, and replaced afterwards, so the numbers are "
    "right and the gradients of q and k are NaN: on their way back they pass the step that made it."
)


@exercise.misconception
def nan_replaced_too_late(q, k, v, mask):
    """A NaN is made, by adding −∞ or by 0/0, and replaced after the product with v, so the numbers are right
    and all three gradients are NaN: see that no NaN is made on the way to the weights.
    """
    bias = torch.zeros(mask.shape, dtype=q.dtype).masked_fill(~mask, float("-inf"))
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)) + bias).softmax(dim=-1)
    return (weights @ v).nan_to_num(), weights.nan_to_num()


exercise.slip(
    "zeros_for_all",
    "scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min) → if not mask.any(dim=-1).all():\n"
    "        return q.new_zeros(*q.shape[:-1], v.size(-1)), torch.zeros_like(scores)",
    "scores.softmax(dim=-1).masked_fill(~mask, 0.0) → scores.masked_fill(~mask, "
    'float("-inf")).softmax(dim=-1)',
).says("One query with nothing to look at makes the whole result 0: only the row of that query should be 0.")
exercise.slip(
    "weights_left_uniform",
    "scores.softmax(dim=-1).masked_fill(~mask, 0.0) → scores.masked_fill(~mask, -1e9).softmax(dim=-1)",
    "weights @ v → (weights @ v) * mask.any(dim=-1, keepdim=True)",
).says(
    "The output of an empty row is 0, but its weights still say that it looks at all keys alike: they "
    "should be 0 too."
)
exercise.slip(
    "empty_rows_opened",
    "scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)) → mask = mask | ~mask.any(dim=-1, "
    "keepdim=True)\n"
    "    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))",
).says(
    "A query that may see nothing is allowed to see everything here, padding and future: it should get zeros."
)
exercise.slip(
    "hidden_after_the_softmax",
    "torch.where(nothing, 0.0, torch.softmax(scores, dim=-1)) → (q @ k.transpose(-2, -1) / "
    "math.sqrt(q.size(-1))).softmax(dim=-1)",
    "return weights @ v, weights → weights = weights.masked_fill(~mask, 0)\n    return weights @ v, weights",
    of=empty_rows_put_aside,
).says(
    "The weights are set to 0 after the softmax alone, so a row no longer sums to 1, and what is hidden "
    "has already counted in its denominator: hide it before the softmax too."
)
exercise.slip(
    "a_little_added",
    'weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1).nan_to_num() → powers = '
    "torch.exp(scores - scores.amax(dim=-1, keepdim=True)) * mask\n"
    "    weights = powers / (powers.sum(dim=-1, keepdim=True) + 1e-6)",
    of=nan_replaced_in_the_weights,
).says(
    "A small number is added to the sum so that it isn't 0, and every row sums to a little less than 1: "
    "divide the rows that see something by their own sum, and leave the others at 0."
)
exercise.slip(
    "filled_with_minus_hundred",
    "torch.where(nothing, 0.0, torch.softmax(scores, dim=-1)) → scores.masked_fill(~mask, "
    "-100).softmax(dim=-1).masked_fill(~mask, 0)",
    of=empty_rows_put_aside,
).says(
    "Hidden scores become a number such as −100, or are lowered by as much, and where scores are that "
    "large a hidden key still counts in the softmax's denominator: fill with the lowest number there is."
)
exercise.slip(
    "filled_with_infinity",
    "torch.where(nothing, 0.0, torch.softmax(scores, dim=-1)) → scores.masked_fill(~mask, "
    'float("inf")).softmax(dim=-1).masked_fill(~mask, 0)',
    of=empty_rows_put_aside,
).says(
    "Hidden scores become +∞, and ∞ − ∞ in the softmax is NaN, in all of the row: what may not be seen "
    "needs the lowest score, not the highest."
)
exercise.slip(
    "filled_with_e",
    "torch.where(nothing, 0.0, torch.softmax(scores, dim=-1)) → scores.masked_fill(~mask, "
    "math.e).softmax(dim=-1).masked_fill(~mask, 0)",
    of=empty_rows_put_aside,
).says(
    "Hidden scores become math.e, which is 2.718…, a score like any other, so hidden keys count in the "
    "softmax's denominator: fill with the lowest number there is."
)
exercise.slip(
    "scores_set_to_zero",
    "math.sqrt(q.size(-1)) → math.sqrt(q.size(-1)) * mask",
    'scores.masked_fill(~mask, float("-inf")).softmax(dim=-1).nan_to_num() → scores.softmax(dim=-1) * '
    "mask.any(dim=-1, keepdim=True)",
    of=nan_replaced_in_the_weights,
).says("The scores of hidden keys are set to 0, and e⁰ is 1: they need −∞, or the lowest number there is.")
exercise.slip(
    "mask_turned_round",
    'scores.masked_fill(~mask, float("-inf")).softmax(dim=-1).nan_to_num() → scores.masked_fill(mask, '
    "torch.finfo(q.dtype).min).softmax(dim=-1).masked_fill(mask, 0)",
    of=nan_replaced_in_the_weights,
).says('What may be seen is hidden and what may not is seen: True means "may attend", so fill where ~mask.')
exercise.slip(
    "not_scaled",
    "q @ k.mT / q.size(-1) ** 0.5 → (q @ k.transpose(-2, -1)).masked_fill(~mask, torch.finfo(q.dtype).min)",
    of=empty_rows_put_aside,
).says("The scores aren't divided by √d_k: everything else is as in lesson 1.")
exercise.slip("power_then_halved", "math.sqrt(q.size(-1)) → q.size(-1) ** 1 / 2").says(
    "`/ d_k ** 1/2` divides by d_k and then by 2, because a power comes before a division: the root is "
    "`d_k ** 0.5`."
)
exercise.slip("scaled_by_half_of_d_k", "math.sqrt(q.size(-1)) → (q.size(-1) ** 1 / 2)").says(
    "`d_k ** 1/2` is half of d_k, because a power comes before a division: the root is `d_k ** 0.5`."
)
exercise.slip(
    "weights_left_nan",
    ".nan_to_num() →",
    "weights @ v → (weights @ v).nan_to_num()",
    of=nan_replaced_in_the_weights,
).says(
    "NaN is replaced in the output alone, and the weights still hold it: set the hidden weights to 0 "
    "before they are multiplied by v, and see that no NaN is made at all."
)
exercise.slip(
    "hidden_scores_near_zero", "scores.softmax(dim=-1) → scores.masked_fill(~mask, 0.0).softmax(dim=-1)"
).says(
    "Hidden scores become 0 (by a product, or by 1e-9 in place of -1e9), and e⁰ is 1, so they count in "
    "the softmax's sum before their weights are set to 0: fill with the lowest number there is."
)

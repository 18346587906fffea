"""Softmax."""

import math

import torch
from torch import Generator

from exercises.attention import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick, rows_sum_to_one
from helpers import attention

exercise = Entry(
    id="attention.softmax",
    title="Softmax",
    points=3,
    difficulty=2,
    minutes=10,
    reference=attention.softmax,
    returns=("weights",),
    properties=(inputs_unchanged, gradient_reaches_inputs, rows_sum_to_one),
    forbidden=(
        "torch.softmax",
        "torch.log_softmax",
        "torch.Tensor.softmax",
        "torch.Tensor.log_softmax",
        "torch.nn.functional.softmax",
        "torch.nn.functional.log_softmax",
        "torch.nn.functional.softmin",
        "torch.nn.Softmax",
        "torch.nn.LogSoftmax",
        "torch.special.softmax",
        "torch.special.log_softmax",
        *shared.ATTENTION_OF_TORCH,  # with identity matrices it gives a softmax
    ),
)


@exercise.cases
def softmax_cases(g: Generator) -> list[Case]:
    """Any axis, and scores that overflow exp."""
    n, m = shared.sizes(g, *pick(g, (3, 4, 5), (3, 5, 7), (4, 6, 7), (3, 6, 8)))[:2]
    apart = 1e4 * torch.tensor([1.0, -1.0, 0.5])[torch.randperm(3, generator=g)]
    # In eighths, which float32 has near 10⁴ too: who computes in it makes no larger error than elsewhere.
    eighths = (8 * shared.normal(g, 3, 4, dtype=torch.float64)).round() / 8
    rows = eighths + apart.double().unsqueeze(1)
    # In each row both ends, and in between nothing near the upper one.
    wide = 1e4 * torch.stack(
        [shared.shuffled(g, torch.tensor([1.0, -1.0, 0.3, -0.4, 0.0])) for _ in range(3)]
    )
    return [
        Case("one row", (shared.normal(g, n, spread=2), 0)),
        Case("along the first of two axes", (shared.normal(g, n, m, spread=2), 0)),
        Case("along the last of two axes", (shared.normal(g, m, n, spread=2), 1)),
        Case(
            "along the middle of three axes, in float64", (shared.normal(g, 2, n, m, dtype=torch.float64), -2)
        ),
        Case("rows near +10⁴ and rows near -10⁴", (rows, -1)),
        Case("from -10⁴ to +10⁴ in one column", (wide.T.contiguous(), 0)),
        Case("from -10⁴ to +10⁴ in one row", (wide, 1)),
        Case(
            "along the last axis, with an axis of size 1",
            (shared.normal(g, *pick(g, (1, n), (1, m), (m, 1, n), (1, n, m)), spread=2), -1),
        ),
    ]


@exercise.alternative
def by_logsumexp(x, dim):
    return (x - torch.logsumexp(x, dim=dim, keepdim=True)).exp()


@exercise.alternative
def on_the_last_axis(x, dim):
    rows = x.transpose(dim, -1)
    largest, _ = rows.max(-1)
    powers = math.e ** (rows - largest[..., None])
    return (powers / powers.sum(-1)[..., None]).transpose(dim, -1)


@exercise.alternative
def one_slice_after_another(x, dim):
    largest = x.select(dim, 0)
    for part in x.unbind(dim):
        largest = torch.maximum(largest, part)
    powers = [torch.exp(part - largest) for part in x.unbind(dim)]
    total = sum(powers)
    return torch.stack([power / total for power in powers], dim=dim)


@exercise.alternative
def after_subtracting_in_place(x, dim):
    x = x.clone()
    x -= x.amax(dim, keepdim=True).detach()
    return torch.exp(x) / torch.exp(x).sum(dim, keepdim=True)


exercise.slip("no_maximum", " - x.amax(dim=dim, keepdim=True) →").says(
    "The exponentials overflow, since exp(10⁴) is infinite: subtract the largest score of each row first "
    "(the score itself, not its index), which changes no weight."
)
exercise.slip("global_maximum", "x.amax(dim=dim, keepdim=True) → x.max()").says(
    "The largest score of the whole tensor is subtracted, so in a row whose scores are all far below it "
    "every exponential becomes 0, and 0/0 is NaN: each row needs its own maximum."
)
exercise.slip("mean_subtracted", "x.amax(dim=dim, keepdim=True) → x.mean(dim=dim, keepdim=True)").says(
    "The mean of each row is subtracted, and a score far above it still overflows: with the largest score "
    "subtracted, no exponent is above 0."
)
exercise.slip("clamped", "x - x.amax(dim=dim, keepdim=True) → x.clamp(-50, 50)").says(
    "The scores are clamped, and two scores that are clamped to one number get the same weight: subtract "
    "the maximum, which keeps the differences."
)
exercise.slip(
    "always_last_axis",
    "x.amax(dim=dim, keepdim=True) → x.max(dim=-1, keepdim=True).values",
    "exponentials.sum(dim=dim, keepdim=True) → exponentials.sum(dim=-1, keepdim=True)",
).says(
    "The weights sum to 1 along the last axis whatever `dim` says: pass `dim` on to the maximum and to "
    "the sum."
)
exercise.slip(
    "always_first_axis",
    "x.amax(dim=dim, keepdim=True) → x.max(dim=0, keepdim=True).values",
    "exponentials.sum(dim=dim, keepdim=True) → exponentials.sum(dim=0, keepdim=True)",
).says(
    "The weights sum to 1 along the first axis whatever `dim` says: pass `dim` on to the maximum and to "
    "the sum."
)
exercise.slip("no_keepdim", "exponentials.sum(dim=dim, keepdim=True) → exponentials.sum(dim=dim)").says(
    "The maximum and the sum lose their axis, so they no longer line up with x unless that axis is the "
    "first one: keep it as an axis of size 1, with keepdim=True."
)
exercise.slip(
    "divided_by_total",
    "x.amax(dim=dim, keepdim=True) → x.max(dim=dim, keepdim=True).values",
    "exponentials.sum(dim=dim, keepdim=True) → exponentials.sum()",
).says(
    "Everything is divided by the sum of the whole tensor, so only all weights together sum to 1: each "
    "row is divided by its own sum."
)
exercise.slip(
    "not_divided",
    "exponentials / exponentials.sum(dim=dim, keepdim=True) → torch.exp(x - x.max(dim=dim, "
    "keepdim=True).values)",
).says("The exponentials aren't divided by their sum, so they don't sum to 1 and aren't weights yet.")
exercise.slip(
    "logarithm",
    "return (x - torch.logsumexp(x, dim=dim, keepdim=True)).exp() → x = x - torch.amax(x, dim=dim, "
    "keepdim=True)\n"
    "    return x - x.exp().sum(dim, keepdim=True).log()",
    of=by_logsumexp,
).says("These are the logarithms of the weights: one exponential is missing at the end.")
exercise.slip(
    "shifted_above_alone", "exponentials.sum(dim=dim, keepdim=True) → x.exp().sum(dim=dim, keepdim=True)"
).says(
    "The maximum is subtracted above the line and not below it: it cancels only if the sum is that of the "
    "same exponentials."
)
exercise.slip(
    "powers_of_two", "torch.exp(x - x.amax(dim=dim, keepdim=True)) → 2 ** (x - x.amax(dim=dim, keepdim=True))"
).says(
    "These are powers of 2, not of e, so the weights are more even than a softmax's: exponentiate with "
    "torch.exp."
)
exercise.slip(
    "total_of_everything",
    "x.amax(dim=dim, keepdim=True) → x.max()",
    "exponentials.sum(dim=dim, keepdim=True) → exponentials.sum()",
).says("One maximum and one sum serve the whole tensor, as if it were one row: give both of them `dim`.")
exercise.slip(
    "absolute_scores",
    "exponentials = torch.exp(x - x.amax(dim=dim, keepdim=True)) → s = x.abs()\n"
    "    exponentials = torch.exp(s - s.amax(dim=dim, keepdim=True))",
).says(
    "The scores lose their signs before they are exponentiated, so −3 weighs as much as 3: a score below "
    "zero means less weight."
)
exercise.slip(
    "smallest_is_largest", "x - x.amax(dim=dim, keepdim=True) → x.amin(dim=dim, keepdim=True) - x"
).says(
    "The scores' signs are reversed, so the smallest score gets the largest weight: exponentiate the score "
    "minus the maximum, not the maximum minus the score."
)
exercise.slip(
    "of_unit_length", "exponentials.sum(dim=dim, keepdim=True) → exponentials.norm(dim=dim, keepdim=True)"
).says(
    "The exponentials are divided by the length of their vector, so their squares sum to 1: divide by "
    "their sum."
)

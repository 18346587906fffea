"""Four ways to write a mask."""

import math

import torch
from torch import Generator

from exercises.masking import shared
from headstart import Case, Entry, inputs_unchanged, pick, whole_numbers_in_int64
from helpers import masking

exercise = Entry(
    id="masking.convert",
    title="Four ways to write a mask",
    points=3,
    difficulty=2,
    minutes=8,
    reference=masking.convert,
    returns=("mask",),
    properties=(inputs_unchanged, whole_numbers_in_int64),
)


@exercise.cases
def convert_cases(g: Generator) -> list[Case]:
    """Each kind is read, and written from each."""
    kinds = ("may attend", "hidden", "additive", "integer")
    return [_conversion(g, source, target) for source in kinds for target in kinds]


def _conversion(g: Generator, source: str, target: str) -> Case:
    shape = pick(g, (1, 3), (1, 5), (2, 1, 3), (3, 1, 4), (1, 1, 5), (2, 3))
    if source == target:
        shape = pick(g, (4,), (), (6,))
    may = torch.rand(shape, generator=g) < 0.5
    if shape:
        may = shared.mask(g, math.prod(shape[:-1]), shape[-1]).reshape(shape)
    written = {
        "may attend": may,
        "hidden": ~may,
        "additive": torch.zeros(shape).masked_fill(~may, -math.inf),
        "integer": may.long(),
    }
    return Case(f"{source} → {target}", (written[source], source, target))


@exercise.alternative
def with_a_table_of_readers(mask, source, target):
    readers = {
        "may attend": lambda m: m,
        "hidden": torch.logical_not,
        "additive": lambda m: m > -1,
        "integer": torch.Tensor.bool,
    }
    writers = {
        "may attend": torch.clone,
        "hidden": torch.logical_not,
        "additive": lambda m: torch.where(m, 0.0, float("-inf")),
        "integer": torch.Tensor.long,
    }
    return writers[target](readers[source](mask))


@exercise.alternative
def by_logarithm(mask, source, target):
    may = mask.exp() if source == "additive" else mask.float()
    if source == "hidden":
        may = 1 - may
    if target == "additive":
        return may.log()
    if target == "integer":
        return may.to(torch.int64)
    return may == (0 if target == "hidden" else 1)


exercise.slip(
    "hidden_taken_as_may", '    if source == "hidden":\n        may = 1 - may\n →', of=by_logarithm
).says(
    'A "hidden" mask is read as it is: there True means "may not attend", so it has to be inverted with ~ '
    "when it is read."
)


@exercise.misconception
def hidden_written_as_may(mask, source, target):
    """A "hidden" mask is written without inverting it: there True means "may not attend", so it is ~may."""
    may = ~mask if source == "hidden" else mask if source == "may attend" else mask == 0
    may = mask == 1 if source == "integer" else may
    if target == "additive":
        return torch.zeros(may.shape).masked_fill(~may, -math.inf)
    return may.long() if target == "integer" else may.clone()


@exercise.misconception
def additive_by_truth(mask, source, target):
    """An additive mask is read as its opposite, as by .bool(), for which 0 is False and −∞ is True: what may
    be seen is where it is 0.
    """
    may = ~mask if source == "hidden" else mask.bool()
    if target == "additive":
        return torch.zeros(may.shape).masked_fill(~may, -math.inf)
    return {"may attend": may.clone(), "hidden": ~may, "integer": may.long()}[target]


exercise.slip(
    "zero_times_infinity",
    "torch.zeros(may.shape).masked_fill(~may, -math.inf) → (1.0 - may.float()) * -math.inf",
).says(
    "0 · ∞ is NaN, and every key that may be seen is multiplied that way: fill in −∞ with masked_fill or "
    "torch.where."
)
exercise.slip(
    "infinity_times_may", "torch.zeros(may.shape).masked_fill(~may, -math.inf) → may.float() * -math.inf"
).says(
    "0 · ∞ is NaN, and what may be seen becomes −∞: fill in −∞ where the mask says “may not”, with "
    "masked_fill or torch.where."
)
exercise.slip("lowest_number", "-math.inf → torch.finfo(torch.float32).min").says(
    "The lowest number of float32 hides well enough as long as something else is to be seen, but it isn't "
    "the −∞ that is asked for."
)
exercise.slip("one_and_zero_added", "torch.zeros(may.shape).masked_fill(~may, -math.inf) → may.float()").says(
    "An additive mask of 1 and 0 hides nothing: what may be seen gets 0 added, and what may not −∞."
)
exercise.slip(
    "infinity_on_what_may_be_seen",
    "torch.zeros(may.shape).masked_fill(~may, -math.inf) → torch.zeros(may.shape).masked_fill(may, "
    "-math.inf)",
).says('−∞ is where attending is allowed: it hides, so it belongs where the mask says "may not".')
exercise.slip("large_but_finite", "math.inf → 1e9").says(
    "−10⁹ hides well enough as long as something else is to be seen, but it isn't the −∞ that is asked "
    "for, and in half precision there is no such number."
)
exercise.slip(
    "integer_left_boolean",
    'if target == "integer":\n'
    "        return may.long()\n"
    '    raise ValueError(f"{target!r} isn\'t a kind of mask") → return ~may if target == "hidden" else '
    "may.clone()",
).says(
    'An "integer" mask is made of the numbers 1 and 0, so turn the boolean one into integers with .long().'
)


@exercise.misconception
def integer_turned_round(mask, source, target):
    """In an "integer" mask 1 means "may attend", as in an attention_mask of a tokenizer: here it is read
    and written the other way.
    """
    may = ~mask if source == "hidden" else mask if source == "may attend" else mask == 0
    if target == "additive":
        return torch.zeros(may.shape).masked_fill(~may, -math.inf)
    return {"may attend": may.clone(), "hidden": ~may, "integer": (~may).long()}[target]


exercise.slip("one_where_zero_belongs", "torch.zeros(may.shape).masked_fill → may.float().masked_fill").says(
    "What may be seen is 1 in your additive mask: 0 belongs there, since a score that may count has nothing "
    "added to it."
)

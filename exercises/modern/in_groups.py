"""Four bits a weight, with a scale for each group."""

import torch
from torch import Generator, Tensor

from headstart import Case, Entry, inputs_unchanged, pick
from helpers import modern

exercise = Entry(
    id="modern.in_groups",
    title="Four bits",
    points=3,
    difficulty=3,
    minutes=8,
    reference=modern.in_groups,
    returns=("whole numbers", "scales"),
    properties=(inputs_unchanged,),
)


@exercise.cases
def in_groups_cases(g: Generator) -> list[Case]:
    """Several groups, groups of very different size, a group of zeros, one for the row, size 1, one row.

    All in float32, which the text is about.
    """

    def case(title: str, rows: int, groups: int, size: int, *, empty: bool = False) -> Case:
        weight = _weight(g, rows, groups, size)
        if empty:
            weight[int(torch.randint(rows, (), generator=g)), int(torch.randint(groups, (), generator=g))] = 0
        return Case(title, (weight.flatten(1), size))

    spread = _weight(g, 3, 2, 5) * torch.tensor([[[1.0], [16.0]], [[0.03125], [2.0]], [[8.0], [0.5]]])
    return [
        case("several groups in a row", 2, pick(g, 3, 5), 4),
        Case("groups of different size", (spread.flatten(1), 5)),
        case("a group of zeros", 3, 2, pick(g, 4, 5), empty=True),
        case("one group for the row", pick(g, 3, 4), 1, pick(g, 6, 5)),
        case("each weight its own group", 2, pick(g, 3, 4), 1),
        case("one row", 1, pick(g, 2, 4), 3),
    ]


def _weight(g: Generator, rows: int, groups: int, size: int) -> Tensor:
    """(rows, groups, size), alike whichever way it is rounded: none is near the half of a step."""
    while True:
        weight = torch.randn(rows, groups, size, generator=g).round(decimals=3)
        largest = weight.double().abs().amax(dim=-1, keepdim=True)
        if (largest > 0).all() and (((7 * weight / largest).abs() % 1 - 0.5).abs() > 0.01).all():
            return weight


@exercise.alternative
def in_groups_by_view(weight, size):
    rows, columns = weight.shape
    groups = weight.view(rows, columns // size, size)
    scales = groups.abs().max(dim=2).values / 7
    scales = scales.masked_fill(scales == 0, 1)
    whole = torch.round(groups / scales[:, :, None])
    return whole.view(rows, columns).to(torch.int8), scales


@exercise.alternative
def in_groups_as_rows(weight, size):
    groups = weight.reshape(-1, size)
    largest = groups.abs().amax(1, keepdim=True)
    scales = torch.where(largest == 0, torch.ones_like(largest), largest / 7)
    whole = (groups / scales).round().clamp(-7, 7).char()
    return whole.reshape(weight.shape), scales.reshape(len(weight), -1)


@exercise.alternative
def in_groups_by_columns(weight, size):
    whole, scales = torch.zeros_like(weight, dtype=torch.int8), []
    for first in range(0, weight.shape[1], size):
        part = weight[:, first : first + size]
        scale = part.abs().amax(dim=1, keepdim=True) / 7
        scale[scale == 0] = 1.0
        whole[:, first : first + size] = (part / scale).round().to(torch.int8)
        scales.append(scale)
    return whole, torch.cat(scales, dim=1)


@exercise.alternative
def in_groups_by_repeating(weight, size):
    largest = torch.stack([part.abs().amax(dim=1) for part in weight.split(size, dim=1)], dim=1)
    scales = largest / 7 + (largest == 0)
    return (weight / scales.repeat_interleave(size, dim=1)).round().to(torch.int8), scales


exercise.slip(
    "a_scale_for_each_row",
    "groups.abs().amax(dim=-1, keepdim=True) → groups.abs().amax(dim=(-2, -1), keepdim=True).expand(-1, "
    "groups.size(-2), 1)",
).says(
    "All groups of a row share one scale: each group has its own, so that a large weight spoils only that "
    "group."
)
exercise.slip("a_byte", "/ 7 → / 127").says(
    "The whole numbers go up to 127, which needs a byte: four bits hold -7 to 7."
)
exercise.slip("up_to_8", "/ 7 → / 8").says(
    "The largest weight becomes 8, for which four bits with a sign have no room: the largest is 7."
)
exercise.slip("cut_off", "(groups / scales).round() → (groups / scales)").says(
    "The fraction is cut off, which makes all weights smaller: round to the nearest whole number."
)
exercise.slip("rounded_down", ".round() → .floor()").says(
    "`floor` goes down to the next whole number, below 0 too: round to the nearest one."
)
exercise.slip("only_positive", ".abs() →", ".round() → .round().clamp(-128, 127)").says(
    "The largest weight is looked for without `abs`, so a larger negative one gets beyond -7."
)
exercise.slip("no_scale_for_zeros", "torch.where(largest > 0, largest / 7, 1.0) → largest / 7").says(
    "A group of zeros gets the scale 0, and 0 / 0 is no number: give it the scale 1."
)
exercise.slip(
    "neighbours_apart",
    "weight.unflatten(-1, (-1, size)) → weight.unflatten(-1, (size, -1)).mT",
    "flatten(-2) → mT.flatten(-2)",
).says("A group takes every so many-th weight of a row: `size` neighbours should share a scale.")
exercise.slip(
    "groups_down_a_column",
    "weight.view(rows, columns // size, size) → weight.T.reshape(rows, columns // size, size)",
    of=in_groups_by_view,
).says("The groups go down the columns: a group is neighbours in one row.")
exercise.slip("turned_over", "largest / 7 → 7 / largest", "groups / scales → groups * scales").says(
    "The scales are inverted: whole numbers times scales should give the weights back."
)
exercise.slip("still_floats", ".to(torch.int8) →").says(
    "The numbers are whole, but kept as floats, four bytes each: convert them to `torch.int8`."
)
exercise.slip("still_in_groups", ".flatten(-2) →").says(
    "The whole numbers are still in groups, with three axes: they have the shape of the weights, (out, in)."
)
exercise.slip("scales_with_an_axis", "scales.squeeze(-1) → scales").says(
    "The scales still have an axis of one for the weights of a group: return them as (out, groups)."
)
exercise.slip("as_many_groups", "weight.unflatten(-1, (-1, size)) → weight.unflatten(-1, (size, -1))").says(
    "A row is cut into `size` groups: `size` is how many weights each group has."
)
exercise.slip(
    "zeros_divided_too",
    "torch.where(largest > 0, largest / 7, 1.0) → torch.where(largest > 0, largest, 1.0) / 7",
).says("A group of zeros gets the scale 1/7: the 1 is its scale, so it isn't divided any more.")

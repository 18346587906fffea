"""One byte per weight."""

import torch
from torch import Generator, Tensor

from headstart import Case, Entry, inputs_unchanged, pick
from helpers import modern

exercise = Entry(
    id="modern.quantized",
    title="One byte per weight",
    points=3,
    difficulty=3,
    minutes=10,
    reference=modern.quantized,
    returns=("whole numbers", "scales"),
    properties=(inputs_unchanged,),
)


@exercise.cases
def quantized_cases(g: Generator) -> list[Case]:
    """Rows of very different size, a row of zeros, the largest number negative, one row, several.

    All in float32, which the text is about: whoever fills the scales in row by row makes them in float32.
    """
    rows = _weight(g, 3, pick(g, 5, 4, 7)) * torch.tensor([[1.0], [0.02], [9.0]])
    empty = _weight(g, 3, pick(g, 4, 5, 1))
    empty[int(torch.randint(3, (), generator=g))] = 0
    negative = _weight(g, pick(g, 2, 3, 4), 6)
    negative *= -negative.sign().gather(-1, negative.abs().argmax(dim=-1, keepdim=True))
    return [
        Case("rows of different size", (rows,)),
        Case("a row of zeros", (empty,)),
        Case("the largest is negative", (negative,)),
        Case("one row", (_weight(g, 1, pick(g, 3, 5, 8)),)),
        Case("four rows", (_weight(g, 4, pick(g, 3, 5, 2)),)),
        Case("tiny weights", (_weight(g, 2, pick(g, 4, 3, 6)) * 2.0**-15,)),
    ]


def _weight(g: Generator, rows: int, columns: int) -> Tensor:
    """Weights that come out the same whichever way they are rounded: none is near the half of a step."""
    while True:
        weight = torch.randn(rows, columns, generator=g).round(decimals=3)
        steps = 127 * weight.double() / weight.abs().amax(dim=-1, keepdim=True)
        if ((steps.abs() % 1 - 0.5).abs() > 0.01).all():
            return weight


@exercise.alternative
def quantized_with_max(weight):
    scales = weight.abs().max(dim=1, keepdim=True).values / 127
    scales[scales == 0] = 1
    return torch.round(weight / scales).to(torch.int8), scales


@exercise.alternative
def quantized_row_by_row(weight):
    whole, scales = [], []
    for row in weight:
        scale = row.abs().max() / 127
        if scale == 0:
            scale = torch.ones_like(scale)
        whole.append((row / scale).round().clamp(-127, 127).char())
        scales.append(scale)
    return torch.stack(whole), torch.stack(scales).unsqueeze(1)


@exercise.alternative
def quantized_into_a_table(weight):
    scales = torch.ones(len(weight), 1)
    for row, values in enumerate(weight):
        if values.any():
            scales[row] = values.abs().max() / 127
    return (weight / scales).round().type(torch.int8), scales


@exercise.alternative
def quantized_by_multiplying(weight):
    inverse = 127 / weight.abs().amax(dim=1, keepdim=True)
    inverse = torch.where(inverse.isinf(), torch.ones_like(inverse), inverse)
    return (weight * inverse).round().to(torch.int8), inverse.reciprocal()


@exercise.alternative
def quantized_in_another_order(weight):
    largest = weight.abs().max(dim=1, keepdim=True)[0]
    scales = largest.div(127).masked_fill(largest == 0, 1)
    whole = weight * 127 / largest.masked_fill(largest == 0, 1)
    return torch.sign(whole).mul((whole.abs() + 0.5).floor()).to(torch.int8), scales


@exercise.alternative
def quantized_by_torch(weight):
    scales = weight.abs().amax(1) / 127
    scales = torch.where(scales == 0, 1, scales)
    zeros = torch.zeros(len(scales), dtype=torch.long)
    whole = torch.quantize_per_channel(weight.float(), scales.double(), zeros, 0, torch.qint8)
    return whole.int_repr(), scales[:, None]


exercise.slip(
    "one_scale_for_all",
    "weight.abs().amax(dim=-1, keepdim=True) → weight.abs().amax() / 127",
    "torch.where(largest > 0, largest / 127, 1.0) → largest.expand(weight.size(0), 1).clone()",
).says(
    "There is one scale for the whole matrix, so rows of small weights become zeros: each row has its own."
)
exercise.slip("cut_off", "(weight / scales).round() → (weight / scales)").says(
    "The fraction is cut off, which makes all weights smaller: round to the nearest whole number."
)
exercise.slip("rounded_down", "(weight / scales).round() → (weight / scales).floor()").says(
    "`floor` goes down to the next whole number, below 0 too: round to the nearest one."
)
exercise.slip("up_to_128", "127 → 128", ".round() → .round().clamp(-128, 127)").says(
    "The largest weight becomes 128, for which a signed byte has no room: its largest number is 127."
)
exercise.slip("only_positive", ".abs() →", ".round() → .round().clamp(-128, 127)").says(
    "The largest weight is looked for without `abs`, so a larger negative one has no room."
)
exercise.slip(
    "only_positive_and_cut",
    "scales = weight.abs().max(dim=1, keepdim=True).values / 127 → largest = weight.amax(dim=-1, "
    "keepdim=True)",
    "scales[scales == 0] = 1 → scales = torch.where(largest == 0, 1.0, largest / 127)",
    "torch.round(weight / scales) → (weight / scales).round().clamp(-127, 127)",
    of=quantized_with_max,
).says("The largest weight is looked for without `abs`, so larger negative ones are cut to -127.")
exercise.slip("still_floats", ".to(torch.int8) →").says(
    "The numbers are whole, but kept as floats, four bytes each: convert them to `torch.int8`."
)
exercise.slip("divided_by_zero", "    scales[scales == 0] = 1\n →", of=quantized_with_max).says(
    "A row of zeros should have the scale 1: with the scale 0, 0 / 0 would be no number."
)
exercise.slip("turned_over", "largest / 127 → 127 / largest", "weight / scales → weight * scales").says(
    "The scales are inverted: whole numbers times scales should give the weights back."
)
exercise.slip("four_bits", "127 → 7").says(
    "The whole numbers go from -7 to 7 only, which fits half a byte: a whole one holds -127 to 127."
)
exercise.slip("half_added", "(weight / scales).round() → (weight / scales + 0.5)").says(
    "Adding 0.5 and cutting off the fraction is right only above 0, and turns -2.9 into -2: `round` works "
    "for both signs."
)
exercise.slip(
    "zeros_divided_too",
    "torch.where(largest > 0, largest / 127, 1.0) → torch.where(largest > 0, largest, 1.0) / 127",
).says("A row of zeros gets the scale 1/127: the 1 is its scale, so it isn't divided any more.")
exercise.slip("tiny_rows_as_zeros", "largest > 0 → largest > 1e-3").says(
    "A row of tiny weights gets the scale 1 as if it were zeros, so it becomes zeros: only a largest "
    "magnitude of 0 itself has the scale 1."
)
exercise.slip("scale_for_each_column", "dim=-1 → dim=0").says(
    "Each column has a scale here: the weights of one row share theirs, so look for the largest along the "
    "last axis."
)

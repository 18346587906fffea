"""As many weights as before."""

import math

import torch
from torch import Generator

from autograder.entry import Entry
from helpers import modern
from helpers.checking.calling.drivers import Case

exercise = Entry(
    id="modern.width",
    title="As many weights as before",
    points=1,
    difficulty=2,
    minutes=5,
    reference=modern.gated_width,
    returns=("width",),
)


@exercise.cases
def width_cases(g: Generator) -> list[Case]:
    """Llama's own width, multiples hit exactly and missed, a fraction to drop."""
    multiple = 8 + int(torch.randint(40, (), generator=g))
    times = 2 + int(torch.randint(20, (), generator=g))
    exact = 3 * multiple * times  # an even number of thirds, or not: 2/3 of it is 2·multiple·times
    return [
        Case("Llama 7B", (16_384, 256)),
        Case("a multiple already", (exact, multiple)),
        Case("a little more than a multiple", (exact + 3, multiple)),
        Case("just below a multiple", (exact - 2, multiple)),
        Case("a multiple and a fraction", (exact + 1, multiple)),
        Case("no rounding but to whole numbers", (11 + 3 * times, 1)),
    ]


@exercise.alternative
def width_with_ceil(d_ff, multiple):
    return math.ceil(int(2 * d_ff / 3) / multiple) * multiple


@exercise.alternative
def width_as_in_llama(d_ff, multiple):
    hidden_dim = d_ff * 2 // 3
    return multiple * ((hidden_dim + multiple - 1) // multiple)


@exercise.alternative
def width_by_remainder(d_ff, multiple):
    width = 2 * d_ff // 3
    while width % multiple:
        width += 1
    return width


exercise.slip("not_rounded", "-(-(2 * d_ff // 3) // multiple) * multiple → 2 * d_ff // 3").says(
    "The width isn't rounded: it goes up to the next multiple."
)
exercise.slip("rounded_down", "-(-(2 * d_ff // 3) // multiple) → (2 * d_ff // 3 // multiple)").says(
    "This goes down to the multiple below, and may lose much of the width: go up."
)
exercise.slip(
    "rounded_to_nearest", "-(-(2 * d_ff // 3) // multiple) → (2 * d_ff // 3 + multiple // 2) // multiple"
).says("This takes the nearest multiple, which may be the one below: go up.")
exercise.slip("one_multiple_more", "-(-(2 * d_ff // 3) // multiple) → (2 * d_ff // 3 // multiple + 1)").says(
    "This adds a multiple even where the width already is one."
)
exercise.slip("fraction_rounded_up", "-(2 * d_ff // 3) // multiple → (-2 * d_ff) // (3 * multiple)").says(
    "The fraction of the two thirds counts here, and can cost a whole multiple: it is dropped first."
)
exercise.slip("third_cut_first", "2 * d_ff // 3 → d_ff // 3 * 2").says(
    "A third is rounded down, and then doubled: two thirds are rounded down, so multiply first."
)
exercise.slip("half_as_wide", "2 * d_ff // 3 → d_ff // 2").says(
    "This halves the width, as if there were four maps for two: with three maps it is two thirds."
)
exercise.slip("a_third", "2 * d_ff → d_ff").says(
    "This removes a third too much: three maps of two thirds of the width are as many weights as two maps."
)
exercise.slip("half_as_much_again", "2 * d_ff // 3 → 3 * d_ff // 2").says(
    "This widens the network: with a third map it has to become narrower, two thirds instead of three halves."
)

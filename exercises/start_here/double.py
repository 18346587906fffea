"""Twice as much."""

import torch

from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick

exercise = Entry(
    id="start_here.double",
    title="Twice as much",
    points=0,
    difficulty=1,
    minutes=1,
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.reference
def double(x: torch.Tensor) -> torch.Tensor:
    """Twice x."""
    return 2 * x


@exercise.cases
def double_cases(generator: torch.Generator) -> list[Case]:
    """Any shape: mostly of whole numbers above 2, with which a student can check by head."""

    def whole(*shape: int) -> torch.Tensor:
        return torch.randint(3, 10, shape, generator=generator).float()

    column = whole(pick(generator, 3, 2, 4), 1) - 6.5
    return [
        Case("one number", (whole(),)),
        Case("a row", (whole(pick(generator, 3, 2, 4, 5, 6)),)),
        Case("a table", (whole(*pick(generator, (2, 5), (3, 4), (4, 2), (5, 3), (6, 2))),)),
        Case("a column, fractions and numbers below 0", (column,)),
    ]


@exercise.alternative
def added(x: torch.Tensor) -> torch.Tensor:
    """Twice x, as x + x."""
    return x + x


@exercise.alternative
def multiplied(x: torch.Tensor) -> torch.Tensor:
    """Twice x, by torch.mul."""
    return torch.mul(x, 2)


exercise.slip("squared", "2 * x → x**2").says(
    "x² is x times itself: that doubles 2, and no other number but 0."
)
exercise.slip("plus_two", "2 * x → x + 2").says("x + 2 doubles 2 and no other number.")
exercise.slip("unchanged", "2 * x → x").says("x itself came back, not twice x.")

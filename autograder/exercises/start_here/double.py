"""Twice as much."""

import torch

from autograder.entry import Entry
from helpers.checking.calling.outcome import Case

exercise = Entry(
    id="start_here.double",
    title="Twice as much",
    points=0,
    difficulty=1,
    minutes=1,
)


@exercise.reference
def double(x: torch.Tensor) -> torch.Tensor:
    """Twice x."""
    return 2 * x


@exercise.cases
def double_cases(generator: torch.Generator) -> list[Case]:
    """A number, a row, a table: of whole numbers above 2, with which a student can check by head."""

    def whole(*shape: int) -> torch.Tensor:
        return torch.randint(3, 10, shape, generator=generator).float()

    return [Case("one number", (whole(),)), Case("a row", (whole(3),)), Case("a table", (whole(2, 5),))]


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

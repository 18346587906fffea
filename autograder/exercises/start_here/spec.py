"""The start page's one exercise: it shows how an exercise and its check look, and counts for nothing."""

import torch

from autograder.exercise import Exercise, Misconception
from helpers.checking.calling.outcome import Case


def double(x: torch.Tensor) -> torch.Tensor:
    """Twice x."""
    return 2 * x


def added(x: torch.Tensor) -> torch.Tensor:
    """Twice x, as x + x."""
    return x + x


def multiplied(x: torch.Tensor) -> torch.Tensor:
    """Twice x, by torch.mul."""
    return torch.mul(x, 2)


def squared(x: torch.Tensor) -> torch.Tensor:
    """A slip: x times itself."""
    return x**2


def plus_two(x: torch.Tensor) -> torch.Tensor:
    """A slip: 2 added."""
    return x + 2


def unchanged(x: torch.Tensor) -> torch.Tensor:
    """A slip: nothing done."""
    return x


def double_cases(generator: torch.Generator) -> list[Case]:
    """A number, a row, a table: of whole numbers above 2, with which a student can check by head."""

    def whole(*shape: int) -> torch.Tensor:
        return torch.randint(3, 10, shape, generator=generator).float()

    return [Case("one number", (whole(),)), Case("a row", (whole(3),)), Case("a table", (whole(2, 5),))]


DOUBLE = Exercise(
    id="start_here.double",
    title="Twice as much",
    points=0,
    reference=double,
    cases=double_cases,
    misconceptions=(
        Misconception("squared", squared, "x² is x times itself: that doubles 2, and no other number but 0."),
        Misconception("plus_two", plus_two, "x + 2 doubles 2 and no other number."),
        Misconception("unchanged", unchanged, "x itself came back, not twice x."),
    ),
    alternatives=(added, multiplied),
    difficulty=1,
    minutes=1,
)

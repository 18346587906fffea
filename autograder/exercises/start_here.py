"""The start page's one exercise: it shows how an exercise and its check look, and counts for nothing."""

import torch

from autograder.exercise import Case, Exercise, Misconception


def double(x: torch.Tensor) -> torch.Tensor:
    """Twice x."""
    return 2 * x


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
        Misconception(
            "squared", lambda x: x**2, "x² is x times itself: that doubles 2, and no other number but 0."
        ),
        Misconception("plus_two", lambda x: x + 2, "x + 2 doubles 2 and no other number."),
        Misconception("unchanged", lambda x: x, "x itself came back, not twice x."),
    ),
    also_right=(lambda x: x + x, lambda x: torch.mul(x, 2)),
    difficulty=1,
    minutes=1,
)

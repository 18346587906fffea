"""What is drawn for cases: random numbers, and on hidden cases also sizes."""

import functools
import random
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar, Union

from autograder.courses import current

if TYPE_CHECKING:
    import torch

Value = TypeVar("Value")
Generator = Union["torch.Generator", random.Random]


def generator(number: int, *, hidden: bool) -> Generator:
    """What a draw of cases takes its random numbers from, all of which follow from one number.

    That is torch's generator, or in a course without torch Python's own.
    """
    made = _of_torch()(number) if "torch" in current().packages else random.Random(number)
    if hidden:
        made.picks = random.Random(number)  # type: ignore[union-attr]
    return made


@functools.cache
def _of_torch() -> Callable[[int], "torch.Generator"]:
    import torch

    class Draw(torch.Generator):
        """One that takes attributes."""

    return lambda number: Draw().manual_seed(number)


def pick(g: Generator, usual: Value, *others: Value) -> Value:
    """A size or a shape: `usual` on visible cases, one of the others on hidden ones.

    So an answer that is right for the visible sizes alone fails on every hidden draw. It takes no random
    numbers from `g`, so the visible cases are the same with and without it.
    """
    picks: random.Random | None = getattr(g, "picks", None)
    return picks.choice(others) if picks else usual

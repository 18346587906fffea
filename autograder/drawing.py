"""What is drawn for cases: random numbers, and on hidden cases also sizes."""

import random
from typing import TypeVar

import torch

Value = TypeVar("Value")


class HiddenDraw(torch.Generator):
    """The random numbers of a hidden draw of cases. Like its parent, it begins with `manual_seed`."""

    picks: random.Random

    def manual_seed(self, seed: int) -> "HiddenDraw":
        """Let a seed decide everything that is drawn."""
        super().manual_seed(seed)
        self.picks = random.Random(seed)
        return self


def generator(number: int, *, hidden: bool) -> torch.Generator:
    """What a draw of cases takes its random numbers from, all of which follow from one number."""
    return (HiddenDraw if hidden else torch.Generator)().manual_seed(number)


def pick(g: torch.Generator, usual: Value, *others: Value) -> Value:
    """A size or a shape: `usual` on visible cases, one of the others on hidden ones.

    So an answer that is right for the visible sizes alone fails on every hidden draw. It takes no random
    numbers from `g`, so the visible cases are the same with and without it.
    """
    return g.picks.choice(others) if isinstance(g, HiddenDraw) else usual

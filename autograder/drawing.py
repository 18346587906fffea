"""What is drawn for cases: random numbers, and on hidden cases also sizes."""

import inspect
import random
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from autograder.courses import current

Value = TypeVar("Value")
NUMPYS, TORCHS, PYTHONS = "numpy.random", "torch", "random"  # where the kinds of generators are


def generator(number: int, *, hidden: bool, cases: Callable | None = None) -> Any:
    """What a draw of cases takes its random numbers from, all of which follow from one number.

    Args:
        number: the seed.
        hidden: whether the cases are hidden ones, for `pick`.
        cases: what makes the cases. It says by the annotation of its argument which generator it takes:
            torch.Generator, numpy.random.Generator or random.Random. Without one, it is torch's in a course
            that has torch, else Python's.
    """
    kind = _kind(cases)
    if kind == NUMPYS:
        import numpy as np

        return (
            _hidden(np.random.Generator, number)(np.random.PCG64(number))
            if hidden
            else np.random.default_rng(number)
        )
    if kind == TORCHS:
        import torch

        return (_hidden(torch.Generator, number) if hidden else torch.Generator)().manual_seed(number)
    return (_hidden(random.Random, number) if hidden else random.Random)(number)


def _kind(cases: Callable | None) -> str:
    """The module of the generator that is asked for."""
    annotations = inspect.get_annotations(cases) if cases else {}
    asked = next(iter(annotations.values()), "") if set(annotations) != {"return"} else ""
    named = asked if isinstance(asked, str) else f"{getattr(asked, '__module__', '')}."
    for module, words in ((TORCHS, ("torch",)), (NUMPYS, ("numpy", "np.")), (PYTHONS, ("random", "Random"))):
        if named.startswith(words):
            return module
    return TORCHS if "torch" in current().packages else PYTHONS


def _hidden(kind: type, number: int) -> Any:
    """A kind of generator whose instances draw sizes, too."""
    return type(f"Hidden{kind.__name__}", (kind,), {"picks": random.Random(number)})


def pick(g: Any, usual: Value, *others: Value) -> Value:
    """A size or a shape: `usual` on visible cases, one of the others on hidden ones.

    So an answer that is right for the visible sizes alone fails on every hidden draw. It takes no random
    numbers from `g`, so the visible cases are the same with and without it.
    """
    picks = getattr(g, "picks", None)
    return picks.choice(others) if picks else usual


def reseed(number: int) -> None:
    """Seed what draws random numbers without a generator of its own, in the packages that are there."""
    random.seed(number)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(number)
    if torch := sys.modules.get("torch"):
        torch.manual_seed(number)

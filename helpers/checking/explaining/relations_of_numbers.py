"""What is true of one wrong number, and what the factor between wrong numbers and right ones may be."""

import math
from collections.abc import Callable, Iterator

from helpers.checking.calling.outcome import Case
from helpers.checking.explaining.closeness import LEFT, SMALL


def of_numbers(case: Case, right: float, got: float) -> Iterator[tuple[str, str]]:
    """Words and sentences of what holds of one number: a factor that has a name, or a small whole excess."""
    if _near(right, got) or not (math.isfinite(right) and math.isfinite(got)):
        return
    if abs(right) > 1e-6 and abs(factor := got / right) > 1e-6:
        yield from ((f"factor {text}", f"Every number is {text}.") for text in names(case, factor))
    offset = got - right
    if abs(offset - round(offset)) < 1e-6 and 0 < abs(offset) <= SMALL:
        size = "large" if offset > 0 else "small"
        yield f"offset {offset:+.0f}", f"Every number is {abs(offset):.0f} too {size}."


def _near(right: float, got: float) -> bool:
    return math.isclose(right, got, rel_tol=0, abs_tol=1e-6 + 1e-4 * abs(got)) or (
        math.isnan(right) and math.isnan(got)
    )


NUMBERS = (
    ("2 times", 2.0),
    ("half of", 0.5),
    ("10 times", 10.0),
    ("a tenth of", 0.1),
    ("100 times", 100.0),
    ("a hundredth of", 0.01),
    ("1000 times", 1000.0),
    ("a thousandth of", 0.001),
    ("180/π times", 180 / math.pi),
    ("π/180 times", math.pi / 180),
    ("4 times", 4.0),
    ("a quarter of", 0.25),
    ("ln 2 times", math.log(2)),
    ("1/ln 2 times", 1 / math.log(2)),
    ("ln 10 times", math.log(10)),
    ("1/ln 10 times", 1 / math.log(10)),
)


OF_SIZES: tuple[tuple[str, Callable[[float], float]], ...] = (
    ("the right one times the square root of {}", math.sqrt),
    ("the right one divided by the square root of {}", lambda n: 1 / math.sqrt(n)),
    ("the right one times {}", float),
    ("the right one divided by {}", lambda n: 1 / n),
)
# By which a variance of all and one of a sample differ, and their roots: n is taken for n - 1.
OF_SAMPLES: tuple[tuple[str, Callable[[float], float]], ...] = (
    ("the right one times (n − 1)/n, where n is {}", lambda n: (n - 1) / n),
    ("the right one times n/(n − 1), where n is {}", lambda n: n / (n - 1)),
    ("the right one times √((n − 1)/n), where n is {}", lambda n: math.sqrt((n - 1) / n)),
    ("the right one times √(n/(n − 1)), where n is {}", lambda n: math.sqrt(n / (n - 1))),
)


def names(case: Case, factor: float) -> Iterator[str]:
    """What each number is, by what its factor may be: 2, or the root of an argument or of an axis's size."""
    for text, value in NUMBERS:
        if _is(factor, value):
            yield f"{text} the right one"
    sizes = [(name, value) for name, value in case.arguments() if _scales(value)]
    sizes += [
        (f"the size of axis {axis} of {name}", given.shape[axis])
        for name, given in case.inputs()
        for axis in range(-given.ndim, 0)
        if given.shape[axis] > 1
    ]
    given = ((name, len(value)) for name, value in case.arguments() if isinstance(value, list | tuple))
    lengths = [(f"the length of {name}", length) for name, length in given if length > 1]
    forms = [
        (OF_SIZES, [*sizes, *lengths]),
        (OF_SAMPLES, [each for each in (*sizes, *lengths) if each[1] > 1]),
    ]
    for text, of, n, value in ((*form, *size) for group, found in forms for form in group for size in found):
        if _is(factor, of(value)):
            yield text.format(n)


def _is(factor: float, value: float) -> bool:
    """Whether a factor is a certain one; of those near 1, it is what they are off by that counts."""
    return math.isclose(factor, value, rel_tol=1e-4) and abs(factor - value) <= LEFT * abs(value - 1)


def _scales(value: object) -> bool:
    """Whether something can be what numbers are multiplied or divided by."""
    return isinstance(value, int | float) and 0 < value < math.inf and value != 1

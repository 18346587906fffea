"""Values in words: what they are, and two numbers with as many digits as tell them apart."""

from collections.abc import Mapping, Set
from typing import Any

from helpers.checking.calling.values import Opaque, Record
from helpers.checking.kinds.arrays import is_array, is_tensor
from helpers.checking.kinds.frames import is_frame, is_series

# Types of no student's own, whose names say nothing of a hidden case's numbers.
USUAL = (
    "numpy.ndarray", "function", "generator", "set", "tensor with its graph", "map", "filter", "zip",
    "object",
    "method", "type", "deque", "collections.deque", "numpy.matrix", "numpy.MaskedArray",
)  # fmt: skip
LONGEST = 80  # characters of a text in a message


def kind(value: Any, named: bool = True) -> str:
    """What a value is, in words: `a tensor (2, 3)`, `a number`, `a list`.

    Args:
        value: the value.
        named: whether its shape or the name of a student's own type may be in it: they can hold numbers.
    """
    if is_array(value):
        what = "a tensor" if is_tensor(value) else "an array"
        shape = f" {tuple(value.shape)}" if named else ""
        return f"{what}{shape}" if len(value.shape) else f"{what} of one number"
    if is_frame(value):
        what = "a Series" if is_series(value) else "a DataFrame"
        return f"{what} {value.shape}" if named else what
    if value is None:
        return "nothing (None)"
    if is_number(value):
        return "a number"
    if isinstance(value, Set):
        return "a set"
    name = value.type_name if isinstance(value, Opaque | Record) else type(value).__name__
    # defence: hidden: names of types
    if isinstance(value, Opaque | Record) and not named and name not in USUAL:
        return "an object"
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def wanted(expected: Any) -> str:
    """What a value should be, in words."""
    if is_array(expected) and len(expected.shape):
        return "a tensor" if is_tensor(expected) else "an array"
    return kind(expected)


def is_number(value: object) -> bool:
    """Whether a value is a plain number; a boolean isn't."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def shortly(value: float | str | bool) -> str:
    """A number with few digits, or a text as code has it."""
    return _number(value, 4) if isinstance(value, float) else quoted(value)


def quoted(value: object) -> str:
    """A plain value as code has it, or what it is."""
    plain = value is None or isinstance(value, str | bool | int | float | complex | bytes)
    return f"{value!r:.{LONGEST}}" if plain else kind(value)


def quoted_apart(got: object, expected: object) -> tuple[str, str]:
    """Two plain values as code has them; of long texts, what begins shortly before they part."""
    if quoted(got) == quoted(expected) and isinstance(got, str | bytes) and type(got) is type(expected):
        pairs = enumerate(zip(got, expected, strict=False))
        start = next((n for n, (a, b) in pairs if a != b), min(len(got), len(expected)))
        start = max(0, start - LONGEST // 4)
        return (f"…{quoted(got[start:])}", f"…{quoted(expected[start:])}")
    return quoted(got), quoted(expected)


def values(count: int) -> str:
    """How many values, in words."""
    return "1 value" if count == 1 else f"{count} values"


def axes(count: int) -> str:
    """How many axes, in words."""
    return "no axes" if count == 0 else "1 axis" if count == 1 else f"{count} axes"


def listed(found: list) -> str:
    """The first few of some values as code has them."""
    return ", ".join(f"{each!r:.40}" for each in found[:10])


def keys(found: Mapping | Set | list) -> str:
    """Keys as code has them."""
    return ", ".join(map(repr, found))


def tell_apart(got: Any, expected: Any, *, nothing: float) -> tuple[str, str]:
    """Two numbers with as few digits as show that they differ, four at least; rounding errors show as 0."""
    if not all(isinstance(value, float | int | complex) for value in (got, expected)):
        return quoted(got), quoted(expected)
    if isinstance(got, int) and isinstance(expected, int):
        return str(got), str(expected)
    got, expected = (0.0 if abs(value) < nothing else value for value in (got, expected))
    for digits in range(4, 18):
        texts = _number(got, digits), _number(expected, digits)
        if texts[0] != texts[1]:
            break
    return texts


def _number(value: Any, digits: int) -> str:
    """`988402`, `0.4213`, `1.2e-09`: a large number keeps all its digits before the point."""
    if isinstance(value, complex):
        return f"{value:.{digits}g}"
    value = float(value)
    return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.{digits}g}"

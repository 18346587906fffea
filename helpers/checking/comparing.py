"""The one comparison: what an answer returned against what is right, and how to say where they differ.

What is taken for what: a list for a tuple, an array for a list of its numbers or, as arrays, of its rows,
whole numbers of any width for each other, a plain int for a plain float that is whole and the other way
round, an array of one number for a number, and unless full precision is asked for, float32 for NumPy's
float64. An array of whole numbers isn't taken for one of floats. A boolean is no number, a list no array, and
a set no list.
"""

from collections.abc import Mapping, Set
from typing import Any

from helpers.checking.calling.values import Opaque, Record
from helpers.checking.comparing_arrays import (
    EXACT,
    Allowed,
    Names,
    compare_array,
    compare_one,
    other_kind,
)
from helpers.checking.comparing_frames import compare_frame
from helpers.checking.differences import (
    ALMOST,
    ELSEWHERE,
    GUESSES,
    LAZY,
    NO_KIND,
    NO_LIST,
    NO_RETURN,
    NOT_ASKED_FOR,
    NOT_PUT_IN,
    ONE_NUMBER,
    ONE_TEXT,
    OTHER_LENGTH,
    PLAIN_NUMBER,
    ROUGHLY,
    Difference,
    different,
)
from helpers.checking.kinds import frames
from helpers.checking.kinds.arrays import (
    Array,
    count,
    dtype_name,
    is_array,
    is_floating,
    numbers,
    stacked,
)
from helpers.checking.words import is_number, keys, kind, listed, quoted_apart, shortly, values, wanted

__all__ = [
    "ALMOST", "GUESSES", "NOT_PUT_IN", "ONE_TEXT", "ROUGHLY", "Difference", "compare", "compare_gradients",
    "in_form", "kind",
]  # fmt: skip

ITERATORS = ("generator", "map", "filter", "zip", "enumerate", "reversed", "list_reverseiterator")
GRADIENT_SLACK = 10  # gradients are sums of what cancels
PLAIN_TOLERANCES = (1e-4, 1e-12)  # a plain float may have been computed in float32
NOUGHT = (0, 1e-6)  # what it then makes of a number that should be 0


def compare(
    expected: Any,
    got: Any,
    names: Names = "output",
    *,
    slack: float = 1,
    coarse: bool = False,
) -> Difference | None:
    """Find the first difference between two values; None where there is none.

    Args:
        expected: arrays, numbers, texts, None, frames, or lists, sets, dicts and records of them.
        got: the same, from anywhere.
        names: what to call `expected`; or several, one for each item of the list that it is.
        slack: widens the tolerances.
        coarse: whether float64 may be as far off as float32.
    """
    return _compare(expected, got, names, Allowed(slack, coarse))


def _compare(expected: Any, got: Any, names: Names, allowed: Allowed) -> Difference | None:
    if isinstance(expected, list | tuple):
        return _compare_lists(expected, got, names, allowed)
    name = names if isinstance(names, str) else names[0]
    if got is None and expected is not None:
        public = f"nothing (None), expected {name}"
        full = f"{public} {shortly(expected)}" if isinstance(expected, str | int | float) else ""
        return different("structure", public, full, NO_RETURN)
    if isinstance(got, list | tuple):
        return _compare_with_list(expected, got, name)
    if isinstance(expected, Mapping):
        return _compare_dicts(expected, got, name, allowed)
    if isinstance(expected, Set):
        return _compare_sets(expected, got, name)
    if isinstance(expected, Record):
        return _compare_records(expected, got, name, allowed)
    if frames.is_frame(expected):
        return compare_frame(expected, got, name, allowed, _compare)
    if expected is None or isinstance(expected, str | bool | bytes):
        if type(got) is type(expected) and got == expected:
            return None
        shown, right = quoted_apart(got, expected)
        return different("value", f"another {name}", f"{name} {shown}, expected {right}")
    if is_array(expected):
        return compare_array(expected, got, name, allowed, _compare)
    return _compare_plain(expected, got, name, allowed)


def compare_gradients(right: Array, arrived: Any, *, slack: float = 1) -> Difference | None:
    """The difference between two gradients that rounding doesn't explain; None where there is none.

    Where scores are large, small gradients are differences of large ones: they are as exact as those. Work
    done in float32 where inputs are float64 shows in the values, so it doesn't count here.

    Args:
        right: the gradient that should arrive.
        arrived: the one that did, from anywhere.
        slack: widens the tolerances.
    """
    allowed = Allowed(slack * GRADIENT_SLACK, coarse=True)
    difference = _compare(right, arrived, "gradient", allowed)
    if difference and difference.cause == "value":
        relative, _ = allowed.of(dtype_name(right))
        if (right - arrived).abs().max() <= relative * right.abs().max():
            return None
    return difference


def in_form(expected: Any, got: Any) -> Any:
    """What came back in the form that is expected, where it can mean that: a list of rows as an array."""
    if isinstance(expected, list | tuple):
        got = _taken_apart(expected, got) if is_array(got) else got
        if isinstance(got, list | tuple) and len(got) == len(expected):
            return [in_form(*pair) for pair in zip(expected, got, strict=True)]
    elif isinstance(expected, Mapping) and isinstance(got, Mapping):
        return {key: in_form(expected.get(key), value) for key, value in got.items()}
    elif is_array(expected) and isinstance(got, list | tuple):
        return _stacked(expected, got)
    elif is_number(expected) and is_array(got) and count(got) == 1:
        return got.item()
    return got


def _compare_with_list(expected: Any, got: list | tuple, name: str) -> Difference:
    """A list came back where something else is expected."""
    if isinstance(expected, str):
        found = f"{name}: a list of {values(len(got))}, expected a text"
        return different("structure", f"{name}: a list, expected a text", found, ONE_TEXT)
    if is_array(expected) and is_array(_stacked(expected, got)):
        said = f"{name}: a list, expected {wanted(expected)}"
        return different("type", said, meaning=NO_LIST, of=expected)
    if isinstance(expected, Record):
        return other_kind("type", f"{name}: ", list(got), f"expected {kind(expected)}", OF_THAT_CLASS)
    if isinstance(expected, Set):
        return other_kind("type", f"{name}: ", list(got), "expected a set", LIST_OR_SET)
    if frames.is_frame(expected):
        said = f"expected {kind(expected, named=False)}"
        return other_kind("type", f"{name}: ", list(got), said, NO_KIND)
    if isinstance(expected, Mapping) and not any(isinstance(each, Mapping) for each in got):
        return other_kind("structure", f"{name}: ", list(got), "expected a dict", NO_KIND)
    if len(got) == 1:
        meaning = IN_A_LIST if compare(expected, got[0], coarse=True) is None else NO_KIND
        said = f"expected {wanted(expected)}"
        return other_kind("structure", f"{name}: ", list(got), said, meaning, of=expected)
    public, full = (f"{found}, expected one: {name}" for found in ("several values", values(len(got))))
    return different("structure", public, full)


def _compare_lists(expected: list | tuple, got: Any, names: Names, allowed: Allowed) -> Difference | None:
    said, one = f"expected {values(len(expected))}", ""
    if isinstance(names, str) or len(names) != len(expected):
        one = names if isinstance(names, str) else names[0]
        said = f"{said} in `{one}`"
        names = tuple(f"{one}[{i}]" for i in range(len(expected)))
    else:
        said = f"{said}: {', '.join(names)}"
    if is_array(got):
        got = _taken_apart(expected, got)
    if not isinstance(got, list | tuple) or len(got) != len(expected):
        if isinstance(got, list | tuple):
            # defence: hidden: how many values
            public = f"another number of values, {said}"
            return different("structure", public, f"{values(len(got))}, {said}", OTHER_LENGTH if one else "")
        if is_array(got):
            return different("structure", f"one {wanted(got).split()[1]}, {said}")
        lazy = isinstance(got, Opaque) and got.type_name in ITERATORS
        known = {NO_RETURN: got is None, LIST_OR_SET: isinstance(got, Set), LAZY: lazy}
        meaning = next((said for said, holds in known.items() if holds), "")
        return other_kind("structure", "", got, said, meaning)
    for right, theirs, name in zip(expected, got, names, strict=True):
        if theirs is None and right is not None:
            return other_kind("type", f"{name}: ", theirs, f"expected {wanted(right)}", of=right)
        if difference := _compare(right, theirs, name, allowed):
            return difference
    return None


def _stacked(expected: Array, got: list | tuple) -> Any:
    """A list of numbers or of arrays as the one array that it can mean; else as it is."""
    parts = [_stacked(expected, part) if isinstance(part, list | tuple) else part for part in got]
    boolean = dtype_name(expected) == "bool"
    plain = (int, float) if is_floating(expected) else bool if boolean else int
    if parts and all(isinstance(part, plain) for part in parts):
        fits = boolean or not any(isinstance(part, bool) for part in parts)
        return stacked(parts, expected) if fits else got
    if parts and all(is_array(p) and p.shape == parts[0].shape for p in parts):
        rows = stacked(parts, expected)  # with an axis too many, these are several values and not one's rows
        return rows if len(rows.shape) <= len(expected.shape) or len(parts) == 1 else got
    return got


def _taken_apart(expected: list | tuple, got: Array) -> Any:
    """An array as the values that it holds one after another, where so many are expected; else as it is."""
    axes = [len(right.shape) if is_array(right) else 0 for right in expected]
    fits = len(got.shape) and len(got) == len(expected) and set(axes) == {len(got.shape) - 1}
    return (got.tolist() if len(got.shape) == 1 else list(got)) if fits else got


LIST_OR_SET = "The docstring says what comes back: a list keeps an order and repeats, a set doesn't."
IN_A_LIST = "The right value, but in a list of its own: return it without the list."
OF_THAT_CLASS = (
    "The docstring names the class of what comes back: a list, a tuple, a dict or an instance of a different "
    "class isn't one, even with the same values."
)


def _compare_dicts(expected: Mapping, got: Any, name: str, allowed: Allowed) -> Difference | None:
    if not isinstance(got, Mapping):
        said = f"expected a dict with the keys {keys(expected)}"
        return other_kind("structure", f"{name}: ", got, said, NO_KIND)
    if set(got) != set(expected):
        lacking, other = _apart(expected, got)
        without = f"without {keys(lacking)}" if lacking else ""
        # defence: hidden: keys
        public, full = (
            " and ".join(filter(None, (without, f"with {what}" if other else "")))
            for what in ("other keys", listed(other))
        )
        spelled = f"The keys must be spelled exactly like this: {keys(expected)}."
        shared = {key: value for key, value in expected.items() if key in got}
        wrong = other and _compare_dicts(shared, {key: got[key] for key in shared}, name, allowed)
        apart = ELSEWHERE if wrong else NOT_ASKED_FOR
        meaning = spelled if lacking and other else NOT_PUT_IN if lacking else apart
        return different("structure", f"{name}: a dict {public}", f"{name}: a dict {full}", meaning)
    differences = (_compare(v, got[key], f"{name}[{key!r}]", allowed) for key, v in expected.items())
    return next(filter(None, differences), None)


def _compare_sets(expected: Set, got: Any, name: str) -> Difference | None:
    if not isinstance(got, Set):
        return other_kind("type", f"{name}: ", got, "expected a set", NO_KIND)
    if got == expected:
        return None
    lacking, other = (sorted(each, key=repr) for each in _apart(expected, got))
    told = (f"without {listed(lacking)}" if lacking else "", f"with {listed(other)}" if other else "")
    return different("value", f"{name}: another set", f"{name}: a set {' and '.join(filter(None, told))}")


def _apart(expected: Any, got: Any) -> tuple[list, list]:
    """What is lacking, and what else is there."""
    return [each for each in expected if each not in got], [each for each in got if each not in expected]


def _compare_records(expected: Record, got: Any, name: str, allowed: Allowed) -> Difference | None:
    if not isinstance(got, Record) or got.type_name != expected.type_name:
        return other_kind("type", f"{name}: ", got, f"expected {kind(expected)}", OF_THAT_CLASS)
    if set(got.fields) != set(expected.fields):
        return different("structure", f"{name}: {kind(expected)} with other fields")
    differences = (_compare(v, got.fields[f], f"{name}.{f}", allowed) for f, v in expected.fields.items())
    return next(filter(None, differences), None)


def _compare_plain(expected: Any, got: Any, name: str, allowed: Allowed) -> Difference | None:
    if is_array(got) and count(got) == 1:
        got = numbers(got).item()  # an array of one number will do
    if not is_number(expected) and not isinstance(expected, complex):
        if got == expected:
            return None
        if kind(got) == kind(expected):  # such as two dates
            return different("value", f"another {name}", f"{name} {got}, expected {expected}")
        return other_kind("type", f"{name}: ", got, f"expected {wanted(expected)}")
    if not is_number(got) and not (isinstance(expected, complex) and isinstance(got, complex)):
        meaning = ONE_NUMBER if is_array(got) else PLAIN_NUMBER
        return other_kind("type", f"{name}: ", got, "expected a number", meaning, of=got)
    tolerances = NOUGHT if abs(expected) < PLAIN_TOLERANCES[1] else PLAIN_TOLERANCES
    if isinstance(expected, int):  # a count, and counts are exact
        tolerances = EXACT
    return compare_one(expected, got, name, allowed.times(tolerances))

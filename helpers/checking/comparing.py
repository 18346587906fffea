"""The one comparison: what an answer returned against what is right, and how to say where they differ."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from helpers.checking.calling.values import Opaque

# (relative, absolute): wide enough for another order of the same operations, narrow enough that float64
# work done in float32 on the way shows: in a difference, or where that may be, in a remark.
TOLERANCES = {torch.float64: (1e-9, 1e-11), torch.float32: (1e-4, 1e-5)}
HALF_TOLERANCE = (2e-2, 2e-3)
GRADIENT_SLACK = 10  # gradients are sums of what cancels
PLAIN_TOLERANCES = (1e-4, 1e-12)  # a plain float may have been computed in float32
NOUGHT = (0, 1e-6)  # what it then makes of a number that should be 0

WHOLE = (torch.int8, torch.int16, torch.int32, torch.uint8)  # will do where int64 is expected

# What each kind of difference usually comes from.
MEANINGS = {
    "type": "Every value that goes in and out is a torch tensor, unless the text says otherwise.",
    "structure": "Compare what you return with the docstring: how many values, and in which order.",
    "shape": "Write the shape beside each line, and find the first that surprises you.",
    "dtype": "Use the dtype the docstring names, or else the dtype of an input: torch.zeros(n) is float32.",
    "nan": "NaN comes from 0/0 (the mean of nothing is one), 0 · inf, inf/inf, inf - inf or the root or log "
    "of a negative number: look at the numbers before each product, division, mean, exp, log and root.",
    "value": "",
}
NO_LIST = (
    "A list isn't a tensor, and later code calculates with this: `torch.tensor(...)` makes a tensor of "
    "numbers, `torch.stack(...)` one of tensors."
)
ONE_NUMBER = "One number is expected: is a mean, a sum or a maximum over the remaining axes missing?"
PLAIN_NUMBER = "A number is expected: an int, a float or a tensor of one number."
NO_RETURN = (
    "None came back: a `return` is missing, or what it returns is None, as .get gives for a key that isn't "
    "there."
)
OTHER_ORDER = (
    "These are the right sizes in a different order: two axes are swapped, or a sum is over the wrong one."
)
EXTRA_ONE = "There is one axis of size 1 too many or too few: check each keepdim, unsqueeze and squeeze."
FEWER_AXES = (
    "There are fewer axes than expected: a sum, a mean, an index and a squeeze each take one away. Write the "
    "shape beside each line, and find where it goes."
)
MORE_AXES = (
    "There are more axes than expected: does an unsqueeze or a [:, None] stand where it makes a table of two "
    "tensors that should lie on each other, or is a sum, an index or a flatten missing?"
)
GUESSES = (MEANINGS["structure"], MEANINGS["shape"], OTHER_ORDER, FEWER_AXES, MORE_AXES)
NOT_BOOLEAN = (
    "Booleans are expected: a comparison makes them, and so does .bool(). (`~` of whole numbers turns their "
    "bits, so ~1 is -2.)"
)
ALMOST = (
    "Right to a few digits only: a step is done in float32 although the inputs are float64 (.float(), or "
    "torch.tensor of a plain number), or a small constant is added where none is needed."
)
USUAL = ("numpy.ndarray", "function", "generator", "set", "tensor with its graph")
ONE_TEXT = "One text is expected: `join` makes one of a list's parts."
NOT_PUT_IN = "What is missing was never put in: is a loop not entered, or a condition not met?"


@dataclass(frozen=True)
class Difference:
    """Where two values part.

    Attributes:
        cause: "type", "structure", "shape", "dtype", "nan" or "value".
        public: what differs, without any number of the case.
        full: the same with the numbers.
        meaning: what this usually comes from; "" where there is no more to say.
    """

    cause: str
    public: str
    full: str = ""
    meaning: str = ""

    def describe(self, reveal: bool) -> str:
        return self.full if reveal and self.full else self.public


@dataclass(frozen=True)
class _Allowed:
    """How far numbers may be apart: times what is usual, and in float64 as in float32 or not."""

    slack: float
    coarse: bool

    def of(self, dtype: torch.dtype) -> tuple[float, float]:
        """The relative and the absolute tolerance for tensors of a dtype."""
        if self.coarse and dtype == torch.float64:
            dtype = torch.float32
        return self.times(TOLERANCES.get(dtype, HALF_TOLERANCE if dtype.is_floating_point else (0, 0)))

    def times(self, tolerances: tuple[float, float]) -> tuple[float, float]:
        return self.slack * tolerances[0], self.slack * tolerances[1]


def compare(
    expected: Any,
    got: Any,
    names: tuple[str, ...] = ("output",),
    *,
    slack: float = 1,
    coarse: bool = False,
) -> Difference | None:
    """Find the first difference between two values; None where there is none.

    Args:
        expected: tensors, numbers, text, None, or lists and dicts of them.
        got: the same, from anywhere.
        names: what to call `expected`, or its items where it is a list.
        slack: widens the tolerances.
        coarse: whether float64 may be as far off as float32.
    """
    return _compare(expected, got, names, _Allowed(slack, coarse))


def _compare(expected: Any, got: Any, names: tuple[str, ...], allowed: _Allowed) -> Difference | None:
    if isinstance(expected, list | tuple):
        return _compare_lists(expected, got, names, allowed)
    name = names[0]
    if got is None and expected is not None:
        return _different("structure", f"nothing (None), expected {name}", meaning=NO_RETURN)
    if isinstance(got, list | tuple):
        if isinstance(expected, str):
            found = f"{name}: a list of {_values(len(got))}, expected a text"
            return _different("structure", f"{name}: a list, expected a text", found, ONE_TEXT)
        if isinstance(expected, torch.Tensor) and isinstance(_stacked(expected, got), torch.Tensor):
            return _different("type", f"{name}: a list, expected {_wanted(expected)}", meaning=NO_LIST)
        public, full = (f"{count}, expected one: {name}" for count in ("several values", _values(len(got))))
        return _different("structure", public, full)
    if isinstance(expected, Mapping):
        return _compare_dicts(expected, got, name, allowed)
    if expected is None or isinstance(expected, str | bool):
        if type(got) is type(expected) and got == expected:
            return None
        return _different("value", f"another {name}", f"{name} {_quoted(got)}, expected {_quoted(expected)}")
    return _compare_numbers(expected, got, name, allowed)


def compare_gradients(right: torch.Tensor, arrived: Any, *, slack: float = 1) -> Difference | None:
    """The difference between two gradients that rounding doesn't explain; None where there is none.

    Where scores are large, small gradients are differences of large ones: they are as exact as those. Work
    done in float32 where inputs are float64 shows in the values, so it doesn't count here.

    Args:
        right: the gradient that should arrive.
        arrived: the one that did, from anywhere.
        slack: widens the tolerances.
    """
    allowed = _Allowed(slack * GRADIENT_SLACK, coarse=True)
    difference = _compare(right, arrived, ("gradient",), allowed)
    if difference and difference.cause == "value":
        relative, _ = allowed.of(right.dtype)
        if (right - arrived).abs().max() <= relative * right.abs().max():
            return None
    return difference


def in_form(expected: Any, got: Any) -> Any:
    """What came back in the form that is expected, where it can mean that: a list of rows as a tensor."""
    if isinstance(expected, list | tuple):
        got = _taken_apart(expected, got) if isinstance(got, torch.Tensor) else got
        if isinstance(got, list | tuple) and len(got) == len(expected):
            return [in_form(*pair) for pair in zip(expected, got, strict=True)]
    elif isinstance(expected, Mapping) and isinstance(got, Mapping):
        return {key: in_form(expected.get(key), value) for key, value in got.items()}
    elif isinstance(expected, torch.Tensor) and isinstance(got, list | tuple):
        return _stacked(expected, got)
    elif _is_number(expected) and isinstance(got, torch.Tensor) and got.numel() == 1:
        return got.item()
    return got


def kind(value: object, named: bool = True) -> str:
    """What a value is, in words: `a tensor (2, 3)`, `a number`, `a numpy.ndarray`.

    Args:
        value: the value.
        named: whether its shape or the name of a student's own type may be in it: they can hold numbers.
    """
    if isinstance(value, torch.Tensor):
        shape = f" {tuple(value.shape)}" if named else ""
        return f"a tensor{shape}" if value.dim() else "a tensor of one number"
    if value is None:
        return "nothing (None)"
    if _is_number(value):
        return "a number"
    name = value.type_name if isinstance(value, Opaque) else type(value).__name__
    # defence: hidden: names of types
    if isinstance(value, Opaque) and not named and name not in USUAL:
        return "an object"
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _other_kind(cause: str, place: str, got: object, expected: str, meaning: str = "") -> Difference:
    public, full = (f"{place}{kind(got, named)}, {expected}" for named in (False, True))
    return _different(cause, public, full, meaning)


def _different(cause: str, public: str, full: str = "", meaning: str = "") -> Difference:
    return Difference(cause, public, full, meaning or MEANINGS[cause])


def _compare_lists(
    expected: list | tuple, got: Any, names: tuple[str, ...], allowed: _Allowed
) -> Difference | None:
    listed = f"expected {_values(len(expected))}: {', '.join(names)}"
    if len(names) != len(expected):
        listed = f"expected {_values(len(expected))} in `{names[0]}`"
        names = tuple(f"{names[0]}[{i}]" for i in range(len(expected)))
    if isinstance(got, torch.Tensor):
        got = _taken_apart(expected, got)
    if not isinstance(got, list | tuple) or len(got) != len(expected):
        if isinstance(got, list | tuple):
            # defence: hidden: how many values
            public = f"another number of values, {listed}"
            return _different("structure", public, f"{_values(len(got))}, {listed}")
        if isinstance(got, torch.Tensor):
            return _different("structure", f"one tensor, {listed}")
        return _other_kind("structure", "", got, listed, NO_RETURN if got is None else "")
    for right, theirs, name in zip(expected, got, names, strict=True):
        if theirs is None and right is not None:
            return _other_kind("type", f"{name}: ", theirs, f"expected {_wanted(right)}")
        if difference := _compare(right, theirs, (name,), allowed):
            return difference
    return None


def _stacked(expected: torch.Tensor, got: list | tuple) -> Any:
    """A list of numbers or of tensors as the one tensor that it can mean; else as it is."""
    parts = [_stacked(expected, part) if isinstance(part, list | tuple) else part for part in got]
    plain = (int, float) if expected.is_floating_point() else (bool if expected.dtype == torch.bool else int)
    if parts and all(isinstance(part, plain) for part in parts):
        fits = expected.dtype == torch.bool or not any(isinstance(part, bool) for part in parts)
        return torch.tensor(parts, dtype=expected.dtype) if fits else got
    if parts and all(isinstance(p, torch.Tensor) and p.shape == parts[0].shape for p in parts):
        rows = torch.stack(parts)  # with an axis too many, these are several values and not one's rows
        return rows if rows.dim() <= expected.dim() or len(parts) == 1 else got
    return got


def _taken_apart(expected: list | tuple, got: torch.Tensor) -> Any:
    """A tensor as the values that it holds one after another, where so many are expected; else as it is."""
    axes = [right.dim() if isinstance(right, torch.Tensor) else 0 for right in expected]
    fits = got.dim() and len(got) == len(expected) and set(axes) == {got.dim() - 1}
    return list(got.unbind(0)) if fits else got


def _compare_dicts(expected: Mapping, got: Any, name: str, allowed: _Allowed) -> Difference | None:
    if not isinstance(got, Mapping):
        keys = ", ".join(map(repr, expected))
        return _other_kind("structure", f"{name}: ", got, f"expected a dict with the keys {keys}")
    if set(got) != set(expected):
        lacking = ", ".join(repr(key) for key in expected if key not in got)
        other = ", ".join(f"{key!r:.40}" for key in [key for key in got if key not in expected][:10])
        without = f"without {lacking}" if lacking else ""
        # defence: hidden: keys
        public, full = (
            " and ".join(filter(None, (without, other and f"with {what}"))) for what in ("other keys", other)
        )
        keys = ", ".join(map(repr, expected))
        meaning = f"The keys must be spelled exactly like this: {keys}." if other else NOT_PUT_IN
        return _different("structure", f"{name}: a dict {public}", f"{name}: a dict {full}", meaning)
    differences = (_compare(v, got[key], (f"{name}[{key!r}]",), allowed) for key, v in expected.items())
    return next(filter(None, differences), None)


def _compare_numbers(expected: Any, got: Any, name: str, allowed: _Allowed) -> Difference | None:
    if not isinstance(expected, torch.Tensor):
        return _compare_plain(expected, got, name, allowed)
    tolerances = allowed.of(expected.dtype)
    # Where one number is asked for, a plain one will do, or one with more digits.
    if expected.dim() == 0 and (_is_number(got) or _is_wider(expected, got)):
        return _compare_one(float(expected), float(got), name, tolerances)
    if not isinstance(got, torch.Tensor):
        return _other_kind("type", f"{name}: ", got, f"expected {_wanted(expected)}")
    if got.shape != expected.shape:
        return _compare_shapes(expected, got, name)
    if got.dtype != expected.dtype and not (expected.dtype == torch.int64 and got.dtype in WHOLE):
        meaning = NOT_BOOLEAN if expected.dtype == torch.bool else ""
        return _different("dtype", f"{name} of {_dtype(got)}, expected {_dtype(expected)}", meaning=meaning)
    if expected.dim() == 0:
        return _compare_one(expected.item(), got.item(), name, tolerances)
    return _compare_elements(expected, got, name, tolerances)


def _compare_plain(expected: float, got: Any, name: str, allowed: _Allowed) -> Difference | None:
    if isinstance(got, torch.Tensor) and got.numel() == 1:
        got = got.item()  # a tensor of one number will do
    if not _is_number(got):
        meaning = ONE_NUMBER if isinstance(got, torch.Tensor) else PLAIN_NUMBER
        return _other_kind("type", f"{name}: ", got, "expected a number", meaning)
    tolerances = NOUGHT if abs(expected) < PLAIN_TOLERANCES[1] else PLAIN_TOLERANCES
    if isinstance(expected, int):  # a count, and counts are exact
        tolerances = TOLERANCES[torch.float64]
    return _compare_one(expected, got, name, allowed.times(tolerances))


def _compare_one(expected: float, got: float, name: str, tolerances: tuple) -> Difference | None:
    if isinstance(expected, int) and isinstance(got, int):  # counts are exact, however large
        if expected == got:
            return None
        return _different("value", f"{name}: another number", f"{name} {got}, expected {expected}")
    a, b = float(expected), float(got)
    error, allowed = abs(b - a), tolerances[0] * abs(a) + tolerances[1]
    if a == b or (math.isfinite(error) and error <= allowed) or (math.isnan(a) and math.isnan(b)):
        return None
    if math.isnan(b):
        return _different("nan", f"{name} is NaN")
    nothing = max(tolerances[1], 1e-6 * min(1, abs(a)))
    shown, right = _tell_apart(got, expected, nothing=nothing)
    almost = tolerances == TOLERANCES[torch.float64] and error <= 1e-6 + 1e-5 * abs(a)
    meaning = ALMOST if almost and isinstance(got, float) and not isinstance(expected, int) else ""
    return _different("value", f"{name}: another number", f"{name} {shown}, expected {right}", meaning)


def _compare_shapes(expected: torch.Tensor, got: torch.Tensor, name: str) -> Difference:
    theirs, right = tuple(got.shape), tuple(expected.shape)
    if not right:
        what = f"{name}: {{}}, expected one number"
        return _different("shape", what.format(_axes(len(theirs))), what.format(theirs), ONE_NUMBER)
    meaning = ""
    if sorted(theirs) == sorted(right):
        meaning = OTHER_ORDER
    elif [size for size in theirs if size != 1] == [size for size in right if size != 1]:
        meaning = EXTRA_ONE
    elif len(theirs) != len(right):
        meaning = FEWER_AXES if len(theirs) < len(right) else MORE_AXES
    axes = "" if len(theirs) == len(right) else f": {_axes(len(theirs))}, expected {_axes(len(right))}"
    return _different(
        "shape", f"{name} of another shape{axes}", f"{name} {theirs}, expected {right}", meaning
    )


def _compare_elements(
    expected: torch.Tensor, got: torch.Tensor, name: str, tolerances: tuple
) -> Difference | None:
    if torch.equal(expected, got):
        return None
    a, b = expected.double(), got.double()
    close = torch.isclose(b, a, rtol=tolerances[0], atol=tolerances[1], equal_nan=True)
    if close.all():
        return None
    label = f"{name} {tuple(got.shape)}"
    if (unexpected := b.isnan() & ~a.isnan()).any():
        count, at = int(unexpected.sum()), unexpected.nonzero()[0].tolist()
        where = f"in {count} of {b.numel()} places, the first at {at}" if count < b.numel() else "everywhere"
        return _different("nan", f"{name} with NaN", f"{label} with NaN {where}")
    error = (a - b).abs().masked_fill(close, -1).nan_to_num(nan=torch.inf, posinf=torch.inf)
    # torch.unravel_index would import sympy, which takes a third of a second.
    worst = tuple((error == error.max()).nonzero()[0].tolist())
    shown, right = _tell_apart(got[worst].item(), expected[worst].item(), nothing=tolerances[1])
    what = f"{shown}, expected {right}"
    if expected.dtype == torch.bool:
        full = (
            f"{label}; {int((~close).sum())} of {b.numel()} places wrong, one of them {list(worst)}: {what}"
        )
    else:
        full = f"{label}; largest error {error[worst]:.3g} at {list(worst)}: {what}"
    almost = expected.dtype == torch.float64 and torch.isclose(b, a, rtol=1e-5, atol=1e-6).all()
    return _different("value", f"{name} with wrong values", full, ALMOST if almost else "")


def _tell_apart(got: float, expected: float, *, nothing: float) -> tuple[str, str]:
    """Two numbers with as few digits as show that they differ, four at least; rounding errors show as 0."""
    if isinstance(got, int) and isinstance(expected, int):
        return str(got), str(expected)
    got, expected = (0.0 if abs(value) < nothing else value for value in (got, expected))
    for digits in range(4, 18):
        texts = _number(got, digits), _number(expected, digits)
        if texts[0] != texts[1]:
            break
    return texts


def _number(value: float, digits: int) -> str:
    """`988402`, `0.4213`, `1.2e-09`: a large number keeps all its digits before the point."""
    value = float(value)
    return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.{digits}g}"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_wider(expected: torch.Tensor, got: object) -> bool:
    """Whether this is a number in float64 where one in float32 is asked for, as a plain one would be."""
    return (
        isinstance(got, torch.Tensor)
        and got.dim() == 0
        and (got.dtype, expected.dtype) == (torch.float64, torch.float32)
    )


def _values(count: int) -> str:
    return "1 value" if count == 1 else f"{count} values"


def _axes(count: int) -> str:
    return "no axes" if count == 0 else "1 axis" if count == 1 else f"{count} axes"


def _quoted(value: object) -> str:
    return f"{value!r:.80}" if value is None or isinstance(value, str | bool | int | float) else kind(value)


def _wanted(expected: Any) -> str:
    return "a tensor" if isinstance(expected, torch.Tensor) and expected.dim() else kind(expected)


def _dtype(tensor: torch.Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")

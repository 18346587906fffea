"""Arrays against what is right: kind, shape, dtype and numbers."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from helpers.checking.differences import (
    ALMOST,
    EXTRA_ONE,
    FEWER_AXES,
    MORE_AXES,
    NOT_BOOLEAN,
    ONE_NUMBER,
    OTHER_ORDER,
    Difference,
    different,
)
from helpers.checking.kinds.arrays import (
    HALVES,
    Array,
    double,
    dtype_name,
    is_array,
    is_ndarray,
    is_tensor,
    numbers,
    same_array,
)
from helpers.checking.words import axes, is_number, kind, tell_apart, wanted

# (relative, absolute): wide enough for another order of the same operations, narrow enough that float64
# work done in float32 on the way shows: in a difference, or where that may be, in a remark.
EXACT, SINGLE, HALF = (1e-9, 1e-11), (1e-4, 1e-5), (2e-2, 2e-3)
TOLERANCES = {
    "float64": EXACT,
    "complex128": EXACT,
    "float32": SINGLE,
    "complex64": SINGLE,
    **dict.fromkeys(HALVES, HALF),
}
WHOLE = ("int8", "int16", "int32", "uint8")  # will do where int64 is expected
Names = str | tuple[str, ...]  # of one value, or of the several that a list holds
Compare = Callable[[Any, Any, Names, "Allowed"], Difference | None]


@dataclass(frozen=True)
class Allowed:
    """How far numbers may be apart: times what is usual, and in float64 as in float32 or not."""

    slack: float
    coarse: bool

    def of(self, *dtypes: str) -> tuple[float, float]:
        """The relative and the absolute tolerance for arrays of a dtype, or of the coarser of two."""
        relative, absolute = max(TOLERANCES.get(each, (0, 0)) for each in dtypes)
        if self.coarse and (relative, absolute) == EXACT:
            relative, absolute = SINGLE
        return self.times((relative, absolute))

    def times(self, tolerances: tuple[float, float]) -> tuple[float, float]:
        return self.slack * tolerances[0], self.slack * tolerances[1]


def compare_array(
    expected: Array, got: Any, name: str, allowed: Allowed, compare: Compare
) -> Difference | None:
    """Where something differs from an array.

    Args:
        expected: the array.
        got: what came back.
        name: what to call it.
        allowed: how far numbers may be apart.
        compare: compares what arrays of objects hold.
    """
    if same_array(expected, got):  # as most arrays are, and this is soon said
        return None
    dtype = dtype_name(expected)
    # Where one number is asked for, a plain one will do, or one with more digits.
    if not len(expected.shape) and (_plain_will_do(expected, got) or _is_wider(expected, got)):
        return compare_one(
            expected.item(), got if is_number(got) else got.item(), name, allowed.of(dtype), expected
        )
    if not is_array(got) or is_tensor(got) != is_tensor(expected):
        return other_kind("type", f"{name}: ", got, f"expected {wanted(expected)}", of=expected)
    if tuple(got.shape) != tuple(expected.shape):
        return _compare_shapes(expected, got, name)
    if dtype == "str" and dtype_name(got) == "object" and all(isinstance(each, str) for each in got.flat):
        got = got.astype(str)
    if "object" in (dtype, dtype_name(got)):
        return compare(expected.ravel().tolist(), got.ravel().tolist(), name, allowed)
    if not _dtype_will_do(expected, got, allowed):
        meaning = NOT_BOOLEAN if dtype == "bool" else ""
        said = f"{name} of {dtype_name(got)}, expected {dtype}"
        return different("dtype", said, meaning=meaning, of=expected)
    tolerances = allowed.of(dtype, dtype_name(got))
    if not len(expected.shape):
        return compare_one(expected.item(), got.item(), name, tolerances, expected)
    return _compare_elements(expected, got, name, tolerances)


def other_kind(
    cause: str, place: str, got: object, expected: str, meaning: str = "", *, of: object = None
) -> Difference:
    """What came back is something else altogether."""
    named, full = (f"{place}{_kind_beside(got, of, each)}, {expected}" for each in (False, True))
    return different(cause, named, full, meaning, of=of)


def _kind_beside(got: object, expected: object, named: bool) -> str:
    """What a value is; NumPy's arrays by their full name where a tensor is expected."""
    return "a numpy.ndarray" if is_tensor(expected) and is_ndarray(got) else kind(got, named)


def _plain_will_do(expected: Array, got: object) -> bool:
    plain = is_number(got) or (isinstance(got, complex) and dtype_name(expected).startswith("complex"))
    return plain and dtype_name(expected) not in ("bool", "str", "object")


def _is_wider(expected: Array, got: Any) -> bool:
    """Whether this is a number in float64 where one in float32 is asked for, as a plain one would be."""
    if not is_array(got) or len(got.shape):
        return False
    return (dtype_name(got), dtype_name(expected)) == ("float64", "float32")


def _dtype_will_do(expected: Array, got: Array, allowed: Allowed) -> bool:
    ours, theirs = dtype_name(expected), dtype_name(got)
    if ours == theirs or (ours == "int64" and theirs in WHOLE):
        return True
    if is_tensor(expected):
        return False
    kinds = expected.dtype.kind, got.dtype.kind
    if kinds[0] in "iu" and kinds[1] in "iu":
        return True
    if theirs in HALVES:  # which tell numbers apart that are far enough to be wrong
        return False
    return kinds[0] == kinds[1] and (kinds[0] in "mM" or (kinds[0] in "fc" and allowed.coarse))


def compare_one(
    expected: Any, got: Any, name: str, tolerances: tuple[float, float], of: object = None
) -> Difference | None:
    """Where two plain numbers differ."""
    if not isinstance(expected, int | float | complex):  # a text, a date
        if expected == got or (expected != expected and got != got):
            return None
        return different("value", f"another {name}", f"{name} {got!r:.80}, expected {expected!r:.80}")
    if isinstance(expected, int) and isinstance(got, int):  # counts are exact, however large
        if expected == got:
            return None
        return different("value", f"{name}: another number", f"{name} {got}, expected {expected}")
    number: Any = complex if isinstance(expected, complex) or isinstance(got, complex) else float
    a, b = number(expected), number(got)
    error, allowed = abs(b - a), tolerances[0] * abs(a) + tolerances[1]
    if a == b or (math.isfinite(error) and error <= allowed) or (a != a and b != b):
        return None
    if b != b:
        return different("nan", f"{name} is NaN", of=of)
    nothing = max(tolerances[1], 1e-6 * min(1, abs(a)))
    shown, right = tell_apart(got, expected, nothing=nothing)
    almost = tolerances == EXACT and error <= 1e-6 + 1e-5 * abs(a)
    meaning = ALMOST if almost and isinstance(got, float) and not isinstance(expected, int) else ""
    return different("value", f"{name}: another number", f"{name} {shown}, expected {right}", meaning, of=of)


def _compare_shapes(expected: Array, got: Array, name: str) -> Difference:
    theirs, right = tuple(got.shape), tuple(expected.shape)
    if not right:
        what = f"{name}: {{}}, expected one number"
        return different(
            "shape", what.format(axes(len(theirs))), what.format(theirs), ONE_NUMBER, of=expected
        )
    meaning = ""
    if sorted(theirs) == sorted(right):
        meaning = OTHER_ORDER
    elif [size for size in theirs if size != 1] == [size for size in right if size != 1]:
        meaning = EXTRA_ONE
    elif len(theirs) != len(right):
        meaning = FEWER_AXES if len(theirs) < len(right) else MORE_AXES
    differ = "" if len(theirs) == len(right) else f": {axes(len(theirs))}, expected {axes(len(right))}"
    full = f"{name} {theirs}, expected {right}"
    return different("shape", f"{name} of another shape{differ}", full, meaning, of=expected)


def _compare_elements(
    expected: Array, got: Array, name: str, tolerances: tuple[float, float]
) -> Difference | None:
    import numpy as np

    from helpers.checking.explaining.closeness import nan, within

    ours, theirs = numbers(expected), numbers(got)
    whole = ours.dtype.kind in "iub" and theirs.dtype.kind in "iub"  # exact, however large
    close = ours == theirs if whole else within(theirs, ours, *tolerances) | (nan(ours) & nan(theirs))
    if close.all():
        return None
    label, total = f"{name} {tuple(got.shape)}", close.size
    if (unexpected := nan(theirs) & ~nan(ours)).any():
        missing, at = int(unexpected.sum()), np.argwhere(unexpected)[0].tolist()
        where = f"in {missing} of {total} places, the first at {at}" if missing < total else "everywhere"
        return different("nan", f"{name} with NaN", f"{label} with NaN {where}", of=expected)
    numeric = ours.dtype.kind in "iufc"
    with np.errstate(all="ignore"):
        error = np.abs(double(ours) - double(theirs)) if numeric else np.ones(close.shape)
    error = np.nan_to_num(np.where(close, -1, error), nan=np.inf, posinf=np.inf)
    worst = tuple(np.argwhere(error == error.max())[0].tolist())
    shown, right = tell_apart(_item(got, worst), _item(expected, worst), nothing=tolerances[1])
    what = f"{shown}, expected {right}"
    full = f"{label}; largest error {error[worst]:.3g} at {list(worst)}: {what}"
    if not numeric:
        full = f"{label}; {int((~close).sum())} of {total} places wrong, one of them {list(worst)}: {what}"
    almost = dtype_name(expected) == "float64" and within(theirs, ours, 1e-5, 1e-6).all()
    return different("value", f"{name} with wrong values", full, ALMOST if almost else "", of=expected)


def _item(array: Array, place: tuple[int, ...]) -> Any:
    return array[place].item()

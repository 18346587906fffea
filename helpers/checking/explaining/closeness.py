"""When numbers that came back count as related to the right ones, and how many it takes to say so.

All of it takes arrays of either kind.
"""

from typing import TYPE_CHECKING

from helpers.checking.kinds.arrays import Array, double, is_floating, numbers

if TYPE_CHECKING:
    import numpy as np

ENOUGH = 3  # numbers that differ from each other: of fewer, something is true by chance
MAX_AXES = 4  # of which all orders are tried
MULTIPLES = 4  # of a product of sizes: more of them fit by chance
SMALL = 10  # what one counts wrong by: a larger whole number says nothing
LEFT = 0.05  # of the largest error: what explains an error leaves no more of it
ENDS = (("first", 0), ("last", -1))  # of an axis


def within(a: Array, b: Array, relative: float, absolute: float) -> "np.ndarray":
    """Where numbers are as near to those of `b` as that; where they are NaN, they aren't."""
    import numpy as np

    a, b = double(a), double(b)
    if a.dtype.kind not in "fc" or b.dtype.kind not in "fc":
        return np.asarray(a == b)
    with np.errstate(all="ignore"):
        error = np.abs(a - b)
        return np.asarray((a == b) | (np.isfinite(error) & (error <= absolute + np.abs(relative * b))))


def nan(a: Array) -> "np.ndarray":
    """Where there is NaN, or a date that is none."""
    values = double(a)
    return values != values  # texts are never NaN


def equal(a: Array, b: Array) -> bool:
    """Whether two arrays have one shape and the same numbers."""
    return tuple(a.shape) == tuple(b.shape) and bool(close(a, b).all())


def close(a: Array, b: Array) -> "np.ndarray":
    """Where two arrays have the same numbers, NaN included."""
    return within(a, b, 1e-4, 1e-6) | (nan(a) & nan(b))


def near(a: Array, b: Array) -> bool:
    """Whether all numbers are the same; where they are NaN, they aren't."""
    return bool(within(b, a, 1e-4, 1e-6).all())


def explained(right: Array, got: Array, changed: Array) -> bool:
    """Whether wrong numbers are the right ones after a change, and the change is what sets them apart.

    Where an error is hardly larger than what counts as the same, `near` alone holds of many changes.
    """
    import numpy as np

    if not near(changed, got):
        return False
    with np.errstate(all="ignore"):
        error, left = (np.abs(np.asarray(double(each) - double(got))) for each in (right, changed))
    error, left = (each[np.isfinite(each)] for each in (error, left))
    return not error.size or not left.size or bool(left.max() <= LEFT * error.max())


def distinct(array: Array) -> int:
    """How many different numbers there are, where those that are close count as one."""
    import numpy as np

    if not is_floating(array):
        return len(np.unique(numbers(array)))
    ordered = np.sort(double(array), axis=None)
    return min(1, len(ordered)) + int((~close(ordered[:-1], ordered[1:])).sum())

"""What is true of an array of wrong numbers: other places, a factor, an input too many, few of them wrong."""

import contextlib
import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from helpers.checking.calling.outcome import Case
from helpers.checking.explaining.closeness import (
    ENDS,
    ENOUGH,
    MAX_AXES,
    SMALL,
    close,
    distinct,
    equal,
    explained,
    near,
    within,
)
from helpers.checking.explaining.relations_of_numbers import names
from helpers.checking.explaining.relations_of_shapes import cut, of_shapes
from helpers.checking.kinds.arrays import Array, double, is_array, map_arrays, numbers

ONE = np.ones(())


def of_arrays(case: Case, right: Array, got: Array) -> list[tuple[str, str]]:
    """Words and sentences of what holds of an array in one case, the most telling first.

    Args:
        case: the call; its inputs may have to do with it.
        right: what should come back: numbers of any dtype.
        got: what did, of any shape and dtype.
    """
    case = replace(case, args=tuple(map_arrays(numbers, case.args)), kwargs=map_arrays(numbers, case.kwargs))
    right, got = (numbers(each) if is_array(each) else np.asarray(each, dtype=float) for each in (right, got))
    if not {right.dtype.kind, got.dtype.kind} <= set("biuf"):
        return []
    with np.errstate(all="ignore"):
        return list(_of_arrays(case, right, got))


def _of_arrays(case: Case, right: np.ndarray, got: np.ndarray) -> Iterator[tuple[str, str]]:
    for name, given in case.inputs():
        if given.ndim and given.size >= ENOUGH and equal(given, got):
            yield name, f"What came back is {name}, unchanged."
        yield from _of_slices(name, given, got)
    if right.shape != got.shape:
        yield from of_shapes(case, right, got)
        return
    if close(right, got).all():
        return  # to a few digits only
    if right.dtype == bool:
        if got.dtype == bool and np.array_equal(~right, got):
            yield "inverted", "Every True should be False, and every False should be True."
        yield from _of_places(case, right, got)
        return
    a, b = double(right), double(got)
    if not (np.isfinite(b) | ~np.isfinite(a)).all():
        yield from _of_places(case, right, got)
        return
    if b.size >= ENOUGH and not b.any():
        yield "zero", "Every number is 0."
    yield from _of_order(right, got)
    yield from _of_scale(case, a, b)
    yield from _of_softmax(a, b)
    yield from _of_values(case, a, b)
    yield from _of_inputs(case, a, b)
    yield from _of_places(case, right, got)
    yield from _of_sums(a, b)
    yield from _of_zeros(right, got)


def _of_slices(name: str, given: np.ndarray, got: np.ndarray) -> Iterator[tuple[str, str]]:
    """An input at one end of an axis."""
    if given.ndim != got.ndim + 1 or distinct(got) < ENOUGH:
        return
    for axis in range(-given.ndim, 0):
        for where, at in ENDS if given.shape[axis] > 1 else ():
            if equal(given.take(at, axis), got):
                yield (
                    f"{name} {where} {axis}",
                    f"What came back is {name} at the {where} position of axis {axis}.",
                )


def _of_order(right: np.ndarray, got: np.ndarray) -> Iterator[tuple[str, str]]:
    """The right numbers in other places."""
    if right.ndim == 0 or distinct(right) < ENOUGH:
        return
    for one, other in itertools.combinations(range(-min(right.ndim, MAX_AXES), 0), 2):
        if right.shape[one] == right.shape[other] and equal(right, got.swapaxes(one, other)):
            yield "transposed", f"The right numbers with axes {one} and {other} swapped."
    for axis in range(-right.ndim, 0):
        size, name = right.shape[axis], f"axis {axis}"
        if size < 2:
            continue
        if equal(right, np.flip(got, axis)):
            yield "reversed", f"The right numbers in reverse along {name}."
        if size > 2:
            later, earlier = cut(got, axis, 1, size - 1), cut(got, axis, 0, size - 1)
            if equal(cut(right, axis, 0, size - 1), later):
                yield "late", f"The right numbers, one position too late along {name}."
            if equal(cut(right, axis, 1, size - 1), earlier):
                yield "early", f"The right numbers, one position too early along {name}."
            order = _permutation(np.moveaxis(right, axis, 0), np.moveaxis(got, axis, 0))
            if order:
                told = f", with the positions of {name} in" if right.ndim > 1 else " in"
                yield "permuted", f"The right numbers{told} a different order."
            elif right.ndim > 1 and equal(np.sort(right, axis), np.sort(got, axis)):
                yield "jumbled", f"Each line along {name} has the right numbers, in a different order."
    if right.ndim > 1 and equal(np.sort(right, axis=None), np.sort(got, axis=None)):
        yield (
            "scattered",
            "All the right numbers, but in the wrong places.",
        )


def _permutation(right: np.ndarray, got: np.ndarray) -> bool:
    """Whether the slices of one tensor are those of the other in another order."""
    free = list(range(len(right)))
    for part in got:
        place = next((number for number in free if equal(right[number], part)), None)
        if place is None:
            return False
        free.remove(place)
    return True


def _of_scale(case: Case, a: np.ndarray, b: np.ndarray) -> Iterator[tuple[str, str]]:
    """Lines that only lack a division, by their sum or by their length; a factor with a name tells more."""
    factor = _median((b / a)[np.abs(a) > 1e-6]) if (np.abs(a) > 1e-6).any() else 1.0
    if explained(a, b, a * factor) and any(names(case, factor)):
        return
    for axis in range(-a.ndim, 0):
        total, length = b.sum(axis, keepdims=True), np.sqrt(np.square(b).sum(axis, keepdims=True))
        if axis in _sum_to_one(a) and (total > 0).all() and near(a, b / total):
            yield (
                f"undivided {axis}",
                f"Each line along axis {axis} still has to be divided by its sum.",
            )
        of_length_1 = a.shape[axis] > 1 and near(ONE, np.square(a).sum(axis))
        if of_length_1 and near(a, b / length):
            yield (
                f"length {axis}",
                f"Each line along axis {axis} still has to be divided by its length.",
            )


def _of_softmax(a: np.ndarray, b: np.ndarray) -> Iterator[tuple[str, str]]:
    """A softmax too many, or one too few."""
    if distinct(a) < ENOUGH or not np.isfinite(a).all():
        return
    for axis in range(-a.ndim, 0):
        if a.shape[axis] < 2:
            continue
        for word, of in (("softmax", _softmax), ("log_softmax", _log_softmax)):
            if explained(a, b, of(a, axis)):
                yield f"{word} {axis}", f"These numbers are the {word} of the right ones along axis {axis}."
        if near(a, _softmax(b, axis)) and not near(a, np.exp(b)):
            yield (
                f"no softmax {axis}",
                f"A softmax along axis {axis} is still missing.",
            )


def _of_values(case: Case, a: np.ndarray, b: np.ndarray) -> Iterator[tuple[str, str]]:
    """The same thing done to every number."""
    finite = np.isfinite(a)
    a, b, rows_a, rows_b = a[finite], b[finite], a, b
    several = a.size >= ENOUGH and distinct(a) >= ENOUGH
    if a.size == 0:
        return
    if several and explained(a, b, -a):
        yield "sign", "Every number has the wrong sign."
        return
    telling = np.abs(a) > 1e-6
    few = a.size < ENOUGH  # which still say which named factor or whole excess it is, as one number does
    if telling.any() and (several or few) and bool((np.abs(b[~telling]) < 1e-5).all()):
        factor = _median(b[telling] / a[telling])
        if abs(factor) > 1e-6 and explained(a, b, a * factor):
            yield from ((f"factor {text}", f"Every number is {text}.") for text in names(case, factor))
            if several:
                yield "factor", "Every number is the right one times the same factor."
    if (several or few) and explained(a, b, a + _median(b - a)):
        offset = _median(b - a)
        if abs(offset - round(offset)) < 1e-6 and 0 < abs(offset) <= SMALL:
            yield (
                f"offset {offset:+.0f}",
                f"Every number is {abs(offset):.0f} too {'large' if offset > 0 else 'small'}.",
            )
        elif several:
            yield "offset", "Every number is off by the same amount."
    if several:
        for word, change, sentence in CHANGES:
            if np.isfinite(changed := change(a)).all() and explained(a, b, changed):
                yield word, sentence
        yield from _of_rows(rows_a, rows_b)


CHANGES: tuple[tuple[str, Callable[[np.ndarray], np.ndarray], str], ...] = (
    ("logarithm", np.log, "Every number is the logarithm of the right one."),
    ("exponential", np.exp, "Every number is e to the power of the right one."),
    ("square", np.square, "Every number is the square of the right one."),
    ("root", np.sqrt, "Every number is the square root of the right one."),
    ("reciprocal", np.reciprocal, "Every number is 1 divided by the right one."),
    ("complement", lambda a: 1 - a, "Every number is 1 minus the right one."),
)


def _of_rows(a: np.ndarray, b: np.ndarray) -> Iterator[tuple[str, str]]:
    """A factor for each row, which divisions by another sum leave."""
    for axis in (-1, -2):
        if (
            a.ndim < -axis
            or a.shape[axis] < ENOUGH
            or not np.isfinite(a).all()
            or not (np.abs(a) > 1e-9).any()
        ):
            continue
        weight = np.square(a).sum(axis, keepdims=True)
        factor = (a * b).sum(axis, keepdims=True) / np.maximum(weight, 1e-30)
        if factor.size > 1 and (np.abs(factor) > 1e-6).all() and explained(a, b, a * factor):
            yield (
                f"factor along {axis}",
                f"Each line along axis {axis} is off by a factor of its own.",
            )
        if factor.size > 1 and explained(a, b, a + (b - a).mean(axis, keepdims=True)):
            yield (
                f"offset along {axis}",
                f"Each line along axis {axis} is off by a number of its own.",
            )


def _of_inputs(case: Case, a: np.ndarray, b: np.ndarray) -> Iterator[tuple[str, str]]:
    """An input that is missing in the right numbers, or in them once too often."""
    for name, given in case.inputs():
        if given.dtype.kind != "f" or given.shape != a.shape or distinct(given) < ENOUGH:
            continue
        x = double(given)
        for word, changed, sentence in (
            (
                "without",
                a - x,
                f"Every number is the right one minus {name}: {name} isn't added.",
            ),
            (
                "plus",
                a + x,
                f"Every number is the right one plus {name}: {name} is added too often.",
            ),
            ("times", a * x, f"Every number is the right one times {name}."),
        ):
            if np.isfinite(changed).all() and explained(a, b, changed):
                yield f"{word} {name}", sentence


def _of_places(case: Case, right: np.ndarray, got: np.ndarray) -> Iterator[tuple[str, str]]:
    """Right in all places but some that have something in common; the fewest of those first."""
    if right.ndim == 0 or right.size < ENOUGH:
        return
    wrong = ~close(right, got)
    if wrong.all() or (right.dtype.kind == "f" and _of_few_kinds(right, got[wrong])):
        return
    found = []
    for word, sentence, places in _places(case, right, wrong):
        if not (wrong & ~places).any() and _differ(right[~places]):
            found.append((int(places.sum()), word, sentence))
    yield from ((word, sentence) for _, word, sentence in sorted(found))


def _of_few_kinds(right: np.ndarray, wrong: np.ndarray) -> bool:
    """Whether wrong numbers are among a few that come again and again: so many are right by chance.

    A norm of two features, for one, leaves each with one of two numbers, or nearly.
    """
    ordered = np.sort(right[(right != 0) & np.isfinite(right)])
    gap = (ordered[-1:] - ordered[:1]) / 1000  # less is the same again, whatever eps has done to it
    few = 2 * int((np.diff(ordered) > gap).sum()) < len(ordered)
    return few and bool((np.abs(wrong[:, None] - ordered) <= gap).any(axis=1).all())


def _differ(right: np.ndarray) -> bool:
    """Whether numbers tell that an answer is right there: what is 0 everywhere, anything may leave at 0."""
    return distinct(right) > (1 if right.dtype == bool else 2)


def _places(case: Case, right: np.ndarray, wrong: np.ndarray) -> Iterator[tuple[str, str, np.ndarray]]:
    """Sets of places in a tensor, with what to say where all others are right."""
    for name, given in case.inputs():
        if given.dtype == bool and given.ndim:
            with contextlib.suppress(ValueError):  # it is of another shape
                for value in (True, False):
                    places = np.broadcast_to(given == value, right.shape)
                    yield f"{name} {value}", f"Right, except where {name} is {value}.", places
    for axis in range(-right.ndim, 0):
        size = right.shape[axis]
        index = np.broadcast_to(np.arange(size).reshape([size] + [1] * (-axis - 1)), right.shape)
        others = tuple(other for other in range(-right.ndim, 0) if other != axis)
        spoiled: np.ndarray = np.asarray(wrong.any(axis=others))
        if size > 2:
            yield f"first {axis}", f"Right, except at the first position of axis {axis}.", index == 0
            yield f"last {axis}", f"Right, except at the last position of axis {axis}.", index == size - 1
        if size > 2 and spoiled[1:].all():
            yield f"but first {axis}", f"Right only at the first position of axis {axis}.", index > 0
        if size > 3 and spoiled[2:].all():
            yield f"but two {axis}", f"Right only at the first two positions of axis {axis}.", index > 1
    if right.ndim > 1 and right.shape[-1] == right.shape[-2] > 2:
        ones = np.ones(right.shape, dtype=bool)
        yield "diagonal", "Right, except on the diagonal.", np.tril(ones) & np.triu(ones)
        yield "above", "Right, except above the diagonal.", np.triu(ones, 1)
        yield "below", "Right, except below the diagonal.", np.tril(ones, -1)


def _of_sums(a: np.ndarray, b: np.ndarray) -> Iterator[tuple[str, str]]:
    """Lines that should sum to 1 and don't, or along another axis; and lines that should differ."""
    ours, theirs = _sum_to_one(a), _sum_to_one(b)
    if len(ours) == 1 and not set(ours) & set(theirs):
        if len(theirs) == 1:
            yield (
                f"sums {theirs[0]}",
                f"These numbers sum to 1 along axis {theirs[0]}; the right ones do along axis {ours[0]}.",
            )
        elif not within(b.sum(ours[0]), ONE, 1e-5, 1e-4).any():
            yield "sums", f"The right numbers sum to 1 along axis {ours[0]}; these don't."
    for axis in range(-a.ndim, 0):
        if distinct(b) >= ENOUGH and _alike(b, axis) and not _alike(a, axis):
            yield (
                f"alike {axis}",
                f"All positions along axis {axis} have the same numbers; they should differ.",
            )


def _alike(values: np.ndarray, axis: int) -> bool:
    """Whether all along an axis the numbers are those at its first position."""
    return bool(close(np.broadcast_to(cut(values, axis, 0, 1), values.shape), values).all())


def _sum_to_one(values: np.ndarray) -> list[int]:
    """The axes along which numbers of 0 or more sum to 1 everywhere."""
    if not np.isfinite(values).all() or (values < -1e-6).any():
        return []
    axes = [axis for axis in range(-values.ndim, 0) if values.shape[axis] > 1]
    return [axis for axis in axes if near(ONE, values.sum(axis))]


def _median(values: np.ndarray) -> float:
    """The lower of the two in the middle, so that it is one of the numbers."""
    return (
        float("nan") if np.isnan(values).any() else float(np.sort(values, axis=None)[(values.size - 1) // 2])
    )


def _softmax(values: np.ndarray, axis: int) -> np.ndarray:
    parts = np.exp(values - values.max(axis, keepdims=True))
    return parts / parts.sum(axis, keepdims=True)


def _log_softmax(values: np.ndarray, axis: int) -> np.ndarray:
    shifted = values - values.max(axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))


def _of_zeros(right: np.ndarray, got: np.ndarray) -> Iterator[tuple[str, str]]:
    """Right but for what is 0, and what should be."""
    alike, ours, theirs = close(right, got), right != 0, got != 0
    telling = (alike & ours).sum()
    if telling >= ENOUGH and 2 * telling >= ours.sum() and (alike | ~ours | ~theirs).all():
        more, fewer = (ours & ~theirs).any(), (theirs & ~ours).any()
        one_way = "some are 0 that shouldn't be" if more else "some aren't 0 that should be"
        wrong = "the zeros are in the wrong places" if more and fewer else one_way
        yield "zeros", f"The right numbers, except that {wrong}."

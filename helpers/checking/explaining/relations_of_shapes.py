"""What is true of numbers in another shape: they are right, or some of them are, or a size is another's."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from helpers.checking.calling.outcome import Case
from helpers.checking.explaining.closeness import ENDS, ENOUGH, MAX_AXES, MULTIPLES, close, distinct, equal
from helpers.checking.kinds.arrays import double


def of_shapes(case: Case, right: np.ndarray, got: np.ndarray) -> Iterator[tuple[str, str]]:
    """The right numbers in another shape, or some of them, or what another size is the size of."""
    yield from _of_numbers_in_another_shape(right, got)
    yield from _of_axes(right, got)
    if got.ndim == 1 and ENOUGH <= got.size < right.size and _in_order(right.flatten(), got):
        yield "gaps", "Some of the right numbers are missing, and the rest have moved up."
    if right.ndim == got.ndim and sorted(right.shape) != sorted(got.shape):
        differing = [axis for axis in range(-right.ndim, 0) if right.shape[axis] != got.shape[axis]]
        for axis in differing if len(differing) == 1 else ():
            yield from _of_length(axis, right, got)
            for theirs, ours in itertools.product(
                _sizes(case, got.shape[axis]), _sizes(case, right.shape[axis])
            ):
                yield (
                    f"size {axis} {theirs} {ours}",
                    f"Axis {axis} has the size of {theirs}; it should have the size of {ours}.",
                )


def _of_length(axis: int, right: np.ndarray, got: np.ndarray) -> Iterator[tuple[str, str]]:
    """An axis that is too long or too short, with the right numbers as far as it goes."""
    excess = got.shape[axis] - right.shape[axis]
    size = min(got.shape[axis], right.shape[axis])
    for missing, beyond, of in (
        ("end", "after", lambda n: 0),
        ("beginning", "before", lambda n: n - size),
    ):
        ours, theirs = (cut(t, axis, of(t.shape[axis]), size) for t in (right, got))
        if distinct(ours) >= ENOUGH and equal(ours, theirs):
            yield (
                f"{missing} of {axis}",
                f"The right numbers, and more {beyond} them along axis {axis}."
                if excess > 0
                else f"The right numbers, but the {missing} of axis {axis} is missing.",
            )
    times, rest = divmod(got.shape[axis], max(right.shape[axis], 1))
    if right.shape[axis] > 1 and rest == 0 and 1 < times <= MULTIPLES:
        yield f"times {axis} {times}", f"Axis {axis} is {times} times as long as it should be."
    if abs(excess) == 1:
        yield f"length {axis}", f"Axis {axis} is 1 too {'long' if excess > 0 else 'short'}."


def _of_axes(right: np.ndarray, got: np.ndarray) -> Iterator[tuple[str, str]]:
    """One axis too many, with the right numbers at one of its ends, in its sum or mean; or one too few."""
    enough = 2 if right.dtype.kind == "f" else ENOUGH  # two fractions are hardly the same by chance
    if abs(right.ndim - got.ndim) != 1 or min(distinct(right), distinct(got)) < enough:
        return
    many, few = (got, right) if got.ndim > right.ndim else (right, got)
    for axis in range(-many.ndim, 0):
        if many.shape[axis] < 2:
            continue
        for word, what, part in (
            *((where, f"{where} position of axis {axis}", many.take(at, axis)) for where, at in ENDS),
            ("sum", f"sum over axis {axis}", double(many).sum(axis)),
            ("mean", f"mean over axis {axis}", double(many).mean(axis)),
        ):
            if equal(few, part):
                yield (
                    f"{word} {axis} {many is got}",
                    f"There is one axis too many: the {what} gives the right numbers."
                    if many is got
                    else f"One axis is missing: this is the {what} of the right numbers.",
                )


def _in_order(right: np.ndarray, got: np.ndarray) -> bool:
    """Whether all numbers of one tensor are in another, in the same order."""
    places = iter(right)
    return all(any(bool(close(number, place)) for place in places) for number in got)


def _sizes(case: Case, size: int) -> Iterator[str]:
    """What of the arguments is so large. Many things are 1, so a size of 1 tells nothing."""
    if size < 2:
        return
    for name, value in case.arguments():
        if isinstance(value, int) and not isinstance(value, bool) and value == size:
            yield name
    for name, given in case.inputs():
        yield from (f"axis {axis} of {name}" for axis in range(-given.ndim, 0) if given.shape[axis] == size)


def _of_numbers_in_another_shape(right: np.ndarray, got: np.ndarray) -> Iterator[tuple[str, str]]:
    if right.size != got.size or right.size < ENOUGH:
        return
    if right.ndim == got.ndim <= MAX_AXES:
        for order in itertools.permutations(range(got.ndim)):
            if got.transpose(order).shape == right.shape and equal(right, got.transpose(order)):
                moved = [axis - got.ndim for axis, old in enumerate(order) if axis != old]
                yield "axes", f"The right numbers, with axes {_listed(moved)} in a different order."
                return
    if equal(right, got.reshape(right.shape)):
        yield "reshaped", "The right numbers in the right order, in another shape."


def cut(values: np.ndarray, axis: int, start: int, size: int) -> np.ndarray:
    """So many positions of an axis, counted from its end, from a start on."""
    index: Any = (..., slice(start, start + size), *[slice(None)] * (-axis - 1))
    return values[index]


def _listed(axes: list[int]) -> str:
    return f"{', '.join(map(str, axes[:-1]))} and {axes[-1]}"

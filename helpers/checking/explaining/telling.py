"""How much a wrong value tells: a mistake is known by its results only where chance can't give the same."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from helpers.checking.calling.values import Record
from helpers.checking.comparing import compare
from helpers.checking.explaining.closeness import ENOUGH, close
from helpers.checking.explaining.sketches import WHOLE, Seen, found_in
from helpers.checking.kinds import frames
from helpers.checking.kinds.arrays import Array, is_array, numbers

SMALL = 20  # whole numbers below this may be right or wrong by chance
SHORT = 3  # characters: so may texts
DIGITS = 5  # by which numbers differ
MANY = 2 * ENOUGH  # numbers that a second mistake doesn't give, too
LEAST = 2  # wrong values in which a mistake has to show, where it doesn't explain all

Pairs = Sequence[tuple[Any, Any]]  # right values, each with the one that was returned
Known = TypeVar("Known")


def in_part(
    seen: Sequence[Seen],
    values: Mapping[int, Pairs],
    mistakes: Iterable[tuple[Known, Sequence[str]]],
    slips: Iterable[tuple[Known, Sequence[str]]],
) -> tuple[Known, list[tuple[int, int]], bool] | None:
    """The mistake that shows in more wrong cases than any other, where none explains them all.

    Args:
        seen: sketches of an answer's outcomes, case by case.
        values: of the wrong cases that returned something, what was right and what came back.
        mistakes: those that people are known to make, each with the texts of what it gives.
        slips: the same of small changes. There are hundreds, and with a second mistake around, one of them
            fits a case or two by chance: it has to show in most of the wrong ones.

    Returns:
        What is known of it; where it shows, as cases and places among their values; and whether that is most
        of the wrong cases and two thirds of the numbers that tell. A different mistake can give the same in
        small cases, so it is None if most of what tells is elsewhere, if two are as likely, or if the values
        tell too little.
    """
    found: list[tuple[int, bool, Known, list[tuple[int, int]]]] = []
    known = [*((False, *each) for each in mistakes), *((True, *each) for each in slips)]
    for is_slip, each, texts in known:
        for text in texts:
            where = [(case, place) for case, place in found_in(seen, text) if case in values]
            if len(where) >= LEAST and tells(values[case][place] for case, place in where):
                found.append((len({case for case, _ in where}), is_slip, each, where))
    most = max((cases for cases, *_ in found), default=0)
    likely = [each for each in found if each[0] == most]
    # A small change that shows nowhere else is the same mistake: its name says more.
    named = [{*where} for _, is_slip, _, where in likely if not is_slip]
    likely = [each for each in likely if not (each[1] and any({*each[3]} <= where for where in named))]
    if not likely or any(each is not likely[0][2] for _, _, each, _ in likely):
        return None
    _, is_slip, each, where = likely[0]
    telling = {case: len(_telling_of(pairs)) for case, pairs in values.items()}
    here, all_of_it = sum(telling[case] for case in {case for case, _ in where}), sum(telling.values())
    sure = 2 * most > sum(1 for each in seen if each) and 3 * here >= 2 * all_of_it
    return (each, where, sure) if sure or (2 * here > all_of_it and not is_slip) else None


def tells(pairs: Iterable[tuple[Any, Any]]) -> bool:
    """Whether wrong values are more than a constant, a count, NaN, 0, a boolean or a single number.

    Args:
        pairs: right values, each with the one that was returned.
    """
    return len(_telling_of(pairs)) >= ENOUGH


def tells_much(pairs: Iterable[tuple[Any, Any]]) -> bool:
    """Whether wrong values are so many numbers with a fraction that different mistakes hardly give them.

    Two mistakes in counting easily come to the same count, in all cases of a sheet.

    Args:
        pairs: right values, each with the one that was returned.
    """
    floats = [each for each in _telling_of(pairs) if isinstance(each, float) and math.isfinite(each)]
    return sum(not each.is_integer() for each in floats) >= MANY


def is_constant(outputs: Iterable[Any]) -> bool:
    """Whether several calls all returned the same number or boolean; of arrays, in all their places."""
    several = [numbers(each).reshape(-1).tolist() if is_array(each) else [each] for each in outputs]
    found = [each for part in several for each in part]
    plain = all(isinstance(each, int | float) for each in found)
    return len(several) > 1 and plain and len(set(map(repr, found))) == 1


def _telling_of(pairs: Iterable[tuple[Any, Any]]) -> set[object]:
    return {each for right, got in pairs for each in _telling(right, got)}


def _telling(right: Any, got: Any) -> set[object]:
    """What of a wrong value chance hardly gives: numbers with a fraction, large ones, and texts."""
    if isinstance(got, Mapping):
        right = right if isinstance(right, Mapping) else {}
        return {each for key, value in got.items() for each in _telling(right.get(key), value)}
    if isinstance(got, Record):
        return _telling(right.fields if isinstance(right, Record) else {}, got.fields)
    if frames.is_frame(got):
        return {each for column in frames.parts(got) for each in _telling(None, column)}
    if is_array(got):
        return _of_array(right, got)
    if isinstance(got, list | tuple):
        if all(type(each) is int for each in got):
            same_length = isinstance(right, Sequence) and len(right) == len(got)
            wrong = [g for r, g in zip(right, got, strict=True) if r != g] if same_length else got
            return _of_numbers(wrong) if compare(right, got) else set()
        beside = right if isinstance(right, Sequence) and len(right) == len(got) else [None] * len(got)
        return {each for pair in zip(beside, got, strict=True) for each in _telling(*pair)}
    if not isinstance(got, str | int | float) or compare(right, got) is None:
        return set()
    return _of_numbers([got]) if not isinstance(got, str) else {got} if len(got) >= SHORT else set()


def _of_array(right: Any, got: Array) -> set[object]:
    found = numbers(got)
    if is_array(right) and tuple(right.shape) == tuple(got.shape):
        found = found[~close(right, got)]
    if found.dtype.kind not in "iuf":
        return set() if found.dtype.kind == "b" else {str(each) for each in found.reshape(-1).tolist()}
    return _of_numbers(found.reshape(-1).tolist())


def _of_numbers(numbers: Sequence[float]) -> set[object]:
    """Those that tell by themselves, or small whole ones if there are many."""
    finite = [each for each in numbers if not isinstance(each, bool) and math.isfinite(each)]
    finite = [each if abs(each) > WHOLE else 0 for each in finite]  # no sketch tells less from 0
    rich = {float(f"{each:.{DIGITS}g}") for each in finite if each != round(each) or abs(each) >= SMALL}
    small = {each for each in finite if float(each) not in rich}
    return {*rich, *(small if len(small) > ENOUGH else ())}

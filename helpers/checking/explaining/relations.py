"""What is true of wrong numbers: how they relate to the right ones.

When no known mistake gives an answer's numbers, what can be said of them still helps: the input came back, a
factor is missing, two axes are swapped. Each relation is computed, and said only where it holds in every case
that is wrong, so it is true of the numbers, whatever led to them.
"""

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from helpers.checking.calling.outcome import CallStatus, Case, Outcome
from helpers.checking.calling.values import arrays, record
from helpers.checking.comparing import compare
from helpers.checking.comparing_frames import MOVED
from helpers.checking.explaining.closeness import MULTIPLES, SMALL
from helpers.checking.explaining.relations_of_numbers import of_numbers
from helpers.checking.kinds import frames
from helpers.checking.kinds.arrays import is_array
from helpers.checking.words import is_number

PLACES = ("Right, ", "Right only ")  # how what is said of places begins
EVERY, EVERY_WRONG = "Every number ", "Every wrong number "
COUNT = "count "  # how the word of what a count is off by begins


def relation(
    wrong: Sequence[tuple[Case, Outcome, Outcome]],
    returns: Sequence[str] = (),
    *,
    sums: bool = True,
    others: bool = False,
) -> str:
    """What holds in every wrong case, as a sentence; "" where nothing does.

    Args:
        wrong: the cases that are wrong, each with its right outcome and the answer's.
        returns: what to call returned values, where there are several.
        sums: whether to say that lines don't sum to 1, which may have been said.
        others: whether there are cases that are right.
    """
    if not wrong or any(outcome.status != CallStatus.RETURNED for _, _, outcome in wrong):
        return ""
    common: dict[str, str] | None = None
    for case, expected, outcome in wrong:
        found = dict(_relations(case, expected.outputs, outcome.outputs, returns))
        common = found if common is None else {w: s for w, s in common.items() if found.get(w) == s}
        if not common:
            return ""
    counts = [w for w in common or {} if w.startswith(COUNT)]
    if len(wrong) == 1 and len(counts) > 1:  # a single count is off by some product of sizes by chance
        common = {w: s for w, s in (common or {}).items() if w not in counts}
    if len(wrong) == 1:
        common = _without_chance(common or {})
    said = next((s for w, s in (common or {}).items() if sums or "sums" not in w), "")
    if said.startswith(EVERY) and any(
        (others and is_number(outcome.outputs)) or _is_right_in_part(expected.outputs, outcome.outputs)
        for _, expected, outcome in wrong
    ):
        said = said.replace(EVERY, EVERY_WRONG)
    return _without_axes(
        said, {axes for _, expected, _ in wrong for axes in _axes(said, expected.outputs, returns)}
    )


def _is_right_in_part(right: Any, got: Any) -> bool:
    """Whether one of several values is right, or of a record's fields, or of a frame's columns."""
    ours, theirs = record(right), record(got)
    if ours and theirs:
        right, got = ours.fields, theirs.fields
    if frames.is_frame(right) and frames.is_frame(got):
        right, got = ([frames.values(each) for each in frames.series(value)] for value in (right, got))
    if isinstance(right, Mapping) and isinstance(got, Mapping):
        return any(compare(right[key], got[key]) is None for key in right.keys() & got.keys())
    both = isinstance(right, list | tuple) and isinstance(got, list | tuple) and len(right) == len(got)
    return both and any(compare(*pair) is None for pair in zip(right, got, strict=True))


def _axes(said: str, right: Any, names: Sequence[str]) -> Iterator[int]:
    """How many axes the arrays have that a sentence is about: those of the value that it names, or all."""
    if isinstance(right, Mapping):
        right, names = list(right.values()), [str(key) for key in right]
    if isinstance(right, list | tuple) and len(right) == len(names):
        named = [value for value, name in zip(right, names, strict=True) if said.startswith(f"In `{name}`:")]
        right = named or right
    yield from (len(each.shape) for each in arrays(right))


def _without_axes(said: str, axes: set[int]) -> str:
    """A sentence in words for rows and columns, where all arrays are tables; of rows, without their axis."""
    if "hat came back is" in said:
        return said  # these are the axes of an input
    if axes == {1}:
        return re.sub(r"(positions?) of axis -1\.", r"\1.", said)
    if axes != {2}:
        return said
    for axis, one in (("-1", "column"), ("-2", "row")):
        for which in ("first", "last"):
            said = said.replace(f"at the {which} position of axis {axis}.", f"in the {which} {one}.")
        said = said.replace(f"at the first two positions of axis {axis}.", f"in the first two {one}s.")
        said = said.replace(f"All positions along axis {axis} have", f"All {one}s have")
    return said.replace("ach line along axis -1", "ach row").replace("ach line along axis -2", "ach column")


def _without_chance(found: dict[str, str]) -> dict[str, str]:
    """Of one case, without what a single number gives by chance.

    It may be off by two of a size, a root and n - 1, since 3 is the root of 9, too; and 1 is half of 2, and 1
    less.
    """
    if {"factor ", "offset "} <= {word[:7] for word in found}:
        found = {word: said for word, said in found.items() if word[:7] not in ("factor ", "offset ")}
    of_sizes = [word for word in found if "factor the right one" in word]
    forms = {("square root" in word, "n − 1" in word) for word in of_sizes}
    return {w: s for w, s in found.items() if w not in of_sizes} if len(forms) > 1 else found


def _relations(case: Case, right: Any, got: Any, names: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
    """Words and sentences of what holds in one case, the most telling first."""
    ours, theirs = record(right), record(got)
    if ours and theirs and ours.type_name == theirs.type_name and ours.fields.keys() == theirs.fields.keys():
        values = list(ours.fields.values()), [theirs.fields[name] for name in ours.fields]
        yield from _of_several(case, *values, list(ours.fields))
        return
    if isinstance(right, list | tuple):
        if isinstance(got, list | tuple):
            yield from (
                _of_several(case, right, got, names) if len(got) == len(right) else _of_lengths(right, got)
            )
        elif len(right) > 1 and not is_array(got):
            yield from _of_one_too_few(right, got)
        return
    if isinstance(got, list | tuple):
        yield from _of_one_too_many(right, got)
        return
    if isinstance(right, Mapping):
        if isinstance(got, Mapping) and set(got) == set(right):
            values = list(right.values()), [got[key] for key in right]
            yield from _of_several(case, *values, [str(key) for key in right], first=True)
        return
    if isinstance(right, str) and isinstance(got, str):
        yield from _of_texts(case, right, got)
    if isinstance(right, bool | str | None) or isinstance(got, bool | str | None):
        return
    if isinstance(right, int) and isinstance(got, int):
        yield from _of_counts(case, got - right)
    if frames.is_frame(right) and frames.is_frame(got):
        yield from _of_frames(case, right, got)
    right, got = _single(right), _single(got)
    if is_number(right) and is_number(got):
        yield from of_numbers(case, right, got)
    elif is_array(right) or is_array(got):
        from helpers.checking.explaining.relations_of_arrays import of_arrays  # which needs NumPy

        if all(is_number(each) or is_array(each) for each in (right, got)):
            yield from of_arrays(case, right, got)


def _single(value: Any) -> Any:
    """An array without axes as its number; anything else as it is."""
    return value.item() if is_array(value) and not len(value.shape) else value


def _of_frames(case: Case, right: Any, got: Any) -> Iterator[tuple[str, str]]:
    """Of the columns of two frames that are alike but for their values."""
    if (difference := compare(right, got)) and difference.meaning == MOVED:
        return  # which says more
    if frames.columns(right) == frames.columns(got) and len(right) == len(got):
        names = [f"column {name!r}" for name in frames.columns(right)]
        ours, theirs = ([frames.values(each) for each in frames.series(value)] for value in (right, got))
        yield from _of_several(case, ours, theirs, names)


def _of_one_too_few(right: Sequence, got: Any) -> Iterator[tuple[str, str]]:
    """Of one value where several are expected: which of them it is."""
    first, last = (compare(right[at], got) is None for at in (0, -1))
    if first != last:
        why = (
            "does a `return` end the loop too early"
            if first
            else "does each one take the place of that before"
        )
        yield "first" if first else "last", f"This is the {'first' if first else 'last'} value alone: {why}?"


def _of_one_too_many(right: Any, got: Sequence) -> Iterator[tuple[str, str]]:
    """Of several values where one is expected: the one that is right, or their sum, where that is."""
    places = [n for n, value in enumerate(got[:SMALL]) if compare(right, value) is None]
    if len(got) > 1 and len(places) == 1:
        yield f"alone {places[0]}", f"The value at place [{places[0]}] of these is right: return it alone."
    numbers = [_single(value) for value in got[:SMALL]]
    if len(got) == len(numbers) > 1 and all(map(is_number, numbers)) and compare(right, sum(numbers)) is None:
        yield "sum", "The sum of these is right: return that alone."


def _of_lengths(right: Sequence, got: Sequence) -> Iterator[tuple[str, str]]:
    """Of lists of different lengths: the right values, with some missing or too many at an end."""
    common = min(len(right), len(got))
    if common < 2:
        return  # so few are alike by chance
    begin = all(compare(*pair) is None for pair in zip(right, got, strict=False))
    end = all(compare(*pair) is None for pair in zip(right[-common:], got[-common:], strict=True))
    for there, where, beyond in ((begin, "end", "after"), (end, "beginning", "before")):
        if there and len(got) < len(right):
            yield f"no {where}", f"The right values, with some missing at the {where}."
        elif there:
            yield f"more {where}", f"The right values, and more {beyond} them."


def _of_texts(case: Case, right: str, got: str) -> Iterator[tuple[str, str]]:
    for name, value in case.arguments():
        if isinstance(value, str) and value == got != right:
            yield name, f"What came back is {name}, unchanged."
    if 0 < len(got) < len(right):
        if right.startswith(got):
            yield "no end", "The right text, with its end missing."
        if right.endswith(got):
            yield "no beginning", "The right text, with its beginning missing."
    if len(got) > len(right) > 0 and got.startswith(right):
        yield "more behind", "The right text, with more after it."
    if got != right and got.replace(" ", "") == right.replace(" ", ""):
        yield "spaces", "The right letters, with spaces in other places."


def _of_counts(case: Case, excess: int) -> Iterator[tuple[str, str]]:
    """What a count is off by, as a product of arguments; the simplest first."""
    sizes = [(n, v) for n, v in case.arguments() if isinstance(v, int) and not isinstance(v, bool) and v > 1]
    for degree in range(1, 4):
        for factors in itertools.combinations_with_replacement(sizes, degree):
            times, rest = divmod(abs(excess), math.prod(value for _, value in factors))
            if rest == 0 and 0 < times <= MULTIPLES:
                names = [name for name, _ in factors]
                powers = [name + ("", "²", "³")[names.count(name) - 1] for name in dict.fromkeys(names)]
                what = " · ".join([str(times)] * (times > 1) + powers)
                yield f"{COUNT}{what}", f"Too {'large' if excess > 0 else 'small'} by {what}."


def _of_several(
    case: Case, right: Sequence, got: Sequence, names: Sequence[str], *, first: bool = False
) -> Iterator[tuple[str, str]]:
    """Of several values: another order, what holds of all that are wrong, or of the last of them that tells.

    Of the last, since those before may be made of it; of the first, which is shown, where each has a key.
    """
    if len(right) == 2 and compare(list(right), [got[1], got[0]]) is None:
        yield "swapped", "The right values, in the other order."
    elif len(right) > 2 and compare(list(right), list(got)[::-1]) is None:
        yield "turned", "The right values, in reverse order."
    wrong = [number for number, pair in enumerate(zip(right, got, strict=True)) if compare(*pair)]
    if (
        len(right) > 2
        and 1 < len(wrong) <= SMALL
        and (place := _place_of_another(right, got, wrong)) is not None
    ):
        where = f" of `{names[wrong[0]]}` and `{names[place]}`" if len(names) == len(right) else ""
        yield "exchanged", f"The right values, but in each other's places: compare those{where}."
        yield "exchanged anyhow", "The right values, but in each other's places."
    if len(wrong) == 1 and len(right) > 1:
        yield from _relations(case, right[wrong[0]], got[wrong[0]])
    elif wrong:
        each = [dict(_relations(case, right[number], got[number])) for number in wrong]
        yield from ((w, s) for w, s in each[0].items() if all(other.get(w) == s for other in each[1:]))
        for number, found in list(zip(wrong, each, strict=True))[:: 1 if first else -1]:
            if len(names) == len(right):  # else the name is that of them all
                # Where one value is made of another, its places say nothing of the mistake.
                made = not first and number != wrong[-1]
                yield from (
                    (f"{number} {w}", f"In `{names[number]}`: {s[0].lower()}{s[1:]}")
                    for w, s in found.items()
                    if not (made and s.startswith(PLACES))
                )


def _place_of_another(right: Sequence, got: Sequence, wrong: Sequence[int]) -> int | None:
    """Where the first wrong value belongs, if each of them is right in the place of another."""
    free, places = list(wrong), []
    for number in wrong:
        place = next((other for other in free if compare(right[other], got[number]) is None), None)
        if place is None:
            return None
        free.remove(place)
        places.append(place)
    return places[0]

"""Outcomes as a few characters each: enough to see that two are the same, too little to read one from.

`checks.json` keeps what known misconceptions, and thousands of small slips, give on an exercise's cases. As
numbers that would be megabytes. A sketch is a hash of the outcome's form (types, shapes, texts, whole
numbers) and one sum of all its fractional numbers, each weighted by its position. Two outcomes that differ by
more than rounding have the same sum a few times in a hundred thousand, and a mistake is known by its sketches
on all cases.
"""

import math
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from helpers.checking.calling.outcome import AS_GIVEN, CallStatus, Case, Outcome
from helpers.checking.calling.values import Record, arrays
from helpers.checking.kinds import frames
from helpers.checking.kinds.arrays import (
    HALVES,
    Array,
    double,
    dtype_name,
    is_array,
    is_floating,
    is_tensor,
    numbers,
)

RIGHT = "="  # in the place of the sketch of a case that is right
# How far rounding may move a sum: by a part of the root of its parts' squares, since errors have either sign,
# and a little besides, where large numbers have cancelled before.
ROUNDING, NOUGHT = 2e-5, 3e-7
EXACT, EXACT_NOUGHT = 1e-9, 1e-11  # where float64 is asked for
HALF = 5e-3  # where an outcome has 16 bits
GRADIENTS = 1e-4  # of gradients, which are sums of what cancels
WHOLE = 1e-6  # so near a whole number, a plain number is one
NAN, INFINITE = 0.6180, 1.4142  # what stands for them in a sum
HUGE = 1e100  # more is as much: its square must be a number too
FORM = 6  # characters of a hash


@dataclass(frozen=True)
class Sketch:
    """An outcome in short.

    Attributes:
        form: a hash of all that is exact.
        total: the weighted sum of its fractional numbers.
        allowed: how far rounding may move that sum; 0 where there are none.
        message: a hash of what an exception says, but for the numbers in it.
    """

    form: str
    total: float = 0.0
    allowed: float = 0.0
    message: str = ""

    def __str__(self) -> str:
        if self.message:
            return f"{self.form}!{self.message}"
        if not self.allowed:
            return self.form
        digits = math.ceil(math.log10(max(1, abs(self.total) / self.allowed))) + 2
        return f"{self.form}{self.total:+.{digits}g}"

    def same(self, text: str) -> bool:
        """Whether this outcome is the one that a text stands for."""
        form, rest = text[:FORM], text[FORM:]
        if form != self.form or rest.startswith("!"):
            return form == self.form and rest[1:] == self.message
        return abs(float(rest or 0) - self.total) <= self.allowed


def sketch(outcome: Outcome, *, exact: bool = False) -> Sketch:
    """What an outcome returned, in short, or the exception that it raised.

    Args:
        outcome: the outcome.
        exact: whether float32 rounds too much to tell it from others.
    """
    if outcome.status != CallStatus.RETURNED:
        said = _hash([re.sub(r"\d+", "#", outcome.message)]) if outcome.status == CallStatus.RAISED else ""
        return Sketch(_hash([outcome.status, outcome.error]), message=said)
    rounding = HALF if _is_half(outcome.outputs) else EXACT if exact else ROUNDING
    return _of_value(outcome.outputs, rounding, EXACT_NOUGHT if exact else NOUGHT)


def sketch_beside(case: Case, outcome: Outcome) -> Sketch:
    """What a call left behind besides what it returned, in short: its inputs, and their gradients."""
    after = case.given if outcome.inputs_after == AS_GIVEN else outcome.inputs_after
    return _of_value([after, outcome.gradients], GRADIENTS, NOUGHT)


Seen = tuple[Sketch | None, ...] | None  # of a case: one for each returned value; None for what is right


def recognised(seen: Sequence[Seen], slips: Mapping[str, Sequence[str]]) -> str:
    """What is said of the slip that gives these outcomes, or "".

    Args:
        seen: sketches of an answer's outcomes, case by case.
        slips: by what is said of them, what they give: the sketches as texts, with spaces between.
    """
    return next((said for said, texts in slips.items() if any(alike(seen, text) for text in texts)), "")


def to_text(seen: Sequence[Seen]) -> str:
    """Sketches as one text: a word for each case, its returned values separated by `|`."""
    return " ".join("|".join(str(part or RIGHT) for part in each) if each else RIGHT for each in seen)


def alike(seen: Sequence[Seen], text: str) -> bool:
    """Whether sketches are those that a text holds."""
    return len(seen) > 0 and all(map(_alike, seen, text.split(" ")))


def _alike(ours: Seen, word: str) -> bool:
    # defence: causes: alike in every case
    return word == RIGHT if ours is None else set(same_parts(ours, word)) <= {True, None}


def same_parts(ours: tuple[Sketch | None, ...], word: str) -> list[bool | None]:
    """For each value that a wrong case returned: the same as a word has it, or not; None if right in both."""
    parts = word.split("|")
    if word == RIGHT or len(parts) != len(ours):
        return [False] * len(ours)
    return [
        (None if text == RIGHT else False) if part is None else text != RIGHT and part.same(text)
        for part, text in zip(ours, parts, strict=True)
    ]


def found_in(seen: Sequence[Seen], text: str) -> list[tuple[int, int]]:
    """The wrong values, by case and place, in which an answer does what a text holds.

    None at all if anything is right that is wrong there.
    """
    found = []
    for number, (ours, word) in enumerate(zip(seen, text.split(" "), strict=True)):
        parts = word.split("|")
        mine = (None,) * len(parts) if ours is None else ours
        if len(mine) == len(parts) and any(
            o is None and t != RIGHT for o, t in zip(mine, parts, strict=True)
        ):
            return []
        found += [(number, place) for place, same in enumerate(same_parts(mine, word)) if same]
    return found


def rewritten(old: str, new: str) -> bool:
    """Whether two texts hold the same sketches, but for how a processor rounds."""
    before, after = (re.split(r"([ |])", text) for text in (old, new))
    return len(before) == len(after) and all(map(_rewritten, before, after))


def _rewritten(old: str, new: str) -> bool:
    if old[:FORM] != new[:FORM] or "!" in old + new:
        return old == new
    numbers = (float(text[FORM:] or 0) for text in (old, new))
    return math.isclose(*numbers, rel_tol=1e-4, abs_tol=1e-5)


def _of_value(value: Any, rounding: float, nought: float) -> Sketch:
    form: list[str] = []
    found = [_bounded(number) for number in _parts(value, form)]
    weights = [_weight(place) for place in range(1, len(found) + 1)]
    parts = [weight * number for weight, number in zip(weights, found, strict=True)]
    allowed = rounding * math.hypot(*parts) + nought * math.hypot(*weights)
    return Sketch(_hash(form), math.fsum(parts), allowed)


def _bounded(number: float) -> float:
    if math.isnan(number):
        return NAN
    return math.copysign(INFINITE, number) if math.isinf(number) else max(-HUGE, min(HUGE, number))


def _hash(form: Sequence[str]) -> str:
    return f"{zlib.crc32(chr(0).join(form).encode()) & 0xFFFFFF:06x}"


def _is_half(value: Any) -> bool:
    return any(dtype_name(each) in HALVES for each in arrays(value))


def _parts(value: Any, form: list[str]) -> Iterator[float]:
    """The fractional numbers in a value, in order; all else is appended to its form."""
    if is_array(value) and not len(value.shape):
        value = value.item()  # where one number is asked for, either will do
    if is_array(value):
        yield from _parts_of_array(value, form)
    elif isinstance(value, float):
        if math.isfinite(value) and abs(value - round(value)) <= WHOLE * max(1, abs(value)):
            form.append(repr(round(value)))  # as an int, which does for a float
            return
        form.append("float")
        yield value
    elif isinstance(value, Mapping):
        for key in sorted(value, key=str):
            form.append(f"{key}:" if isinstance(key, str) else f"{type(key).__name__} {key}:")
            yield from _parts(value[key], form)
    elif isinstance(value, list | tuple):
        form.append(f"[{len(value)}]")
        for item in value:
            yield from _parts(item, form)
    elif isinstance(value, Set):
        form.append(f"{{{', '.join(sorted(map(repr, value)))}}}"[:1000])
    elif isinstance(value, complex):
        form.append("complex")
        yield from (value.real, value.imag)
    elif isinstance(value, Record):
        form.append(value.type_name)
        yield from _parts(value.fields, form)
    elif frames.is_frame(value):
        form.append(f"{'Series' if frames.is_series(value) else ''}{frames.columns(value)!r}")
        for column in frames.parts(value):
            yield from _parts(column, form)
    else:
        form.append(repr(value)[:1000])


def _parts_of_array(array: Array, form: list[str]) -> Iterator[float]:
    name, shape = dtype_name(array), tuple(array.shape)
    form.append(f"{'torch.' if is_tensor(array) else ''}{name} {shape}")
    if is_floating(array):
        yield from double(array).reshape(-1).tolist()
    elif name == "object":
        yield from _parts(array.reshape(-1).tolist(), form)
    elif name.startswith("complex"):
        yield from double(array).reshape(-1).view("float64").tolist()
    else:
        form.append(str(zlib.crc32(numbers(array).tobytes())))


def _weight(place: int) -> float:
    """A number between -1 and 1, without a pattern: a sum by these tells an order from another."""
    return math.cos(place * place * 1.7724539 + place * 0.5772157)

"""Exercises in which something is chosen: what a student's object says, and what leaves of it."""

import contextlib
import hashlib
import numbers
import unicodedata
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from helpers.checking.calling.outcome import CallStatus, Case, Outcome
from helpers.checking.kinds.arrays import count, is_array


def choice(answer: object, case: Case, gradients: bool) -> Outcome:
    """A dict of choices, nested or not, or one choice.

    What leaves is a digest of each, so that no check file shows an answer.
    """
    if answer is ...:
        raise NotImplementedError
    options = case.args[0]
    chosen = dict(_flatten(answer if isinstance(answer, Mapping) else {"": answer}))
    if missing := [slot for slot in options if slot not in chosen]:
        return unusable(f"a choice for {', '.join(map(repr, missing))}", answer)
    if still_open := [slot for slot in options if chosen[slot] is ...]:
        named = "; ".join(still_open) if len(still_open) < len(options) else ""
        return Outcome(CallStatus.NOT_WRITTEN, message=named)
    found = {slot: spelled(chosen[slot], allowed) for slot, allowed in options.items()}
    for slot, allowed in options.items():
        if found[slot] is None:
            wanted = f"one of {', '.join(map(repr, allowed))}"
            return unusable(f"{wanted} for {slot!r}" if slot else wanted, chosen[slot])
    return Outcome(CallStatus.RETURNED, {slot: digest(slot, option) for slot, option in found.items()})


# What people type for signs that aren't on their keyboards.
TYPED = str.maketrans({"×": "x", "·": "*", "−": "-", "–": "-", "′": "'", "’": "'", "“": '"', "”": '"'})


def spelled(given: Any, options: list) -> Any:
    """The option that somebody means, though they may spell it another way; None if it could be several."""
    if is_array(given) and count(given) == 1:
        given = given.item()
    if not isinstance(given, str | bool | int | float | numbers.Rational | Decimal):
        return None
    options = [option for option in options if isinstance(option, bool) == isinstance(given, bool)]
    for read in (_as_it_is, _plain, _small, _number):
        if len(fitting := [option for option in options if read(option) == read(given)]) == 1:
            return fitting[0]
    return None


def _as_it_is(value: object) -> object:
    return value


def _plain(value: object) -> str:
    """Without blanks and quotes, with the signs of a keyboard."""
    return unicodedata.normalize("NFKC", "".join(str(value).split()).translate(TYPED)).strip("'\"")


def _small(value: object) -> str:
    return _plain(value).casefold()


def _number(value: object) -> object:
    with contextlib.suppress(ValueError):
        return float(_plain(value))
    return _small(value)


def digest(slot: str, option: object) -> str:
    """A short fingerprint of one choice: no secret, only no spoiler."""
    return hashlib.sha256(f"{slot}={option!r}".encode()).hexdigest()[:12]


def _flatten(answer: Mapping, prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in answer.items():
        slot = f"{prefix} · {key}" if prefix else str(key)
        if isinstance(value, Mapping):
            yield from _flatten(value, slot)
        else:
            yield slot, value


def unusable(wanted: str, answer: object) -> Outcome:
    """The outcome of an object that can't be judged at all."""
    return Outcome(CallStatus.UNUSABLE, error=wanted, message=repr(answer)[:80])


def not_tried_out(error: Exception) -> tuple[str, str]:
    """What was wanted, and what came back: something that our code, which should use it, fails with."""
    return (
        "what the docstring describes",
        f"what came back can't be tried out ({type(error).__name__}: {error})",
    )

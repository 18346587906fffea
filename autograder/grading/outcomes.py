"""What a child sends of its answers, read without believing it."""

import re
from dataclasses import replace
from typing import Any

from autograder.limits import MAX_ERROR, MAX_VALUES
from helpers.checking.calling.outcome import ENDS, Outcome
from helpers.checking.calling.values import Opaque, Record
from helpers.checking.limits import KEPT

SEVERAL = (list, tuple, set, frozenset)
CELL = re.compile(r"\((?:<[^>]*>|\d+\.py), line")  # of a SyntaxError: what IPython calls the file of a cell


class Stopped(Exception):
    """The child can't go on; the text says why, for the student."""


def raised(error: dict) -> str:
    """What a cell raised, of its output as nbformat states it: only the line of a cell means something."""
    message = CELL.sub("(line", error["evalue"]).strip()
    return f"{error['ename']}: {message}".removesuffix(": ")


def read_outcomes(message: Any, wanted: int) -> list[Outcome]:
    """Read a child's outcomes, believing nothing. One that ended the run early stands for the rest."""
    raw = message.get("outcomes") if isinstance(message, dict) else None
    # defence: judge: number of outcomes
    if not isinstance(raw, list) or not 0 < len(raw) <= wanted:
        raise Stopped("the grading channel was broken (outcomes of other cases)")
    outcomes = [_outcome(item) for item in raw]
    # defence: judge: no fewer than cases
    if len(outcomes) < wanted and outcomes[-1].status not in ENDS:
        raise Stopped("the grading channel was broken (outcomes are missing)")
    return outcomes + [outcomes[-1]] * (wanted - len(outcomes))


def _outcome(raw: Any) -> Outcome:
    try:
        outcome = Outcome.from_json(raw)
    # defence: judge: malformed outcomes
    except (TypeError, ValueError, AttributeError, KeyError, RecursionError) as error:
        raise Stopped(f"the grading channel was broken ({error})") from None
    # defence: judge: length of texts
    long = any(len(text) > MAX_ERROR for text in (outcome.error, outcome.message, outcome.where))
    # defence: judge: length of what was printed
    if long or len(outcome.printed) > 2 * KEPT:
        raise Stopped("the grading channel was broken (a malformed outcome)")
    return outcome


def bounded(outcome: Outcome) -> Outcome:
    """The outcome without what is larger than anything that is asked for.

    It is compared with the right result and with that of each known mistake, value by value.
    """
    outputs = Opaque(f"list of over {MAX_VALUES:,} values") if _is_large(outcome.outputs) else outcome.outputs
    inputs_after = None if _is_large(outcome.inputs_after) else outcome.inputs_after
    gradients = None if _is_large(outcome.gradients) else outcome.gradients
    return replace(outcome, outputs=outputs, inputs_after=inputs_after, gradients=gradients)


def _is_large(value: Any) -> bool:
    waiting, count = [value], 0
    while waiting and count <= MAX_VALUES:
        each = waiting.pop()
        each = each.fields if isinstance(each, Record) else each
        inside = list(each.values()) if isinstance(each, dict) else each if isinstance(each, SEVERAL) else ()
        inside = list(inside)
        count += 1 + max(0, len(inside) - MAX_VALUES)
        waiting += inside[:MAX_VALUES]
    return count > MAX_VALUES

"""What is wrong with what an answer did in one case, and what that usually means."""

import builtins
import re
from dataclasses import dataclass

from helpers.checking.calling.forbidding import COMPILER
from helpers.checking.calling.outcome import CallStatus, Case, Outcome
from helpers.checking.calling.values import arrays
from helpers.checking.comparing import Difference, compare
from helpers.checking.explaining.hints import explain
from helpers.checking.finding import one_line
from helpers.checking.properties import PROPERTIES, inputs_unchanged, meaning_of
from helpers.checking.sheet import Sheet
from helpers.checking.words import LONGEST, kind


@dataclass(frozen=True)
class Problem:
    """What is wrong with one outcome: its cause, what came back, what that usually means."""

    cause: str
    returned: str
    meaning: str = ""


def problem_of(sheet: Sheet, index: int, outcome: Outcome, reveal: bool) -> Problem | None:
    """The first thing wrong with the outcome of one case."""
    case, expected = sheet.cases[index], sheet.expected[index]
    if outcome.status != CallStatus.RETURNED:
        return _not_returned(sheet, outcome, reveal)
    if sheet.driver == "choice":
        got = outcome.outputs if isinstance(outcome.outputs, dict) else {}
        wrong = [slot for slot, value in expected.outputs.items() if got.get(slot) != value]
        slots = "; ".join(filter(None, wrong))
        return Problem("value", f"not right: {slots}" if slots else "not right") if wrong else None
    properties = [PROPERTIES[name] for name in sheet.properties]
    if difference := difference_of(sheet, expected, outcome, _names(sheet, case, reveal)):
        may_explain = [prop for prop in properties if prop.explains_values]
        explained = (meaning_of(prop, case) for prop in may_explain if prop(case, expected, outcome))
        meaning = difference.meaning or next(explained, unknown(sheet, index, reveal))
        described = difference.describe(reveal)
        if difference.cause == "value" and (shape := _shape_too(sheet, index, outcome, reveal)):
            described = f"{described}; {shape}"
        if inputs_unchanged in properties and (changed := inputs_unchanged(case, expected, outcome)):
            said = f"{changed[0].upper()}{changed[1:]}, too. {meaning_of(inputs_unchanged, case)}"
            return Problem(inputs_unchanged.__name__, described, said)
        return Problem(difference.cause, described, meaning)
    for prop in properties:
        if not prop.explains_values and (wrong := prop(case, expected, outcome)):
            return Problem(prop.__name__, f"the right values, but {wrong}", meaning_of(prop, case))
    return None


def difference_of(
    sheet: Sheet, right: Outcome, outcome: Outcome, names: tuple[str, ...] = ()
) -> Difference | None:
    """Where an outcome's values differ by more than the exercise lets pass.

    Args:
        sheet: the exercise as numbers.
        right: the outcome that is right.
        outcome: the one that is judged.
        names: what to call its values; none means as the exercise does.
    """
    # One name is that of all that comes back, even of a list with one value in it.
    called = names or (sheet.returns[0] if len(sheet.returns) == 1 else sheet.returns)
    return compare(right.outputs, outcome.outputs, called, coarse=not sheet.full_precision)


def _names(sheet: Sheet, case: Case, reveal: bool) -> tuple[str, ...]:
    """What to call the values of a case where they are what methods gave: `call 3, pop()`."""
    if sheet.driver != "object":
        return ()
    # defence: hidden: what methods are called with
    told = (f"({', '.join(map(_argument, args))})" if reveal else "" for _, *args in case.args[1])
    return tuple(
        f"call {number}, {name}{text}"
        for number, ((name, *_), text) in enumerate(zip(case.args[1], told, strict=True), start=1)
    )


def _argument(value: object) -> str:
    """What a method is called with: as code has it where that is short, else what it is."""
    text = repr(value)
    return kind(value) if list(arrays(value)) or len(text) > LONGEST // 2 else text


def _shape_too(sheet: Sheet, index: int, outcome: Outcome, reveal: bool) -> str:
    """Which of several results has another shape, where one before it has wrong values: it says more."""
    right, got = sheet.expected[index].outputs, outcome.outputs
    several = isinstance(right, list | tuple) and isinstance(got, list | tuple)
    if not several or len(right) != len(sheet.returns):
        return ""
    found = (compare(*each) for each in zip(right, got, sheet.returns, strict=False))
    shapes = (each.describe(reveal) for each in found if each and each.cause == "shape")
    return next(shapes, "")


def unknown(sheet: Sheet, index: int, reveal: bool) -> str:
    """What is said of wrong values of which nothing is known."""
    return f"None of the mistakes we know gives this result. {by_hand(sheet, index, reveal)}"


def by_hand(sheet: Sheet, index: int, reveal: bool) -> str:
    """How to call an answer oneself with what a case has."""
    call, what = f'case("{sheet.exercise}", {index + 1}).args', "the" if reveal else "similar"
    return f"To try it by hand, take {what} inputs from `{call}`."


AN_OPTION = "Choose one of the options listed here, and write it exactly as in the list."
FILL_IN = "Fill in each `...` and leave the names before it as they were."
OTHER_PARAMETERS = (
    "The check loads weights of its own: `__init__` has to make parameters of just these names and shapes. "
    "If it was given, leave it as it was."
)
RESULT = "Compare what you return with the docstring: type, shape and order."
REDEFINE = "The name now means something else: run the cell with your function again, then this one."


def _not_returned(sheet: Sheet, outcome: Outcome, reveal: bool) -> Problem:
    where = f", at {line_of(outcome.where)}" if outcome.where and reveal else ""
    if outcome.status == CallStatus.FORBIDDEN:
        named = outcome.error in (*sheet.forbidden, COMPILER)
        name = outcome.error if named else "a forbidden function"
        meaning = f"Solve this exercise without {name}: writing it yourself is the point."
        return Problem("forbidden", f"nothing: it uses {name}{where}", meaning)
    if outcome.status == CallStatus.INTERRUPTED:
        text = f"nothing: the call was stopped, because it didn't end{where}"
        return Problem("timeout", text, "A loop never ends, or the code takes far more steps than it needs.")
    if outcome.status == CallStatus.UNUSABLE:
        text = f"{line_of(outcome.message, 160)}, expected {line_of(outcome.error)}"
        of_choice = AN_OPTION if outcome.error.startswith("one of") else FILL_IN
        meaning = of_choice if sheet.driver == "choice" else REDEFINE
        if "parameters" in outcome.error and sheet.driver == "module":
            meaning = OTHER_PARAMETERS
        if sheet.driver in ("draws", "use_result", "prepare") and "docstring" in outcome.error:
            meaning = RESULT
        return Problem("unusable", text if reveal else "not what the exercise asks for", meaning)
    text = f": {line_of(outcome.message)}" if outcome.message and reveal else ""
    # defence: hidden: names of exceptions
    named = outcome.error.isidentifier() if reveal else hasattr(builtins, outcome.error)
    name = outcome.error if named else "an exception"
    return Problem(
        "raised",
        f"nothing: it raised {name:.60}{text}{where}",
        explain(f"{outcome.error}: {outcome.message}", outcome.where),
    )


def line_of(text: str, limit: int = 240) -> str:
    """A stranger's text as one line of printable characters; without addresses, which differ each time."""
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", one_line(text))
    return text if len(text) <= limit else text[: limit - 1] + "…"

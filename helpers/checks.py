"""The door to the check engine: `check()` compares an answer with the visible cases, `case()` shows one."""

import contextlib
import functools
import json
import os
import sys
import textwrap
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace

from helpers.checking import progress
from helpers.checking.assessing import assess, beside
from helpers.checking.calling.drivers import run
from helpers.checking.calling.forbidding import replaced
from helpers.checking.calling.outcome import ENDS, CallStatus, Case, Outcome
from helpers.checking.calling.registry import is_recipe, make_layer, not_registered
from helpers.checking.calling.surroundings import generators_kept
from helpers.checking.code import keeping, running
from helpers.checking.code.tracing import (
    FAILS_IN,
    Tangled,
    cells_so_far,
    did_not_run,
    fails_in,
    fix_first,
    forbidden_use,
    not_made_anew,
)
from helpers.checking.comparing import Difference, compare
from helpers.checking.finding import Finding, Status
from helpers.checking.parts import Calls, at_fault, in_place
from helpers.checking.properties import (
    PROPERTIES,
    gradient_reaches_inputs,
    inputs_unchanged,
    rows_sum_to_one,
    shares_nothing,
    stays_small,
    whole_numbers_in_int64,
)
from helpers.checking.sheet import KnownMisconception, Sheet, load_sheet

__all__ = [
    "PROPERTIES",
    "CheckFailed",
    "Difference",
    "Finding",
    "KnownMisconception",
    "Sheet",
    "Status",
    "assess",
    "case",
    "check",
    "compare",
    "gradient_reaches_inputs",
    "inputs_unchanged",
    "load_sheet",
    "rows_sum_to_one",
    "shares_nothing",
    "show",
    "stays_small",
    "whole_numbers_in_int64",
]  # fmt: skip


PATIENCE_SECONDS = 20.0
STILL_RUNNING = (
    f"This check has run for {PATIENCE_SECONDS:.0f} s: does a loop never end? To stop it, press the square ■ "
    "above the notebook, or Kernel → Interrupt."
)


NO_RECIPE = (
    "The check needs a function of the lesson's, “{}”: put the folder helpers/ that came with the lesson "
    "beside the notebook, and restart the kernel."
)
_rounding: set[str] = set()  # exercises whose answers were seen to round
_leaning: dict[str, str] = {}  # those whose answers pass beside a right one, and the title of the wrong one


if "IPython" in sys.modules:
    running.watch(sys.modules["IPython"].get_ipython())


class CheckFailed(AssertionError):
    """How a cell fails under nbgrader's Validate. Its whole traceback is the message."""

    def _render_traceback_(self) -> list[str]:
        lines = str(self).split("\n")  # nbgrader cuts what is wider
        return [part for line in lines for part in textwrap.wrap(line, 66, subsequent_indent=" " * 17)]


def check(exercise: str, answer: object) -> None:
    """Compare an answer with the visible cases and show what was found.

    A check never stops a notebook: it shows its message and the next cell runs. Under nbgrader's own tools,
    where an exception is how a cell fails, it raises one whose traceback is the message alone.
    """
    sheet, cells, name = load_sheet(exercise), cells_so_far(), getattr(answer, "__name__", "")
    finding = _found(sheet, answer, cells, name)
    if os.environ.get("NBGRADER_EXECUTION"):
        if finding.status != Status.PASSED:
            raise CheckFailed(finding.text())
        return
    passed = finding.status == Status.PASSED
    progress.record(exercise, passed=passed)
    if passed:
        keeping.keep(exercise, cells, name)
    show(finding)


def _found(sheet: Sheet, answer: object, cells: list[str], name: str) -> Finding:
    """What an answer does on the visible cases, and whether its code names what is forbidden."""
    if problem := (
        did_not_run(cells, sheet.exercise, name)
        or not_made_anew(cells, sheet.exercise, running.failures(), name)
    ):
        return Finding.not_run(sheet.title, sheet.points, problem)
    if name_of_ours := not_registered(each for case in sheet.cases for each in case.args):
        return Finding.not_run(sheet.title, sheet.points, NO_RECIPE.format(name_of_ours))
    try:
        use = forbidden_use(cells, sheet.exercise, sheet.forbidden, name)
    except Tangled as error:
        return Finding.not_run(sheet.title, sheet.points, str(error))
    used = Outcome(CallStatus.FORBIDDEN, error=use.name, where=use.where) if use else None
    failing = {id for id, passed in progress.load().items() if not passed} | _leaning.keys()
    failing -= {sheet.exercise}
    with _patience():
        outcomes = [used] * len(sheet.cases) if used else _outcomes(sheet, answer)
        blamed = "" if used else at_fault(sheet, outcomes, failing, functools.partial(_outcomes_with, answer))
    _leaning.pop(sheet.exercise, None)
    if blamed:
        _leaning[sheet.exercise] = _leaning.get(blamed, sheet.needs[blamed])
        return beside(sheet, _leaning[sheet.exercise])
    finding = assess(sheet, outcomes, rounding=_rounding)
    failed = {number: failure.error for number, failure in running.failures().items() if number < len(cells)}
    first = fix_first(finding.returned, cells, failed)
    if not first and (other := fails_in(outcomes, cells, failing)):
        first = FAILS_IN.format(load_sheet(other).title)
    if first:
        finding = replace(finding, meaning=first, cause="needs")
    (_rounding.add if finding.remark else _rounding.discard)(sheet.exercise)
    return finding


def _outcomes(sheet: Sheet, answer: object) -> list[Outcome]:
    """What an answer does on the visible cases, as it reads after a trip through data."""
    outcomes: list[Outcome] = []
    call = functools.partial(
        run, sheet.driver, answer, gradients=sheet.wants_gradients, forbidden=sheet.forbidden
    )
    with replaced(sheet.forbidden), generators_kept():
        for case in sheet.cases:
            if outcomes and outcomes[-1].status in ENDS:
                outcomes.append(outcomes[-1])  # one Ctrl-C is enough
                continue
            outcome = call(case=case)
            outcomes.append(Outcome.from_json(json.loads(json.dumps(outcome.to_json()))))
    return outcomes


def _outcomes_with(answer: object, sheet: Sheet, stand_ins: Mapping[str, Calls]) -> list[Outcome]:
    with in_place(answer, stand_ins):
        return _outcomes(sheet, answer)


@contextlib.contextmanager
def _patience() -> Iterator[None]:
    """Say after a while how a check that doesn't end can be stopped."""
    timer = threading.Timer(PATIENCE_SECONDS, print, [STILL_RUNNING], {"flush": True})
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def show(finding: Finding) -> None:
    """Display a finding: a table in a notebook, text in a terminal."""
    if "IPython" in sys.modules and sys.modules["IPython"].get_ipython() is not None:
        sys.modules["IPython"].display.display(finding)
    else:
        print(finding.text())


def case(exercise: str, number: int) -> Case:
    """One visible case, to try by hand: `.args` and `.kwargs` are what the check calls with.

    Raises:
        ValueError: the exercise has no case of that number; they count from 1.
    """
    sheet = load_sheet(exercise)
    if not 1 <= number <= len(sheet.cases):
        raise ValueError(f"{exercise} has cases 1 to {len(sheet.cases)}, not {number}")
    found = sheet.cases[number - 1]
    return replace(found, args=tuple(make_layer(a) if is_recipe(a) else a for a in found.args))

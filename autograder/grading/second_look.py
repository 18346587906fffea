"""A fault is counted once: an answer that is wrong only by what it builds on loses no points.

After a submission's last cell, the solution takes the place of each wrong answer, in the lesson's order, and
what builds on it is judged again.

Student code then has solutions beside it. It has no way to show them: what is displayed from here on is kept
nowhere, messages are the judge's own, and the child ends. Nor can it answer by them: a solution comes only
once its own exercise is decided.
"""

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING

from autograder.child import wire
from autograder.grading.outcomes import Stopped
from autograder.grading.questions import Question, builds_on
from autograder.results import Cell, Verdict
from helpers.checking.assessing import beside, passes
from helpers.checking.code.tracing import Tangled, forbidden_use
from helpers.checking.finding import Finding, Status

if TYPE_CHECKING:
    from autograder.grading.judge import _Run

BESIDE_NOT = (
    "“{}”, which this builds on, doesn't pass yet: fix that first. With a right answer in its place, this "
    "one passes the cases that you have, but fails a hidden one."
)


def look_again(run: "_Run", cells: list[Cell]) -> None:
    """Judge again what may be wrong only by the fault of earlier answers.

    Args:
        run: of a submission, all of whose cells have run.
        cells: these.
    """
    checks = [cell for cell in cells if cell.exercise in run.questions]
    needs = builds_on({cell.exercise: _needs(run.questions[cell.exercise]) for cell in checks})
    wrong = {id for id in needs if not _passed(run, id)}
    waiting = [id for id in needs if id in wrong and needs[id] & wrong and _may_be_right(run, id)]
    replaced: list[Question] = []
    with contextlib.suppress(wire.WireError, Stopped):
        for cell in checks:
            if not waiting or run.clock.notebook_is_over:
                return
            question = run.questions[cell.exercise]
            if question.id in waiting:
                waiting.remove(question.id)
                if first := next((each for each in replaced if each.id in needs[question.id]), None):
                    _judge_again(run, cell, question, first.title)
            if not _passed(run, question.id) and any(question.id in needs[each] for each in waiting):
                run.run(question.solution, lambda: None)
                replaced.append(question)


def _needs(question: Question) -> tuple[str, ...]:
    return tuple(question.sheets.visible.needs) if question.sheets else ()


def _passed(run: "_Run", id: str) -> bool:
    return id in run.verdicts and run.verdicts[id].status == Status.PASSED


def _may_be_right(run: "_Run", id: str) -> bool:
    """Whether a wrong answer is there, and judged in this run: a verdict of last time stands."""
    if found := run.findings.get(id):
        return found.status != Status.NOT_WRITTEN or bool(found.meaning)
    return id not in run.verdicts


def _judge_again(run: "_Run", cell: Cell, question: Question, replaced: str) -> None:
    """Judge an answer beside the solution of an exercise with this title."""
    found: list[Finding | None] = []
    run.endless.judged = answer_of(cell)
    run.run(answer_of(cell), lambda: None)  # it may have taken what was wrong into itself
    # defence: judge: whose outcomes count again
    run.run(cell.source, lambda: found.append(None if found else _found(run, question, replaced)))
    if found and found[0]:
        run.verdicts[question.id] = Verdict.of(question.id, replace(found[0], points=question.points))


def _found(run: "_Run", question: Question, replaced: str) -> Finding | None:
    """What is found of an answer as things are now; None where what was found of it before stands."""
    if not (sheets := question.sheets):
        return None
    with run.clock.stopped():
        try:
            # defence: judge: forbidden names again
            if forbidden_use(run.ran, question.id, sheets.visible.forbidden):
                return None
        except Tangled:
            return None
    outcomes = run.timed_outcomes(sheets.visible)
    # defence: judge: visible cases again
    if not passes(sheets.visible, outcomes):
        return None
    if run.on_hidden(question, sheets)[0].status == Status.PASSED:
        return beside(sheets.visible, replaced)
    known = run.findings.get(question.id)
    return known and replace(known, meaning=BESIDE_NOT.format(replaced), cause="needs")


def answer_of(cell: Cell) -> str:
    """The source of the cell that answers a check's exercise; "" if it has none."""
    return cell.answer.source if cell.answer else ""

"""What decided one exercise of one submission, with the numbers that students don't see.

For staff who answer an appeal. Nothing is recorded, and nothing of it is in what students get.
"""

import ast
import contextlib
import difflib
import json
import pprint
import re
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from autograder import lessons
from autograder.classroom.course import find_submissions, not_handed_in
from autograder.classroom.database import is_recorded
from autograder.classroom.engine import Options, open_grader
from autograder.classroom.gradebook import Book
from autograder.classroom.marking.questions import Question, asked
from autograder.grading.grader import Grader
from autograder.grading.handed_in import Submission
from autograder.grading.lesson import Lesson
from autograder.results import Verdict
from helpers.checking.assessing import assess
from helpers.checking.calling.choosing import digest
from helpers.checking.calling.drivers import judged
from helpers.checking.calling.outcome import CallStatus, Outcome
from helpers.checking.comparing import kind
from helpers.checking.finding import Status
from helpers.checking.kinds.arrays import is_array
from helpers.checking.sheet import Sheet

LINES = 40  # of one value: the cell prints all of it
RECORDED = (
    "The gradebook has {}: something has changed since. `headstart grade {} --student {}` records the above."
)
BY_HAND = "{} is answered in words, and a person gives its points: see `headstart marking {}`"
OVERRULED = "In the gradebook, points that a person gave take the place of these."
IN_A_NOTEBOOK = (
    "To see it in a notebook, run their {}.ipynb up to this exercise, beside the lesson's helpers, and then "
    "this cell. It runs the student's code with your own rights, so read that first."
)
SECRET = " (students don't see these numbers)"
STAFF = ". For staff only: these numbers are hidden"
CELL = """\
# {about}
import json

from helpers.checking.calling.drivers import run
from helpers.checks import Sheet, assess

sheet = Sheet.from_json(json.loads({sheet!r}))
[case], [expected] = sheet.cases, sheet.expected
outcome = run(sheet.driver, {answer}, case, gradients=sheet.wants_gradients, forbidden=sheet.forbidden)
print("inputs", *case.args, case.kwargs, "returned", outcome.outputs, "expected", expected.outputs, sep="\\n")
finding = assess(sheet, [outcome])
print(finding.status, finding.returned, sep="\\n")
"""


def explain(
    name: str, student: str, exercise: str, course: CourseDirectory, config: Config, options: Options
) -> int:
    """Judge an exercise of a submission anew, and print what decided.

    Args:
        name: of the lesson.
        student: whose submission.
        exercise: its id, its name, its title or the number of its section.
        course: whose sources, submissions and secret are used.
        config: nbgrader's settings.
        options: how to grade.

    Returns:
        The exit code, 0.

    Raises:
        LookupError: there is no such submission or exercise, a person gives its points, or as `open_grader`.
    """
    if not (submissions := find_submissions(course, name, [student])):
        raise LookupError(not_handed_in(course, name, student))
    with open_grader(name, course, config, options) as grader:
        if grader.lesson.foreign:
            raise LookupError(
                f"{name} has tests of its own: what they said is in autograded/{student}/{name}"
            )
        if question := find_question(course, name, exercise):
            raise LookupError(BY_HAND.format(question.title, name))
        id = find_exercise(grader.lesson, exercise)
        verdict, seen = grader.witness(submissions[0], id)
        points = f"{verdict.points:g} of {lessons.counted(verdict.max_points, 'point')}"
        print(f"{student} · {grader.lesson.visible[id].look_at} · {id} · {verdict.status}, {points}")
        print("\n".join(_recorded(grader.lesson, verdict, student, course)))
        print(f"What the student reads\n\n{textwrap.indent(verdict.message, '  ')}\n")
        print("\n".join(_decided(grader, submissions[0], verdict, seen)))
    return 0


def find_question(course: CourseDirectory, lesson: str, name: str) -> Question | None:
    """The written question that somebody means by its number or its name; None if it's none."""
    wanted = name.strip().casefold()
    for question in asked(course, lesson):
        names = {
            question.cell,
            question.cell.partition("-")[2],
            question.title,
            question.title.rpartition(" ")[2],
        }
        if wanted in map(str.casefold, names):
            return question
    return None


def find_exercise(lesson: Lesson, name: str) -> str:
    """The id of the exercise that somebody means.

    Raises:
        LookupError: it could be none, or several; the text lists them all.
    """
    called = {
        id: {id, id.partition(".")[2], lessons.grade_id(id), sheet.title, sheet.look_at.partition(" ")[0]}
        for id, sheet in lesson.visible.items()
    }
    wanted = name.strip().casefold()
    found = [id for id, names in called.items() if wanted in map(str.casefold, names)]
    if len(found) == 1:
        return found[0]
    near = difflib.get_close_matches(wanted, sorted({*called, *(id.partition(".")[2] for id in called)}), n=1)
    hint = f"did you mean {near[0]}? " if near and not found else ""
    listed = [f"  {id}: {sheet.look_at}" for id, sheet in lesson.visible.items() if not found or id in found]
    many = f"{len(found)} exercises" if found else "no exercise"
    raise LookupError("\n".join([f"{lesson.name} has {many} {name!r}; {hint}it has", *listed]))


def _recorded(lesson: Lesson, verdict: Verdict, student: str, course: CourseDirectory) -> Iterator[str]:
    """Where the gradebook has something else, that."""
    if is_recorded(course, lesson.name):
        with contextlib.closing(Book(course, lesson.name, lesson.skeletons, reading=True)) as book:
            last, by_hand = book.known(student).get(verdict.exercise), book.overruled(student)
        if last and (last.status, last.points) != (verdict.status, verdict.points):
            said = f"{last.status}, {last.points:g} of {lessons.counted(last.max_points, 'point')}"
            yield RECORDED.format(said, lesson.name, student)
        if lessons.grade_id(verdict.exercise) in by_hand:
            yield OVERRULED
    yield ""


def _decided(
    grader: Grader, submission: Submission, verdict: Verdict, seen: list[tuple[Sheet, list[Outcome]]]
) -> Iterator[str]:
    """The case that decided: what went in, what came back, what was expected, and a cell that repeats it."""
    if verdict.status == Status.PASSED:
        had, secret = (lessons.counted(len(sheet.cases), "case") for sheet, _ in (seen[0], seen[-1]))
        yield f"It passes all that decides: {had} that students have, {secret} that they don't."
        return
    if not seen or verdict.status != Status.FAILED:
        yield "No case decided this: the reason is above."
        return
    (sheet, outcomes), hidden = seen[-1], len(seen) > 1
    finding = assess(sheet, outcomes)
    number = re.match(r"case (\d+) ", finding.case)  # a choice has one case, and no number
    at = int(number[1]) - 1 if number else 0
    case = f"case {at + 1} of {len(sheet.cases)}" + f": {sheet.cases[at].title}" * bool(sheet.cases[at].title)
    draw = f"hidden draw {grader.draw(submission) + 1}, " if hidden else "visible "
    yield f"What decided: {draw}{case}{SECRET if hidden else ''}\n"
    for name, value in _values(sheet, at, outcomes[at]):
        yield _shown(name, value)
    yield f"  in short: {finding.returned}\n"
    if sheet.driver == "choice":  # there is no code to run
        return
    yield IN_A_NOTEBOOK.format(grader.lesson.name) + "\n"
    yield cell(grader.lesson, sheet, at, f"{verdict.exercise}, {case}" + STAFF * hidden)


def _values(sheet: Sheet, at: int, outcome: Outcome) -> Iterator[tuple[str, Any]]:
    """What went in, came back and was expected, each with its name."""
    case, expected, got = sheet.cases[at], sheet.expected[at].outputs, outcome.outputs
    if sheet.driver == "choice":  # of which a sheet holds digests
        [options] = case.args
        known = {digest(slot, option): option for slot, each in options.items() for option in each}
        found = [
            {slot: known.get(each) for slot, each in (chosen or {}).items()} for chosen in (got, expected)
        ]
        options, got, expected = (each.get("", each) for each in (options, *found))  # one choice has no name
        yield "options", options
    else:
        yield from ((name.strip("`"), value) for name, value in case.arguments())
    if outcome.status == CallStatus.RETURNED:
        yield from _named("returned", got, sheet.returns)
        if sheet.driver in ("draws", "use_result"):
            yield "judged by", judged(sheet.driver, case, outcome).outputs
    yield from _named("expected", expected, sheet.returns)


def _named(what: str, value: Any, names: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """A result; where there are several, each with its name."""
    if len(names) > 1 and isinstance(value, list | tuple) and len(value) == len(names):
        yield from ((f"{what}, {name}", each) for name, each in zip(names, value, strict=True))
    else:
        yield what, value


def _shown(name: str, value: Any) -> str:
    """A value as Python shows it, which escapes what would steer a terminal; of a long one the beginning."""
    lines = pprint.pformat(value, width=100, sort_dicts=False).splitlines()
    if len(lines) == 1 and not is_array(value):
        return f"  {name}: {lines[0]}"
    more = [f"… and {len(lines) - LINES} lines more: the cell prints them all"] * (len(lines) > LINES)
    head = f"{name}: {kind(value)}" if is_array(value) else f"{name}:"
    return textwrap.indent("\n".join([head, *(f"  {line}" for line in lines[:LINES] + more)]), "  ")


def cell(lesson: Lesson, sheet: Sheet, at: int, about: str) -> str:
    """A notebook's cell that calls the answer on one case of a sheet and compares.

    Args:
        lesson: whose check cell says how the answer is called.
        sheet: the cases.
        at: which of them, from 0 on.
        about: what it is, for its first line.
    """
    [check] = [
        each.source
        for notebook in lesson.skeletons.values()
        for each in notebook.cells
        if lessons.kind(each) == "check" and lessons.exercise_of(each) == sheet.exercise
    ]
    [call] = [node for node in ast.walk(ast.parse(check)) if isinstance(node, ast.Call)]
    case, expected = (sheet.cases[at],), (sheet.expected[at],)
    one = replace(sheet, cases=case, expected=expected, misconceptions=(), slips={}, parts={})
    answer = ast.unparse(call.args[1])
    return CELL.format(about=about, sheet=json.dumps(one.to_json()), answer=answer)

"""`headstart report LESSON`: what a class got right and wrong, as tables and as a page with pictures."""

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from statistics import mean, median

from markupsafe import Markup
from nbgrader.api import Student
from nbgrader.coursedir import CourseDirectory
from rich.console import Console
from traitlets.config import Config

from autograder.classroom.database import is_recorded
from autograder.classroom.engine import load_lesson
from autograder.classroom.gradebook import Book
from autograder.classroom.reports import heat, pictures, predictions
from autograder.classroom.reports.rendering import render
from autograder.classroom.reports.tables import (
    Row,
    called,
    most_common,
    natural,
    problems,
    summary,
    unexplained,
)
from autograder.classroom.reports.talks import Talk, share, talks
from autograder.classroom.reports.weeks import Handed
from autograder.exercise import Outline
from autograder.lessons import counted
from helpers.checking.finding import Status
from helpers.figures.showing import image


def report_lesson(name: str, course: CourseDirectory, config: Config) -> int:
    """Print what the class did, from what is recorded, and write it as a page with pictures.

    Raises:
        LookupError: nothing is recorded of the lesson.
    """
    lesson = load_lesson(name, course, config)
    if not is_recorded(course, name):
        raise LookupError(f"nothing of {name} is graded yet: call `headstart grade {name}` first")
    book = Book(course, name, lesson.skeletons)
    try:
        rows = sorted(book.verdicts(), key=lambda row: natural(row[0]))
        looked, waiting = sorted(book.odd(), key=lambda row: natural(row[0])), book.waiting()
        names = called(book.db.query(Student))
    finally:
        book.close()
    Console().print(summary(rows, lesson.outlines))
    counts = predictions.count(course, name, [student for student, _, _ in rows])
    if (told := predictions.table(name, counts)).row_count:
        Console().print(told)
    if looked:
        Console().print(problems(looked))
    if waiting:
        Console().print(f"{waiting}: `headstart marking {name}`, or formgrader")
    path = Path(course.root, "reports", f"{name}.html")
    path.parent.mkdir(exist_ok=True)
    rows = sorted(((names.get(row[0], row[0]), *row[1:]) for row in rows), key=lambda row: natural(row[0]))
    looked = [(names.get(student, student), why) for student, why in looked]
    path.write_text(page(name, rows, lesson.outlines, counts, looked, waiting), encoding="utf-8")
    Console().print(f"The same with pictures, for a browser: {os.path.relpath(path)}")
    return 0


def page(
    lesson: str,
    rows: Iterable[Row],
    exercises: Mapping[str, Outline],
    predicted: predictions.Counts | None = None,
    looked: Sequence[tuple[str, str]] = (),
    waiting: str = "",
) -> str:
    """The page of a lesson.

    Args:
        lesson: its name.
        rows: how a student is called, problem and verdicts of every submission graded so far.
        exercises: what was asked, by id, in order.
        predicted: how many predicted what, by the prediction's id and the option's letter.
        looked: those whose submissions need a look, and why.
        waiting: how many answers are left to grade by hand, in words.
    """
    if not (rows := list(rows)):
        return render("lesson", heading=lesson, scores=[])
    scores = [sum(verdict.points for verdict in verdicts) for _, _, verdicts in rows]
    best = sum(exercise.points for exercise in exercises.values())
    works = {
        student: Handed(sum(v.points for v in of), best, False, 0.0, of, problem=problem)
        for student, problem, of in rows
    }
    group = heat.group(lesson, {id: exercise.title for id, exercise in exercises.items()}, ())
    parts = {student: heat.part(group, of, share(works[student])) for student, _, of in rows}
    map_rows = [heat.Row(student, "", [part]) for student, part in parts.items()]
    return render(
        "lesson",
        heading=lesson,
        counted=counted,
        scores=scores,
        best=best,
        mean=mean(scores),
        median=median(scores),
        now=datetime.now(),
        waiting=waiting,
        first=[(talk, talk.student, "") for talk in _first(lesson, works)],
        points_behind=lambda behind: counted(round(behind * best, 1), "point"),
        map_group=group,
        map_rows=map_rows,
        map_legend=heat.legend(map_rows),
        points=Markup(image(pictures.points(scores, best))),
        exercises=Markup(image(pictures.exercises(rows, exercises))),
        misconceptions=_misconceptions(rows, exercises),
        unexplained=_unexplained(rows, exercises),
        predicted=[
            (asked, option, str(number), "✓ yes" if so else "")
            for asked, option, number, so in predictions.rows(lesson, predicted or {})
        ],
        looked=looked,
    )


def _first(lesson: str, works: Mapping[str, Handed]) -> list[Talk]:
    return talks(works, {student: {lesson: work} for student, work in works.items()}, [lesson], {})


def _misconceptions(rows: list[Row], exercises: Mapping[str, Outline]) -> list[tuple[str, str, list[str]]]:
    """Exercise, misconception and the students who made it, the most frequent first."""
    known = {(id, m.name): m.sentence for id, exercise in exercises.items() for m in exercise.misconceptions}
    made: dict[tuple[str, str], list[str]] = defaultdict(list)
    for student, _, verdicts in rows:
        for verdict in verdicts:
            if verdict.status == Status.FAILED and (verdict.exercise, verdict.cause) in known:
                made[verdict.exercise, verdict.cause].append(student)
    ranked = sorted(made.items(), key=lambda item: -len(item[1]))
    return [(exercises[key[0]].title, known[key], students) for key, students in ranked]


def _unexplained(rows: list[Row], exercises: Mapping[str, Outline]) -> list[tuple[str, str, list[str]]]:
    """Exercise, what most of the failures that nothing explains have in common, and whose they are."""
    found = unexplained([verdict for _, _, verdicts in rows for verdict in verdicts], exercises)
    whose = {
        id: [student for student, _, verdicts in rows if any(verdict in failed for verdict in verdicts)]
        for id, failed in found.items()
    }
    return [(exercises[id].title, most_common(failed), whose[id]) for id, failed in found.items()]

"""The course over the weeks: one page for the class, and one for each student. They need no network.

Made of what is recorded: nbgrader's gradebook, and the verdicts beside it.
"""

import json
import os
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

import sqlalchemy as sa
from markupsafe import Markup
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import Exchange

from autograder import exercises, lessons
from autograder.classroom.database import GRADING, has_gradebook, opened
from autograder.classroom.exports import scores_in
from autograder.classroom.lateness import Policy, lateness
from autograder.classroom.reports import heat, predictions, weeks
from autograder.classroom.reports.pictures import points_by_lesson
from autograder.classroom.reports.rendering import render
from autograder.classroom.reports.tables import called, natural
from autograder.classroom.reports.talks import Talk, said_once, share, talks
from autograder.classroom.reports.weeks import FEW, Again, Handed, Line
from autograder.exercise import Exercise
from autograder.lessons import counted
from autograder.results import Verdict
from helpers.checking.finding import SIGNS, Status
from helpers.figures.showing import image
from helpers.storage import write_whole


def report_course(course: CourseDirectory) -> int:
    """Write reports/course.html and a page for each student. Returns the exit code.

    Raises:
        LookupError: there is no gradebook, and so no course to report on.
    """
    if not has_gradebook(course):
        raise LookupError(f"{course.root} has no gradebook yet: add students to it, or grade a lesson first")
    with opened(course) as book:
        handed = _read(book, Policy.of(course.config))
        names = called(book.students)
    # With due dates for the whole term, most of a map of all lessons would be empty at its start.
    order = sorted({lesson for of in handed.values() for lesson in of}, key=natural)
    asked = {name: _exercises(name) for name in order}
    folder = Path(course.root, "reports")
    (folder / "students").mkdir(parents=True, exist_ok=True)
    again = weeks.again(names, handed, order, asked)
    first = talks(names, handed, order, _by_student(again))
    reasons = {talk.student: talk for talk in first}
    for student in names:
        of = handed.get(student, {})
        page = _student(student, names[student], of, order, asked, reasons.get(student))
        write_whole(folder / "students" / f"{_file(student)}.html", page.encode())
    released = {lesson: _released(course, lesson) for lesson in order}
    foretold = {lesson: predictions.count(course, lesson, names) for lesson in order if asked[lesson]}
    page = _class(names, handed, order, asked, released, foretold, first, again)
    write_whole(folder / "course.html", page.encode())
    print(
        f"headstart: {counted(len(names), 'student')}, {counted(len(order), 'lesson')}: "
        f"{os.path.relpath(folder / 'course.html')}"
    )
    return 0


def _read(book: Gradebook, policy: Policy) -> dict[str, dict[str, Handed]]:
    """By student and lesson, what was handed in and graded."""
    graded: dict[tuple[str, str], tuple[list[Verdict], str]] = {}
    if sa.inspect(book.engine).has_table(GRADING.name):
        for row in book.db.execute(sa.select(GRADING)):
            found = [Verdict.from_json(each) for each in json.loads(row.verdicts)]
            graded[row.student, row.assignment] = found, row.problem
    handed: dict[str, dict[str, Handed]] = defaultdict(dict)
    scores = scores_in(book, book.assignments)
    came = {student.id: dict(lateness(student.submissions, policy)) for student in book.students}
    for lesson in book.assignments:
        for student in book.students:
            if score := scores.get((student.id, lesson.name)):
                there, problem = graded.get((student.id, lesson.name), ([], ""))
                one = came[student.id].get(lesson.name)  # None if nobody knows when
                late, when = (one.late / timedelta(days=1), one.handed_in) if one else (0.0, None)
                handed[student.id][lesson.name] = Handed(
                    score.points, float(lesson.max_score), score.waiting, late, there, when, problem
                )
    return handed


def _released(course: CourseDirectory, lesson: str) -> datetime | None:
    """When a lesson was last released through the exchange, UTC; None where it isn't there."""
    folder = Path(Exchange(config=course.config).root, course.course_id, "outbound", lesson)
    try:
        seconds = folder.stat().st_ctime  # its times of change are those of the folder that was copied
    except OSError:
        return None
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)


def _exercises(lesson: str) -> dict[str, Exercise]:
    """What a lesson of ours asks for; nothing of other assignments."""
    try:
        return exercises.load(lessons.topic(lesson)) if lesson in lessons.names() else {}
    except LookupError:
        return {}


def _file(student: str) -> str:
    return quote(student, safe="@")


def _class(
    names: dict[str, str],
    handed: dict[str, dict[str, Handed]],
    order: Sequence[str],
    asked: dict[str, dict[str, Exercise]],
    released: dict[str, datetime | None],
    foretold: dict[str, predictions.Counts],
    first: Sequence[Talk] = (),
    again: Sequence[Again] = (),
) -> str:
    drawn = points_by_lesson(weeks.shares(handed, order, len(names)))
    groups = [_columns(lesson, handed, asked[lesson]) for lesson in order]
    map_rows = _map_rows(names, handed, groups)
    return render(
        "course",
        heading="The course so far",
        counted=counted,
        now=datetime.now(),
        first=[(talk, names[talk.student], _file(talk.student)) for talk in first],
        lessons_behind=_lessons,
        map_groups=groups,
        map_rows=map_rows,
        map_legend=heat.legend(map_rows),
        lessons=[*order],
        students=_lines(names, handed, order),
        points=Markup(image(drawn)) if drawn else "",
        few=FEW,
        items=weeks.items(handed, order, asked),
        again=again,
        times=weeks.times(handed, order, released),
        predicted=[
            (lesson, *row)
            for lesson, counts in foretold.items()
            for row in predictions.rows(lesson, counts)
            if row[2]  # students
        ],
    )


def _columns(lesson: str, handed: dict[str, dict[str, Handed]], asked: dict[str, Exercise]) -> heat.Group:
    works = [of[lesson] for of in handed.values() if lesson in of]
    titles = {id: exercise.title for id, exercise in asked.items()}
    return heat.group(lesson, titles, (one.verdicts for one in works), any(one.waiting for one in works))


def _map_rows(
    names: dict[str, str], handed: dict[str, dict[str, Handed]], groups: Sequence[heat.Group]
) -> list[heat.Row]:
    rows = []
    for student, name in names.items():
        of = handed.get(student, {})
        parts = [
            heat.part(group, one.verdicts, share(one)) if (one := of.get(group.lesson)) else heat.part(group)
            for group in groups
        ]
        rows.append(heat.Row(name, _file(student), parts))
    return rows


def _lessons(number: float) -> str:
    return counted(round(number, 1), "lesson")


def _by_student(again: Sequence[Again]) -> dict[str, list[str]]:
    """The misconceptions that came back, by the student's id, in words."""
    found: dict[str, list[str]] = defaultdict(list)
    for each in again:
        for student in each.whose:
            found[student].append(f"again in {each.lessons[-1]}: {each.sentence}")
    return found


def _lines(names: dict[str, str], handed: dict[str, dict[str, Handed]], order: Sequence[str]) -> list[Line]:
    """The students by name. A lesson is missing where most of the class has handed it in."""
    given = Counter(lesson for of in handed.values() for lesson in of)
    lines = []
    for student, name in names.items():
        of = handed.get(student, {})
        missing = [lesson for lesson in order if lesson not in of and 2 * given[lesson] > len(names)]
        total = sum(each.points for each in of.values())
        lines.append(Line(name, _file(student), [of.get(lesson) for lesson in order], total, missing))
    return lines


def _student(
    student: str,
    name: str,
    of: dict[str, Handed],
    order: Sequence[str],
    asked: dict[str, dict[str, Exercise]],
    talk: Talk | None = None,
) -> str:
    """What to talk about in office hours: points by lesson, and what went wrong, in the check's words."""
    wrong, following = [], []
    for lesson in order:
        titles = {id: exercise.title for id, exercise in asked[lesson].items()}
        failed = [v for v in of[lesson].verdicts if v.status != Status.PASSED] if lesson in of else []
        if failed:
            wrong.append((lesson, [v.message or _sign(v, titles) for v in failed]))
            following += [(lesson, *each) for each in said_once(failed, titles)]
    points = [(lesson, of.get(lesson)) for lesson in order]
    return render(
        "student",
        heading=name,
        student=student,
        talk=talk,
        lessons_behind=_lessons,
        following=following,
        points=points,
        wrong=wrong,
    )


def _sign(verdict: Verdict, titles: dict[str, str]) -> str:
    return f"{SIGNS[verdict.status]} {titles.get(verdict.exercise, verdict.exercise)}"

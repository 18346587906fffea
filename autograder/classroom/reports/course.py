"""The course over the weeks: one page for the class, and one for each student. They need no network.

Made of what is recorded: nbgrader's gradebook, and the verdicts beside it.
"""

import json
import os
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import sqlalchemy as sa
from markupsafe import Markup
from nbgrader.api import Gradebook, Student
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import Exchange

from autograder import exercises, lessons
from autograder.classroom.database import GRADING, has_gradebook, opened
from autograder.classroom.exports import scores_in
from autograder.classroom.reports import heat, predictions
from autograder.classroom.reports.pictures import points_by_lesson
from autograder.classroom.reports.rendering import render
from autograder.classroom.reports.tables import natural
from autograder.classroom.reports.talks import Talk, said_once, share, talks
from autograder.exercise import Exercise
from autograder.lessons import counted
from autograder.recall import Recall
from autograder.results import Verdict
from helpers.checking.finding import SIGNS, Status
from helpers.figures.showing import image
from helpers.storage import write_whole

FEW = 10  # students below which an exercise's numbers say little
EASY, HARD, FLAT = 0.95, 0.2, 0.1


@dataclass
class Handed:
    """What one student has in one lesson."""

    points: float
    possible: float
    waiting: bool
    late_days: float
    verdicts: list[Verdict] = field(default_factory=list)
    at: datetime | None = None  # UTC

    @property
    def late(self) -> str:
        """How late, in the unit in which it says something."""
        if self.late_days >= 1:
            return f"{self.late_days:.1f} days"
        minutes = max(1, round(self.late_days * 1440))
        return f"{minutes} min" if minutes < 60 else f"{minutes / 60:.0f} h"


@dataclass
class Item:
    """One exercise over the class."""

    lesson: str
    title: str
    students: int
    right: float
    separates: float | None

    @property
    def remark(self) -> str:
        """What an author should look at; empty for most, and for few students."""
        if self.students < FEW:
            return ""
        if self.right >= EASY:
            return "too easy?"
        if self.right <= HARD:
            return "too hard?"
        low = self.separates is not None and self.separates < FLAT
        return "doesn't separate" if low else ""


class Line(NamedTuple):
    """One student: their points in each lesson, and what is missing."""

    name: str
    file: str
    lessons: list[Handed | None]
    points: float
    missing: list[str]


class Again(NamedTuple):
    """A misconception that came back in another lesson."""

    sentence: str
    lessons: list[str]
    students: list[str]
    whose: Sequence[str] = ()  # their ids


class Times(NamedTuple):
    """How long a lesson took, from its release to each hand-in."""

    lesson: str
    released: datetime
    minutes: list[float]

    @property
    def shown(self) -> list[int]:
        """The quickest, the median and the slowest, in whole minutes."""
        return [
            round(each) for each in (min(self.minutes), statistics.median(self.minutes), max(self.minutes))
        ]


def report_course(course: CourseDirectory) -> int:
    """Write reports/course.html and a page for each student. Returns the exit code.

    Raises:
        LookupError: there is no gradebook, and so no course to report on.
    """
    if not has_gradebook(course):
        raise LookupError(f"{course.root} has no gradebook yet: add students to it, or grade a lesson first")
    with opened(course) as book:
        handed = _read(book)
        names = _names(book.students)
        order = sorted((one.name for one in book.assignments), key=natural)
    asked = {name: _exercises(name) for name in order}
    folder = Path(course.root, "reports")
    (folder / "students").mkdir(parents=True, exist_ok=True)
    again = _again(names, handed, order, asked)
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


def _read(book: Gradebook) -> dict[str, dict[str, Handed]]:
    """By student and lesson, what was handed in and graded."""
    verdicts: dict[tuple[str, str], list[Verdict]] = {}
    if sa.inspect(book.engine).has_table(GRADING.name):
        for row in book.db.execute(sa.select(GRADING)):
            found = [Verdict.from_json(each) for each in json.loads(row.verdicts)]
            verdicts[row.student, row.assignment] = found
    handed: dict[str, dict[str, Handed]] = defaultdict(dict)
    scores = scores_in(book, book.assignments)
    for lesson in book.assignments:
        for student in book.students:
            if score := scores.get((student.id, lesson.name)):
                there = verdicts.get((student.id, lesson.name), [])
                one = book.find_submission(lesson.name, student.id)
                late = float(one.total_seconds_late or 0) / 86_400
                handed[student.id][lesson.name] = Handed(
                    score.points, float(lesson.max_score), score.waiting, late, there, one.timestamp
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


def _name(student: Student) -> str:
    named = ", ".join(part for part in (student.last_name, student.first_name) if part)
    return named or str(student.id)


def _names(students: Iterable[Student]) -> dict[str, str]:
    """By id, how students are called; with the id where two are called the same. 2 comes before 10."""
    names = {str(one.id): _name(one) for one in students}
    often = Counter(names.values())
    order = sorted(names, key=lambda id: (natural(names[id]), natural(id)))
    return {id: f"{names[id]} ({id})" if often[names[id]] > 1 else names[id] for id in order}


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
    drawn = points_by_lesson(_shares(handed, order, len(names)))
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
        items=_items(handed, order, asked),
        again=again,
        times=_times(handed, order, released),
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


def _shares(
    handed: dict[str, dict[str, Handed]], order: Sequence[str], students: int
) -> dict[str, list[float]]:
    """By lesson, and how many handed it in, each one's points in per cent of what it has."""
    found = {}
    for lesson in order:
        there = [of[lesson] for of in handed.values() if lesson in of and of[lesson].possible > 0]
        if there:
            waits = " +" * any(one.waiting for one in there)
            label = f"{lesson}{waits} · {len(there)} of {students}"
            found[label] = [100 * one.points / one.possible for one in there]
    return found


def _times(
    handed: dict[str, dict[str, Handed]], order: Sequence[str], released: dict[str, datetime | None]
) -> list[Times]:
    """Minutes between release and hand-in, for each lesson that is in the exchange."""
    found = []
    for lesson in order:
        begun = released[lesson]
        ends = [of[lesson].at for of in handed.values() if lesson in of]
        minutes = [(at - begun).total_seconds() / 60 for at in ends if begun and at and at > begun]
        if begun and minutes:
            found.append(Times(lesson, begun, minutes))
    return found


def _items(
    handed: dict[str, dict[str, Handed]], order: Sequence[str], asked: dict[str, dict[str, Exercise]]
) -> list[Item]:
    found = []
    for lesson in order:
        papers = [of[lesson].verdicts for of in handed.values() if lesson in of and of[lesson].verdicts]
        for id, exercise in asked[lesson].items():
            right, rest = [], []
            for paper in papers:
                own = [verdict for verdict in paper if verdict.exercise == id]
                if own:
                    right.append(float(own[0].status == Status.PASSED))
                    rest.append(sum(verdict.points for verdict in paper) - own[0].points)
            if right:
                share = statistics.mean(right)
                varied = len({*right}) > 1 and len({*rest}) > 1
                separates = statistics.correlation(right, rest) if varied else None
                found.append(Item(lesson, exercise.title, len(right), share, separates))
    return found


def _again(
    names: dict[str, str],
    handed: dict[str, dict[str, Handed]],
    order: Sequence[str],
    asked: dict[str, dict[str, Exercise]],
) -> list[Again]:
    """Misconceptions in two lessons of a student, and exercises whose slip was overlooked later as well."""
    sentences = {
        (lesson, m.name): m.sentence
        for lesson, of in asked.items()
        for exercise in of.values()
        if not isinstance(exercise, Recall)  # whose causes are lines and inputs
        for m in exercise.misconceptions
    }
    back: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for student, of in handed.items():
        wrong = {
            verdict.exercise: (lesson, verdict.cause)
            for lesson, one in of.items()
            for verdict in one.verdicts
            if verdict.status == Status.FAILED
        }
        for id, (lesson, cause) in wrong.items():
            exercise = asked[lesson].get(id)
            if isinstance(exercise, Recall) and exercise.about in wrong:
                first = wrong[exercise.about][0]
                title = asked[first][exercise.about].title
                back[f"{title}: wrong at first, and the same slip missed later"][student] |= {first, lesson}
            elif (lesson, cause) in sentences:
                back[cause][student].add(lesson)
    found = []
    for what, whose in back.items():
        twice = {student: where for student, where in whose.items() if len(where) > 1}
        if twice:
            where = [lesson for lesson in order if any(lesson in each for each in twice.values())]
            said = sentences.get((where[0], what), what)
            ids = [student for student in names if student in twice]
            found.append(Again(said, where, sorted((names[id] for id in ids), key=natural), ids))
    return found


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

"""The course over the weeks: one page for the class, and one for each student. They need no network.

Made of what is recorded: nbgrader's gradebook, and the verdicts beside it.
"""

import html
import json
import os
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import sqlalchemy as sa
from nbgrader.api import Gradebook, Student
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import Exchange

from autograder import exercises, lessons
from autograder.classroom.exports import scores_in
from autograder.classroom.gradebook import GRADING, opened
from autograder.commands import predicted
from autograder.commands.report_page import DOTS, STYLE, spread
from autograder.exercise import Exercise
from autograder.lessons import counted
from autograder.recall import Recall
from autograder.results import Verdict
from helpers.checking.finding import SIGNS, Status
from helpers.figures import plots
from helpers.figures.showing import image
from helpers.storage import write_whole

FEW = 10  # students below which an exercise's figures say little
EASY, HARD, FLAT = 0.95, 0.2, 0.1
MORE_STYLE = """
body { max-width: 80rem } caption { text-align: left } h1, td, th { overflow-wrap: anywhere }
thead th, tbody td { overflow-wrap: normal } b { font-weight: normal; white-space: nowrap }
.wide { overflow-x: auto } .wide th[scope=row] { min-width: 8rem } .wide tr > :last-child { min-width: 9rem }
.wide tr > th:first-child { position: sticky; left: 0; background: Canvas }
@page { size: landscape } @media print { .wide { overflow: visible } input { display: none }
table { font-size: .65em } td, th { padding-right: .5rem } .wide tr > :last-child { min-width: 0 }
.wide th[scope=row] { min-width: 7em } }
.told { font-family: ui-monospace, monospace; font-size: .9em; margin: 1rem 0 }
.told div { white-space: pre-wrap; padding-left: 17ch; text-indent: -17ch }
th button { all: unset; cursor: pointer; font: inherit } th button:focus-visible { outline: 2px solid }
[aria-sort=ascending] button::after { content: " ▲" } [aria-sort=descending] button::after { content: " ▼" }
"""
SORTING = """
for (const table of document.querySelectorAll("table.sorts")) {
    table.querySelectorAll("thead th").forEach((head, at) => {
        const button = document.createElement("button");
        button.append(...head.childNodes);
        head.append(button);
        button.onclick = () => {
            const up = head.getAttribute("aria-sort") !== "ascending";
            table.querySelectorAll("thead th").forEach(each => each.removeAttribute("aria-sort"));
            head.setAttribute("aria-sort", up ? "ascending" : "descending");
            const key = row => row.cells[at].dataset.key ?? row.cells[at].textContent;
            // Collation takes digits together and no minus: to it, 0.5 is less than 0.25.
            const rows = [...table.tBodies[0].rows].sort(
                (a, b) => key(a) - key(b) || key(a).localeCompare(key(b), undefined, {numeric: true}));
            table.tBodies[0].append(...(up ? rows : rows.reverse()));
        };
    });
    if (table.tBodies[0].rows.length < 10) continue;
    const field = document.createElement("input");
    field.type = "search";
    field.setAttribute("aria-label", "show rows with");
    field.placeholder = "show rows with ...";
    field.oninput = () => {
        for (const row of table.tBodies[0].rows)
            row.hidden = !row.textContent.toLowerCase().includes(field.value.toLowerCase());
    };
    table.parentElement.before(field);
}
"""


@dataclass
class Handed:
    """What one student has in one lesson."""

    points: float
    possible: float
    waiting: bool
    late_days: float
    verdicts: list[Verdict] = field(default_factory=list)
    at: datetime | None = None  # UTC


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


def report_course(course: CourseDirectory) -> int:
    """Write reports/course.html and a page for each student. Returns the exit code."""
    with opened(course) as book:
        handed = _read(book)
        names = _names(book.students)
        order = [one.name for one in sorted(book.assignments, key=lambda one: one.name)]
    asked = {name: _exercises(name) for name in order}
    folder = Path(course.root, "reports")
    (folder / "students").mkdir(parents=True, exist_ok=True)
    for student in names:
        page = _student(student, names[student], handed.get(student, {}), order, asked)
        write_whole(folder / "students" / f"{_file(student)}.html", page.encode())
    released = {lesson: _released(course, lesson) for lesson in order}
    foretold = {lesson: predicted.count(course, lesson, names) for lesson in order if asked[lesson]}
    page = _class(names, handed, order, asked, released, foretold)
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
    """By id, how students are called; with the id where two are called the same."""
    names = {str(one.id): _name(one) for one in students}
    often = Counter(names.values())
    return {id: f"{name} ({id})" if often[name] > 1 else name for id, name in names.items()}


def _file(student: str) -> str:
    return quote(student, safe="@")


# -- the class -----------------------------------------------------------------------------------------------


def _class(
    names: dict[str, str],
    handed: dict[str, dict[str, Handed]],
    order: Sequence[str],
    asked: dict[str, dict[str, Exercise]],
    released: dict[str, datetime | None],
    foretold: dict[str, predicted.Counts],
) -> str:
    given = Counter(lesson for of in handed.values() for lesson in of)
    rows = []
    for student, name in sorted(names.items(), key=lambda item: item[1].casefold()):
        of = handed.get(student, {})
        missing = [lesson for lesson in order if lesson not in of and 2 * given[lesson] > len(names)]
        link = f'<a href="students/{quote(_file(student))}.html"><bdi>{html.escape(name)}</bdi></a>'
        total = sum(each.points for each in of.values())
        cells = [_handed(of.get(lesson)) for lesson in order]
        behind = html.escape(", ".join(missing))
        rows.append([f'<th scope="row">{link}</th>', *cells, _number(total), f"<td>{behind}</td>"])
    heads = ["student", *order, "points", "missing, though most have it"]
    items = _items(handed, order, asked)
    exercises_rows = [
        [f"<td>{item.lesson}</td>", f'<th scope="row">{html.escape(item.title)}</th>', _number(item.students),
         _number(100 * item.right, " %"), _number(item.separates), f"<td>{item.remark}</td>"]
        for item in items
    ]  # fmt: skip
    again = _again(names, handed, order, asked)
    parts = [
        _table("Points by lesson. + stands for written answers that wait for theirs.", heads, rows),
        *([DOTS, image(drawn)] if (drawn := _points(handed, order, len(names))) else []),
        "<h2>Exercises</h2>",
        _table(
            f"How many have it right, and how far that goes with the rest of their lesson, as "
            f"a correlation; – where all have it right, or nobody, or the rest of all is alike. Remarks from "
            f"{FEW} students on.",
            ["lesson", "exercise", "students", "right", "separates", "look at"],
            exercises_rows,
        ),
        "<h2>Misconceptions that came back</h2>",
        _table(
            "In more than one lesson of the same student.",
            ["misconception", "lessons", "students"],
            again,
        )
        if again
        else "<p>None that was recognised in more than one lesson of a student.</p>",
    ]
    if times := _times(handed, order, released):
        heads = ["lesson", "released", "handed in", "quickest", "median", "slowest"]
        caption = (
            "Minutes from a lesson's release through the exchange to the last time that it was handed in."
        )
        parts += ["<h2>How long it took</h2>", _table(caption, heads, times)]
    if told := _foretold(foretold):
        heads = ["lesson", "question", "predicted", "students", "is it so?"]
        parts += ["<h2>What was predicted</h2>", _table("Before the figure was shown.", heads, told)]
    return _page("The course so far", "\n".join(parts))


def _points(handed: dict[str, dict[str, Handed]], order: Sequence[str], students: int) -> "plots.Axes | None":
    """The class in each lesson, as shares of its points; None where nobody has any."""
    from matplotlib.ticker import PercentFormatter

    found = {}
    for lesson in order:
        there = [of[lesson] for of in handed.values() if lesson in of and of[lesson].possible > 0]
        if there:
            waits = " +" * any(one.waiting for one in there)
            label = f"{lesson}{waits} · {len(there)} of {students}"
            found[label] = [100 * one.points / one.possible for one in there]
    if not found:
        return None
    [ax] = plots.panels(1, width=6.6, height=1.0 + 0.42 * len(found))
    said = spread(ax, found)
    low, high = (end(value for row in found.values() for value in row) for end in (min, max))
    ax.set(xlim=(min(0, low) - 2, max(100, high) + 2), xlabel="points, of those that the lesson has")
    ax.xaxis.set_major_formatter(PercentFormatter(symbol=" %"))
    ax.set_label(f"Points by lesson, per cent of what it has, for those who handed it in. {'; '.join(said)}.")
    return ax


def _times(
    handed: dict[str, dict[str, Handed]], order: Sequence[str], released: dict[str, datetime | None]
) -> list[list[str]]:
    """Minutes between release and hand-in, for each lesson that is in the exchange."""
    rows = []
    for lesson in order:
        begun = released[lesson]
        ends = [of[lesson].at for of in handed.values() if lesson in of]
        minutes = [(at - begun).total_seconds() / 60 for at in ends if begun and at and at > begun]
        if begun and minutes:
            figures = (min(minutes), statistics.median(minutes), max(minutes))
            told = [_number(round(each), " min") for each in figures]
            when = f"<td>{begun:%Y-%m-%d %H:%M} UTC</td>"
            rows.append([f'<th scope="row">{html.escape(lesson)}</th>', when, _number(len(minutes)), *told])
    return rows


def _foretold(foretold: dict[str, predicted.Counts]) -> list[list[str]]:
    """What was predicted in each lesson, beside what is so."""
    return [
        [*(f"<td>{html.escape(cell)}</td>" for cell in (lesson, question, option)), _number(number),
         f"<td>{'✓ yes' if so else ''}</td>"]
        for lesson, counts in foretold.items()
        for question, option, number, so in predicted.rows(lesson, counts)
        if number
    ]  # fmt: skip


def _handed(one: Handed | None) -> str:
    if one is None:
        return '<td data-key="-1">not handed in</td>'
    marks = " +" * one.waiting
    late = f" · <b>{_late(one.late_days)} late</b>" if one.late_days > 0 else ""
    return f'<td data-key="{one.points}"><b>{one.points:g} of {one.possible:g}{marks}</b>{late}</td>'


def _late(days: float) -> str:
    """How long, in the unit in which it says something."""
    if days >= 1:
        return f"{days:.1f} days"
    minutes = max(1, round(days * 1440))
    return f"{minutes} min" if minutes < 60 else f"{minutes / 60:.0f} h"


def _items(
    handed: dict[str, dict[str, Handed]], order: Sequence[str], asked: dict[str, dict[str, Exercise]]
) -> list[Item]:
    found = []
    for lesson in order:
        sheets = [of[lesson].verdicts for of in handed.values() if lesson in of and of[lesson].verdicts]
        for id, exercise in asked[lesson].items():
            right, rest = [], []
            for sheet in sheets:
                own = [verdict for verdict in sheet if verdict.exercise == id]
                if own:
                    right.append(float(own[0].status == Status.PASSED))
                    rest.append(sum(verdict.points for verdict in sheet) - own[0].points)
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
) -> list[list[str]]:
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
                back[f"{title}: wrong at first, and its slip overlooked later"][student] |= {first, lesson}
            elif (lesson, cause) in sentences:
                back[cause][student].add(lesson)
    rows = []
    for what, whose in back.items():
        twice = {student: where for student, where in whose.items() if len(where) > 1}
        if twice:
            where = [lesson for lesson in order if any(lesson in each for each in twice.values())]
            said = sentences.get((where[0], what), what)
            cells = (said, ", ".join(where), "; ".join(sorted(names[student] for student in twice)))
            rows.append([f"<td>{html.escape(cell)}</td>" for cell in cells])
    return rows


# -- one student ---------------------------------------------------------------------------------------------


def _student(
    student: str,
    name: str,
    of: dict[str, Handed],
    order: Sequence[str],
    asked: dict[str, dict[str, Exercise]],
) -> str:
    """What to talk about in office hours: points by lesson, and what went wrong, in the check's words."""
    parts = [f"<p>{html.escape(student)} · <a href='../course.html'>the course</a></p>"]
    rows = [[f'<th scope="row">{lesson}</th>', _handed(of.get(lesson))] for lesson in order]
    parts.append(_table("Points by lesson.", ["lesson", "points"], rows))
    for lesson in order:
        wrong = [v for v in of[lesson].verdicts if v.status != Status.PASSED] if lesson in of else []
        if wrong:
            titles = {id: exercise.title for id, exercise in asked[lesson].items()}
            parts.append(f"<h2>{html.escape(lesson)}</h2>")
            parts += [_told(v.message or _plain(v, titles)) for v in wrong]
    return _page(name, "\n".join(parts))


def _told(message: str) -> str:
    """A check's message, its lines indented where they go on."""
    lines = "".join(f"<div>{html.escape(line)}</div>" for line in message.split("\n"))
    return f'<div class="told">{lines}</div>'


def _plain(verdict: Verdict, titles: dict[str, str]) -> str:
    return f"{SIGNS[verdict.status]} {titles.get(verdict.exercise, verdict.exercise)}"


# -- HTML ----------------------------------------------------------------------------------------------------


def _number(value: float | None, unit: str = "") -> str:
    if value is None:
        return '<td class="number" data-key="-2">–</td>'
    return f'<td class="number" data-key="{value}">{value:.{0 if unit else 2}f}{unit}</td>'.replace(
        ".00<", "<"
    )


def _table(caption: str, heads: Sequence[str], rows: Iterable[list[str]]) -> str:
    if not (rows := list(rows)):
        return f"<p>{html.escape(caption)} There is nothing yet.</p>"
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in heads)
    body = "\n".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return (
        f"<div class='wide'><table class='sorts'><caption>{html.escape(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _page(title: str, body: str) -> str:
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}{MORE_STYLE}</style></head>\n'
        f"<body><main><h1>{html.escape(title)}</h1>\n{body}\n</main><script>{SORTING}</script></body></html>\n"
    )

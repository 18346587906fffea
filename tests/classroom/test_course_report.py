"""The course over the weeks: who handed in what, which exercises to look at, what came back."""

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
import sqlalchemy as sa
from bs4 import BeautifulSoup
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from playwright.sync_api import sync_playwright
from traitlets.config import Config

from autograder import exercises, programs
from autograder.classroom.database import GRADING, make_grading
from autograder.classroom.reports.course import (
    _class,
    _released,
    report_course,
)
from autograder.classroom.reports.pictures import points_by_lesson
from autograder.classroom.reports.rendering import environment
from autograder.classroom.reports.tables import called
from autograder.classroom.reports.weeks import Handed, Item, again, items, shares, times
from autograder.results import Verdict
from helpers.checking.finding import Status
from helpers.figures.predicting import predictions
from helpers.figures.showing import image
from tests.support.proved import PROJECT, follows_from

pytestmark = follows_from(*PROJECT)

LESSONS, LATER = ("01_attention", "02_multihead"), "03_positional"
SOFTMAX, CROSS = "attention.softmax", "attention.cross"
UNSAFE = "l & b"


def verdict(exercise: str, passed: bool, cause: str = "", message: str = "") -> Verdict:
    status = Status.PASSED if passed else Status.FAILED
    return Verdict(exercise, status, 3.0 * passed, 3.0, message, cause=cause)


@pytest.fixture
def course(tmp_path: Path) -> CourseDirectory:
    config = Config()
    config.CourseDirectory.root = str(tmp_path)
    return CourseDirectory(config=config)


@pytest.fixture
def pages(course: CourseDirectory, tmp_path: Path) -> Path:
    """Ada has both lessons, a written answer waits. Lee & Bo handed in the first, late. Cy nothing.

    Of a third lesson there is only its due date.
    """
    with Gradebook(course.db_url) as book:
        make_grading(book.db)
        for lesson in (*LESSONS, LATER):
            book.add_assignment(lesson, duedate="2026-01-02 12:00:00 UTC")
            book.add_notebook(lesson, lesson)
            book.add_grade_cell("code", lesson, lesson, max_score=6, cell_type="code")
            book.add_grade_cell("words", lesson, lesson, max_score=4, cell_type="markdown")
        book.add_student("ada", first_name="Ada", last_name="<Lovelace>")
        book.add_student(UNSAFE)
        book.add_student("cy")
        for student, lesson in (("ada", LESSONS[0]), ("ada", LESSONS[1]), (UNSAFE, LESSONS[0])):
            late = "2026-01-04 12:00:00 UTC" if student == UNSAFE else "2026-01-01 12:00:00 UTC"
            book.add_submission(lesson, student, timestamp=late)
            code, words = (book.find_grade(cell, lesson, lesson, student) for cell in ("code", "words"))
            code.auto_score, code.needs_manual_grade = 3.0, False
            words.needs_manual_grade = student == "ada" and lesson == LESSONS[0]
            said = [verdict(SOFTMAX, student == "ada", message="✗ Softmax <b>"), verdict(CROSS, True)]
            row = {"assignment": lesson, "student": student, "digest": "", "problem": "", "remarks": "[]"}
            told = json.dumps([vars(each) for each in said])
            book.db.execute(sa.insert(GRADING), {**row, "verdicts": told})
        book.db.commit()
    assert report_course(course) == 0
    return tmp_path / "reports"


def rows_of(page: str, table: int) -> dict[str, list[str]]:
    found = BeautifulSoup(page, "html.parser").select("table")[table]
    assert found.caption.text and all(head["scope"].startswith("col") for head in found.thead.select("th"))
    lines = [[cell.get_text() for cell in row.select("td, th")] for row in found.tbody.select("tr")]
    return {line[0]: line[1:] for line in lines}


def test_the_class_page_says_who_has_what_and_who_is_behind(pages: Path) -> None:
    page = (pages / "course.html").read_text()
    assert "None" not in page.replace("None was recognised", "") and "<Lovelace>" not in page
    rows = rows_of(page, 1)
    assert rows["<Lovelace>, Ada"] == ["3 of 10 +", "3 of 10", "6", ""]
    assert rows[UNSAFE] == ["3 of 10 · 2.0 days late", "not handed in", "3", ""]
    assert rows["cy"] == ["not handed in", "not handed in", "0", "01_attention"]
    assert "http" not in page.replace("<!doctype html>", "")
    soup = BeautifulSoup(page, "html.parser")
    assert [len(table.select("a")) for table in soup.select("table")[:2]] == [3, 3]
    for student in ("ada", "l%20%26%20b", "cy"):
        assert (pages / "students" / f"{student}.html").is_file()


def test_lessons_that_nobody_has_handed_in_yet_take_no_room(pages: Path) -> None:
    assert all(LATER not in path.read_text() for path in pages.rglob("*.html"))


def test_a_picture_shows_the_class_in_each_lesson_and_says_so(pages: Path) -> None:
    [picture] = BeautifulSoup((pages / "course.html").read_text(), "html.parser").select("img")
    alike = "30 to 30, half of them 30 to 30, median 30"
    assert f"01_attention + · 2 of 3: {alike}; 02_multihead · 1 of 3: {alike}." in picture["alt"]
    assert not BeautifulSoup((pages / "students" / "ada.html").read_text(), "html.parser").select("img")


@pytest.mark.parametrize("students", [1, 3, 400])
def test_the_picture_of_the_class_fits_any(students: int) -> None:
    """With lessons that few handed in, or nobody, points by hand alone, all alike, and more than there are."""
    handed = {
        f"s{n}": {"01_one": Handed(n % 31, 30, False, 0), "02_alike": Handed(30, 30, True, 0)}
        | ({"03_first": Handed(12, 10, False, 0), "04_none": Handed(0, 0, False, 0)} if n == 0 else {})
        for n in range(students)
    }
    order = ["01_one", "02_alike", "03_first", "04_none", "05_nobody"]
    ax = points_by_lesson(shares(handed, order, students))
    assert ax is not None
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == [
        f"01_one · {students} of {students}",
        f"02_alike + · {students} of {students}",
        f"03_first · 1 of {students}",
    ]
    assert sum(len(dots.get_offsets()) for dots in ax.collections) == 2 * students + 1
    assert ax.get_xlim()[1] > 120, "points beyond what the lesson has"
    assert "median 100" in ax.get_label() and image(ax)


def test_without_any_submission_there_is_no_picture() -> None:
    assert points_by_lesson(shares({}, LESSONS, 3)) is None
    assert "<img" not in _class(
        {"cy": "Cy"}, {}, LESSONS, {lesson: {} for lesson in LESSONS}, dict.fromkeys(LESSONS), {}
    )


def test_a_students_page_has_the_checks_own_words(pages: Path) -> None:
    page = (pages / "students" / "l%20%26%20b.html").read_text()
    assert "✗ Softmax &lt;b&gt;" in page and "Cross" not in page
    assert rows_of(page, 0)["01_attention"] == ["3 of 10 · 2.0 days late"]


def papers(*rights: tuple[bool, bool]) -> dict[str, dict[str, Handed]]:
    return {
        f"s{n}": {LESSONS[0]: Handed(0, 6, False, 0, [verdict(SOFTMAX, a), verdict(CROSS, b)])}
        for n, (a, b) in enumerate(rights)
    }


def test_an_exercises_numbers_are_share_and_correlation_with_the_rest() -> None:
    asked = {LESSONS[0]: {id: exercises.load("attention")[id] for id in (SOFTMAX, CROSS)}}
    alike = papers(*[(True, True)] * 6, *[(False, False)] * 6)
    softmax, cross = items(alike, LESSONS[:1], asked)
    assert (softmax.right, softmax.students) == (0.5, 12) and softmax.separates == pytest.approx(1)
    assert not softmax.remark and not cross.remark
    apart = papers(*[(True, False)] * 6, *[(False, True)] * 6)
    assert [item.remark for item in items(apart, LESSONS[:1], asked)] == ["doesn't separate"] * 2
    everyone = papers(*[(True, n % 2 == 0) for n in range(12)])
    assert [item.remark for item in items(everyone, LESSONS[:1], asked)] == ["too easy?", ""]
    assert items(everyone, LESSONS[:1], asked)[0].separates is None
    assert Item("", "", 9, 1.0, None).remark == "", "nine students say little"
    # By hand: 1, 1, 0, 0 against 3, 0, 0, 0 is 1.5 / √(1 · 6.75).
    four = papers((True, True), (True, False), (False, False), (False, False))
    assert items(four, LESSONS[:1], asked)[0].separates == pytest.approx(3**-0.5)


def test_two_of_one_name_are_told_apart_and_minutes_are_not_no_days() -> None:
    same = [SimpleNamespace(id=id, first_name="Ada", last_name="Lovelace") for id in ("ada", "ada2")]
    bo = SimpleNamespace(id="bo", first_name=None, last_name=None)
    assert [*called([*same, bo]).values()] == ["bo", "Lovelace, Ada (ada)", "Lovelace, Ada (ada2)"]
    late = [Handed(0, 1, False, days).late for days in (0.0001, 0.01, 0.1, 2)]
    assert late == ["1 min", "14 min", "2 h", "2.0 days"]


@pytest.mark.needs_chromium
def test_a_table_sorts_numbers_as_numbers_and_shows_the_rows_with_a_word(tmp_path: Path) -> None:
    """Also by the keyboard, and a wide one scrolls by itself, its first column in sight."""
    values = (0.5, -0.25, 0.25, -0.5, 10.0, 9.0, None, 1.0, 2.0, 3.0)
    template = """{% extends "student.html.j2" %}
        {% from "tables.html.j2" import number, sorted %}
        {% block content %}
        {% set heads = ["student", "n"] + ["lesson"] * 30 %}
        {% call(value) sorted("C " * 200, heads, values) %}
        <th scope="row">s{{ at(value) }}</th>{{ number(value) }}
        {% for _ in range(30) %}<td>much_to_say</td>{% endfor %}
        {% endcall %}
        {% call sorted("Empty.", heads, []) %}{% endcall %}
        {% endblock %}"""
    text = environment.from_string(template).render(heading="P", values=values, at=values.index)
    (tmp_path / "page.html").write_text(text)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=programs.find(programs.CHROMIUM), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 620, "height": 800})
        page.goto((tmp_path / "page.html").as_uri())
        words = page.locator("caption span").bounding_box()
        assert words["x"] + words["width"] <= 620  # a long caption is read without scrolling
        page.locator("thead button").nth(1).press("Enter")
        shown = page.locator("tbody td:nth-child(2)").all_inner_texts()
        assert shown == ["–", "-0.50", "-0.25", "0.25", "0.50", "1", "2", "3", "9", "10"]
        page.get_by_label("show rows with").fill("S3")
        assert page.locator("tbody tr:visible").count() == 1
        assert page.evaluate("document.documentElement.scrollWidth") <= 620
        page.locator(".wide").evaluate("it => it.scrollLeft = 300")
        assert page.locator("tbody th:visible").bounding_box()["x"] >= 0
        assert "Empty. There is nothing yet." in page.inner_text("main")
        browser.close()


def failed(*verdicts: Verdict) -> Handed:
    return Handed(0, 1, False, 0, list(verdicts))


def test_a_misconception_in_two_lessons_of_one_student_came_back() -> None:
    one, two, cause = "01_attention", "04_masking", "filled_with_infinity"
    asked = {one: exercises.load("attention"), two: exercises.load("masking")}
    where = {lesson: next(id for id, e in of.items() if any(m.name == cause for m in e.misconceptions))
             for lesson, of in asked.items()}  # fmt: skip
    made = {lesson: failed(verdict(id, False, cause)) for lesson, id in where.items()}
    names = {"ada": "Lovelace, Ada", "bo": "Bo", "cy": "Cy"}
    whose = {"ada": made, "bo": {two: made[two]}, "cy": made}
    [back] = again(names, whose, (one, two), asked)
    assert back.lessons == [one, two] and back.students == ["Cy", "Lovelace, Ada"]


def test_a_slip_that_is_overlooked_where_the_exercise_was_wrong_came_back_and_a_line_does_not() -> None:
    asked = {LESSONS[0]: exercises.load("attention"), LESSONS[1]: exercises.load("multihead")}
    overlooked = failed(verdict("multihead.recall_softmax", False, "line_1"))
    wrong, other = failed(verdict(SOFTMAX, False, "shape")), failed(verdict(CROSS, False, "line_1"))
    handed = {"ada": {LESSONS[0]: wrong, LESSONS[1]: overlooked}}
    [back] = again({"ada": "Ada"}, handed, LESSONS, asked)
    assert "Softmax: wrong at first" in back.sentence and back.students == ["Ada"]
    assert not again({"ada": "Ada"}, {"ada": {LESSONS[0]: other, LESSONS[1]: overlooked}}, LESSONS, asked)


def test_minutes_run_from_the_release_through_the_exchange(course: CourseDirectory, tmp_path: Path) -> None:
    course.config.Exchange.root = str(tmp_path / "exchange")
    course.course_id = "headstart"
    assert _released(course, LESSONS[0]) is None
    outbound = tmp_path / "exchange" / "headstart" / "outbound" / LESSONS[0]
    outbound.mkdir(parents=True)
    begun = _released(course, LESSONS[0])
    assert begun and abs(datetime.now(UTC).replace(tzinfo=None) - begun) < timedelta(minutes=10)
    after = {"ada": 60, "bo": 90, "cy": 2_000, "before": -5}
    handed = {
        who: {LESSONS[0]: Handed(0, 1, False, 0, at=begun + timedelta(minutes=minutes))}
        for who, minutes in after.items()
    }
    released = {LESSONS[0]: begun, LESSONS[1]: None}
    page = _class({}, handed, LESSONS, {lesson: {} for lesson in LESSONS}, released, {})
    assert rows_of(page, -1)[LESSONS[0]][1:] == ["3", "60 min", "90 min", "2000 min"]
    assert len(times(handed, LESSONS, released)) == 1


def test_what_was_predicted_stands_beside_what_is_so() -> None:
    name = next(iter(predictions("attention")))
    counts = {LESSONS[0]: {name: Counter(b=3, a=1)}}
    page = _class({}, {}, LESSONS, {lesson: {} for lesson in LESSONS}, dict.fromkeys(LESSONS), counts)
    table = BeautifulSoup(page, "html.parser").select("table")[-1]
    cells = [[cell.text for cell in row.select("td")] for row in table.tbody.select("tr")]
    assert [row[3] for row in cells] == ["1", "3"] and sum(row[4] == "✓ yes" for row in cells) <= 1
    assert all(row[0] == LESSONS[0] and row[1].endswith("?") for row in cells)

"""The first screen of a report: who needs a talk and why, and the class as a map."""

import itertools
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa
from bs4 import BeautifulSoup
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from playwright.sync_api import sync_playwright
from traitlets.config import Config

from autograder import exercises, programs
from autograder.classroom.database import GRADING, make_grading
from autograder.classroom.reports import pictures
from autograder.classroom.reports.course import _class, report_course
from autograder.classroom.reports.lesson import page as lesson_page
from autograder.classroom.reports.tables import natural
from autograder.classroom.reports.talks import said_once, talks
from autograder.classroom.reports.weeks import Handed
from autograder.results import Verdict
from helpers.checking.finding import SIGNS, Status
from helpers.figures.showing import image
from tests.support.browser import AXE, CHROMIUM_OPTIONS, VIOLATIONS
from tests.support.proved import PROJECT, follows_from

pytestmark = follows_from(*PROJECT)

LESSONS = ("01_attention", "02_multihead", "03_positional")


def verdicts(lesson: str, went: list[Status]) -> list[Verdict]:
    """One verdict for each exercise, as said, the last of them for the rest."""
    asked = [*exercises.load(lesson[3:]).values()]
    found = []
    for number, exercise in enumerate(asked):
        status = went[min(number, len(went) - 1)]
        points = float(exercise.points)
        message = f"{SIGNS[status]} {exercise.title} · <i>case</i> 1 of 6"
        found.append(Verdict(exercise.id, status, points * (status == Status.PASSED), points, message))
    return found


def handed(lesson: str, *went: Status, late: float = 0) -> Handed:
    found = verdicts(lesson, [*went] or [Status.PASSED])
    points, possible = (sum(getattr(each, name) for each in found) for name in ("points", "max_points"))
    return Handed(points, possible, False, late, found)


def a_class(students: int) -> dict[str, dict[str, Handed]]:
    """Most have all. One handed in nothing, one not the last, one is blank from the second on, one is late."""
    found = {f"s{n}": {lesson: handed(lesson) for lesson in LESSONS} for n in range(1, students + 1)}
    found["s2"] = {}
    del found["s10"]["03_positional"]
    found["s11"] |= {lesson: handed(lesson, Status.NOT_WRITTEN) for lesson in LESSONS[1:]}
    found["s3"]["01_attention"] = handed(LESSONS[0], Status.FAILED, Status.NOT_RUN, Status.PASSED)
    return found


def test_who_is_furthest_behind_comes_first_and_the_reasons_are_said() -> None:
    of = a_class(12)
    found = talks(of, of, LESSONS, {"s10": ["again in 02_multihead: a slip"]})
    assert [(talk.student, talk.behind) for talk in found[:3]] == [("s2", 3), ("s11", 2), ("s10", 1)]
    why = {talk.student: talk.why for talk in found}
    assert why["s2"] == ["nothing handed in"]
    count = len(exercises.load("multihead"))
    assert why["s11"][0] == (
        "02_multihead: 0% of the points (median 100%, in earlier lessons 100%); "
        f"of {count} exercises, {count} not written"
    )
    assert why["s10"] == ["not handed in: 03_positional", "again in 02_multihead: a slip"]
    behind = {talk.student: talk.behind for talk in found}
    lost = 1 - of["s3"]["01_attention"].points / of["s3"]["01_attention"].possible
    assert behind.get("s3", 0) == pytest.approx(lost if lost >= 0.25 else 0)


def test_what_few_have_handed_in_yet_is_nobodys_fault() -> None:
    of = {f"s{n}": {LESSONS[0]: handed(LESSONS[0])} for n in range(10)}
    of["s0"][LESSONS[1]] = handed(LESSONS[1], Status.FAILED)
    assert not talks(of, of, LESSONS, {})


def test_lateness_is_named_once_it_repeats_but_is_no_reason_by_itself() -> None:
    of = {f"s{n}": {lesson: handed(lesson, late=n) for lesson in LESSONS} for n in range(3)}
    assert not talks(of, of, LESSONS, {})
    of["s2"][LESSONS[2]] = handed(LESSONS[2], Status.FAILED, late=1)
    [talk] = talks(of, of, LESSONS, {})
    assert talk.why[-1] == "late 3 times"


def test_numbers_in_names_are_sorted_as_numbers() -> None:
    names = ["s10", "S2", "s1", "ß", "s2b", "10", "9", "s٣"]
    assert sorted(names, key=natural) == ["9", "10", "s1", "S2", "s2b", "s٣", "s10", "ß"]
    assert sorted(["Weiß", "Çelik", "Abel"], key=natural) == ["Abel", "Çelik", "Weiß"]


def test_what_to_look_at_next_says_each_reason_for_not_running_once() -> None:
    failed = Verdict("a.one", Status.FAILED, 0, 1, "✗ One · case 2\n  likely cause   A slip.")
    other = replace(failed, exercise="a.two", message="✗ Two · case 2\n  likely cause   A slip.")
    rest = [Verdict(f"a.{n}", Status.NOT_RUN, 0, 1) for n in ("three", "four")]
    found = said_once([failed, rest[0], other, rest[1]], {"a.three": "Three", "a.four": "Four"})
    assert found == [
        ("One", "case 2. A slip."),
        ("Three and 1 more", "not run"),
        ("Two", "case 2. A slip."),
    ]


def record(course: CourseDirectory, found: dict[str, dict[str, Handed]]) -> None:
    """Have a class in a gradebook."""
    with Gradebook(course.db_url) as book:
        make_grading(book.db)
        for lesson in LESSONS:
            book.add_assignment(lesson)
            book.add_notebook(lesson, lesson)
            best = next(of[lesson].possible for of in found.values() if lesson in of)
            book.add_grade_cell("all", lesson, lesson, max_score=best, cell_type="code")
        for student, of in found.items():
            book.add_student(student, last_name=f"<i>{student}")
            for lesson, work in of.items():
                book.add_submission(lesson, student)
                grade = book.find_grade("all", lesson, lesson, student)
                grade.auto_score, grade.needs_manual_grade = work.points, False
                row = {"assignment": lesson, "student": student, "digest": "", "remarks": "[]"}
                told = json.dumps([vars(each) for each in work.verdicts])
                row |= {"verdicts": told, "problem": work.problem}
                book.db.execute(sa.insert(GRADING), row)
        book.db.commit()


@pytest.fixture
def course(tmp_path: Path) -> CourseDirectory:
    config = Config()
    config.CourseDirectory.root = str(tmp_path)
    return CourseDirectory(config=config)


def test_the_map_has_a_sign_for_each_exercise_of_each_student(course: CourseDirectory) -> None:
    of = a_class(12)
    of["s12"][LESSONS[2]] = replace(handed(LESSONS[2], Status.NOT_RUN), problem="there is no <notebook>")
    record(course, of)
    report_course(course)
    text = Path(course.root, "reports/course.html").read_text()
    soup = BeautifulSoup(text, "html.parser")
    assert not soup.select("i"), "names and messages are text"
    table = soup.select_one(".heat table")
    lessons = [head.text for head in table.select("th[scope=colgroup]")]
    assert lessons == [*LESSONS]
    titles = [head.text for head in table.select("thead tr:last-child th")]
    asked = [["points, %", *(e.title for e in exercises.load(lesson[3:]).values())] for lesson in LESSONS]
    assert titles == ["student", *itertools.chain(*asked)]
    rows = {row.th.text: [cell.text for cell in row.select("td")] for row in table.select("tbody tr")}
    assert [*rows] == [f"<i>s{n}" for n in range(1, 13)], "2 comes before 10"
    assert all(len(row) == len(titles) - 1 for row in rows.values())
    width = len(asked[0])
    assert rows["<i>s1"][:width] == ["100", *"✓" * (width - 1)]
    assert rows["<i>s3"][1:4] == ["✗", "⊘", "✓"]
    assert set(rows["<i>s2"]) == {"–", "·"} and "○" in rows["<i>s11"]
    legend = soup.select_one(".legend").text
    assert all(word in legend for word in ("passed", "failed", "not written", "not run", "not handed in"))
    first = [one.get_text(" ", strip=True) for one in soup.select(".talks > ol > li")]
    assert first[0] == "<i>s2 , 3 lessons behind nothing handed in"
    assert first[1].startswith("<i>s11 , 2 lessons behind 02_multihead: 0% of the points")
    count = len(exercises.load("positional"))
    assert any(one.endswith(f"{count} exercises, {count} not run: there is no <notebook>") for one in first)
    page = BeautifulSoup(Path(course.root, "reports/students/s3.html").read_text(), "html.parser")
    steps = [one.text for one in page.select("ol > li")]
    titles = [e.title for e in exercises.load("attention").values()]
    assert steps == [
        f"01_attention: {titles[0]}, <i>case</i> 1 of 6",
        f"01_attention: {titles[1]}, <i>case</i> 1 of 6",
    ]


def test_a_lessons_page_has_the_same_for_its_students() -> None:
    asked = exercises.load("attention")
    of = a_class(12)
    rows = [(student, "", work[LESSONS[0]].verdicts) for student, work in of.items() if work]
    rows[0] = ("s1", "the file is <empty>", verdicts(LESSONS[0], [Status.NOT_RUN]))
    soup = BeautifulSoup(lesson_page(LESSONS[0], rows, asked), "html.parser")
    best = sum(exercise.points for exercise in asked.values())
    [first, *_] = [one.get_text(" ", strip=True) for one in soup.select(".talks > ol > li")]
    assert first.startswith(f"s1 , {best} points behind") and first.endswith("not run: the file is <empty>")
    signs = [cell.text for cell in soup.select_one(".heat tbody tr").select("td")]
    assert signs == ["0", *"⊘" * len(asked)]


@pytest.mark.needs_chromium
@pytest.mark.parametrize("students", [40, 400])
def test_a_class_of_forty_fits_a_screen_and_no_page_has_a_barrier(tmp_path: Path, students: int) -> None:
    """Wide and on a phone, light and dark. A class of 400 scrolls in its own frames, their heads in sight.

    On paper, where nothing scrolls, all of it is there, with whole names.
    """
    of = a_class(students)
    names = {student: f"<i>{student}" + ", Maximiliane Constanze" * (students == 400) for student in of}
    asked = {lesson: exercises.load(lesson[3:]) for lesson in LESSONS}
    first = talks(of, of, LESSONS, {})
    path = tmp_path / "course.html"
    path.write_text(_class(names, of, LESSONS, asked, dict.fromkeys(LESSONS), {}, first))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=programs.find(programs.CHROMIUM), args=list(CHROMIUM_OPTIONS)
        )
        for width, height, scheme in ((1280, 800, "light"), (1280, 800, "dark"), (390, 844, "dark")):
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            page.goto(path.as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            last = page.locator(".heat tbody tr").last
            if width == 1280 and students == 40:
                assert last.evaluate("row => row.getBoundingClientRect().bottom") <= height
            if students == 40:
                page.evaluate(AXE.read_text())
                assert page.evaluate(VIOLATIONS) == []
            else:
                for table in (".heat", ".wide"):
                    page.locator(f"{table} tbody tr").nth(students - 1).scroll_into_view_if_needed()
                    frame = page.locator(table).first.bounding_box()
                    head = page.locator(f"{table} thead").first.bounding_box()
                    assert frame["height"] < height and head["y"] >= frame["y"] - 1
                page.emulate_media(media="print")
                cut = "all => all.filter(name => name.scrollWidth > name.clientWidth).length"
                assert page.locator(".heat tbody th").evaluate_all(cut) == 0
                assert page.locator(".wide").first.bounding_box()["height"] > 10 * height
            page.close()
        page = browser.new_page()
        page.goto(path.as_uri())
        page.locator(".heat thead tr:last-child button").nth(1).press("Enter")
        assert page.locator(".heat tbody th").first.inner_text() == names["s2"], "fewest points first"
        browser.close()


@pytest.mark.needs_chromium
def test_what_is_folded_is_open_on_paper(tmp_path: Path) -> None:
    of = a_class(12)
    names = {student: student for student in of}
    asked: dict = {lesson: {} for lesson in LESSONS}
    many = [talk._replace(why=talk.why * 4) for talk in talks(of, of, LESSONS, {})] * 4
    path = tmp_path / "course.html"
    path.write_text(_class(names, of, LESSONS, asked, dict.fromkeys(LESSONS), {}, many))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=programs.find(programs.CHROMIUM), args=list(CHROMIUM_OPTIONS)
        )
        page = browser.new_page()
        page.goto(path.as_uri())
        shown = "all => all.map(each => each.checkVisibility())"
        folded = page.locator("details li")
        assert {*folded.evaluate_all(shown)} == {False}
        page.emulate_media(media="print")
        assert {*folded.evaluate_all(shown)} == {True}
        browser.close()


def test_pictures_of_points_become_as_narrow_as_a_phone() -> None:
    """What scrolls out of sight would be the right end, where most of the class is."""
    lessons = {f"{lesson} + · 10 of 10": [70.0, 80.0, 90.0] for lesson in LESSONS}
    for drawn in (pictures.points([20.0, 22.0, 23.0], 23), pictures.points_by_lesson(lessons)):
        assert drawn
        assert max(int(least) for least in re.findall(r"min-width:(\d+)px", image(drawn))) <= 390 - 32

"""Whose points a regrade changes, and who has to be told."""

import contextlib
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest
from rich.console import Console

from autograder.classroom.by_hand import TAKEN_BACK
from autograder.classroom.changes import AGAIN, OLD, PERHAPS, UNSEEN, Change, _tell, lines, shown
from autograder.classroom.course import course_directory
from autograder.classroom.marking import marks
from autograder.classroom.marking.desk import Desk
from autograder.classroom.marking.marks import Mark
from autograder.classroom.marking.questions import asked
from tests.support.course import LESSON, Course
from tests.support.proved import ENGINE, follows_from

pytestmark = [pytest.mark.needs_bubblewrap, pytest.mark.timeout(600), follows_from(*ENGINE)]
SOFTMAX = "attention.softmax"
WRONG = {SOFTMAX: "def softmax(x, dim):\n    return x"}
STUDENTS = ("amy", "bob", "cid", "dan")


@pytest.fixture
def course(tmp_path) -> Course:
    """Four students, of whom all but cid have feedback. bob hands in again, and dan's softmax is overruled.

    Then the exercise changes, as it seems from the gradebook: all have 1 point of 3 for it.
    """
    course = Course(tmp_path / "course")
    for student in STUDENTS:
        course.hand_in(student)
    at_noon(course, "bob", 10)
    course.run("headstart", "grade", LESSON)
    for student in ("amy", "bob", "dan"):
        page = course.root / "feedback" / student / LESSON / f"{LESSON}.html"
        page.parent.mkdir(parents=True)
        page.write_text("3 of 3")
    for student, text in course.query("select student, verdicts from headstart_grading"):
        verdicts = [
            {**v, "key": "", "points": 1.0} if v["exercise"] == SOFTMAX else v for v in json.loads(text)
        ]
        course.query(
            f"update headstart_grading set digest = 'before', verdicts = '{json.dumps(verdicts)}' "
            f"where student = '{student}'".replace("’", "'")
        )
    course.hand_in("bob", WRONG)
    at_noon(course, "bob", 11)
    return course


def at_noon(course: Course, student: str, day: int) -> None:
    """Beside what a student has handed in, when that was, as nbgrader and `headstart collect` write it."""
    (course.submission(student) / "timestamp.txt").write_text(f"2026-01-{day} 12:00:00 UTC")


def files(course: Course) -> dict[Path, bytes]:
    """All that is recorded. Which hidden draws are fit is kept as well, and says nothing of anybody."""
    paths = [path for path in course.root.rglob("*") if path.is_file()]
    return {path: path.read_bytes() for path in paths if ".headstart_draws" not in path.parts}


def rows(said: str) -> list[list[str]]:
    return [
        [cell.strip() for cell in line.strip("│").split("│")]
        for line in said.partition("Points that changed")[2].splitlines()
        if line.startswith("│")
    ]


CHANGED = [
    ["amy", "Softmax", "1 of 3", "3 of 3", OLD],
    ["bob", "Softmax", "1 of 3", "0 of 3", AGAIN],
    ["cid", "Softmax", "1 of 3", "3 of 3", UNSEEN],
]


def test_a_dry_run_says_whose_points_would_change_and_writes_nothing(course) -> None:
    course.query(
        "update grade set manual_score = 3 where notebook_id in (select n.id from submitted_notebook n "
        "join submitted_assignment a on a.id = n.assignment_id where a.student_id = 'dan') "
        "and cell_id in (select id from base_cell where name = 'attention-softmax')"
    )
    before = files(course)
    done = course.run("headstart", "grade", LESSON, "--dry-run")
    found = rows(done.stdout)
    assert [row for row in found if row[1] == "Softmax"] == CHANGED  # dan's points are a person's
    assert "1 student to tell. New feedback: `nbgrader generate_feedback 01_attention --force`" in done.stdout
    assert "Nothing was recorded." in done.stdout and "What failed most" not in done.stdout
    assert files(course) == before
    regraded = course.run("headstart", "grade", LESSON)
    assert rows(regraded.stdout) == found and "Nothing was recorded" not in regraded.stdout
    again = course.run("headstart", "grade", LESSON, "--force")
    assert "Points that changed" not in again.stdout  # nothing has
    dry = course.run("headstart", "grade", LESSON, "--dry-run", "--force")
    assert "Nothing was recorded. No points would change." in dry.stdout


def test_before_anything_is_recorded_a_dry_run_is_refused_and_makes_no_gradebook(tmp_path) -> None:
    course = Course(tmp_path / "course")
    course.hand_in("amy")
    before = files(course)
    url = f"--CourseDirectory.db_url=sqlite:///{course.root}/gradebook.db"  # or the test's own would be there
    done = course.run("headstart", "grade", LESSON, "--dry-run", url, check=False)
    assert done.returncode == 2 and f"nothing of {LESSON} is recorded yet: grade it first" in done.stderr
    assert files(course) == before


def test_every_change_is_listed_and_each_student_counted_once() -> None:
    changes = [Change(f"s{n:03}", title, "0 of 1", "1 of 1", OLD) for n in range(60) for title in "ab"]
    console = Console(file=io.StringIO(), width=120)
    console.print(shown(changes, LESSON))
    said = console.file.getvalue()
    assert len(rows(said)) == 120 and "60 students to tell" in said


def test_those_who_need_not_be_told_share_a_row() -> None:
    changes = [Change(f"s{n:03}", title, "0 of 1", "1 of 1", UNSEEN) for n in range(60) for title in "ab"]
    console = Console(file=io.StringIO(), width=120)
    console.print(shown([*changes, Change("z", "a", "0 of 1", "1 of 1", OLD)], LESSON))
    said = console.file.getvalue()
    assert rows(said) == [
        ["s000, s001, s002 and 57 more", "a", "0 of 1", "1 of 1", UNSEEN],
        ["s000, s001, s002 and 57 more", "b", "0 of 1", "1 of 1", UNSEEN],
        ["z", "a", "0 of 1", "1 of 1", OLD],
    ]
    assert "1 student to tell" in said


def repointed(course: Course, points: dict[str, float]) -> None:
    """Points changed in the source, as nbgrader's *Create Assignment* does it."""
    path = course.root / "source" / LESSON / f"{LESSON}.ipynb"
    source = json.loads(path.read_text())
    for cell in source["cells"]:
        flags = cell["metadata"].get("nbgrader", {})
        if flags.get("grade_id") in points:
            flags["points"] = points[flags["grade_id"]]
    path.write_text(json.dumps(source))


def test_points_of_written_questions_changed_in_the_source_are_said_too(course) -> None:
    repointed(course, {SOFTMAX.replace(".", "-"): 4.5, "attention-self_or_encoder": 6})
    course.hand_in("amy")
    said = course.run("headstart", "grade", LESSON).stderr
    assert "not as built: Softmax 4.5 instead of 3; Question 1.7 6 instead of 5\n" in said


def test_points_changed_in_the_source_are_the_ones_that_count(tmp_path) -> None:
    """One exercise has more of them, one is dropped for all, and one student has a bonus.

    Who has none of them has to be told as well: their maximum changed. So has who got their points from a person.
    """
    course = Course(tmp_path / "course")
    course.hand_in("amy")
    course.hand_in("bob", WRONG | {"attention.additive": "def additive_attention(*given):\n    return given"})
    course.hand_in("cid", WRONG)
    course.run("headstart", "grade", LESSON)
    full = sum(verdict["points"] for verdict in course.verdicts()["amy"].values())
    course.query(
        "update grade set extra_credit = 2 where notebook_id in (select n.id from submitted_notebook n "
        "join submitted_assignment a on a.id = n.assignment_id where a.student_id = 'amy') "
        "and cell_id in (select id from base_cell where name = 'attention-softmax')"
    )
    course.query(
        "update grade set manual_score = 2 where notebook_id in (select n.id from submitted_notebook n "
        "join submitted_assignment a on a.id = n.assignment_id where a.student_id = 'cid') "
        "and cell_id in (select id from base_cell where name = 'attention-softmax')"
    )
    repointed(course, {"attention-softmax": 4.5, "attention-additive": 0})
    done = course.run("headstart", "grade", LESSON)
    assert "Softmax 4.5 instead of 3; Additive attention 0 instead of 3\n" in done.stderr
    assert [row[:4] for row in rows(done.stdout)] == [
        ["amy, cid", "Additive attention", "3 of 3", "0 of 0"],
        ["amy", "Softmax", "3 of 3", "4.5 of 4.5"],
        ["bob", "Additive attention", "0 of 3", "0 of 0"],
        ["bob", "Softmax", "0 of 3", "0 of 4.5"],
        ["cid", "Softmax", "2 of 3", "2 of 4.5"],
    ]
    verdicts = course.verdicts()
    assert sum(verdict["points"] for verdict in verdicts["amy"].values()) == full + 1.5 - 3
    assert "8 of 8 cases · 4.5 points" in verdicts["amy"][SOFTMAX]["message"]
    assert (verdicts["bob"][SOFTMAX]["points"], verdicts["bob"][SOFTMAX]["max_points"]) == (0, 4.5)
    most = {name: score for name, score in course.query(
        "select base_cell.name, grade_cells.max_score from grade_cells join base_cell on base_cell.id = grade_cells.id"
    )}  # fmt: skip
    recorded = {
        verdict["exercise"].replace(".", "-"): verdict["max_points"] for verdict in verdicts["amy"].values()
    }
    assert recorded.items() <= most.items()
    course.run("nbgrader", "generate_feedback", LESSON)
    amys, bobs = (
        (course.root / "feedback" / student / LESSON / f"{LESSON}.html").read_text()
        for student in ("amy", "bob")
    )
    assert "with a bonus of 2 points" in amys and "bonus" not in bobs
    assert "✓ right · counts for nothing" in amys
    assert re.search("✗ case 1 of [^<]* · counts for nothing", bobs)


WRITTEN = "attention-self_or_encoder"  # 5 points, for Question 1.7
IN_WRITING = {"attention.self_or_encoder": "They share the look-up."}


@contextlib.contextmanager
def sheet(course: Course) -> Iterator[Desk]:
    """The written question on the marking page."""
    directory, _ = course_directory(course.root)
    [question] = [each for each in asked(directory, LESSON) if each.cell == WRITTEN]
    with marks.marking(directory) as db:
        yield Desk(db, directory, LESSON, question)


def by_hand(course: Course) -> dict[str, Mark]:
    with sheet(course) as seen:
        return {entry.student: replace(entry.mark, comment="") for entry in seen.entries.values()}


def test_points_for_a_written_answer_stay_within_a_changed_maximum(tmp_path) -> None:
    """Halved, dropped and given back: nobody has more points than there are, and no mark is lost."""
    course = Course(tmp_path / "course")
    given = {"amy": Mark(5.0, False, ""), "bob": Mark(1.0, False, ""), "cid": Mark(None, True, "")}
    for student in given:
        course.hand_in(student, IN_WRITING)
    course.run("headstart", "grade", LESSON)
    with sheet(course) as seen:
        marks.change(seen.db, "eve", [(entry, given[entry.student]) for entry in seen.entries.values()])
    page = course.root / "feedback" / "amy" / LESSON / f"{LESSON}.html"
    page.parent.mkdir(parents=True)
    page.write_text("5 of 5")

    repointed(course, {WRITTEN: 2.5})
    halved = [
        ["amy", "Question 1.7", "5 of 5", "2.5 of 2.5, waits", OLD],
        ["bob", "Question 1.7", "1 of 5", "1 of 2.5", UNSEEN],
    ]
    tried = course.run("headstart", "grade", LESSON, "--dry-run")
    assert rows(tried.stdout) == halved and by_hand(course) == given
    done = course.run("headstart", "grade", LESSON)
    assert rows(done.stdout) == halved
    assert "5 written answers are left to grade" in done.stdout  # amy's, cid's, and three to another one
    assert by_hand(course) == given | {"amy": Mark(2.5, True, "")}
    with sheet(course) as seen, pytest.raises(ValueError, match=r"5 points: this question has 0 to 2\.5"):
        seen.undo({"grader": "eve", "undo": seen.steps[0]["step"]})

    repointed(course, {WRITTEN: 0})
    done = course.run("headstart", "grade", LESSON)
    assert [row[:4] for row in rows(done.stdout)] == [
        ["amy", "Question 1.7", "2.5 of 2.5", "0 of 0"],
        ["bob", "Question 1.7", "1 of 2.5", "0 of 0"],
    ]
    assert "3 written answers" in done.stdout  # the other question's: this one waits for nobody
    assert set(by_hand(course).values()) == {Mark(None, False, "")}
    course.run("nbgrader", "generate_feedback", LESSON, "--student=amy", "--force")
    assert "counts for nothing" in page.read_text()

    repointed(course, {WRITTEN: 5})
    done = course.run("headstart", "grade", LESSON)
    assert "6 written answers" in done.stdout
    with sheet(course) as seen:
        assert [step["grader"] for step in seen.steps] == [TAKEN_BACK, TAKEN_BACK, "eve"]
        seen.undo({"grader": "eve", "undo": seen.steps[0]["step"]})
    assert by_hand(course) == given | {"amy": Mark(2.5, True, "")}
    with sheet(course) as seen:
        seen.undo({"grader": "eve", "undo": seen.steps[2]["step"]})  # the first is the undoing
    assert by_hand(course) == given


def test_nbgraders_autograde_says_whose_points_changed_too(course) -> None:
    done = course.run("nbgrader", "autograde", LESSON, "--force", "--student=amy")
    assert "amy: Softmax, 1 of 3 before, 3 of 3 now (tell them: " in done.stderr


@pytest.fixture
def book(tmp_path) -> Mock:
    """amy's page and what was graded last, with nothing beside them; they wrote "1"."""
    folders = [tmp_path / "feedback", tmp_path / "autograded"]
    for folder in folders:
        folder.mkdir()
    (folders[0] / "page.html").touch()
    (folders[1] / "x.ipynb").write_text(notebook("1"))
    book = Mock(folders=folders)
    book.course.format_path.return_value, book.path.return_value = str(folders[0]), folders[1] / "x.ipynb"
    return book


def notebook(answer: str) -> str:
    """One with an answer and a cell of the course's own."""
    marked = {"nbgrader": {"solution": True}}
    return json.dumps({"cells": [{"metadata": marked, "source": answer}, {"metadata": {}, "source": answer}]})


def tell(book: Mock, answer: str, time: str) -> str:
    files = {"timestamp.txt": f"2026-01-01 {time}:00:00 UTC".encode()} if time else {}
    paper = Mock(notebook=notebook(answer))
    paper.name = "x"
    return _tell(book, Mock(papers=(paper,), student="amy", files=files))


@pytest.mark.parametrize("hour", ["11", "13"], ids=["after the clock was set back", "later"])
@pytest.mark.parametrize("beside", [0, 1], ids=["the page", "what was graded"])
def test_who_handed_in_at_another_time_needs_no_word(book, hour, beside) -> None:
    """Whatever the clock says: it is another submission. Answers that a new grader reads otherwise are none."""
    (book.folders[beside] / "timestamp.txt").write_text("2026-01-01 12:00:00 UTC")
    assert tell(book, "1", hour) == tell(book, "2", hour) == AGAIN
    assert tell(book, "1", "12") == tell(book, "2", "12") == OLD
    assert tell(book, "1", "") == OLD
    (book.folders[0] / "page.html").unlink()
    assert tell(book, "2", "12") == UNSEEN


def test_without_times_nobody_is_said_to_have_handed_in_again_for_sure(book) -> None:
    assert tell(book, "1", "") == tell(book, "1", "12") == OLD
    assert tell(book, "2", "") == PERHAPS
    (book.folders[0] / "page.html").unlink()
    assert tell(book, "2", "") == UNSEEN


def test_where_no_table_can_be_shown_a_line_says_who_has_to_be_told() -> None:
    changes = [
        Change("bob", "Softmax", "0 of 3", "3 of 3", OLD),
        Change("amy", "Softmax", "0 of 3", "3 of 3", AGAIN),
    ]
    assert lines(changes) == [f"bob: Softmax, 0 of 3 before, 3 of 3 now (tell them: {OLD})"]

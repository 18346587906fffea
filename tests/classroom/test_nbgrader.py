"""Our grading inside nbgrader's own way of working, from release to the feedback a student fetches."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from autograder.lessons import ROOT
from tests.support.course import LESSON, Course, complaints
from tests.support.proved import ENGINE, follows_from

pytestmark = [pytest.mark.timeout(600), follows_from(*ENGINE)]
UNSCALED = """def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = softmax(scores, dim=-1)
    return weights @ v, weights
"""
QUESTION = "attention-self_or_encoder"


class Student:
    """A student with a folder of their own."""

    def __init__(self, name: str, course: Course, folder: Path) -> None:
        self.name, self.course, self.folder = name, course, folder
        folder.mkdir()
        (folder / "nbgrader_config.py").write_text(
            f"c = get_config()\nc.CourseDirectory.course_id = 'headstart'\n"
            f"c.Exchange.root = {str(course.root / 'exchange')!r}\nc.Exchange.cache = {str(folder / '.cache')!r}\n"
        )

    def nbgrader(self, *command: str) -> None:
        extra = ("--student", self.name) if command[0] in ("submit", "fetch_feedback") else ()
        self.course.run("nbgrader", *command, "--course", "headstart", *extra, cwd=self.folder)

    def write(self, answers: dict[str, str]) -> None:
        """Fill the fetched notebook: the lesson's solutions, and these answers in place of some."""
        path = self.folder / LESSON / f"{LESSON}.ipynb"
        notebook = nbformat.read(path, as_version=4)
        solved = {c.id: c.source for c in self.course.solved().cells}
        for cell in notebook.cells:
            name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
            if cell.metadata.get("nbgrader", {}).get("solution"):
                usual = solved[cell.id] if cell.cell_type == "code" else "In my own words."
                cell.source = answers.get(name.removesuffix("-answer"), usual)
        nbformat.write(notebook, path)


@pytest.mark.needs_bubblewrap
def test_the_whole_cycle_with_two_students(tmp_path) -> None:
    course = Course(tmp_path / "course")
    (course.root / "exchange").mkdir()
    course.run("nbgrader", "generate_assignment", LESSON)
    course.run("nbgrader", "release_assignment", LESSON)
    amy, bob = (Student(name, course, tmp_path / name) for name in ("amy", "bob"))
    for student in (amy, bob):
        student.nbgrader("fetch_assignment", LESSON)
    amy.write({QUESTION: "All three from one sequence."})
    bob.write({"attention-scaled_dot_product": UNSCALED, QUESTION: "I don't know."})
    for student in (amy, bob):
        (student.folder / LESSON / "my_model.html").write_text("to send home")
        student.nbgrader("submit", LESSON)
    assert not [*(course.root / "exchange").rglob("my_model.html")]
    course.run("nbgrader", "collect", LESSON)
    done = course.run("headstart", "grade", LESSON)
    assert "2 students" in done.stdout
    assert "4 written answers are left to grade" in done.stdout
    assert "not divided by √d_k" in done.stdout

    # A person reads the written answers in formgrader, which comes down to this.
    cell = "select id from base_cell where name = ?".replace("?", f"'{QUESTION}'")
    course.query(f"update grade set manual_score = 3, needs_manual_grade = 0 where cell_id in ({cell})")

    course.run("nbgrader", "generate_feedback", LESSON)
    done = course.run("nbgrader", "release_feedback", LESSON)
    assert f"2 written answers are left to grade in {LESSON}" in done.stderr
    one = course.run("nbgrader", "release_feedback", LESSON, "--student=amy")
    assert f"1 written answer is left to grade in {LESSON}" in one.stderr  # of those that are released
    for student in (amy, bob):
        student.nbgrader("fetch_feedback", LESSON)
    [page] = (bob.folder / LESSON / "feedback").rglob("*.html")
    text = page.read_text()
    assert "The scores are not divided by √d_k" in text  # each lost point has its reason
    assert "Rubric" not in text  # nor anything else of the solutions
    [page] = (amy.folder / LESSON / "feedback").rglob("*.html")
    assert "✗" not in page.read_text()

    done = course.run("nbgrader", "export")
    assert f"{LESSON}: written answers wait for their points" in done.stderr
    with open(course.root / "grades.csv", newline="") as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file)}
    points = {c.metadata.nbgrader.grade_id: c.metadata.nbgrader.points for c in course.solved().cells
              if c.metadata.get("nbgrader", {}).get("grade")}  # fmt: skip
    written = sum(
        value for name, value in points.items() if not course.verdicts()["amy"].get(name.replace("-", ".", 1))
    )
    assert float(rows["amy"]["max_score"]) == sum(points.values())
    assert float(rows["amy"]["score"]) == sum(points.values()) - written + 3
    lost = [v for v in course.verdicts()["bob"].values() if v["status"] != "passed"]
    assert "attention.scaled_dot_product" in {verdict["exercise"] for verdict in lost}
    assert float(rows["bob"]["score"]) == float(rows["amy"]["score"]) - sum(v["max_points"] for v in lost)


def test_validate_shows_the_messages_of_the_checks(tmp_path) -> None:
    course = Course(tmp_path / "course")
    notebook = course.solved()
    for cell in notebook.cells:
        if cell.id == "attention-scaled_dot_product-answer":
            cell.source = UNSCALED
        if cell.id == "attention-additive-answer":
            cell.source = "def additive_attention(*args):\n    raise NotImplementedError()"
    folder = course.root / "source" / LESSON
    nbformat.write(notebook, folder / "mine.ipynb")
    progress = tmp_path / "progress.json"
    done = course.run("nbgrader", "validate", "mine.ipynb", cwd=folder, HEADSTART_PROGRESS=str(progress))
    assert "✗ Scaled dot-product attention" in done.stdout
    assert "The scores are not divided by √d_k" in done.stdout
    assert "○ Additive attention · not written yet" in done.stdout
    assert "Traceback" not in done.stdout
    assert not progress.exists() or "attention.softmax" not in progress.read_text()


# -- our engine behind nbgrader's own command ------------------------------------------------------------


@pytest.mark.promise(48)
def test_nbgrader_autograde_runs_our_engine(tmp_path):
    """That is also what formgrader's Autograde buttons call."""
    by_nbgrader, by_us = Course(tmp_path / "nbgrader"), Course(tmp_path / "us")
    for course in (by_nbgrader, by_us):
        (course.root / ".headstart_secret").write_text("of this test" * 3)
        course.run("nbgrader", "generate_assignment", LESSON)
        course.hand_in("amy")
        folder = course.hand_in("bob", {"attention.scaled_dot_product": UNSCALED}).parent
        for path in (folder / "page.html", folder / "helpers" / "page.html"):
            path.parent.mkdir(exist_ok=True)
            path.write_text("<script>alert(1)</script>")
    by_nbgrader.run("nbgrader", "autograde", LESSON)
    by_us.run("headstart", "grade", LESSON)
    assert by_nbgrader.verdicts() == by_us.verdicts()
    assert by_nbgrader.scores() == by_us.scores()
    for student in ("amy", "bob"):
        assert by_nbgrader.autograded(student) == by_us.autograded(student)
    for course in (by_nbgrader, by_us):  # where it would run with the rights of who opens it
        assert [path.name for path in course.root.glob("autograded/bob/**/page*")][:1] == ["page.html.txt"]
        assert not list(course.root.glob("autograded/**/*.html"))
    assert "0 graded, 2 as before" in by_nbgrader.run("headstart", "grade", LESSON).stdout


@pytest.mark.needs_bubblewrap
def test_nbgrader_autograde_runs_without_the_rights_of_root(tmp_path):
    """Root may write to a file that is read-only, as the graded notebook is in the end."""
    course = Course(tmp_path / "course")
    course.run("nbgrader", "generate_assignment", LESSON)
    course.hand_in("amy")
    ordinary = ["setpriv", "--bounding-set=-dac_override"] if os.geteuid() == 0 else []
    done = subprocess.run(
        [*ordinary, sys.executable, "-m", "nbgrader", "autograde", LESSON],
        cwd=course.root, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


ZERO = "\nc.LateSubmissionPlugin.penalty_method = 'zero'\n"
SCORES = "select student_id, sum(coalesce(late_submission_penalty, 0)) from submitted_notebook join submitted_assignment on submitted_assignment.id = submitted_notebook.assignment_id group by student_id"


def test_lateness_costs_what_the_course_says_and_an_extension_gives_it_back(tmp_path):
    course = Course(tmp_path / "course")
    with (course.root / "nbgrader_config.py").open("a") as config:
        config.write(ZERO)
    for student, day in (("amy", 1), ("bob", 3)):
        course.hand_in(student)
        (course.submission(student) / "timestamp.txt").write_text(f"2026-01-0{day} 12:00:00 UTC")
    course.run("headstart", "grade", LESSON)
    assert dict(course.query(SCORES)) == {"amy": 0, "bob": 0}
    course.query("update assignment set duedate = '2026-01-02 12:00:00'")
    course.run("headstart", "grade", LESSON)  # nothing to grade, and yet bob is late now
    full = sum(verdict["points"] for verdict in course.verdicts()["bob"].values())
    assert dict(course.query(SCORES)) == {"amy": 0, "bob": full}
    said = course.run("headstart", "extend", LESSON, "bob", "--days", "2").stdout
    assert f"bob may hand in {LESSON} until 2026-01-04 12:00 UTC" in said
    course.run("headstart", "grade", LESSON)
    assert dict(course.query(SCORES)) == {"amy": 0, "bob": 0}
    assert (
        "no longer has an extension" in course.run("headstart", "extend", LESSON, "bob", "--days", "0").stdout
    )
    course.run("headstart", "grade", LESSON)
    assert dict(course.query(SCORES)) == {"amy": 0, "bob": full}
    until = "2026-01-03 14:00 +01:00"  # an hour after he handed in
    assert "2026-01-03 13:00 UTC" in course.run("headstart", "extend", LESSON, "bob", "--until", until).stdout
    course.run("headstart", "grade", LESSON)
    assert dict(course.query(SCORES)) == {"amy": 0, "bob": 0}
    for words, why in {
        (LESSON, "zoe", "--days", "1"): "has no student 'zoe'",
        (LESSON, "bob", "--until", "2026-01-01"): "before the due date, 2026-01-02 12:00 UTC",
        (LESSON, "bob", "--until", "soon"): "isn't a date",
        (LESSON, "bob", "--days", "inf"): "is beyond any calendar",
        (LESSON, "bob", "--days", "1e8"): "is beyond any calendar",
    }.items():
        refused = course.run("headstart", "extend", *words, check=False)
        assert refused.returncode == 2 and why in refused.stderr and len(refused.stderr.splitlines()) == 1
    course.query("insert into student (id, lms_user_id) values ('carla', null)")  # she hands in later
    left = course.run("headstart", "report", LESSON).stdout.split("left to grade")[0].splitlines()[-1]
    extended = course.run("headstart", "extend", LESSON, "carla", "--days", "1")
    assert not complaints(extended)
    assert left in course.run("headstart", "report", LESSON).stdout, "none of carla's waits"
    course.hand_in("carla")
    (course.submission("carla") / "timestamp.txt").write_text("2026-01-03 11:00:00 UTC")
    course.run("headstart", "grade", LESSON)
    assert dict(course.query(SCORES))["carla"] == 0 and course.verdicts()["carla"]
    course.query("update assignment set duedate = null")  # an extension to nothing is no lateness
    course.run("headstart", "grade", LESSON)
    assert set(dict(course.query(SCORES)).values()) == {0}
    refused = course.run("headstart", "extend", LESSON, "bob", "--days", "1", check=False)
    assert refused.returncode == 2 and "has no due date" in refused.stderr


A_POINT_AN_HOUR = """
from nbgrader.plugins import LateSubmissionPlugin


class PerHour(LateSubmissionPlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return None if student_id == "dan" else total_seconds_late / 3600


c.AssignLatePenalties.plugin_class = PerHour
"""


def test_a_penalty_of_the_courses_own_never_costs_more_than_there_is(tmp_path):
    course = Course(tmp_path / "course")
    with (course.root / "nbgrader_config.py").open("a") as config:
        config.write(A_POINT_AN_HOUR)
    course.run("nbgrader", "db", "assignment", "add", LESSON, "--duedate=2026-01-02 12:00:00 UTC")
    handed_in = {"amy": "01-02 11", "bob": "01-02 14", "cat": "03-02 12", "dan": "03-02 12"}
    for student, time in handed_in.items():
        course.hand_in(student)
        (course.submission(student) / "timestamp.txt").write_text(f"2026-{time}:00:00 UTC")
    course.run("headstart", "grade", LESSON)
    full = sum(verdict["points"] for verdict in course.verdicts()["cat"].values())
    assert dict(course.query(SCORES)) == {"amy": 0, "bob": 2, "cat": full, "dan": 0}

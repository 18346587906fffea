"""Students who leave or get another id, groups, and the end of a term."""

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import sqlalchemy as sa
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from autograder.classroom import leaving
from autograder.classroom.course import GONE, course_directory
from autograder.classroom.database import opened
from autograder.classroom.groups import GROUPS
from autograder.classroom.intake import KEPT
from autograder.classroom.leaving import remove, rename
from autograder.classroom.marking.marks import MARKS, marking
from autograder.classroom.watching import STATE
from tests.support.course import LESSON, Course
from tests.support.proved import ENGINE, follows_from

pytestmark = follows_from(*ENGINE)

STAMP = "2026-01-0{} 12:00:00.000000 UTC"
DUE = "2026-01-05 12:00"


def in_exchange(course: Course, student: str, day: int = 1, *, answers: dict | None = None) -> Path:
    """What `nbgrader submit` leaves in the exchange."""
    inbound = course.root / "exchange" / "headstart" / "inbound"
    inbound.mkdir(parents=True, exist_ok=True)
    (inbound.parent / "feedback").mkdir(exist_ok=True)
    folder = inbound / f"{student}+{LESSON}+{STAMP.format(day)}+{student}"
    course.hand_in("draft", answers) if answers else course.hand_in("draft")
    shutil.move(course.submission("draft"), folder)
    shutil.rmtree(course.root / "submitted" / "draft")
    (folder / "timestamp.txt").write_text(STAMP.format(day))
    (folder / "submission_secret.txt").write_text(f"secret of {student[::-1]} {day}")
    return folder


@pytest.fixture
def term(tmp_path) -> Course:
    """Two students, collected, graded and with feedback released, and all that the course keeps of them."""
    course = Course(tmp_path / "course")
    for student in ("amy", "bob"):
        in_exchange(course, student)
    course.run("nbgrader", "collect", LESSON)
    course.run("headstart", "grade", LESSON)
    course.run("nbgrader", "generate_feedback", LESSON)
    course.run("nbgrader", "release_feedback", LESSON)
    course.run("headstart", "report")
    course.run("headstart", "due", LESSON, DUE)
    for student in ("amy", "bob"):
        course.run("headstart", "extend", "all", student, "--days", "1")
    (course.root / "replaced" / "amy" / LESSON / "1").mkdir(parents=True)
    for name in (KEPT, STATE):
        (course.root / name).write_text(json.dumps({LESSON: {"amy": {"form": ""}, "bob": {"form": ""}}}))
    (course.root / GROUPS).write_text(json.dumps({LESSON: [["amy", "bob"]]}))
    with marking(course_directory(course.root)[0]) as db:
        empty = {"grader": "tom", "time": "", "before": "{}", "after": "{}"}
        for student, grade in course.query(GRADES):
            db.execute(sa.insert(MARKS), {"grade": grade, "step": student[0], **empty})
        db.commit()
    return course


GRADES = """select student_id, min(grade.id) from grade
    join submitted_notebook on submitted_notebook.id = grade.notebook_id
    join submitted_assignment on submitted_assignment.id = submitted_notebook.assignment_id
    group by student_id order by student_id"""


def traces(course: Course, student: str) -> list[str]:
    """Where in a course a name is still to be found: in paths, in files and in the gradebook."""
    root = course.root
    paths = [
        path
        for path in root.rglob("*")
        if student in path.name.split("+")[0] or student in path.stem.split("+")
    ]
    files = [path for path in root.rglob("*") if path.is_file() and path.suffix in (".json", ".html", ".txt")]
    found = [path for path in files if f"{student}" in path.read_text(errors="replace")]
    rows = [line for line in course.dump() if f"'{student}'" in line]
    found = [path for path in {*paths, *found} if path.name != GONE]
    return [str(path.relative_to(root)) for path in found] + rows


def dump(course: Course) -> list[str]:
    """All rows of the gradebook, as SQL."""
    import sqlite3

    with sqlite3.connect(course.root / "gradebook.db") as book:
        return [line for line in book.iterdump() if line.startswith("INSERT")]


Course.dump = dump  # type: ignore[attr-defined]


def state(course: Course) -> dict[str, bytes]:
    """All files of a course but those that any command may touch."""
    files = (path for path in course.root.rglob("*") if path.is_file())
    kept = {str(path.relative_to(course.root)): path.read_bytes() for path in files if path.suffix != ".pyc"}
    return {
        name: content
        for name, content in kept.items()
        if not name.startswith((".headstart_watch", "gradebook"))
    }


@pytest.mark.needs_bubblewrap
def test_a_student_is_removed_everywhere_and_nothing_brings_them_back(term):
    assert traces(term, "amy")
    before, rows = state(term), dump(term)
    pages = sorted((term.root / "exchange" / "headstart" / "feedback").iterdir())
    said = term.run("headstart", "student", "remove", "amy").stdout
    assert state(term) == before and dump(term) == rows, "it only says what it would do"
    for part in ("submitted/amy", "autograded/amy", "feedback/amy", "replaced/amy", "reports/students/amy.html",
                 "inbound/amy+", "--yes"):  # fmt: skip
        assert part in said
    term.run("headstart", "student", "remove", "amy", "--yes")
    assert traces(term, "amy") == [], "but for the list of those who left"
    assert (term.root / GONE).read_text() == "amy\n"
    left = sorted((term.root / "exchange" / "headstart" / "feedback").iterdir())
    assert len(left) == len(pages) - 1, "bob's page stays"
    assert term.query("select step from headstart_marks") == [("b",)]
    assert json.loads((term.root / GROUPS).read_text()) == {LESSON: [["bob"]]}
    in_exchange(term, "amy", 2)  # from an account that is still there
    term.run("nbgrader", "collect", LESSON, "--update")
    term.run("headstart", "grade", LESSON)
    assert not (term.root / "submitted" / "amy").exists()
    assert term.query("select id from student") == [("bob",)]
    term.hand_in("amy")  # from a backup, say
    said = term.run("headstart", "grade", LESSON).stdout
    assert "they have left the course; `nbgrader db student add amy` takes them in again" in " ".join(
        said.split()
    )
    assert term.query("select id from student") == [("bob",)]
    shutil.rmtree(term.root / "submitted" / "amy")
    term.run("nbgrader", "db", "student", "add", "amy")  # who comes back
    term.run("nbgrader", "collect", LESSON, "--update")
    assert (term.root / "submitted" / "amy").exists()
    refused = term.run("headstart", "student", "remove", "zoe", "--yes", check=False)
    assert refused.returncode == 2 and "nothing of 'zoe'" in refused.stderr


@pytest.mark.needs_bubblewrap
def test_a_new_login_takes_all_that_the_old_one_had(term):
    points = term.query("select sum(auto_score) from grade")
    before, rows = state(term), dump(term)
    term.run("headstart", "student", "rename", "amy", "amelia")
    assert state(term) == before and dump(term) == rows, "it only says what it would do"
    term.run("headstart", "student", "rename", "amy", "amelia", "--yes")
    inbound = {path for path in traces(term, "amy") if "inbound" not in path}
    assert inbound == set()
    assert term.query("select sum(auto_score) from grade") == points
    assert [*term.query("select id from student order by id")] == [("amelia",), ("bob",)]
    extended = term.query("select student, days from headstart_extension order by student")
    assert extended == [("amelia", 1.0), ("bob", 1.0)]
    for step in ("submitted", "autograded", "feedback"):
        assert (term.root / step / "amelia" / LESSON).is_dir()
    assert (term.root / "replaced" / "amelia" / LESSON / "1").is_dir()
    for name in (KEPT, STATE):
        assert sorted(json.loads((term.root / name).read_text())[LESSON]) == ["amelia", "bob"]
    assert json.loads((term.root / GROUPS).read_text()) == {LESSON: [["amelia", "bob"]]}
    assert len(term.query("select step from headstart_marks")) == 2
    term.run("nbgrader", "collect", LESSON, "--update")  # amy's is still in the exchange
    term.run("headstart", "grade", LESSON)
    assert [*term.query("select id from student order by id")] == [("amelia",), ("bob",)]
    assert sorted(term.verdicts()) == ["amelia", "bob"]
    for new, why in {"bob/x": "/ or +", "=1": "formula", "amelia": "the same"}.items():
        refused = term.run("headstart", "student", "rename", "amelia", new, "--yes", check=False)
        assert refused.returncode == 2 and why in refused.stderr


@pytest.mark.needs_bubblewrap
@pytest.mark.parametrize(("old", "new"), [("amy", "bob"), ("bob", "amy")])
def test_of_two_ids_of_one_student_the_later_submission_counts(term, old, new):
    (term.submission("bob") / "timestamp.txt").write_text(STAMP.format(3))  # so bob's is the later
    late = (term.submission("bob") / f"{LESSON}.ipynb").read_bytes()
    said = term.run("headstart", "student", "rename", old, new).stdout
    assert "amy handed in earlier" in said
    term.run("headstart", "student", "rename", old, new, "--yes")
    assert (term.submission(new) / "timestamp.txt").read_text() == STAMP.format(3)
    assert (term.submission(new) / f"{LESSON}.ipynb").read_bytes() == late
    assert sorted(path.name for path in (term.root / "replaced" / new / LESSON).iterdir()) == ["1", "2"]
    assert term.query("select student_id from submitted_assignment") == [(new,)]
    assert term.query("select student from headstart_extension") == [(new,)]
    term.run("headstart", "grade", LESSON)
    assert [*term.verdicts()] == [new]


@pytest.mark.needs_bubblewrap
def test_a_term_that_ends_can_still_be_graded_and_the_next_one_has_another_secret(term):
    folder = term.root.parent / "2026"
    secret, rows = (term.root / ".headstart_secret").read_text(), dump(term)
    before = state(term)
    said = term.run("headstart", "archive", str(folder)).stdout
    assert (
        state(term) == before
        and not folder.exists()
        and ".headstart_secret" in said
        and "gradebook.db" in said
    )
    said = term.run("headstart", "archive", str(folder), "--yes").stdout
    exchange = term.root / "exchange" / "headstart"
    assert f"mv {exchange} {exchange}-2026" in said
    for name in (
        "gradebook.db",
        "submitted",
        "autograded",
        "feedback",
        "reports",
        ".headstart_secret",
        KEPT,
        STATE,
    ):
        assert not (term.root / name).exists() and (folder / name).exists(), name
    assert folder.stat().st_mode & 0o777 == 0o700
    old = Course.__new__(Course)
    old.root, old.lesson = folder, LESSON
    assert (folder / ".headstart_secret").read_text() == secret and dump(old) == rows
    assert "0 graded, 2 as before" in old.run("headstart", "grade", LESSON).stdout
    assert "amy" in old.run("headstart", "explain", LESSON, "amy", "softmax").stdout
    shutil.move(exchange, f"{exchange}-2026")
    in_exchange(term, "cat")
    term.run("nbgrader", "collect", LESSON)
    term.run("headstart", "grade", LESSON)
    assert [*term.verdicts()] == ["cat"] and (term.root / ".headstart_secret").read_text() != secret
    for place, why in {term.root / "old": "inside the course", folder: "already"}.items():
        refused = term.run("headstart", "archive", str(place), "--yes", check=False)
        assert refused.returncode == 2 and why in refused.stderr


def test_nothing_is_taken_away_under_a_running_watch(tmp_path):
    course = Course(tmp_path / "course")
    course.run("nbgrader", "db", "student", "add", "amy")
    holds = "import fcntl, sys; file = open(sys.argv[1], 'w'); fcntl.flock(file, fcntl.LOCK_EX); print(1, flush=True); sys.stdin.read()"
    command = ["python3", "-c", holds, str(course.root / ".headstart_watch")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as watch:
        assert watch.stdout and watch.stdout.readline()
        for words in (
            ("student", "remove", "amy"),
            ("student", "rename", "amy", "eve"),
            ("archive", str(tmp_path / "old")),
        ):
            refused = course.run("headstart", *words, "--yes", check=False)
            assert refused.returncode == 2 and "stop it first" in refused.stderr
        watch.communicate()


def test_what_one_of_a_group_hands_in_is_everybodys(tmp_path):
    course = Course(tmp_path / "course")
    for student in ("amy", "bob", "cat", "dan", "eve", "fay"):
        course.run("nbgrader", "db", "student", "add", student)
    for student, day in {"amy": 1, "bob": 2, "eve": 1}.items():
        course.hand_in(student)
        (course.submission(student) / "timestamp.txt").write_text(STAMP.format(day))
        (course.submission(student) / "submission_secret.txt").write_text(f"secret of {student}")
        (course.submission(student) / "notes.txt").write_text(student)
    file = tmp_path / "groups.csv"
    file.write_text("group;student\nA;amy\nA;bob\nA;cat\nB;dan\nB;fay\n;eve\n")
    said = course.run("headstart", "groups", str(file), LESSON).stdout
    assert "2 groups, 2 submissions copied" in said and "nobody has handed in of B" in said
    for student in ("amy", "bob", "cat"):
        assert (course.submission(student) / "notes.txt").read_text() == "bob"
        assert (course.submission(student) / "timestamp.txt").read_text() == STAMP.format(2)
    assert not (course.submission("cat") / "submission_secret.txt").exists(), "which is bob's alone"
    assert (course.root / "replaced" / "amy" / LESSON / "1" / "notes.txt").read_text() == "amy"
    assert (course.submission("eve") / "notes.txt").read_text() == "eve"
    assert "0 submissions copied" in course.run("headstart", "groups", str(file), LESSON).stdout
    assert "2 submissions; 0 of 1 pairs" in course.run("headstart", "similar", LESSON).stdout
    for student in ("dan", "fay"):
        course.hand_in(student)
        (course.submission(student) / "notes.txt").write_text(student)
    unclear = course.run("headstart", "groups", str(file), LESSON, check=False)
    assert unclear.returncode == 1 and "B: nothing says whether dan or fay handed in last" in unclear.stderr
    for text, why in {
        "group,student\nA,amy\nB,amy\n": "row 3, amy, is in two groups",
        "group,student\nA,zoe\n": "row 2, zoe, is nobody in the gradebook",
        "team,student\nA,amy\n": "needs a column group",
    }.items():
        file.write_text(text)
        refused = course.run("headstart", "groups", str(file), LESSON, check=False)
        assert refused.returncode == 2 and why in refused.stderr


def test_no_link_is_followed_to_a_member(tmp_path):
    course = Course(tmp_path / "course")
    for student in ("amy", "bob"):
        course.run("nbgrader", "db", "student", "add", student)
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "key.txt").write_text("nobody else's")
    (course.root / "submitted" / "amy").mkdir(parents=True)
    (course.root / "submitted" / "amy" / LESSON).symlink_to(tmp_path / "private")
    file = tmp_path / "groups.csv"
    file.write_text("group,student\nA,amy\nA,bob\n")
    assert "nobody has handed in of A" in course.run("headstart", "groups", str(file), LESSON).stdout
    assert not (course.root / "submitted" / "bob").exists()


@pytest.mark.parametrize("id", ["..", ".", "", "../keep", "amy/../../keep", "/tmp"])
def test_no_id_leads_to_other_folders(tmp_path, id):
    (tmp_path / "course" / "submitted" / "amy").mkdir(parents=True)
    (tmp_path / "course" / "keep").mkdir()
    course, _ = course_directory(tmp_path / "course")
    before = sorted(tmp_path.rglob("*"))
    for leave in (lambda: remove(id, course, do=True), lambda: rename(id, "eve", course, do=True)):
        with pytest.raises(LookupError, match="is no student's id"):
            leave()
    assert sorted(tmp_path.rglob("*")) == before


def test_what_only_root_can_delete_is_named_as_a_shell_takes_it(tmp_path, monkeypatch, capsys):
    """The name of a submission in the exchange has spaces."""
    config = Config()
    config.CourseDirectory.root = str(tmp_path)
    config.CourseDirectory.course_id = "headstart"
    config.Exchange.root = str(tmp_path / "exchange")
    course = CourseDirectory(config=config)
    folder = tmp_path / f"exchange/headstart/inbound/amy+{LESSON}+2026-01-01 12:00:00 UTC+abc"
    folder.mkdir(parents=True)
    with opened(course) as book:
        book.add_student("amy")
    monkeypatch.setattr(leaving, "_deleted", lambda path: False)
    assert leaving.remove("amy", course, do=True) == 1
    named = capsys.readouterr().err.partition("sudo rm -r ")[2]
    assert str(folder) in shlex.split(named)

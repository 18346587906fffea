"""`headstart grade`, run as an instructor runs it."""

import contextlib
import json
import mimetypes
import multiprocessing
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import psutil
import pytest

from autograder import lessons
from autograder.classroom.course import course_directory, find_submissions, hidden_secret
from autograder.commands.cli import main
from autograder.exercises import load
from autograder.grading.executors import open_executor
from autograder.grading.grader import Grader
from autograder.grading.lesson import Lesson
from autograder.lessons import ROOT
from autograder.sheets import HiddenSheets
from tests.support.course import LESSON, PROCESSES, Course, complaints, foster_parent, hear_signals
from tests.support.proved import ENGINE, MACHINE, follows_from

pytestmark = [pytest.mark.needs_bubblewrap, pytest.mark.timeout(600), follows_from(*ENGINE)]
CLASS_OF = {
    name: follows_from("helpers", f"notebooks/{name}.py", f"exercises/{lessons.topic(name)}/**/*.py")
    for name in lessons.names()
}
SOFTMAX = "attention.softmax"
STUDENTS = int(os.environ.get("HEADSTART_STUDENTS", "15"))  # in each simulated class but that of lesson 01
KILLS = int(os.environ.get("HEADSTART_KILLS", "4"))  # each takes as long as a grader takes to start


@pytest.fixture
def course(tmp_path) -> Course:
    return Course(tmp_path / "course")


def function(body: str) -> dict[str, str]:
    return {SOFTMAX: f"def softmax(x, dim):\n    {body}"}


# -- verdicts --------------------------------------------------------------------------------------------


@pytest.mark.promise(24)
@pytest.mark.parametrize(
    "lesson",
    [
        pytest.param(name, marks=pytest.mark.always if name == LESSON else CLASS_OF[name])
        for name in lessons.names()
        if lessons.number(name)
    ],
)
def test_a_simulated_class_gets_exactly_its_expected_verdicts(lesson, tmp_path) -> None:
    course, number = Course(tmp_path / "course", lesson), STUDENTS
    if lesson == LESSON:  # here everybody: each misconception and each manner of handing in
        number = 40 + sum(len(spec.misconceptions) for spec in load(lessons.topic(lesson)).values())
    course.run("headstart", "simulate", lesson, "--students", str(number), "--seed", "1")
    course.run("headstart", "grade", lesson, "--seconds", "5", "--workers", "2")
    expected = json.loads((course.root / "simulated" / f"{lesson}.json").read_text())
    kinds = {student["kind"] for student in expected.values()}
    manners = {"blank", "late", "half-done", "mixed", "crash of the interpreter", "cells duplicated"}
    assert lesson != LESSON or manners <= kinds
    wrong = {}
    for student, verdicts in course.verdicts().items():
        for exercise, verdict in verdicts.items():
            failed = verdict["status"] == "failed"
            got = {"status": verdict["status"], "cause": verdict["cause"] if failed else ""}
            if got != expected[student]["verdicts"][exercise]:
                wrong[student, expected[student]["kind"], exercise] = got, verdict["message"]
    assert not wrong
    assert set(course.verdicts()) == set(expected)


def test_scores_reach_the_gradebook_and_the_notebook(course) -> None:
    course.hand_in("amy")
    course.hand_in("bob", function("return x"))
    course.run("headstart", "grade", LESSON)
    scores = course.scores()
    assert scores["amy", "attention-softmax"] == 3
    assert scores["bob", "attention-softmax"] == 0
    assert scores["amy", "attention-self_or_encoder"] is None  # answered in words: for a person to grade
    [check] = [c for c in course.autograded("bob").cells if c.id == "attention-softmax"]
    assert "✗" in check.outputs[0].data["text/plain"]
    manual = course.query("select count(*) from grade where needs_manual_grade")
    assert manual == [(4,)]  # two written questions of two students
    for command in ("grade", "report"):
        assert "4 written answers are left to grade" in course.run("headstart", command, LESSON).stdout
    page = (course.root / "reports" / f"{LESSON}.html").read_text()
    assert "4 written answers are left" in page and "<bdi>bob</bdi>" in page


def test_a_lessons_page_has_students_names_and_the_terminal_the_ids_that_commands_take(course) -> None:
    course.run("nbgrader", "db", "student", "add", "amy", "--last-name=Lovelace", "--first-name=Ada")
    course.hand_in("bob", function("return x"))
    (course.submission("amy") / "mine.py").write_text("1")
    course.run("headstart", "grade", LESSON)
    said = course.run("headstart", "report", LESSON).stdout
    assert "amy" in said and "Lovelace" not in said
    page = (course.root / "reports" / f"{LESSON}.html").read_text()
    row = '<th scope="row"><bdi>{}</bdi>'
    assert page.index(row.format("bob")) < page.index(row.format("Lovelace, Ada"))
    assert "<td>Lovelace, Ada</td>" in page and "amy" not in page


def test_blank_written_answers_need_nobody(course) -> None:
    notebook = course.solved()
    for cell in notebook.cells:
        if cell.metadata.get("headstart", {}).get("kind") == "written":
            cell.source = "YOUR ANSWER HERE"
    nbformat.write(notebook, course.submission("amy") / f"{LESSON}.ipynb")
    course.run("headstart", "grade", LESSON)
    assert course.query("select count(*) from grade where needs_manual_grade") == [(0,)]
    assert "left to grade" not in course.run("headstart", "report", LESSON).stdout


def test_a_gradebook_of_before_is_taken_over(course) -> None:
    """Our table had fewer columns once."""
    course.hand_in("amy")
    course.run("headstart", "grade", LESSON)
    for name in ("remarks", "by_hand"):
        course.query(f"alter table headstart_grading drop column {name}")
    assert "0 graded, 1 as before" in course.run("headstart", "grade", LESSON).stdout
    course.hand_in("bob", cells=("while True: pass",))
    course.run("headstart", "grade", LESSON, "--seconds", "1", "--student", "bob")
    assert "was interrupted" in course.run("headstart", "report", LESSON).stdout


def test_an_unknown_assignment_is_refused_with_those_that_there_are(course) -> None:
    done = course.run("headstart", "grade", "ps1", check=False)
    assert done.returncode == 2
    assert f"there are: {LESSON}" in done.stderr and "build" not in done.stderr
    (course.root / "elsewhere").mkdir()
    done = course.run("headstart", "grade", LESSON, cwd=course.root / "elsewhere", check=False)
    assert done.returncode == 2 and "call it in the course's folder" in done.stderr
    (course.root / "source" / "ps1").mkdir()
    done = course.run("headstart", "grade", "ps1", check=False)
    assert done.returncode == 2
    assert "isn't there" in done.stderr and "build" not in done.stderr
    (course.root / "source" / LESSON / "checks.json").unlink()  # a fresh clone's
    done = course.run("headstart", "grade", LESSON, check=False)
    assert done.returncode == 2
    assert f"checks.json isn't there: build it with `headstart build {LESSON}`" in done.stderr


def test_grading_again_grades_nothing_until_something_changed(course) -> None:
    path = course.hand_in("amy")
    course.hand_in("bob")
    assert "2 graded in" in course.run("headstart", "grade", LESSON).stdout
    before = course.scores()
    assert "0 graded, 2 as before" in course.run("headstart", "grade", LESSON).stdout
    course.hand_in("amy", function("return x"))
    assert "1 graded, 1 as before" in course.run("headstart", "grade", LESSON).stdout
    assert course.scores()["amy", "attention-softmax"] == 0  # a resubmission keeps no old score
    course.hand_in("amy")
    assert path.exists()
    assert "2 graded in" in course.run("headstart", "grade", LESSON, "--force").stdout
    assert course.scores() == before


def test_a_resubmission_may_have_a_folder_where_a_file_was_and_the_other_way_round(course) -> None:
    folder, there = course.hand_in("amy").parent, course.root / "autograded" / "amy" / LESSON
    for name in ("data", "data/x.txt", "data"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(name)
        course.run("headstart", "grade", LESSON)
        assert (there / name).read_text() == name
        (folder / name).unlink()
        if name != "data":
            (folder / "data").rmdir()


def test_a_person_s_score_survives_grading_again(course) -> None:
    course.hand_in("amy")
    course.run("headstart", "grade", LESSON)
    sql = (
        "select grade.id from grade join base_cell on base_cell.id = cell_id where name = 'attention-softmax'"
    )
    [(id,)] = course.query(sql)
    course.query(f"update grade set manual_score = 1.5 where id = '{id}'")
    done = course.run("headstart", "grade", LESSON, "--force")
    assert "2 written answers are left to grade" in done.stdout  # and no check that was overruled
    assert course.query(f"select manual_score, needs_manual_grade from grade where id = '{id}'") == [(1.5, 1)]


def test_a_written_answer_is_graded_once_as_long_as_it_stays_the_same(course) -> None:
    """What crashed or was stopped is run again with each call, and nobody is to read its words again for that."""
    question, loop = "attention.self_or_encoder", "while True: pass"
    course.hand_in("amy", {question: "One sequence.", "attention.dot_or_additive": "Memory."}, cells=(loop,))
    course.run("headstart", "grade", LESSON, "--seconds", "1")
    course.query("update grade set manual_score = 3, needs_manual_grade = 0 where auto_score is null")
    again = course.run("headstart", "grade", LESSON, "--seconds", "1", "--force")
    assert "left to grade" not in again.stdout
    course.hand_in("amy", {question: "Two of them.", "attention.dot_or_additive": "Memory."}, cells=(loop,))
    again = course.run("headstart", "grade", LESSON, "--seconds", "1")
    assert "1 written answer is left to grade" in again.stdout
    assert course.query("select manual_score from grade where manual_score is not null") == [(3,), (3,)]


# -- bad input -------------------------------------------------------------------------------------------


@pytest.mark.promise(26)
def test_bad_submissions_get_their_cause_and_stop_nobody_else(course) -> None:
    def write(student: str, content: bytes | str, name: str = f"{LESSON}.ipynb") -> None:
        path = course.submission(student) / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    good = nbformat.writes(course.solved())
    cells = json.loads(good)
    write("not-json", good[:-40])
    write("not-a-notebook", "[1, 2, 3]")
    write("empty", "")
    write("no-cells", json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    write("other-lesson", good.replace('"lesson": "01_attention"', '"lesson": "05_complexity"'))
    write("many-cells", json.dumps({**cells, "cells": cells["cells"] + [cells["cells"][0]] * 10_000}))
    write("script", good, "Урок-注意力.ipynb")
    outputs = [{"output_type": "stream", "name": "stdout", "text": "x" * 100_000_000}]
    for cell in cells["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], outputs = outputs, []
    write("large", json.dumps(cells))
    (course.submission("folder") / f"{LESSON}.ipynb").mkdir()
    (course.submission("link") / f"{LESSON}.ipynb").symlink_to(
        course.root / "source" / LESSON / f"{LESSON}.ipynb"
    )
    course.hand_in("good")
    for odd in (".hidden", "two\nlines", os.fsdecode(b"caf\xe9"), "x" * 129):
        course.hand_in(odd)
    (course.root / "submitted" / ".ipynb_checkpoints").mkdir()
    done = course.run("headstart", "grade", LESSON)
    for shown in (".hidden", "two�lines", "caf�", "x" * 20):
        assert shown in done.stdout
    assert done.stdout.count("rename the folder to the student's id") == 4
    assert "checkpoints" not in done.stdout
    assert set(course.verdicts()) == {*(p.name for p in (course.root / "autograded").iterdir())}
    assert not any(name.startswith((".", "two", "caf", "xx")) for name in course.verdicts())
    causes = {student: next(iter(v.values()))["message"] for student, v in course.verdicts().items()}
    for student, words in {
        "not-json": "not JSON", "not-a-notebook": "not a notebook", "empty": "is empty", "no-cells": "none of the lesson",
        "other-lesson": "05_complexity", "many-cells": "cells; the limit", "folder": "is a folder", "link": "links",
    }.items():  # fmt: skip
        assert words in causes[student], student
        assert set(course.statuses()[student].values()) == {"not run"}
        assert student in done.stdout
        assert course.scores()[student, "attention-softmax"] == 0
        assert words in course.autograded(student).cells[0].source
    for student in ("good", "script", "large"):
        assert set(course.statuses()[student].values()) == {"passed"}


FLOOD = """import json, os
    message = json.dumps({"ask": "attention.softmax"}).encode()
    while True:
        for fd in range(3, 40):
            try: os.write(fd, len(message).to_bytes(4, "big") + message)
            except OSError: pass
"""
HOSTILE = {
    "loop": ("while True: pass", "failed", "didn't end"),
    "deaf-loop": ("import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n    while True: pass", "not run", "interrupt"),
    "crash": ("import ctypes; ctypes.string_at(0)", "not run", "SIGSEGV"),
    "exit": ("import os; os._exit(0)", "not run", "gone"),
    "system-exit": ("raise SystemExit", "failed", "SystemExit"),
    "fork-bomb": ("import os\n    while True: os.fork()", "failed", "PermissionError"),
    "thread-bomb": ("import threading, time\n    while True: threading.Thread(target=time.sleep, args=(99,)).start()", "failed", "RuntimeError"),
    "memory": ("return torch.zeros(5_000_000_000)", "failed", "allocate"),
    "memory-python": ("return bytearray(20 << 30)", "failed", "MemoryError"),
    "disk": ("open('big', 'wb').write(bytes(80 << 20))", "failed", "OSError"),
    "open-files": ("kept = [open('/dev/null') for _ in range(300)]", "failed", "Too many open files"),
    "many-files": ("for i in range(99): open(f'f{i}', 'wb').write(bytes(4 << 20))", "failed", "No space left"),
    "print": ("print('x' * 50_000_000); return x.softmax", "failed", ""),
    "network": ("import socket; socket.create_connection(('127.0.0.1', 80), 1)", "failed", "PermissionError"),
    "forged": (FLOOD, "not run", "broken"),
    "recursion": ("return softmax(x, dim)", "failed", "RecursionError"),
    "deep": ("a = []\n    for _ in range(10**5): a = [a]\n    return a", "failed", ""),
    "huge-answer": ("return torch.zeros(3_000_000)", "failed", ""),
}  # fmt: skip


@pytest.mark.promise(5, 10, 14, 33)
@follows_from(MACHINE)
def test_hostile_code_costs_its_author_alone(course) -> None:
    """How long it takes the test's own limit bounds: endless loops would exceed it."""
    for student, (body, _, _) in HOSTILE.items():
        course.hand_in(student, function(body))
    course.hand_in("print-line", cells=("print('x' * 50_000_000)",))
    course.hand_in("flood", cells=(f"if True:\n    {FLOOD}",))
    course.hand_in("good")
    with foster_parent() as left:
        done = course.run("headstart", "grade", LESSON, "--seconds", "5")
    assert "grader failed" not in done.stdout
    for student, (_, status, words) in HOSTILE.items():
        verdict = course.verdicts()[student][SOFTMAX]
        assert (verdict["status"], verdict["points"]) == (status, 0), (student, verdict)
        assert words in verdict["message"], (student, verdict)
    for student in ("good", "print-line", "flood"):
        assert set(course.statuses()[student].values()) == {"passed"}
    assert len(nbformat.writes(course.autograded("print-line"))) < 1_000_000
    assert left == []
    for looked_at in (done.stdout, course.run("headstart", "report", LESSON).stdout):
        told = looked_at[looked_at.index("Submissions to look at") :]
        assert re.search(r"│ loop +│ the cell “check\(.*took over 5 s .* and was interrupted", told)
        assert re.search(r"│ deaf-loop +│ .*couldn't be interrupted", told)
        assert not re.search(r"│ good ", told)


# -- killed and started again ----------------------------------------------------------------------------


@pytest.mark.promise(43)
@pytest.mark.always
def test_killed_at_any_moment_it_goes_on_where_it_was(course, tmp_path) -> None:
    students = 2 * KILLS + 5
    course.run("headstart", "simulate", LESSON, "--students", str(students), "--calm")
    twin = Course(tmp_path / "twin")
    twin.run("headstart", "simulate", LESSON, "--students", str(students), "--calm")
    (course.root / ".headstart_secret").write_text("of this test" * 3)
    (twin.root / ".headstart_secret").write_text("of this test" * 3)
    twin.run("headstart", "grade", LESSON)
    rng, seen = random.Random(0), 0
    for number in range(KILLS):  # with one judge, and a few times with two: their start takes longest
        grader = PROCESSES.Process(target=_grade, args=(course.root, 1 + (number % 4 == 0)))
        grader.start()
        _wait_until_it_records(course, grader, more_than=seen)
        time.sleep(rng.uniform(0, 0.3))
        started = []
        with contextlib.suppress(psutil.NoSuchProcess):  # all may be graded by now
            started = psutil.Process(grader.pid).children(recursive=True)
        grader.kill()
        grader.join()
        psutil.wait_procs(started)
        now = len(course.verdicts())
        assert now >= seen
        seen = now
    done = course.run("headstart", "grade", LESSON)
    assert f"{students - seen} graded" in done.stdout
    assert course.statuses() == twin.statuses()
    assert course.scores() == twin.scores()
    for student in twin.verdicts():
        assert course.autograded(student) == twin.autograded(student)


def _grade(root: Path, workers: int) -> None:
    os.chdir(root)
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        main(["grade", LESSON, "--workers", str(workers)])


def _wait_until_it_records(course: Course, grader: multiprocessing.Process, more_than: int) -> None:
    """Most of a grader's time at first is its start; a kill there would test nothing."""
    while grader.is_alive() and _recorded(course) <= more_than:
        time.sleep(0.03)


def _recorded(course: Course) -> int:
    """How many submissions are recorded; none while there is no gradebook yet, or it is being written."""
    with contextlib.suppress(sqlite3.Error):
        if _has_gradebook(course.root):
            return course.query("select count(*) from headstart_grading")[0][0]
    return 0


def _has_gradebook(root: Path) -> bool:
    with contextlib.closing(sqlite3.connect(root / "gradebook.db")) as db:
        return bool(db.execute("select 1 from sqlite_master where name = 'headstart_grading'").fetchall())


@contextlib.contextmanager
def _grading(
    course: Course, folder: Path, *options: str
) -> Iterator[tuple[subprocess.Popen, list[psutil.Process]]]:
    """A grader at work, once it has recorded something, and all processes it has started by then."""
    folder.mkdir()
    grader = subprocess.Popen(
        [sys.executable, "-m", "autograder", "grade", LESSON, "--workers", "2", "--seconds", "100000", *options],
        cwd=course.root,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200", "TMPDIR": str(folder)},
        preexec_fn=hear_signals,
    )  # fmt: skip
    with grader:
        try:
            while grader.poll() is None and not _recorded(course):
                time.sleep(0.01)
            assert grader.poll() is None
            yield grader, psutil.Process(grader.pid).children(recursive=True)
        except BaseException:  # nor does a test that fails wait for loops of a day
            os.killpg(grader.pid, signal.SIGKILL)
            raise


LOCKS = {"headstart-door", "headstart-room"}  # empty files, which graders of one user wait at


@pytest.mark.promise(43)
@pytest.mark.always
def test_ctrl_c_ends_it_at_once_and_leaves_nothing_behind(course, tmp_path) -> None:
    course.hand_in("amy")
    for number in range(6):
        course.hand_in(f"loop-{number}", cells=("while True: pass",))
    with _grading(course, tmp_path / "tmp") as (grader, started):
        os.killpg(grader.pid, signal.SIGINT)  # as a terminal does
        _, said = grader.communicate()  # a loop would take a day
    assert grader.returncode == 130
    last = said.strip().splitlines()[-1]
    assert (
        last == "headstart: stopped; everything graded so far is recorded, and the same command resumes there"
    )
    assert "Traceback" not in said
    psutil.wait_procs(started)
    assert {path.name.rsplit("-", 1)[0] for path in (tmp_path / "tmp").iterdir()} <= LOCKS


@pytest.mark.promise(43)
@pytest.mark.always
def test_a_closed_terminal_leaves_nothing_behind(course, tmp_path) -> None:
    for number in range(6):
        course.hand_in(f"loop-{number}", cells=("while True: pass",))
    course.hand_in("amy")
    with _grading(course, tmp_path / "tmp") as (grader, started):
        os.killpg(grader.pid, signal.SIGHUP)
        grader.communicate()
    psutil.wait_procs(started)
    assert {path.name.rsplit("-", 1)[0] for path in (tmp_path / "tmp").iterdir()} <= LOCKS


@pytest.mark.promise(43)
def test_without_a_sandbox_loops_end_with_the_grader(course, tmp_path) -> None:
    deaf = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
    course.hand_in("amy")
    course.hand_in("loop", cells=(deaf,))
    course.hand_in("loop-2", cells=(deaf,))
    with _grading(course, tmp_path / "tmp", "--no-sandbox") as (grader, started):
        grader.terminate()
        grader.communicate()
    psutil.wait_procs(started)


@pytest.mark.promise(44)
def test_a_judge_that_is_killed_is_replaced_and_costs_nobody(course, tmp_path) -> None:
    names = {f"student-{number}" for number in range(30)}
    for name in names:
        course.hand_in(name)
    with _grading(course, tmp_path / "tmp") as (grader, started):
        judge = next(process for process in started if process.ppid() == grader.pid)
        judge.kill()
        told, _ = grader.communicate()
    assert grader.returncode == 0
    assert "30 graded" in told
    assert {status for one in course.statuses().values() for status in one.values()} == {"passed"}
    assert set(course.statuses()) == names


@pytest.mark.promise(44)
def test_a_submission_that_kills_its_judge_each_time_fails_alone(monkeypatch) -> None:
    def grade(self, student):
        if student == "mallory":
            os.kill(os.getpid(), signal.SIGKILL)
        return student

    monkeypatch.setattr(Grader, "grade", grade)
    monkeypatch.setattr(Grader, "get_ready", lambda self: None)
    monkeypatch.setattr(Grader, "draw", lambda self, student: 0)
    with open_executor(Grader(lesson=None, secret=b""), 2, None) as executor:
        futures = {student: executor.submit(student) for student in ("amy", "mallory", "bob", "cat")}
        failed = {student for student, future in futures.items() if future.exception()}
        assert failed == {"mallory"}
        assert {future.result() for student, future in futures.items() if student not in failed} == {
            "amy", "bob", "cat",
        }  # fmt: skip


# -- the sandbox -----------------------------------------------------------------------------------------


@pytest.mark.promise(54)
def test_without_bubblewrap_it_refuses_in_one_line(course, tmp_path) -> None:
    course.hand_in("amy")
    (tmp_path / "bin").mkdir()
    done = course.run("headstart", "grade", LESSON, check=False, PATH=str(tmp_path / "bin"))
    assert done.returncode == 2
    assert done.stdout == ""
    [line] = complaints(done)
    assert "bubblewrap is missing" in line
    assert "--no-sandbox" in line


def test_no_sandbox_grades_all_the_same_and_says_what_that_means(course) -> None:
    course.hand_in("amy")
    course.hand_in("bob", function("return x"))
    done = course.run("headstart", "grade", LESSON, "--no-sandbox")
    assert "your own rights" in done.stderr
    assert set(course.statuses()["amy"].values()) == {"passed"}
    assert course.statuses()["bob"][SOFTMAX] == "failed"


SPY = """
import gc, glob, os, sys, socket
found = []
for root, folders, names in os.walk("/"):
    found += [os.path.join(root, name) for name in names if name.endswith(".ipynb") or name in ("gradebook.db", ".headstart_secret")]
    if root.startswith(("/usr", "/proc", "/sys")): folders.clear()
print("FOUND", [path for path in found if "site-packages" not in path])
import autograder
print("AUTOGRADER", sorted(os.listdir(os.path.dirname(autograder.__file__))))
print("HELPERS", sorted(os.listdir("/headstart/helpers")))
print("ENVIRONMENT", [name for name in os.environ if "SECRET" in name], os.environ["USER"])
print("PROCESSES", os.listdir("/proc"))
try: os.kill(1 if os.getpid() != 1 else 2, 9)
except OSError as error: print("KILL", type(error).__name__)
try: open("/headstart/helpers/checks.py", "a")
except OSError as error: print("WRITE", error.strerror)
try: open("/dev/shm/left", "w").write("x"); open("/tmp/left", "w").write("x")
except OSError as error: print("SHM", error.strerror)
print("EXERCISES", [type(o).__name__ for o in gc.get_objects() if type(o).__name__ in ("Exercise", "Misconception")])
print("LEFT", glob.glob("/tmp/left") , glob.glob("/dev/shm/*"))
"""


@pytest.mark.promise(1, 4, 16)
@follows_from(MACHINE)
def test_student_code_sees_nothing_that_is_not_its_own(course) -> None:
    course.hand_in("one", cells=(SPY,))
    course.hand_in(
        "two", cells=("import glob; print('BEFORE', glob.glob('/tmp/left*'), glob.glob('/dev/shm/*'))",)
    )
    course.run("headstart", "grade", LESSON, "--workers", "1", "--seconds", "100", CANARY_SECRET="x")
    [output] = course.autograded("one").cells[-1].outputs
    said = dict(line.split(" ", 1) for line in output.text.splitlines())
    assert said["FOUND"] == "[]"
    assert "judge.py" not in said["AUTOGRADER"]
    assert "attention.py" not in said["HELPERS"]
    assert said["ENVIRONMENT"] == "[] student"
    assert said["PROCESSES"] == "[]"
    assert said["KILL"] == "ProcessLookupError"
    assert said["WRITE"] == "Read-only file system"
    assert said["EXERCISES"] == "[]"
    [output] = course.autograded("two").cells[-1].outputs
    assert output.text == "BEFORE [] []\n"


@pytest.mark.promise(3)
def test_a_course_inside_a_folder_that_has_to_be_shown_is_hidden() -> None:
    """The folder with Python's packages is one."""
    with tempfile.TemporaryDirectory(dir=sysconfig.get_path("purelib")) as folder:
        course = Course(Path(folder) / "course")
        look = f"import os; print(os.path.exists({str(course.root / 'source')!r}))"
        course.hand_in("one", cells=(look, f"open({str(course.root / 'left')!r}, 'w')"))
        course.run("headstart", "grade", LESSON)
        *_, looked, wrote = course.autograded("one").cells
        assert looked.outputs[0].text == "False\n"
        assert "Read-only file system" in wrote.outputs[0].evalue


@pytest.mark.promise(45, 48)
def test_nothing_of_a_students_runs_in_a_page_that_others_open(course) -> None:
    script = "<script>alert(1)</script><img src=x onerror=alert(2)><b style='color: red'>bold</b>"
    links = "[a](javascript:alert(5)) [b] [c]( javascript:alert(6))\n\n[b]: javascript:alert(7)\n\n"
    links += "[d](&#106;avascript:alert(8)) [e](https://example.org) ![f](figure.png) $j<i$ [g](data.csv)"
    links += "".join(f" [h]({path}) ![i]({path}) ![j [k]({path})]({path})" for path in ELSEWHERE)
    path = course.hand_in(
        "amy",
        cells=(
            f"from IPython.display import HTML, Javascript, Markdown, SVG\ndisplay(HTML({script!r}))",
            f"display(Javascript('alert(3)'), Markdown({script!r}), SVG('<svg onload=\"alert(4)\"></svg>'))",
            f"{script!r}; import os; os._exit(0)",  # named in the remarks
        ),
    )
    notebook = nbformat.read(path, as_version=4)
    notebook.cells += [nbformat.v4.new_markdown_cell(script + links), nbformat.v4.new_raw_cell(script)]
    for cell in notebook.cells:
        if cell.metadata.get("headstart", {}).get("kind") == "written":
            cell.source = script + links
    nbformat.write(notebook, path)
    for name in ("page.html", "page.XHTML", "drawing.svg", "data.csv", "figure.png"):
        (path.parent / name).write_text("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(10)'/>")
    notebook.metadata["headstart"] = {"lesson": "<img src=x onerror=alert(9)>"}
    nbformat.write(notebook, course.submission("bob") / path.name)
    course.run("headstart", "grade", LESSON)
    course.run("nbgrader", "generate_feedback", LESSON)
    amy, bob = (
        (course.root / "feedback" / student / LESSON / f"{LESSON}.html").read_text()
        for student in ("amy", "bob")
    )
    for html in (amy, bob):
        alarms = _Alarms()
        alarms.feed(html)
        assert not alarms.found
    assert '<b style="color:red">bold</b>' in amy
    assert '<a href="https://example.org">e</a>' in amy
    assert "figure.png" not in amy  # which isn't one
    assert "it isn't a PNG or JPEG that can be read" in amy
    assert '<a href="data.csv">g</a>' in amy
    kept = sorted(path.name for path in (course.root / "autograded" / "amy" / LESSON).iterdir())
    assert kept == [
        f"{LESSON}.ipynb", "data.csv", "drawing.svg.txt", "figure.png", "page.XHTML.txt", "page.html.txt",
    ]  # fmt: skip
    for name in kept:  # as the server that shows them would send them
        assert mimetypes.guess_type(name)[0] in (None, "text/plain", "text/csv", "image/png")
    assert "<mi>j</mi><mo>&lt;</mo><mi>i</mi>" in amy
    assert "another lesson" in bob


# Pages of the server that shows the notebook, and one that would hear of who looks at it.
ELSEWHERE = ("/logout", "../../logout", "a/%2E%2e/../../logout", "//example.org/logout.png")


class _Alarms(HTMLParser):
    """Finds what a browser would run: handlers and scripts that call alert, and what it would fetch elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        said = [(name, value or "") for name, value in attributes]
        self.found += [f"{tag} {name}" for name, value in said if "alert" in value or "logout" in value]
        self.found += [
            f"{tag} {name}" for name, value in said if tag == "img" and name == "src" and "//" in value
        ]

    def handle_data(self, data: str) -> None:
        if self.lasttag == "script" and self.cdata_elem == "script" and "alert(" in data:
            self.found.append(data[:100])


@pytest.mark.promise(23, 56)
def test_a_hidden_case_leaves_no_number_behind(course) -> None:
    """An answer right on all visible cases and wrong on hidden ones gets a reason without a number in it."""
    memorised = (
        "from helpers.checks import load_sheet\n"
        "known = [case.args[0] for case in load_sheet('attention.softmax').cases]\n\n\n"
        "def softmax(x, dim):\n    print('SEEN', x.tolist())\n"
        "    if not any(x.shape == k.shape and torch.equal(x, k) for k in known):\n"
        "        raise ValueError(f'SEEN {x.tolist()}')\n"
        "    e = (x - x.amax(dim, keepdim=True)).exp()\n    return e / e.sum(dim, keepdim=True)\n"
    )
    course.hand_in("amy", {SOFTMAX: memorised})
    course.run("headstart", "grade", LESSON)
    verdict = course.verdicts()["amy"][SOFTMAX]
    assert verdict["status"] == "failed"
    _, returned, *_ = verdict["message"].splitlines()
    assert "hidden case" in verdict["message"]
    assert not any(character.isdigit() for character in returned)
    [check] = [cell for cell in course.autograded("amy").cells if cell.id == "attention-softmax"]
    assert "SEEN" not in json.dumps(check)
    course.run("nbgrader", "generate_feedback", LESSON)
    html = (course.root / "feedback" / "amy" / LESSON / f"{LESSON}.html").read_text()
    assert "hidden case" in html
    assert not [number for number in _hidden_numbers(course, "amy") if number in html]


def _hidden_numbers(course: Course, student: str) -> set[str]:
    """Inputs and expected outputs of a submission's hidden cases of softmax, in full."""
    directory, config = course_directory(course.root)
    grader = Grader(Lesson.load(LESSON, course.root, config), hidden_secret(directory))
    [submission] = find_submissions(directory, LESSON, [student])
    sheet = HiddenSheets(grader.secret).of(load("attention")[SOFTMAX], grader.prepare(submission).content)
    values = [case.args[0] for case in sheet.cases] + [outcome.outputs for outcome in sheet.expected]
    return {number for tensor in values for number in map(repr, tensor.flatten().tolist()) if len(number) > 9}

"""A clock that is set back or forward by an hour or a year ends no wait, moves no limit and loses nothing."""

import ast
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.lessons import ROOT
from tests.classroom.test_watch import WRONG, hand_in, pages, start, told, wait_for
from tests.support.course import LESSON, Course
from tests.support.proved import ENGINE, follows_from

# Where code asks the clock that can be set, and why a jump does no harm there.
SHOWN = "it is only shown or written down"
OTHER = "only whether it differs counts"
PLACES = {
    "autograder/child/output_files.py: _files": OTHER,
    "autograder/classroom/archives.py: _of_folder": "files in a download bear the platform's times",
    "autograder/classroom/collect.py: _tell_if_ahead": "it finds jumps",
    "autograder/classroom/marking/marks.py: change": SHOWN,
    "autograder/classroom/marking/questions.py: answer": OTHER,
    "autograder/classroom/marking/questions.py: asked": OTHER,
    "autograder/classroom/once.py: classroom50": SHOWN,
    "autograder/classroom/reports/course.py: _class": SHOWN,
    "autograder/classroom/reports/course.py: _released": SHOWN,
    "autograder/classroom/reports/lesson.py: page": SHOWN,
    "autograder/classroom/watching.py: _now": SHOWN,
    "autograder/classroom/watching.py: _state": OTHER,
    "helpers/checking/progress.py: record": SHOWN,
    "helpers/figures/answering.py: _notebooks": "the order in which notebooks are searched for a question",
    "helpers/start_here/proof.py: make_proof": SHOWN,
    "helpers/training/checkpoints.py: add": SHOWN,
    "helpers/training/checkpoints.py: keep": SHOWN,
    "helpers/training/checkpoints.py: kept": SHOWN,
    "helpers/training/checkpoints.py: load": SHOWN,
}
ASKS = {"time.time", "time.time_ns", "time.localtime", "time.gmtime", "time.ctime", "time.asctime"} | {
    "time.strftime", "datetime.now", "datetime.utcnow", "datetime.today", "date.today", "time.CLOCK_REALTIME",
}  # fmt: skip
BEARS = ("st_mtime", "st_ctime", "st_atime", "getmtime", "getctime", "getatime")  # also st_mtime_ns
# Each look at the clock finds it elsewhere.
JUMPING = """
import itertools, time
true, jumps = time.time, itertools.cycle([0, -3600, 31536000, 3600, -31536000])
time.time = lambda: true() + next(jumps)
"""


def asking(module: ast.Module) -> Iterator[str]:
    """The innermost functions of a module that ask the clock that can be set, or compare files' times."""
    imported = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(module)
        if isinstance(node, ast.ImportFrom) and node.module == "time"
        for alias in node.names
    }

    def search(node: ast.AST, within: str) -> Iterator[str]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            within = node.name
        if isinstance(node, ast.Attribute):
            named = ast.unparse(node)
            if ".".join(named.split(".")[-2:]) in ASKS or node.attr.removesuffix("_ns") in BEARS:
                yield within
        if isinstance(node, ast.Name) and imported.get(node.id) in ASKS:
            yield within
        for child in ast.iter_child_nodes(node):
            yield from search(child, within)

    return search(module, "")


@follows_from("autograder/**/*.py", "helpers", "deploy", "exercises", "*.py")
def test_the_clock_that_can_be_set_is_asked_only_where_a_jump_does_no_harm() -> None:
    found = {
        f"{path.relative_to(ROOT).as_posix()}: {function}"
        for folder in ("autograder", "helpers", "deploy", "exercises")
        for path in (ROOT / folder).rglob("*.py")
        for function in asking(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found - PLACES.keys() == set(), (
        "for waits and limits use time.monotonic; else give the reason above"
    )
    assert PLACES.keys() - found == set(), "these ask no more"


@pytest.mark.parametrize(
    "code",
    ["import time\ndef f(): return time.time()", "from time import time as t\ndef f(): t()",
     "import datetime\ndef f(): datetime.datetime.now()", "def f(path): return path.stat().st_mtime_ns"],
)  # fmt: skip
def test_whoever_asks_it_is_found(code: str) -> None:
    assert [*asking(ast.parse(code))] == ["f"]
    assert not [*asking(ast.parse("import time\ndef f(): return time.monotonic()"))]


@pytest.mark.needs_bubblewrap
@follows_from(*ENGINE)
def test_a_class_is_graded_once_while_the_clock_jumps(tmp_path: Path) -> None:
    course = Course(tmp_path / "course")
    for name, answers in (("ada", {}), ("bob", WRONG)):
        course.hand_in(name, answers)
    code = f"{JUMPING}\nfrom autograder.commands.cli import main; raise SystemExit(main())"
    command = [sys.executable, "-c", code, "grade", LESSON, "--workers", "1"]
    said = []
    for _ in range(2):
        done = subprocess.run(command, cwd=course.root, capture_output=True, text=True)
        assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
        said.append(done.stdout)
    assert "2 graded" in said[0] and "0 graded, 2 as before" in said[1]
    found = course.statuses()
    assert {*found["ada"].values()} == {"passed"} and found["bob"]["attention.softmax"] == "failed"
    course.run("nbgrader", "generate_feedback", LESSON)
    for page in (course.root / "feedback").rglob("*.html"):
        os.utime(page, (1, 1))  # long before its result, by the clock
    assert "2 pages" in course.run("headstart", "feedback", LESSON).stdout


@pytest.mark.needs_bubblewrap
@follows_from(*ENGINE)
def test_a_watch_goes_on_while_the_clock_jumps_and_says_what_hides_later_submissions(tmp_path: Path) -> None:
    course = Course(tmp_path / "course")
    hand_in(course, "ada", "2026-01-02 12:00:00 UTC")
    process = start(course, before=JUMPING)
    wait_for(course, lambda: told(course) == 1, process)
    hand_in(course, "bob", "2025-01-02 12:00:00 UTC")  # the clock of those who hand in was set back
    hand_in(course, "eve", "2999-01-02 12:00:00 UTC")
    wait_for(course, lambda: told(course) == 3, process)
    when = "2026-01-02 11:00:00 UTC"
    folder = hand_in(course, "dan", when, whole=False)  # which a watch waits for
    time.sleep(2)  # ten looks, and ten jumps
    assert not (course.root / "submitted" / "dan").exists()
    (folder / "timestamp.txt").write_text(when)
    wait_for(course, lambda: told(course) == 4, process)
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    log = (course.root / "watch.log").read_text()
    assert "Traceback" not in log and "failed" not in log
    assert [line.split()[1] for line in log.splitlines() if "in the future" in line] == [
        "'eve+01_attention+2999-01-02"
    ]
    assert len(pages(course)) == 4
    assert json.loads((course.root / ".headstart_released.json").read_text())[LESSON].keys() == {
        "ada", "bob", "dan", "eve",
    }  # fmt: skip


def test_what_was_handed_in_in_the_future_can_be_taken_away_and_the_last_is_collected(tmp_path: Path) -> None:
    course = Course(tmp_path / "course")
    hand_in(course, "ada", "2999-01-02 12:00:00 UTC", answers=WRONG)
    assert "in the future" in course.run("nbgrader", "collect", LESSON).stderr
    hand_in(course, "ada", "2026-01-02 12:00:00 UTC")
    said = course.run("nbgrader", "collect", LESSON, "--update").stderr
    assert said.count("in the future") == 1 and "submitted/" in said
    for folder in ("exchange/headstart/inbound/ada+01_attention+2999*", "submitted/ada/01_attention"):
        [there] = course.root.glob(folder)
        subprocess.run(["rm", "-r", there], check=True)
    assert "in the future" not in course.run("nbgrader", "collect", LESSON, "--update").stderr
    stamp = course.root / "submitted" / "ada" / LESSON / "timestamp.txt"
    assert stamp.read_text().startswith("2026-01-02")

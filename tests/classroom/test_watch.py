"""`headstart watch`: feedback comes out as submissions come in, whatever happens to the watch."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock, call

import psutil
import pytest

from autograder.classroom import watching
from autograder.classroom.watching import PATIENCE, _Rounds, _Waiting
from autograder.grading.handed_in import Submission
from autograder.lessons import ROOT
from tests.support.course import LESSON, Course
from tests.support.proved import ENGINE, follows_from
from tests.support.refusing import refuse

pytestmark = [pytest.mark.needs_bubblewrap, follows_from(*ENGINE)]


MANY = 6
WRONG = {"attention.softmax": "def softmax(x, dim):\n    return x"}


def hand_in(
    course: Course,
    student: str,
    when: str = "2026-01-01 12:00:00 UTC",
    answers: dict[str, str] | None = None,
    *,
    whole: bool = True,
) -> Path:
    """Put a submission into the exchange as nbgrader does: its time comes last, if it is to be whole."""
    folder = course.root / "exchange" / "headstart" / "inbound" / f"{student}+{LESSON}+{when}+abc"
    folder.mkdir(parents=True)
    source = course.hand_in("nobody", answers or {})
    (folder / source.name).write_bytes(source.read_bytes())
    (folder / "submission_secret.txt").write_text(f"{student} {when}")
    source.unlink()
    source.parent.rmdir()
    if whole:
        (folder / "timestamp.txt").write_text(when)
    return folder


def start(course: Course, *more: str, patience: int = PATIENCE, before: str = "") -> subprocess.Popen:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    code = f"{before}\nfrom autograder.classroom import watching; watching.PATIENCE = {patience}; from autograder.commands.cli import main; raise SystemExit(main())"
    command = [sys.executable, "-c", code, "watch", LESSON, "--every", "0.2", "--workers", "1", *more]
    with (course.root / "watch.log").open("ab") as log:
        return subprocess.Popen(command, cwd=course.root, env=env, stdout=log, stderr=log)


def wait_for(course: Course, what: Callable[[], bool], process: subprocess.Popen) -> None:
    while not what():
        assert process.poll() is None, (course.root / "watch.log").read_text()
        time.sleep(0.1)


def pages(course: Course) -> dict[str, float]:
    """The feedback that students can fetch, and when it was written."""
    found = (course.root / "exchange" / "headstart" / "feedback").glob("*.html")
    return {path.name: path.stat().st_mtime for path in found if "-tmp" not in path.name}


def told(course: Course) -> int:
    """How many students' feedback a watch has said to be out."""
    return (course.root / "watch.log").read_text().count("is out")


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return Course(tmp_path / "course")


def test_feedback_comes_out_and_a_killed_watch_loses_nothing_and_does_nothing_twice(course: Course) -> None:
    hand_in(course, "ada")
    first = start(course)
    wait_for(course, lambda: len(pages(course)) == 1, first)
    wait_for(course, lambda: (course.root / "watch.log").read_text().count("feedback is out") == 1, first)
    other = course.run("headstart", "watch", LESSON, check=False)
    assert other.returncode == 2 and "another watch is running" in other.stderr
    first.send_signal(signal.SIGKILL)
    first.wait()
    before, marks = pages(course), course.verdicts()["ada"]
    hand_in(course, "bob", answers=WRONG)
    second = start(course)
    wait_for(course, lambda: len(pages(course)) == 2, second)
    hand_in(course, "ada", "2026-01-02 12:00:00 UTC", answers=WRONG)  # once more
    wait_for(course, lambda: len(pages(course)) == 3, second)
    wait_for(course, lambda: (course.root / "watch.log").read_text().count("feedback is out") == 3, second)
    second.send_signal(signal.SIGINT)
    assert second.wait() == 130
    assert before.items() <= pages(course).items(), "the first page is as it was"
    assert course.verdicts()["ada"] != marks
    log = (course.root / "watch.log").read_text()
    assert [line.split()[1] for line in log.splitlines() if "feedback is out" in line].count("ada:") == 2
    assert "Traceback" not in log
    assert json.loads((course.root / ".headstart_released.json").read_text())[LESSON].keys() == {"ada", "bob"}


def test_each_has_feedback_before_the_rest_is_graded_and_with_what_lateness_costs(course: Course) -> None:
    """A class that comes in one round would else wait for its last, who may have a loop without end."""
    with (course.root / "nbgrader_config.py").open("a") as config:
        config.write("\nc.LateSubmissionPlugin.penalty_method = 'zero'\n")
    course.run("headstart", "due", LESSON, "2025-12-24 12:00")
    for name in ("ada", "bob", "cid"):
        hand_in(course, name)
    process = start(course)
    wait_for(course, lambda: told(course) == 3, process)
    process.send_signal(signal.SIGINT)
    process.wait()
    log = (course.root / "watch.log").read_text().splitlines()
    said = ["out" if "is out" in line else "graded" for line in log if "is out" in line or " points" in line]
    assert said == ["graded", "out"] * 3
    for name in ("ada", "bob", "cid"):
        page = (course.root / "feedback" / name / LESSON / f"{LESSON}.html").read_text()
        assert "taken off for being late" in page


def test_a_round_charges_each_student_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plugin of the course's own may be slow, or say something."""
    one, other = (Submission(name, LESSON, tmp_path / name) for name in ("ada", "bob"))
    book, lesson = Mock(repointed=[]), Mock(skeletons={}, own_files={})
    lesson.name = LESSON

    def grade(*_: object, progress: Callable, **__: object) -> None:
        progress(one, Mock(), "")
        progress(other, None, "broken")

    monkeypatch.setattr(watching, "Book", lambda *_: book)
    monkeypatch.setattr(watching, "changed_by_hand", lambda _: [])
    monkeypatch.setattr(watching, "find_submissions", lambda *_: [one, other])
    monkeypatch.setattr(watching, "grade_all", grade)
    monkeypatch.setattr(_Rounds, "__post_init__", lambda self: setattr(self, "graded", {}))
    monkeypatch.setattr(_Rounds, "_say", lambda *_: None)
    monkeypatch.setattr(_Rounds, "_answer", lambda *_: None)
    config = Mock()
    _Rounds(Mock(lesson=lesson), Mock(), config, Mock(number=1), True, lambda: False)._round(collect=False)
    assert book.charge_lateness.mock_calls == [call(config, "ada"), call(config, done={"ada"})]


def test_an_interrupt_while_it_answers_many_ends_it_and_the_next_goes_on(course: Course) -> None:
    for number in range(MANY):
        hand_in(course, f"s{number}")
    first = start(course)
    wait_for(course, lambda: len(pages(course)) > 0, first)
    started = psutil.Process(first.pid).children(recursive=True)
    first.send_signal(signal.SIGINT)  # nbgrader would take it for the failure of a page
    assert first.wait() == 130
    psutil.wait_procs(started)
    # It may have come between a page and its record, which is made once more, or between that and its line.
    kept = course.root / ".headstart_released.json"
    done = len(json.loads(kept.read_text())[LESSON]) if kept.exists() else 0
    unsaid = done - told(course)
    assert unsaid in (0, 1)
    second = start(course)
    wait_for(course, lambda: len(pages(course)) == MANY, second)
    wait_for(course, lambda: told(course) >= MANY - unsaid, second)
    left = psutil.Process(second.pid).children(recursive=True)
    second.send_signal(signal.SIGKILL)
    second.wait()
    psutil.wait_procs(left)
    log = (course.root / "watch.log").read_text()
    said = [line.split()[1] for line in log.splitlines() if "feedback is out" in line]
    assert len(said) == MANY - unsaid and {*said} <= {f"s{number}:" for number in range(MANY)}
    assert len({*said}) == len(said)


def test_one_whose_copying_takes_longer_than_is_waited_for_is_graded_once_it_is_whole(course: Course) -> None:
    """As on a busy machine. Meanwhile it holds up nobody."""
    hand_in(course, "ada")
    folder = next((course.root / "exchange" / "headstart" / "inbound").iterdir())
    last = {path: path.read_bytes() for path in folder.iterdir()}
    for path in last:
        path.unlink()
    watch = start(course, patience=0)
    wait_for(course, lambda: "ada: 0 of 23 points" in (course.root / "watch.log").read_text(), watch)
    hand_in(course, "bob")
    wait_for(course, lambda: "bob: 23 of 23 points" in (course.root / "watch.log").read_text(), watch)
    for path, content in sorted(last.items(), key=lambda item: item[0].name == "timestamp.txt"):
        path.write_bytes(content)
    wait_for(course, lambda: "ada: 23 of 23 points" in (course.root / "watch.log").read_text(), watch)
    watch.send_signal(signal.SIGINT)
    watch.wait()


def test_feedback_that_nobody_can_fetch_is_not_said_to_be_out(course: Course) -> None:
    hand_in(course, "ada")
    [folder] = (course.root / "exchange" / "headstart" / "inbound").iterdir()
    (folder / f"{LESSON}.ipynb").rename(folder / "my.zip")
    watch = start(course)
    said = "ada: feedback is made, but the student handed in no .ipynb file"
    wait_for(course, lambda: said in (course.root / "watch.log").read_text(), watch)
    watch.send_signal(signal.SIGINT)
    watch.wait()
    assert "feedback is out" not in (course.root / "watch.log").read_text()


def test_a_watch_gives_all_of_a_group_what_one_of_them_hands_in(course: Course) -> None:
    members = ("ada", "bob")
    for student in members:
        course.run("nbgrader", "db", "student", "add", student)
    (course.root / "groups.csv").write_text("group,student\nA,ada\nA,bob\n")
    course.run("headstart", "groups", "groups.csv", LESSON)
    hand_in(course, "ada")
    watch = start(course, "--hold")
    wait_for(course, lambda: (course.root / "watch.log").read_text().count(" points") == 2, watch)
    assert course.verdicts().keys() == {*members}
    hand_in(course, "bob", "2026-01-02 12:00:00 UTC", answers=WRONG)
    wait_for(course, lambda: (course.root / "watch.log").read_text().count(" points") == 4, watch)
    for student in members:
        assert course.statuses()[student]["attention.softmax"] == "failed"
        assert (course.submission(student) / "timestamp.txt").read_text().startswith("2026-01-02")
    assert (course.root / "replaced" / "ada" / LESSON / "1").is_dir()
    watch.send_signal(signal.SIGINT)
    watch.wait()
    assert "Traceback" not in (course.root / "watch.log").read_text()


def test_a_watch_that_holds_feedback_grades_and_releases_nothing(course: Course) -> None:
    hand_in(course, "ada")
    watch = start(course, "--hold")
    wait_for(course, lambda: "ada: 23 of 23 points" in (course.root / "watch.log").read_text(), watch)
    watch.send_signal(signal.SIGINT)
    watch.wait()
    assert not pages(course)


def test_an_exchange_that_is_not_there_is_said_once_and_waited_for(course: Course) -> None:
    (course.root / "exchange").write_text("no folder")
    watch = start(course)
    log = course.root / "watch.log"
    wait_for(course, lambda: "can't be read: Not a directory" in log.read_text(), watch)
    time.sleep(1)
    (course.root / "exchange").unlink()
    (course.root / "exchange" / "headstart" / "outbound").mkdir(parents=True)
    hand_in(course, "ada")
    other = course.root / "exchange" / "headstart" / "inbound" / f"b&b+{LESSON}+2026-01-01 12:00:00 UTC+abc"
    other.mkdir()
    (other / "timestamp.txt").write_text("2026-01-01 12:00:00 UTC")
    refused = "was not collected: its name has a character"
    # It comes after the other, perhaps only when that has been collected.
    wait_for(course, lambda: len(pages(course)) == 1 and refused in log.read_text(), watch)
    watch.send_signal(signal.SIGKILL)
    watch.wait()
    said = log.read_text()
    assert said.count("can't be read") <= 2, "a file in its place, and perhaps no folder yet"
    assert said.count(refused) == 1 and "failed" not in said


def test_a_round_that_fails_ends_nothing_and_is_tried_again(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.setattr(_Rounds, "__post_init__", lambda self: None)
    rounds = _Rounds(None, None, None, None, True, lambda: False)
    monkeypatch.setattr(rounds, "_round", Mock(side_effect=OSError(28, "No space left on device")))
    assert not rounds.run()
    assert "this round failed: OSError: [Errno 28] No space left" in capsys.readouterr().err
    monkeypatch.setattr(rounds, "_round", lambda collect: rounds._do("feedback", lambda: {"error": "a\nb"}))
    assert not rounds.run()
    assert "feedback failed: b; it will be tried again" in capsys.readouterr().err
    monkeypatch.setattr(rounds, "_round", lambda collect: rounds._do("feedback", lambda: {"success": True}))
    assert rounds.run()


def test_a_submission_that_is_still_being_copied_is_waited_for_once(tmp_path: Path, monkeypatch) -> None:
    waiting, folder = _Waiting(), tmp_path / "ada"
    folder.mkdir()
    now = time.monotonic()
    assert waiting.for_any([folder])
    monkeypatch.setattr(time, "monotonic", lambda: now + PATIENCE + 1)
    assert not waiting.for_any([folder]), "nobody holds up the others"
    monkeypatch.setattr(time, "monotonic", lambda: now)
    (folder / "timestamp.txt").touch()
    assert not waiting.for_any([folder])


def test_who_closes_their_folder_is_waited_for_as_long(tmp_path: Path, monkeypatch) -> None:
    waiting, now = _Waiting(), time.monotonic()
    (tmp_path / "mallory").mkdir()
    (tmp_path / "mallory/timestamp.txt").touch()
    refuse(monkeypatch, tmp_path / "mallory")
    assert waiting.for_any([tmp_path / "mallory"])
    monkeypatch.setattr(time, "monotonic", lambda: now + PATIENCE + 1)
    assert not waiting.for_any([tmp_path / "mallory"])


@pytest.mark.promise(41)
def test_who_hands_in_without_end_holds_up_nobody_for_longer(tmp_path: Path, monkeypatch) -> None:
    waiting, now = _Waiting(), time.monotonic()
    waited = []
    for number in range(4):  # each is new, and none is ever whole
        monkeypatch.setattr(time, "monotonic", lambda passed=number * PATIENCE / 2: now + passed)
        waited.append(waiting.for_any([tmp_path / f"mallory{n}" for n in range(number + 1)]))
    assert waited == [True, True, False, True]


@pytest.mark.promise(41)
@pytest.mark.timeout(400)
def test_one_that_waits_until_its_time_is_out_holds_up_a_watch_once(course: Course) -> None:
    """And what its files are called steers no terminal."""
    waits = "import time\nwhile True:\n    try: time.sleep(10**6)\n    except KeyboardInterrupt: pass"
    hand_in(course, "zed", answers={"attention.softmax": waits})
    (course.submission("eve") / "\x1b]0;FREE\x07.ipynb").mkdir()  # unpacked by hand
    watch = start(course, "--seconds", "1")
    wait_for(course, lambda: "zed: feedback is out" in (course.root / "watch.log").read_text(), watch)
    hand_in(course, "ada")
    wait_for(course, lambda: "ada: feedback is out" in (course.root / "watch.log").read_text(), watch)
    hand_in(course, "zed", "2026-01-02 12:00:00 UTC")  # another one is another matter
    wait_for(course, lambda: "zed: 23 of 23 points" in (course.root / "watch.log").read_text(), watch)
    watch.send_signal(signal.SIGINT)
    watch.wait()
    log = (course.root / "watch.log").read_text()
    assert len(re.findall(r"zed: (?!23 )\d+ of 23 points", log)) == 1
    lacks = "there is no notebook, but ]0;FREE .ipynb is a folder"
    assert f"eve: 0 of 23 points; {LESSON}.ipynb was not handed in; {lacks}" in log and "\x1b" not in log

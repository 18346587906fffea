"""What students put into the exchange, collected by the configuration that the project ships."""

import errno
import io
import os
import shutil
from datetime import datetime
from pathlib import Path

import pytest
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeError
from nbgrader.utils import notebook_hash

from autograder.classroom.collect import NEVER, Collect, _copy, _Copying
from autograder.classroom.course import course_directory
from autograder.classroom.plugin import leave_links_out
from autograder.grading.handed_in import RECORDS, STEERING, read_time
from tests.support.course import LESSON, Course
from tests.support.proved import ENGINE, follows_from
from tests.support.raising import raises_only

pytestmark = follows_from(*ENGINE)

BAIT = "bait-7c1d0e"
WHEN = "2026-01-01 12:00:00 UTC"


def inbound(course: Course, name: str) -> Path:
    """A folder in the exchange as `nbgrader submit` leaves it, with the lesson solved in it."""
    folder = course.root / "exchange" / "headstart" / "inbound" / name
    folder.mkdir(parents=True)
    source = course.hand_in("nobody")
    source.rename(folder / source.name)
    (folder / "timestamp.txt").write_text(WHEN)
    return folder


@pytest.fixture(scope="module")
def collected(tmp_path_factory) -> Course:
    """A course with bait where a real one has it, and an exchange in which others did what they could."""
    course = Course(tmp_path_factory.mktemp("collect") / "course")
    root, stamp = course.root, f"+{LESSON}+{WHEN}+abc"
    (root / ".headstart_secret").write_text(f"{BAIT} of thirty-two letters at least")
    (root / "source" / LESSON / "notes.txt").write_text(BAIT)
    (root / "submitted" / "classmate" / LESSON).mkdir(parents=True)
    (root / "submitted" / "classmate" / LESSON / "answer.txt").write_text(BAIT)
    inbound(course, f"amy{stamp}")

    bob = inbound(course, f"bob{stamp}")
    (bob / "secret.txt").symlink_to(root / ".headstart_secret")
    (bob / "notes").symlink_to(root / "source" / LESSON)
    (bob / "others").symlink_to(root / "submitted")
    (bob / "near.txt").symlink_to("../../../.headstart_secret")
    (bob / "endless.txt").symlink_to("/dev/zero")
    (bob / "inner").mkdir()
    (bob / "inner" / "deep.txt").symlink_to(root / "submitted" / "classmate" / LESSON / "answer.txt")
    os.link(root / ".headstart_secret", bob / "hard.txt")
    (bob / "\x1b]0;FREE\x07.txt").touch()
    (bob / "inner" / "\x9b2J").mkdir()
    (bob / "inner" / "\x9b2J" / "inmost").mkdir()
    os.mkfifo(bob / "pipe.txt")  # nbgrader's own collect waits for it for ever
    (bob / "timestamp.txt").unlink()
    (bob / "timestamp.txt").symlink_to(root / ".headstart_secret")

    cat = inbound(course, f"cat{stamp}")
    (cat / f"{LESSON}.ipynb").unlink()
    (cat / f"{LESSON}.ipynb").symlink_to(root / "source" / LESSON / f"{LESSON}.ipynb")

    elsewhere = root / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "page.txt").write_text(BAIT)
    (cat.parent / f"dan{stamp}").symlink_to(elsewhere)
    for odd in (f"eve+{LESSON}+no time", f"..{stamp}", stamp, f"a\nb{stamp}", f"x+y{stamp}+"):
        if not (cat.parent / odd).exists():
            inbound(course, odd)
    os.mkdir(os.fsencode(cat.parent) + b"/\xff" + stamp.encode())
    with (inbound(course, f"fay{stamp}") / "huge.txt").open("wb") as file:
        file.truncate(1 << 40)
    gus = inbound(course, f"gus{stamp}")  # who took away what `nbgrader submit` wrote
    (gus / "timestamp.txt").unlink()
    hal = inbound(course, f"hal{stamp}")
    (hal / "timestamp.txt").write_text("2026-01-01 12:00:00 \x1b]0;FREE\x07")  # dateutil takes it for a zone
    (hal / "submission_secret.txt").mkdir()
    ivy = inbound(course, f"ivy{stamp}")
    (ivy / "timestamp.txt").write_text("9999-12-31 23:59:59 UTC")
    inbound(course, f"jim+{LESSON}+9999-12-31 23:59:59 UTC+abc")
    for odd in ("=1+1", "＝1+1", "<b onclick=alert(1)>", '";alert(1);"', "am[xy]", "amy%2f..%2fzoe", "zoe#"):
        inbound(course, f"{odd}{stamp}")
    inbound(course, f"zoe{stamp}")
    (cat.parent / f"zoe{stamp}" / "submission_secret.txt").write_text("zoe's own")
    course.said = course.run("nbgrader", "collect", LESSON)
    return course


def kept(course: Course, *trees: str) -> str:
    """All that lies in some of a course's trees, but for what was there from the start."""
    files = [path for tree in trees for path in (course.root / tree).rglob("*") if path.is_file()]
    ours = [path for path in files if not path.is_symlink() and "classmate" not in path.parts]
    return "\n".join(path.read_text(errors="replace") for path in ours)


@pytest.mark.promise(27, 28)
def test_collecting_follows_no_link(collected) -> None:
    assert BAIT not in kept(collected, "submitted")
    bob = collected.submission("bob")
    assert {path.name for path in bob.iterdir()} == {f"{LESSON}.ipynb", "inner", *RECORDS}
    assert not list((bob / "inner").iterdir()) and not (bob / "timestamp.txt").is_symlink()
    assert {path.name for path in collected.submission("cat").iterdir()} == {*RECORDS}
    for name in ("secret.txt", "endless.txt", "inner/deep.txt"):
        assert f"'{name}' of 'bob+{LESSON}+{WHEN}+abc' was left out: it is a link" in collected.said.stderr


@pytest.mark.promise(29)
def test_what_cannot_be_collected_is_named_and_costs_nobody_else(collected) -> None:
    handed_in = {path.name for path in (collected.root / "submitted").iterdir() if (path / LESSON).is_dir()}
    assert handed_in == {"amy", "bob", "cat", "gus", "hal", "ivy", "zoe", "classmate", "nobody"}
    for student in ("amy", "zoe"):
        assert (collected.submission(student) / f"{LESSON}.ipynb").is_file()
    assert not (collected.root / LESSON).exists()  # where `..` would have led
    said = collected.said.stderr + collected.said.stdout
    for name in (
        "dan",
        "eve",
        "a\\nb",
        "fay",
        "\\udcff",
        "=1",
        "<b onclick=alert(1)>",
        '";alert(1);"',
        "am[xy]",
        "amy%2f..%2fzoe",
        "zoe#",
        "jim",
    ):
        assert any("was not collected" in line and f"{name}+" in line for line in said.splitlines()), name
    assert "'hard.txt'" in said and "hard link" in said
    assert said.count("its name could control a terminal") == 2 and "\x1b" not in said and "\x9b" not in said
    assert not [path for path in collected.submission("bob").rglob("*") if STEERING.search(path.name)]


def test_a_full_disk_leaves_no_half_submission_and_is_told(tmp_path, monkeypatch) -> None:
    """Half a one, with its time and without its notebook, would count as collected for ever."""
    course = Course(tmp_path / "course")
    for student in ("amy", "bob"):
        inbound(course, f"{student}+{LESSON}+{WHEN}+abc")
    whole = shutil.copytree

    def half(src, dst, **more):
        if "amy" not in str(dst):
            return whole(src, dst, **more)
        Path(dst).mkdir()
        shutil.copy(Path(src, "timestamp.txt"), dst)
        raise shutil.Error([(src, dst, f"[Errno 28] {os.strerror(errno.ENOSPC)}: {src!r}")])

    collect = Collect(coursedir=course_directory(course.root, [f"--assignment={LESSON}"])[0], parent=None)
    collect.root, collect.update = str(course.root / "exchange"), True
    collect.coursedir.course_id = "headstart"
    monkeypatch.setattr("nbgrader.exchange.default.exchange.shutil.copytree", half)
    with pytest.raises(OSError, match=r"^\[Errno 28\] No space left on device$"):
        collect.start()
    submitted = course.root / "submitted"
    assert not [*(submitted / "amy").iterdir()] and [*(submitted / "bob" / LESSON).iterdir()]
    monkeypatch.undo()
    collect.start()
    for student in ("amy", "bob"):
        assert (submitted / student / LESSON / f"{LESSON}.ipynb").is_file()
    assert sorted(path.name for path in submitted.glob("*/.*")) == []


@pytest.mark.promise(27)
def test_what_is_no_plain_file_is_taken_out_before_nbgrader_copies_it(tmp_path) -> None:
    """From an archive that was unpacked by hand: nbgrader would copy a device without end."""
    bait = tmp_path / "bait.txt"
    bait.touch()
    folder = tmp_path / "submission"
    (folder / "inner").mkdir(parents=True)
    for name in ("a.ipynb", "inner/kept.txt"):
        (folder / name).touch()
    for name, target in {"b.ipynb": "/dev/zero", "inner/x": bait, "up": tmp_path, "nowhere": "none"}.items():
        (folder / name).symlink_to(target)
    os.mkfifo(folder / "inner" / "pipe")
    (folder / "inner" / "\x1b[2J").touch()
    (folder / "\x9b2J" / "inmost").mkdir(parents=True)
    leave_links_out("ps1", "*", [str(folder / "a.ipynb"), str(folder / "b.ipynb")])
    left = {str(path.relative_to(folder)) for path in folder.rglob("*")}
    assert left == {"a.ipynb", "inner", "inner/kept.txt"} and bait.exists()


@pytest.mark.promise(27)
@pytest.mark.needs_bubblewrap
@pytest.mark.timeout(600)
def test_autograding_and_feedback_hold_nothing_that_a_link_points_to(collected) -> None:
    collected.run("nbgrader", "generate_assignment", LESSON)
    by_hand = collected.submission("bob")  # as a student's archive is unpacked
    (by_hand / "inner" / "deep.txt").symlink_to(collected.root / ".headstart_secret")
    os.mkfifo(by_hand / "pipe.txt")
    (by_hand / "\x1b]0;FREE\x07.txt").touch()
    graded = collected.run("nbgrader", "autograde", LESSON, "--student=bob")
    released = collected.run("nbgrader", "generate_feedback", LESSON, "--student=bob")
    assert "FREE" not in graded.stdout + graded.stderr + released.stdout + released.stderr
    assert (collected.root / "autograded" / "bob" / LESSON / f"{LESSON}.ipynb").is_file()
    assert list((collected.root / "feedback" / "bob").rglob("*.html"))
    assert BAIT not in kept(collected, "autograded", "feedback")
    kept_files = (collected.root / "autograded" / "bob").rglob("*.txt")
    assert {path.name for path in kept_files} == {"timestamp.txt", "submission_secret.txt"}


@pytest.mark.promise(31)
def test_a_submission_has_the_records_of_nbgrader_whatever_was_made_of_them(collected) -> None:
    for student in ("bob", "gus", "hal", "ivy", "zoe"):
        time, secret = (collected.submission(student) / name for name in RECORDS)
        assert time.is_file(), student
        assert str(read_time(time.read_bytes())) in WHEN and "\x1b" not in time.read_text(), student
        assert secret.is_file() and secret.read_text(), student
    assert secret.read_text() == "zoe's own"


@pytest.mark.promise(29)
def test_formgrader_lists_everybody_in_any_time_zone(collected) -> None:
    """A time at the end of all times, and an hour more: nbgrader would stop, and list nobody."""
    api = NbGraderAPI(collected_course(collected), timezone="Europe/Berlin")
    listed = {submission["student"] for submission in api.get_submissions(LESSON)}
    assert {"amy", "ivy", "zoe"} <= listed


@pytest.mark.promise(30)
def test_who_hands_in_for_another_does_not_come_before_them(collected, monkeypatch) -> None:
    """And a name that holds no time comes before none that does."""
    collect = Collect(coursedir=collected_course(collected), parent=None)
    owners = {"amy+2": "eve", "amy+1": "amy", "amy+0": "amy", "amy+x": "amy"}
    monkeypatch.setattr(Collect, "_owner", lambda self, record: owners[record["filename"]])
    times = {"amy+2": 2030, "amy+1": 2026, "amy+0": 2025, "amy+x": 1}  # datetime.min
    records = [
        {"username": "amy", "filename": name, "timestamp": NEVER if year == 1 else datetime(year, 1, 1)}
        for name, year in times.items()
    ]
    assert [record["filename"] for record in collect._sort_by_timestamp(records)] == ["amy+1", "amy+0"]
    owners.update(dict.fromkeys(owners, "jovyan"))  # as in containers: there is no telling
    assert [each["filename"] for each in collect._sort_by_timestamp(records)] == ["amy+2", "amy+1", "amy+0"]
    assert collect._sort_by_timestamp(records[-1:]) == records[-1:]


def collected_course(course: Course) -> CourseDirectory:
    return course_directory(course.root)[0]


def test_a_file_that_becomes_a_link_while_it_is_collected_is_not_followed(tmp_path, monkeypatch):
    """Between the look at it and the opening: whoever hands in may try that as often as they like."""
    (tmp_path / "bait.txt").write_text(BAIT)
    source = tmp_path / "source"
    source.mkdir()
    (source / "answer.txt").write_text("theirs")
    look = os.stat

    def look_and_lose(path, **options):
        found = look(path, **options)
        if path == "answer.txt" and "dir_fd" in options:
            (source / path).unlink()
            (source / path).symlink_to(tmp_path / "bait.txt")
        return found

    monkeypatch.setattr(os, "stat", look_and_lose)
    copying = _Copying(tmp_path / "stage", 1000)
    copying.copy(str(source))
    assert not (tmp_path / "stage" / "answer.txt").exists()
    assert copying.refused == {"answer.txt": os.strerror(errno.ELOOP)}


@pytest.mark.promise(29)
def test_a_file_that_grows_and_a_folder_without_end_are_bounded(tmp_path, monkeypatch) -> None:
    copied = io.BytesIO()
    _copy(io.BytesIO(b"x" * 100), copied, 10)
    assert copied.getvalue() == b"x" * 10
    (tmp_path / "src").mkdir()
    for number in range(5):
        (tmp_path / "src" / f"{number}").touch()
    monkeypatch.setattr("autograder.classroom.collect.MAX_ENTRIES", 4)
    with raises_only(ExchangeError, match="more than 4 files"):
        _Copying(tmp_path / "stage", 1000).copy(str(tmp_path / "src"))


@pytest.mark.promise(32)
@pytest.mark.needs_bubblewrap
@pytest.mark.timeout(600)
def test_feedback_without_its_records_holds_up_no_other(collected) -> None:
    """As of a submission that came another way than by the exchange, or from an earlier Headstart."""
    collected.run("nbgrader", "generate_assignment", LESSON)
    for student in ("gus", "zoe"):
        collected.run("nbgrader", "autograde", LESSON, f"--student={student}")
        collected.run("nbgrader", "generate_feedback", LESSON, f"--student={student}")
    (collected.root / "feedback" / "gus" / LESSON / "timestamp.txt").unlink()
    done = collected.run("nbgrader", "release_feedback", LESSON)
    released = (collected.root / "exchange" / "headstart" / "feedback").glob("*.html")
    assert notebook_hash(secret="zoe's own", notebook_id=LESSON) in {path.stem for path in released}
    assert "gus" in next(line for line in done.stderr.splitlines() if "was not released" in line)


@pytest.mark.promise(28)
@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_files_that_belong_to_somebody_else_are_left_out(tmp_path) -> None:
    src = tmp_path / "src"
    (src / "theirs").mkdir(parents=True)
    for name in ("mine.txt", "other.txt", "theirs/inner.txt"):
        (src / name).write_text(name)
    os.chown(src / "other.txt", 12345, 12345)
    os.chown(src / "theirs", 12345, 12345)
    copying = _Copying(tmp_path / "stage", 1000)
    copying.copy(str(src))
    assert [path.name for path in (tmp_path / "stage").rglob("*")] == ["mine.txt"]
    assert set(copying.refused) == {"other.txt", "theirs"}

"""What students put into the exchange, collected by the configuration that the project ships."""

import os
from pathlib import Path

import pytest
from course import LESSON, Course

from autograder.grading.collect import _Copying

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
    (bob / "inner").mkdir()
    (bob / "inner" / "deep.txt").symlink_to(root / "submitted" / "classmate" / LESSON / "answer.txt")
    os.link(root / ".headstart_secret", bob / "hard.txt")
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
    inbound(course, f"zoe{stamp}")
    course.said = course.run("nbgrader", "collect", LESSON)
    return course


def kept(course: Course, *trees: str) -> str:
    """All that lies in some of a course's trees, but for what was there from the start."""
    files = [path for tree in trees for path in (course.root / tree).rglob("*") if path.is_file()]
    ours = [path for path in files if not path.is_symlink() and "classmate" not in path.parts]
    return "\n".join(path.read_text(errors="replace") for path in ours)


def test_collecting_follows_no_link(collected) -> None:
    assert BAIT not in kept(collected, "submitted")
    bob = collected.submission("bob")
    assert (bob / "secret.txt").is_symlink() and (bob / "notes").is_symlink()
    assert (bob / "inner" / "deep.txt").is_symlink()
    assert not any(os.path.lexists(bob / name) for name in ("hard.txt", "pipe.txt", "timestamp.txt"))
    assert (collected.submission("cat") / f"{LESSON}.ipynb").is_symlink()


def test_what_cannot_be_collected_is_named_and_costs_nobody_else(collected) -> None:
    handed_in = {path.name for path in (collected.root / "submitted").iterdir() if (path / LESSON).is_dir()}
    assert handed_in == {"amy", "bob", "cat", "zoe", "classmate", "nobody"}
    for student in ("amy", "zoe"):
        assert (collected.submission(student) / f"{LESSON}.ipynb").is_file()
    assert not (collected.root / LESSON).exists()  # where `..` would have led
    said = collected.said.stderr + collected.said.stdout
    for name in ("dan", "eve", "a\\nb", "fay", "\\udcff"):
        assert any("was not collected" in line and f"'{name}+" in line for line in said.splitlines()), name
    assert "'hard.txt'" in said and "hard link" in said


@pytest.mark.needs_bubblewrap
@pytest.mark.timeout(600)
def test_autograding_and_feedback_hold_nothing_that_a_link_points_to(collected) -> None:
    collected.run("nbgrader", "generate_assignment", LESSON)
    collected.run("nbgrader", "autograde", LESSON, "--student=bob")
    collected.run("nbgrader", "generate_feedback", LESSON, "--student=bob")
    assert (collected.root / "autograded" / "bob" / LESSON / f"{LESSON}.ipynb").is_file()
    assert list((collected.root / "feedback" / "bob").rglob("*.html"))
    assert BAIT not in kept(collected, "autograded", "feedback")
    assert not list((collected.root / "autograded" / "bob").rglob("*.txt"))


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

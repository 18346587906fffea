"""What was drawn for a lesson's version is kept beside the secret, and believed only where it holds."""

import json
import os
from dataclasses import replace

import pytest

from autograder import exercises
from autograder.courses import Course
from autograder.grading import versions
from autograder.grading.versions import hidden_digests
from autograder.kept import KeptDigests

LESSON = "01_attention"
IDS = ["attention.softmax", "attention.cross"]
DIGESTS = dict.fromkeys(IDS, "of a draw")


def specified():
    found = exercises.load("attention")
    return {id: found[id] for id in IDS}


def not_needed():
    raise AssertionError("the exercises are imported")


@pytest.fixture
def kept(tmp_path):
    return KeptDigests(tmp_path / "draws", lambda: b"the course's")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "draws" / LESSON


def test_what_was_drawn_is_drawn_once(kept, path):
    drawn = hidden_digests(LESSON, IDS, specified, kept)
    assert hidden_digests(LESSON, IDS, not_needed, kept) == drawn
    assert hidden_digests(LESSON, IDS[:1], not_needed, kept) == {IDS[0]: drawn[IDS[0]]}
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_an_exercise_more_is_drawn(kept):
    hidden_digests(LESSON, IDS[:1], lambda: {IDS[0]: specified()[IDS[0]]}, kept)
    assert hidden_digests(LESSON, IDS, specified, kept).keys() == {*IDS}


@pytest.mark.parametrize(
    "change",
    [
        lambda patch: patch.setattr(versions, "installation", lambda: "changed since"),
        lambda patch: patch.setattr(versions.sys, "version", "3.99"),
        lambda patch: patch.setattr(versions, "version", lambda package: f"{package} 99"),
    ],
    ids=["code", "Python", "packages"],
)
def test_under_another_installation_nothing_kept_counts(kept, monkeypatch, change):
    drawn = hidden_digests(LESSON, IDS, specified, kept)
    change(monkeypatch)
    with pytest.raises(AssertionError, match="are imported"):
        hidden_digests(LESSON, IDS, not_needed, kept)
    assert hidden_digests(LESSON, IDS, specified, kept) == drawn


def test_of_code_that_changed_since_it_was_imported_nothing_is_kept(kept, path, monkeypatch):
    """A server runs for weeks: what it has drawn is of the code it imported, and not of the files."""
    monkeypatch.setattr(versions, "installation", lambda: "changed since")
    hidden_digests(LESSON, IDS, specified, kept)
    assert not path.exists()


def test_a_changed_reference_shows(kept):
    first, second = specified().values()
    other = {IDS[0]: replace(first, reference=lambda x, dim: x.softmax(dim) * 2), IDS[1]: second}
    before, after = (hidden_digests(LESSON, IDS, lambda now=now: now, None) for now in (specified(), other))
    assert {id for id in IDS if before[id] != after[id]} == {IDS[0]}


def test_the_digest_of_the_installation_covers_code_names_and_data(tmp_path, monkeypatch):
    monkeypatch.setattr(versions, "ENGINE", tmp_path)
    monkeypatch.setattr(versions, "current", lambda: Course(tmp_path, "made up"))
    seen = [versions.installation()]
    for name in (
        "autograder/a.py",
        "autograder/inner/b.py",
        "exercises/b/c.py",
        "helpers/c.py",
        "helpers/inner/d.json",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("one")
        seen.append(versions.installation())
        (tmp_path / name).write_text("two")
        seen.append(versions.installation())
    (tmp_path / "helpers/c.py").rename(tmp_path / "helpers/e.py")
    seen.append(versions.installation())
    assert len({*seen}) == len(seen)
    (tmp_path / "helpers/__pycache__").mkdir()
    (tmp_path / "helpers/__pycache__/e.pyc").write_bytes(b"built")
    assert versions.installation() == seen[-1]


# -- the file --------------------------------------------------------------------------------------------


def test_digests_are_read_as_they_were_written(kept):
    kept.write(LESSON, "code", DIGESTS)
    assert kept.read(LESSON, "code", IDS) == DIGESTS
    assert kept.read(LESSON, "other code", IDS) is None
    assert kept.read("02_multihead", "code", IDS) is None
    assert kept.read(LESSON, "code", [*IDS, "attention.additive"]) is None


def test_those_of_another_course_count_for_nothing(kept, path):
    kept.write(LESSON, "code", DIGESTS)
    assert KeptDigests(path.parent, lambda: b"another's").read(LESSON, "code", IDS) is None


def test_those_of_another_lesson_count_for_nothing(kept, path):
    kept.write(LESSON, "code", DIGESTS)
    path.rename(path.with_name("02_multihead"))
    assert kept.read("02_multihead", "code", IDS) is None


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "null", "{}", '{"seal": 1, "digests": {}}', '{"seal": "é", "digests": {}}', "\udc80"],
)
def test_what_is_no_record_of_ours_counts_for_nothing(kept, path, content):
    path.parent.mkdir()
    path.write_bytes(content.encode(errors="surrogateescape"))
    assert kept.read(LESSON, "code", IDS) is None


def test_what_somebody_changed_counts_for_nothing(kept, path):
    kept.write(LESSON, "code", DIGESTS)
    text = path.read_text()
    for length in range(len(text)):  # whoever wrote it was killed
        path.write_text(text[:length])
        assert kept.read(LESSON, "code", IDS) is None
    record = json.loads(text)
    record["digests"][IDS[0]] = "of another"
    path.write_text(json.dumps(record))
    assert kept.read(LESSON, "code", IDS) is None


def test_where_nothing_can_be_kept_nothing_is(kept, path, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "replace", lambda *paths: (_ for _ in ()).throw(PermissionError()))
    kept.write(LESSON, "code", DIGESTS)
    assert [*path.parent.iterdir()] == []
    elsewhere = KeptDigests(tmp_path / "no course" / "draws", lambda: b"the course's")
    elsewhere.write(LESSON, "code", DIGESTS)
    assert not (tmp_path / "no course").exists()

"""One submission to one result, and into the forms that other systems document."""

import json
import os
import shutil
from types import SimpleNamespace

import pytest

from autograder.classroom import once
from autograder.results import Graded, Paper
from helpers.checking.finding import Status
from tests.support.course import LESSON, Course
from tests.support.proved import ENGINE, follows_from
from tests.support.refusing import refuse

pytestmark = follows_from(*ENGINE)

RESULT = {
    "lesson": "01_attention",
    "isolation": once.SANDBOXED,
    "readable": True,
    "problem": "",
    "remarks": ["the notebook was handed in as 'mine.ipynb'"],
    "points": 3.0,
    "max_points": 7.0,
    "exercises": [
        {"id": "attention.softmax", "title": "Softmax", "status": "passed", "points": 3.0, "max_points": 3.0,
         "message": "✓ Softmax", "cause": ""},
        {"id": "attention.cross", "title": "Cross", "status": "failed", "points": 0.0, "max_points": 4.0,
         "message": "✗ Cross · case 1", "cause": "shape"},
    ],
    "by_hand": [{"id": "q", "max_points": 5.0}],
}  # fmt: skip
SAID = (
    "the notebook was handed in as 'mine.ipynb'\n1 written answer (5 points) is graded by hand.\n"
    f"Isolation: {once.SANDBOXED}."
)
RUNNER = {
    "CLASSROOM": "cs", "ASSIGNMENT": "attention", "SUBMISSION_TAG": "submit/1", "COMMIT_URL": "https://c",
    "RELEASE_URL": "https://r",
}  # fmt: skip


def test_gradescope_gets_what_its_specification_asks_for():
    shown = {"visibility": "visible", "output_format": "text"}
    assert once.gradescope(RESULT) == {
        "score": 3.0,
        "output": SAID,
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [
            {"name": "Softmax", "score": 3.0, "max_score": 3.0, "status": "passed", "output": "✓ Softmax", **shown},
            {"name": "Cross", "score": 0.0, "max_score": 4.0, "status": "failed", "output": "✗ Cross · case 1",
             **shown},
        ],
        "extra_data": {"isolation": once.SANDBOXED},
    }  # fmt: skip


def test_prairielearn_gets_a_share_of_1_or_why_it_cannot_be_graded():
    found = once.prairielearn(RESULT)
    assert found["gradable"] is True and found["score"] == pytest.approx(3 / 7)
    assert found["message"] == SAID
    assert found["tests"][1] == {
        "name": "Cross", "description": "attention.cross", "points": 0.0, "max_points": 4.0,
        "message": "✗ Cross · case 1",
    }  # fmt: skip
    unread = once.prairielearn({**RESULT, "readable": False, "problem": "no notebook at all"})
    assert unread == {"gradable": False, "score": 0.0, "format_errors": ["no notebook at all"]}


def test_no_code_or_name_of_a_students_becomes_a_link():
    """PrairieLearn turns what would steer a terminal into HTML, and this into a link that runs code."""
    link = "the cell “\x1b]8;;javascript:alert(1)\x07here\x1b]8;;\x07” took over 20 s"
    graded = Graded("amy", "", (Paper("ps1", "{}", (), problem=link, remarks=(link,)),))
    result = once.result_of(SimpleNamespace(name="ps1", exercises={}, skeletons={}), graded, True)
    for form in ("json", "gradescope", "prairielearn"):
        told = once.FORMS[form](result)
        assert "javascript" in str(told) and "\\x1b" not in str(told), form


def test_people_get_messages_and_points_and_no_json():
    said = once.text(RESULT)
    assert said.startswith("✓ Softmax\n\n✗ Cross · case 1\n\n3 of 7 points from checks in 01_attention.\n")
    assert said.endswith(SAID)
    unread = {**RESULT, "readable": False, "problem": "no notebook at all"}
    assert once.text(unread) == "Not graded: no notebook at all"


def test_classroom_50_gets_its_contract_with_whole_points():
    found = once.classroom50(RESULT, RUNNER)
    assert found.pop("datetime").endswith("Z")
    assert found == {
        "schema": "classroom50/result/v1",
        "classroom": "cs",
        "assignment": "attention",
        "submission": "submit/1",
        "commit": "https://c",
        "release": "https://r",
        "review": "https://c",
        "score": 3,
        "max-score": 7,
        "tests": [
            {"test-name": "Softmax", "passed": True, "score": 3, "max-score": 3, "message": "✓ Softmax"},
            {"test-name": "Cross", "passed": False, "score": 0, "max-score": 4,
             "message": "✗ Cross · case 1"},
        ],
    }  # fmt: skip
    with pytest.raises(LookupError, match="RELEASE_URL, which aren't set"):
        once.classroom50(RESULT, {**RUNNER, "RELEASE_URL": ""})
    half = {**RESULT["exercises"][0], "points": 1.5}
    with pytest.raises(LookupError, match=r"an exercise has 1\.5"):
        once.classroom50({**RESULT, "exercises": [half]}, RUNNER)


@pytest.mark.needs_bubblewrap
def test_one_submission_is_graded_and_nothing_is_recorded(tmp_path):
    course = Course(tmp_path / "course")
    wrong = "def softmax(x, dim):\n    return x"
    odd = "from google.colab import drive\nprint(\u201chere\u201d)"
    path = course.hand_in("bob", {"attention.softmax": wrong}, (odd, "!pip install einops"))
    shutil.move(path, tmp_path / "mine.ipynb")
    shutil.rmtree(course.root / "submitted")
    done = course.run("headstart", "grade", LESSON, "--once", str(tmp_path / "mine.ipynb"), "--json")
    found = json.loads(done.stdout)
    assert found["lesson"] == LESSON and found["isolation"].startswith("bubblewrap")
    status = {each["id"]: each["status"] for each in found["exercises"]}
    assert status["attention.softmax"] == Status.FAILED and found["readable"]
    assert {id for id, each in status.items() if each == Status.PASSED} >= {"attention.find_slip"}
    assert done.stdout.isascii()  # whatever it is printed on, and whatever steers that
    assert found["points"] == sum(each["points"] for each in found["exercises"]) < found["max_points"]
    assert [each["max_points"] for each in found["by_hand"]] == [5.0, 5.0]
    assert not (course.root / "gradebook.db").exists() and not (course.root / "autograded").exists()
    characters, colab, pip = found["remarks"]
    assert "read as what they look like: U+201C (left double quotation mark)" in characters
    assert "Left out `from google.colab import drive`" in colab and "`!pip install einops`" in pip
    read = course.run("headstart", "grade", LESSON, "--once", str(tmp_path / "mine.ipynb")).stdout
    assert all(f"\n{remark}\n" in read for remark in found["remarks"])
    assert (
        read.startswith("✗ Softmax · ") and f"\n{found['points']:g} of {found['max_points']:g} points" in read
    )


@pytest.mark.needs_bubblewrap
def test_what_cannot_be_read_is_a_result_and_what_cannot_be_asked_is_refused(tmp_path):
    course = Course(tmp_path / "course")
    broken = tmp_path / f"{LESSON}.ipynb"
    broken.write_text("{")
    done = course.run("headstart", "grade", "--once", str(broken), "--json", "prairielearn")
    assert json.loads(done.stdout)["gradable"] is False
    link, pipe, huge = (tmp_path / f"{name}.ipynb" for name in ("link", "pipe", "huge"))
    link.symlink_to(broken)
    os.mkfifo(pipe)
    with huge.open("wb") as file:
        file.truncate(1 << 40)  # more than there is room for a copy
    done = course.run("headstart", "grade", LESSON, "--once", str(huge), "--json", "prairielearn")
    assert "the limit is 256" in json.loads(done.stdout)["format_errors"][0]
    for arguments, said in (
        ((LESSON, "--once", str(link)), "links are not followed"),
        ((LESSON, "--once", str(pipe)), "neither a notebook nor a folder"),
        ((LESSON, "--once", str(tmp_path / "no.ipynb")), "there is no"),
        (("--once", str(tmp_path / "course")), "Its notebook isn't named after one"),
        (
            (LESSON, "--once", str(broken), "--json", "moodle"),
            "no form 'moodle'; choose one of json, gradescope",
        ),
        ((LESSON, "--json"), "--json goes with --once SUBMISSION"),
        ((LESSON, "--once", str(broken), "--dry-run"), "--once records nothing"),
        ((), "which lesson?"),
    ):
        refused = course.run("headstart", "grade", *arguments, check=False)
        assert refused.returncode == 2 and said in refused.stderr and "Traceback" not in refused.stderr
        assert not refused.stdout


def test_one_that_may_not_be_read_is_not_said_to_be_missing(tmp_path, monkeypatch) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs/mine.ipynb").write_text("{}")
    refuse(monkeypatch, tmp_path / "theirs")
    with pytest.raises(LookupError, match=r"mine\.ipynb can't be read: Permission denied"):
        once._submission(tmp_path / "theirs/mine.ipynb", LESSON, tmp_path)

"""The zip for Gradescope: what is in it, and what its script makes of a submission."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from autograder.courses import VARIABLE
from autograder.lessons import ROOT
from tests.support.course import LESSON, Course
from tests.support.proved import ENGINE, follows_from

pytestmark = follows_from(*ENGINE, "deploy/gradescope")


def make(place: Path, *options: str) -> tuple[Course, Path]:
    """Make the zip of a course, and unpack it as Gradescope would: the course, and what stands for /autograder."""
    course = Course(place / "course")
    command = [sys.executable, ROOT / "deploy/gradescope/make.py", "attention", "--course", course.root]
    here = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([*command, "--to", place / "made.zip", *options], check=True, env=here)
    unpack(place / "made.zip", place / "autograder" / "source")
    return course, place / "autograder"


def unpack(file: Path, folder: Path) -> None:
    """As Gradescope would: scripts stay executable."""
    with zipfile.ZipFile(file) as made:
        for entry in made.infolist():
            path = Path(made.extract(entry, folder))
            path.chmod(entry.external_attr >> 16 or 0o644)


def grade(autograder: Path) -> dict:
    """Call the script as Gradescope does; what setup.sh would install is this environment."""
    program = autograder / "headstart"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m autograder "$@"\n')
    program.chmod(0o755)
    there = {**os.environ, "AUTOGRADER": str(autograder), "HEADSTART": str(program)}
    there["PYTHONPATH"] = str(autograder / "source" / "headstart")
    subprocess.run([autograder / "source/run_autograder"], check=True, cwd=autograder, env=there)
    return json.loads((autograder / "results/results.json").read_text(encoding="utf-8"))


@pytest.mark.needs_bubblewrap
@pytest.mark.timeout(600)
def test_a_submission_becomes_a_result(tmp_path: Path) -> None:
    course, autograder = make(tmp_path)
    handed_in = course.hand_in("bob", {"attention.softmax": "def softmax(x, dim):\n    return x"})
    (autograder / "submission").mkdir()
    handed_in.rename(autograder / "submission" / "mine.ipynb")
    found = grade(autograder)
    lost = [test["name"] for test in found["tests"] if test["score"] < test["max_score"]]
    assert "Softmax" in lost and found["score"] == sum(test["score"] for test in found["tests"]) > 0
    assert found["extra_data"]["isolation"].startswith("bubblewrap")
    (autograder / "submission" / "mine.ipynb").write_text("{")
    assert grade(autograder)["score"] == 0


@pytest.mark.needs_bubblewrap
@pytest.mark.timeout(600)
def test_the_zip_of_another_course_grades_its_lesson(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.delenv(VARIABLE, raising=False)
    course, autograder = tmp_path / "course", tmp_path / "autograder"
    shutil.copytree(ROOT / "examples/foundations", course)
    build = [sys.executable, "-m", "autograder", "--course", course, "build", "01_softmax"]
    subprocess.run(build, check=True, cwd=tmp_path)
    make = [sys.executable, ROOT / "deploy/gradescope/make.py", "01_softmax", "--course", course]
    subprocess.run([*make, "--to", tmp_path / "made.zip"], check=True, cwd=tmp_path)
    unpack(tmp_path / "made.zip", autograder / "source")
    shutil.copytree(course / "source/01_softmax", autograder / "submission")
    found = grade(autograder)
    assert found["score"] == sum(test["max_score"] for test in found["tests"]) > 0


def test_no_zip_is_made_of_a_lesson_that_isnt_built(tmp_path: Path) -> None:
    command = [sys.executable, ROOT / "deploy/gradescope/make.py", "attention", "--course", tmp_path]
    here = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=here, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and not [*tmp_path.iterdir()]
    assert done.stderr == f"headstart: {tmp_path}/source/{LESSON}/{LESSON}.ipynb isn't there\n"


def test_the_zip_holds_the_course_and_nothing_of_a_class(tmp_path: Path) -> None:
    (tmp_path / "course" / "submitted" / "bob").mkdir(parents=True)
    course, autograder = make(tmp_path, "--no-sandbox")
    source = autograder / "source"
    scripts = ("setup.sh", "run_autograder")
    assert {path.name for path in source.iterdir()} == {*scripts, "settings", "headstart", "course"}
    assert (source / "settings").read_text() == f"LESSON={LESSON}\nOPTIONS=--no-sandbox\nCOURSE=\n"
    kept = {"source", "nbgrader_config.py", ".headstart_secret"}
    assert {path.name for path in (source / "course").iterdir()} - {".headstart_draws"} == kept
    assert (source / "course/.headstart_secret").read_bytes() == (
        course.root / ".headstart_secret"
    ).read_bytes()
    assert not [*(source / "course").glob("*/*/helpers"), *source.rglob("*.zip"), *source.rglob("*.pyc")]
    for script in scripts:
        assert os.access(source / script, os.X_OK)
        subprocess.run(["bash", "-n", source / script], check=True)

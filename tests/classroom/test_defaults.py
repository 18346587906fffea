"""What nbgrader is set up with stands once, and a course's own file adds what is its own."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from traitlets.config.loader import PyFileConfigLoader

from autograder.authoring.starting import SKELETONS
from autograder.lessons import ROOT
from tests.support.proved import ENGINE, follows_from

pytestmark = follows_from(
    *ENGINE, "examples/foundations/nbgrader_config.py", "autograder/authoring/skeletons/course"
)

COURSES = {"headstart": ROOT, "$name": SKELETONS / "course", "foundations": ROOT / "examples/foundations"}


@pytest.mark.parametrize("name", COURSES)
def test_courses_differ_in_their_names_alone_and_keep_no_setting_of_the_engine(name: str) -> None:
    text = (COURSES[name] / "nbgrader_config.py").read_text()
    assert text == (ROOT / "nbgrader_config.py").read_text().replace('"headstart"', f'"{name}"')
    assert "autograder" not in text and "preprocessors" not in text


def test_what_a_course_sets_comes_before_what_the_engine_sets(tmp_path) -> None:
    own = 'c.CourseDirectory.course_id = "mine"\nc.ClearSolutions.text_stub = "Write here."\n'
    (tmp_path / "nbgrader_config.py").write_text((ROOT / "nbgrader_config.py").read_text() + own)
    config = PyFileConfigLoader("nbgrader_config.py", path=str(tmp_path)).load_config()
    assert (config.CourseDirectory.course_id, config.ClearSolutions.text_stub) == ("mine", "Write here.")
    assert config.ExchangeFactory.collect == "autograder.classroom.collect.Collect"


@pytest.fixture
def without_grader(tmp_path) -> Path:
    """The Python of an environment that has nbgrader and everything else but Headstart."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "env"], check=True)
    packages = next((tmp_path / "env").rglob("site-packages"))
    # Where a .pth leads to, others aren't read: so not the one that makes this repository importable.
    (packages / "all_else.pth").write_text(sysconfig.get_path("purelib"))
    return tmp_path / "env" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def test_without_the_grader_students_hand_in_and_nothing_is_collected_graded_or_shown(
    without_grader, tmp_path
) -> None:
    """By nbgrader's own means, a link that was handed in would be followed, and answers run unguarded."""
    exchange, course = tmp_path / "exchange", tmp_path / "course"
    for folder in (exchange, exchange / "headstart", exchange / "headstart/inbound"):
        folder.mkdir()
        folder.chmod(0o777)
    (exchange / "headstart/outbound/ps1").mkdir(parents=True)
    config = (ROOT / "nbgrader_config.py").read_text()
    for place in ("source/ps1", "submitted/amy/ps1", "autograded/amy/ps1", "ps1"):
        (course / place).mkdir(parents=True)
        (course / place / "ps1.ipynb").write_text(
            '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
        )
    (course / "nbgrader_config.py").write_text(f"{config}\nc.Exchange.root = {str(exchange)!r}\n")

    def nbgrader(*words: str) -> subprocess.CompletedProcess[str]:
        env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        env["HOME"] = str(tmp_path)
        command = [without_grader, "-m", "nbgrader", *words]
        return subprocess.run(command, cwd=course, env=env, capture_output=True, text=True)

    done = nbgrader("submit", "ps1")
    assert done.returncode == 0 and "Submitted as: headstart ps1" in done.stderr, done.stderr
    done = nbgrader("list", "--inbound")
    assert done.returncode == 0 and "headstart" in done.stderr, done.stderr
    for command in ("collect", "autograde", "generate_assignment", "generate_feedback"):
        done = nbgrader(command, "ps1")
        assert done.returncode != 0 and "headstart" in done.stderr.splitlines()[-1], (command, done.stderr)
    assert [path.name for path in (course / "submitted").iterdir()] == ["amy"]
    assert not (course / "feedback").exists() and not (course / "release").exists()

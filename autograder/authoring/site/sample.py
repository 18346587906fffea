"""What a class gets, for the website's page for instructors: a report and a student's feedback."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat

from autograder import lessons, programs
from autograder.lessons import ROOT
from helpers.checking.finding import Status

CLASS = ("--students", "12", "--calm")
SECRET = "0" * 64  # anybody may know it, and the pages are the same each time
WHEN = re.compile(r" <time>[^<]*</time>\.")
LEFT_OUT = "# The student's answer is here. It is left out, since these pages give no solution away."


def pages(lesson: str, lesson_digest: str, site: Path) -> tuple[Path, ...]:
    """The report on a made-up class in which somebody has each common mistake, and one student's feedback.

    Both are as the commands write them, without the time, and without the code of answers.

    Args:
        lesson: its name.
        lesson_digest: of the built lesson; the class is made and graded again once that changes.
        site: the folder of all that belongs to the site.

    Returns:
        `report.html` and `feedback.html`. Nothing where no sandbox can start: then it says so.

    Raises:
        CalledProcessError: a command fails.
    """
    course, kept = site / "class", site / "class" / lesson_digest
    made = kept / "report.html", kept / "feedback.html"
    if all(path.is_file() for path in made):
        return made
    if line := programs.sandbox_problem():
        print(f"headstart: the page for instructors comes without a graded class: {line}")
        return ()
    shutil.rmtree(course, ignore_errors=True)
    shutil.copytree(ROOT / "source" / lesson, course / "source" / lesson)
    shutil.copy(ROOT / "nbgrader_config.py", course)
    (course / ".headstart_secret").write_text(SECRET)
    os.chmod(course, 0o700)
    for command in (("simulate", lesson, *CLASS), ("grade", lesson), ("report", lesson)):
        _call(course, "autograder", *command)
    kept.mkdir()
    report = (course / "reports" / f"{lesson}.html").read_text(encoding="utf-8")
    made[0].write_text(WHEN.sub("", report), encoding="utf-8")
    student = _most_mistaken(course / "simulated" / f"{lesson}.json")
    _without_answers(course / "autograded" / student / lesson / f"{lesson}.ipynb")
    _call(course, "nbgrader", "generate_feedback", lesson, f"--student={student}")
    shutil.copy(course / "feedback" / student / lesson / f"{lesson}.html", made[1])
    return made


def _call(course: Path, *command: str) -> None:
    """Call a package's command in a course, from this environment; it's silent unless it fails."""
    call = [sys.executable, "-P", "-m", *command]
    done = subprocess.run(call, cwd=course, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        print(done.stdout)
        done.check_returncode()


def _most_mistaken(expected: Path) -> str:
    """The student with the most answers that fail."""
    students = json.loads(expected.read_text(encoding="utf-8"))

    def failed(name: str) -> int:
        return sum(each["status"] == Status.FAILED for each in students[name]["verdicts"].values())

    return max(students, key=failed)


def _without_answers(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if lessons.kind(cell) == "exercise":
            cell.source = LEFT_OUT
    nbformat.write(notebook, path)

"""The report on a made-up class, as the website's page for instructors shows it."""

import os
import shutil
import subprocess
from pathlib import Path

from autograder.lessons import ROOT

CLASS = ("--students", "12", "--calm")


def report(lesson: str, lesson_digest: str, site: Path) -> Path:
    """The page that `headstart report` writes on a class in which somebody has each common mistake.

    Args:
        lesson: its name.
        lesson_digest: of the built lesson; the class is made and graded again once that changes.
        site: the folder of all that belongs to the site.

    Raises:
        CalledProcessError: a command fails; where nothing can be graded, it has said why.
    """
    course = site / "class"
    kept = course / f"{lesson}-{lesson_digest}.html"
    if not kept.is_file():
        shutil.rmtree(course, ignore_errors=True)
        shutil.copytree(ROOT / "source" / lesson, course / "source" / lesson)
        shutil.copy(ROOT / "nbgrader_config.py", course)
        os.chmod(course, 0o700)
        for command in (("simulate", lesson, *CLASS), ("grade", lesson), ("report", lesson)):
            subprocess.run(["headstart", *command], cwd=course, check=True, stdout=subprocess.DEVNULL)
        (course / "reports" / f"{lesson}.html").rename(kept)
    return kept

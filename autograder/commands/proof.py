"""`headstart proof`: whether a student's page of proof and their notebooks belong together."""

import argparse
import json
from pathlib import Path
from typing import Any

RELEASE = Path(__file__).resolve().parents[2] / "release"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("page", metavar="PAGE", type=Path, help="the page, proof.html")
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="with the notebooks, at any depth")


def run(options: argparse.Namespace) -> int:
    """Compare the page with the notebooks, and return the exit code: 1 if something differs.

    Nothing of the student's is executed.
    """
    from helpers.start_here import proof  # which imports torch

    if not options.folder.is_dir():
        raise LookupError(f"there is no folder {options.folder}")
    try:
        made = proof.read(options.page.read_text(encoding="utf-8"))
    except (ValueError, IsADirectoryError) as error:
        raise LookupError(f"{options.page}: {error}") from None
    differ = 0
    for lesson in made["lessons"]:
        problem = _problem(lesson, options.folder)
        passed = f"{len(lesson['passed'])} of {lesson['of']} checks passed"
        print(f"{'✗' if problem else '✓'} {lesson['lesson']}: {problem or passed + _checks(lesson)}")
        differ += bool(problem)
    print("\n".join(proof.LIMITS))
    return int(differ > 0 or not made["lessons"])


def _problem(lesson: dict[str, Any], folder: Path) -> str:
    """Why no notebook in the folder has the answers of a lesson on the page; "" if one has."""
    from helpers.start_here import proof

    paths = [path for path in sorted(folder.rglob(f"{lesson['lesson']}.ipynb")) if path.is_file()]
    for path in paths:
        try:
            if proof.answers(json.loads(path.read_text(encoding="utf-8"))) == lesson["answers"]:
                return ""
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            continue  # it can't be read, so it isn't the one
    return "the notebook's answers aren't those of the page" if paths else "there is no such notebook"


def _checks(lesson: dict[str, Any]) -> str:
    from helpers.checking import progress

    now = progress.version(RELEASE / lesson["lesson"])
    older = sum(each["checks"] != now for each in lesson["passed"])
    return f", {older} of them with other checks than this course's now" if older else ""

"""`headstart export`: exercises for pytest, otter-grader or plain nbgrader."""

import argparse
import os
from pathlib import Path

FORMS = ("pytest", "otter", "ok", "nbgrader")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = (
        "Write exercises of a lesson for a different grader: as pytest, as otter-grader's test files or as "
        "notebooks of plain nbgrader. Each file says what it lacks. It is tried on all answers that come "
        "with the exercise, and isn't written if it would refuse a right one."
    )
    parser.add_argument("lesson", metavar="LESSON", help="such as 01_attention")
    parser.add_argument("exercises", nargs="*", metavar="EXERCISE", help="such as softmax; default: all")
    forms = "otter writes functions that raise, ok the older doctests in a dict"
    parser.add_argument("--as", dest="form", required=True, choices=FORMS, help=forms)
    parser.add_argument("--to", type=Path, required=True, metavar="FOLDER", help="where to write")
    parser.add_argument("--seed", default="", metavar="TEXT", help="of the hidden cases; default: a new one")


def run(options: argparse.Namespace) -> int:
    """Write the files, and return the exit code."""
    from autograder.courses import current

    folder = options.to.absolute()
    os.chdir(current().root)
    from autograder.authoring.formats.exporting import export

    return export(options.lesson, options.exercises, options.form, folder, options.seed)

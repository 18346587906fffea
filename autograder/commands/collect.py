"""`headstart collect`: put a learning platform's download of all submissions into `submitted/`."""

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = (
        "Put each file of a platform's download of all submissions into its student's folder in submitted/, "
        "and list what can't be placed. A later submission takes the place of an earlier one."
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="the zip, or a folder")
    parser.add_argument("lesson", metavar="LESSON", help="such as 01_attention")


def run(options: argparse.Namespace) -> int:
    """Collect them, and return the exit code."""
    file = options.file.absolute()
    from autograder.classroom.course import enter, find_lesson

    course, _ = enter(options.rest)
    from autograder.classroom.intake import collect_download

    return collect_download(file, find_lesson(options.lesson, course), course)

"""`headstart collect`: put a learning platform's download of all submissions into `submitted/`."""

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the zip, or a folder")
    parser.add_argument("lesson", metavar="LESSON")


def run(options: argparse.Namespace) -> int:
    """Collect them, and return the exit code."""
    file = options.file.absolute()
    from autograder.classroom.course import enter, find_lesson

    course, _ = enter(options.rest)
    from autograder.classroom.intake import collect_download

    return collect_download(file, find_lesson(options.lesson, course), course)

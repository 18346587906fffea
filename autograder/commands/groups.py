"""`headstart groups`: give all members of a group what one of them handed in."""

import argparse
import os


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = (
        "Give all members of each group the latest submission that one of them handed in. Call it after "
        "collecting, before grading."
    )
    parser.add_argument("file", metavar="FILE", help="CSV with a column of groups and one of ids")
    parser.add_argument("lesson", metavar="LESSON", help="such as 01_attention")


def run(options: argparse.Namespace) -> int:
    """Copy them, and return the exit code."""
    file = os.path.abspath(options.file)
    from autograder.classroom.course import enter, find_lesson

    course, _ = enter(options.rest)
    from autograder.classroom.groups import share

    return share(file, find_lesson(options.lesson, course), course)

"""`headstart feedback`: put the pages of `feedback/` into a zip that a learning platform takes."""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("lesson", metavar="LESSON")


def run(options: argparse.Namespace) -> int:
    """Write the zip, and return the exit code."""
    from autograder.classroom.course import enter, find_lesson

    course, _ = enter(options.rest)
    from autograder.classroom.returns import zip_feedback

    return zip_feedback(find_lesson(options.lesson, course), course)

"""`headstart feedback`: put the pages of `feedback/` into a zip that a learning platform takes."""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = (
        "Write the feedback pages of a lesson to zips in reports/ that Canvas and Moodle take, and say whose "
        "page is missing or older than its grades."
    )
    parser.add_argument("lesson", metavar="LESSON", help="such as 01_attention")


def run(options: argparse.Namespace) -> int:
    """Write the zip, and return the exit code."""
    from autograder.classroom.course import enter, find_lesson

    course, _ = enter(options.rest)
    from autograder.classroom.returns import zip_feedback

    return zip_feedback(find_lesson(options.lesson, course), course)

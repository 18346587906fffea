"""`headstart similar`: which submissions are alike."""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = (
        "List pairs of submissions that share something few others have, and write a page with both sides. "
        "No grade depends on it."
    )
    parser.add_argument("lesson", metavar="LESSON", help="such as 01_attention")


def run(options: argparse.Namespace) -> int:
    """Write the page, and return the exit code."""
    from autograder.classroom.course import enter, find_lesson

    course, config = enter(options.rest)
    from autograder.classroom.reports.similar import similar

    return similar(find_lesson(options.lesson, course), course, config)

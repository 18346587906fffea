"""`headstart report`: what a class got wrong in a lesson, or the course so far."""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = (
        "Show what the class got wrong in a lesson, as tables and as a page with pictures in reports/. "
        "Without a lesson, write a page on the course so far and one for each student."
    )
    parser.add_argument("lesson", metavar="LESSON", nargs="?", default="", help="default: the whole course")


def run(options: argparse.Namespace) -> int:
    """Write the report, and return the exit code."""
    from autograder.classroom.course import enter, find_lesson

    course, config = enter(options.rest)
    if not options.lesson:
        from autograder.classroom.reports.course import report_course

        return report_course(course)
    from autograder.classroom.reports.lesson import report_lesson

    return report_lesson(find_lesson(options.lesson, course), course, config)

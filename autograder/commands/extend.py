"""`headstart extend`: give one student more time."""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = (
        "Give one student more time for a lesson, in place of any extension before. Penalties follow with "
        "the next `headstart grade`."
    )
    parser.add_argument("lesson", metavar="LESSON", help="such as 01_attention")
    parser.add_argument("student", metavar="ID", help="the student's id")
    until = parser.add_mutually_exclusive_group(required=True)
    until.add_argument("--days", type=float, metavar="N", help="days past the due date; 0 for none")
    until.add_argument("--until", default="", metavar="DATE", help="such as '2026-03-01 18:00 +01:00'")


def run(options: argparse.Namespace) -> int:
    """Set the extension, and return the exit code."""
    from autograder.classroom.course import enter, find_lesson

    course, _ = enter(options.rest)
    from autograder.classroom.extension import extend

    lesson = find_lesson(options.lesson, course)
    return extend(lesson, options.student, course, days=options.days, until=options.until)

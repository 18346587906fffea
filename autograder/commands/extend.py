"""`headstart extend`: give some students more time."""

import argparse
import os


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = (
        "Give a student more time, for one lesson or for the whole term, in place of any extension before; "
        "or give it to several students by a CSV file. Penalties follow with the next `headstart grade`."
    )
    parser.add_argument(
        "lesson",
        metavar="LESSON",
        nargs="?",
        help="such as 01_attention; `all` for every one, also those to come",
    )
    parser.add_argument("student", metavar="ID", nargs="?", help="the student's id")
    until = parser.add_mutually_exclusive_group(required=True)
    until.add_argument("--days", type=float, metavar="N", help="days past the due date; 0 for none")
    until.add_argument("--until", default="", metavar="DATE", help="such as '2027-01-15 18:00'")
    until.add_argument("--from", dest="file", metavar="FILE", help="CSV with student, lesson, days or until")


def run(options: argparse.Namespace) -> int:
    """Set the extensions, and return the exit code."""
    if bool(options.file) is bool(options.student):
        raise LookupError("name a lesson and a student, or a file alone: headstart extend --from FILE")
    file = options.file and os.path.abspath(options.file)
    from autograder.classroom.course import enter, find_lesson

    course, _ = enter(options.rest)
    from autograder.classroom.extension import ALL, extend, extend_from
    from autograder.classroom.lateness import EVERY

    if file:
        return extend_from(file, lambda name: find_lesson(name, course), course)
    lesson = EVERY if options.lesson == ALL else find_lesson(options.lesson, course)
    return extend(lesson, options.student, course, days=options.days, until=options.until)

"""`headstart roster`: add a school's students to the gradebook."""

import argparse
import os


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = (
        "Add the students of a CSV file that Canvas or Moodle exported to the gradebook. Names and e-mails "
        "of those who are there are brought up to date, and nobody is removed."
    )
    parser.add_argument("file", metavar="FILE", help="the CSV file")
    parser.add_argument("--id", default="", metavar="COLUMN", help="the column of students' ids")


def run(options: argparse.Namespace) -> int:
    """Add them, and return the exit code."""
    file = os.path.abspath(options.file)
    from autograder.classroom.course import enter

    course, _ = enter(options.rest)
    from autograder.classroom.roster import add_students

    return add_students(file, course, options.id)

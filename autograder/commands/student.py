"""`headstart student`: remove a student everywhere, or change their id."""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = (
        "Remove a student from the gradebook, all folders, reports and the exchange, or give them another id "
        "there. Says what would be done; with --yes, does it."
    )
    parser.add_argument("what", choices=("remove", "rename"), help="what to do")
    parser.add_argument("student", metavar="ID", help="the student's id")
    parser.add_argument("new", metavar="NEW", nargs="?", help="for rename: the new id")
    parser.add_argument("--yes", action="store_true", help="do it")


def run(options: argparse.Namespace) -> int:
    """Do it, or say what would be done, and return the exit code."""
    if (options.what == "rename") is not bool(options.new):
        raise LookupError("rename takes the old id and the new one, remove takes one id")
    from autograder.classroom.course import enter

    course, _ = enter(options.rest)
    from autograder.classroom.leaving import remove, rename

    if options.new:
        return rename(options.student, options.new, course, do=options.yes)
    return remove(options.student, course, do=options.yes)

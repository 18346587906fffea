"""`headstart archive`: end a term."""

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = (
        "Move all of a term, its grades, submissions and secret, into a folder that is a course root of its "
        "own, so that the next term can start. Says what would be done; with --yes, does it."
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a new one, outside the course root")
    parser.add_argument("--yes", action="store_true", help="do it")


def run(options: argparse.Namespace) -> int:
    """Do it, or say what would be done, and return the exit code."""
    folder = options.folder.expanduser().resolve()
    from autograder.classroom.course import enter

    course, _ = enter(options.rest)
    from autograder.classroom.archiving import archive

    return archive(folder, course, do=options.yes)

"""`headstart build`: `source/` and `release/` from `notebooks/`."""

import argparse
import os


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = (
        "Build source/ and release/ from notebooks/, and try the exercises that have changed. A lesson with "
        "a mistake stays as it was; each mistake is named with its place and its cure."
    )
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="such as 01_attention; default: all")
    parser.add_argument("--check", action="store_true", help="write nothing; fail on any difference")


def run(options: argparse.Namespace) -> int:
    """Build the lessons, and return the exit code."""
    from autograder.courses import current

    os.chdir(current().root)
    from autograder.authoring.build import build

    return build(options.lessons, options.check)

"""`headstart explain`: which case decided an exercise of one submission, with its numbers. For staff."""

import argparse

from autograder.commands.cli import how_to_grade


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = (
        "For staff, when a student asks why. Judge the submission anew, and show the case that decided: its "
        "inputs, what came back, what was expected, and a cell that repeats it in a notebook. Nothing is "
        "recorded, and students see no more than before."
    )
    parser.add_argument("lesson", metavar="LESSON", help="such as 01_attention")
    parser.add_argument("student", metavar="STUDENT", help="whose submission")
    parser.add_argument("exercise", metavar="EXERCISE", help="its section, such as 1.4, or its name")
    how_to_grade(parser, workers=False)


def run(options: argparse.Namespace) -> int:
    """Judge the submission anew, print what decided, and return the exit code."""
    from autograder.classroom.course import enter, find_lesson

    course, config = enter(options.rest)
    from autograder.classroom.appeal import explain
    from autograder.classroom.engine import Options

    how = Options(not options.no_sandbox, options.seconds)
    lesson = find_lesson(options.lesson, course)
    return explain(lesson, options.student, options.exercise, course, config, how)

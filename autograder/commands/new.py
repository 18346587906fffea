"""`headstart new`: start a lesson or an exercise."""

import argparse
import os


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = "Start a lesson or an exercise. Each TODO in the new files says what to write there."
    kinds = parser.add_subparsers(required=True, metavar="KIND", dest="kind")
    lesson = kinds.add_parser("lesson", help="a lesson after the last one")
    lesson.add_argument("topic", metavar="TOPIC", help="one word for its files, such as retrieval")
    exercise = kinds.add_parser("exercise", help="an exercise at the end of a lesson")
    exercise.add_argument("lesson", metavar="LESSON", help="such as 01_attention")
    exercise.add_argument("name", metavar="NAME", help="of the function that students write")


def run(options: argparse.Namespace) -> int:
    """Write the skeleton, say which files to fill in, and return the exit code."""
    from autograder.lessons import ROOT

    os.chdir(ROOT)
    from autograder.authoring.starting import new_exercise, new_lesson

    if options.kind == "lesson":
        lesson, changed = new_lesson(options.topic, ROOT)
    else:
        lesson, changed = new_exercise(options.lesson, options.name, ROOT)
    print("headstart: wrote " + ", ".join(path.relative_to(ROOT).as_posix() for path in changed))
    print(f"headstart: fill in each TODO; `headstart build {lesson}` lists those that are left")
    return 0

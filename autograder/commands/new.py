"""`headstart new`: start a course, a lesson or an exercise."""

import argparse
import os
import shlex
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = (
        "Start a course, a lesson or an exercise. A new course builds at once; in new lessons and exercises, "
        "each TODO says what to write there."
    )
    kinds = parser.add_subparsers(required=True, metavar="KIND", dest="kind")
    course = kinds.add_parser("course", help="a folder with one lesson, one exercise and a test")
    course.add_argument("folder", metavar="NAME", type=Path, help="of the new folder, such as signals")
    lesson = kinds.add_parser("lesson", help="a lesson after the last one")
    lesson.add_argument("topic", metavar="TOPIC", help="one word for its files, such as retrieval")
    exercise = kinds.add_parser("exercise", help="an exercise at the end of a lesson")
    exercise.add_argument("lesson", metavar="LESSON", help="such as 01_attention")
    exercise.add_argument("name", metavar="NAME", help="of the function that students write")


def run(options: argparse.Namespace) -> int:
    """Write the files, say which to fill in, and return the exit code."""
    from autograder.courses import current

    if options.kind == "course":
        return _course(options.folder)
    root = current().root
    os.chdir(root)
    from autograder.authoring.starting import new_exercise, new_lesson

    if options.kind == "lesson":
        lesson, changed = new_lesson(options.topic, root)
    else:
        lesson, changed = new_exercise(options.lesson, options.name, root)
    print("headstart: wrote " + ", ".join(path.relative_to(root).as_posix() for path in changed))
    print(f"headstart: fill in each TODO; `headstart build {lesson}` lists those that are left")
    return 0


def _course(folder: Path) -> int:
    """Write a course, which its author's commands find from now on."""
    from autograder.authoring.starting import new_course
    from autograder.courses import remember

    written = new_course(folder)
    remember(folder)
    print(f"headstart: wrote {folder}/: " + ", ".join(written))
    print(f"headstart: call `cd {shlex.quote(str(folder))}` and then `headstart build`")
    return 0

"""The zip that Gradescope's page *Configure Autograder* takes, for one lesson.

python deploy/gradescope/make.py LESSON [--course FOLDER] [--no-sandbox] [--to FILE]

It holds this program and the course: its sources, and its secret, from which the hidden cases follow. The
course is in this folder, or where `--course` says. `--no-sandbox` is for students you trust, where no sandbox
can start in Gradescope's containers.
"""

import argparse
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

from autograder import courses, lessons
from autograder.classroom.course import course_directory, hidden_secret
from autograder.lessons import ROOT

SCRIPTS = ("setup.sh", "run_autograder")
PROGRAM = (
    "autograder", "exercises", "headstart", "helpers", "bootstrap.py", "course.toml", "LICENSE",
    "nbgrader_config.py", "pyproject.toml", "requirements.txt", "setup.py",
)  # fmt: skip
OWN = ("exercises", "helpers", courses.FILE)  # of a course that isn't this program's
COURSE = ("source", "nbgrader_config.py", ".headstart_secret", ".headstart_draws")


def main(arguments: list[str]) -> None:
    """Write the zip."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lesson", metavar="LESSON")
    parser.add_argument("--course", type=Path, metavar="FOLDER", default=ROOT)
    parser.add_argument("--no-sandbox", action="store_true")
    parser.add_argument("--to", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    own = (options.course / courses.FILE).is_file() and not courses.use(options.course).is_engines
    try:
        lesson = lessons.find(options.lesson)
        lessons.load_source_notebook(lesson, options.course)
    except (LookupError, FileNotFoundError) as error:
        sys.exit(f"headstart: {error.args[0]}")
    hidden_secret(course_directory(options.course)[0])  # makes one where there is none yet
    path = options.to or Path(f"gradescope_{lesson}.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name in SCRIPTS:
            made.write(Path(__file__).with_name(name), name)
        settings = {
            "LESSON": lesson,
            "OPTIONS": "--no-sandbox" * options.no_sandbox,
            "COURSE": "'--course .'" * own,
        }
        made.writestr("settings", "".join(f"{name}={value}\n" for name, value in settings.items()))
        of_course = (*COURSE, *OWN) if own else COURSE
        for folder, root, parts in (("headstart", ROOT, PROGRAM), ("course", options.course, of_course)):
            for file in files(root, parts):
                made.write(file, Path(folder) / file.relative_to(root))
    print(f"headstart: {path} holds solutions and the course's secret: give it to Gradescope alone")


def files(root: Path, parts: tuple[str, ...]) -> Iterator[Path]:
    """The files of some parts of a folder. Helpers of lessons are copies, which grading doesn't read."""
    for part in parts:
        for path in [root / part, *sorted((root / part).rglob("*"))]:
            copied = part == "source" and "helpers" in path.relative_to(root).parts
            if path.is_file() and not copied and path.suffix not in (".pyc", ".zip"):
                yield path


if __name__ == "__main__":
    main(sys.argv[1:])

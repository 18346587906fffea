"""The `headstart` command: which commands there are. Each is the module of its name."""

import argparse
import errno
import gc
import math
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path

from autograder import courses

COMMANDS = {
    "build": "build source/ and release/ from notebooks/",
    "new": "start a course, a lesson or an exercise",
    "export": "write exercises for pytest, otter-grader or plain nbgrader",
    "adopt": "start exercises from the solutions and tests of an nbgrader notebook",
    "simulate": "write a made-up class to submitted/",
    "collect": "put Canvas's, Moodle's or Gradescope's download of all submissions into submitted/",
    "grade": "grade the submissions in submitted/",
    "explain": "show staff which case decided an exercise of one submission, with its numbers",
    "marking": "open a page on which you mark written answers question by question",
    "watch": "collect, grade and give feedback as submissions come in",
    "feedback": "put the class's feedback into a zip that Canvas or Moodle takes",
    "report": "show what the class got wrong, as tables and a page with pictures",
    "similar": "list submissions that are alike, side by side on a page",
    "due": "set or show when lessons are due",
    "extend": "give students more time",
    "roster": "add students from Canvas's or Moodle's CSV",
    "student": "remove a student everywhere, or change their id",
    "groups": "give all members of a group what one of them handed in",
    "archive": "end a term: move all of it into a folder of its own",
    "proof": "compare a student's page of proof with their notebooks",
    "lab": "open the lessons in JupyterLab",
    "share": "write your trained model as one HTML file that runs in any browser",
    "doctor": "check this machine, and say how to fix problems",
}
IN_A_COURSE = {
    "simulate", "collect", "groups", "grade", "explain", "marking", "watch", "feedback", "report", "similar",
    "due", "extend", "roster", "student", "archive",
}  # fmt: skip
# Which extra has the packages of a command; the others grade.
EXTRA = {
    "build": "authoring", "new": "authoring", "export": "authoring", "lab": "authoring", "share": "course",
}  # fmt: skip
OF_HEADSTARTS = {"proof", "share"}  # about what its lessons make: a page of proof, a model
NEED_FORK = {"grade", "explain", "watch", "adopt"}
ROOT = "--CourseDirectory.root="
SETTING = re.compile(r"--[A-Z]\w+\.\w+=")  # one of nbgrader's, as on its own command line
NO_FORK = "grading needs Linux: on Windows use WSL 2 or a container. Students can do everything here."
FULL = (
    "the disk is full: make room and call this again; what was graded before is recorded, and nothing is lost"
)
RESUMES = "; everything graded so far is recorded, and the same command resumes there"
DESCRIPTION = "Headstart: courses of notebooks whose checks can be trusted, and their grader."


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    gc.set_threshold(100_000)  # or importing would spend a fifth of its time looking for garbage
    words = sys.argv[1:] if argv is None else argv
    parser = _parser(name for name in COMMANDS if name in words)
    options, rest = parser.parse_known_args(words)
    options.rest = rest
    allowed = SETTING if options.command in IN_A_COURSE else None
    unknown = [word for word in rest if not (allowed and allowed.match(word))]
    if unknown and options.command != "lab":  # which passes them on to JupyterLab
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    if options.command in NEED_FORK and not hasattr(os, "fork"):
        print(f"headstart: {NO_FORK}", file=sys.stderr)
        return 2
    try:
        _choose_course(options)
        return options.run(options)
    except (LookupError, FileNotFoundError, PermissionError) as error:
        print(f"headstart: {_said(error)}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        if not _is_missing(error):
            raise
        from autograder.commands.doctor import install  # here: only where something is missing

        cure = install(EXTRA.get(options.command, "grading"))
        print(
            f"headstart: {options.command} needs {error.name} and more: {cure} installs it", file=sys.stderr
        )
        return 2
    except KeyboardInterrupt:
        print(
            f"headstart: stopped{RESUMES if options.command in ('grade', 'watch') else ''}", file=sys.stderr
        )
        return 130
    except Exception as error:
        if not _is_full_disk(error):
            raise
        print(f"headstart: {FULL}", file=sys.stderr)
        return 1


def _choose_course(options: argparse.Namespace) -> None:
    """Make the course that is meant the current one: the one that is named, or that the command is called in.

    Raises:
        LookupError: there is none where one is named, or the one around the folder isn't to be trusted.
    """
    named = [word.removeprefix(ROOT) for word in options.rest if word.startswith(ROOT)]
    if options.course:
        if not (options.course / courses.FILE).is_file():
            raise LookupError(
                f"{options.course} has no {courses.FILE}; `headstart new course NAME` makes a course"
            )
        course = courses.use(options.course)
        courses.remember(course.root)
        if options.command in IN_A_COURSE and not named:
            options.rest.append(f"{ROOT}{course.root}")
    elif (options.command, getattr(options, "kind", "")) != ("new", "course"):
        start = Path(*named[:1]).expanduser()
        if found := courses.find(start, named=bool(named)):
            courses.use(found)
    if options.command in OF_HEADSTARTS and not courses.current().is_engines:
        name = courses.current().name
        raise LookupError(f"{options.command} is for what Headstart's own lessons make, not for {name}")


def _said(error: LookupError | OSError) -> str:
    """An error as a sentence: Python's own, about a file, begin with a number."""
    if not isinstance(error, OSError) or error.filename is None:
        return str(error.args[0])
    if isinstance(error, FileNotFoundError):
        return f"there is no {error.filename}"
    return f"{error.filename} can't be used: {error.strerror}"


def _is_missing(error: ModuleNotFoundError) -> bool:
    """Whether it is a package of the engine's that isn't installed, and no import of a course's own."""
    importing = [frame for frame, _ in traceback.walk_tb(error.__traceback__)][-1]
    room = importing.f_globals.get("__name__", "").partition(".")[0]
    return room in ("autograder", "helpers") and (error.name or "").partition(".")[0] != room


def _is_full_disk(error: BaseException | None) -> bool:
    """Whether this, or what led to it, is an error of a disk or a gradebook that has no room left."""
    while error:
        if getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT):
            return True
        if getattr(error, "sqlite_errorname", "") == "SQLITE_FULL":
            return True
        error = error.__cause__ or error.__context__
    return False


def number(
    kind: type[int] | type[float] = float, *, least: int, most: int | None = None
) -> Callable[[str], float]:
    """What reads a command's argument that is a number, and refuses what can only be a slip.

    Args:
        kind: int for a whole number.
        least: the smallest that it may be.
        most: the largest; None for anything finite.
    """
    end = "on" if most is None else f"to {most}"
    described = f"a {'whole ' if kind is int else ''}number from {least} {end}"

    def read(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not least <= value <= (sys.float_info.max if most is None else most):
            raise argparse.ArgumentTypeError(f"{text!r} isn't {described}")
        return value

    return read


def how_to_grade(parser: argparse.ArgumentParser, *, workers: bool = True) -> None:
    """Declare what each command that grades can be told: how long, by how many, and whether in a sandbox."""
    if workers:
        parser.add_argument(
            "--workers", type=number(int, least=1), default=os.cpu_count() or 1, metavar="N",
            help="submissions graded at once",
        )  # fmt: skip
    parser.add_argument(
        "--seconds", type=number(least=1), default=None, metavar="S", help="CPU seconds per cell (20)"
    )
    parser.add_argument("--no-sandbox", action="store_true", help="run student code with your own rights")


def _parser(named: Iterable[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser, with the arguments of the named commands: only their modules are imported.

    Each says in sentences what it does. They import what is slow when they run, so that `--help` is instant.
    """
    named = {*named}
    parser = argparse.ArgumentParser("headstart", description=DESCRIPTION)
    parser.add_argument(
        "--course", type=Path, metavar="FOLDER", help="which course; default: the one you are in"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    for name, purpose in COMMANDS.items():
        command = commands.add_parser(name, help=purpose)
        if name in named:
            module = import_module(f"autograder.commands.{name}")
            module.add_arguments(command)
            command.set_defaults(run=module.run)
    return parser


if __name__ == "__main__":
    sys.exit(main())

"""The `headstart` command."""

import argparse
import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nbgrader.coursedir import CourseDirectory
    from traitlets.config import Config

    from autograder.classroom.engine import Options

NO_FORK = "grading needs Linux: on Windows use WSL 2 or a container. Students can do everything here."
SETTING = re.compile(r"--[A-Z]\w+\.\w+=")  # one of nbgrader's, as on its own command line
DESCRIPTION = "Headstart: a hands-on course on Transformers, and its grader."
LAB = (
    "Build what changed in the lessons, copy what is new into work/, and open it in JupyterLab. All other "
    "options go to JupyterLab, such as --no-browser or --port=9000; --help-all lists them."
)


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code. Each command imports what it needs: `--help` is instant."""
    options, rest = _parser().parse_known_args(argv)
    options.rest = rest
    ours = [word for word in rest if not (SETTING.match(word) and options.run in FOLLOW_SETTINGS)]
    if ours and options.run is not _lab:
        _parser().error(f"unrecognized arguments: {' '.join(ours)}")
    try:
        return options.run(options)
    except (LookupError, FileNotFoundError) as error:
        print(f"headstart: {error.args[0] if isinstance(error, LookupError) else error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            "headstart: stopped; what was graded is recorded, and the same command goes on from there",
            file=sys.stderr,
        )
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("headstart", description=DESCRIPTION)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    build = commands.add_parser("build", help="build source/ and release/ from notebooks/")
    build.add_argument("lessons", nargs="*", metavar="LESSON", help="such as 01_attention; default: all")
    build.add_argument("--check", action="store_true", help="write nothing; fail on any difference")
    build.set_defaults(run=_build)

    simulate = commands.add_parser("simulate", help="write a made-up class to submitted/")
    simulate.add_argument("lesson", metavar="LESSON")
    simulate.add_argument("--students", type=int, default=20, metavar="N")
    simulate.add_argument("--seed", type=int, default=0, metavar="S")
    simulate.add_argument("--calm", action="store_true", help="leave out code that loops or crashes")
    simulate.set_defaults(run=_simulate)

    grade = commands.add_parser("grade", help="grade the submissions in submitted/")
    grade.add_argument("lesson", metavar="LESSON", nargs="?", default="")
    grade.add_argument(
        "--student", action="append", default=[], metavar="ID", help="only this student; can be repeated"
    )
    grade.add_argument(
        "--workers", type=int, default=os.cpu_count() or 1, metavar="N", help="submissions graded at once"
    )
    grade.add_argument("--cluster", metavar="ADDRESS", help="grade on a Dask cluster, tcp://HOST:PORT")
    grade.add_argument("--force", action="store_true", help="grade everything again")
    grade.add_argument("--seconds", type=float, default=None, metavar="S", help="CPU seconds per cell (20)")
    grade.add_argument("--no-sandbox", action="store_true", help="run student code with your own rights")
    grade.add_argument(
        "--once", type=Path, metavar="SUBMISSION", help="grade only this notebook or folder; record nothing"
    )
    grade.add_argument(
        "--json", nargs="?", const="json", metavar="FORM",
        help="with --once: print JSON, or the form of gradescope, prairielearn or classroom50",
    )  # fmt: skip
    grade.set_defaults(run=_grade)

    watch = commands.add_parser("watch", help="collect, grade and give feedback as submissions come in")
    watch.add_argument("lesson", metavar="LESSON")
    watch.add_argument("--every", type=float, default=5.0, metavar="S", help="look every S seconds (5)")
    watch.add_argument("--hold", action="store_true", help="grade, but release no feedback")
    watch.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="N")
    watch.add_argument("--seconds", type=float, default=None, metavar="S", help="CPU seconds per cell (20)")
    watch.add_argument("--no-sandbox", action="store_true", help="run student code with your own rights")
    watch.set_defaults(run=_watch)

    report = commands.add_parser(
        "report", help="show what the class got wrong, as tables and a page with pictures"
    )
    report.add_argument("lesson", metavar="LESSON", nargs="?", default="", help="default: the whole course")
    report.set_defaults(run=_report)

    similar = commands.add_parser("similar", help="list submissions that are alike, side by side on a page")
    similar.add_argument("lesson", metavar="LESSON")
    similar.set_defaults(run=_similar)

    extend = commands.add_parser("extend", help="give one student more time")
    extend.add_argument("lesson", metavar="LESSON")
    extend.add_argument("student", metavar="ID")
    until = extend.add_mutually_exclusive_group(required=True)
    until.add_argument("--days", type=float, metavar="N", help="days past the due date; 0 for none")
    until.add_argument("--until", default="", metavar="DATE", help="such as '2026-03-01 18:00 +01:00'")
    extend.set_defaults(run=_extend)

    roster = commands.add_parser("roster", help="add students from Canvas's or Moodle's CSV")
    roster.add_argument("file", metavar="FILE")
    roster.add_argument("--id", default="", metavar="COLUMN", help="the column of students' ids")
    roster.set_defaults(run=_roster)

    lab = commands.add_parser(
        "lab", help="open the lessons in JupyterLab", description=LAB, usage="headstart lab [-h] [...]"
    )
    lab.set_defaults(run=_lab)

    doctor = commands.add_parser("doctor", help="check this machine, and say how to fix problems")
    doctor.set_defaults(run=_doctor)
    return parser


def _build(options: argparse.Namespace) -> int:
    from autograder.lessons import ROOT

    os.chdir(ROOT)
    from autograder.authoring.build import build

    return build(options.lessons, options.check)


def _simulate(options: argparse.Namespace) -> int:
    course, config = _course(options)
    from autograder.commands.simulate import simulate

    lesson = _lesson(options.lesson, course)
    return simulate(lesson, options.students, options.seed, course, config, calm=options.calm)


def _grade(options: argparse.Namespace) -> int:
    if not hasattr(os, "fork"):
        print(f"headstart: {NO_FORK}", file=sys.stderr)
        return 2
    once = options.once and options.once.absolute()
    course, config = _course(options)
    if once:
        from autograder.commands.once import FORMS, grade_once

        form = options.json or "json"
        if form not in FORMS:
            raise LookupError(f"there is no form {form!r}; there are {', '.join(FORMS)}")
        lesson = _lesson(options.lesson, course) if options.lesson else ""
        return grade_once(lesson, once, course, config, _how(options), form)
    if not options.lesson:
        raise LookupError("which lesson? Such as: headstart grade 01_attention")
    from autograder.commands.grade import grade_class

    return grade_class(_lesson(options.lesson, course), course, config, _how(options), options.student)


def _how(options: argparse.Namespace) -> "Options":
    """How to grade, as `grade` and `watch` were told."""
    from autograder.classroom.engine import Options

    shared = Options(not options.no_sandbox, options.seconds, max(options.workers, 1))
    return replace(shared, cluster=options.cluster, force=options.force) if options.run is _grade else shared


def _watch(options: argparse.Namespace) -> int:
    if not hasattr(os, "fork"):
        print(f"headstart: {NO_FORK}", file=sys.stderr)
        return 2
    course, config = _course(options)
    from autograder.commands.watch import watch

    lesson = _lesson(options.lesson, course)
    return watch(lesson, course, config, _how(options), every=options.every, release=not options.hold)


def _report(options: argparse.Namespace) -> int:
    course, config = _course(options)
    if not options.lesson:
        from autograder.commands.course_report import report_course

        return report_course(course)
    from autograder.commands.grade import report_class

    return report_class(_lesson(options.lesson, course), course, config)


def _similar(options: argparse.Namespace) -> int:
    course, config = _course(options)
    from autograder.commands.similar import similar

    return similar(_lesson(options.lesson, course), course, config)


def _roster(options: argparse.Namespace) -> int:
    file = os.path.abspath(options.file)
    course, _ = _course(options)
    from autograder.commands.roster import add_students

    return add_students(file, course, options.id)


def _extend(options: argparse.Namespace) -> int:
    course, _ = _course(options)
    from autograder.commands.extend import extend

    lesson = _lesson(options.lesson, course)
    return extend(lesson, options.student, course, days=options.days, until=options.until)


def _lab(options: argparse.Namespace) -> int:
    from autograder.lessons import ROOT

    os.chdir(ROOT)
    from autograder.commands.lab import lab

    lab(options.rest)
    return 0


def _doctor(options: argparse.Namespace) -> int:
    from autograder.commands.doctor import doctor

    return doctor()


def _course(options: argparse.Namespace) -> "tuple[CourseDirectory, Config]":
    """The course and its settings. Its folder becomes the current one, before anything else is imported.

    The folder this is called in may be a student's, and libraries read the current folder unasked: Matplotlib
    its style, nbconvert its templates.

    Raises:
        LookupError: there is no such course.
    """
    from autograder.classroom.course import course_directory

    course, config = course_directory(settings=options.rest)
    try:
        os.chdir(course.root)
    except OSError as error:
        raise LookupError(f"there is no course in {course.root}: {error.strerror}") from error
    return course, config


def _lesson(name: str, course: "CourseDirectory") -> str:
    """The lesson's full name, of those in the course at hand; in Headstart's own, also of those not built.

    Raises:
        LookupError: there is none of that name; the text says which there are.
    """
    from autograder import lessons

    place = Path(course.format_path(course.source_directory, ".", name))
    if place.is_dir():
        return name
    ours = Path(course.root).resolve() == lessons.ROOT
    there = [path.name for path in place.parent.iterdir() if path.is_dir()] if place.parent.is_dir() else []
    return lessons.find(name) if ours else lessons.find_among(sorted(there), name, place.parent)


FOLLOW_SETTINGS = (_simulate, _grade, _watch, _report, _similar, _extend, _roster)

if __name__ == "__main__":
    sys.exit(main())

"""`headstart grade`: grade a class, or one submission without recording anything."""

import argparse
from pathlib import Path

from autograder.commands.cli import how_to_grade


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = (
        "Grade what is in submitted/ and record it in the gradebook. What is already graded is skipped; "
        "after an interruption, the same command resumes. A table shows whose points a regrade has changed. "
        "With --once, one submission is graded, and nothing is recorded."
    )
    parser.add_argument("lesson", metavar="LESSON", nargs="?", default="", help="such as 01_attention")
    parser.add_argument(
        "--student", action="append", default=[], metavar="ID", help="only this student; can be repeated"
    )
    parser.add_argument("--cluster", metavar="ADDRESS", help="grade on a Dask cluster, tcp://HOST:PORT")
    parser.add_argument("--force", action="store_true", help="grade everything again")
    parser.add_argument(
        "--dry-run", action="store_true", help="record nothing; show whose points would change"
    )
    how_to_grade(parser)
    parser.add_argument(
        "--once", type=Path, metavar="SUBMISSION", help="grade only this notebook or folder; record nothing"
    )
    parser.add_argument(
        "--json", nargs="?", const="json", metavar="FORM",
        help="with --once: print JSON; FORM is gradescope, prairielearn or classroom50",
    )  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Grade, and return the exit code."""
    once = options.once and options.once.absolute()
    if options.json and not once:
        raise LookupError("--json goes with --once SUBMISSION: a class's grades are in the gradebook")
    if options.dry_run and once:
        raise LookupError("--once records nothing, so it needs no --dry-run")
    from autograder import lessons
    from autograder.classroom.course import enter, find_lesson

    course, config = enter(options.rest)
    from autograder.classroom.engine import Options

    how = Options(
        not options.no_sandbox, options.seconds, options.workers, options.cluster, options.force,
        options.dry_run,
    )  # fmt: skip
    if once:
        from autograder.classroom.once import FORMS, grade_once

        form = options.json or "text"
        if form not in ("text", *FORMS):
            raise LookupError(f"there is no form {form!r}; choose one of {', '.join(FORMS)}")
        lesson = find_lesson(options.lesson, course) if options.lesson else ""
        return grade_once(lesson, once, course, config, how, form)
    if not options.lesson:
        [first, *_] = lessons.names() or ["LESSON"]
        raise LookupError(f"which lesson? Such as: headstart grade {first}")
    from autograder.classroom.class_run import grade_class

    return grade_class(find_lesson(options.lesson, course), course, config, how, options.student)

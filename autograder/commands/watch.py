"""`headstart watch`: collect, grade and give feedback as submissions come in."""

import argparse

from autograder.commands.cli import how_to_grade, number


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = (
        "Collect what students hand in through the exchange, grade it and release feedback, until Ctrl-C. "
        "Nothing is lost by stopping it; the next call resumes."
    )
    parser.add_argument("lesson", metavar="LESSON", help="such as 01_attention")
    parser.add_argument(
        "--every", type=number(least=0), default=5.0, metavar="S", help="look every S seconds (5)"
    )
    parser.add_argument("--hold", action="store_true", help="grade, but release no feedback")
    how_to_grade(parser)


def run(options: argparse.Namespace) -> int:
    """Watch until interrupted, and return the exit code."""
    from autograder.classroom.course import enter, find_lesson

    course, config = enter(options.rest)
    from autograder.classroom.engine import Options
    from autograder.classroom.watching import watch

    how = Options(not options.no_sandbox, options.seconds, options.workers)
    lesson = find_lesson(options.lesson, course)
    return watch(lesson, course, config, how, every=options.every, release=not options.hold)

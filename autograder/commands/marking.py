"""`headstart marking`: mark written answers question by question, on a page in the browser."""

import argparse

from autograder.commands.cli import number


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = (
        "Open a page in the browser on which you mark written answers: one question at a time, for all "
        "students, answers that are alike together. Points and comments go into nbgrader's gradebook. "
        "Only this machine can reach the page, and only with the token in its address."
    )
    parser.add_argument("lesson", metavar="LESSON", help="such as 01_attention")
    parser.add_argument(
        "--port",
        type=number(int, least=0, most=65535),
        default=8890,
        metavar="N",
        help="of the address (8890, or the next free one)",
    )
    parser.add_argument("--no-browser", action="store_true", help="only print the address")


def run(options: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C, and return the exit code."""
    from autograder.classroom.course import enter, find_lesson

    course, _ = enter(options.rest)
    lesson = find_lesson(options.lesson, course)
    from autograder.classroom.marking.server import serve

    serve(lesson, course, port=options.port, browser=not options.no_browser)
    return 0

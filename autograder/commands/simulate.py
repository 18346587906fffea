"""`headstart simulate`: hand in a made-up class."""

import argparse

from autograder.commands.cli import number


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = (
        "Write a made-up class to submitted/, to practise on: call it in a folder of its own, away from "
        "real students."
    )
    parser.add_argument("lesson", metavar="LESSON", help="such as 01_attention")
    parser.add_argument(
        "--students", type=number(int, least=1), default=20, metavar="N", help="how many (20)"
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="another number makes a different class (0)"
    )
    parser.add_argument("--calm", action="store_true", help="leave out code that loops or crashes")


def run(options: argparse.Namespace) -> int:
    """Write the class to `submitted/`, and return the exit code."""
    from autograder.classroom.course import enter, find_lesson

    course, config = enter(options.rest)
    from autograder.classroom.simulated import simulate

    lesson = find_lesson(options.lesson, course)
    return simulate(lesson, options.students, options.seed, course, config, calm=options.calm)

"""`headstart due`: when lessons are due."""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = (
        "Set when a lesson is due, in the course's time zone. Without a lesson, show all due dates and "
        "extensions."
    )
    parser.add_argument("lesson", metavar="LESSON", nargs="?", help="such as 01_attention")
    parser.add_argument(
        "date",
        metavar="DATE",
        nargs="*",
        help="such as 2027-01-15 18:00; a day alone means until its end; or none",
    )


def run(options: argparse.Namespace) -> int:
    """Set or show due dates, and return the exit code."""
    if options.lesson and not options.date:
        raise LookupError(f"due when? Such as: headstart due {options.lesson} 2027-01-15 18:00; or none")
    from autograder.classroom.course import enter, find_lesson

    course, _ = enter(options.rest)
    from autograder.classroom.extension import set_due, show_due

    if not options.lesson:
        return show_due(course)
    return set_due(find_lesson(options.lesson, course), " ".join(options.date), course)

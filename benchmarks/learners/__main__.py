"""What the check says of bugs that people reported in public.

python -m benchmarks.learners [LESSON ...] [--each]

The table of all lessons goes into RESULTS.md. With --each it prints every message, and writes nothing.
"""

import argparse
import warnings
from collections import Counter

import torch
from rich.console import Console
from rich.table import Table

from autograder import lessons
from benchmarks import results
from benchmarks.learners.reports import VERDICTS, Judged, Report, judged, reports

ABOUT = (
    "Bugs from public issues, pull requests and forums, each as an answer to one of our exercises, in our "
    "own code. A report is rejected if the cases that students see fail, or each of 32 hidden draws. It is "
    "named if the message gives its fault as the cause. Whether that and other messages are true was judged "
    "by reading them; *unread* ones have changed since. Nothing in the project may be changed because of a "
    "report that is *kept*: these are only counted, and their sources are used nowhere else. The others are "
    "there to find gaps."
)
COLUMNS = ("lesson", "", "reports", "rejected", *VERDICTS)


def main() -> None:
    """Judge the reports, and print what is asked for."""
    parser = argparse.ArgumentParser("python -m benchmarks.learners", description=__doc__.splitlines()[0])
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="none means all")
    parser.add_argument("--each", action="store_true", help="print every message, and write nothing")
    options = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")  # of answers that are wrong
    asked = [lessons.find(name) for name in options.lessons] or lessons.names()
    found = {lesson: [(report, judged(report)) for report in reports(lesson)] for lesson in asked}
    if options.each:
        for report, got in (pair for pairs in found.values() for pair in pairs):
            print(told(report, got), end="\n\n")
    elif options.lessons:
        Console(width=150).print(table(found))
    else:
        results.write("Learners' bugs", "python -m benchmarks.learners", ABOUT, table(found))


def told(report: Report, got: Judged) -> str:
    """A report, and what its author would read."""
    half = "kept" if report.kept else "open"
    accepted = "" if got.rejected else ", ACCEPTED"
    cause = got.finding.cause or "passes"
    head = f"{report.place} {report.exercise}, {half}: {got.verdict}{accepted} ({cause})"
    return "\n".join([head, f"  {report.fault}", got.finding.text()])


def table(found: dict[str, list[tuple[Report, Judged]]]) -> Table:
    """A row for the kept reports of each lesson and one for its others, then both for all lessons."""
    made = Table(*COLUMNS)
    for column in made.columns[2:]:
        column.justify = "right"
    every = [pair for pairs in found.values() for pair in pairs]
    for lesson, pairs in [*found.items(), ("all", every)]:
        for half in ("kept", "others") if pairs else ():
            made.add_row(lesson, half, *_counts([got for r, got in pairs if r.kept == (half == "kept")]))
    return made


def _counts(got: list[Judged]) -> list[str]:
    verdicts = Counter(each.verdict for each in got)
    rejected = sum(each.rejected for each in got)
    return [str(number) for number in (len(got), rejected, *(verdicts[name] for name in VERDICTS))]


if __name__ == "__main__":
    main()

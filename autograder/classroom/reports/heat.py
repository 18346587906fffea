"""The heat map: students by exercises, as a table whose cells have a colour and a sign."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from autograder.results import Verdict
from helpers.checking.finding import SIGNS, Status

NOT_HANDED_IN = "not handed in"
# A name for the style, and a sign that needs no colour.
LOOKS = {
    Status.PASSED: ("passed", SIGNS[Status.PASSED]),
    Status.PARTLY: ("partly", SIGNS[Status.PARTLY]),
    Status.FAILED: ("failed", SIGNS[Status.FAILED]),
    Status.NOT_WRITTEN: ("blank", SIGNS[Status.NOT_WRITTEN]),
    Status.NOT_RUN: ("unrun", "⊘"),
    NOT_HANDED_IN: ("none", "·"),
}
ABSENT = LOOKS[NOT_HANDED_IN]


class Group(NamedTuple):
    """A lesson's columns: ids and titles of its exercises, and whether answers wait for points by hand."""

    lesson: str
    titles: dict[str, str]
    waits: bool


class Part(NamedTuple):
    """What one student has in one lesson: their share of its points, None if there is none, and the cells."""

    share: float | None
    cells: list[tuple[str, str]]


class Row(NamedTuple):
    """One student: their name, the file of their page or "", and a part for each lesson."""

    name: str
    file: str
    parts: list[Part]


def group(
    lesson: str, titles: Mapping[str, str], papers: Iterable[Sequence[Verdict]], waits: bool = False
) -> Group:
    """A lesson's columns: its exercises, or what was graded where the course doesn't know them."""
    seen = {verdict.exercise: verdict.exercise for paper in papers for verdict in paper}
    return Group(lesson, dict(titles) or seen, waits)


def part(columns: Group, verdicts: Sequence[Verdict] = (), share: float | None = None) -> Part:
    """A student's cells in a lesson; of one that wasn't handed in, `share` is None."""
    went = {verdict.exercise: LOOKS[verdict.status] for verdict in verdicts}
    return Part(share, [went.get(id, ABSENT) for id in columns.titles])


def legend(lines: Sequence[Row]) -> list[tuple[str, str, str]]:
    """Style, sign and words of what a heat map has in it."""
    used = {cell for line in lines for part in line.parts for cell in part.cells}
    return [(style, sign, str(words)) for words, (style, sign) in LOOKS.items() if (style, sign) in used]

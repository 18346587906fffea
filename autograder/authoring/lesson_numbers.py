"""What the build says of a lesson in numbers: its exercises, its predictions, its minutes."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from autograder.authoring.master import Cell
from autograder.authoring.review import INTRODUCTION
from autograder.exercise import Exercise

WORDS_PER_MINUTE = 150  # for a careful reader of prose with formulas in it
MINUTES = "{minutes}"  # where a master's first cell has them


@dataclass(frozen=True)
class Numbers:
    """A lesson in numbers. Minutes are those of exercises, questions and reading, rounded up to tens."""

    exercises: int
    predictions: int
    minutes: int


def numbers_of(cells: list[Cell], specs: Mapping[str, Exercise]) -> Numbers:
    """The numbers of a lesson.

    Args:
        cells: of its master, all written out.
        specs: its exercises, by id.
    """
    prose = "\n".join(cell.source for cell in cells if cell.kind in ("prose", "reveals"))
    asked = [
        int(found[0])
        for line in prose.splitlines()
        if INTRODUCTION.match(line) and (found := re.search(r"\d+(?= minutes? ·)", line))
    ]
    read = re.sub(r"<details>.*?</details>|```.*?```|\$\$.*?\$\$", "", prose, flags=re.DOTALL)
    minutes = sum(asked) + len(read.split()) / WORDS_PER_MINUTE
    predictions = sum(cell.kind == "predict" for cell in cells)
    return Numbers(len(specs), predictions, 10 * math.ceil(minutes / 10))


def in_header(text: str, found: Numbers) -> str:
    """A lesson's first text with the minutes in it."""
    return text.replace(MINUTES, str(found.minutes))


def in_readme(readme: str, lesson: str, found: Numbers) -> str:
    """The README with a lesson's numbers in the row that begins with the lesson's own."""
    numbers = f"| {found.exercises} | {found.predictions} | {found.minutes} |"
    row = rf"^(\| {lesson[:2]} [^|]*) \| *\d* *\| *\d* *\| *\d* *\|"
    return re.sub(row, lambda match: f"{match[1]} {numbers}", readme, flags=re.MULTILINE)

"""What the build says of a lesson in numbers: its exercises, its predictions, its minutes.

`python -m autograder.authoring.lesson_numbers` prints these and more of each lesson, as a Markdown table.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import astuple, dataclass, fields

from autograder import exercises, lessons
from autograder.authoring.expanding import read_lesson
from autograder.authoring.master import Cell
from autograder.authoring.review import INTRODUCTION
from autograder.exercise import Exercise
from helpers.figures.predicting import predictions

WORDS_PER_MINUTE = 150  # for a careful reader of prose with formulas in it
MINUTES = "{minutes}"  # where a master's first cell has them


@dataclass(frozen=True)
class Numbers:
    """A lesson in numbers. Minutes are those of exercises, questions and reading, rounded up to tens.

    Words are those of its prose, without formulas and hints; points include those of written questions.
    """

    exercises: int
    predictions: int
    minutes: int
    words: int
    points: float
    drawings: int


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
    words = len(read.split())
    minutes = sum(asked) + words / WORDS_PER_MINUTE
    points = sum(spec.points for spec in specs.values()) + sum(cell.points or 0 for cell in cells)
    return Numbers(
        exercises=len(specs),
        predictions=sum(cell.kind == "predict" for cell in cells),
        minutes=10 * math.ceil(minutes / 10),
        words=words,
        points=points,
        drawings=sum("drawings." in cell.source for cell in cells if cell.kind == "draw"),
    )


def in_header(text: str, found: Numbers) -> str:
    """A lesson's first text with the minutes in it."""
    return text.replace(MINUTES, str(found.minutes))


def in_readme(readme: str, lesson: str, found: Numbers) -> str:
    """The README with a lesson's numbers in the row that begins with the lesson's own."""
    numbers = f"| {found.exercises} | {found.predictions} | {found.minutes} |"
    row = rf"^(\| {lesson[:2]} [^|]*) \| *\d* *\| *\d* *\| *\d* *\|"
    return re.sub(row, lambda match: f"{match[1]} {numbers}", readme, flags=re.MULTILINE)


def main() -> None:
    """Print the numbers of all lessons, and their sums."""
    found: dict[str, Numbers] = {}
    for lesson in lessons.names():
        topic = lessons.topic(lesson)
        specs = exercises.load(topic)
        cells, _ = read_lesson(lesson, specs, predictions(topic), lessons.ROOT)
        found[lesson] = numbers_of(cells, specs)
    rows = [(lesson, *astuple(numbers)) for lesson, numbers in found.items()]
    rows.append(("all", *(sum(column) for column in zip(*map(astuple, found.values()), strict=True))))
    heads = ("lesson", *(field.name for field in fields(Numbers)))
    for row in (heads, ("---", *["---:"] * (len(heads) - 1)), *rows):
        print(f"| {' | '.join(map(str, row))} |")


if __name__ == "__main__":
    main()

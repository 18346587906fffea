"""A hand-in to lesson 01 that is right but for what a test puts into it, and judged as in a class."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

import nbformat

from autograder import lessons
from autograder.classroom.course import course_directory
from autograder.grading.grader import questions
from autograder.grading.judge import judge
from autograder.grading.lesson import Lesson
from autograder.limits import CELL_SECONDS
from autograder.results import Judgement, Verdict
from autograder.sheets import HiddenSheets
from tests.support.course import LESSON


def lesson_of_test() -> Lesson:
    """The lesson, as the grader has it."""
    return Lesson.load(LESSON, lessons.ROOT, course_directory(lessons.ROOT)[1])


@contextmanager
def judging(lesson: Lesson, seconds: float = CELL_SECONDS) -> Iterator[Callable[..., Judgement]]:
    """A function that judges such hand-ins, all by one worker.

    It takes the names of the exercises that are in the notebook (all if there are none), `kept`, the verdicts
    of last time, and by exercises' names the code that stands in their answers' cells.

    Args:
        lesson: to which they are handed in.
        seconds: how long one cell may run.
    """
    cells = lesson.cells(
        nbformat.read(lessons.ROOT / "source" / LESSON / f"{LESSON}.ipynb", as_version=4), LESSON
    )
    hidden = HiddenSheets(b"of this test")
    worker = lesson.new_worker(True)
    worker.start()

    def judged(*only: str, kept: Mapping[str, Verdict] | None = None, **changes: str) -> Judgement:
        given = []
        for cell in cells:
            name = cell.exercise.rpartition(".")[2]
            if cell.answer and (not only or name in only):
                given.append(replace(cell.answer, source=changes.get(name, cell.answer.source)))
                given.append(replace(cell, answer=given[-1]))
            elif not cell.exercise and cell.source.startswith(("import", "from")):
                given.append(cell)
        asked = questions(lesson, LESSON, hidden, "of this test", kept)
        return judge(worker, given, asked, cell_seconds=seconds)

    try:
        yield judged
    finally:
        worker.stop()

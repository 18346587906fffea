"""Each exercise says in a bold sentence what to write, and in a line made by the build what that is worth.

And where something is to be chosen, the lesson says from what.
"""

import re

import pytest
import torch

from autograder import exercises, lessons
from autograder.recall import Recall

INTRODUCTION = re.compile(r"^\*\*Exercise (\S+)\*\* · difficulty \d of 5 · \d+ minutes? · \d+ points?$", re.M)


@pytest.mark.parametrize("lesson", [name for name in lessons.names() if lessons.number(name)])
def test_each_exercise_says_in_bold_what_to_write(lesson: str) -> None:
    cells = lessons.load_source_notebook(lesson).cells
    prose = "\n\n".join(cell.source for cell in cells if lessons.kind(cell) == "prose")
    starts = list(INTRODUCTION.finditer(prose))
    assert len(starts) == len(exercises.load(lessons.topic(lesson)))
    for start in starts:
        task = prose[start.end() :].partition("<details>")[0].partition("**Exercise ")[0]
        assert re.search(r"^\*\*[A-Z][^*]+\*\*", task, re.M), f"{start[1]} says nowhere in bold what to write"
    first = cells[0].source
    assert re.search(r"\*\*Time\*\* \d+ minutes", first), "the build writes the minutes there"


@pytest.mark.parametrize("lesson", [name for name in lessons.names() if lessons.number(name)])
def test_what_may_be_chosen_stands_in_the_lesson(lesson: str) -> None:
    master = lessons.master_path(lesson).read_text("utf-8")
    shown = " ".join(
        re.sub("### BEGIN SOLUTION.*?### END SOLUTION|^#", "", master, flags=re.S | re.M).split()
    )
    for exercise in exercises.load(lessons.topic(lesson)).values():
        if exercise.driver == "choice" and not isinstance(exercise, Recall):
            (case,) = exercise.cases(torch.Generator())
            options = {option for slot in case.args[0].values() for option in slot if isinstance(option, str)}
            unsaid = {option for option in options if option.replace("{}", "N") not in shown}
            assert not unsaid, f"{exercise.id}: nobody could know of {unsaid}"

"""Cells that a master names and the build writes out: predictions, and slips to catch.

`# %% predict="topic.name"` becomes the question with its options and a cell to choose in. What its figure
shows, in `# %% [markdown] reveals="topic.name"`, leaves the notebook: it is displayed after the choice.
`# %% recall="topic.name"` for the code with its inputs, a cell for the answer and a check. Below a written
question comes a cell that shows its model answer, which is kept where what figures show is, unless the course
has turned that off.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from autograder import lessons
from autograder.authoring import trees
from autograder.authoring.master import Cell, Mistake, did_you_mean, read_master
from autograder.authoring.measured import RESULTS, fill_in, read_results
from autograder.authoring.review import BEGIN, END, introduction, solution_lines
from autograder.exercise import Exercise
from autograder.recall import INPUT, LETTERS, LINE, NONE, Recall
from helpers.figures.predicting import Prediction

ANSWERED = """\
# Once your answer above is written: a model answer, and what earns points
from helpers.figures.answering import model_answer

model_answer("{id}", ...)"""


def read_lesson(
    lesson: str, specs: Mapping[str, Exercise], known: Mapping[str, Prediction], root: Path
) -> tuple[list[Cell], list[Mistake]]:
    """A lesson's master with measured numbers filled in, and with what it only names written out.

    Args:
        lesson: its name.
        specs: its exercises, by id.
        known: its predictions, by id.
        root: the course's folder.

    Returns:
        The cells, and the mistakes of the first of these steps that finds any.
    """
    name = f"notebooks/{lesson}.py"
    cells, mistakes = read_master(lessons.master_path(lesson, root), name)
    if not mistakes:
        results = trees.contents(root / RESULTS).decode() if (root / RESULTS).is_file() else ""
        cells, mistakes = fill_in(cells, read_results(results), name)
    if not mistakes:
        cells, mistakes = expand(cells, specs, known, lessons.number(lesson), name)
    return cells, mistakes


def expand(
    cells: list[Cell],
    specs: Mapping[str, Exercise],
    predictions: Mapping[str, Prediction],
    chapter: int,
    name: str,
) -> tuple[list[Cell], list[Mistake]]:
    """Write out what a master only names.

    Args:
        cells: of the master.
        specs: the lesson's exercises, by id.
        predictions: the lesson's predictions, by id.
        chapter: the lesson's number.
        name: what to call the master in mistakes.

    Returns:
        The cells with those written out, and the mistakes in the others.
    """
    made: list[Cell] = []
    mistakes: list[Mistake] = []
    recalls = iter("abcdefgh")
    for cell in cells:
        known: Mapping[str, object] = predictions if cell.kind == "predict" else specs
        found = known.get(cell.id) if cell.kind in ("predict", "recall") else None
        if cell.kind == "predict" and isinstance(found, Prediction):
            made += _prediction(cell, found)
        elif cell.kind == "recall" and isinstance(found, Recall):
            made += _recall(cell, found, f"{chapter}.0{next(recalls)}")
        elif cell.kind in ("predict", "recall"):
            mistakes.append(Mistake(name, cell.line, _unknown(cell, list(known))))
        else:
            made.append(cell)
    placed = {cell.id for cell in cells if cell.kind == "predict"}
    for id in predictions.keys() - placed:
        text = f'the prediction "{id}" has no cell in this lesson; add `# %% predict="{id}"`, or remove it'
        mistakes.append(Mistake(name, cells[-1].line if cells else 1, text))
    return made, mistakes


def _unknown(cell: Cell, known: list[str]) -> str:
    """That there is nothing of the name that a cell gives, and the cure."""
    where, missing = "its topic's exercises", "it"
    if cell.kind == "predict":
        where = f"PREDICTIONS, a dict in helpers/{cell.id.partition('.')[0]}/predictions.py"
        missing = 'a `Prediction(question, options, right="a")`'
    near = did_you_mean(cell.id, known)
    cure = f'did you mean "{near}"?' if near else f"add {missing} there, or remove the cell"
    return f'{cell.kind} "{cell.id}" isn\'t in {where}; {cure}'


def with_model_answers(cells: list[Cell]) -> Iterator[Cell]:
    """A lesson's cells, with one below each written question that shows its model answer.

    It imports what it calls, so that a course without model answers has nothing of them.
    """
    for cell in cells:
        yield cell
        if cell.kind == "written":
            yield replace(cell, kind="answered", source=ANSWERED.format(id=cell.id))


def what_is_revealed(cells: list[Cell]) -> bytes:
    """What a lesson's figures show, by prediction, and its model answers, by question, as JSON."""
    told = {cell.id: cell.source for cell in cells if cell.kind == "reveals"}
    answered = {cell.id for cell in cells if cell.kind == "answered"}
    questions = (cell for cell in cells if cell.kind == "written" and cell.id in answered)
    told |= {cell.id: "\n".join(solution_lines(cell)) for cell in questions}
    return f"{json.dumps(told, indent=1, ensure_ascii=False)}\n".encode()


def _prediction(cell: Cell, prediction: Prediction) -> Iterator[Cell]:
    options = "\n".join(f"- **{letter}** · {option}" for letter, (option, _) in prediction.letters.items())
    text = f"**Predict, then look.** {prediction.question}\n\n{options}\n\n(It gives no points.)"
    yield replace(cell, kind="prose", source=text, id="")
    calls = [f'predict("{cell.id}", {choice})' for choice in ("...", f'"{prediction.right}"')]
    yield replace(cell, source="\n".join((calls[0], f"### {BEGIN}", calls[1], f"### {END}")))


def _recall(cell: Cell, item: Recall, number: str) -> Iterator[Cell]:
    width = len(str(len(item.lines)))
    code = "\n".join(f"{n:>{width}}  {line}".rstrip() for n, line in enumerate(item.lines, 1))
    inputs = "\n".join(
        f"- **{letter}** · `{call}`" for letter, call in zip(LETTERS, item.inputs, strict=False)
    )
    text = "\n\n".join(
        (
            introduction(number, item),
            f"{item.task} Is this right?",
            f"```text\n{code}\n```",
            "**Say which line has the slip, and which of these inputs shows it.** If it is right, put "
            f'`"{NONE}"` into both slots.',
            inputs,
        )
    )
    yield replace(cell, kind="prose", source=text, id="")
    answer = f"found_{number[-1]}"
    open_slots = f'{answer} = {{"{LINE}": ..., "{INPUT}": ...}}'
    solution = f"{answer} = {item.reference!r}"
    source = "\n".join((open_slots, f"### {BEGIN}", solution, f"### {END}"))
    yield replace(cell, kind="exercise", source=source)
    yield replace(cell, kind="check", source=f'check("{cell.id}", {answer})')

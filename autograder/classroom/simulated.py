"""A made-up class: submissions as students hand them in, and the verdicts that each must get.

A student of the class has an answer to each exercise, right in one of several styles or wrong in a known way,
and a manner of handing in: as released, with cells added, deleted, duplicated or moved, late, or with code
that never ends or takes the interpreter down. The expected verdicts follow from the two.
"""

import ast
import copy
import json
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from autograder import lessons
from autograder.answers import pasted
from autograder.exercise import Exercise
from autograder.grading.lesson import Lesson
from autograder.sheets import overlay
from helpers.checking.finding import Status

DEADLINE = datetime(2026, 1, 15, 12, 0, tzinfo=UTC)
LOOP = "def {name}(*args, **kwargs):\n    while True:\n        pass\n"
DEAF_LOOP = (
    "import signal\n\n\ndef {name}(*args, **kwargs):\n"
    "    signal.signal(signal.SIGINT, signal.SIG_IGN)\n    while True:\n        pass\n"
)
CRASH = "import ctypes\n\n\ndef {name}(*args, **kwargs):\n    return ctypes.string_at(0)\n"
RAISES = "def {name}(*args, **kwargs):\n    return undefined_name\n"


@dataclass(frozen=True)
class Answer:
    """An exercise's answer as text, and the verdict that it gets; `cause` is "" for a right one."""

    source: str | None  # None leaves the cell as released
    status: Status = Status.PASSED
    cause: str = ""


@dataclass
class Student:
    """A made-up student: a kind, an answer to each exercise, and what they do to the notebook."""

    kind: str
    answers: dict[str, Answer]
    manner: Callable[["Desk", NotebookNode], None] | None = None
    late: bool = False
    stops_at: str = ""  # the exercise from which nothing runs
    spoiled: str = field(default="", repr=False)  # file content in place of a notebook

    @property
    def wild(self) -> bool:
        """Whether it can't be timed beside others: it loops, crashes, or nbgrader can't read it."""
        unreadable = bool(self.spoiled) or self.manner in (_forget_metadata, _duplicate)
        loops = any(answer.cause == "timeout" for answer in self.answers.values())
        return unreadable or loops or bool(self.stops_at)

    def expected(self, desk: "Desk") -> dict[str, dict[str, str]]:
        """The verdict of each exercise."""
        verdicts, running = {}, not self.spoiled
        for id in desk.order:
            running = running and id != self.stops_at
            answer = self.answers[id]
            status, cause = (answer.status, answer.cause) if running else (Status.NOT_RUN, "")
            verdicts[id] = {"status": status, "cause": cause}
        return verdicts


class Desk:
    """What all made-up students of a lesson work from: the released notebook, and answers of all kinds."""

    def __init__(self, lesson: Lesson, source: NotebookNode) -> None:
        self.lesson, self.exercises = lesson, lesson.exercises
        self.order = [lessons.exercise_of(c) for c in source.cells if lessons.kind(c) == "check"]
        self.names = {
            lessons.exercise_of(c): _answer_name(c.source) for c in source.cells if lessons.kind(c) == "check"
        }
        solved = {
            lessons.exercise_of(c): _solved(c.source) for c in source.cells if lessons.kind(c) == "exercise"
        }
        code = [ast.parse(c.source) for c in source.cells if c.cell_type == "code"]
        self.known = {name for tree in code for node in tree.body for name in _defined(node)}
        self.right = {id: self._right(self.exercises[id], solved[id]) for id in self.order}
        given = [ast.parse(c.source) for c in source.cells if lessons.kind(c) == "given"]
        self.given = {
            node.name: ast.unparse(node)
            for tree in given
            for node in tree.body
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
        }

    def _right(self, exercise: Exercise, solved: str) -> list[Answer]:
        return [Answer(solved), *(Answer(self.text(exercise, variant)) for variant in exercise.alternatives)]

    def text(self, exercise: Exercise, variant: Callable | Mapping[str, object]) -> str:
        """A variant of an answer as the source of a cell."""
        name = self.names[exercise.id]
        if isinstance(variant, Mapping):
            return f"{name} = {overlay(exercise.reference, variant)!r}\n"
        source = pasted(variant, self.known)
        return source if variant.__name__ == name else f"{source}\n\n{name} = {variant.__name__}\n"

    def solved(self, rng: random.Random, without: str = "") -> dict[str, Answer]:
        """Right answers, each in some style, none of which calls the answer to the exercise `without`.

        An exercise that can't be answered without it stays unwritten, and so does what needs that one.
        """
        answers, avoided = {}, {self.names[without]} if without else set()
        for id in [id for id in self.right if id != without]:
            if fitting := [a for a in self.right[id] if not self.uses(a.source) & avoided]:
                answers[id] = rng.choice(fitting)
            else:
                answers[id] = Answer(None, Status.NOT_WRITTEN)
                avoided.add(self.names[id])
        return answers

    def uses(self, source: str | None) -> set[str]:
        """The names that an answer uses, and those that the lesson's own functions use which it calls."""
        found: set[str] = set()
        waiting = [source]
        while waiting:
            fresh = _names(waiting.pop()) - found
            found |= fresh
            waiting += [self.given[name] for name in fresh if name in self.given]
        return found

    def mistaken(self, rng: random.Random, id: str, answer: Answer) -> dict[str, Answer]:
        """Right answers but for one."""
        return {**self.solved(rng, without=id), id: answer}


def simulate(
    name: str, number: int, seed: int, course: CourseDirectory, config: Config, *, calm: bool = False
) -> int:
    """Write a class to `submitted/`, and what to expect of it to `simulated/LESSON.json`.

    Args:
        name: of the lesson.
        number: of students.
        seed: equal seeds give equal classes.
        course: where it goes.
        config: the course's settings.
        calm: leave out what loops, crashes or nbgrader can't read.
    """
    root = Path(course.root)
    lesson = Lesson.load(name, root, config)
    desk = Desk(lesson, lessons.load_source_notebook(name, root))
    rng = random.Random(f"{name}/{seed}")
    kinds = [student for student in _kinds(desk, rng) if not (calm and student.wild)]
    rng.shuffle(kinds)
    expected = {}
    for n in range(number):
        student = kinds[n] if n < len(kinds) else _mixed(desk, rng)
        id = f"student{n + 1:0{max(3, len(str(number)))}d}"
        folder = Path(course.format_path(course.submitted_directory, id, name))
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.ipynb").write_text(_hand_in(desk, student), encoding="utf-8")
        when = (
            DEADLINE + timedelta(days=2)
            if student.late
            else DEADLINE - timedelta(minutes=rng.randrange(1, 9999))
        )
        (folder / "timestamp.txt").write_text(f"{when:%Y-%m-%d %H:%M:%S} UTC")
        expected[id] = {"kind": student.kind, "verdicts": student.expected(desk)}
    target = root / "simulated" / f"{name}.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(expected, indent=1))
    print(
        f"headstart: {lessons.counted(number, 'submission')} in {course.submitted_directory}/, "
        f"their expected verdicts in {target.relative_to(root)}"
    )
    return 0


# -- the class -------------------------------------------------------------------------------------------


def _kinds(desk: Desk, rng: random.Random) -> Iterator[Student]:
    """One student of each kind."""
    for style in range(max(map(len, desk.right.values()))):
        yield Student(f"right, style {style + 1}", {id: r[style % len(r)] for id, r in desk.right.items()})
    for exercise in desk.exercises.values():
        for misconception in exercise.misconceptions:
            answer = Answer(desk.text(exercise, misconception.variant), Status.FAILED, misconception.name)
            yield Student(f"{exercise.id}: {misconception.name}", desk.mistaken(rng, exercise.id, answer))
    blank = dict.fromkeys(desk.order, Answer(None, Status.NOT_WRITTEN))
    half = {id: desk.right[id][0] for id in desk.order[: len(desk.order) // 2]}
    yield Student("half-done", blank | half)
    yield Student("blank", blank)
    yield Student("late", desk.solved(rng), late=True)
    for kind, manner in MANNERS.items():
        yield Student(kind, desk.solved(rng), manner)
    function = next(id for id in desk.order if desk.exercises[id].driver == "call")
    for kind, text, cause in (("endless loop", LOOP, "timeout"), ("undefined name", RAISES, "raised")):
        answer = Answer(text.format(name=desk.names[function]), Status.FAILED, cause)
        yield Student(kind, desk.mistaken(rng, function, answer))
    for kind, text in (
        ("endless loop that swallows interrupts", DEAF_LOOP),
        ("crash of the interpreter", CRASH),
    ):
        answer = Answer(text.format(name=desk.names[function]))
        yield Student(kind, desk.mistaken(rng, function, answer), stops_at=function)
    deleted = desk.mistaken(rng, function, Answer(None, Status.NOT_WRITTEN))
    yield Student("answer deleted", deleted, _delete_answer(function))
    for kind, content in (("not JSON", "{'cells': []}"), ("empty file", ""), ("not a notebook", "[1, 2]")):
        yield Student(kind, blank, spoiled=content or " ")


def _mixed(desk: Desk, rng: random.Random) -> Student:
    """A student as most are: right here and there in another style, with one slip."""
    id = rng.choice([id for id in desk.order if desk.exercises[id].misconceptions])
    misconception = rng.choice(desk.exercises[id].misconceptions)
    answer = Answer(desk.text(desk.exercises[id], misconception.variant), Status.FAILED, misconception.name)
    return Student("mixed", desk.mistaken(rng, id, answer))


def _hand_in(desk: Desk, student: Student) -> str:
    if student.spoiled:
        return student.spoiled.strip()
    notebook = copy.deepcopy(desk.lesson.skeletons[desk.lesson.name])
    for cell in notebook.cells:
        answer = student.answers.get(lessons.exercise_of(cell)) if lessons.kind(cell) == "exercise" else None
        if answer and answer.source is not None:
            cell.source = answer.source
        if lessons.kind(cell) == "written" and student.kind != "blank":
            cell.source = "I think that I know it, but I can't say why."  # whatever the course asks
    if student.manner:
        student.manner(desk, notebook)
    return nbformat.writes(notebook)


# -- manners ---------------------------------------------------------------------------------------------


def _add_cells(desk: Desk, notebook: NotebookNode) -> None:
    for position in range(len(notebook.cells) - 1, 0, -5):
        tried = nbformat.v4.new_code_cell("print('trying things out', 1 + 1)\n1 / 0", id=f"tried-{position}")
        note = nbformat.v4.new_markdown_cell("*a note to myself*", id=f"note-{position}")
        notebook.cells[position:position] = [note, tried]


def _delete_prose_and_checks(desk: Desk, notebook: NotebookNode) -> None:
    notebook.cells = [c for c in notebook.cells if lessons.kind(c) in ("exercise", "setup", "written")]


def _delete_answer(exercise: str) -> Callable[[Desk, NotebookNode], None]:
    def delete(desk: Desk, notebook: NotebookNode) -> None:
        notebook.cells = [
            c
            for c in notebook.cells
            if not (lessons.kind(c) == "exercise" and lessons.exercise_of(c) == exercise)
        ]

    return delete


def _duplicate(desk: Desk, notebook: NotebookNode) -> None:
    """Copies keep their metadata, as in JupyterLab; the text of the last one is what counts when it runs."""
    cells = []
    for number, cell in enumerate(notebook.cells):
        cells.append(cell)
        if lessons.kind(cell) in ("exercise", "check"):
            cells.append(copy.deepcopy(cell))
            cells[-1].id = f"copy-{number}"
    notebook.cells = cells


def _move_answers_to_the_end(desk: Desk, notebook: NotebookNode) -> None:
    notebook.cells.sort(key=lambda cell: lessons.kind(cell) == "exercise")


def _forget_metadata(desk: Desk, notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.metadata = {}


def _print_much(desk: Desk, notebook: NotebookNode) -> None:
    notebook.cells.append(nbformat.v4.new_code_cell("print('x' * 50_000_000)", id="flood"))


MANNERS: dict[str, Callable[[Desk, NotebookNode], None]] = {
    "cells added": _add_cells,
    "prose and checks deleted": _delete_prose_and_checks,
    "cells duplicated": _duplicate,
    "cells moved": _move_answers_to_the_end,
    "metadata lost": _forget_metadata,
    "50 MB on one line": _print_much,
}


def _answer_name(check_source: str) -> str:
    """`softmax` of `check("attention.softmax", softmax)`."""
    calls = [
        node
        for node in ast.walk(ast.parse(check_source))
        if isinstance(node, ast.Call) and len(node.args) == 2
    ]
    return ast.unparse(calls[0].args[1])


def _defined(node: ast.stmt) -> list[str]:
    """The names that an import or a definition makes known."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name for alias in node.names]
    return [node.name] if isinstance(node, ast.FunctionDef | ast.ClassDef) else []


def _names(source: str | None) -> set[str]:
    """The bare names that a piece of code uses."""
    return {node.id for node in ast.walk(ast.parse(source or "")) if isinstance(node, ast.Name)}


def _solved(source: str) -> str:
    """An answer cell of the source notebook without the marks around its solution."""
    return "\n".join(
        line for line in source.splitlines() if line.strip() not in ("### BEGIN SOLUTION", "### END SOLUTION")
    )

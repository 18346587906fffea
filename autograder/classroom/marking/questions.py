"""What the marking page shows: a lesson's questions, and who answered what.

Questions and rubrics are those of the instructor's notebook, answers those of the autograded notebooks.
"""

import functools
import hashlib
import html
import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat
import nh3
from nbformat import NotebookNode
from nbgrader.coursedir import CourseDirectory

from autograder.classroom.feedback import HEADING, NUMBER
from autograder.classroom.pages import ATTRIBUTES, PARTS, rendered
from autograder.grading.clean import SOURCES, TAGS
from helpers.figures.answering import STUB, Rubric, rubric_of

_SOLUTION = re.compile(
    r"^### (?:BEGIN|END) SOLUTION\s*$|^=== (?:BEGIN|END) MARK SCHEME ===\s*$", re.MULTILINE
)
# What a student wrote is clean by the time it gets here, if this course's settings graded it.
_cleaner = nh3.Cleaner(
    tags=TAGS | PARTS | {"a"},
    attributes={**ATTRIBUTES, "a": {"href"}, "img": {"src", "alt"}},
    attribute_filter=lambda tag, name, value: value if name != "src" or value.startswith(SOURCES) else None,
    url_schemes={"http", "https", "data"},
    link_rel="noopener noreferrer",
)


@dataclass(frozen=True)
class Question:
    """A cell that a person gives points for.

    Attributes:
        notebook, cell: where it is: the notebook's name, and the cell's in nbgrader.
        title: such as "Question 1.7".
        section: the heading above it, without the number that the title has.
        text: what is asked, in Markdown.
        model: a model answer in Markdown; "" if there is none.
        rubric: what earns points.
        points: at most.
        task: whether it is nbgrader's kind of task, answered in cells below it.
    """

    notebook: str
    cell: str
    title: str
    section: str
    text: str
    model: str
    rubric: Rubric
    points: float
    task: bool = False

    @property
    def id(self) -> str:
        """Its name among the lesson's questions."""
        return f"{self.notebook}/{self.cell}"


def questions(course: CourseDirectory, lesson: str) -> list[Question]:
    """A lesson's questions, in its order, but for those that count for nothing.

    Raises:
        LookupError: there are none.
    """
    found = [question for question in asked(course, lesson) if question.points]
    if not found:
        raise LookupError(f"{lesson} has no questions that a person gives points for")
    return found


def asked(course: CourseDirectory, lesson: str) -> list[Question]:
    """All of a lesson's questions, in its order, also those that count for nothing."""
    folder = Path(course.format_path(course.source_directory, ".", lesson))
    return [
        question
        for path in sorted(folder.glob("*.ipynb"))
        for question in _asked(path, path.stat().st_mtime_ns)
    ]


@functools.lru_cache(maxsize=64)
def _asked(path: Path, changed: int) -> list[Question]:
    return list(_questions(path))


def _questions(path: Path) -> Iterator[Question]:
    section = number = asked = ""
    for cell in nbformat.read(path, as_version=4).cells:
        known = cell.metadata.get("nbgrader", {})
        by_hand = known.get("task") or (known.get("grade") and known.get("solution"))
        if by_hand:
            text, model = _halves(cell) if known.get("task") else (asked, _SOLUTION.sub("", cell.source))
            model, rubric = rubric_of(model)
            name, points = known["grade_id"], float(known.get("points") or 0)
            heading = section.removeprefix(f"{number.rpartition(' ')[2]} ")
            yield Question(
                path.stem, name, number or name, heading, text, model, rubric, points,
                bool(known.get("task")),
            )  # fmt: skip
        elif cell.cell_type == "markdown":
            for _, heading in HEADING.findall(cell.source):
                section, number = heading.strip(), ""
            number, asked = [number, *NUMBER.findall(cell.source)][-1], cell.source


def _halves(task: NotebookNode) -> tuple[str, str]:
    """What a task asks, and its mark scheme."""
    asked, *rest = _SOLUTION.split(task.source)
    return asked, "\n".join(rest)


@dataclass(frozen=True)
class Answer:
    """What a student answered.

    Attributes:
        source: as it was handed in, or the code of an answer in code.
        html: the same for the page, harmless.
        key: equal for answers that are alike.
    """

    source: str
    html: str
    key: str

    @property
    def digest(self) -> str:
        """Which text a grader had before them."""
        return hashlib.sha256(self.html.encode()).hexdigest()[:16]


def alike(text: str) -> str:
    """What answers that are alike share: all but capitals, spaces, line breaks and a last full stop."""
    folded = unicodedata.normalize("NFC", text).casefold()
    return " ".join(folded.split()).removesuffix(".")


def answer(path: Path, question: Question) -> Answer | None:
    """A student's answer, from the autograded notebook; None if it has none, or can't be read."""
    try:
        status = path.stat()
        cells = _cells(path, status.st_mtime_ns, status.st_size)
    except (OSError, ValueError):
        return None
    return cells.get((question.cell, question.task))


@functools.lru_cache(maxsize=4096)
def _cells(path: Path, changed: int, size: int) -> dict[tuple[str, bool], Answer]:
    """What a notebook answers, by cell and whether that is a task. Read again once the file has changed."""
    found: dict[tuple[str, bool], Answer] = {}
    task = ""
    work: list[dict] = []
    for cell in [*json.loads(path.read_bytes())["cells"], {}]:
        known = cell.get("metadata", {}).get("nbgrader", {})
        if task and (known or not cell):
            found[task, True] = _answer(work)
            task = ""
        if known.get("task"):
            task, work = known["grade_id"], []
        elif known.get("grade") and known.get("solution"):
            found[known["grade_id"], False] = _answer([cell])
        elif task and cell.get("metadata", {}).get("headstart", {}).get("added"):
            work.append(cell)
    return found


def _answer(cells: list[dict]) -> Answer:
    sources = ["".join(cell["source"]) for cell in cells]
    page = "".join(
        f"<pre><code>{html.escape(source)}</code></pre>"
        if cell["cell_type"] == "code"
        else rendered(source, theirs=True, attachments=cell.get("attachments", {}))
        for cell, source in zip(cells, sources, strict=True)
    )
    source = "\n\n".join(sources).strip()
    pictures = hashlib.sha256(json.dumps([cell.get("attachments") for cell in cells]).encode()).hexdigest()
    key = (
        "" if source in ("", STUB) else hashlib.sha256(f"{alike(source)}{pictures}".encode()).hexdigest()[:16]
    )
    # defence: marking: no tags but these
    return Answer(source, _cleaner.clean(page), key)

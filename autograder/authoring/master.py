"""Reading a master: py:percent text -> cells that know their kind, their exercise and their line.

jupytext reads the cells one at a time, since for a whole file it doesn't say which line a cell came from.
"""

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import jupytext

MARKER = re.compile(r"^#\s*%%(?!\w)")
MISSING_SPACE = re.compile(r"^#\s*%%\w+\s*=")
HEADING = re.compile(r"^#{1,6}\s+(?!BEGIN|END)(.*\S)")
FENCE = re.compile(r"^\s*(```|~~~)")

KINDS = {
    "setup": "code", "draw": "code", "exercise": "code", "check": "code", "written": "markdown",
    "predict": "code", "recall": "code", "reveals": "markdown",
}  # fmt: skip
KEYS = (*KINDS, "points")
FROM_JUPYTEXT = ("lines_to_next_cell", "cell_marker")  # for writing text back, which we never do
# What students are asked to change, such as `TRAIN_ANEW, STEPS = False, 1750`.
SETTING = re.compile(r"^[A-Z][A-Z0-9_]+(, [A-Z][A-Z0-9_]+)* = (True|False|\d)", re.MULTILINE)


@dataclass(frozen=True)
class Mistake:
    """Something in a master that stops the build: where it is, what it is and what to do about it."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


class MasterError(Exception):
    """The mistakes of one or several masters."""

    def __init__(self, mistakes: list[Mistake]) -> None:
        self.mistakes = sorted(mistakes, key=lambda mistake: (mistake.file, mistake.line))
        super().__init__("\n".join(map(str, self.mistakes)))


@dataclass(frozen=True)
class Cell:
    """A cell of a master.

    Attributes:
        kind: "prose", "given", the key of `KINDS` of its marker; "bundle" where the build put it in.
        source: its text, without the marker and, where it is prose, without comment signs.
        line: the line of its marker in the master, counted from 1.
        first: the line of the master that `source` begins on.
        id: the exercise that an exercise, check or written cell names, or the prediction of the others.
        points: of a written cell. An exercise's are in its spec.
        heading: the nearest heading above, or in it.
        open: whether a draw cell's code is part of the lesson.
    """

    kind: str
    source: str
    line: int
    first: int
    id: str = ""
    points: float | None = None
    heading: str = ""
    open: bool = False

    @property
    def folded(self) -> bool:
        """Whether JupyterLab shows its first line alone. A setting is to be seen, as is the lesson's code."""
        return self.kind == "draw" and not self.open and not SETTING.search(self.source)

    @property
    def stays(self) -> bool:
        """Whether the notebook has it: what a prediction reveals is kept elsewhere until it is made."""
        return self.kind != "reveals"

    @property
    def ungraded(self) -> bool:
        """Whether it is a written question without points, of which nbgrader knows nothing."""
        return self.kind == "written" and not self.points

    @property
    def is_code(self) -> bool:
        return KINDS.get(self.kind, "markdown" if self.kind == "prose" else "code") == "code"

    @property
    def lines(self) -> list[tuple[int, str]]:
        """Each line of the source with its number in the master."""
        return list(enumerate(self.source.split("\n"), self.first))


def read_master(path: Path, name: str) -> tuple[list[Cell], list[Mistake]]:
    """Read a master's cells.

    Args:
        path: the file.
        name: what to call it in mistakes.

    Returns:
        The cells that could be read, and the mistakes in the markers of the others.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        return [], [Mistake(name, line, "this isn't UTF-8 text: save the file as UTF-8")]
    cells: list[Cell] = []
    mistakes: list[Mistake] = []
    heading = ""
    for line, chunk in _chunks(text):
        try:
            cell = _read_cell(line, chunk, heading)
        except ValueError as error:
            mistakes.append(Mistake(name, line, str(error)))
            continue
        if cell is not None:
            cells.append(cell)
            heading = cell.heading
    return cells, mistakes


def headings(source: str) -> Iterator[str]:
    """The headings of a piece of Markdown, without their #. A comment in a code block isn't one."""
    fenced = False
    for line in source.split("\n"):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced and (found := HEADING.match(line)):
            yield found[1]


def did_you_mean(word: str, known: list[str] | tuple[str, ...]) -> str:
    """The known word most like this one, or ""."""
    return next(iter(difflib.get_close_matches(word, known, n=1)), "")


def _chunks(text: str) -> Iterator[tuple[int, list[str]]]:
    """The lines of each cell with the number of the first, which is the marker (but above the first cell)."""
    start = 1
    chunk: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if MARKER.match(line):
            yield start, chunk
            start, chunk = number, []
        chunk.append(line)
    yield start, chunk


def _read_cell(line: int, chunk: list[str], heading: str) -> Cell | None:
    """One cell, or None for a file's own comments above its first cell.

    Raises:
        ValueError: its marker can't be meant as it is; the text says why and what to write.
    """
    if not chunk or not MARKER.match(chunk[0]):
        if any(text.strip() and not text.startswith("#") for text in chunk):
            raise ValueError("there is text above the first cell; put `# %%` above it")
        return None
    for text in chunk:
        if MISSING_SPACE.match(text):
            raise ValueError(f"`{text}` isn't read as a marker; put a space after %%")
    read = jupytext.reads("\n".join(chunk), fmt="py:percent").cells
    if len(read) != 1:
        raise ValueError("an indented `# %%` inside this cell splits it in two; remove it")
    cell_type, metadata = read[0].cell_type, dict(read[0].metadata)
    if metadata.pop("region_name", "md") != "md" or cell_type not in ("code", "markdown"):
        raise ValueError(f"`{chunk[0]}`: a cell is code or [markdown]")
    marker = {key: value for key, value in metadata.items() if key not in FROM_JUPYTEXT}
    kind, name, points = _read_marker(chunk[0], marker, cell_type)
    source = read[0].source.strip("\n")
    if cell_type == "markdown":
        heading = [heading, *headings(source)][-1]
    opened = marker.get("draw") == "open"
    return Cell(kind, source, line, line + _offset(chunk, source), name, points, heading, opened)


def _read_marker(text: str, marker: dict, cell_type: str) -> tuple[str, str, float | None]:
    """What a marker says: the cell's kind, its exercise and its points."""
    for key in marker:
        if key in ("incorrectly_encoded_metadata", "title", "cell_depth"):
            raise ValueError(f'`{text}` can\'t be read; write it like `# %% exercise="topic.name"`')
        if key not in KEYS:
            hint = (
                f"did you mean {near!r}?"
                if (near := did_you_mean(key, KEYS))
                else f"there are {', '.join(KEYS)}"
            )
            raise ValueError(f"unknown key {key!r} in the marker; {hint}")
    kinds = [key for key in marker if key in KINDS]
    if len(kinds) > 1:
        raise ValueError(f"a cell can't be {' and '.join(kinds)} at once; keep one of them")
    if not kinds:
        if marker:
            raise ValueError("only a written cell has points here; an exercise's are in its spec")
        return ("given" if cell_type == "code" else "prose"), "", None
    kind = kinds[0]
    if cell_type != KINDS[kind]:
        right = "`# %%`" if KINDS[kind] == "code" else "`# %% [markdown]`"
        raise ValueError(f"{kind} cells are {KINDS[kind]}; begin the marker with {right}")
    return kind, _read_name(kind, marker[kind]), _read_points(kind, marker)


def _read_name(kind: str, value: object) -> str:
    if kind in ("setup", "draw"):
        if value is not True and (kind, value) != ("draw", "open"):
            other = ', or `draw="open"` where its code is part of the lesson' if kind == "draw" else ""
            raise ValueError(f"write `{kind}=true`{other}")
        return ""
    if not isinstance(value, str) or not re.fullmatch(r"[a-z]\w*\.[a-z]\w{,40}", value, re.ASCII):
        raise ValueError(f'{kind} names an exercise, as `{kind}="topic.name"`: lower-case letters, digits, _')
    return value


def _read_points(kind: str, marker: dict) -> float | None:
    points = marker.get("points")
    if kind != "written":
        if "points" in marker:
            raise ValueError("only a written cell has points here; an exercise's are in its spec")
        return None
    if isinstance(points, bool) or not isinstance(points, int | float) or points < 0:
        raise ValueError(f'the written question "{marker[kind]}" has no points; add `points=5` to its marker')
    return points


def _offset(chunk: list[str], source: str) -> int:
    """How many lines below the marker the source begins: blank ones, and the opening of a text in quotes."""
    start = source.partition("\n")[0].strip()
    return next((number for number, text in enumerate(chunk) if number and start in text), 1)

"""The start page: is everything installed, and how far is the student?"""

import html
import json
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from helpers import progress

if TYPE_CHECKING:
    from ipywidgets import HBox

PYTHONS = ((3, 11), (3, 13))  # the first and the last that the course is tested with
CELL = "text-align:left;vertical-align:top;padding:4px 14px 4px 0;background:none;border:none"


@dataclass(frozen=True)
class Found:
    """One line of the installation check: what, whether it works, what was found, and the cure if it doesn't."""

    what: str
    works: bool
    found: str
    cure: str = ""


@dataclass(frozen=True)
class Lesson:
    """A lesson in the student's folder: where it is, its title, and the ids and titles of its exercises."""

    path: Path
    title: str
    exercises: dict[str, str]


class Table:
    """A table for a notebook and for a terminal. It takes its colours from JupyterLab's theme."""

    def __init__(self, header: list[str], rows: list[list[str]], text: str) -> None:
        self.header, self.rows, self.text = header, rows, text

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        head = "".join(f'<th scope="col" style="{CELL}">{name}</th>' for name in self.header)
        body = "".join(
            '<tr style="background:none">'
            + "".join(f'<td style="{CELL}">{cell}</td>' for cell in row)
            + "</tr>"
            for row in self.rows
        )
        table = f"<table style='border:none;font-size:inherit'><thead><tr style='background:none'>{head}</tr></thead>{body}</table>"
        return {"text/plain": self.text, "text/html": table}


# -- the installation --------------------------------------------------------------------------------------------


def installation() -> Table:
    """One line for each thing that the lessons need, with its cure where it doesn't work."""
    found = [_tried(*item) for item in NEEDED]
    rows = [
        [
            _mark(line.works),
            html.escape(line.what),
            html.escape(line.found) + (f"<br>{html.escape(line.cure)}" if line.cure else ""),
        ]
        for line in found
    ]
    text = "\n".join(
        f"{'✓' if line.works else '✗'} {line.what:<12} {line.found}  {line.cure}".rstrip() for line in found
    )
    return Table(["", "what", "found"], rows, text)


def _tried(what: str, look: Callable[[], Found], cure: str) -> Found:
    try:
        return look()
    except Exception as error:  # whatever is broken here is what the table is for
        return Found(what, False, f"{type(error).__name__}: {error}"[:160], cure)


def _python() -> Found:
    works = PYTHONS[0] <= sys.version_info[:2] <= PYTHONS[1]
    wanted = " to ".join(f"{major}.{minor}" for major, minor in PYTHONS)
    cure = (
        ""
        if works
        else f"The course is tested with Python {wanted}. Run `make lab` with one of these first in your PATH."
    )
    return Found("Python", works, platform.python_version(), cure)


def _torch() -> Found:
    import torch

    a = torch.arange(6.0).reshape(2, 3)
    works = (a @ a.T).tolist() == [[5.0, 14.0], [14.0, 50.0]]
    cure = "" if works else "A small matrix product came out wrong: install torch again with `make lab`."
    return Found(
        "torch", works, f"{torch.__version__} · a matrix product works" if works else torch.__version__, cure
    )


def _widgets() -> Found:
    import ipywidgets

    return Found("ipywidgets", True, ipywidgets.__version__)


def _fonts() -> Found:
    import matplotlib
    from matplotlib.font_manager import findfont, get_font

    wanted = "√·éψ"
    glyphs = get_font(findfont("DejaVu Sans", fallback_to_default=False)).get_charmap()
    missing = [letter for letter in wanted if ord(letter) not in glyphs]
    cure = (
        f"The font can't draw {' '.join(missing)}: install matplotlib again with `make lab`."
        if missing
        else ""
    )
    return Found("matplotlib", not missing, f"{matplotlib.__version__} · its font draws √ · é ψ", cure)


def _memory() -> Found:
    path = progress.path()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8"):
        return Found("progress", True, f"kept in {path}")


INSTALL = "Close JupyterLab and run `make lab`: it installs what is missing."
NEEDED = (
    ("Python", _python, ""),
    ("torch", _torch, INSTALL),
    ("ipywidgets", _widgets, INSTALL),
    ("matplotlib", _fonts, INSTALL),
    (
        "progress",
        _memory,
        "Your progress can't be kept. Set HEADSTART_PROGRESS to a file that you may write.",
    ),
)


def live_slider() -> "HBox":
    """A slider and its number times two, worked out by Python: it follows only where widgets are live."""
    import ipywidgets as w

    slider = w.IntSlider(3, 0, 10, description="move me", readout=False)
    answer = w.Label()

    def follow(_: object = None) -> None:
        answer.value = f"twice {slider.value} is {2 * slider.value}"

    slider.observe(follow, "value")
    follow()
    return w.HBox([slider, answer])


# -- the lessons -------------------------------------------------------------------------------------------------


def lessons(here: Path | None = None) -> Table:
    """The lessons beside this one, how many of their checks passed when last run, and which are left.

    Args:
        here: this lesson's folder; where the notebook runs if None.
    """
    here = (here or Path.cwd()).resolve()
    kept = progress.load()
    found = [lesson for lesson in find_lessons(here.parent) if lesson.path.parent != here]
    rows, lines = [], []
    for lesson in found:
        passed = [name for name in lesson.exercises if kept.get(name)]
        left = [title for name, title in lesson.exercises.items() if not kept.get(name)]
        link = f"../{lesson.path.parent.name}/{lesson.path.name}"
        done = f"{len(passed)} of {len(lesson.exercises)}"
        rows.append(
            [
                f'<a href="{html.escape(link)}">{html.escape(lesson.title)}</a>',
                _bar(len(passed), len(lesson.exercises)) + done,
                _left(left),
            ]
        )
        lines.append(f"{lesson.title}: {done} checks pass" + (f"; to do: {', '.join(left)}" if left else ""))
    if not found:
        rows, lines = (
            [["No lesson lies beside this folder yet.", "", ""]],
            ["No lesson lies beside this folder yet."],
        )
    return Table(["lesson", "checks that pass", "to do"], rows, "\n".join(lines))


def find_lessons(folder: Path) -> list[Lesson]:
    """The lessons in a folder: each its own folder with a notebook and its checks.json, in order of their names.

    A lesson that can't be read is left out: its own notebook will say what is wrong with it.
    """
    found = []
    for path in sorted(folder.glob("[0-9][0-9]_*/checks.json")):
        notebook = path.with_name(f"{path.parent.name}.ipynb")
        try:
            sheets = json.loads(path.read_text(encoding="utf-8"))
            exercises = {name: str(sheet["title"]) for name, sheet in sheets.items()}
            found.append(Lesson(notebook, _title(notebook), exercises))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
    return found


def _title(notebook: Path) -> str:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    first = "".join(cells[0]["source"]).partition("\n")[0]
    return first.lstrip("# ") or notebook.stem


def _left(titles: list[str], shown: int = 3) -> str:
    if not titles:
        return "nothing: all pass"
    more = f" and {len(titles) - shown} more" if len(titles) > shown else ""
    return html.escape(", ".join(titles[:shown]) + more)


def _bar(done: int, total: int) -> str:
    share = 100 * done / total if total else 100
    return (
        '<span aria-hidden="true" style="display:inline-block;width:90px;height:9px;margin-right:8px;border-radius:5px;'
        f'background:linear-gradient(to right,#009e73 {share:.0f}%,rgba(128,128,128,.35) {share:.0f}%)"></span>'
    )


def _mark(works: bool) -> str:
    color, sign, word = ("#009e73", "✓", "works") if works else ("#d55e00", "✗", "doesn't work")
    return f'<strong style="color:{color}" role="img" aria-label="{word}">{sign}</strong>'

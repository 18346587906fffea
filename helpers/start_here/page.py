"""The start page: is everything installed, and how far has the student got?"""

import html
import json
import platform
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from helpers.checking import progress
from helpers.checking.assessing import assess
from helpers.checking.finding import COLORS, SIGNS, Status
from helpers.checking.sheet import load_sheet
from helpers.figures.controls import VIEW, explorer, tooltip
from helpers.figures.showing import Table, image

if TYPE_CHECKING:
    from ipywidgets import VBox

PYTHONS = ((3, 11), (3, 14))  # the first and the last that the course is tested with
BAR = "display:inline-block;width:min(90px,11vw);height:9px;margin-right:8px;border-radius:5px"
SUMMARY, NAMES = "cursor:pointer;white-space:nowrap", "margin:4px 0 8px;max-width:60em;line-height:1.7"
# Whether something works or passed: as what it is shown, and the word for those who can't see it.
STATES = {
    True: (Status.PASSED, "passes"),
    False: (Status.FAILED, "fails"),
    None: (Status.NOT_WRITTEN, "doesn't pass yet"),
}


@dataclass(frozen=True)
class Found:
    """One line of the installation check: what, whether it works, what was found, and the cure if need be."""

    what: str
    works: bool
    found: str
    cure: str = ""


@dataclass(frozen=True)
class Lesson:
    """A lesson in the student's folder.

    Attributes:
        notebook: its file.
        title: its heading.
        exercises: their titles, by id.
        questions: the points of those that have a model answer, by id.
    """

    notebook: Path
    title: str
    exercises: dict[str, str]
    questions: dict[str, float]


# -- the installation ------------------------------------------------------------------------------------


def check_installation() -> Table:
    """Try each thing that the lessons need: one line says whether it works, and how to cure it if not."""
    found = [_tried(*item) for item in NEEDED]
    rows, lines = [], []
    for line in found:
        cure = f"<br>{html.escape(line.cure)}" if line.cure else ""
        rows.append([_marked(line.works, line.what), html.escape(line.found) + cure])
        lines.append(f"{SIGNS[STATES[line.works][0]]} {line.what:<12} {line.found}  {line.cure}".rstrip())
    return Table(["what", "found"], rows, "\n".join(lines))


def _tried(what: str, look: Callable[[], Found], cure: str) -> Found:
    try:
        return look()
    except Exception as error:  # whatever is broken here is what the table is for
        return Found(what, False, f"{type(error).__name__}: {error}"[:160], cure)


def _python() -> Found:
    first, last = (".".join(map(str, version)) for version in PYTHONS)
    tested = f"The course is tested with Python {first} to {last}"
    works = sys.version_info[:2] >= PYTHONS[0]
    cure = f"{tested}: put one of these first in PATH, then `make lab`."
    newer = f" · newer than the last that the course is tested with, {last}"
    found = platform.python_version() + newer * (sys.version_info[:2] > PYTHONS[1])
    return Found("Python", works, found, "" if works else cure)


def _torch() -> Found:
    import torch

    a = torch.arange(6.0).reshape(2, 3).requires_grad_()
    product = a @ a.T
    product.sum().backward()
    expected = [[5.0, 14.0], [14.0, 50.0]], [[6.0, 10.0, 14.0]] * 2
    if a.grad is None or (product.tolist(), a.grad.tolist()) != expected:
        raise ArithmeticError(f"torch {torch.__version__} gets a small matrix product or its gradient wrong")
    return Found("torch", True, f"{torch.__version__} · a matrix product and its gradient are right")


def _widgets() -> Found:
    import ipywidgets
    from IPython.display import display
    from IPython.utils.capture import capture_output

    with capture_output() as shown:
        display(live_slider())
    if not any(VIEW in output.data for output in shown.outputs):
        raise LookupError(f"ipywidgets {ipywidgets.__version__} shows a notebook no slider")
    return Found("ipywidgets", True, f"{ipywidgets.__version__} · a slider reaches the notebook")


def _drawing() -> Found:
    import matplotlib
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    axes.set_title("√ · é ψ")
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "Glyph")  # the font lacks one
        image(axes, "four letters")
    return Found("matplotlib", True, f"{matplotlib.__version__} · draws √ · é ψ")


def _check() -> Found:
    from helpers.checking.calling.drivers import run

    sheet = load_sheet("start_here.double")
    for answer, expected in ((lambda x: x + x, Status.PASSED), (lambda x: x**2, Status.FAILED)):
        outcomes = [run(sheet.driver, answer, case, gradients=sheet.wants_gradients) for case in sheet.cases]
        if (status := assess(sheet, outcomes).status) != expected:
            raise ArithmeticError(f"says {status.value} where {expected.value} is right")
    return Found("checks", True, "a right answer passes, a wrong one doesn't")


def _memory() -> Found:
    path = progress.path()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8"):
        return Found("progress", True, f"kept in {path}")


INSTALL = (
    "Close JupyterLab and run `make lab`, which installs what is missing. Where there is no `make lab`, run "
    "`%pip install --upgrade {}` in a cell and restart the kernel."
)
NEEDED = (
    ("Python", _python, ""),
    ("torch", _torch, INSTALL.format("torch")),
    ("ipywidgets", _widgets, INSTALL.format("ipywidgets")),
    ("matplotlib", _drawing, INSTALL.format("matplotlib")),
    (
        "checks",
        _check,
        "Keep the lesson's folder together: run `make lab`, or unpack the lesson's zip again.",
    ),
    (
        "progress",
        _memory,
        "Your progress can't be kept. Set HEADSTART_PROGRESS to a file that you can write to.",
    ),
)


def live_slider() -> "VBox":
    """A slider and twice its number, worked out by Python: the number follows only where widgets are live."""
    import ipywidgets as w

    slider = w.IntSlider(3, 0, 10, description="move me", readout=False, **tooltip("move me"))
    answer = w.Label()

    def follow(_: object = None) -> None:
        answer.value = f"twice {slider.value} is {2 * slider.value}"

    slider.observe(follow, "value")
    follow()
    return explorer([w.HBox([slider, answer])])


# -- the lessons -----------------------------------------------------------------------------------------


def list_lessons(here: Path | None = None) -> Table:
    """The lessons beside this one, and how many of their checks passed when they last ran; folded, which.

    Beside that, how many written answers were compared with a model answer, and the points ticked there.

    Args:
        here: this lesson's folder; if None, where the notebook runs.
    """
    here = (here or Path.cwd()).resolve()
    rows, lines = [], []
    for lesson in find_lessons(here.parent):
        if lesson.notebook.parent == here:
            continue
        kept = progress.load(lesson.notebook.parent)
        passed = sum(kept.get(name, False) for name in lesson.exercises)
        done = f"{passed} of {len(lesson.exercises)}"
        # A check of what isn't written yet is kept as one that didn't pass: no reason for a ✗.
        states = [_marked(kept.get(name) or None, title) for name, title in lesson.exercises.items()]
        link = html.escape(f"../{lesson.notebook.parent.name}/{lesson.notebook.name}")
        title = f'<a href="{link}">{html.escape(lesson.title)}</a>'
        bar = f'<span style="white-space:nowrap">{_bar(passed, len(lesson.exercises))}{done}</span>'
        folded = f'<summary style="{SUMMARY}">{bar}</summary><div style="{NAMES}">{" ".join(states)}</div>'
        answered = told_in_words(lesson)
        rows.append([title, f"<details>{folded}</details>", answered])
        lines.append(f"{lesson.title}: {done} checks pass{answered and f'; in words {answered}'}")
    if not rows:
        nothing = "There is no lesson beside this folder yet."
        return Table([], [[nothing]], nothing)
    return Table(
        ["lesson", "checks that pass", "in words" if any(row[2] for row in rows) else ""],
        rows,
        "\n".join(lines),
    )


def told_in_words(lesson: Lesson) -> str:
    """How many of a lesson's questions were compared with a model answer, and the points ticked there."""
    ticked = progress.ticked(lesson.notebook.parent).items() if lesson.questions else ()
    known = {question: len(lines) for question, lines in ticked if question in lesson.questions}
    total = sum(lesson.questions[question] for question in known)
    points = f" · {sum(known.values())} of {total:g} points" if known else ""
    return f"{len(known)} of {len(lesson.questions)}{points}" if lesson.questions else ""


def find_lessons(folder: Path) -> list[Lesson]:
    """The lessons in a folder: each has a folder of its own with a notebook and a checks.json.

    One that can't be read is left out: its own notebook will say what is wrong.
    """
    found = []
    for path in sorted(folder.glob("[0-9][0-9]_*/checks.json")):
        notebook = path.with_name(f"{path.parent.name}.ipynb")
        try:
            sheets = json.loads(path.read_text(encoding="utf-8"))
            exercises = {name: str(sheet["title"]) for name, sheet in sheets.items()}
            cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
            found.append(Lesson(notebook, _title(cells) or notebook.stem, exercises, _questions(cells)))
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            continue
    return found


def _title(cells: list[dict]) -> str:
    return "".join(cells[0]["source"]).partition("\n")[0].lstrip("# ")


def _questions(cells: list[dict]) -> dict[str, float]:
    """The points of the questions that show a model answer, by id."""
    text = "".join("".join(cell["source"]) for cell in cells)
    known = [cell.get("metadata", {}) for cell in cells]
    return {
        ours["id"]: float(each.get("nbgrader", {}).get("points", 0))
        for each in known
        if (ours := each.get("headstart", {})).get("kind") == "written"
        and f'model_answer("{ours["id"]}"' in text
    }


def _marked(state: bool | None, text: str) -> str:
    status, word = STATES[state]
    mark = f'<strong style="color:{COLORS[status]}" role="img" aria-label="{word}">{SIGNS[status]}</strong>'
    return f'<span style="display:inline-block;margin-right:10px">{mark} {html.escape(text)}</span>'


def _bar(done: int, total: int) -> str:
    share = round(100 * done / total) if total else 100
    done_color, rest_color = f"{COLORS[Status.PASSED]} {share}%", f"rgba(128,128,128,.35) {share}%"
    colors = f"background:linear-gradient(to right,{done_color},{rest_color})"
    return f'<span aria-hidden="true" style="{BAR};{colors}"></span>'

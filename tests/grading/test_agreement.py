"""The check in a notebook and the grade say the same of the same cells, with all that people leave beside an answer."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from autograder import lessons
from autograder.lessons import ROOT
from tests.support.course import LESSON, Course
from tests.support.proved import ENGINE, follows_from

pytestmark = [pytest.mark.needs_bubblewrap, pytest.mark.timeout(300), follows_from(*ENGINE)]

SOFTMAX = "attention.softmax"
RIGHT = """def softmax(x, dim):
    e = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return e / e.sum(dim=dim, keepdim=True)
"""
HELPED = """def softmax(x, dim):
    return normalised(torch.exp(x - x.amax(dim=dim, keepdim=True)), dim)
"""
HELPER = "def normalised(x, dim):\n    return x / x.sum(dim=dim, keepdim=True)\n"
BY_F = """def softmax(x, dim):
    return F.normalize(torch.exp(x - x.amax(dim=dim, keepdim=True)), p=1, dim=dim)
"""


def answered(source: str) -> Callable:
    """Replaces the answer."""
    return edited("attention-softmax-answer", lambda _: source)


def edited(grade_id: str, edit: Callable[[str], str]) -> Callable:
    """Edits the cell that nbgrader knows by a name, or the first that begins so."""

    def change(cells: list[nbformat.NotebookNode]) -> None:
        for cell in cells:
            if cell.metadata.get("nbgrader", {}).get("grade_id") == grade_id or cell.source.startswith(
                grade_id
            ):
                cell.source = edit(cell.source)
                return
        raise LookupError(grade_id)

    return change


# What a student does to the solved lesson, and whether softmax is right then.
DONE: dict[str, tuple[bool, tuple[Callable, ...]]] = {
    "nothing": (True, ()),
    "a self-test": (True, (answered(
        RIGHT + "t = torch.randn(3, 4)\nprint(torch.allclose(softmax(t, 1), torch.softmax(t, dim=1)))"
    ),)),
    "a self-test that fails to run": (True, (answered(RIGHT + "assert softmax(1, 2) == 3"),)),
    "help": (True, (answered(RIGHT + "help(torch.softmax)\ntorch.softmax?"),)),
    "a version kept for comparison": (True, (answered("def old(x):\n    return torch.softmax(x, -1)\n" + RIGHT),)),
    "a method of that name": (True, (answered(
        "class Weigh:\n    def softmax(self, x, dim):\n        e = torch.exp(x - x.amax(dim, keepdim=True))\n"
        "        return e / e.sum(dim, keepdim=True)\n\ndef softmax(x, dim):\n    return Weigh().softmax(x, dim)"
    ),)),
    "a helper in a course cell": (True, (
        edited("hours = ", lambda source: f"{source}\n\n{HELPER}"), answered(HELPED)
    )),
    "a helper in a figure's cell": (True, (
        edited("# Where the query 13:00 looks", lambda source: f"{HELPER}\n{source}"), answered(HELPED)
    )),
    "an import in the set-up cell": (True, (
        edited("setup", lambda source: f"{source}\nimport torch.nn.functional as F"), answered(BY_F)
    )),
    "!pip": (True, (answered("!pip install einops\n" + RIGHT),)),
    "%pip": (True, (answered("%pip install -q einops\n" + RIGHT),)),
    "pip in a course cell": (True, (edited("hours = ", lambda source: f"!pip install torch\n{source}"),)),
    "Colab's drive": (True, (answered(
        "from google.colab import drive\ndrive.mount('/content/drive')\n" + RIGHT
    ),)),
    "Colab's drive in a course cell": (True, (
        edited("hours = ", lambda source: f"from google.colab import drive\n{source}"),
    )),
    "no-break spaces": (True, (answered(RIGHT.replace("    ", "\xa0\xa0\xa0\xa0")),)),
    "curly quotes and a zero-width space": (True, (answered("\u200bNAME = “softmax”\n" + RIGHT),)),
    "a forbidden name behind a no-break space": (False, (
        answered("def softmax(x, dim):\n\xa0\xa0\xa0\xa0return torch.softmax(x, dim)"),
    )),
    "what isn't there in an answer": (False, (
        answered("import einops\ndef softmax(x, dim):\n    return einops.softmax(x, dim)"),
    )),
    "torch.compile": (True, (answered("@torch.compile\n" + RIGHT),)),
    "torch.compile, called at once": (
        True,
        (
            answered(
                "@torch.compile\n" + RIGHT.replace("softmax", "weigh") + "ONE = weigh(torch.ones(2), 0).sum()\n"
                "def softmax(x, dim):\n    return weigh(x, dim) * ONE"
            ),
        ),
    ),
    "timed": (True, (answered("%%time\n" + RIGHT),)),
    "the function itself": (False, (answered("softmax = torch.softmax"),)),
    "a method of torch": (False, (answered("def softmax(x, dim):\n    return x.softmax(dim)"),)),
    "torch's, in a course cell": (False, (
        edited("hours = ", lambda source: f"{source}\ndef weigh(x, dim):\n    return torch.softmax(x, dim)"),
        answered("def softmax(x, dim):\n    return weigh(x, dim)"),
    )),
    "a later version that fails to run": (False, (answered(RIGHT + "softmax = my_softmax"),)),
    "gradients left off": (True, (edited("hours = ", lambda source: f"{source}\ntorch.set_grad_enabled(False)"),)),
    "no tensor's helper": (False, (answered(HELPED),)),
}  # fmt: skip

LEFT_OPEN = "a later version that fails to run"
RUNNER = """
import json, os, sys
os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
import matplotlib.pyplot, torch
from autograder.child import outside
from autograder.child.shell import make_shell, run_cell
for name, cells in json.load(sys.stdin).items():
    if os.fork() == 0:
        os.environ["HEADSTART_PROGRESS"] = name
        shell, recorder = make_shell()
        outside.leave_out_programs(shell)  # a notebook has pip; here there is nowhere to install from
        for cell in cells:
            run_cell(shell, recorder, cell)
        os._exit(0)
    os.wait()
"""


@pytest.fixture(scope="module")
def notebooks(tmp_path_factory) -> dict[str, nbformat.NotebookNode]:
    course = Course(tmp_path_factory.mktemp("course"))
    made = {}
    for name, (_, changes) in DONE.items():
        made[name] = course.solved()
        for change in changes:
            change(made[name].cells)
    return made


@pytest.fixture(scope="module")
def graded(tmp_path_factory, notebooks) -> dict[str, dict[str, bool]]:
    """Exercise -> passed, by what was done."""
    course = Course(tmp_path_factory.mktemp("graded"))
    students = {f"s{number:02}": name for number, name in enumerate(notebooks)}
    for student, name in students.items():
        nbformat.write(notebooks[name], course.submission(student) / f"{LESSON}.ipynb")
    course.run("headstart", "grade", LESSON)
    found = course.statuses()
    return {
        name: {id: status == "passed" for id, status in found[student].items()}
        for student, name in students.items()
    }


@pytest.fixture(scope="module")
def checked(tmp_path_factory, notebooks) -> dict[str, dict[str, bool]]:
    """The same in the student's own notebook."""
    folder = tmp_path_factory.mktemp("checked")
    cells = {
        str(folder / f"{name}.json"): [
            cell.source
            for cell in notebook.cells
            if cell.cell_type == "code" and lessons.kind(cell) != "draw"
        ]
        for name, notebook in notebooks.items()
    }
    cells[str(folder / "a helper in a figure's cell.json")].insert(1, HELPER)  # no figure is drawn here
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", RUNNER], input=json.dumps(cells), text=True, check=True,
        cwd=ROOT / "source" / LESSON, env={**os.environ, "PYTHONPATH": str(ROOT), "TORCHDYNAMO_DISABLE": "1"}, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    here = str((ROOT / "source" / LESSON).resolve())  # the notebook's folder
    kept = {Path(path).stem: json.loads(Path(path).read_text())[here] for path in cells}
    return {name: {exercise: bool(since) for exercise, since in of.items()} for name, of in kept.items()}


@pytest.mark.parametrize("name", DONE)
def test_a_check_and_the_grade_say_the_same(name, checked, graded):
    told_apart = {id for id, passed in graded[name].items() if passed != checked[name][id]}
    # What a notebook can't tell, having no solution, is right: it says what to fix first.
    assert all(graded[name][id] for id in told_apart) and SOFTMAX not in told_apart
    assert name == LEFT_OPEN or told_apart <= {"attention.saturation"}  # which needs softmax's gradient
    assert checked[name][SOFTMAX] is graded[name][SOFTMAX] is DONE[name][0]

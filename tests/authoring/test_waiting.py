"""A figure that waits for a prediction may be drawn last: what it reads stays, and nobody below counts on it."""

import re
import textwrap
from pathlib import Path

import pytest

from autograder.authoring import build
from autograder.authoring.master import read_master
from autograder.authoring.waiting import out_of_order
from helpers.figures.predicting import Prediction
from tests.support.small_course import Course

GUESS = Prediction("What comes next?", {"The first.": "It came before.", "The second.": "Look."}, "b")
WAITS = 'with waiting_for("1.1"), after_predicting("a.b"):'
SAME = 'with waiting_for("1.1"), after_predicting("a.b", told=False), torch.no_grad():'
OTHER = 'with waiting_for("1.1"), after_predicting("a.c"):'
BOTH = 'with (\n    waiting_for("1.1"),\n    after_predicting("a.c"),\n    after_predicting("a.b", told=False),\n):'


def block(head: str, body: str) -> str:
    return f"{head}\n{textwrap.indent(body, '    ')}"


def told(folder: Path, *cells: str) -> list[tuple[str, str]]:
    """Of a master of these code cells, each line that is complained about and the line that it is about."""
    path = folder / "lesson.py"
    path.write_text("".join(f"# %%\n{cell}\n\n" for cell in cells), encoding="utf-8")
    lines = [line.strip() for line in path.read_text(encoding="utf-8").split("\n")]
    read, mistakes = read_master(path, path.name)
    assert not mistakes
    found = []
    for line, text in out_of_order(read):
        [about] = re.findall(r"line (\d+)", text)
        found.append((lines[line - 1], lines[int(about) - 1]))
    return found


# What a waiting cell reads, what a cell below it does, and whether that changes what it shows.
CHANGED = {
    "a name bound again": ("x = 1", "show(x)", "x = 2", True),
    "one of several": ("x = 1", "show(x)", "(y, x), z = (1, 2), 3", True),
    "a name of a loop": ("x = 1", "show(x)", "for x in range(3):\n    pass", True),
    "what a with makes": ("x = 1", "show(x)", "with open('a') as x:\n    pass", True),
    "an import": ("x = 1", "show(x)", "from y import x", True),
    "a walrus": ("x = 1", "show(x)", "if (x := 2):\n    pass", True),
    "a name taken away": ("x = 1", "show(x)", "del x", True),
    "under waiting_for alone": ("x = 1", "show(x)", block('with waiting_for("1.1"):', "x = 2"), True),
    "under a different prediction": ("x = 1", "show(x)", block(OTHER, "x = 2"), True),
    "beside a wait for the same": ("x = 1", "show(x)", f"x = 2\n{block(SAME, 'show(2)')}", True),
    "added to": ("x = 1", "show(x)", "x += 1", True),
    "an entry": ("x = {}", "show(x)", 'x["a"] = 1', True),
    "an entry's attribute": ("x = {}", "show(x)", 'x["a"].b.c = 1', True),
    "an entry taken away": ("x = {}", "show(x)", 'del x["a"]', True),
    "a list's method": ("x = []", "show(x)", "x.append(1)", True),
    "a tensor's method": ("x = torch.zeros(3)", "show(x)", "x.weight.fill_(1)", True),
    "a model's mode": ("x = model()", "show(x)", "x.train()", True),
    "read in a lambda": ("x = 1", "show(lambda: x)", "x = 2", True),
    "read in a comprehension": ("x = 1", "show([y + x for y in ys])", "x = 2", True),
    "read in a function here": ("x = 1", "def f():\n    return x\nshow(f())", "x = 2", True),
    "read by a function above": ("x = 1\n\ndef f():\n    return x", "show(f())", "x = 2", True),
    "read by what that calls": (
        "x = 1\n\ndef g():\n    return x\n\ndef f():\n    return g()", "show(f())", "x = 2", True,
    ),
    "read by a lambda above": ("x = 1\nf = lambda: x", "show(f())", "x = 2", True),
    "read by an object's method": (
        "x = 1\n\nclass F:\n    def f(self):\n        return x\n\nf = F()", "show(f)", "x = 2", True,
    ),
    "a function written again": ("def x():\n    return 1", "show(x())", "def x():\n    return 2", True),
    "read and then bound": ("x = 1", "x = x + 1\nshow(x)", "x = 2", True),
    "bound here first": ("x = 1", "x = 3\nshow(x)", "x = 2", False),
    "bound by a loop here": ("x = 1", "for x in range(3):\n    show(x)", "x = 2", False),
    "a function's own": ("x = 1", "show(x)", "def f(x):\n    x = 2\n    x.append(1)", False),
    "a comprehension's own": ("x = 1", "show(x)", "y = [x.pop() for x in y]", False),
    "a lambda's own": ("x = 1", "show(x)", "f = lambda x: x.pop()", False),
    "a class's own": ("x = 1", "show(x)", "class F:\n    x = 2", False),
    "a name of its own here": ("x = 1", "show(lambda x: x)", "x = 2", False),
    "a keyword": ("x = 1", "show(x)", "f(x=2)", False),
    "a method that changes nothing": ("x = 1", "show(x)", "x.sum()\nx.__init__\nx.a_", False),
    "a module's function": ("import x", "show(x.y)", "x.train(1)\nx.step()", False),
    "under the same prediction": ("x = 1", "show(x)", block(SAME, "x = 2"), False),
    "under that and a different one": ("x = 1", "show(x)", block(BOTH, "x = 2"), False),
}  # fmt: skip


@pytest.mark.parametrize("case", CHANGED)
def test_what_a_waiting_figure_reads_isnt_changed_below(tmp_path: Path, case: str) -> None:
    above, body, below, wrong = CHANGED[case]
    found = told(tmp_path, above, block(WAITS, body), below)
    assert len(found) == wrong, found
    for reads, changes in found:
        assert "show" in reads or "x + 1" in reads or "def f" in reads
        assert changes in below and "x" in changes
    if "after_predicting" not in below:
        assert told(tmp_path, above, below, block(WAITS, body)) == []  # nothing is changed below it
    assert told(tmp_path, above, block('with waiting_for("1.1"):', body), below) == []  # it doesn't wait


# What is above a waiting cell, what that makes, what a cell below reads, and whether that comes too early.
EARLY = {
    "an older value": ("x = 1", "x = 2", block('with waiting_for("1.1"):', "show(x)"), True),
    "nothing, unkindly": ("y = 1", "x = 2", "show(x)", True),
    "nothing, through a function": ("def f():\n    return x", "x = 2", "show(f())", True),
    "an entry that isn't there": ("x = {}", "x['a'] = 2", block('with waiting_for("1.1"):', "show(x)"), True),
    "under a different prediction": ("x = 1", "x = 2", block(OTHER, "show(x)"), True),
    "an explorer's argument": ("y = 1", "x = 2", "explorers.an_explorer(x)", True),
    "nothing, and it is told": ("y = 1", "x = 2", block('with waiting_for("1.1"):', "show(x)"), False),
    "nothing, told by an explorer": (
        "def f():\n    return x", "x = 2", "explorers.an_explorer(f)", False,
    ),
    "None": ("x = None", "x = 2", block('with waiting_for("1.1"):', "show(x)"), False),
    "bound again": ("x = 1", "x = 2", "x = 3\nshow(x)", False),
    "under the same prediction": ("x = 1", "x = 2", block(SAME, "show(x)"), False),
    "under that and a different one": ("x = 1", "x = 2", block(BOTH, "show(x)"), False),
}  # fmt: skip


@pytest.mark.parametrize("case", EARLY)
def test_no_cell_below_reads_what_a_waiting_one_has_yet_to_make(tmp_path: Path, case: str) -> None:
    above, body, below, wrong = EARLY[case]
    found = told(tmp_path, above, block(WAITS, body), below)
    assert len(found) == wrong, found
    assert all(reads in below and makes == body for reads, makes in found)


def test_none_says_that_there_is_nothing_yet(tmp_path: Path) -> None:
    """`model = None` above the `with` of a training that waits: nobody takes an older model for this one."""
    waiting = block(WAITS, "x = 2")
    assert told(tmp_path, "x = 1", waiting, "show(x)") == [("show(x)", "x = 2")]
    assert told(tmp_path, "x = 1", f"x = None\n{waiting}", "show(x)") == []


def test_the_build_stops_with_line_and_cure(tmp_path: Path, capsys, monkeypatch) -> None:
    course = Course(tmp_path)
    course.write("helpers/attention/predictions.py", "")
    monkeypatch.setattr(build, "predictions", lambda topic: {"attention.guess": GUESS})
    waiting = (
        '# %%\nshown = 1\n\n# %% predict="attention.guess"\n\n# %% draw="open"\n'
        'with after_predicting("attention.guess"):\n    made = shown\n\n'
        '# %% [markdown] reveals="attention.guess"\n# The second comes next.\n\n'
    )
    course.edit("# %%\ndouble(3)\n", f"{waiting}# %%\nshown = made\n")
    assert course.build() == 1
    said = capsys.readouterr().err.split("\n")
    assert said[0] == (
        "notebooks/01_attention.py:51: this waits for a prediction, and finds `shown` as line 57 leaves it if "
        "all cells have run by then; give one of the two a name of its own"
    )
    assert said[1] == (
        "notebooks/01_attention.py:57: line 51 makes this `made` only once a prediction is made; wait for it "
        'here as well, by `after_predicting("attention.guess", told=False)`, or make it above the prediction'
    )
    course.edit("shown = made\n", "later = double(3)\n")
    assert course.build() == 0

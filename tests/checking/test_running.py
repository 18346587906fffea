"""A check is of what the cells make as they are now, and not of what they made before one of them failed."""

import json
import os
import subprocess
import sys

import pytest
import torch

from autograder.exercise import Exercise
from autograder.lessons import ROOT
from autograder.sheets import make_sheet
from helpers.checking.calling.outcome import Case

RUNNER = """
import json, os, sys
from autograder.child.shell import make_shell, run_cell
import torch
import helpers.checking.assessing
out = sys.stdout
for name, cells in json.load(sys.stdin).items():
    if os.fork() == 0:
        shell, recorder = make_shell()
        for cell in ["from helpers.checks import check", *cells]:
            outputs = run_cell(shell, recorder, cell)
        print(json.dumps([name, str(outputs)]), file=out, flush=True)
        os._exit(0)
    os.wait()
"""
RIGHT = "def double(x):\n    return 2 * x"
CHECK = "check('topic.double', double)"
BEFORE = [RIGHT, CHECK]  # it was right once
SWALLOWS = """
from IPython.core.magic import register_cell_magic
@register_cell_magic
def time(line, cell):
    try:
        exec(compile(cell, "<timed exec>", "exec"), get_ipython().user_ns)
    except Exception:
        get_ipython().showtraceback()  # as IPython 7 does
"""
STALE = {
    "a name that isn't there": [*BEFORE, "double = doubled"],
    "a line above": [*BEFORE, "1 / 0\n" + RIGHT],
    "a default": [*BEFORE, "def double(x, factor=tow):\n    return factor * x"],
    "a decorator": [*BEFORE, "@cached\n" + RIGHT],
    "a class of its own": [*BEFORE, "double = Doubler()"],
    "inside of an if": [*BEFORE, "if True:\n    double = doubled"],
    "a syntax error": [*BEFORE, "double = = 2"],
    "a helper": [
        "def times(x, n):\n    return n * x", "def double(x):\n    return times(x, 2)", CHECK,
        "n = no\ndef times(x, n):\n    return n * x",
    ],
    "a number": ["factor = 2", "def double(x):\n    return factor * x", CHECK, "factor = three"],
    "a timed cell": [*BEFORE, "%%time\ndouble = doubled"],
    "a timed cell in an older IPython": [SWALLOWS, *BEFORE, "%%time\ndouble = doubled"],
    "a line above in a timed cell": [*BEFORE, "%%time\n1 / 0\n" + RIGHT],
    "an interrupt": [*BEFORE, "raise KeyboardInterrupt\ndouble = None"],
    "an entry": ["table = {'d': lambda x: 2 * x}\ndouble = lambda x: table['d'](x)", "table['d'] = tripled"],
}  # fmt: skip
FRESH = {
    "nothing": [],
    "made anew": ["double = doubled", RIGHT],
    "made anew by another cell": [RIGHT, "double = doubled", "twice = lambda x: x + x", "double = twice"],
    "an error below": [RIGHT + "\n1 / 0"],
    "an error below in a timed cell": ["%%time\n" + RIGHT + "\n1 / 0"],
    "an error elsewhere": [RIGHT, "triple = doubled", "double(1, 2, 3)"],
    "a local of that name": [RIGHT, "def f():\n    double = 1 / 0\nf()"],
    "an error that is caught": [RIGHT, "try:\n    double = doubled\nexcept NameError:\n    print('none')"],
    "an error in a cell that reads it": [RIGHT, "y = double('a', 'b')"],
    "an error in a comprehension": [RIGHT, "[1 / 0 for double in range(3)]"],
    "something of its own": [RIGHT, "double.seen = 1 / 0\n" + RIGHT, RIGHT],
}


LEFT_OUT = {
    "an import": ["from google.colab import drive\n" + RIGHT],
    "an import, and calls of it": ["import wandb\nrun = wandb.init(project='x')\nrun.log({})\n" + RIGHT],
    "one name of several": ["from torch import tensor, nonesuch\n" + RIGHT],
    "a whole module": ["from nowhere import *\n" + RIGHT],
    "in a timed cell": ["%%time\nimport nowhere as n\n" + RIGHT],
    "a magic": ["%tensorflow_version 2.x\n" + RIGHT],
    "an extension": ["%load_ext tensorboard\n%tensorboard --logdir logs\n" + RIGHT],
    "an import of its own making": [
        "try:\n    import nowhere\nexcept ImportError:\n    two = 2\n" + RIGHT.replace("2", "two")
    ],
}
NEEDED: dict[str, tuple[list[str], str]] = {
    "in an answer": (["import nowhere\ndef double(x):\n    return nowhere.twice(x)"], "No module named"),
    "as an answer": ([*BEFORE, "from nowhere import double"], "No module named"),
    "in an if": ([*BEFORE, "if True:\n    import nowhere\n" + RIGHT], "ended with ModuleNotFoundError"),
    "what a failed cell makes": (
        ["two = 1 / 0", "def double(x):\n    return two * x"],
        "The cell that makes `two` ended with ZeroDivisionError when it last ran, so `two` is missing",
    ),
    "what a cell that is no Python makes": (
        ["def twice(x):\n    return 2 x", "def double(x):\n    return twice(x)"],
        "`twice` has no value, because the cell that makes it ended with SyntaxError: fix that first.",
    ),
    "what no cell makes": (["def double(x):\n    return tow * x"], "A name has no value here: a typo"),
}


@pytest.fixture(scope="module")
def said(tmp_path_factory) -> dict[str, str]:
    """What the last cell, a check, shows."""
    folder = tmp_path_factory.mktemp("lesson")
    cases = lambda generator: [Case("numbers", (torch.randn(3, generator=generator),))]  # noqa: E731
    sheet = make_sheet(Exercise("topic.double", "Double", 1, lambda x: 2 * x, cases), "visible")
    (folder / "checks.json").write_text(json.dumps({"topic.double": sheet.to_json()}))
    every = {**STALE, **FRESH, "nothing": [RIGHT], **LEFT_OUT, **{name: NEEDED[name][0] for name in NEEDED}}
    told = {name: [*cells, CHECK] for name, cells in every.items()}
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", RUNNER], input=json.dumps(told), text=True, check=True,
        capture_output=True, cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "HEADSTART_PROGRESS": str(folder / "progress.json"),
             "MPLBACKEND": "module://matplotlib_inline.backend_inline"},
    )  # fmt: skip
    return dict(json.loads(line) for line in found.stdout.splitlines())


@pytest.mark.parametrize("name", STALE)
def test_what_a_cell_made_before_it_failed_is_not_checked(name, said):
    assert "✓" not in said[name]
    assert "ended with" in said[name] or "did not run" in said[name]


@pytest.mark.parametrize("name", FRESH)
def test_what_stands_as_the_cells_say_is_checked(name, said):
    assert "✓ Double" in said[name]


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_line_that_asks_for_what_isnt_there_is_left_out(name, said):
    assert "✓ Double" in said[name]


@pytest.mark.parametrize("name", NEEDED)
def test_what_an_answer_needs_and_isnt_there_is_said(name, said):
    assert "✓" not in said[name]
    assert NEEDED[name][1] in said[name]

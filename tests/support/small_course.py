"""A course of one small lesson, for the tests of the authoring chain."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import torch

from autograder import lessons
from autograder.authoring.build import build
from autograder.drawing import pick
from autograder.exercise import Exercise, Misconception
from helpers.checking.calling.outcome import Case
from helpers.checks import gradient_reaches_inputs, inputs_unchanged

MASTER = '''\
# %% [markdown]
# # 1 · Attention
# What it teaches. **Time** {minutes} minutes.

# %% setup=true
from helpers.checks import check

# %% [markdown]
# ## 1.1 Twice as much
# Some prose.
#
# **Exercise 1.1** · difficulty 2 of 5 · 10 minutes · 3 points
# **Return twice x.**
# %% exercise="attention.double"
def double(x):
    """Return twice x."""
    ### BEGIN SOLUTION
    return 2 * x  # the answer
    ### END SOLUTION


# %% check="attention.double"
check("attention.double", double)

# %% draw=true
# What twice x looks like
print("a picture")

# %% [markdown]
# ## 1.2 Who is who
# **Exercise 1.2** · difficulty 1 of 5 · 1 minute · 1 point
# **Say who asks.**
# %% exercise="attention.who"
who = {
    "query": ...,  # "x" or "y"
}
### BEGIN SOLUTION
who = {"query": "y"}
### END SOLUTION

# %% check="attention.who"
check("attention.who", who)

# %%
double(3)

# %% [markdown]
# **Question 1.3** · graded by hand · 8 minutes · 5 points

# %% [markdown] written="attention.why" points=5
# ### BEGIN SOLUTION
# **Model answer.** Because it is so.
#
# **Rubric**
# - 4 points: it is so.
# - 1 point: a *reason* such as `so`.
# - Nothing is lost for "so it is".
# ### END SOLUTION
'''


def double(x):
    return 2 * x


def _added(x):
    return x + x


def _halved(x):
    return x / 0.5


def squared(x):
    """Squared, not doubled."""
    return x * x


def unchanged(x):
    """Nothing happens to the numbers."""
    return x.clone()


def plus_two(x):
    """Two is added, where the numbers should be multiplied by it."""
    return x + 2


def explained(*variants: Callable) -> tuple[Misconception, ...]:
    """Wrong answers as misconceptions: each function's docstring is its sentence."""
    return tuple(Misconception(v.__name__, v, " ".join((v.__doc__ or "").split())) for v in variants)


def some_numbers(generator: torch.Generator) -> list[Case]:
    rows = pick(generator, 3, 4, 5)
    return [Case("some numbers", (torch.randn(rows, 1, generator=generator),))]


DOUBLE = Exercise(
    id="attention.double", title="Double", points=3, difficulty=2, minutes=10, reference=double,
    cases=some_numbers, alternatives=(_added, _halved),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    misconceptions=explained(squared, unchanged, plus_two),
)  # fmt: skip
WHO = Exercise(
    id="attention.who", title="Who is who", points=1, difficulty=1, minutes=1, driver="choice",
    reference={"query": "y"}, needs=("attention.double",),
    cases=lambda generator: [Case("all", ({"query": ["x", "y"]},))],
    misconceptions=(Misconception("swapped", {"query": "x"}, "The query comes from y."),),
)  # fmt: skip
LESSON = "01_attention"
NOTEBOOK = f"{LESSON}/{LESSON}.ipynb"
HELPERS = (
    "attention/__init__", "attention/reference", "attention/explorers",
)  # fmt: skip


class Course:
    """A course of one small lesson in a folder of its own."""

    def __init__(self, root: Path) -> None:
        self.root, self.specs = root, {spec.id: spec for spec in (DOUBLE, WHO)}
        self.write("course.toml", 'name = "Small"\npackages = ["torch"]\n')
        self.write("notebooks/01_attention.py", MASTER)
        for name in HELPERS:
            self.write(f"helpers/{name}.py", f'"""{name}"""\n')

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_bytes(text.encode())

    def edit(self, old: str, new: str) -> None:
        text = (self.root / "notebooks/01_attention.py").read_text(encoding="utf-8")
        assert old in text
        self.write("notebooks/01_attention.py", text.replace(old, new))

    def build(self, *names: str, check: bool = False) -> int:
        return build(list(names), check, root=self.root, load=lambda topic: self.specs)

    def notebook(self, tree: str) -> nbformat.NotebookNode:
        return nbformat.read(self.root / tree / NOTEBOOK, as_version=4)

    def files(self) -> dict[str, tuple[bytes, int]]:
        found = [path for path in self.root.rglob("*") if path.is_file()]
        return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in found}


def by_kind(notebook: nbformat.NotebookNode) -> dict[str, nbformat.NotebookNode]:
    """The cells of a small notebook by what they are, the first of each: `check attention.double`."""
    found: dict[str, nbformat.NotebookNode] = {}
    for cell in notebook.cells:
        found.setdefault(f"{lessons.kind(cell)} {lessons.exercise_of(cell)}".strip(), cell)
    return found


def exercise_in(path: Path) -> Exercise:
    """The exercise of a file that lies outside the course's packages."""
    spec = importlib.util.spec_from_file_location(f"outside_{path.stem}", path)
    assert spec and spec.loader
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.exercise.record

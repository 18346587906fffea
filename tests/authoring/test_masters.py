"""Mistakes in a master stop the build, each with its file, its line and its cure."""

from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
import torch

from autograder import exercises, lessons
from autograder.authoring.build import build
from autograder.exercise import Exercise
from tests.support.small_course import DOUBLE, MASTER, NOTEBOOK, Course

FILE = "notebooks/01_attention.py"
LOOK = "# What twice x looks like"
DRAW = f'# %% draw=true\n{LOOK}\nprint("a picture")'
CHECK = '# %% check="attention.double"\ncheck("attention.double", double)\n'
CHECK_WHO = '# %% check="attention.who"\ncheck("attention.who", who)\n'
BODY = "    ### BEGIN SOLUTION\n    return 2 * x  # the answer\n    ### END SOLUTION\n"
ANSWER = MASTER[MASTER.index("# ### BEGIN SOLUTION\n# **Model answer.**") :]
INTRODUCTION = "**Exercise 1.1** · difficulty 2 of 5 · 10 minutes · 3 points"

# What an author writes instead of what, the line that the mistake is on, and what is said about it.
MISCONCEPTIONS = {
    "a check without an exercise": (
        'exercise="attention.double"',
        'exercise="attention.duoble"',
        '# %% check="attention.double"',
        'check "attention.double" has no exercise cell; did you mean "attention.duoble"? Rename one of them',
    ),
    "an exercise without a check": (
        CHECK,
        "",
        '# %% exercise="attention.double"',
        'exercise "attention.double" has no check cell; add `# %% check="attention.double"` below it',
    ),
    "a check above its exercise": (
        DRAW,
        CHECK_WHO,
        '# %% check="attention.who"',
        'check "attention.who" is above its exercise on line 33; move it below',
    ),
    "an exercise that asks for nothing": (
        "**Return twice x.**",
        "Return twice x.",
        "# **Exercise 1.1** ",
        "exercise 1.1 doesn't say what to write; add a bold sentence below this line",
    ),
    "a lesson of unknown length": (
        "**Time** {minutes} minutes.",
        "It takes long.",
        "# %% [markdown]",
        "the first cell doesn't say how long the lesson takes; add `**Time** {minutes} minutes`",
    ),
    "an exercise twice": (
        DRAW,
        '# %% exercise="attention.double" \n### BEGIN SOLUTION\n### END SOLUTION',
        '# %% exercise="attention.double" ',
        '"attention.double" is used twice, on line 14 (exercise) and here (exercise); rename one of them',
    ),
    "a check twice": (
        DRAW,
        CHECK.replace("\n", " \n"),
        '# %% check="attention.double" ',
        '"attention.double" is used twice, on line 22 (check) and here (check); rename one of them',
    ),
    "a question named like an exercise": (
        'written="attention.why"',
        'written="attention.who"',
        "# %% [markdown] written",
        '"attention.who" is used twice, on line 41 (check) and here (written); rename one of them',
    ),
    "an exercise without a spec": (
        'exercise="attention.who"',
        'exercise="attention.whom"',
        '# %% exercise="attention.whom"',
        'exercise "attention.whom" isn\'t in exercises/attention/; '
        'did you mean "attention.who"? Rename one of them',
    ),
    "a question of another lesson": (
        'written="attention.why"',
        'written="masking.why"',
        "# %% [markdown] written",
        '"masking.why" isn\'t of this lesson; ids here begin with "attention."',
    ),
    "an unknown key": (
        "draw=true",
        "drow=true",
        "# %% drow",
        "unknown key 'drow' in the marker; did you mean 'draw'?",
    ),
    "a key like no other": (
        "draw=true",
        "zzz=1",
        "# %% zzz",
        "unknown key 'zzz' in the marker; there are setup, draw, exercise, check, written, predict, recall, reveals, points",
    ),
    "a quote that doesn't end": (
        "draw=true",
        'draw=true points="4',
        "# %% draw",
        '`# %% draw=true points="4` can\'t be read; write it like `# %% exercise="topic.name"`',
    ),
    "an id without quotes": (
        'check="attention.who"',
        "check=attention.who",
        "# %% check=att",
        '`# %% check=attention.who` can\'t be read; write it like `# %% exercise="topic.name"`',
    ),
    "a marker without a space": (
        "# %% draw=true",
        "# %%draw=true",
        '# %% check="attention.double"',
        "`# %%draw=true` isn't read as a marker; put a space after %%",
    ),
    "a title in a marker": (
        "# %% draw=true",
        "# %% Look draw=true",
        "# %% Look",
        "`# %% Look draw=true` can't be read; write it like",
    ),
    "a marker that says no": (
        "draw=true",
        "draw=false",
        "# %% draw",
        'write `draw=true`, or `draw="open"` where its code is part of the lesson',
    ),
    "a folded cell that begins with code": (
        f"{LOOK}\n",
        "",
        'print("a picture")',
        "JupyterLab shows only the first line of this folded cell; make it a comment that says what will be "
        "seen, such as `# The six ways at three lengths`",
    ),
    "a folded cell that begins with a word to a program": (
        f"{LOOK}\n",
        "# fmt: off for this\n",
        "# fmt: off",
        "JupyterLab shows only the first line of this folded cell; make it a comment that says what will be",
    ),
    "a folded cell that begins with a name": (
        f"{LOOK}\n",
        "# The plot of double_x\n",
        "# The plot of",
        "JupyterLab shows only the first line of this folded cell; make it a comment that says what will be",
    ),
    "a folded cell without an end": (
        'print("a picture")',
        "\n".join(16 * ["print()"]),
        "# %% draw=true",
        "this folded cell has 17 lines, which VS Code and Colab show; leave at most 16, by moving its work to "
        'helpers/attention/, or mark it `draw="open"` where its code is the lesson',
    ),
    "a docstring wider than a small notebook": (
        '"""Return twice x."""',
        f'"""Return twice x.\n\n    {60 * "x"}, {"x" * 7}.\n    """',
        "    xxx",
        "this line has 74 characters; break it after 72 at most: a notebook 1,024 pixels wide shows no more",
    ),
    "a comment wider than a small notebook": (
        "double(3)",
        f"# {70 * 'x'}\n# {71 * 'x'}\ndouble(3)",
        f"# {71 * 'x'}",
        "this line has 73 characters; break it after 72 at most: a notebook 1,024 pixels wide shows no more",
    ),
    "two kinds at once": (
        "draw=true",
        "draw=true setup=true",
        "# %% draw",
        "a cell can't be draw and setup at once; keep one of them",
    ),
    "an id that isn't one": (
        'written="attention.why"',
        'written="Why?"',
        "# %% [markdown] written",
        'written names an exercise, as `written="topic.name"`: lower-case letters, digits, _',
    ),
    "a raw cell": (DRAW, "# %% [raw]\n# x", "# %% [raw]", "`# %% [raw]`: a cell is code or [markdown]"),
    "a question in a code cell": (
        f'# %% [markdown] written="attention.why" points=5\n{ANSWER}',
        f'# %% written="attention.why" points=5\n{ANSWER}',
        "# %% written",
        "written cells are markdown; begin the marker with `# %% [markdown]`",
    ),
    "a drawing in a text cell": (
        DRAW,
        "# %% [markdown] draw=true\n# text",
        "# %% [markdown] draw",
        "draw cells are code; begin the marker with `# %%`",
    ),
    "a question without points": (
        " points=5",
        "",
        "# %% [markdown] written",
        'the written question "attention.why" has no points; add `points=5` to its marker',
    ),
    "points that are no number": (
        " points=5",
        ' points="five"',
        "# %% [markdown] written",
        'the written question "attention.why" has no points; add `points=5` to its marker',
    ),
    "points in the wrong place": (
        '# %% check="attention.who"',
        '# %% check="attention.who" points=2',
        '# %% check="attention.who"',
        "only a written cell has points here; an exercise's are in its spec",
    ),
    "points of nothing": (
        "# %%\ndouble(3)",
        "# %% points=2\ndouble(3)",
        "# %% points",
        "only a written cell has points here; an exercise's are in its spec",
    ),
    "an exercise without a solution": (
        BODY,
        "    return 1\n",
        '# %% exercise="attention.double"',
        'exercise "attention.double" has no solution; put it between `### BEGIN SOLUTION` and `### END',
    ),
    "a question without a solution": (
        ANSWER,
        "# Because.\n",
        "# %% [markdown] written",
        'written "attention.why" has no solution; put it between `### BEGIN SOLUTION` and `### END',
    ),
    "a solution in the body of a class": (
        BODY,
        f"    return 2 * x\n\n\nclass Twice:\n{BODY.replace('return 2 * x', 'number = 2')}",
        "    ### BEGIN SOLUTION",
        "the stub would stand in the class Twice itself, and raise as the class is made; put the body of",
    ),
    "a solution that doesn't end": (
        "    ### END SOLUTION\n",
        "",
        "    ### BEGIN SOLUTION",
        "BEGIN SOLUTION without END SOLUTION; add `### END SOLUTION` below it",
    ),
    "a solution that doesn't begin": (
        "    ### BEGIN SOLUTION\n",
        "",
        "    ### END SOLUTION",
        "END SOLUTION without BEGIN SOLUTION; add `### BEGIN SOLUTION` above it, or remove it",
    ),
    "a solution in a solution": (
        "    return 2 * x",
        "    ### BEGIN SOLUTION again\n    return 2 * x",
        "    ### BEGIN SOLUTION again",
        "BEGIN SOLUTION inside the region that begins on line 17; end that one first",
    ),
    "a solution in a given cell": (
        "\ndouble(3)",
        "\n# BEGIN SOLUTION\ndouble(3)\n# END SOLUTION",
        "# END SOLUTION",
        "students get this cell as it is, so it can't hold a solution; mark it as an exercise",
    ),
    "a cell that is broken without its solution": (
        BODY,
        "    ### BEGIN SOLUTION\n    if x:\n    ### END SOLUTION\n        return 2 * x\n",
        '# %% exercise="attention.double"',
        "syntax error without the solution: unexpected indent; move the solution's marks",
    ),
    "a choice that shows the answer": (
        '"query": ...,',
        '"query": "y",',
        '# %% exercise="attention.who"',
        "students would find no slot to fill in; write `...` for each, above the solution",
    ),
    "hidden tests": (
        "double(3)",
        "### BEGIN HIDDEN TESTS\ndouble(3)",
        "### BEGIN HIDDEN TESTS",
        "nbgrader would act on BEGIN HIDDEN TESTS",
    ),
    "other numbers than the spec's": (
        "difficulty 2 of 5",
        "difficulty 3 of 5",
        "# **Exercise 1.1",
        f'this line and "attention.double" differ; if the line is wrong, write: {INTRODUCTION}',
    ),
    "an exercise without introduction": (
        "# **Exercise 1.2** · difficulty 1 of 5 · 1 minute · 1 point\n",
        "# Try it.\n",
        '# %% exercise="attention.who"',
        'exercise "attention.who" isn\'t introduced; put this line in the text above it: '
        "**Exercise 1.2** · difficulty 1 of 5 · 1 minute · 1 point",
    ),
    "an introduction without exercise": (
        ANSWER,
        f"{ANSWER}\n# %% [markdown]\n# {INTRODUCTION} \n",
        f"# {INTRODUCTION} ",
        f"no answer cell follows `{INTRODUCTION}`; add one, or remove the line",
    ),
    "a question whose introduction gives other points": (
        "8 minutes · 5 points",
        "8 minutes · 4 points",
        "# **Question",
        'this line and "attention.why" differ; if the line is wrong, write: '
        "**Question 1.3** · graded by hand · 8 minutes · 5 points",
    ),
    "a question without model answer": (
        "**Model answer.** Because",
        "Because",
        "# Because it is so.",
        'the solution of "attention.why" lacks a model answer or a rubric; begin with `**Model answer.** `, and '
        "end with `**Rubric**` and lines like `- 1 point: ...`",
    ),
    "a rubric with other points": (
        "# - 1 point: a *reason*",
        "# - 2 points: a *reason*",
        "# **Model answer.**",
        'the rubric of "attention.why" has 6 points, and its marker 5; change one of them',
    ),
    "a question without introduction": (
        "# **Question 1.3** · graded by hand · 8 minutes · 5 points",
        "# Think.",
        "# %% [markdown] written",
        'written "attention.why" isn\'t introduced; put this line in the text above it: '
        "**Question 1.3** · graded by hand · 10 minutes · 5 points",
    ),
    "an exercise number twice": (
        "**Exercise 1.2**",
        "**Exercise 1.1**",
        "# **Exercise 1.1** · difficulty 1",
        "1.1 is already on line 12; renumber one of them",
    ),
    "another lesson's number": (
        "**Exercise 1.2**",
        "**Exercise 2.2**",
        "# **Exercise 2.2",
        "this is lesson 1, so its exercises are 1.1, 1.2a and so on",
    ),
    "a syntax error": ("who = {\n", "who = {{\n", "who = {{", "syntax error: '{' was never closed"),
    "an unknown escape": (
        'print("a picture")',
        'print("a \\picture")',
        "print(",
        "syntax error: ",
    ),
    "a drawing that checks": (
        'print("a picture")',
        'print()\ncheck("attention.double", double)  # here',
        'check("attention.double", double)  # here',
        "the grader doesn't run draw cells, so they can't check; move the check to its own cell",
    ),
    "a check of another exercise": (
        'check("attention.who", who)',
        'check("attention.double", who)',
        '# %% check="attention.who"',
        'this cell should call `check("attention.who", ...)` once, with the id of its marker',
    ),
    "no title": (
        "# # 1 · Attention\n",
        "",
        "# %% [markdown]",
        "the lesson has no title; begin with a `# %% [markdown]` cell with the heading `# 1 · Attention`",
    ),
    "code above the first cell": (
        "# %% [markdown]\n# # 1",
        "x = 1\n# %% [markdown]\n# # 1",
        "x = 1",
        "there is text above the first cell; put `# %%` above it",
    ),
    "an empty cell": ("# %%\ndouble(3)\n", "# %%\n", "# %%", "this cell is empty; remove it"),
    "a formula's plus that would be a bullet": (
        "# Some prose.\n",
        "# Twice x is $x$\n# + $x$.\n",
        "# + $x$.",
        "this line of a sentence begins with `+` and would be shown as a list; break the line elsewhere, or",
    ),
    "a dash that would be a bullet": (
        "# Some prose.\n",
        "# Some prose (short)\n# - and more.\n",
        "# - and more.",
        "this line of a sentence begins with `-` and would be shown as a list",
    ),
    "a marker that is indented": (
        "# %%\ndouble(3)",
        "# %%\nif True:\n    # %%\n    double(3)",
        "# %%",
        "an indented `# %%` inside this cell splits it in two; remove it",
    ),
}


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return Course(tmp_path)


@pytest.mark.parametrize("name", MISCONCEPTIONS)
def test_a_mistake_stops_the_build(course: Course, capsys: pytest.CaptureFixture[str], name: str) -> None:
    old, new, place, message = MISCONCEPTIONS[name]
    course.edit(old, new)
    lines = (course.root / FILE).read_text(encoding="utf-8").split("\n")
    exact = [number for number, line in enumerate(lines, 1) if line == place]
    number = (exact or [number for number, line in enumerate(lines, 1) if line.startswith(place)])[0]
    assert course.build() == 1
    said = capsys.readouterr().err
    assert f"{FILE}:{number}: {message}" in said
    assert "Traceback" not in said
    assert not (course.root / "source").exists() and not (course.root / "release").exists()


@pytest.mark.parametrize(("old", "new"), {
    "code that is the lesson": (DRAW, '# %% draw="open"\ndef twice(x):\n' + 20 * "    x = 2 * x\n"),
    "a setting": (DRAW, "# %% draw=true\nTRAIN_ANEW = False\n" + 20 * "print()\n"),
    "sixteen lines with the comment": ('print("a picture")', "\n".join(15 * ["print()"])),
    "a long line of code": ('print("a picture")', f"print({80 * '1'})"),
    "a long comment in a solution": ("    return 2 * x  # the answer", f"    # {80 * 'x'}\n    return 2 * x"),
}.values())  # fmt: skip
def test_what_an_author_may_do(course: Course, old: str, new: str) -> None:
    course.edit(old, new)
    assert course.build() == 0


def test_a_slip_in_one_id_is_told_once(course: Course, capsys: pytest.CaptureFixture[str]) -> None:
    course.edit(
        'check="attention.who"\ncheck("attention.who"', 'check="attention.hwo"\ncheck("attention.hwo"'
    )
    assert course.build() == 1
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith(f'{FILE}:41: check "attention.hwo" has no exercise cell')
    assert said[1:] == ["headstart: 1 mistake, nothing built"]


def test_all_mistakes_are_told_at_once_from_top_to_bottom(
    course: Course, capsys: pytest.CaptureFixture[str]
) -> None:
    course.edit('print("a picture")', "print(")
    course.edit("difficulty 2 of 5", "difficulty 3 of 5")
    assert course.build() == 1
    places = [line.split(": ")[0] for line in capsys.readouterr().err.splitlines()]
    assert places == [f"{FILE}:12", f"{FILE}:27", "headstart"]


def test_a_spec_without_a_cell_is_a_mistake(course: Course, capsys: pytest.CaptureFixture[str]) -> None:
    course.specs["attention.more"] = Exercise("attention.more", "More", 1, lambda x: x, lambda g: [])
    assert course.build() == 1
    said = capsys.readouterr().err
    assert f'{FILE}:50: "attention.more" in exercises/attention/ has no cell' in said
    assert 'add `# %% exercise="attention.more"`' in said


def test_a_reference_that_raises_is_a_mistake(course: Course, capsys: pytest.CaptureFixture[str]) -> None:
    def raises(x: torch.Tensor) -> torch.Tensor:
        raise IndexError("out of range")

    course.specs["attention.double"] = Exercise(**{**vars(DOUBLE), "reference": raises})
    course.write("exercises/attention/double.py", '\n\nexercise = Entry(id="attention.double", ...)\n')
    assert course.build() == 1
    said = capsys.readouterr().err
    assert 'exercises/attention/double.py:3: the reference of "attention.double" on case' in said
    assert "raised IndexError out of range" in said


def test_needing_what_is_no_exercise_is_a_mistake(course: Course, capsys: pytest.CaptureFixture[str]) -> None:
    course.specs["attention.double"] = Exercise(**{**vars(DOUBLE), "needs": ("attention.how",)})
    assert course.build() == 1
    said = capsys.readouterr().err
    assert (
        '"attention.double" needs "attention.how", which is not an exercise; did you mean "attention.who"?'
        in said
    )


SLIP = (
    "from autograder.answers import slip; from tests.support.small_course import double; "
    'slip("tripled", double, ["4 * x → 3 * x"])'
)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("torhc.ones(2)", "NameError: "),
        ("x = (", "SyntaxError: "),
        ("import torhc", "ModuleNotFoundError: "),
        (SLIP, 'slip "tripled": `4 * x` isn\'t in the code of `double`; '),
    ],
)
def test_specs_that_cannot_be_imported_are_a_mistake(
    course: Course, capsys: pytest.CaptureFixture[str], text: str, told: str
) -> None:
    file = "exercises/attention/double.py"
    course.write(file, f'"""Double."""\n\n{text}\n')

    def load(topic: str) -> dict:
        path = course.root / file
        exec(compile(path.read_text(), path, "exec"), {})
        return {}

    assert build([], False, root=course.root, load=load) == 1
    assert f"{file}:3: {told}" in capsys.readouterr().err


def test_a_master_that_is_not_utf8_is_a_mistake(course: Course, capsys: pytest.CaptureFixture[str]) -> None:
    (course.root / FILE).write_bytes(b"# %% [markdown]\n# # 1 \xb7 Attention\n")
    assert course.build() == 1
    assert f"{FILE}:2: this isn't UTF-8 text" in capsys.readouterr().err


def test_a_mistake_in_one_lesson_stops_no_other(course: Course, capsys: pytest.CaptureFixture[str]) -> None:
    course.build()
    course.edit("Some prose.", "Other prose.")
    course.write("notebooks/02_complexity.py", "# %%\n)\n")
    assert course.build() == 1
    said = capsys.readouterr().err
    assert "notebooks/02_complexity.py:" in said and "mistakes, 02_complexity not built" in said
    assert "Other prose." in (course.root / "release" / NOTEBOOK).read_text(encoding="utf-8")
    assert not (course.root / "source/02_complexity").exists()
    assert course.build(check=True) == 1
    assert course.build("attention", check=True) == 0


def test_a_mistake_seen_in_the_release_stops_its_own_lesson_alone(course: Course) -> None:
    master = (course.root / FILE).read_text(encoding="utf-8").replace("attention.", "complexity.")
    course.write("notebooks/02_complexity.py", master.replace("1.", "2."))
    course.edit('"query": ...,', '"query": "y",')
    specs = {"attention": course.specs, "complexity": of_topic("complexity", course.specs)}
    assert build([], False, root=course.root, load=specs.__getitem__) == 1
    assert sorted(path.name for path in (course.root / "release").glob("*.zip")) == ["02_complexity.zip"]
    assert [path.name for path in (course.root / "source").iterdir()] == ["02_complexity"]


def of_topic(topic: str, specs: dict[str, Exercise]) -> dict[str, Exercise]:
    """The same exercises, in a different lesson."""
    move = lambda id: f"{topic}.{id.partition('.')[2]}"  # noqa: E731
    moved = [replace(each, id=move(each.id), needs=tuple(map(move, each.needs))) for each in specs.values()]
    return {each.id: each for each in moved}


@pytest.mark.parametrize("lesson", lessons.names())
def test_what_an_exercise_forbids_stands_in_its_text(lesson) -> None:
    """As students get it: after the exercise's task, before its cell, and nowhere else."""
    specs = exercises.load(lessons.topic(lesson))
    text = ""
    for cell in nbformat.read(lessons.release_path(lesson, lessons.ROOT), as_version=4).cells:
        text += cell.source if cell.cell_type == "markdown" else ""
        if lessons.kind(cell) == "exercise":
            forbidden = specs[lessons.exercise_of(cell)].forbidden
            said = text.rpartition("**Exercise ")[2]
            assert said.count("**\n\nWrite it without") == said.count("Write it without") == bool(forbidden)
            names = {name.rpartition(".")[2] for name in forbidden}
            assert all(f"`{name}`" in said for name in names if not name.startswith("_"))
            text = ""
    assert "Write it without" not in text

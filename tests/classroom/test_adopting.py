"""nbgrader notebooks of other courses as first specs: `headstart adopt`."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from autograder import lessons
from autograder.classroom.adopting.adopting import adopt, unlisted
from autograder.classroom.adopting.notebook import read
from autograder.classroom.adopting.running import only_values
from autograder.classroom.adopting.writing import narrowed
from autograder.courses import at
from tests.support.proved import PROJECT, follows_from

pytestmark = follows_from(*PROJECT)

ENGINE = Path(lessons.__file__).resolve().parents[1]
KINDS = {"solution": {"solution": True}, "test": {"grade": True, "points": 2}, "given": {}}
SOLUTION = "    ### BEGIN SOLUTION\n    {}\n    ### END SOLUTION"


def written(path, *cells, marked=True):
    """A notebook of cells `(kind, source)`."""
    made = []
    for number, (kind, source) in enumerate(cells):
        cell = v4.new_markdown_cell(source) if kind in ("prose", "written") else v4.new_code_cell(source)
        said = {"solution": True, "grade": True} if kind == "written" else KINDS.get(kind, {})
        if marked and kind != "prose":
            cell.metadata["nbgrader"] = {"grade_id": f"cell-{number}", "schema_version": 3, **said}
        made.append(cell)
    nbformat.write(v4.new_notebook(cells=made), path)
    return path


def solution(head, *lines):
    return "solution", f"{head}\n{SOLUTION.format(chr(10).join(lines).replace(chr(10), chr(10) + '    '))}"


CELLS = [
    ("prose", "## Part A\n\n**Exercise 1** TODO: read this."),
    ("given", "import random\nimport numpy as np\nRATE = 0.5\n\n\ndef helper(x):\n    return x * RATE"),
    solution("def damp(values):", "return [helper(v) for v in values]"),
    ("test", "for n in range(3):\n    assert damp([n, 2 * n]) == [n / 2, n]"),
    ("solution", "def total(values):\n    \"\"\"The sum of all that is damped, and a docstring that is wider than the page is.\"\"\"\n"
     + SOLUTION.format("return sum(damp(values))")),
    ("test", "import numpy as np\nnp.testing.assert_allclose(total([2, 4]), 3)\n### BEGIN HIDDEN TESTS\nassert total([]) == 0\n### END HIDDEN TESTS"),
    solution("def scaled(x, by=2):", "return x * by"),
    ("test", "assert scaled(np.array([0.0, 1.0]), by=0).sum() == 0"),
    solution("def lucky(n):", "return random.random() * n"),
    ("test", "assert lucky(3) <= 3"),
    solution("def root(x):", "if x < 0:\n    raise ValueError\nreturn x ** 0.5"),
    ("test", "assert root(4) == 2\ntry:\n    root(-1)\nexcept ValueError:\n    pass\nelse:\n    raise AssertionError"),
    solution("def hello(name):", "print('hello', name)"),
    ("test", "hello('x')"),
    solution("def apply(f, x):", "return f(x)"),
    ("test", "assert apply(abs, -1) == 1"),
    solution("def untested(x):", "return x"),
    ("solution", "answer = 42"),
    ("written", "because"),
    ("given", "open('data.csv').read()"),
]  # fmt: skip


@pytest.fixture
def course(tmp_path):
    folder = tmp_path / "course"
    for name in ("notebooks", "exercises", "helpers"):
        (folder / name).mkdir(parents=True)
    (folder / "course.toml").write_text('name = "Mine"\nlessons = []\npackages = ["numpy"]\n')
    return folder


@pytest.mark.needs_bubblewrap
def test_solutions_become_references_and_the_inputs_of_tests_cases(tmp_path, course):
    path = written(tmp_path / "Problem set 1.ipynb", *CELLS)
    lesson, adopted, lost, files = adopt(path, course)
    assert lesson == "01_problem_set_1" and lesson in at(course).lessons
    found = {each.name: each for each in adopted}
    assert [*found] == ["damp", "total", "scaled", "root"]
    assert {call.args for call in found["damp"].calls.values()} == {"[[0, 0]]", "[[1, 2]]", "[[2, 4]]"}
    assert {call.args for call in found["total"].calls.values()} == {
        "[[2, 4]]",
        "[[]]",
    }  # and no call of damp
    [call] = found["scaled"].calls.values()
    assert (call.args, call.kwargs) == ("[np.array([0.0, 1.0], dtype='float64')]", "{'by': 0}")
    assert "line 1: x, by=2 → x, by=3" in found["scaled"].passing  # since its only test says `by`
    assert found["damp"].passing == []
    told = {(each.number, each.text) for each in lost}
    for number, words in (
        (10, "it is another at each run"), (12, "it raises ValueError"), (14, "it returns nothing"),
        (16, "an argument is a builtins.builtin_function_or_method"), (17, "no test calls it"),
        (18, "defines no function"), (19, "an answer in words"), (20, "FileNotFoundError"),
    ):  # fmt: skip
        assert any(each == number and words in text for each, text in told), (number, words, told)
    text = (course / "exercises/problem_set_1/total.py").read_text()
    assert 'needs=("problem_set_1.damp",)' in text and "draft=True" in text
    page = (course / "exercises/problem_set_1/adopted.md").read_text()
    assert "- `line 1: x, by=2 → x, by=3`" in page and "an answer in words" in page
    assert all(path.is_file() for path in files)
    assert unlisted(files, ()) == ["numpy"] and unlisted(files, ("numpy",)) == []


@pytest.mark.needs_bubblewrap
def test_a_name_with_marks_keeps_its_letters_and_a_class_beside_a_function_is_listed(tmp_path, course):
    both = (
        "def f(x):\n    ### BEGIN SOLUTION\n    return x\n    ### END SOLUTION\n\n\nclass Account:\n    pass"
    )
    cells = [("solution", both), ("test", "assert f(1) == 1 and Account()")]
    lesson, [adopted], [lost], _ = adopt(written(tmp_path / "Übung 3 (é).ipynb", *cells), course)
    assert (lesson, adopted.name) == ("01_ubung_3_e", "f")
    assert (lost.number, "the class Account" in lost.text) == (1, True)


@pytest.mark.needs_bubblewrap
def test_what_is_adopted_builds_in_a_course_of_its_own(tmp_path, course):
    path = written(tmp_path / "ps1.ipynb", *CELLS[:8])
    environment = {**os.environ, "PYTHONPATH": str(ENGINE), "HOME": str(tmp_path), "OMP_NUM_THREADS": "1"}

    def headstart(*words):
        argv = [sys.executable, "-P", "-m", "autograder", "--course", str(course), *words]
        return subprocess.run(argv, cwd=tmp_path, env=environment, capture_output=True, text=True)

    done = headstart("adopt", str(path))
    assert done.returncode == 0, done.stderr
    assert "headstart: scaled (cell 7): 1 case." in done.stdout
    done = headstart("build", "01_ps1")
    assert done.returncode == 0, done.stderr
    assert "ps1.scaled is a draft" in done.stderr
    released = nbformat.read(course / "release/01_ps1/01_ps1.ipynb", 4)
    text = "\n".join(cell.source for cell in released.cells)
    assert "raise NotImplementedError" in text and "helper(v)" not in text and "assert" not in text


@pytest.mark.promise(60)
@pytest.mark.needs_bubblewrap
def test_a_notebook_runs_in_the_sandbox_alone(tmp_path, course):
    bait = tmp_path / "bait"
    reads = f"import pathlib\npathlib.Path({str(bait)!r}).write_text('ran')"
    cells = [
        ("given", reads),
        solution("def f(x):", f"open({str(bait)!r}, 'w')", "return x"),
        ("test", "f(1)"),
    ]
    with pytest.raises(LookupError, match="no function that its tests call"):
        adopt(written(tmp_path / "ps.ipynb", *cells), course)
    assert not bait.exists()
    assert not [*course.glob("notebooks/*")]


@pytest.mark.needs_bubblewrap
def test_a_mutant_that_loops_costs_a_second_and_no_more(tmp_path, course):
    loops = solution("def count(n):", "while n > 0:\n    n = n - 1\nreturn n")
    _, [adopted], _, _ = adopt(
        written(tmp_path / "ps.ipynb", loops, ("test", "assert count(3) == 0")), course
    )
    assert adopted.mutants > 5 and len(adopted.passing) < adopted.mutants


def test_cells_are_told_apart_without_nbgraders_metadata(tmp_path):
    cells = [
        ("given", "x = 1"),
        solution("def f(x):", "return x"),
        ("given", "assert f(1) == 1"),
        ("given", "f(1)"),
    ]
    source = read(written(tmp_path / "ps.ipynb", *cells, marked=False))
    assert [part.kind for part in source.parts] == ["given", "solution", "test", "given"]


@pytest.mark.parametrize("cells", [[("given", "x = 1")], []])
def test_a_notebook_without_a_solution_is_refused(tmp_path, cells):
    with pytest.raises(LookupError, match="has no solution"):
        read(written(tmp_path / "ps.ipynb", *cells))
    (tmp_path / "no.ipynb").write_text("{}")
    with pytest.raises(LookupError, match="no notebook"):
        read(tmp_path / "no.ipynb")


@pytest.mark.parametrize(
    "code",
    ["[1, (2.5, 'a'), {'b': {1, -2}}]", "torch.tensor([1.0], dtype=torch.float32)", "np.array([], dtype='int64').reshape(0, 2)",
     "np.float64(2.0)", "pd.Series([1], dtype='int64')", "[inf, nan, 1 + 2j]"],
)  # fmt: skip
def test_values_are_read(code):
    assert only_values(code) == code


@pytest.mark.parametrize(
    "code",
    ["__import__('os').system('x')", "open('x')", "np.load('x')", "torch.load('x')", "(lambda: 1)()", "[x for x in [1]]",
     "np.array.__globals__", "pd.read_pickle('x')", "f'{1}'", "a", "torch.tensor([1]).numpy()", "1; 2"],
)  # fmt: skip
def test_what_does_more_than_make_a_value_is_refused(code):
    with pytest.raises((ValueError, SyntaxError)):
        only_values(code)


def test_docstrings_and_comments_are_broken_where_a_page_ends():
    wide = "word " * 20
    code = f'def f(x):\n    """{wide}"""\n    # {wide}\n    return "{wide}"'
    lines = narrowed(code).split("\n")
    assert max(map(len, lines[:-1])) <= 72 and lines[-1] == f'    return "{wide}"'

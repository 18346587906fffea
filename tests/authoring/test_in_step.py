"""What is built in source/ and committed in release/ is what the masters say, and what nbgrader would make."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbgrader.nbgraderformat import MetadataValidator

from autograder import lessons
from autograder.authoring import trees
from autograder.authoring.master import Cell, read_master
from autograder.authoring.review import solution_lines
from autograder.lessons import ROOT
from tests.support.small_course import LESSON, NOTEBOOK, Course


def test_source_and_release_are_in_step_with_the_masters(built: dict[str, bytes]) -> None:
    found = trees.differences(lessons.names(), built, ROOT)
    committed = {
        path: what
        for path, what in found.items()
        if "helpers" not in Path(path).parts and path[-4:] != ".zip"
    }
    assert not committed, f"{committed}\nto fix: headstart build"


@pytest.mark.promise(55)
@pytest.mark.parametrize("lesson", lessons.names())
def test_no_released_file_holds_a_solution(lesson: str, built: dict[str, bytes]) -> None:
    cells, _ = read_master(lessons.master_path(lesson), lesson)
    secret = {line.strip() for cell in cells for line in solution_lines(cell)}
    given = {line.strip() for cell in cells for line in set(_texts(cell)) - set(solution_lines(cell))}
    telling = {line for line in secret - given if len(line) > 8 and not line.endswith("{")}
    notebook = nbformat.reads(built[f"release/{lesson}/{lesson}.ipynb"].decode(), as_version=4)
    released = {line.strip() for cell in notebook.cells for line in cell.source.split("\n")}
    assert not telling & released
    for path, content in built.items():
        if path.startswith(f"release/{lesson}/"):
            assert b"BEGIN SOLUTION" not in content and b"END SOLUTION" not in content


def _texts(cell: Cell) -> list[str]:
    return [text for _, text in cell.lines]


@pytest.mark.parametrize("lesson", lessons.names())
@pytest.mark.parametrize("tree", ["source", "release"])
def test_notebooks_are_valid_and_have_no_outputs(lesson: str, tree: str, built: dict[str, bytes]) -> None:
    notebook = nbformat.reads(built[f"{tree}/{lesson}/{lesson}.ipynb"].decode(), as_version=4)
    nbformat.validate(notebook)
    MetadataValidator().validate_nb(notebook)
    for cell in notebook.cells:
        assert not cell.get("outputs") and cell.get("execution_count") is None


def test_nbgraders_own_command_makes_the_same_release(tmp_path: Path) -> None:
    course = Course(tmp_path)
    course.build()
    ours = (course.root / "release" / NOTEBOOK).read_bytes()
    shutil.copy(ROOT / "nbgrader_config.py", course.root)
    command = [sys.executable, "-m", "nbgrader", "generate_assignment", LESSON, "--force"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(course.root), "PATH": os.defpath}
    done = subprocess.run(
        command, cwd=course.root, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (course.root / "gradebook.db").exists()
    assert (course.root / "release" / NOTEBOOK).read_bytes() == ours
    assert course.build(check=True) == 0

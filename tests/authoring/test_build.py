"""The authoring chain: masters -> source -> release."""

import json
import re
import shutil
from pathlib import Path

import nbformat
import pytest
from nbgrader.nbgraderformat import MetadataValidator

from autograder import lessons
from autograder.authoring.build import build, make
from autograder.authoring.master import read_master
from autograder.authoring.source import alike, cell_ids
from autograder.courses import ENGINE_HELPERS
from tests.support.small_course import LESSON, NOTEBOOK, Course, by_kind


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return Course(tmp_path)


# -- what is built ---------------------------------------------------------------------------------------


def test_source_carries_nbgraders_metadata(course: Course) -> None:
    assert course.build() == 0
    notebook = course.notebook("source")
    nbformat.validate(notebook)
    MetadataValidator().validate_nb(notebook)
    cells = by_kind(notebook)
    flags = {
        name: {key: cell.metadata.nbgrader[key] for key in ("grade", "solution", "locked")}
        for name, cell in cells.items()
        if "nbgrader" in cell.metadata
    }
    assert flags == {
        "setup": {"grade": False, "solution": False, "locked": True},
        "exercise attention.double": {"grade": False, "solution": True, "locked": False},
        "check attention.double": {"grade": True, "solution": False, "locked": True},
        "exercise attention.who": {"grade": False, "solution": True, "locked": False},
        "check attention.who": {"grade": True, "solution": False, "locked": True},
        "written attention.why": {"grade": True, "solution": True, "locked": False},
    }
    points = {n: c.metadata.nbgrader.get("points") for n, c in cells.items() if "nbgrader" in c.metadata}
    assert [points[name] for name in points if points[name]] == [3, 1, 5]
    assert cells["draw"].metadata.tags == ["draw"]
    assert cells["draw"].metadata.jupyter == {"source_hidden": True}
    assert cells["given"].metadata == {} and cells["prose"].metadata == {}
    assert notebook.metadata.kernelspec.name == "python3"
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)


@pytest.mark.parametrize("open_code", ['"open"\ndef twice(x):', "true\nTRAIN_ANEW = False\ndef twice(x):"])
def test_what_students_read_or_set_is_not_folded(course: Course, open_code: str) -> None:
    course.edit("# %% draw=true\n# What twice x looks like", f"# %% draw={open_code}\n    return 2 * x\n")
    course.build()
    metadata = by_kind(course.notebook("source"))["draw"].metadata
    assert metadata.tags == ["draw"] and "jupyter" not in metadata


def test_release_has_stubs_and_nothing_of_the_solutions(course: Course) -> None:
    course.build()
    notebook = course.notebook("release")
    nbformat.validate(notebook)
    MetadataValidator().validate_nb(notebook)
    cells = by_kind(notebook)
    stub = '"""Return twice x."""\n    # YOUR CODE HERE\n    raise NotImplementedError()'
    assert cells["exercise attention.double"].source.endswith(stub)
    assert cells["exercise attention.who"].source == 'who = {\n    "query": ...,  # "x" or "y"\n}'
    assert cells["written attention.why"].source == "YOUR ANSWER HERE"
    text = (course.root / "release" / NOTEBOOK).read_text(encoding="utf-8")
    assert "the answer" not in text and "Because it is so" not in text and "SOLUTION" not in text
    assert not cells["check attention.double"].metadata.editable


def test_checks_hold_the_heading_the_needs_and_the_misconceptions(course: Course) -> None:
    course.build()
    text = (course.root / "release" / LESSON / "checks.json").read_text(encoding="utf-8")
    assert text == (course.root / "source" / LESSON / "checks.json").read_text(encoding="utf-8")
    checks = json.loads(text)
    assert list(checks) == ["attention.double", "attention.who"]
    assert checks["attention.double"]["look_at"] == "1.1 Twice as much"
    assert checks["attention.who"]["needs"] == {"attention.double": "Double"}
    assert checks["attention.double"]["misconceptions"][0]["sentence"] == "Squared, not doubled."
    assert max(text.split("\n"), key=len).lstrip().startswith('{"')  # a case a line


def test_a_lesson_carries_the_helpers_of_earlier_lessons_only(course: Course) -> None:
    course.write(
        "course.toml",
        'name = "Small"\npackages = ["torch"]\n[opens]\n"shared" = "attention"\n"later.py" = "complexity"\n',
    )
    for name in ("start_here/page", "shared/one", "later"):
        course.write(f"helpers/{name}.py", "")
    course.write("notebooks/00_start_here.py", "# %% [markdown]\n# # 0 · Start here\n")
    course.write(
        "notebooks/05_complexity.py", "# %% [markdown]\n# # 2 · Complexity\n# **Time** {minutes} minutes\n"
    )
    specs = course.specs
    load = lambda topic: specs if topic == "attention" else {}  # noqa: E731
    assert build([], False, root=course.root, load=load) == 0
    for tree in ("source", "release"):
        carried = {
            lesson: sorted(
                path.relative_to(course.root / tree / lesson / "helpers").as_posix()
                for path in (course.root / tree / lesson / "helpers").rglob("*.*")
                if path.relative_to(course.root / tree / lesson / "helpers").parts[0] not in ENGINE_HELPERS
            )
            for lesson in ("00_start_here", "01_attention", "05_complexity")
        }
        for lesson in carried:
            assert (course.root / tree / lesson / "helpers/checks.py").is_file()
        common = ["shared/one.py", "start_here/page.py"]
        earlier = [f"attention/{name}.py" for name in ("__init__", "explorers", "reference")]
        assert carried == {
            "00_start_here": ["start_here/page.py"],
            "01_attention": ["attention/explorers.py", "attention/revealed.json", *common],
            "05_complexity": [*earlier, "later.py", *common],
        }


@pytest.mark.parametrize("stray", ["beam.py", "translation.py", "beams/search.py", "models/beam.py"])
def test_a_helper_of_which_nothing_says_when_it_opens_stops_the_build(course: Course, capsys, stray) -> None:
    course.write(f"helpers/{stray}", "")
    assert course.build() != 0
    said = capsys.readouterr().err
    assert f"nothing says with which lesson helpers/{stray} opens" in said
    assert "move it into the folder of its lesson" in said and "[opens] of course.toml" in said
    assert ("for a new lesson, call `headstart new lesson beams`" in said) == (stray == "beams/search.py")
    assert not (course.root / "source").exists()


def test_ids_are_stable_readable_and_unique(course: Course) -> None:
    cells, _ = read_master(course.root / "notebooks/01_attention.py", "")
    before = cell_ids(cells)
    assert before == [
        "attention", "setup", "twice-as-much", "attention-double-answer", "attention-double",
        "twice-as-much-draw", "who-is-who", "attention-who-answer", "attention-who", "who-is-who-code",
        "who-is-who-2", "attention-why",
    ]  # fmt: skip
    course.edit("# %% draw=true", "# %% [markdown]\n# More.\n\n# %% draw=true")
    course.edit("# ## 1.1 Twice", "# ## 1.7 Twice")
    cells, _ = read_master(course.root / "notebooks/01_attention.py", "")
    after = cell_ids(cells)
    assert [name for name in after if name not in before] == ["twice-as-much-2"]
    assert len(set(after)) == len(after)
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in after)


def test_a_long_heading_is_cut_between_words(course: Course) -> None:
    course.edit("1.1 Twice as much", "1.1 Twice as much as there was in the beginning of it all")
    cells, _ = read_master(course.root / "notebooks/01_attention.py", "")
    assert cell_ids(cells)[2] == "twice-as-much-as-there-was-in-the"


def test_a_heading_that_is_called_like_an_exercise_gets_another_id(course: Course) -> None:
    course.edit("## 1.2 Who is who", "## 1.2 Attention why")
    cells, _ = read_master(course.root / "notebooks/01_attention.py", "")
    names = cell_ids(cells)
    assert names.count("attention-why") == 1 and names[-1] == "attention-why"
    assert len(set(names)) == len(names)


def test_a_comment_in_a_code_block_is_no_heading(course: Course) -> None:
    course.edit("# Some prose.\n", "# ```python\n# # not a heading\n# ```\n")
    course.build()
    checks = json.loads((course.root / "source" / LESSON / "checks.json").read_text(encoding="utf-8"))
    assert checks["attention.double"]["look_at"] == "1.1 Twice as much"


def test_grade_ids_have_no_dots() -> None:
    assert lessons.grade_id("attention.scaled_dot") == "attention-scaled_dot"


@pytest.mark.parametrize(
    "name", ["1", "01", "attention", LESSON, "notebooks/01_attention.py", "source/01_attention/"]
)
def test_a_lesson_goes_by_many_names(course: Course, name: str) -> None:
    assert lessons.find(name, course.root) == LESSON


def test_a_wrong_lesson_name_is_answered_with_the_right_one(
    course: Course, capsys: pytest.CaptureFixture
) -> None:
    assert course.build("01_atention") == 1
    assert "did you mean 01_attention?" in capsys.readouterr().err


# -- building again --------------------------------------------------------------------------------------


def test_building_twice_touches_no_file(course: Course) -> None:
    course.build()
    before = course.files()
    assert course.build() == 0
    assert course.files() == before
    assert course.build(check=True) == 0
    assert course.files() == before


def test_another_folder_and_order_give_the_same_bytes(course: Course, tmp_path: Path) -> None:
    first = make([LESSON], _folder(tmp_path / "a"), root=course.root, load=lambda topic: course.specs)
    second = make([LESSON], _folder(tmp_path / "b"), root=course.root, load=lambda topic: course.specs)
    assert first == second


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


def test_check_names_what_differs_and_the_command_that_mends_it(
    course: Course, capsys: pytest.CaptureFixture
) -> None:
    course.build()
    course.edit("Some prose.", "Other prose.")
    capsys.readouterr()
    before = course.files()
    assert course.build(check=True) == 1
    assert course.files() == before
    said = capsys.readouterr().err
    assert f"source/{NOTEBOOK} is out of date\nrelease/{NOTEBOOK} is out of date" in _sorted_lines(said)
    assert "to fix: headstart build 01_attention" in said
    assert course.build() == 0
    assert course.build(check=True) == 0


def _sorted_lines(text: str) -> str:
    return "\n".join(sorted(text.split("\n"), reverse=True))


@pytest.mark.parametrize("path", [f"release/{NOTEBOOK}", f"release/{LESSON}/checks.json"])
def test_check_misses_no_file(course: Course, capsys: pytest.CaptureFixture, path: str) -> None:
    course.build()
    (course.root / path).unlink()
    assert course.build(check=True) == 1
    assert f"{path} is missing" in capsys.readouterr().err


def test_check_takes_a_fresh_clone_which_has_only_what_git_keeps(
    course: Course, capsys: pytest.CaptureFixture[str]
) -> None:
    course.build()
    copy, kept = (course.root / tree / LESSON / "checks.json" for tree in ("source", "release"))
    shutil.rmtree(course.root / "source")
    shutil.rmtree(kept.parent / "helpers")
    assert course.build(check=True) == 0
    course.build()
    assert copy.read_bytes() == kept.read_bytes()
    copy.write_bytes(b"{}")
    assert course.build(check=True) == 1
    course.build()
    course.write("helpers/attention/explorers.py", "changed = True\n")
    assert course.build(check=True) == 1
    assert f"release/{LESSON}/helpers is a copy of older helpers" in capsys.readouterr().err


def test_check_finds_a_folder_without_a_master(course: Course, capsys: pytest.CaptureFixture) -> None:
    course.build()
    course.write("source/02_gone/02_gone.ipynb", "{}")
    assert course.build(check=True) == 1
    assert "source/02_gone has no master" in capsys.readouterr().err


def test_a_helper_that_a_lesson_no_longer_carries_is_removed(course: Course) -> None:
    course.build()
    (course.root / "helpers/attention/explorers.py").unlink()
    assert course.build(check=True) == 1
    assert course.build() == 0
    assert not (course.root / f"source/{LESSON}/helpers/attention/explorers.py").exists()
    assert not (course.root / f"release/{LESSON}/helpers/attention/explorers.py").exists()


def test_files_of_a_student_stay(course: Course) -> None:
    course.build()
    course.write(f"release/{LESSON}/notes.txt", "mine")
    course.write(f"release/{LESSON}/helpers/mine.py", "mine = 1")
    course.edit("Some prose.", "Other prose.")
    course.build()
    assert (course.root / f"release/{LESSON}/notes.txt").exists()
    assert (course.root / f"release/{LESSON}/helpers/mine.py").exists()
    assert course.build(check=True) == 0


def test_a_released_notebook_with_answers_in_it_is_kept(
    course: Course, capsys: pytest.CaptureFixture
) -> None:
    course.build()
    path = course.root / "release" / NOTEBOOK
    notebook = course.notebook("release")
    by_kind(notebook)["exercise attention.double"].source = "def double(x):\n    return x + x"
    nbformat.write(notebook, path)
    theirs = path.read_bytes()
    course.edit("Some prose.", "Other prose.")
    capsys.readouterr()
    assert course.build() == 0
    assert path.read_bytes() == theirs
    assert f"release/{NOTEBOOK} has answers in it" in capsys.readouterr().err
    assert course.build(check=True) == 1
    path.unlink()
    assert course.build() == 0
    assert course.build(check=True) == 0


def test_outputs_alone_are_no_answers(course: Course) -> None:
    course.build()
    notebook = course.notebook("release")
    by_kind(notebook)["given"].outputs = [nbformat.v4.new_output("stream", text="6")]
    nbformat.write(notebook, course.root / "release" / NOTEBOOK)
    assert course.build(check=True) == 1
    assert course.build() == 0
    assert course.build(check=True) == 0


def test_numbers_that_another_processor_rounds_differently_are_left_alone(course: Course) -> None:
    course.build()
    path = course.root / "release" / LESSON / "checks.json"
    checks = json.loads(path.read_text(encoding="utf-8"))
    text = path.read_text(encoding="utf-8")
    number = repr(checks["attention.double"]["cases"][0]["args"][0]["data"][0])
    rounded = text.replace(number, repr(float(number) * (1 + 1e-7)))
    assert rounded != text
    for tree in ("source", "release"):
        (course.root / tree / LESSON / "checks.json").write_bytes(rounded.encode())
    (course.root / "release" / f"{LESSON}.zip").unlink()  # git has none
    assert course.build(check=True) == 0
    course.build()
    assert path.read_bytes() == rounded.encode()
    path.write_bytes(text.replace(number, repr(float(number) * 1.01)).encode())
    assert course.build(check=True) == 1
    course.build()
    assert path.read_bytes() == text.encode()


def test_alike_takes_nothing_else_for_the_same() -> None:
    tensor = {"$tensor": "float32", "shape": [2], "data": [1.0, float("nan")]}
    assert alike({"a": [tensor, "x", 3, 0.5, None]}, {"a": [dict(tensor), "x", 3, 0.5 + 1e-9, None]})
    assert not alike(tensor, {**tensor, "$tensor": "float64"})
    known = {"name": "late", "gives": "= aaaaaa+1.2345678"}
    assert alike(known, {**known, "gives": "= aaaaaa+1.2345699"})
    assert not alike(known, {**known, "gives": "= aaaaaa+1.3345678"})
    assert not alike(known, {**known, "name": "early"})
    assert not alike({"a": 1}, {"a": True})
    assert not alike({"points": 3}, {"points": 4})
    assert not alike({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert not alike([1], [1, 2])

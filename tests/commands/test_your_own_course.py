"""A course made as docs/your-own-course.md says, and the example course, from the build to a student's feedback."""

import html
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from autograder.courses import ENGINE, VARIABLE
from tests.support.proved import follows_from

PAGE = (ENGINE / "docs/your-own-course.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
EXAMPLE = ENGINE / "examples/foundations"
MADE_OF = ("autograder", "headstart", "helpers/*.py", "helpers/checking", "helpers/figures")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user who has named no course yet."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def call(command: str, cwd: Path) -> str:
    done = subprocess.run(
        shlex.split(command), cwd=cwd, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@follows_from(*MADE_OF, "docs/your-own-course.md")
@pytest.mark.needs_bubblewrap
def test_each_command_of_the_page_does_what_it_says(home: Path) -> None:
    """In order, in a new user's folder; the exercises and their cells are put where the page says."""
    written = iter([text for language, text in BLOCKS if language == "python"])
    said, cwd = {}, home
    for line in "".join(text for language, text in BLOCKS if not language).splitlines():
        if line.startswith("cd "):
            cwd /= line.removeprefix("cd ")
            continue
        said[line] = call(line, cwd)
        if line.startswith("headstart new exercise"):
            exercise, cells = next(written), next(written)
            (cwd / f"exercises/averages/{line.split()[-1]}.py").write_text(exercise)
            master = cwd / "notebooks/01_averages.py"
            heading = "\n".join(cells.split("\n")[:2])[: len("# %% [markdown]\n# ## 1.2")]
            before, skeleton, _ = master.read_text().partition(f"\n\n{heading}")
            assert skeleton
            master.write_text(f"{before}\n\n{cells}")
    assert not list(written)
    assert "12" in said["headstart report 01"] or "13" in said["headstart report 01"]
    assert "2 passed" in said["python -m pytest"]
    assert list((cwd / "feedback/ada/01_averages").glob("*.html"))
    assert (cwd / "reports/01_averages.html").is_file() and (cwd / "release/01_averages.zip").is_file()


def solve(course: Path, lesson: str, student: str, changes: dict[str, str]) -> None:
    """Hand in the right answers, with pieces of them replaced."""
    notebook = nbformat.read(course / "source" / lesson / f"{lesson}.ipynb", as_version=4)
    for cell in notebook.cells:
        for old, new in changes.items():
            cell.source = cell.source.replace(old, new)
    folder = course / "submitted" / student / lesson
    folder.mkdir(parents=True)
    nbformat.write(notebook, folder / f"{lesson}.ipynb")


WRONG = {
    "01_softmax": (
        "scores - scores.max(axis=-1, keepdims=True)",
        "scores",
        "The largest score isn't subtracted",
    ),
    "04_parsing": ('line.partition("=")', 'line.rpartition("=")', "The line is cut at its last ="),
}


@follows_from(*MADE_OF)
@pytest.mark.needs_bubblewrap
def test_an_archived_term_is_judged_by_the_course_as_it_was(home: Path) -> None:
    call("headstart new course signals", home)
    course, old = home / "signals", home / "old terms" / "2026"
    call("headstart build", course)
    call("headstart simulate 01 --students 1 --calm", course)
    call("headstart grade 01 --workers 1", course)
    question = "headstart explain 01 student001 1.1"
    before = call(question, course)
    assert "averages.median" in before
    assert "course.toml" in call("headstart archive '../old terms/2026' --yes", course)
    (course / "exercises" / "averages" / "median.py").unlink()  # next year's course has another
    assert call(question, old) == before
    assert "0 graded, 1 as before" in call("headstart grade 01 --workers 1", old)


@follows_from(*MADE_OF)
@pytest.mark.needs_bubblewrap
def test_nobody_is_judged_by_a_reference_that_was_changed_and_not_built(home: Path) -> None:
    """The check that students have and the hidden cases would say different things of the same answer."""
    call("headstart new course signals", home)
    course = home / "signals"
    call("headstart build", course)
    call("headstart simulate 01 --students 2 --calm", course)
    exercise = course / "exercises/averages/median.py"
    exercise.write_text(exercise.read_text().replace("        return ordered[half]\n", "        return 0\n"))
    for command in ("headstart build", "headstart grade 01 --workers 1"):
        done = subprocess.run(shlex.split(command), cwd=course, capture_output=True, text=True)
        assert done.returncode, command
    assert "averages.median: its reference fails the check that students have" in done.stderr
    assert "call `headstart build averages`" in done.stderr
    exercise.write_text(exercise.read_text().replace("        return 0\n", "        return ordered[half]\n"))
    assert "2 graded" in call("headstart grade 01 --workers 1", course)


@follows_from(*MADE_OF, "examples")
@pytest.mark.needs_bubblewrap
def test_the_example_course_goes_from_the_build_to_feedback(home: Path) -> None:
    course = home / "foundations"
    shutil.copytree(EXAMPLE, course, ignore=shutil.ignore_patterns("source", "submitted", "gradebook.db"))
    assert "4 lessons" in call(f"headstart --course {course} build", home)
    for lesson, (old, new, sentence) in WRONG.items():
        solve(course, lesson, "ada", {})
        solve(course, lesson, "bob", {old: new})
        assert "2 graded" in call(f"headstart --course {course} grade {lesson}", home)
        call(f"nbgrader generate_feedback {lesson} --course-dir={course}", home)
        pages = {name: course / "feedback" / name / lesson / f"{lesson}.html" for name in ("ada", "bob")}
        texts = {name: html.unescape(page.read_text(encoding="utf-8")) for name, page in pages.items()}
        assert sentence in texts["bob"] and sentence not in texts["ada"]


def test_the_example_is_as_it_was_built() -> None:
    """What students get is in step with the exercises, each of which has been tried as it is."""
    done = subprocess.run(
        [sys.executable, "-m", "autograder", "--course", str(EXAMPLE), "build", "--check"],
        cwd=ENGINE, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_it_imports_no_torch() -> None:
    code = "import sys; from autograder.exercises import load; load('softmax'); print('torch' in sys.modules)"
    env = {**os.environ, VARIABLE: str(EXAMPLE)}
    assert subprocess.check_output([sys.executable, "-c", code], env=env, cwd=ENGINE, text=True) == "False\n"

"""Which course a command works on, and that a course is executed only for those who have named it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograder import courses
from autograder.courses import ENGINE, Course, at, find, remember

HEADSTART = Path(sys.executable).parent / "headstart"
TRACE = "open({path!r}, 'a').write(__name__ + chr(10))\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.fixture
def bait(tmp_path: Path, home: Path) -> Path:
    """A course as a stranger may hand it in, each file of which would leave a trace if it were executed."""
    folder = tmp_path / "bait"
    for place in (
        "exercises/__init__.py", "exercises/start/__init__.py", "exercises/start/first.py",
        "helpers/start/__init__.py", "helpers/start/kernel.py", "helpers/start/recipes.py",
        "nbgrader_config.py", "headstart/__init__.py", "autograder/__init__.py",
    ):  # fmt: skip
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(TRACE.format(path=str(tmp_path / "executed")))
    (folder / "course.toml").write_text('name = "Bait"\n')
    (folder / "notebooks").mkdir()
    (folder / "notebooks/01_start.py").write_text(
        "# %% [markdown]\n# # 1 · Start\n# **Time** {minutes} minutes\n"
    )
    (folder / "inner").mkdir()
    return folder


def call(*words: object, cwd: Path) -> subprocess.CompletedProcess:
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", courses.VARIABLE)}
    command = [str(word) for word in (HEADSTART, *words)]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL)


@pytest.mark.promise(59)
@pytest.mark.parametrize("inner", [".", "inner"])
def test_a_course_that_nobody_named_is_not_executed(bait: Path, inner: str) -> None:
    for words in (
        "build",
        "new lesson x",
        "new exercise 01 x",
        "grade 01",
        "report",
        "lab --version",
        "doctor",
    ):
        done = call(*words.split(), cwd=bait / inner)
        assert not (bait.parent / "executed").exists(), words
        assert done.returncode == 2 and f"headstart --course {bait} COMMAND" in done.stderr, done.stderr


@pytest.mark.promise(59)
def test_once_it_is_named_commands_called_inside_of_it_find_it(bait: Path) -> None:
    """So the test above can fail: what lies there is executed."""
    assert call("--course", bait, "build", cwd=bait.parent).returncode == 0
    assert "exercises.start.first" in (bait.parent / "executed").read_text()
    (bait.parent / "executed").unlink()
    assert call("build", cwd=bait / "inner").returncode == 0
    assert "exercises.start.first" in (bait.parent / "executed").read_text()


def test_the_nearest_course_around_a_folder_is_found_if_it_is_known(tmp_path: Path, home: Path) -> None:
    outer, inner = tmp_path / "outer", tmp_path / "outer/submitted/eve"
    inner.mkdir(parents=True)
    (outer / "course.toml").write_text('name = "Outer"\n')
    assert find(home) is None
    with pytest.raises(LookupError, match="you haven't named that course before"):
        find(inner)
    assert find(outer, named=True) == outer
    with pytest.raises(LookupError):  # naming a folder in it is something else
        find(inner, named=True)
    remember(outer)
    remember(outer)
    assert find(inner) == find(outer) == outer
    (inner / "course.toml").write_text('name = "Outer"\n')
    with pytest.raises(LookupError, match=r"submitted/eve has a course\.toml"):
        find(inner)
    assert find(ENGINE / "docs") == ENGINE
    assert (home / ".headstart/courses").read_text() == f"{outer}\n"


def test_a_named_folder_without_a_course_is_refused(tmp_path: Path, home: Path) -> None:
    done = call("--course", tmp_path, "build", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{tmp_path} has no course.toml; `headstart new course NAME` makes a course" in done.stderr
    assert not (home / ".headstart").exists()


def test_commands_for_what_headstarts_lessons_make_say_so_in_another_course(
    tmp_path: Path, home: Path
) -> None:
    (tmp_path / "course.toml").write_text('name = "Signals"\n')
    for words in ("share", f"proof x.html {tmp_path}"):
        done = call("--course", tmp_path, *words.split(), cwd=tmp_path)
        assert done.returncode == 2 and "Headstart's own lessons make, not for Signals" in done.stderr


def test_a_course_says_its_name_its_lessons_and_when_helpers_open(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text(
        'name = "Signals"\nlessons = ["01_sampling", "03_filters"]\npackages = ["numpy"]\n'
        '[opens]\n"plots.py" = "filters"\n'
    )
    course = at(tmp_path)
    assert (course.name, course.topics, course.packages) == ("Signals", ("sampling", "filters"), ("numpy",))
    assert course.numbers == {"sampling": 1, "filters": 3} and course.opens == {"plots.py": "filters"}
    assert not course.is_engines and at(ENGINE).is_engines


def test_without_a_list_the_lessons_are_those_that_have_a_master(tmp_path: Path) -> None:
    (tmp_path / "notebooks").mkdir()
    for name in ("02_filters.py", "01_sampling.py", "draft.py"):
        (tmp_path / "notebooks" / name).touch()
    assert at(tmp_path) == Course(tmp_path, tmp_path.name, ("01_sampling", "02_filters"))
    (tmp_path / "course.toml").write_text('name = "Signals"\nlessons = ["01_sampling"]\n')
    assert at(tmp_path).lessons == ("01_sampling",)  # the other is a draft


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name = Signals", "can't be read"),
        ("lessons = []", 'it says no name; add a line such as name = "Signals"'),
        ('name = "S"\nlesson = []', "there is no key 'lesson'"),
        (
            'name = "S"\neach_lesson_shows = ["songs"]',
            "each_lesson_shows has 'songs'; choose from drawings, explorers",
        ),
        ('name = "S"\nlessons = "01_a"', "lessons isn't a list of texts"),
        ('name = "S"\nlessons = [1]', "lessons isn't a list of texts"),
        ('name = "S"\nlessons = ["sampling"]', "'sampling' can't be a lesson's name"),
        ('name = "S"\nlessons = ["../../01_a"]', "can't be a lesson's name"),
        ('name = "S"\nlessons = ["02_a", "01_b"]', "aren't in the order of their numbers"),
        ('name = "S"\nlessons = ["01_a", "01_b"]', "give each a number of its own"),
        ('name = "S"\nlessons = ["01_a", "02_a"]', "two lessons are called a"),
        ('name = "S"\nlessons = ["01_a"]\n[opens]\n"x.py" = "b"', "'x.py' = 'b', which is no lesson's topic"),
    ],
)
def test_what_is_wrong_with_a_course_toml_is_said(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "course.toml").write_text(text)
    with pytest.raises(LookupError) as error:
        at(tmp_path)
    assert said in str(error.value) and str(tmp_path / "course.toml") in str(error.value)

"""A new lesson or exercise begins with a skeleton, and the build lists what is left to write in it."""

import re
import shutil
from pathlib import Path

import pytest

from autograder.authoring import starting
from autograder.authoring.starting import new_exercise, new_lesson
from autograder.commands import cli
from autograder.lessons import ROOT
from tests.support.small_course import LESSON, Course, exercise_in

README = "| lesson | exercises |\n| --- | --- |\n| 01 Attention | 2 | 0 | 20 | What? |\n\nMore.\n"
EXERCISE, MASTER = "exercises/attention/triple.py", f"notebooks/{LESSON}.py"


@pytest.fixture
def course(tmp_path: Path) -> Course:
    course = Course(tmp_path)
    course.write("README.md", README)
    return course


def todos(course: Course, *names: str) -> list[str]:
    """Where the TODOs of some files are, as the build names places."""
    return [
        f"{name}:{number}: still to be written: "
        for name in names
        for number, line in enumerate((course.root / name).read_text().split("\n"), 1)
        if "TODO" in line
    ]


def finish(course: Course, *names: str) -> None:
    """Put something in the place of each TODO."""
    for name in names:
        text = (course.root / name).read_text()
        course.write(name, re.sub(r"TODO: (.)", lambda found: found[1].upper(), text))


def test_a_new_lesson_follows_the_last_one(course):
    lesson, changed = new_lesson("beam_search", course.root)
    assert lesson == "02_beam_search"
    files = ["notebooks/02_beam_search.py", "exercises/beam_search/__init__.py", "README.md"]
    assert [path.relative_to(course.root).as_posix() for path in changed] == files
    rows = (course.root / "README.md").read_text().split("\n")
    assert rows[2:4] == [
        "| 01 Attention | 2 | 0 | 20 | What? |",
        "| 02 Beam search | | | | TODO: the questions that it answers. |",
    ]


def test_the_build_lists_each_todo_of_a_new_lesson_and_then_builds_it(course, capsys):
    lesson, _ = new_lesson("beams", course.root)
    assert course.build(lesson) == 1
    said = capsys.readouterr().err
    left = todos(course, f"notebooks/{lesson}.py", "README.md")
    assert len(left) == 3
    for place in left:
        assert place in said
    assert "README.md:4: still to be written: the questions that it answers." in said
    finish(course, f"notebooks/{lesson}.py", "README.md")
    course.specs.clear()
    assert course.build(lesson) == 0
    assert (course.root / f"release/{lesson}/{lesson}.ipynb").is_file()


@pytest.mark.parametrize(
    ("imported", "generator"),
    [
        ("import torch", "torch.Generator"),
        ("import numpy as np", "np.random.Generator"),
        ("", "random.Random"),
    ],
)
def test_a_new_exercise_draws_its_cases_from_what_its_lesson_computes_with(course, imported, generator):
    course.write("notebooks/02_sums.py", f"# %% setup=true\n{imported}\n")
    [file, _] = new_exercise("sums", "total", course.root)[1]
    made = file.read_text()
    assert f"generator: {generator})" in made and (imported or "import random") in made
    compile(made, file, "exec")


def test_the_first_lesson_of_a_course_is_lesson_1(tmp_path):
    (tmp_path / "course.toml").write_text('name = "C"\nlessons = []\npackages = ["numpy", "torch"]\n')
    lesson, [master, *_] = new_lesson("sums", tmp_path)
    assert lesson == "01_sums"
    assert "import numpy as np\nimport torch\n\nfrom helpers.checks import check" in master.read_text()


def test_the_build_lists_each_todo_of_a_new_exercise_and_then_what_it_lacks(course, capsys):
    assert new_exercise("attention", "triple", course.root)[0] == LESSON
    assert course.build() == 1
    said = capsys.readouterr().err
    left = todos(course, EXERCISE, MASTER)
    assert len(left) > 10
    for place in left:
        assert place in said
    assert "a question that helps whoever is stuck.\n" in said  # without the marks around it
    finish(course, EXERCISE, MASTER)
    exercise = exercise_in(course.root / EXERCISE)
    course.specs[exercise.id] = exercise
    shutil.rmtree(course.root / "exercises")  # this course has its exercises from the test
    course.build()
    left = [line for line in capsys.readouterr().err.splitlines() if re.match(r"\S+:\d+: ", line)]
    assert not [line for line in left if "write at least" not in line]  # the cells and the entry are right
    assert "**Exercise 1.4**" in (course.root / MASTER).read_text()  # 1.3 is a question


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("lesson attention", "there is a lesson on attention already: 01_attention"),
        ("lesson text", "helpers/text is shared by several lessons"),
        ("lesson Beams", "'Beams' can't be the name of a topic"),
        ("lesson ../beams", "can't be the name of a topic"),
        ("exercise attention lambda", "'lambda' can't be the name of an exercise"),
        ("exercise attention softmax", 'there is an exercise "attention.softmax" already'),
        ("exercise atention entropy", "did you mean attention?"),
    ],
)
def test_what_cannot_be_started_gets_one_line(words, said, capsys, monkeypatch):
    monkeypatch.chdir(".")  # the command leaves it
    monkeypatch.setattr(starting, "write_whole", lambda path, content: pytest.fail(f"{path} was written"))
    assert cli.main(["new", *words.split()]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert said in line


def test_what_was_written_is_named(course, capsys, monkeypatch):
    monkeypatch.setenv("HEADSTART_COURSE", str(course.root))
    monkeypatch.setattr("autograder.courses.find", lambda *_, **__: None)
    monkeypatch.chdir(course.root)
    assert cli.main(["new", "lesson", "beams"]) == 0
    assert cli.main(["new", "exercise", "02", "widths"]) == 0
    said = capsys.readouterr().out
    assert "wrote exercises/beams/widths.py, notebooks/02_beams.py" in said
    assert "`headstart build 02_beams` lists those that are left" in said
    assert "**Exercise 2.1**" in (course.root / "notebooks/02_beams.py").read_text()


def test_the_page_for_authors_shows_what_the_command_answers(tmp_path, capsys, monkeypatch):
    """CONTRIBUTING.md's next lesson comes after the course's last one."""
    for name in ("course.toml", "README.md"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "notebooks", tmp_path / "notebooks")
    (tmp_path / "exercises").mkdir()
    monkeypatch.setenv("HEADSTART_COURSE", str(tmp_path))
    monkeypatch.setattr("autograder.courses.find", lambda *_, **__: None)
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    [(command, answer)] = re.findall(
        r"```\nheadstart (new lesson .*)\n```\n\nanswers\n\n```\n([^`]*`[^`]*`[^`]*)```", page
    )
    assert cli.main(command.split()) == 0
    assert capsys.readouterr().out == answer

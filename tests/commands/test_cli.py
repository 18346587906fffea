"""The command's own behaviour: what it refuses, and how."""

import argparse
import contextlib
import errno
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from nbgrader.api import InvalidEntry
from nbgrader.coursedir import CourseDirectory

from autograder.classroom.course import find_lesson
from autograder.commands import cli
from autograder.lessons import ROOT

PATHS = {"PYTHONPATH": str(ROOT)}


def test_help_is_instant_and_lists_every_command() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "autograder", "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    for command, purpose in cli.COMMANDS.items():
        assert command in done.stdout and " ".join(purpose.split()[:3]) in done.stdout
    assert "torch" not in done.stderr


# Runs `headstart` with these arguments, and fails where it would start another program or process. Which modules
# were imported goes to stderr.
ALONE = """
import atexit, sys
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
def refuse(event, _):
    if event in ("subprocess.Popen", "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn"):
        raise SystemExit(f"not alone: {event}")
sys.addaudithook(refuse)
from autograder.commands.cli import main
main(sys.argv[1:])
"""
HEAVY = {"torch", "nbgrader", "jupyterlab", "numpy", "IPython", "sqlalchemy"}


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_each_command_s_help_is_instant_and_does_nothing_else(command, tmp_path) -> None:
    """Of the commands' modules, its own alone is imported."""
    called = [sys.executable, "-c", ALONE, command, "--help"]
    done = subprocess.run(called, cwd=tmp_path, capture_output=True, text=True, env=os.environ | PATHS)
    assert done.returncode == 0 and done.stdout.startswith(f"usage: headstart {command} ")
    imported = {*done.stderr.split()}
    assert not HEAVY & imported
    modules = {f"autograder.commands.{name}" for name in cli.COMMANDS}
    assert modules & imported == {f"autograder.commands.{command}"}
    assert not [*tmp_path.iterdir()]


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from parsers(inner)


def test_help_says_in_sentences_what_a_command_does_and_what_each_argument_is() -> None:
    _, *commands = parsers(cli._parser())
    for command in commands:
        kind_of_new = command.prog.startswith("headstart new ")
        assert kind_of_new or (command.description or "").endswith("."), command.prog
        assert command.format_help()  # a % would have to be doubled
        unexplained = [each.dest for each in command._actions if not each.help and each.dest != "kind"]
        assert not unexplained, command.prog


def test_each_file_is_the_command_of_its_name() -> None:
    files = {path.stem for path in (ROOT / "autograder/commands").glob("*.py")}
    assert files == {*cli.COMMANDS, "cli", "__init__"}


def test_help_on_the_lab_is_the_same_without_the_command(tmp_path) -> None:
    """As `make lab LAB_ARGS=--help` and conda's users call it."""
    called = [sys.executable, "-m", "autograder.commands.lab", "-h"]
    done = subprocess.run(called, cwd=tmp_path, capture_output=True, text=True, env=os.environ | PATHS)
    assert done.stdout.startswith(
        "usage: headstart lab "
    ) and "options go to JupyterLab" in done.stdout.replace("\n", " ")


def test_where_there_is_no_fork_grading_says_what_it_can_t_do(monkeypatch, capsys) -> None:
    monkeypatch.delattr(os, "fork")
    assert cli.main(["grade", "01_attention"]) == 2
    assert "needs Linux" in capsys.readouterr().err


def test_an_unknown_lesson_gets_one_line(capsys) -> None:
    assert cli.main(["grade", "01_atention"]) == 2
    [line] = capsys.readouterr().err.strip().splitlines()
    assert "did you mean 01_attention" in line


@pytest.mark.parametrize(
    "name", ["01_attention/", "source/01_attention", "../01_attention/", "1", "attention"]
)
def test_a_lesson_may_be_named_by_its_folder(tmp_path, name) -> None:
    """Which the shell completes with a slash; that slash would become a part of the name in the gradebook."""
    (tmp_path / "source/01_attention").mkdir(parents=True)
    assert find_lesson(name, CourseDirectory(root=str(tmp_path))) == "01_attention"


@pytest.mark.parametrize("name", ["", ".", "..", "/", "source/.."])
def test_a_folder_of_lessons_is_none(tmp_path, name) -> None:
    (tmp_path / "source/01_attention").mkdir(parents=True)
    with pytest.raises(LookupError, match="there are: 01_attention"):
        find_lesson(name, CourseDirectory(root=str(tmp_path)))


@pytest.mark.parametrize(("command", "resumes"), [("grade", True), ("watch", True), ("collect", False)])
def test_only_what_grades_says_that_it_resumes(monkeypatch, capsys, command, resumes) -> None:
    def stopped(options: argparse.Namespace) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_choose_course", stopped)
    assert cli.main([command, *["file"] * (command == "collect"), "01_attention"]) == 130
    assert ("resumes" in capsys.readouterr().err) == resumes


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main(["grade", "01_attention", "--sandwich"])
    assert stop.value.code == 2


@pytest.mark.parametrize(
    "words",
    [
        ("grade", "01_attention", "--seconds", "-3"),
        ("grade", "01_attention", "--seconds", "nan"),
        ("grade", "01_attention", "--workers", "0"),
        ("explain", "01_attention", "ada", "1.1", "--seconds", "0"),
        ("watch", "01_attention", "--every", "-1"),
        ("watch", "01_attention", "--every", "inf"),
        ("simulate", "01_attention", "--students", "-4"),
        ("marking", "01_attention", "--port", "-1"),
        ("marking", "01_attention", "--port", "99999"),
    ],
)
def test_a_number_that_can_only_be_a_slip_is_refused(words, capsys) -> None:
    """Three seconds less than none fail every answer of a class."""
    *_, option, number = words
    with pytest.raises(SystemExit) as stop:
        cli._parser().parse_args(words)
    assert stop.value.code == 2
    assert f"argument {option}: '{number}' isn't a " in capsys.readouterr().err


def test_which_lesson_is_asked_for_with_one_of_the_course(tmp_path) -> None:
    def call(*words: str, cwd: Path) -> subprocess.CompletedProcess:
        called = [sys.executable, "-m", "autograder", *words]
        env = os.environ | PATHS | {"HOME": str(tmp_path)}
        return subprocess.run(called, cwd=cwd, capture_output=True, text=True, env=env)

    made = call("new", "course", "my signals/signals", cwd=tmp_path)
    assert "call `cd 'my signals/signals'` and" in made.stdout
    course = tmp_path / "my signals" / "signals"
    (course / "source").mkdir()
    assert "Such as: headstart grade 01_averages" in call("grade", cwd=course).stderr
    assert "there is no " in call("grade", "--once", "01_averages.ipynb", cwd=course).stderr


def test_nothing_to_grade_is_said(tmp_path, monkeypatch, capsys) -> None:
    (tmp_path / "source").symlink_to(ROOT / "source")
    monkeypatch.chdir(tmp_path)
    assert cli.main(["grade", "01_attention", "--no-sandbox"]) == 2
    assert "nothing to grade" in capsys.readouterr().err
    assert not (tmp_path / "gradebook.db").exists()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), "grades.csv"), "there is no grades.csv"),
        (
            PermissionError(errno.EACCES, "Permission denied", "reports"),
            "reports can't be used: Permission denied",
        ),
        (FileNotFoundError("build it first"), "build it first"),
    ],
)
def test_what_the_system_says_of_a_file_becomes_a_sentence_without_its_number(
    error, said, monkeypatch, capsys
) -> None:
    def run(_: object) -> None:
        raise error

    monkeypatch.setattr("autograder.commands.doctor.run", run)
    assert cli.main(["doctor"]) == 2
    assert capsys.readouterr() == ("", f"headstart: {said}\n")


@pytest.mark.parametrize("command", [("roster", "no.csv"), ("proof", "no.html", ".")])
def test_a_file_that_is_not_there_is_named(command, tmp_path, monkeypatch, capsys) -> None:
    (tmp_path / "gradebook.db").touch()
    monkeypatch.chdir(tmp_path)
    assert cli.main([*command]) == 2
    said = capsys.readouterr().err
    assert said.startswith("headstart: there is no ") and command[1] in said and "Errno" not in said


def test_a_report_on_nothing_writes_nothing(tmp_path, monkeypatch, capsys) -> None:
    (tmp_path / "source").symlink_to(ROOT / "source")
    monkeypatch.chdir(tmp_path)
    for command, said in (
        ([], "has no gradebook yet"),
        (["01_attention"], "nothing of 01_attention is graded yet"),
    ):
        assert cli.main(["report", *command]) == 2
        assert said in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["source"]


@pytest.mark.parametrize("full", ["folder", "gradebook"])
def test_a_full_disk_gets_one_line(full, monkeypatch, capsys) -> None:
    def run(_: object) -> None:
        if full == "folder":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        with contextlib.closing(sqlite3.connect(":memory:")) as db:
            db.execute("pragma max_page_count=1")
            try:
                db.execute("create table grades (x)")
            except sqlite3.OperationalError as error:
                raise InvalidEntry(*error.args) from error

    monkeypatch.setattr("autograder.commands.doctor.run", run)
    assert cli.main(["doctor"]) == 1
    assert capsys.readouterr() == ("", f"headstart: {cli.FULL}\n")

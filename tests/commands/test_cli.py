"""The command's own behaviour: what it refuses, and how."""

import argparse
import os
import subprocess
import sys

import pytest

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
    for command in ("build", "simulate", "grade", "report", "lab", "doctor"):
        assert command in done.stdout
    assert "torch" not in done.stderr


def commands() -> list[str]:
    [action] = (a for a in cli._parser()._actions if isinstance(a, argparse._SubParsersAction))
    return [*action.choices]


@pytest.mark.parametrize("command", commands())
def test_each_command_s_help_is_instant_and_does_nothing_else(command, tmp_path) -> None:
    """Nothing is built: that would take another program, or the modules that these words are in."""
    called = [sys.executable, "-X", "importtime", "-m", "autograder", command, "--help"]
    done = subprocess.run(called, cwd=tmp_path, capture_output=True, text=True, env=os.environ | PATHS)
    assert done.returncode == 0 and done.stdout.startswith(f"usage: headstart {command} ")
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "autograder.commands.cli" in imported
    heavy = {
        "torch",
        "nbgrader",
        "jupyterlab",
        "numpy",
        "IPython",
        "subprocess",
        f"autograder.commands.{command}",
    }
    assert not heavy & imported
    assert not [*tmp_path.iterdir()]


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


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main(["grade", "01_attention", "--sandwich"])
    assert stop.value.code == 2


def test_nothing_to_grade_is_said(tmp_path, monkeypatch, capsys) -> None:
    (tmp_path / "source").symlink_to(ROOT / "source")
    monkeypatch.chdir(tmp_path)
    assert cli.main(["grade", "01_attention", "--no-sandbox"]) == 2
    assert "nothing to grade" in capsys.readouterr().err
    assert not (tmp_path / "gradebook.db").exists()

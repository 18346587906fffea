"""A program that runs for long and is killed goes on where it was."""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.lessons import ROOT
from tests.long.rows import Rows
from tests.support.limits import until

# Makes five rows, and stops in the middle of one if that is asked for.
PROGRAM = """
import sys, pathlib
sys.path.insert(0, {root!r})
import argparse
from tests.long.rows import Rows, add_option
place = pathlib.Path({place!r})
parser = argparse.ArgumentParser()
parser.add_argument("--hangs", action="store_true")
add_option(parser)
options = parser.parse_args()
hangs, options.hangs = options.hangs, None

def make(number):
    with (place / "made").open("a") as made:
        made.write(f"{{number}} ")
    if hangs and number == 2:
        (place / "hangs").touch()
        sys.stdin.read()
    return number**2

with Rows("squares", options, place / "rows") as rows:
    for number in range(5):
        print(number, rows(str(number), make=lambda: make(number)), flush=True)
"""


@pytest.fixture
def program(tmp_path: Path) -> list[str]:
    return [sys.executable, "-c", PROGRAM.format(root=str(ROOT), place=str(tmp_path))]


def lines(done: subprocess.CompletedProcess) -> list[str]:
    assert done.returncode == 0, done.stderr
    return [line for line in done.stdout.splitlines() if line[0].isdigit() and "kept" not in line]


def killed(program: list[str], place: Path) -> None:
    """Run the program until it is in the middle of its third row, and kill it."""
    with subprocess.Popen(
        [*program, "--hangs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as it:
        assert it.stdout
        assert [it.stdout.readline() for _ in range(2)] == ["0 0\n", "1 1\n"], "each row as it comes"
        until((place / "hangs").exists)
        it.kill()


def test_no_row_is_made_twice_and_the_table_is_whole(program, tmp_path) -> None:
    killed(program, tmp_path)
    done = subprocess.run(program, capture_output=True, text=True)
    assert lines(done) == ["0 0", "1 1", "2 4", "3 9", "4 16"]
    assert (tmp_path / "made").read_text() == "0 1 2 2 3 4 ", (
        "of the third, the first time, nothing was there"
    )
    assert "2 rows are kept" in done.stderr


def test_a_call_after_one_that_came_to_its_end_begins_anew(program, tmp_path) -> None:
    for _ in range(2):
        assert len(lines(subprocess.run(program, capture_output=True, text=True))) == 5
    assert (tmp_path / "made").read_text() == "0 1 2 3 4 " * 2


def test_fresh_begins_anew(program, tmp_path) -> None:
    killed(program, tmp_path)
    lines(subprocess.run([*program, "--fresh"], capture_output=True, text=True))
    assert (tmp_path / "made").read_text() == "0 1 2 0 1 2 3 4 "


def some_rows(folder: Path, monkeypatch: pytest.MonkeyPatch, code: str = "", **options: object) -> Rows:
    """The rows of a program, with code of its own."""
    monkeypatch.setattr("tests.long.rows._what_rows_depend_on", lambda: {"code": code})
    return Rows("some", argparse.Namespace(**options), folder)


def stopped(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where two rows are kept of a call that was stopped."""
    with pytest.raises(KeyboardInterrupt), some_rows(folder, monkeypatch) as rows:
        rows.keep("one", "way", row=1)
        rows.keep("other", row=[2])
        raise KeyboardInterrupt
    return rows.path


def test_rows_of_other_code_or_other_arguments_are_not_taken(tmp_path, monkeypatch) -> None:
    stopped(tmp_path, monkeypatch)
    with some_rows(tmp_path, monkeypatch, quick=True) as rows:
        assert not rows.done
    with pytest.raises(KeyboardInterrupt), some_rows(tmp_path, monkeypatch) as rows:
        assert rows.done == {("one", "way"): 1, ("other",): [2]}
        raise KeyboardInterrupt
    with some_rows(tmp_path, monkeypatch, code="changed") as rows:
        assert not rows.done


def test_a_row_cut_off_while_it_was_written_is_made_again(tmp_path, monkeypatch) -> None:
    path = stopped(tmp_path, monkeypatch)
    os.truncate(path, path.stat().st_size - 3)
    with pytest.raises(KeyboardInterrupt), some_rows(tmp_path, monkeypatch) as rows:
        assert rows("other", make=lambda: 3) == 3
        raise KeyboardInterrupt
    assert [json.loads(line)[1] for line in path.read_text().splitlines()[1:]] == [1, 3]


def test_two_at_once_are_refused(tmp_path, monkeypatch) -> None:
    with some_rows(tmp_path, monkeypatch), pytest.raises(SystemExit, match="running already"):
        some_rows(tmp_path, monkeypatch)


def test_what_rows_depend_on_changes_with_any_file_of_the_code(tmp_path, monkeypatch) -> None:
    import tests.long.rows as module

    monkeypatch.setattr(module, "ROOT", tmp_path)
    (tmp_path / "tests" / "deep").mkdir(parents=True)
    seen = []
    for text in ("", "x", "y"):
        (tmp_path / "tests" / "deep" / "code.py").write_text(text)
        seen.append(module._what_rows_depend_on()["code"])
    assert len({*seen}) == 3


@pytest.mark.parametrize(
    "program",
    [
        path
        for path in sorted((ROOT / "tests/long").glob("*.py"))
        if '__name__ == "__main__"' in path.read_text("utf-8")
    ],
    ids=lambda path: path.stem,
)
def test_each_program_goes_on_where_it_was_stopped_or_says_that_it_begins_anew(program: Path) -> None:
    text = program.read_text("utf-8")
    assert re.search(r"begins\s+anew|\bRows\(\s*\"", text)

"""Proof of work: a page of what passed, which belongs to the notebooks it was made of, and to no others."""

import json
from pathlib import Path

import pytest

from autograder.commands.cli import main
from helpers.checking import progress
from helpers.start_here import proof


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A student's folder with two lessons, one of which passed, and the page made of them."""
    monkeypatch.setenv("HEADSTART_PROGRESS", str(tmp_path / "progress.json"))
    folder = tmp_path / "work"
    (folder / "00_start_here").mkdir(parents=True)
    for lesson in ("01_attention", "02_multihead"):
        (folder / lesson).mkdir()
        (folder / lesson / "checks.json").write_text('{"a.b": {"title": "A </script> <b>"}}')
        save(folder, lesson, "return 2 * x")
    monkeypatch.chdir(folder / "01_attention")
    progress.record("a.b", passed=True)
    monkeypatch.chdir(tmp_path)
    proof.make_proof("Ada <Lovelace>", folder / "00_start_here")
    return folder


def save(folder: Path, lesson: str, answer: str, output: str = "") -> None:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# 1 · Attention\n"]},
        {
            "cell_type": "code",
            "metadata": {"nbgrader": {"solution": True, "grade_id": "a-b-answer"}},
            "source": [answer],
            "outputs": [output],
        },
    ]
    (folder / lesson / f"{lesson}.ipynb").write_text(json.dumps({"cells": cells}))


def test_a_page_belongs_to_the_notebooks_it_was_made_of(work: Path, capsys) -> None:
    page = work / "00_start_here" / proof.NAME
    made = proof.read(page.read_text(encoding="utf-8"))
    [lesson] = made["lessons"]
    [passed] = lesson["passed"]
    assert (made["name"], lesson["lesson"], passed["id"]) == ("Ada <Lovelace>", "01_attention", "a.b")
    assert passed["since"][:10] == made["made"][:10]
    assert passed["checks"] == progress.version(work / "01_attention")
    assert main(["proof", str(page), str(work)]) == 0
    told = capsys.readouterr().out
    assert "✓ 01_attention: 1 of 1 checks passed, 1 of them with other checks" in told
    assert "They don't show who wrote the answers" in told
    save(work, "01_attention", "return 2 * x\n", "4")
    assert main(["proof", str(page), str(work)]) == 0, "running a notebook again changes no answer"
    save(work, "01_attention", "return x + x")
    assert main(["proof", str(page), str(work)]) == 1
    assert "✗ 01_attention: the notebook's answers aren't those of the page" in capsys.readouterr().out
    (work / "01_attention/01_attention.ipynb").unlink()
    assert main(["proof", str(page), str(work)]) == 1
    assert "✗ 01_attention: there is no such notebook" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1 of 1 checks", "9 of 9 checks"),  # what is read
        ("Ada &lt;Lovelace&gt;", "Bob"),
        ('"id": "a.b"', '"id": "a.c"'),  # what is compared
        ("<script", "<scrip"),
    ],
)
def test_a_page_that_was_changed_is_none(work: Path, capsys, old: str, new: str) -> None:
    page = work / "00_start_here" / proof.NAME
    text = page.read_text(encoding="utf-8")
    assert old in text
    page.write_text(text.replace(old, new), encoding="utf-8")
    assert main(["proof", str(page), str(work)]) == 2
    assert "or was changed afterwards" in capsys.readouterr().err


def test_what_is_no_page_is_said_in_a_sentence(work: Path, capsys) -> None:
    assert main(["proof", str(work / "gone.html"), str(work)]) == 2
    assert main(["proof", str(work / "01_attention/checks.json"), str(work)]) == 2
    assert main(["proof", str(work), str(work)]) == 2
    assert main(["proof", str(work / "00_start_here" / proof.NAME), str(work / "none")]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_page_needs_no_network_and_says_what_it_does_not_prove(work: Path) -> None:
    text = (work / "00_start_here" / proof.NAME).read_text(encoding="utf-8")
    assert "http" not in text and "src=" not in text and text.count("<script") == 1
    assert "A &lt;/script&gt; &lt;b&gt;" in text and "Whoever can edit a notebook can make" in text


def test_a_check_that_fails_is_proved_no_longer(work: Path, monkeypatch) -> None:
    monkeypatch.chdir(work / "01_attention")
    progress.record("a.b", passed=False)
    proof.make_proof("", work / "00_start_here")
    made = proof.read((work / "00_start_here" / proof.NAME).read_text(encoding="utf-8"))
    assert made["lessons"] == [] and made["name"] == ""

"""What two submissions share beyond what the exercise makes alike is found; what all share isn't."""

import html
import os
import subprocess
import sys
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from autograder.classroom import likeness
from autograder.classroom.likeness import Pair, Texts, pairs
from autograder.classroom.reports.similar import page
from autograder.lessons import ROOT
from tests.support.course import Course
from tests.support.proved import ENGINE, follows_from

pytestmark = follows_from(*ENGINE)

PLAIN = "def softmax(x, dim=-1):\n    e = (x - x.amax(dim, keepdim=True)).exp()\n    return e / e.sum(dim, keepdim=True)\n"
OWN = """
def softmax(x, dim=-1):
    biggest = x.max(dim=dim, keepdim=True).values
    pieces = []
    for part in (x - biggest).unbind(dim):
        pieces.append(torch.exp(part))
    lifted = torch.stack(pieces, dim=dim)
    total = sum(pieces)
    return lifted / total.unsqueeze(dim)
"""
RENAMED = """
def softmax(values, dim=-1):
    # my own work
    top = values.max(dim=dim, keepdim=True).values
    rows = []

    for row in (values - top).unbind(dim):
        rows.append(torch.exp(row))
    up = torch.stack(rows, dim=dim)   # put together again
    whole = sum(rows)
    return up / whole.unsqueeze(dim)
"""
OTHERS = [
    "def softmax(x, dim=-1):\n    z = x - torch.logsumexp(x, dim=dim, keepdim=True)\n    return z.exp()\n",
    "def softmax(x, dim=-1):\n    m, _ = torch.max(x, dim, keepdim=True)\n    n = torch.exp(x - m)\n    d = torch.sum(n, dim, keepdim=True)\n    return torch.div(n, d)\n",
    "def softmax(x, dim=-1):\n    x = x.transpose(dim, -1)\n    y = torch.exp(x - x.max(-1, keepdim=True)[0])\n    y = y / y.sum(-1, keepdim=True)\n    return y.transpose(dim, -1)\n",
    "def softmax(x, dim=-1):\n    shifted = torch.sub(x, x.amax(dim=dim, keepdim=True))\n    weights = math.e ** shifted\n    return weights * weights.sum(dim=dim, keepdim=True).reciprocal()\n",
]
HAND = (
    "The scores of a query grow with the width of the keys, as I said to my sister on the bus this morning."
)
WORDS = {
    "copied": f"{HAND} So one key gets everything and nothing is learned from the others.",
    "copied again": f"Well. {HAND.upper()} That is why we divide.",
    "own": "Dividing by a root keeps the variance at one, whatever the number of channels of the keys may be.",
}


WORDS_AROUND = [
    ("Nobody else has thought of it in such a way before.", "That is all there is to it, if one asks me."),
    (
        "A short remark of mine comes first of all, as ever.",
        "Everything else follows from what the book says.",
    ),
]


def code(text: str) -> Texts:
    return {"attention.softmax": (text, True)}


def students(found: list[Pair]) -> list[tuple[str, str]]:
    return [pair.students for pair in found]


def test_a_copy_with_other_names_is_found_and_other_answers_are_not() -> None:
    texts = {"ada": code(OWN), "bob": code(RENAMED)}
    texts |= {f"student {number}": code(text) for number, text in enumerate(OTHERS)}
    found = pairs(texts, {"attention.softmax": [(PLAIN, True)]})
    assert students(found) == [("ada", "bob")]
    assert min(found[0].shares) > 0.9
    [place] = found[0].places
    for text, shared in zip(place.texts, place.shared, strict=True):
        marked = "".join(text[start:end] for start, end in shared)
        assert "stack" in marked and "unbind" in marked
        assert all(0 <= start < end <= len(text) for start, end in shared)


def test_what_was_handed_out_or_is_right_in_the_course_s_own_way_is_nobody_s() -> None:
    texts = {"ada": code(OWN), "bob": code(OWN)}
    assert students(pairs(texts, {})) == [("ada", "bob")]
    assert not pairs(texts, {"attention.softmax": [(PLAIN, True), (OWN, True)]})
    assert students(pairs(texts, {"attention.cross": [(OWN, True)]})) == [("ada", "bob")]


def test_what_many_have_is_nobody_s_and_what_two_have_weighs_more_than_what_five_have() -> None:
    many = {f"student {number}": code(OWN) for number in range(likeness.COMMON + 1)}
    assert not pairs(many, {})
    several = dict(list(many.items())[:-1])
    found = pairs(several, {})
    [alone] = {pair.weight for pair in pairs(dict(list(many.items())[:2]), {})}
    assert len(found) == 10
    assert all(pair.weight == pytest.approx(alone / (likeness.COMMON - 1)) for pair in found)


def test_words_are_compared_too() -> None:
    texts: dict[str, Texts] = {name: {"question": (text, False)} for name, text in WORDS.items()}
    assert students(pairs(texts, {})) == [("copied", "copied again")]


def test_answers_are_compared_place_by_place() -> None:
    assert not pairs({"ada": code(OWN), "bob": {"attention.cross": (OWN, True)}}, {})


@pytest.mark.parametrize("text", ["", "\0", "'''", "def f(:\n  x = (", "ünïcödé 𝔘 " * 9, "x = 1\n" * 30_000])
def test_nothing_that_is_handed_in_breaks_it(text: str) -> None:
    pairs({"ada": code(text), "bob": code(text + "\n" + OWN), "cy": {"q": (text, False)}}, {})


def test_the_page_shows_both_sides_and_runs_nothing_of_them() -> None:
    bait = "<script>alert(1)</script>"
    texts = {f"ada {bait}": code(f"# {bait}\n{OWN}"), "bob": code(RENAMED)}
    made = BeautifulSoup(page("01_attention", pairs(texts, {}), 2), "html.parser")
    assert not made.find_all("script")
    [details] = made.find_all("details")
    assert "ada" in details.summary.text and "bob" in details.summary.text
    sides = [pre.text for pre in details.find_all("pre")]
    assert OWN.strip() in sides[0] and RENAMED.strip() in sides[1]
    assert all(len(pre.find_all("mark")) for pre in details.find_all("pre"))
    assert made.caption and len(made.find_all("th", scope="col")) == 5


def test_nothing_on_the_page_is_markup_whoever_wrote_it() -> None:
    """Names of students, of places and of the lesson, and a text before, within and behind what is shared."""
    bait = "<b>{}</b>"
    lesson, place = bait.format("lesson"), bait.format("place")
    shared = f"{HAND[:50]} {bait.format('within')} {HAND[50:]}"
    names = [bait.format("ada"), bait.format("bob")]
    written = [
        f"{bait.format(f'before {number}')} {start} {shared} {end} {bait.format(f'behind {number}')}"
        for number, (start, end) in enumerate(WORDS_AROUND)
    ]
    texts: dict[str, Texts] = {
        name: {place: (text, False)} for name, text in zip(names, written, strict=True)
    }
    made = BeautifulSoup(page(lesson, pairs(texts, {}), 2), "html.parser")
    assert not made.find_all("b")
    assert lesson in made.title.text and lesson in made.h1.text
    table, [details] = made.table, made.find_all("details")
    for shown in (table.text, details.summary.text, *(each.parent.text for each in details.find_all("h3"))):
        assert any(name in shown for name in names)
    assert place in table.text and place in details.h2.text
    sides = details.find_all("pre")
    assert [side.text for side in sides] == written
    for side in sides:
        assert bait.format("within") in "".join(mark.text for mark in side.find_all("mark"))
        outside = side.text.split(side.mark.text)
        assert "<b>before" in outside[0] and "</b>" in outside[-1]


def test_the_command_compares_what_was_handed_in(tmp_path: Path) -> None:
    course = Course(tmp_path)
    blank = {f"attention.{name}": "" for name in ("additive", "scaled_dot_product", "cross")}
    course.hand_in("ada", {**blank, "attention.softmax": OWN})
    course.hand_in("bob", {**blank, "attention.softmax": RENAMED}, cells=("print('mine')",))
    for number, text in enumerate(OTHERS):
        course.hand_in(f"student-{number}", {**blank, "attention.softmax": text})
    (course.submission("cy") / "01_attention.ipynb").write_text("no notebook")
    done = course.run("headstart", "similar", "1")
    assert "7 submissions; 1 of 21 pairs share" in done.stdout
    assert "ada and bob" in done.stdout and "attention.softmax" in done.stdout
    made = html.unescape((tmp_path / "reports" / "01_attention_similar.html").read_text())
    assert "It can't know who had it first" in made and "student-0" not in made


def test_the_lessons_own_solutions_are_nobody_s(tmp_path: Path) -> None:
    """They are other texts than the references that later lessons import."""
    course = Course(tmp_path)
    for student in ("ada", "bob"):
        course.hand_in(student)
    assert "2 submissions; 0 of 1 pairs share" in course.run("headstart", "similar", "1").stdout


def test_no_piece_of_a_right_answer_is_anybodys_own() -> None:
    """Wherever students begin to quote it: which pieces are chosen hangs on what stands around them."""
    model = " ".join(f"Sentence {number} says that {number * 37 % 101} is more." for number in range(20))
    quoted = {str(start): (model[start : start + 300], False) for start in range(60)}
    assert pairs({"ada": quoted, "bob": quoted}, {place: [(model, False)] for place in quoted}) == []


def test_each_run_finds_the_same() -> None:
    code = f"from autograder.classroom.likeness import _print; print(sorted(_print({OWN!r}, True).hashes))"
    command = [sys.executable, "-c", code]
    seeds = (os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)} for seed in "12")
    one, other = (subprocess.run(command, env=env, capture_output=True, check=True).stdout for env in seeds)
    assert one == other


def test_a_foreign_course_is_compared_by_its_cells(tmp_path: Path) -> None:
    import nbformat
    from nbformat.v4 import new_code_cell, new_notebook

    flags = {"grade": False, "locked": False, "schema_version": 3, "solution": True, "task": False}
    tests = {
        "grade": True,
        "locked": True,
        "schema_version": 3,
        "solution": False,
        "task": False,
        "points": 1,
    }
    for student, text in {
        "ada": OWN,
        "bob": RENAMED,
        **dict(zip("cdef", OTHERS, strict=True)),
        "": PLAIN,
    }.items():
        answer = new_code_cell(text, metadata={"nbgrader": {**flags, "grade_id": "answer"}})
        test = new_code_cell("assert True", metadata={"nbgrader": {**tests, "grade_id": "test"}})
        folder = tmp_path / ("submitted" if student else "source") / student / "ps1"
        folder.mkdir(parents=True)
        nbformat.write(new_notebook(cells=[answer, test]), folder / "problem.ipynb")
    course = Course(tmp_path / "unused")
    done = course.run("headstart", "similar", "ps1", cwd=tmp_path)
    assert "1 of 15 pairs" in done.stdout and "ada and bob" in done.stdout

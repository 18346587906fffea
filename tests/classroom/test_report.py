"""The report on a class, as a page."""

import base64
import inspect
import io
import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from rich.console import Console

from autograder.classroom.reports.lesson import page
from autograder.classroom.reports.tables import KINDS, problems, summary
from autograder.exercises import load
from autograder.results import Verdict
from helpers.checking.finding import Finding
from helpers.checking.properties import PROPERTIES
from tests.support.proved import ENGINE, follows_from

pytestmark = follows_from(*ENGINE)

SOFTMAX, SCALED = "attention.softmax", "attention.scaled_dot_product"


@pytest.fixture
def exercises():
    specs = load("attention")
    return {id: specs[id] for id in (SOFTMAX, SCALED)}


def verdict(exercise, status, cause="", relation=""):
    return Verdict(exercise, status, 2.0 if status == "passed" else 0.0, 2.0, cause=cause, relation=relation)


def rows():
    yield "amy", "", [verdict(SOFTMAX, "passed"), verdict(SCALED, "passed")]
    yield "bob", "", [verdict(SOFTMAX, "passed"), verdict(SCALED, "failed", "unscaled")]
    yield "c<b>", "", [verdict(SOFTMAX, "not written"), verdict(SCALED, "failed", "unscaled")]
    yield "dan", "the file is <empty>", [verdict(SOFTMAX, "not run"), verdict(SCALED, "failed", "shape")]


def test_the_page_says_who_made_which_mistake(exercises):
    odd, waiting = [("dan", "the file is <empty>")], "3 written answers are left to grade"
    text = page("01_attention", rows(), exercises, looked=odd, waiting=waiting)
    sentence = next(m.sentence for m in exercises[SCALED].misconceptions if m.name == "unscaled")
    line = text[text.index(sentence) :].partition("</tr>")[0]
    assert "<summary>2</summary>bob; c&lt;b&gt;</details>" in line
    assert (
        text.index(sentence)
        < text.index("Unexplained")
        < text.index("The result has the wrong shape. (1 of 1)")
    )
    assert "4 students" in text
    assert "the file is &lt;empty&gt;" in text
    assert waiting in text


def test_code_in_a_sentence_is_shown_as_code_and_nothing_in_it_as_more(exercises):
    known = tuple(
        replace(each, sentence="`a < b`, <i>not</i> `c`") if each.name == "unscaled" else each
        for each in exercises[SCALED].misconceptions
    )
    text = page(
        "01_attention", rows(), {**exercises, SCALED: replace(exercises[SCALED], misconceptions=known)}
    )
    assert "<code>a &lt; b</code>, &lt;i&gt;not&lt;/i&gt; <code>c</code>" in text


def test_each_kind_of_problem_is_said_in_words():
    text = inspect.getdoc(Finding) or ""
    causes = re.findall(r'"(\w+)"', text[text.index("cause:") : text.index("relation:")])
    assert "value" in causes and "unusable" in causes
    assert {*causes, *PROPERTIES} <= KINDS.keys()


def test_what_no_misconception_explains_is_grouped_by_what_is_true_of_most(exercises):
    sign, half = "Every number has the wrong sign.", "Every number is half of the right one."
    made = [verdict(SCALED, "failed", "value", told) for told in (sign, half, sign, "")]
    named = [(name, "", [one]) for name, one in zip(("ann", "ben", "cem", "dora"), made, strict=True)]
    known = ("eve", "", [verdict(SCALED, "failed", "unscaled")])
    text = page("01_attention", [*named, known], exercises)
    group = text[text.index("Unexplained") :]
    assert f"{sign} (2 of 4)" in group
    assert "<summary>4</summary>ann; ben; cem; dora</details>" in group
    console = Console(file=io.StringIO(), width=120)
    console.print(summary([*named, known], exercises))
    assert "2 of 4" in console.file.getvalue()


def test_its_pictures_say_the_same_in_words(exercises):
    text = page("01_attention", rows(), exercises)
    assert f"{exercises[SOFTMAX].title}: 2 passed, 1 not written, 1 not run" in text
    assert f"{exercises[SCALED].title}: 1 passed, 3 failed" in text
    assert "Students by points, in bars of 1: 2 from 0, 1 from 2, 1 from 4." in text
    assert "http" not in text.replace("http://www.w3.org", "")


def test_the_same_class_gets_the_same_pictures(exercises):
    first, second = (re.findall('base64,([^"]+)', page("01_attention", rows(), exercises)) for _ in range(2))
    assert first == second != []


def circles(picture: str) -> list[float]:
    """How far to the right each dot of a picture is."""
    [data] = re.findall('base64,([^"]+)', picture)
    svg = ElementTree.fromstring(base64.b64decode(data))
    [dots] = [group for group in svg.iter() if str(group.get("id")).startswith("PathCollection")]
    return [float(use.get("x", "")) for use in dots.iter("{http://www.w3.org/2000/svg}use")]


@pytest.mark.parametrize("scores", [[4.0], [4.0, 4.0, 4.0], [0.0, 1.5, 4.0], [n % 9 / 2 for n in range(400)]])
def test_each_student_is_a_dot_where_their_points_are(exercises, scores):
    half = [(score / 2, score / 2) for score in scores]
    named = [
        (
            f"s{n}",
            "",
            [replace(verdict(id, "partly"), points=part) for id, part in zip(exercises, of, strict=True)],
        )
        for n, of in enumerate(half)
    ]
    text = page("01_attention", named, exercises)
    picture = text[text.index("<h2>Points") : text.index("<h2>Exercises")]
    least, low, median, high, most = np.quantile(scores, (0, 0.25, 0.5, 0.75, 1))
    said = (
        f"Their points: {least:.3g} to {most:.3g}, half of them {low:.3g} to {high:.3g}, median {median:.3g}."
    )
    assert said in picture
    drawn = circles(picture)
    assert len(drawn) == len(scores)
    order = np.argsort(scores, kind="stable")
    assert np.all(np.diff(np.array(drawn)[order]) > -1e-3), "whoever has more is not further left"


def test_a_class_without_submissions_has_a_page(exercises):
    assert "No submission has been graded." in page("01_attention", [], exercises)


def test_a_table_that_has_not_all_rows_says_so(exercises):
    many = {f"{SCALED}{n}": replace(exercises[SCALED], id=f"{SCALED}{n}") for n in range(12)}
    for cause, title in (("unscaled", "Misconceptions recognised"), ("value", "Unexplained")):
        for count in (10, 12):
            made = [("amy", "", [verdict(id, "failed", cause) for id in [*many][:count]])]
            console = Console(file=io.StringIO(), width=160)
            console.print(summary(made, many))
            cut = f"{title}: the 10 most common of 12; the page of `headstart report` has all"
            said = " ".join(console.file.getvalue().split())
            assert (cut in said) == (count > 10) and title in said


@pytest.mark.promise(45)
def test_what_would_steer_a_terminal_is_not_printed():
    console = Console(file=io.StringIO(), width=80)
    console.print(problems([("amy\x1b[2J", "\udcfe.txt was left out")]))
    assert "amy�[2J" in console.file.getvalue()
    assert "\x1b" not in console.file.getvalue()
    console.file.getvalue().encode()

"""What `headstart explain` shows staff of the case that decided, and that nobody else sees more for it."""

import contextlib
import io
import json
from dataclasses import replace

import pytest
from traitlets.config import Config

from autograder.classroom.appeal import _values, cell
from autograder.grading.lesson import Lesson
from autograder.lessons import ROOT
from autograder.sheets import failing_case, outcome_of
from helpers.checking.calling.outcome import Outcome
from helpers.checking.sheet import Sheet, load_sheet
from tests.support.course import LESSON, Course
from tests.support.proved import ENGINE, follows_from

SOFTMAX, SLIP = "attention.softmax", "attention.find_slip"
# Each way to call an answer, in an exercise that has misconceptions.
DRIVERS = {
    "call": ("01_attention", "attention.scaled_dot_product"),
    "call_with_layer": ("01_attention", "attention.permutation"),
    "choice": ("01_attention", SLIP),
    "use_result": ("02_multihead", "multihead.both_neighbours"),
    "call_measured": ("05_complexity", "complexity.blockwise_attention"),
    "train": ("08_pretraining", "pretraining.training_step"),
    "copies": ("09_finetuning", "finetuning.moved"),
    "prepare": ("09_finetuning", "finetuning.freeze"),
    "draws": ("10_bert", "bert.mask_tokens"),
    "module": ("11_translation", "translation.decoder_block"),
}


def by_heart(sheet: Sheet) -> str:
    """An answer that is right for the sizes of the visible cases alone."""
    sizes = {tuple(case.args[0].shape) for case in sheet.cases}
    weights = (
        "(x - x.amax(dim, keepdim=True)).exp() / (x - x.amax(dim, keepdim=True)).exp().sum(dim, keepdim=True)"
    )
    return (
        "def softmax(x, dim):\n"
        f"    weights = {weights}\n"
        f"    return weights if tuple(x.shape) in {sizes} else weights.square()"
    )


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Course:
    course = Course(tmp_path_factory.mktemp("appeals"))
    course.hand_in("amy", {SOFTMAX: by_heart(load_sheet(SOFTMAX, course.root / "source" / LESSON))})
    course.hand_in("bob", {SLIP: "slip_line = 2", SOFTMAX: "raise SystemError"})
    course.run("headstart", "grade", LESSON)
    course.run("nbgrader", "db", "student", "add", "amys")
    return course


@pytest.mark.needs_bubblewrap
@follows_from(*ENGINE)
def test_the_hidden_case_that_decided_is_shown_with_a_cell_that_repeats_it(course) -> None:
    before = (course.root / "gradebook.db").read_bytes()
    said = course.run("headstart", "explain", LESSON, "amy", "1.2").stdout
    assert (
        "failed, 0 of 3 points" in said
        and course.verdicts()["amy"][SOFTMAX]["message"].split("\n")[1] in said
    )
    assert "What decided: hidden draw " in said and "expected: a tensor" in said
    assert (course.root / "gradebook.db").read_bytes() == before  # nothing is recorded
    code = by_heart(load_sheet(SOFTMAX, course.root / "source" / LESSON))
    names: dict = {}
    exec(code, names)
    shown = said[said.index(f"# {SOFTMAX}") :]
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(shown, names)
    assert "\nfailed\n" in printed.getvalue()
    # The case that students have under this number is another one.
    assert "take the inputs from" not in printed.getvalue()
    [difference] = [line.partition("in short: ")[2] for line in said.splitlines() if "in short" in line]
    assert difference in printed.getvalue()  # the very numbers
    theirs = json.dumps(course.autograded("amy")) + json.dumps(course.verdicts()["amy"])
    hidden = [line.strip() for line in said.partition("What decided")[2].splitlines() if "tensor([" in line]
    assert hidden and not any(line in theirs for line in hidden)


@pytest.mark.needs_bubblewrap
@follows_from(*ENGINE)
def test_what_no_hidden_case_decided_is_explained_too(course) -> None:
    said = course.run("headstart", "explain", LESSON, "bob", "Find the slip").stdout
    assert "returned: 2\n" in said and "expected: 4\n" in said  # choices, and not their digests
    assert "import json" not in said  # no cell: it would print digests
    said = course.run("headstart", "explain", LESSON, "bob", "softmax").stdout
    assert "SystemError" in said and "No case decided this" in said
    said = course.run("headstart", "explain", LESSON, "amy", "attention-permutation").stdout
    assert "passed, 3 of 3 points" in said and "passes all that decides: 6 cases" in said


@pytest.mark.needs_bubblewrap
@follows_from(*ENGINE)
def test_a_grade_that_is_recorded_differently_is_said(course) -> None:
    course.query("update headstart_grading set verdicts = replace(verdicts, 'failed', 'passed')")
    said = course.run("headstart", "explain", LESSON, "amy", "softmax").stdout
    assert (
        f"The gradebook has passed, 0 of 3 points: something has changed since. `headstart grade {LESSON}"
        in said
    )
    course.query("update grade set manual_score = 2")
    assert "points that a person gave" in course.run("headstart", "explain", LESSON, "amy", "softmax").stdout


@pytest.mark.needs_bubblewrap
@follows_from(*ENGINE)
@pytest.mark.parametrize(
    ("student", "exercise", "said"),
    [
        ("amyy", "softmax", "amyy hasn't handed in 01_attention; did you mean amy?"),
        ("amys", "softmax", "amys hasn't handed in 01_attention; 2 students did"),
        ("zoe", "softmax", "zoe hasn't handed in 01_attention; 2 students did"),
        ("amy", "1.7", "Question 1.7 is answered in words, and a person gives its points"),
        ("amy", "dot_or_additive", "is answered in words, and a person gives its points"),
        ("amy", "sofmax", "no exercise 'sofmax'; did you mean softmax? it has\n  attention.softmax: 1.2 "),
    ],
)
def test_who_or_what_is_not_there_is_said(course, student, exercise, said) -> None:
    done = course.run("headstart", "explain", LESSON, student, exercise, check=False)
    assert done.returncode == 2 and said in done.stderr and not done.stdout


@pytest.mark.parametrize("driver", DRIVERS)
@follows_from("autograder", "exercises", "helpers", "notebooks")
def test_each_way_to_call_an_answer_is_shown_and_repeated(driver) -> None:
    name, id = DRIVERS[driver]
    lesson = Lesson.load(name, ROOT, Config())
    sheet, exercise = lesson.visible[id], lesson.exercises[id]
    assert sheet.driver == driver
    wrong = exercise.misconceptions[0].variant
    at = failing_case(exercise, wrong, replace(sheet, slips={})) or 0
    code = cell(lesson, sheet, at, "of a test")
    answer = code.partition("run(sheet.driver, ")[2].partition(", case")[0]
    for variant, status in ((exercise.reference, "passed"), (wrong, "failed")):
        outcome = Outcome.from_json(outcome_of(exercise, variant, sheet.cases[at]).to_json())
        names = [name for name, _ in _values(sheet, at, outcome)]
        for result in ("returned", "expected"):
            assert len([name for name in names if name.startswith(result)]) in (1, len(sheet.returns))
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(code, {answer: variant})
        assert f"\n{status}\n" in printed.getvalue()

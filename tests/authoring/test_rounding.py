"""Rounding: references are exact, where it decides there are several right answers, and near ties are no draws."""

from dataclasses import replace
from typing import Any

import pytest
import torch

from autograder import sheets
from autograder.authoring import rounding, trials
from autograder.exercise import Exercise
from autograder.sheets import VISIBLE_SEED, HiddenSheets, make_sheet
from helpers.checking.calling.outcome import Case, Outcome


def turned(x):
    angle = torch.arange(len(x)).float() / 3
    return x * angle.cos()


def turned_exactly(x):
    return x * (torch.arange(len(x), dtype=x.dtype) / 3).cos()


def in_sixteenths(x):
    return (16 * x / 3).round() / 16


def likeliest(x):
    return x.softmax(-1).argmax(-1)


def largest(x):
    return x.amax(-1)


def above_the_mean(x):
    return x > x.mean()


def above_a_number(x):
    return torch.where(x > 0.5, x, 0)


def whole(x):
    return (3 * x).long()


def with_a_count(x):
    count = (x > 0).to(x.dtype).sum()
    return torch.where(count > 0, x.sum() / count.clamp(min=1), 0.0)


def exercise(reference: Any, **fields: Any) -> Exercise:
    cases = lambda g: [Case("numbers", (torch.randn(4, generator=g, dtype=torch.float64),))]  # noqa: E731
    return Exercise(
        **{"id": "topic.name", "title": "", "points": 1, "reference": reference, "cases": cases, **fields}
    )


@pytest.mark.parametrize(("reference", "said"), [(turned, 1), (turned_exactly, 0)])
def test_a_reference_that_rounds_to_float32_is_refused(reference, said) -> None:
    found = [problem.text for problem in trials.problems(exercise(reference), trials.Given(), lambda _: {})]
    text = 'in case "numbers", on the visible cases, the reference is less exact than answers have to be; let each'
    assert sum(each.startswith(text) for each in found) == said


def filled_in_float32(n):
    table = torch.zeros(n, 2)
    table[:, 1] = torch.arange(n) / 3
    return table


def filled_in_float64(n):
    return torch.stack([torch.zeros(n), torch.arange(n, dtype=torch.float64) / 3], -1)


def far_from_exact(n):
    return (torch.arange(n) * 1e5 + 0.3) % 1


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        (filled_in_float32, ""),  # no input says which dtype is wanted: torch's own is
        (filled_in_float64, "the reference gives float64, for which neither an input nor the docstring asks"),
        (far_from_exact, "let each step of it compute in float64, and give its result the dtype it should"),
    ],
)
def test_what_is_made_of_whole_numbers_alone_is_judged_by_its_own_dtype(reference, said) -> None:
    made = exercise(reference, cases=lambda g: [Case("sizes", (int(torch.randint(5, 9, (), generator=g)),))])
    found = [problem.text for problem in trials.problems(made, trials.Given(), lambda _: {})]
    told = [text for text in found if "the reference " in text]
    assert [said in text for text in told] == [True] * bool(said)


@pytest.mark.parametrize(
    ("reference", "operations"),
    [
        (in_sixteenths, {"round"}),
        (likeliest, {"argmax"}),
        (above_the_mean, {"gt"}),
        (whole, {"a cast to whole numbers"}),
        (largest, set()),
        (with_a_count, set()),  # counts aren't rounded, in whatever dtype they are
        (above_a_number, set()),  # the same numbers for everybody
        (turned_exactly, set()),
    ],
)
def test_where_rounding_decides_three_alternatives_are_asked_for(reference, operations) -> None:
    cases = make_sheet(exercise(reference), VISIBLE_SEED, misconceptions=False).cases
    assert rounding.decisions(exercise(reference), cases) == operations
    for count in (2, 3):
        made = exercise(reference, alternatives=(reference,) * count)
        found = [problem.text for problem in trials.problems(made, trials.Given(), lambda _: {})]
        asked = [text for text in found if "write at least 3 alternatives, each of which rounds" in text]
        assert len(asked) == (bool(operations) and count == 2)


def ties(g: torch.Generator) -> list[Case]:
    """A multiple of 3/32 in every other draw: its sixteenth part is half way between two."""
    return [Case("a number", (torch.randint(1, 9, (1,), generator=g) * 3 / 32 * (1 + 1e-3),))]


def half_down(x):
    return (16 * x / 3 - 0.01).round() / 16


def test_a_draw_on_which_rounding_decides_between_right_answers_is_drawn_again() -> None:
    decided = exercise(in_sixteenths, cases=ties)

    def differing(made: Exercise) -> int:
        hidden = HiddenSheets(b"of this test")
        inputs = [hidden.draw(made, number).cases[0].args[0] for number in range(HiddenSheets.DRAWS)]
        return sum(not torch.equal(in_sixteenths(x), half_down(x)) for x in inputs)

    assert differing(decided) > 0
    assert differing(replace(decided, alternatives=(half_down,))) == 0
    with pytest.raises(ValueError, match="by each of 30 draws turned fails"):
        HiddenSheets(b"of this test").draw(replace(decided, alternatives=(turned,)), 0)


def test_only_who_fails_has_right_answers_tried() -> None:
    decided = exercise(in_sixteenths, cases=ties, alternatives=(turned,))
    hidden, visible = HiddenSheets(b"of this test"), make_sheet(decided, VISIBLE_SEED)
    assert hidden.of(decided, "a submission").cases
    with pytest.raises(ValueError, match="by each of 30 draws turned fails"):
        hidden.explained(decided, "a submission", visible)


def test_visible_cases_that_are_just_fit_to_judge_by_are_refused(monkeypatch) -> None:
    """Somewhere else they may just not be, and students there would have others."""
    made = exercise(turned, cases=lambda g: [Case("numbers", (torch.randn(4, generator=g),))])
    assert sheets.is_clear(made)
    first = sheets.make_cases(made, VISIBLE_SEED)[0].args[0]

    def steady(exercise: Exercise, case: Case, expected: Outcome, margin: float) -> bool:
        return margin >= 1 or not torch.equal(case.args[0], first)  # which is steady, but only just

    monkeypatch.setattr(sheets, "_steady", steady)
    assert not sheets.is_clear(made)
    found = [problem.text for problem in trials._fit(made)]
    assert len(found) == 1 and "another processor may draw other visible cases" in found[0]

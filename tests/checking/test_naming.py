"""What values are called in messages: by their place in a list, and by the call that gave them."""

import numpy as np
import pytest

from autograder.exercise import Exercise
from autograder.sheets import VISIBLE_SEED, make_sheet, outcome_of
from helpers.checking.assessing import assess
from helpers.checking.calling.outcome import Case
from helpers.checking.finding import Finding

ONCE = Case("", (0,))


class Half:
    def of(self, number):
        return number / 2


class Whole:
    def of(self, number):
        return number


class Size:
    def of(self, numbers):
        return len(numbers)


class SizeAndOne:
    def of(self, numbers):
        return len(numbers) + 1


def found(right, answer, case, driver="call") -> Finding:
    exercise = Exercise("topic.it", "", 1, right, lambda generator: [case], driver, ("it",))
    sheet = make_sheet(exercise, VISIBLE_SEED)
    return assess(sheet, [outcome_of(exercise, answer, case) for case in sheet.cases])


@pytest.mark.parametrize(
    ("right", "given", "told"),
    [
        ([(1, 4)], [], "0 values, expected 1 value in `it`"),
        ([(-15, -1)], [(-13, -1)], "it[0][0] -13, expected -15"),
        ([[0.5]], [[0.25]], "it[0][0] 0.25, expected 0.5"),
        (3, None, "nothing (None), expected it 3"),
        (0.123456, None, "nothing (None), expected it 0.1235"),
        ("yes", None, "nothing (None), expected it 'yes'"),
    ],
)
def test_a_list_that_comes_back_is_one_value_even_with_one_value_in_it(right, given, told) -> None:
    finding = found(lambda _: right, lambda _: given, ONCE)
    assert finding.returned == told
    assert "how many values" not in finding.meaning


def test_the_one_call_of_an_object_is_called_by_its_method() -> None:
    finding = found(Half, Whole, Case("", ([], [["of", 3.0]])), "object")
    assert finding.returned == "call 1, of(3.0) 3, expected 1.5"


@pytest.mark.parametrize(
    ("argument", "told"),
    [
        (np.array([2.0]), "call 1, of(an array (1,)) "),
        (list(range(40)), "call 1, of(a list) "),
        ([2.0], "call 1, of([2.0]) "),
    ],
    ids=["an array", "a long list", "a short one"],
)
def test_what_a_method_is_called_with_is_said_whole_or_by_what_it_is(argument, told) -> None:
    finding = found(Size, SizeAndOne, Case("", ([], [["of", argument]])), "object")
    assert finding.returned.startswith(told)

"""What is said of an answer that is of the wrong kind, in exercises as other courses have them."""

import math
from dataclasses import dataclass, replace
from datetime import date

import numpy as np
import pandas as pd
import pytest

from autograder.authoring.mutating.slips import slips
from autograder.exercise import Exercise
from autograder.sheets import VISIBLE_SEED, make_sheet, outcome_of
from helpers.checking.assessing import assess
from helpers.checking.calling.outcome import CallStatus, Case, Outcome
from helpers.checking.calling.values import Record
from helpers.checking.comparing import IN_A_LIST, compare
from helpers.checking.comparing_frames import (
    COLUMNS,
    FRAME,
    INDEX,
    IS_INDEX,
    LEVELS,
    MOVED,
    NO_INDEX,
    NOT_THESE,
    OTHER_ROWS,
    TURNED,
)
from helpers.checking.differences import ELSEWHERE, LAZY, NO_KIND, NOT_ASKED_FOR
from helpers.checking.explaining.causes import ONE_CHANGE
from helpers.checking.explaining.contrast import contrast
from helpers.checking.explaining.leftovers import KEPT, left_over
from helpers.checking.finding import Finding


@dataclass
class Summary:
    count: int
    mean: float


def summary(numbers):
    return Summary(len(numbers), sum(numbers) / len(numbers))


def as_tuple(numbers):
    return len(numbers), sum(numbers) / len(numbers)


def as_dict(numbers):
    return {"count": len(numbers), "mean": sum(numbers) / len(numbers)}


def counts(words):
    small = [word.lower() for word in words]
    return {word: small.count(word) for word in small}


def of_pairs(words):
    return [(word, words.count(word)) for word in words]


def with_capitals(words):
    return {word: words.count(word) for word in words}


def sums(numbers):
    total = 0
    for number in numbers:
        total += number
        yield total


def only_the_last(numbers):
    return float(sum(numbers))


def nothing(numbers):
    print(numbers)


class Stubborn:
    def __iter__(self):
        raise TypeError("no loop today")


def raises_when_looped_over(numbers):
    return Stubborn()


def by_town(frame):
    return frame.groupby("town", as_index=False)["age"].mean()


def by_age(frame):
    return by_town(frame).sort_values("age")


def by_age_from_0(frame):
    return by_age(frame).reset_index(drop=True)


DAY = date(2024, 2, 29)
NUMBERS = [Case("numbers", ([1.0, 2.0, 6.5],)), Case("others", ([3.0, 2.5],))]
WORDS = [Case("none", ([],)), Case("some", (["a", "A", "b"],))]
LOOPED = [Case("numbers", (9, [1.0, 2.0, 6.5])), Case("others", (9, [3.0, 2.5]))]
FRAMES = [
    Case("sorted by age", (pd.DataFrame({"town": ["a", "b"], "age": [2.0, 3.5]}),)),
    Case("not sorted", (pd.DataFrame({"town": ["a", "b", "c"], "age": [9.0, 1.5, 4.0]}),)),
    Case("one is missing", (pd.DataFrame({"town": ["a", "b", "c", "d"], "age": [4.5, np.nan, 1.0, 2.0]}),)),
]


TOWNS = [
    Case(f"{n} people", (pd.DataFrame({"town": list("abc") * n, "age": np.linspace(3, 70, 3 * n) ** 1.3}),))
    for n in (2, 3)
]


def means(frame):
    return frame.groupby("town")["age"].mean().reset_index()


def as_series(frame):
    return frame.groupby("town")["age"].mean()


def as_frame(frame):
    return frame.groupby("town")[["age"]].mean()


def in_levels(frame):
    return frame.groupby("town").agg({"age": ["mean"]})


def renamed(frame):
    return means(frame).set_axis(["town", "mean"], axis=1)


def turned(frame):
    return means(frame)[::-1].reset_index(drop=True)


def in_a_dict(frame):
    return as_series(frame).to_dict()


def found(right, answer, cases, driver="call", mutants=False) -> Finding:
    exercise = Exercise("topic.it", "", 1, right, lambda generator: cases, driver, ("it",))
    sheet = make_sheet(exercise, VISIBLE_SEED)
    sheet = replace(sheet, slips=slips(exercise)) if mutants else sheet
    return assess(sheet, [outcome_of(exercise, answer, case) for case in sheet.cases])


@pytest.mark.parametrize(("answer", "what"), [(as_tuple, "a list"), (as_dict, "a dict")])
def test_what_stands_in_for_a_dataclass_is_told_by_the_name_of_the_class(answer, what) -> None:
    finding = found(summary, answer, NUMBERS)
    assert finding.returned == f"it: {what}, expected a Summary"
    assert finding.meaning.startswith("The docstring names the class of what comes back")


def test_an_empty_list_for_a_dict_is_one_value_of_the_wrong_kind() -> None:
    finding = found(counts, of_pairs, WORDS)
    assert (finding.returned, finding.meaning) == ("it: a list, expected a dict", NO_KIND)


def test_that_all_else_is_there_is_said_only_where_it_is_right() -> None:
    right, more = {"yes": 3, "no": 1}, {"Yes": 1}
    assert compare(right, right | more).meaning == NOT_ASKED_FOR
    assert compare(right, {"yes": 2, "no": 1} | more).meaning == ELSEWHERE
    assert found(counts, with_capitals, WORDS).meaning == ELSEWHERE


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (only_the_last, "a number, expected 3 values in `it`"),
        (nothing, "nothing (None), expected 3 values in `it`"),
        (raises_when_looped_over, "nothing: it raised TypeError: no loop today"),
    ],
)
def test_what_cannot_be_looped_over_is_told_by_what_it_is(answer, told) -> None:
    assert found(sums, answer, LOOPED, "iterate").returned.startswith(told)


def test_of_numbers_that_may_go_in_as_nan_it_is_said_that_those_spread() -> None:
    holes = np.array([1.0, np.nan, 3.0])
    said = compare(np.array([-1.0, np.nan, 1.0]), holes - holes.mean()).meaning
    assert said.startswith("NaN comes from a NaN that goes in")


def test_of_rows_in_a_different_order_nothing_is_said_of_a_column() -> None:
    assert found(by_town, by_age, FRAMES).meaning == MOVED
    assert found(by_age_from_0, by_town, FRAMES).meaning == MOVED


def test_sorted_rows_that_kept_their_old_index_are_in_no_different_order() -> None:
    assert found(by_age_from_0, by_age, FRAMES).meaning == INDEX
    assert found(by_age, by_age_from_0, FRAMES).meaning == INDEX


@pytest.mark.parametrize(
    ("right", "answer", "said"),
    [
        (means, as_series, f"{ONE_CHANGE} a function call is missing"),
        (means, as_frame, IS_INDEX),
        (means, in_levels, LEVELS),
        (means, renamed, COLUMNS),
        (means, turned, MOVED),
        (means, in_a_dict, NO_KIND),
        (as_series, as_frame, FRAME),
        (as_frame, means, NO_INDEX),
    ],
)
def test_a_frame_is_told_by_what_is_seen_of_it_and_by_a_change_only_if_that_gives_it(right, answer, said):
    assert found(right, answer, TOWNS, mutants=True).meaning.startswith(said)


def turned_frame(frame):
    return as_frame(frame).T


def older(frame):
    return frame[frame["age"] > 20]


def younger(frame):
    return frame[frame["age"] < 20]


def best(frame):
    return frame.nlargest(2, "age")


def worst(frame):
    return frame.nsmallest(2, "age")


@pytest.mark.parametrize(
    ("right", "answer", "said"),
    [(as_frame, turned_frame, TURNED), (best, worst, NOT_THESE), (best, younger, OTHER_ROWS)],
)
def test_rows_that_are_others_are_not_told_as_renamed(right, answer, said):
    assert found(right, answer, TOWNS).meaning.startswith(said)


def evens(numbers):
    return [number for number in numbers if number % 2 == 0]


def kept(numbers, found=[]):  # noqa: B006 (the mistake)
    found.extend(evens(numbers))
    return found


def generated(numbers):
    yield from evens(numbers)


def first(numbers):
    return evens(numbers)[0]


def last(numbers):
    return evens(numbers)[-1]


def backwards(numbers):
    return evens(numbers)[::-1]


def nested(numbers):
    return [[number] for number in evens(numbers)]


def in_pairs(words):
    return [(word.lower(), 1) for word in words]


def in_a_set(words):
    return {word.lower() for word in words}


def counted_on(words, found={}):  # noqa: B006 (the mistake)
    for word in words:
        found[word.lower()] = found.get(word.lower(), 0) + 1
    return found


INTEGERS = [Case("some", ([1, 2, 4, 6],)), Case("more", ([8, 7, 10, 22],)), Case("again", ([12, 30, 14],))]
TEXTS = [Case("some", (["a", "A", "b"],)), Case("others", (["c", "d"],))]


@pytest.mark.parametrize(
    ("right", "answer", "cases", "said"),
    [
        (evens, kept, INTEGERS, KEPT),
        (counts, counted_on, TEXTS, KEPT),
        (evens, generated, INTEGERS, LAZY),
        (evens, first, INTEGERS, "This is the first value alone"),
        (evens, last, INTEGERS, "This is the last value alone"),
        (evens, backwards, INTEGERS, "The right values, in reverse order."),
        (evens, nested, INTEGERS, IN_A_LIST),
        (counts, in_pairs, TEXTS, NO_KIND),
        (counts, in_a_set, TEXTS, NO_KIND),
        (lambda day, n: day, lambda day, n: str(day), [Case("a day", (DAY, 1))], NO_KIND),
    ],
)
def test_ordinary_slips_in_plain_python_are_told(right, answer, cases, said):
    assert found(right, answer, cases).meaning.startswith(said)


def variance(numbers):
    mean = sum(numbers) / len(numbers)
    return sum((number - mean) ** 2 for number in numbers) / (len(numbers) - 1)


@pytest.mark.parametrize(
    ("right", "answer", "told"),
    [
        (variance, np.var, "(n − 1)/n, where n is the length of `numbers`"),
        (
            lambda numbers: variance(numbers) ** 0.5,
            np.std,
            "√((n − 1)/n), where n is the length of `numbers`",
        ),
        (lambda numbers: float(np.mean(numbers)), np.sum, "the length of `numbers`"),
    ],
)
def test_a_sum_for_a_mean_and_all_for_a_sample_are_told_by_the_length(right, answer, told):
    cases = [
        Case("three", (), {"numbers": [1.5, 2.0, 9.0]}),
        Case("four", (), {"numbers": [4, -2.5, 3.25, 8]}),
    ]
    finding = found(right, lambda numbers: float(answer(numbers)), cases)
    assert finding.meaning.startswith(f"Every number is the right one times {told}.")


def test_a_factor_in_one_case_has_no_name_where_two_would_fit() -> None:
    def right(numbers, k):
        return [sum(numbers[i : i + k]) / k for i in range(len(numbers) - k + 1)]

    def by_length(numbers, k):
        return [number * k / len(numbers) for number in right(numbers, k)]

    numbers = [0.5, 1.75, -3.0, 2.25, 9.5, 4.0, -1.5, 0.75, 6.0]
    cases = [Case(f"{k}", (), {"numbers": numbers[:n], "k": k}) for n, k in ((9, 3), (7, 2), (5, 4))]
    assert found(right, by_length, cases).meaning.startswith("None of the mistakes we know")


def test_what_is_kept_from_before_is_all_that_is_too_much():
    rights = [Outcome(CallStatus.RETURNED, value) for value in ({"a": 1}, {"b": 1, "c": 2}, {"d": 1})]
    one = [*rights[:2], Outcome(CallStatus.RETURNED, {"a": 1, "d": 1})]
    more = [*rights[:2], Outcome(CallStatus.RETURNED, {"a": 1, "b": 1, "d": 1})]
    else_too = [*rights[:2], Outcome(CallStatus.RETURNED, {"a": 1, "b": 1, "d": 1, "e": 1})]
    assert [left_over(rights, each, [2]) for each in (one, more, else_too)] == [False, True, False]


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ([-40.0], [212.0, 50.5], "`f` is positive"),
        ([0.0], [212.0, -3.0], "`f` isn't 0"),
        ([0.0], [212.0, 50.5], "`f` isn't 0"),
        ([3.0, 0.0], [-3.0, -40.0], "`f` is negative"),
        ([3.0, -2.0], [-3.0, 40.0], ""),
    ],
)
def test_what_is_said_of_a_sign_is_true_of_the_wrong_cases_alone(right, wrong, told):
    cases = ([Case(f"{f}", (), {"f": f}) for f in group] for group in (right, wrong))
    assert contrast(*cases) == (f"Wrong only where {told}." if told else "")


@pytest.mark.parametrize(
    ("factor", "told"), [(1000, "1000 times"), (math.pi / 180, "π/180 times"), (0.001, "a thousandth of")]
)
def test_units_that_are_taken_for_others_are_told(factor, told):
    def right(x):
        return x**2 + 3.7

    finding = found(right, lambda x: right(x) * factor, [Case(f"{x}", (x,)) for x in (1.5, 2.0)])
    assert finding.meaning.startswith(f"Every number is {told} the right one.")


def test_a_record_reads_as_the_instance_does() -> None:
    assert repr(Record("Summary", {"count": 2, "mean": 1.5})) == "Summary(count=2, mean=1.5)"


def one_hot(labels, n):
    return np.eye(n)[labels]


def counted_from_the_labels(labels, n):
    return np.eye(labels.max() + 1)[labels]


def test_a_shape_that_is_wrong_is_told_before_an_exception_of_another_case() -> None:
    """It is certain; of an exception is said what mostly leads to it, such as that an array is empty."""
    cases = [
        Case("all", (np.array([0, 2, 1]), 3)),
        Case("without the last", (np.array([0, 1]), 4)),
        Case("none", (np.array([], dtype=int), 3)),
    ]
    said = found(one_hot, counted_from_the_labels, cases)
    assert (said.cause, said.case) == ("shape", "case 2 of 3: without the last")

"""What is said of an answer that is of the wrong kind, in exercises as other courses have them."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest

from autograder.authoring.mutating.slips import slips
from autograder.exercise import Exercise
from autograder.sheets import VISIBLE_SEED, make_sheet, outcome_of
from helpers.checking.assessing import assess
from helpers.checking.calling.outcome import Case
from helpers.checking.calling.values import Record
from helpers.checking.comparing import compare
from helpers.checking.comparing_arrays import COLUMNS, FRAME, IS_INDEX, LEVELS, MOVED, NO_INDEX
from helpers.checking.differences import ELSEWHERE, NO_KIND, NOT_ASKED_FOR
from helpers.checking.explaining.causes import ONE_CHANGE
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


def test_a_record_reads_as_the_instance_does() -> None:
    assert repr(Record("Summary", {"count": 2, "mean": 1.5})) == "Summary(count=2, mean=1.5)"

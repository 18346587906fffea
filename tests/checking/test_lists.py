"""What is said of lists, and of dataclasses that have them, where some of the values are right."""

import random
from dataclasses import dataclass

from autograder.exercise import Exercise
from autograder.sheets import VISIBLE_SEED, make_sheet, outcome_of
from helpers.checking.assessing import assess
from helpers.checking.calling.outcome import Case
from helpers.checking.explaining.causes import IN_ONE_CASE


@dataclass
class Route:
    length: int
    towns: list


def walk(towns):
    return Route(len(towns) - 1, list(towns))


def without_the_goal(towns):
    return Route(len(towns) - 1, list(towns)[:-1])


def backwards_where_short(towns):
    return Route(len(towns) - 1, list(towns)[:-1] if len(towns) > 3 else list(towns)[::-1])


def cases(generator: random.Random) -> list[Case]:
    return [Case(f"{n} towns", (generator.sample("abcdefgh", n),)) for n in (5, 4, 3)]


def said_of(answer) -> str:
    exercise = Exercise(id="topic.walk", title="", points=1, reference=walk, cases=cases)
    sheet = make_sheet(exercise, VISIBLE_SEED)
    return assess(sheet, [outcome_of(exercise, answer, case) for case in sheet.cases]).meaning


def test_of_a_list_in_a_dataclass_it_is_said_which_end_is_missing() -> None:
    assert said_of(without_the_goal).startswith("The right values, with some missing at the end.")


def test_what_is_true_of_one_list_is_said_of_that_case() -> None:
    assert said_of(backwards_where_short) == f"The right values, with some missing at the end. {IN_ONE_CASE}"

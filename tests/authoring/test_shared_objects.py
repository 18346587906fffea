"""A class whose objects share their lists and dicts is a mutant, and is recognised where somebody wrote it."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from autograder.authoring.mutating.around import SHARED, every
from autograder.authoring.mutating.slips import SHARE_ALL, slips
from autograder.authoring.mutating.trying import drawn, survivors
from autograder.exercise import Exercise
from autograder.sheets import VISIBLE_SEED, make_sheet, outcome_of
from helpers.checking.assessing import assess
from helpers.checking.calling.outcome import Case
from helpers.checking.explaining.causes import ONE_CHANGE


class Queue:
    def __init__(self, size):
        self.size, self.waiting = size, []

    def put(self, number):
        self.waiting.append(number)

    def take(self):
        return self.waiting.pop(0) if self.waiting else None


class QueueInTheClass:
    waiting = []  # noqa: RUF012

    def __init__(self, size):
        self.size = size

    def put(self, number):
        self.waiting.append(number)

    def take(self):
        return self.waiting.pop(0) if self.waiting else None


class Names:
    """Keeps a dict, which nothing changes once it is made."""

    def __init__(self, size):
        self.names = {n: f"number {n}" for n in range(9)}

    def name(self, number):
        return self.names[number]


class WithSlots:
    __slots__ = ("waiting",)

    def __init__(self, size):
        self.waiting = []

    def put(self, number):
        self.waiting.append(number)


def emptied(generator: random.Random) -> list[Case]:
    """Each object is empty in the end, so what they share has nothing in it when the next begins."""
    return [
        Case("nothing", ([3], [["take"]])),
        Case("one", ([3], _put(generator, 1) + 2 * [["take"]])),
        Case("five", ([3], _put(generator, 5) + 6 * [["take"]])),
    ]


def left(generator: random.Random) -> list[Case]:
    """The first object has something in it in the end."""
    return [Case("some are left", ([3], [*_put(generator, 4), ["take"]])), *emptied(generator)]


def _put(generator: random.Random, count: int) -> list[list]:
    return [["put", generator.uniform(-9, 9)] for _ in range(count)]


def queue(cases: Callable, reference: type = Queue) -> Exercise:
    return Exercise(id="topic.queue", title="", points=1, driver="object", reference=reference, cases=cases)


def test_objects_that_share_a_list_pass_only_cases_that_leave_nothing_in_it() -> None:
    assert SHARED in [each.mutant.kind for each in survivors(queue(emptied)) if each.everywhere]
    assert SHARED not in [each.mutant.kind for each in survivors(queue(left))]


@pytest.mark.parametrize("reference", [Names, WithSlots])
def test_what_no_call_changes_and_what_has_no_dict_is_no_mutant(reference: type) -> None:
    method = "name" if reference is Names else "put"
    exercise = queue(lambda g: [Case(str(n), ([3], [[method, n], [method, n]])) for n in (1, 2)], reference)
    visible, *_ = drawn(exercise)
    assert SHARED not in [each.kind for each in every(exercise, visible)]


def test_who_shares_a_list_is_told_so() -> None:
    """Also where no author has thought of it."""
    exercise = queue(left)
    sheet = replace(make_sheet(exercise, VISIBLE_SEED), slips=slips(exercise))
    outcomes = [outcome_of(exercise, QueueInTheClass, case) for case in sheet.cases]
    assert f"{ONE_CHANGE} {SHARE_ALL}" in assess(sheet, outcomes).meaning

"""Slips to catch: the code does on each input what its entry says, and what is asked about came before."""

import ast
import math

import pytest
import torch

from autograder import exercises
from autograder.lessons import TOPICS
from autograder.recall import LETTERS, NONE, Recall, recall
from helpers.checks import compare

ALL = {id: it for topic in TOPICS for id, it in exercises.load(topic).items() if isinstance(it, Recall)}
each = pytest.mark.parametrize("item", ALL.values(), ids=ALL)


def given(code: str, call: str, names: dict[str, object]) -> object:
    """What a call gives in a namespace in which some code has run; an exception as its kind."""
    room = {"torch": torch, "math": math} | names
    exec(code, room)
    torch.manual_seed(0)
    try:
        return eval(call, room)
    except Exception as error:
        return type(error).__name__


def same(left: object, right: object) -> bool:
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(same, left, right))
    return type(left) is type(right) and compare(left, right) is None


@each
def test_an_input_shows_the_slip_if_the_entry_says_so_and_no_other_does(item: Recall) -> None:
    name = next(node.name for node in ast.parse(item.code).body if isinstance(node, ast.FunctionDef))
    reference = exercises.load(item.about.partition(".")[0])[item.about].reference
    shows = []
    for letter, call in zip(LETTERS, item.inputs, strict=False):
        found, wanted = given(item.code, call, {}), given("", call, {name: reference})
        assert not isinstance(wanted, str), f"{call} raises {wanted} with the reference itself"
        if not same(found, wanted):
            shows.append(letter)
    wanted = item.reference["input that shows it"]
    assert shows == ([] if wanted == NONE else [wanted])


@each
def test_it_asks_about_an_earlier_lesson(item: Recall) -> None:
    assert TOPICS.index(item.about.partition(".")[0]) < TOPICS.index(item.topic)


@pytest.mark.parametrize("topic", TOPICS)
def test_three_items_take_less_than_eight_minutes(topic: str) -> None:
    items = [it for it in ALL.values() if it.topic == topic]
    assert len(items) in (0, 3)
    assert sum(it.minutes for it in items) < 8


def test_a_slip_without_an_input_is_refused() -> None:
    with pytest.raises(ValueError, match="a slip has a line and an input"):
        recall("a.b", "c.d", title="", task="", code="x", inputs=("x",), hint="", line=1)

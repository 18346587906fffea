"""A change is said in a teacher's words: what is missing, what is there instead, and beside what."""

import ast
import re
from dataclasses import replace

import torch

from autograder import exercises
from autograder.authoring.mutating import slips as slipping
from autograder.authoring.mutating.mutants import mutants
from autograder.authoring.mutating.words import describe
from tests.support.proved import COURSE, follows_from

pytestmark = follows_from(*COURSE)


class Gated:
    """As somebody else writes it: a method and a function that only this answer has."""

    def forward(self, x):
        def gate(y):
            return y**3

        return self.squeezed(gate(x)) ** 5

    def squeezed(self, y):
        return y**7


def test_a_place_is_named_only_by_a_method_that_the_exercise_asks_for():
    exercise = exercises.load("block")["block.feed_forward"]
    told = mutants(replace(exercise, reference=Gated, alternatives=()))
    places = {describe(each, exercise)[1] for each in told if each.kind == "constant"}
    assert {" (in `forward`)", " (in `forward`, the step with `x`)"} <= places
    assert not any("gate" in place or "squeezed" in place for place in places), places


def curve(x):
    if x[0] > 2.5:
        return x[-1]
    return 7.5 * x[1:] ** 3.5


def test_a_number_is_called_by_what_it_does():
    """Others write `sqrt` for `** 0.5`: told that a number is half of what it should be, they find none."""
    exercise = exercises.load("attention")["attention.softmax"]
    told = mutants(replace(exercise, reference=curve, alternatives=()))
    said = {describe(each, exercise)[0] for each in told if each.kind == "constant"}
    assert said >= {
        "an exponent is half of what it should be",
        "a number in a comparison is 1 too large",
        "a number is twice what it should be",
        "the wrong index is used, -2",
        "the wrong index is used, 1",
        "a slice starts at the wrong place, 0",
    }


def chained(x, mask):
    ranks = x.abs().argsort().argsort()
    return torch.where(mask == -7, ranks.to(x), x[0])


def test_what_a_chain_leaves_out_is_missing_and_no_other_function_is_named():
    """The rest of `x.argsort().argsort()` is no other function, though it takes the same arguments: none."""
    exercise = replace(exercises.load("attention")["attention.softmax"], reference=chained, alternatives=())
    made = [each for each in mutants(exercise, slipping.confusions) if each.kind == "call"]
    said = {describe(each, exercise)[0] for each in made}
    assert said >= {"a sort is missing", "an absolute value is missing"}
    assert not any("changed to `argsort`" in each or "changed to `abs`" in each for each in said)


def one_line(x, mask, dim):
    total = x.abs() + mask.exp()
    left = (total - x.amax(dim)) / x.std(dim) ** 0.5
    return left * total.sum(dim=dim, keepdim=True) - x / 2


def told_of(answer, *, exact: bool) -> set[str]:
    exercise = replace(exercises.load("attention")["attention.softmax"], reference=answer, alternatives=())
    made = mutants(exercise, slipping.confusions)
    return {"".join(describe(each, exercise, exact=exact)) for each in made}


def test_of_a_sign_without_its_code_it_is_said_that_two_are_mixed_up():
    """Where a right answer multiplies by a reciprocal, people divide: they have a `*` where it has a `/`."""
    for exact in (True, False):
        said = told_of(one_line, exact=exact)
        assert any(each.startswith("`*` and `/` are mixed up") for each in said)
        assert not any(re.match(r"`[*/]` is used in place of `[*/]`(?!: `)", each) for each in said)


def test_a_sentence_says_what_is_missing_and_beside_what():
    """Told only that everything before a `/` is missing, or that one operator is another, people search."""
    said = told_of(one_line, exact=True)
    assert said >= {
        "`- x.amax(dim)` is missing",
        "`+ mask.exp()` is missing (the step with `x` and `mask`)",
        "`*` is used in place of `/`: `x * 2`",
        "`x /` is missing before `2`",
        "the numerator above `x.std(dim) ** 0.5` is missing",
        "`keepdim=True` is missing (the step with `dim`)",
        "`mean` is used where a sum belongs (the step with `dim`)",
        "a factor is missing: a sum (the step with `dim`)",
    }, sorted(said)
    assert not any("everything before" in each or "operator is changed" in each for each in said)


def test_code_with_a_name_of_the_reference_s_own_is_not_quoted():
    quotes = {code for each in told_of(one_line, exact=True) for code in re.findall("`([^`]*)`", each)}
    assert not any(name in code for code in quotes for name in ("total", "left"))


def test_a_wrong_number_in_a_test_of_equality_is_wrong_by_whatever_amount():
    exercise = replace(exercises.load("attention")["attention.softmax"], reference=chained, alternatives=())
    said = [describe(each, exercise)[0] for each in mutants(exercise) if each.kind == "constant"]
    assert said.count("a comparison has the wrong number") > 1


def test_a_name_that_gives_a_dtype_alone_is_taken_for_no_other():
    """`y.to(mask)` makes zeros of sines, which has little to do with the mask."""
    exercise = replace(exercises.load("attention")["attention.softmax"], reference=chained, alternatives=())
    made = [each for each in mutants(exercise, slipping.confusions) if each.kind == "name"]
    assert made and not any(ast.unparse(each.place.around[0]) == "ranks.to(x)" for each in made)


def test_two_changes_of_one_kind_are_told_in_one_breath():
    texts = [("a sum uses the wrong axis, -2", " (there)"), ("a sum uses the wrong axis, 0", " (there)")]
    assert slipping._told(texts) == "a sum uses the wrong axis, -2 or 0 (there)"
    assert slipping._told([texts[0], ("a sum is missing", " (there)")]) == (
        "a sum uses the wrong axis, -2 or a sum is missing (there)"
    )


def test_one_change_at_two_places_is_told_once():
    said = "an `if` leaves out everything"
    assert slipping._told([(said, " (the step with `x`)"), (said, " (in the `return`)")]) == (
        f"{said} (the step with `x`, or in the `return`)"
    )
    assert slipping._told([(said, ""), (said, " (in the `return`)")]) == said


def test_what_two_sentences_say_in_other_words_is_said_once():
    texts = [("`dim` is missing in a concatenation", ""), ("a concatenation uses the wrong axis, 0", "")]
    assert slipping._distinct(texts) == texts[1:]
    texts = [("`+ 1` is missing", ""), ("a number is 0, which it shouldn't be: `x + 0`", "")]
    assert slipping._distinct(texts) == texts[:1]


def test_of_many_changes_that_give_the_same_the_words_they_share_are_said():
    def change(n: int, shared: str):
        return lambda *, exact: (f"{shared}: `{n}`" if exact else shared, "")

    assert slipping._few([change(n, "a sign is wrong") for n in range(3)]) == [("a sign is wrong", "")]
    assert slipping._few([change(n, f"{n}") for n in range(2)]) == [("0: `0`", ""), ("1: `1`", "")]
    assert slipping._few([change(n, f"{n}") for n in range(3)]) == []

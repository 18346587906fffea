"""What is said of wrong numbers that no known mistake gives is true of them, in every case."""

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pytest
import torch

from helpers.checking.calling.outcome import CallStatus, Case, Outcome
from helpers.checking.explaining.relations import relation

MASK = torch.tensor([[0, 1, 0, 0, 1], [1, 0, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0, 1, 0, 0]]).bool()


def told(wrong, right=lambda x, mask: x.softmax(-1) + x**3, square: bool = False) -> str:
    """What is said of an answer on two cases, whose sizes differ."""
    g = torch.Generator().manual_seed(0)
    cases = []
    for rows, columns in ((4, 4), (3, 3)) if square else ((4, 5), (3, 5)):
        x = torch.randn(rows, columns, generator=g)
        cases.append((x, MASK[:rows, :columns]))

    def returned(function, case) -> Outcome:
        return Outcome(CallStatus.RETURNED, function(*(t.clone() for t in case)))

    triples = [(Case("", case), returned(right, case), returned(wrong, case)) for case in cases]
    return relation(triples)


def y(x):
    return x.softmax(-1) + x**3


TRUE = {
    "the input": (lambda x, m: x, "input 1, unchanged"),
    "the mask": (lambda x, m: m.float() * 0 + x, "input 1"),
    "zeros": (lambda x, m: x * 0, "0"),
    "the sign": (lambda x, m: -y(x), "wrong sign"),
    "twice": (lambda x, m: 2 * y(x), "2 times the right one."),
    "half": (lambda x, m: y(x) / 2, "half of the right one."),
    "times a size": (
        lambda x, m: y(x) * len(x),
        "the right one times the size of axis -2 of input 1.",
    ),
    "divided by a root": (
        lambda x, m: y(x) / 5**0.5,
        "the right one divided by the square root of the size of axis -1 of input 1.",
    ),
    "a factor that differs from case to case": (
        lambda x, m: y(x) * (2 if len(x) == 4 else 3.7),
        "times the same factor",
    ),
    "any factor": (lambda x, m: y(x) * 1.7, "times the same factor"),
    "one too large": (lambda x, m: y(x) + 1, "1 too large"),
    "two too small": (lambda x, m: y(x) - 2, "2 too small"),
    "off by something": (lambda x, m: y(x) + 0.3, "off by the same amount"),
    "late": (lambda x, m: y(x).roll(1, 0), "one position too late along axis -2"),
    "early": (lambda x, m: torch.cat([y(x)[:, 1:], x[:, :1]], 1), "one position too early along axis -1"),
    "reversed": (lambda x, m: y(x).flip(-1), "in reverse along axis -1"),
    "permuted": (lambda x, m: y(x)[:, [2, 0, 1, 4, 3]], "positions of axis -1 in a different order"),
    "the last row alone": (lambda x, m: y(x)[-1], "this is the last position of axis -2 of the right"),
    "without the last column": (lambda x, m: y(x)[:, :-1], "the end of axis -1 is missing"),
    "without some": (lambda x, m: y(x)[~m], "the rest have moved up"),
    "transposed": (lambda x, m: y(x).T, "axes -2 and -1 in a different order"),
    "reshaped": (lambda x, m: y(x).flatten(), "another shape"),
    "squared": (lambda x, m: y(x) ** 2, "square"),
    "exponential": (lambda x, m: y(x).exp(), "e to the power"),
    "complement": (lambda x, m: 1 - y(x), "1 minus"),
    "rows": (
        lambda x, m: y(x) * (1 + x[:, :1].abs()),
        "Each row is off by a factor of its own",
    ),
    "masked": (lambda x, m: y(x).masked_fill(m, 0), "except where input 2 is True"),
    "first": (lambda x, m: torch.cat([x[:, :1] + 9, y(x)[:, 1:]], 1), "Right, except in the first column."),
    "last": (lambda x, m: torch.cat([y(x)[:, :4], x[:, :1]], 1), "Right, except in the last column."),
    "but first": (
        lambda x, m: torch.cat([y(x)[:, :1], x[:, 1:] ** 2], 1),
        "Right only in the first column.",
    ),
    "but two": (
        lambda x, m: torch.cat([y(x)[:, :2], x[:, 2:] ** 2], 1),
        "Right only in the first two columns.",
    ),
    "by the logarithm to another base": (lambda x, m: y(x) / math.log(10), "1/ln 10 times"),
    "without the input": (lambda x, m: y(x) - x, "minus input 1: input 1 isn't added."),
    "with the input": (lambda x, m: y(x) + x, "plus input 1: input 1 is added too often."),
    "times the input": (lambda x, m: y(x) * x, "times input 1"),
    "each row in another order": (lambda x, m: y(x).sort(-1).values, "Each row has the right"),
    "jumbled altogether": (
        lambda x, m: y(x).flatten()[torch.arange(x.numel()) * 7 % x.numel()].reshape(x.shape),
        "All the right numbers, but in the wrong places.",
    ),
    "other numbers are 0": (
        lambda x, m: y(x) * (torch.arange(x.numel()).reshape(x.shape) % 4 > 0),
        "except that some are 0 that shouldn't be.",
    ),
    "a softmax more": (lambda x, m: y(x).softmax(-1), "the softmax of the right ones along axis -1"),
    "a log_softmax more": (
        lambda x, m: y(x).log_softmax(0),
        "the log_softmax of the right ones along axis -2",
    ),
    "a number added to each row": (lambda x, m: y(x) + x[:, :1], "is off by a number of its own"),
    "a column too few": (lambda x, m: y(x)[:, :-1], "The right numbers, but the end of axis -1 is missing."),
    "a column more in front": (
        lambda x, m: torch.cat([x[:, :1], y(x)], 1),
        "more before them along axis -1",
    ),
    "one too short": (lambda x, m: x[:, 1:].sin(), "Axis -1 is 1 too short."),
    "side by side": (lambda x, m: torch.cat([x.sin(), x.cos()], 1), "Axis -1 is 2 times as long"),
    "an axis too many": (
        lambda x, m: torch.stack([x, y(x)], 1),
        "There is one axis too many: the last position of axis -2 gives the right numbers.",
    ),
    "summed up": (lambda x, m: y(x).sum(-1), "this is the sum over axis -1 of the right numbers"),
    "one of several": (lambda x, m: (x.sin(), y(x)), "The value at place [1] of these is right"),
    "all rows alike": (
        lambda x, m: x[:1].sin().expand(x.shape),
        "All rows have the same numbers",
    ),
}


@pytest.mark.parametrize("name", TRUE)
def test_what_is_true_is_said(name):
    wrong, sentence = TRUE[name]
    assert sentence in told(wrong)


def test_a_named_factor_is_said_of_a_few_numbers_too():
    """In one case there are two numbers, in the other six."""
    rights = torch.tensor([0.7, -1.3]), torch.arange(1.0, 7) / 7
    for change, said in ((lambda x: x / math.log(2), "1/ln 2 times"), (lambda x: x + 1, "1 too large")):
        returned = [Outcome(CallStatus.RETURNED, change(right)) for right in rights]
        triples = [
            (Case("", ()), Outcome(CallStatus.RETURNED, right), got)
            for right, got in zip(rights, returned, strict=True)
        ]
        assert said in relation(triples)
        assert said in relation(triples[:1])


WEIGHTS = {
    "the other axis": (lambda x, m: x.softmax(0), "sum to 1 along axis -2; the right ones do along axis -1"),
    "no axis": (lambda x, m: x.sigmoid(), "The right numbers sum to 1 along axis -1; these don't."),
    "no softmax": (lambda x, m: x, "input 1, unchanged"),
    "a logarithm more": (lambda x, m: x.log_softmax(-1), "Every number is the logarithm of the right one."),
    "no softmax of all": (lambda x, m: x + 1.5, "A softmax along axis -1 is still missing."),
    "no division": (lambda x, m: x.exp(), "Each row still has to be divided by its sum."),
    "a factor of 2": (lambda x, m: 2 * x.softmax(-1), "Every number is 2 times the right one."),
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_of_weights_their_sums_tell(name):
    wrong, sentence = WEIGHTS[name]
    assert sentence in told(wrong, right=lambda x, m: x.softmax(-1))


def test_that_weights_don_t_sum_to_1_need_not_be_said_twice():
    x = torch.randn(2, 3)
    right, wrong = Outcome(CallStatus.RETURNED, x.softmax(-1)), Outcome(CallStatus.RETURNED, x.sigmoid())
    assert relation([(Case("", (x,)), right, wrong)], sums=False) == ""


def test_of_a_size_it_is_said_whose_it_is():
    def top(x, k):
        return x.topk(k).values

    x = torch.randn(2, 5)
    right = Outcome(CallStatus.RETURNED, x)
    triples = [
        (Case("", (x, k), names=("x", "k")), right, Outcome(CallStatus.RETURNED, top(x, k))) for k in (2, 3)
    ]
    assert relation(triples) == "Axis -1 has the size of `k`; it should have the size of axis -1 of `x`."


SQUARE = {
    "transposed": (lambda x, m: y(x).T, "axes -2 and -1 swapped"),
    "diagonal": (lambda x, m: y(x) + torch.eye(len(x)), "except on the diagonal"),
    "above": (lambda x, m: y(x).tril(), "except above the diagonal"),
    "below": (lambda x, m: y(x).triu(), "except below the diagonal"),
}


@pytest.mark.parametrize("name", SQUARE)
def test_of_square_tensors_the_diagonal_tells(name):
    wrong, sentence = SQUARE[name]
    assert sentence in told(wrong, square=True)


NOTHING = {
    "numbers of its own": lambda x, m: x.sin(),
    "another relation in each case": lambda x, m: -y(x) if len(x) == 4 else 2 * y(x),
    "right but for rounding": lambda x, m: y(x) * (1 + 1e-5 * x.sin()),
    "right at the first three positions, not two": lambda x, m: torch.cat([y(x)[:, :3], x[:, 3:] ** 2], 1),
    "a place": lambda x, m: (
        y(x) + 0.1 * torch.eye(20)[7].reshape(4, 5)[: len(x)] if len(x) == 4 else y(x) + x.sin()
    ),
}


@pytest.mark.parametrize("wrong", NOTHING.values(), ids=NOTHING)
def test_what_does_not_hold_in_every_case_is_not_said(wrong):
    assert told(wrong) == ""


@dataclass
class Two:
    """Two values under their names."""

    one: Any
    other: Any


@pytest.mark.parametrize(
    "made",
    [Two, lambda one, other: pd.DataFrame({"one": one[:, 0], "other": other})],
    ids=["a record", "a frame"],
)
def test_of_fields_and_columns_that_are_right_nothing_is_said(made):
    right = lambda x, m: made(y(x).numpy(), x.sum(-1).numpy())  # noqa: E731
    half = lambda x, m: made(y(x).numpy() / 2, x.sum(-1).numpy())  # noqa: E731
    both = lambda x, m: made(y(x).numpy() / 2, x.sum(-1).numpy() / 2)  # noqa: E731
    assert told(half, right) == "Every wrong number is half of the right one."
    assert told(both, right) == "Every number is half of the right one."


def test_weights_of_0_and_1_alone_do_not_tell_that_a_softmax_is_missing():
    assert "softmax" not in told(lambda x, m: 7e4 * x + x % 5, right=lambda x, m: (1e4 * x).softmax(-1))


def test_a_factor_of_one_number_is_named_where_it_is_the_same_in_every_case():
    right = lambda x, m: float(x.sum())  # noqa: E731
    assert "half of the right one" in told(lambda x, m: float(x.sum()) / 2, right)
    assert told(lambda x, m: float(x.sum()) * len(x) * 1.37, right) == ""
    count = lambda x, m: x.numel() + 40  # noqa: E731
    assert "1 too large" in told(lambda x, m: x.numel() + 41, count)


def test_of_several_values_the_wrong_one_is_told_of():
    right = lambda x, m: (y(x), x.sum(-1))  # noqa: E731
    assert "other order" in told(lambda x, m: (x.sum(-1), y(x)), right)
    assert "wrong sign" in told(lambda x, m: (-y(x), x.sum(-1)), right)
    assert "wrong sign" in told(lambda x, m: (-y(x), -x.sum(-1)), right)
    assert told(lambda x, m: (-y(x), 2 * x.sum(-1)), right) == ""
    assert told(lambda x, m: (y(x) / 2, x.sum(-1)), right) == "Every wrong number is half of the right one."
    assert told(lambda x, m: (y(x) / 2, x.sum(-1) / 2), right) == "Every number is half of the right one."
    assert told(lambda x, m: (-y(x), x.sum(-1)), right) == "Every wrong number has the wrong sign."
    three = lambda x, m: (y(x), x.sum(-1), x.mean(-1))  # noqa: E731
    assert "in each other's places" in told(lambda x, m: (y(x), x.mean(-1), x.sum(-1)), three)
    assert told(lambda x, m: (y(x), x.mean(-1), x.mean(-1)), three) == told(
        lambda x, m: (y(x), x.mean(-1)), right
    )
    x = torch.randn(3, 4)
    both = [Outcome(CallStatus.RETURNED, [sign * y(x), (3 + sign) / 4 * x]) for sign in (1, -1)]
    assert relation([(Case("", (x,)), *both)], ("output", "sums")).startswith(
        "In `sums`: every number is half of"
    )


def counted(wrong, cases=((3, 5), (4, 7))):
    """What is said of a count of a and b that should be a·b."""
    triples = [
        (
            Case("", sizes, names=("a", "b")),
            *(Outcome(CallStatus.RETURNED, value) for value in (math.prod(sizes), wrong(*sizes))),
        )
        for sizes in cases
    ]
    return relation(triples)


def test_of_counts_it_is_said_what_they_are_off_by():
    assert counted(lambda a, b: a * b + b) == "Too large by `b`."
    assert counted(lambda a, b: a * b - 2 * a * a) == "Too small by 2 · `a`²."
    assert counted(lambda a, b: a * b + a + b) == ""
    assert counted(lambda a, b: a * b + b, cases=((3, 5),)) == "Too large by `b`."
    assert "by" not in counted(lambda a, b: a * b + b, cases=((2, 4),))  # 4 is 2·a and a² as well


def test_of_one_number_it_is_said_that_others_are_right():
    """Every number would be of every case."""
    triple = (Case("", ()), *(Outcome(CallStatus.RETURNED, value) for value in (4.5, 3.5)))
    assert relation([triple, triple]) == "Every number is 1 too small."
    assert relation([triple, triple], others=True) == "Every wrong number is 1 too small."


def said_of(right, got, *args):
    outcomes = (Outcome(CallStatus.RETURNED, value) for value in (right, got))
    return relation([(Case("", args, names=("word",)), *outcomes)])


def test_of_several_numbers_the_sum_may_be_what_is_asked_for():
    case = Case("", ())
    returned = [Outcome(CallStatus.RETURNED, value) for value in (12, (8, 4))]
    assert relation([(case, *returned)]) == "The sum of these is right: return that alone."
    with_zero = [Outcome(CallStatus.RETURNED, value) for value in (8, (8, torch.tensor(0)))]
    assert relation([(case, *returned), (case, *with_zero)]).startswith("The sum of these is right")
    assert relation([(case, *with_zero)]).startswith("The value at place [0]")
    texts = [Outcome(CallStatus.RETURNED, value) for value in ("ab", ("a", "ab"))]
    assert relation([(case, *texts)]) == "The value at place [1] of these is right: return it alone."


def test_of_texts_and_lists_it_is_said_which_end_is_missing():
    assert said_of("lo w e", "lo w") == "The right text, with its end missing."
    assert said_of("lo w e", "w e") == "The right text, with its beginning missing."
    assert said_of("lo w", "lo w e") == "The right text, with more after it."
    assert said_of("lo w", "l ow") == "The right letters, with spaces in other places."
    assert said_of("lo w", "l o w", "l o w") == "What came back is `word`, unchanged."
    assert said_of("lo w", "lo x") == ""
    assert said_of([1, 2, 3], [1, 2]) == "The right values, with some missing at the end."
    assert said_of([1, 2, 3], [0, 1, 2, 3]) == "The right values, and more before them."
    assert said_of([1, 2, 3], [1]) == ""


def test_one_right_number_of_a_vector_tells_nothing():
    right = torch.arange(9.0).square()
    assert said_of(right, torch.cat([right[:1], right[1:].sin()])) == ""


def test_one_end_of_an_input_is_known_again():
    x = torch.randn(2, 4, 3)
    assert (
        said_of(torch.zeros(2, 3), x[:, -1], x) == "What came back is `word` at the last position of axis -2."
    )


def test_booleans_may_be_inverted():
    assert "Every True should be False" in told(lambda x, m: ~m, lambda x, m: m)


def test_what_has_hardly_changed_is_explained_by_no_change_that_hardly_matters():
    """Where the error is little more than rounding, an offset or a factor leaves as little as any other."""
    g = torch.Generator().manual_seed(0)
    right, error = torch.randn(4, 5, generator=g) + 9, 2e-3 * torch.rand(4, 5, generator=g)
    assert said_of(right, right + error) == ""
    assert said_of(right, right + 2e-3) == "Every number is off by the same amount."
    assert (
        said_of(right + error, (right + error) * 1.0003)
        == "Every number is the right one times the same factor."
    )


def test_axes_are_rows_and_columns_in_tables_alone():
    x = torch.randn(2, 4, 5, generator=torch.Generator().manual_seed(0))
    last = torch.arange(4)[:, None] == 3
    assert said_of(x, torch.where(last, x.sin(), x)) == "Right, except at the last position of axis -2."
    assert said_of(x[0], torch.where(last, x[0].sin(), x[0])) == "Right, except in the last row."
    assert (
        said_of(x[0, 0], torch.where(torch.arange(5) == 4, 9, x[0, 0]))
        == "Right, except at the last position."
    )


def test_a_value_that_others_are_made_of_is_told_before_their_places():
    x = torch.randn(4, 5, generator=torch.Generator().manual_seed(0))
    there = torch.where(torch.arange(5) > 0, x, 9.0)
    returned = (Outcome(CallStatus.RETURNED, value) for value in ((x, x), (there, x.sin() + x**3)))
    assert relation([(Case("", ()), *returned)], ("output", "weights")) == ""
    returned = (Outcome(CallStatus.RETURNED, value) for value in ((x, x), (there, x)))
    assert (
        relation([(Case("", ()), *returned)], ("output", "weights")) == "Right, except in the first column."
    )


def test_of_values_with_keys_the_first_is_told_which_the_message_shows():
    right, got = {"a": 7.0, "b": 12.0}, {"a": 14.0, "b": 13.0}
    returned = (Outcome(CallStatus.RETURNED, value) for value in (right, got))
    assert relation([(Case("", ()), *returned)]) == "In `a`: every number is 2 times the right one."


def test_a_single_number_that_a_factor_and_a_step_explain_has_no_name():
    assert said_of(2, 1) == ""
    assert said_of(200, 100) != "" and said_of(30, 31) != ""


def test_a_name_stands_for_itself_in_a_factor():
    x = torch.randn(4, 5, generator=torch.Generator().manual_seed(0))
    assert said_of(x, 9 * x, 9) == "Every number is the right one times `word`."
    assert said_of(x, 9**0.5 * x, 9) == "Every number is the right one times the square root of `word`."


@pytest.mark.parametrize(
    ("kept", "told"),
    [
        ([0, 1, 2, 3, 4, 5, 6, 7], "some aren't 0 that should be"),
        ([2, 3, 4, 5], "some are 0 that shouldn't be"),
        ([1, 2, 3, 4, 5, 7], "the zeros are in the wrong places"),
    ],
)
def test_zeros_are_too_many_or_too_few_or_in_the_wrong_places(kept, told):
    whole = torch.tensor([0.7, 1.3, 2.9, 3.1, 4.7, 5.3, 6.1, 7.9])
    right, got = torch.zeros(8), torch.zeros(8)
    right[1:7], got[kept] = whole[1:7], whole[kept]
    assert said_of(right, got, torch.ones(8)) == f"The right numbers, except that {told}."


def test_zeros_that_come_anyhow_are_not_called_right():
    """Where the mask is False, what is right is 0: an answer with other numbers there isn't half right."""

    def hidden(x, m):
        return y(x).masked_fill(~m, 0)

    assert "except where" not in told(lambda x, m: (y(x) + x.sin()).masked_fill(~m, 0), hidden)
    ones = torch.ones(3, 4, dtype=torch.bool)
    assert "except" not in said_of(ones.tril(), ones)


def test_places_tell_nothing_where_a_few_numbers_come_again_and_again():
    """After a norm of two features each is one of two numbers, and whoever guesses is right in half the places."""

    def normed(x):
        x = x - x.mean(-1, keepdim=True)
        return torch.tensor([2.0, 3.0]) * x / x.square().mean(-1, keepdim=True).sqrt() + 0.3

    x = torch.randn(6, 2, generator=torch.Generator().manual_seed(0))
    right = normed(x)
    assert said_of(right, normed(torch.cat([x[:5], -x[5:]]))) == ""
    assert "except in the last row" in said_of(right, torch.cat([right[:5], 7 * right[5:]]))


@pytest.mark.parametrize(
    "odd", [None, "text", [], {}, torch.zeros(0), torch.tensor(1.0), torch.ones(2, 2).bool()], ids=str
)
def test_nothing_is_said_of_what_can_t_be_compared(odd):
    assert told(lambda x, m: odd) == ""
    assert relation([]) == ""


def test_nothing_is_said_where_a_case_returned_nothing():
    x = torch.randn(3)
    right, twice = Outcome(CallStatus.RETURNED, x), Outcome(CallStatus.RETURNED, 2 * x)
    raised = Outcome(CallStatus.RAISED, error="ValueError")
    assert relation([(Case("", (x,)), right, twice), (Case("", (x,)), right, raised)]) == ""

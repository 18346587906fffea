"""Grammars: probabilities, parsing, entropy, and the notation."""

import itertools
import math
import random

import pytest

from helpers.text.grammar import Grammar, Tree
from helpers.text.notation import read_rules

NUMBERS = {"n": ("one", "many"), "y": ("good", "bad"), "p": ("she", "he", "they")}
SMALL = """
S = 3 Noun[n] Verb[n] | Noun[n] Verb[n] and S
Noun[n] ~ cat/cats dog/dogs
Verb[n] = 2 sleeps-or-sleep | sings Noun[n]
"""
AMBIGUOUS = {"S": [(1, ("A", "B"))], "A": [(1, ("x",)), (1, ("x", "x"))], "B": [(1, ("x",)), (3, ("x", "x"))]}


def small():
    return Grammar(read_rules(SMALL, NUMBERS), "S")


@pytest.mark.parametrize(
    ("rules", "longest"),
    [
        (AMBIGUOUS, 4),
        ({"S": [(2, ("a",)), (1, ("b", "T"))], "T": [(1, ("c",)), (1, ("a", "c"))]}, 3),
        ({"S": [(1, ("a",)), (1, ("b",)), (2, ("c", "a"))]}, 2),
    ],
)
def test_the_probabilities_of_all_texts_sum_to_one(rules, longest):
    grammar = Grammar(rules, "S")
    texts = [text for size in range(longest + 1) for text in itertools.product(grammar.words(), repeat=size)]
    assert math.fsum(math.exp(grammar.log_probability(text)) for text in texts) == pytest.approx(1)


def test_a_recursive_grammar_sums_to_nearly_one_and_more_so_with_length():
    grammar = Grammar({"S": [(2, ("a",)), (1, ("a", "S")), (1, ("b", "S", "c"))]}, "S")
    masses = [0.0]
    for size in range(1, 8):
        texts = itertools.product("abc", repeat=size)
        masses.append(masses[-1] + math.fsum(math.exp(grammar.log_probability(text)) for text in texts))
    assert masses == sorted(masses)
    assert 0.95 < masses[-1] < 1


def test_all_derivations_of_an_ambiguous_text_count():
    grammar = Grammar(AMBIGUOUS, "S")
    assert math.exp(grammar.log_probability("xxx")) == pytest.approx(1 / 2 * 3 / 4 + 1 / 2 * 1 / 4)
    assert [len(part.parts) for part in grammar.parse("xxx").parts] == [1, 2]


def test_a_text_without_derivation_has_probability_zero_and_no_parse():
    grammar = small()
    for words in (
        [],
        ["cat"],
        ["cats", "and"],
        ["cat", "sings", "dogs"],
        ["cat", "sings", "dog", "dog"],
        ["?"],
    ):
        assert grammar.log_probability(words) == -math.inf
        assert grammar.parse(words) is None


def test_a_parse_finds_the_derivation_that_a_text_was_drawn_by():
    grammar, generator = small(), random.Random(0)
    for _ in range(200):
        tree = grammar.sample(generator)
        assert grammar.parse(tree.words()) == tree
        assert grammar.log_probability(tree.words()) == pytest.approx(
            grammar.derivation_log_probability(tree)
        )


def test_samples_are_as_frequent_as_they_are_probable():
    grammar, generator = Grammar(AMBIGUOUS, "S"), random.Random(0)
    drawn = [len(grammar.sample(generator).words()) for _ in range(20_000)]
    for size in (2, 3, 4):
        expected = math.exp(grammar.log_probability("x" * size))
        assert drawn.count(size) / len(drawn) == pytest.approx(expected, abs=0.015)


def test_entropy_and_length_in_closed_form():
    # n "a"s and a "b": a geometric distribution
    grammar = Grammar({"S": [(1, ("b",)), (3, ("a", "S"))]}, "S")
    assert grammar.length() == pytest.approx(4)
    assert grammar.entropy() == pytest.approx(-4 * (0.25 * math.log(0.25) + 0.75 * math.log(0.75)))
    assert grammar.presence("a") == pytest.approx(0.75)
    assert grammar.presence("b") == pytest.approx(1)


def test_entropy_and_length_are_what_samples_show():
    grammar, generator = small(), random.Random(1)
    trees = [grammar.sample(generator) for _ in range(5000)]
    surprises = [-grammar.derivation_log_probability(tree) for tree in trees]
    mean = math.fsum(surprises) / len(trees)
    error = math.sqrt(math.fsum((s - mean) ** 2 for s in surprises)) / len(trees)
    assert abs(mean - grammar.entropy()) < 4 * error
    assert sum(len(tree.words()) for tree in trees) / len(trees) == pytest.approx(grammar.length(), rel=0.05)


def test_rules_that_never_end_have_no_entropy():
    with pytest.raises(ValueError, match="may be infinite"):
        Grammar({"S": [(1, ("a",)), (2, ("b", "S", "S"))]}, "S").entropy()


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ({"S": [(1, ("T", "a"))], "T": [(1, ("S",)), (1, ("b",))]}, "S can begin with itself: S > T > S"),
        ({"S": [(1, ())]}, "S needs rules with words"),
        ({"S": [(0, ("a",))]}, "weights above 0"),
        ({"S": []}, "S needs rules"),
    ],
)
def test_rules_that_cannot_work_are_refused(rules, said):
    with pytest.raises(ValueError, match=said):
        Grammar(rules, "S")


def test_features_in_the_notation():
    rules = read_rules(
        "S[y] = 3 It[n] not A[-y] | A[y]\n"
        "A[good] ~ fine very_good\nA[bad] = bad\n"
        "It[n] ~ it/they\nShe[p] ~ she/he/they",
        NUMBERS,
    )
    assert rules["S[good]"] == [
        (1.5, ("It[one]", "not", "A[bad]")),
        (1.5, ("It[many]", "not", "A[bad]")),
        (1.0, ("A[good]",)),
    ]
    assert [body for _, body in rules["A[good]"]] == [("fine",), ("very", "good")]
    assert rules["It[many]"] == [(1 / 3, ("they",))]
    assert [rules[f"She[{p}]"][0][1][0] for p in NUMBERS["p"]] == ["she", "he", "they"]


def test_a_symbol_without_rules_is_named():
    with pytest.raises(ValueError, match=r"Mispelt\[good\], in a rule of S, has no rules"):
        read_rules("S = a Mispelt[good]", NUMBERS)


def test_a_line_that_is_no_rule_is_shown():
    with pytest.raises(ValueError, match="this one is 'S -> a'"):
        read_rules("S -> a", NUMBERS)


def test_a_tree_says_its_words_in_order():
    assert Tree("S", 0, ("a", Tree("T", 1, ("b", Tree("U", 0, ("c",)))), "d")).words() == list("abcd")

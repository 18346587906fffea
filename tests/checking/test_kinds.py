"""Values beyond torch: NumPy's arrays, pandas' frames and plain Python, each compared and told in its own words."""

import json
import math
import os
import random
import subprocess
import sys
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from autograder import drawing
from autograder.drawing import pick
from helpers.checking.calling.drivers import Case, run
from helpers.checking.calling.outcome import CallStatus, Outcome
from helpers.checking.calling.values import Record, decode, encode
from helpers.checking.code.tracing import forbidden_use
from helpers.checking.comparing import compare
from helpers.checking.explaining import hints
from helpers.checking.explaining.hints import explain
from helpers.checking.explaining.sketches import sketch
from helpers.checking.finding import Status
from helpers.checking.kinds.arrays import in_dtype
from helpers.checking.properties import meaning_of
from helpers.checks import Sheet, assess, inputs_unchanged, shares_nothing
from tests.support.proved import COURSE, follows_from

pytestmark = follows_from(*COURSE)

ROOT = Path(__file__).parents[2]
FLOATS = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
FRAME = pd.DataFrame({"town": ["Bonn", "Graz"], "age": [30.5, 41.0]}, index=["r", "s"])
LEVELS = FRAME.groupby("town").agg({"age": ["mean"]})


def trip(value):
    return decode(json.loads(json.dumps(encode(value))))


# -- what is taken for what ------------------------------------------------------------------------------

ALIKE = {
    "a tuple for a list": ([1, (2, 3)], (1, [2, 3])),
    "an int for a whole float": (2.0, 2),
    "an array of whole numbers for a list": ([1, 2], np.array([1, 2])),
    "a whole float for an int": (2, 2.0),
    "a number of NumPy's": (2.5, np.float64(2.5)),
    "a narrow number of NumPy's": (2.5, np.float32(2.5)),
    "a whole number of NumPy's": (3, np.int64(3)),
    "a boolean of NumPy's": (True, np.bool_(True)),
    "a text of NumPy's": ("a", np.str_("a")),
    "an array of one number": (2.5, np.array([2.5])),
    "a number for an array of none": (np.array(2.5), 2.5),
    "float32 for float64": (FLOATS / 3, (FLOATS / 3).astype("float32")),
    "float64 for float32": ((FLOATS / 3).astype("float32"), FLOATS / 3),
    "narrow whole numbers": (np.arange(3), np.arange(3, dtype="uint8")),
    "wide whole numbers": (np.arange(3, dtype="int32"), np.arange(3)),
    "NaN for NaN": (np.array([1.0, math.nan]), np.array([1.0, math.nan])),
    "NaN in a list": ([math.nan], [math.nan]),
    "a range": ([0, 1, 2], range(3)),
    "a float for a Decimal": (Decimal("0.3"), 0.1 + 0.2),
    "a float for a fraction": (Fraction(1, 3), 1 / 3),
    "a date": ({date(2024, 2, 29): 1}, {date(2024, 2, 29): 1}),
    "keys in order": (["a"], {"a": 1}.keys()),
    "another order of keys": ({"a": 1, 2: "b"}, {2: "b", "a": 1}),
    "a frozen set": ({1, (2, 3)}, frozenset({1, (2, 3)})),
    "no date": (np.array(["NaT"], dtype="M8[D]"), np.array(["NaT"], dtype="M8[D]")),
    "texts as objects": (np.array(["a", "bc"]), np.array(["a", "bc"], dtype=object)),
    "large whole numbers": (2**70, 2**70),
    "another sum of complex numbers": (0.3 + 1j, 0.1 + 0.2 + 1j),
    "a frame": (FRAME, FRAME.copy()),
    "a frame with whole numbers": (
        FRAME.assign(age=[1, 2]),
        FRAME.assign(age=np.array([1, 2], dtype="int32")),
    ),
}


@pytest.mark.parametrize("name", ALIKE)
def test_one_is_taken_for_the_other(name):
    expected, got = ALIKE[name]
    assert compare(trip(expected), trip(got), coarse=True) is None
    assert compare(trip(expected), trip(expected)) is None


APART = {
    "True for 1": (1, True, "output: a bool, expected a number"),
    "1 for True": (True, 1, "output 1, expected True"),
    "a text for a number": (1, "1", "output: a str, expected a number"),
    "bytes for a text": ("a", b"a", "output b'a', expected 'a'"),
    "a large whole number": (2**70, 2**70 + 1, f"output {2**70 + 1}, expected {2**70}"),
    "whole numbers beyond doubles": (
        np.array([2**53]),
        np.array([2**53 + 1]),
        f"output (1,); largest error 0 at [0]: {2**53 + 1}, expected {2**53}",
    ),
    "a list for an array": (FLOATS, FLOATS.tolist(), "output: a list, expected an array"),
    "another shape": (FLOATS, FLOATS.T, "output (3, 2), expected (2, 3)"),
    "an axis too many": (FLOATS, FLOATS[None], "output (1, 2, 3), expected (2, 3)"),
    "whole numbers for floats": (FLOATS, FLOATS.astype(int), "output of int64, expected float64"),
    "floats for booleans": (FLOATS > 2, FLOATS, "output of float64, expected bool"),
    "a wrong number": (
        FLOATS,
        FLOATS + np.array([[0, 0, 0], [0, 0.5, 0]]),
        "output (2, 3); largest error 0.5 at [1, 1]: 5.5, expected 5",
    ),
    "NaN": (
        FLOATS,
        np.where(FLOATS > 5, math.nan, FLOATS),
        "output (2, 3) with NaN in 1 of 6 places, the first at [1, 2]",
    ),
    "wrong texts": (
        np.array(["a", "b"]),
        np.array(["a", "c"]),
        "output (2,); 1 of 2 places wrong, one of them [1]: 'c', expected 'b'",
    ),
    "a masked array": (FLOATS, np.ma.array(FLOATS), "output: a numpy.MaskedArray, expected an array"),
    "a set for a list": ([1, 2], {1, 2}, "a set, expected 2 values in `output`"),
    "half the digits": (FLOATS, FLOATS.astype("float16"), "output of float16, expected float64"),
    "a list for a set": ({1, 2}, [1, 2], "output: a list, expected a set"),
    "another set": ({1, 2}, {2, 3}, "output: a set without 1 and with 3"),
    "a generator for a list": ([1, 2], (n for n in (1, 2)), "a generator, expected 2 values in `output`"),
    "a key of another type": ({1: "a"}, {"1": "a"}, "output: a dict without 1 and with '1'"),
    "a value deep inside": ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, "output['a'][1]['b'] 3, expected 2"),
    "another class": (
        Record("Point", {"x": 1}),
        Record("Pair", {"x": 1}),
        "output: a Pair, expected a Point",
    ),
    "another field": (Record("Point", {"x": 1}), Record("Point", {"x": 2}), "output.x 2, expected 1"),
    "texts that part late": (
        "a" * 100 + "b",
        "a" * 100 + "c",
        f"output …'{'a' * 20}c', expected …'{'a' * 20}b'",
    ),
    "a dict for a frame": (FRAME, {"town": 1}, "output: a dict, expected a DataFrame"),
    "a column for a frame": (FRAME, FRAME["age"], "output: a Series (2,), expected a DataFrame"),
    "a column that lacks": (FRAME, FRAME[["town"]], "output: without column 'age'; it has 'town'"),
    "a column too many": (FRAME, FRAME.assign(n=1), "output: with column 'n' too many"),
    "columns in another order": (
        FRAME,
        FRAME[["age", "town"]],
        "output: columns 'age', 'town', expected 'town', 'age'",
    ),
    "rows that lack": (FRAME, FRAME[:1], "output: 1 row, expected 2"),
    "values in each other's rows": (
        FRAME,
        FRAME[::-1].set_axis(FRAME.index),
        "output: its rows in a different order",
    ),
    "another day": (date(2024, 2, 29), date(2024, 3, 1), "output 2024-03-01, expected 2024-02-29"),
    "another interval in a column": (
        FRAME.assign(bin=pd.cut(FRAME["age"], [0, 40, 50])),
        FRAME.assign(bin=pd.cut(FRAME["age"], [0, 45, 50])),
        "column 'bin'[0] (0, 45], expected (0, 40]",
    ),
    "a level of another name": (
        LEVELS,
        LEVELS.rename({"mean": "max"}, axis=1),
        "output: without column ('age', 'mean'); it has ('age', 'max')",
    ),
    "rows in another order": (FRAME, FRAME[::-1], "output: the rows 's', 'r', expected 'r', 's'"),
    "a wrong age": (
        FRAME,
        FRAME.assign(age=[30.5, 42]),
        "column 'age' (2,); largest error 1 at row 's': 42, expected 41",
    ),
    "a wrong town": (
        FRAME,
        FRAME.assign(town=["Bonn", "Bern"]),
        "column 'town'[1] 'Bern', expected 'Graz'",
    ),
}


@pytest.mark.parametrize("name", APART)
def test_what_differs_has_another_sketch(name):
    expected, got = (sketch(Outcome(CallStatus.RETURNED, trip(value))) for value in APART[name][:2])
    assert not got.same(str(expected)), "so a slip would be named that doesn't give this"


@pytest.mark.parametrize("name", APART)
def test_what_differs_is_said_in_its_own_words(name):
    expected, got, said = APART[name]
    found = compare(trip(expected), trip(got), coarse=True)
    assert found and found.describe(True) == said
    assert "tensor" not in found.describe(True) + (found.meaning if isinstance(expected, np.ndarray) else "")


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        ({1, 2}, {1, 7341}),
        ([Record("Point", {"x": 1})], [Record("Leak7341", {"x": 1})]),
        ({1: 2}, {7341: 2}),
        (FRAME, FRAME.assign(leak7341=1)),
        (FRAME, FRAME.set_axis([7341, 2])),
        (np.array(["a"]), np.array(["7341"])),
        (b"a", b"7341"),
    ],
    ids=str,
)
def test_a_hidden_case_keeps_what_an_answer_makes_of_its_values(expected, got):
    found = compare(trip(expected), trip(got))
    assert found and "7341" not in found.describe(False) + found.meaning


def test_full_precision_tells_float32_from_float64():
    found = compare(FLOATS, FLOATS.astype("float32"))
    assert found and found.cause == "dtype"


# -- drivers -----------------------------------------------------------------------------------------------


class Stack:
    """What cases of the driver "object" use."""

    def __init__(self, first=None):
        self.items = [first] if first is not None else []

    def push(self, item):
        self.items.append(item)
        return self.items

    def pop(self):
        return self.items.pop()


def test_an_objects_methods_are_called_in_order_and_its_attributes_read():
    outcome = run("object", Stack, Case("", ([1], [["push", 2], ["push", 3], ["pop"], ["items"]])))
    assert outcome.outputs == [[1, 2], [1, 2, 3], 3, [1, 2]]
    assert run("object", Stack, Case("", ({"first": 5}, [["pop"]]))).outputs == [5]
    assert run("object", Stack, Case("", ([], [["peek"]]))).error == "AttributeError"
    assert run("object", 3, Case("", ([], []))).error == "a class"


class Pile(list):
    def push(self, item):
        self.append(item)


class Fluent(Pile):
    def push(self, item):
        self.append(item)
        return self


class Forgetful(Pile):
    def pop(self):
        super().pop()


@pytest.mark.parametrize(("answer", "passes"), [(Pile, True), (Fluent, True), (Forgetful, False)])
def test_what_a_method_gives_counts_only_if_it_should_give_anything(answer, passes):
    cases = (Case("", ([], [["push", 2], ["pop"]])), Case("", ([], [["push", 3], ["push", 4], ["pop"]])))
    expected = tuple(run("object", Pile, case) for case in cases)
    sheet = Sheet("a.b", "A", 1, "object", ("output",), (), (), ("items",), {}, "", cases, expected, ())
    found = assess(sheet, [run("object", answer, case) for case in cases])
    assert (found.status == Status.PASSED) == passes


class After:
    def after(self, number):
        return number + 1


class Before:
    def after(self, number):
        return number - 1


@pytest.mark.parametrize("reveal", [True, False])
def test_a_hidden_case_does_not_say_what_methods_are_called_with(reveal):
    cases = (Case("", ([], [["after", 4711]])),)
    expected = tuple(run("object", After, case) for case in cases)
    sheet = Sheet("a.b", "A", 1, "object", ("output",), (), (), ("it",), {}, "", cases, expected, ())
    found = assess(sheet, [run("object", Before, case) for case in cases], reveal=reveal)
    assert "call 1, after" in found.text()
    assert ("4711" in found.text()) == reveal


def test_a_changed_list_is_not_called_a_tensor():
    case = Case("", ([2, 1],))
    assert "tensor" not in meaning_of(inputs_unchanged, case)
    assert "tensor" in meaning_of(inputs_unchanged, Case("", (torch.ones(2),)))


def test_an_iterator_may_be_endless():
    def numbers(start):
        while True:
            yield start
            start += 1

    assert run("iterate", numbers, Case("", (3, 10))).outputs == [10, 11, 12]
    assert run("iterate", lambda start: (start,), Case("", (3, 10))).outputs == [10]
    assert run("iterate", lambda start: None, Case("", (3, 10))).outputs is None


def test_what_is_printed_counts_but_for_blanks_at_the_ends():
    def say(name):
        print(f"Hello {name}  ")
        print("bye\n\n")

    outcome = run("printed", say, Case("", ("Ada",)))
    assert outcome.outputs == "Hello Ada\nbye"


def test_random_numbers_are_the_same_each_time_and_the_notebooks_own_go_on():
    def draw():
        return random.random(), float(np.random.rand())

    random.seed(5)
    np.random.seed(5)
    first = run("call", draw, Case("")).outputs
    assert first == run("call", draw, Case("")).outputs
    after = draw()
    random.seed(5)
    np.random.seed(5)
    assert after == draw()


@dataclass
class Pair:
    """What a case has as a record once it was data."""

    x: int
    y: list


def test_a_record_becomes_an_instance_of_the_answers_own_class():
    case = Case.from_json(json.loads(json.dumps(Case("", (Pair(1, [2]), (3, 4))).to_json())))
    assert case.args == (Record("Pair", {"x": 1, "y": [2]}), (3, 4))
    outcome = run("call", lambda pair, more: [type(pair) is Pair, pair.x, pair.y, type(more) is tuple], case)
    assert outcome.outputs == [True, 1, [2], True]
    elsewhere = eval("lambda pair, more: pair.x", {})
    assert run("call", elsewhere, case).outputs == 1


def spoil_list(value):
    value.append(1)


def spoil_dict(value):
    value["b"] = 1


def spoil_inside(value):
    value["a"][0] = 7


def spoil_set(value):
    value.discard(1)


def spoil_array(value):
    value += 1


def spoil_record(value):
    value.y.append(3)


def spoil_frame(value):
    value["age"] = 0


@pytest.mark.parametrize(
    ("answer", "given"),
    [
        (spoil_list, [1.5, math.nan]),
        (spoil_dict, {"a": [1]}),
        (spoil_inside, {"a": [1]}),
        (spoil_set, {1, 2}),
        (spoil_array, np.ones(3)),
        (spoil_record, Pair(1, [2])),
        (spoil_frame, FRAME),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_what_changes_an_argument_is_seen_and_what_does_not_is_not(answer, given):
    case = replace(Case("", (given,)), names=("value",))
    changed = run("call", answer, case)
    assert changed.status == "returned", changed.message
    assert inputs_unchanged(case, changed, changed) == "the call changed `value`"
    same = run("call", lambda value: None, case)
    assert inputs_unchanged(case, same, same) is None


def test_a_view_of_an_argument_shares_its_memory():
    case = Case("", (np.ones(3),))
    for answer, found in ((lambda x: x[1:], True), (lambda x: x[1:].copy(), False)):
        outcome = run("copies", answer, case)
        assert bool(shares_nothing(case, outcome, outcome)) is found


def test_rows_that_repeat_one_are_a_result_like_any_other():
    """PyTorch refuses to write to what `expand` gives: that is nothing the answer did."""
    case = Case("", (torch.ones(3),))
    for answer, found in ((lambda x: x.expand(2, 3), True), (lambda x: x.clone().expand(2, 3), False)):
        outcome = run("copies", answer, case)
        assert outcome.outputs.shape == (2, 3)
        assert bool(shares_nothing(case, outcome, outcome)) is found


# -- generators of random numbers --------------------------------------------------------------------------


def takes_numpys(generator: np.random.Generator): ...


def takes_pythons(generator: random.Random): ...


def takes_text(g: "random.Random"): ...


@pytest.mark.parametrize(
    ("cases", "kind"),
    [(takes_numpys, np.random.Generator), (takes_pythons, random.Random), (takes_text, random.Random)],
)
def test_cases_get_the_generator_that_they_ask_for(cases, kind):
    visible, hidden = (drawing.generator(3, hidden=hidden, cases=cases) for hidden in (False, True))
    assert isinstance(visible, kind) and isinstance(hidden, kind)
    assert pick(visible, 1, 2, 3) == 1
    assert pick(hidden, 1, 2, 3) in (2, 3)
    assert visible.random() == hidden.random() == drawing.generator(3, hidden=False, cases=cases).random()


# -- hints -------------------------------------------------------------------------------------------------

a, b, f = np.ones((2, 3)), np.ones((2, 4)), np.arange(3)
RAISING = {
    "keepdims": lambda: a - a.sum(axis=-1),
    "swapaxes": lambda: a @ b,
    "second-to-last": lambda: np.dot(a, b),
    "count from the end": lambda: a.sum(axis=2),
    "more indices": lambda: a[0, 0, 0],
    "beyond the end": lambda: f[3],
    "neither true nor false": lambda: bool(a > 0),
    "equally long": lambda: np.array([[1, 2], [3]]),
    "joined must have the same size": lambda: np.concatenate([a, b]),
    "np.stack takes": lambda: np.stack([a, b]),
    "multiply out both": lambda: a.reshape(4, 2),
    "go into one list": lambda: np.concatenate(a, b),
    "take one number": lambda: math.sqrt(a[0]),
    "whole numbers or a boolean mask": lambda: f[1.0],
    "A mask in brackets": lambda: f[np.array([True, False])],
    "keeps the dtype": lambda: np.add(f, 0.5, out=f),
    "no maximum": lambda: np.array([]).max(),
    "look at its dtype": lambda: np.isnan(np.array(["a"], dtype=object)),
    "no entries": lambda: np.float64(1)[0],
    "square brackets": lambda: f(0),
    "fixed length": lambda: f.append(1),
    "shape of the place": lambda: f.__setitem__(slice(0, 2), a[0]),
    "choose rows": lambda: bool(FRAME["age"] > 3),
    "a value for each row": lambda: FRAME.copy().__setitem__("n", [1, 2, 3]),
    "no column or row": lambda: FRAME[["height"]],
}


def raised(function):
    try:
        function()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize("words", RAISING)
def test_numpys_and_pandas_exceptions_are_explained(words):
    assert words in explain(raised(RAISING[words]))
    assert not hints.OF_TENSORS.search(explain(raised(RAISING[words])))


def endless(found):
    for key in found:
        found[key + 1] = 0


PLAIN = {
    "go through a copy": lambda: endless({1: 2}),
    "can't be changed": lambda: exec("'ab'[0] = 'c'"),
    "no first and second": lambda: eval("{1, 2}[0]"),
    "used up": lambda: len(n for n in (1, 2)),
    "different types are compared": lambda: sorted([1, "a"]),
    "no number is turned": lambda: int("1.5"),
    "isn't there": lambda: [1].index(2),
    "Nothing is left": lambda: set().pop(),
    "one place earlier": lambda: [1][1],
    "A text and something else": lambda: eval("'a' + 1"),
    "don't do arithmetic": lambda: eval("[1] + 1"),
    "take no part": lambda: eval("{1} - [1]"),
    "no such method": lambda: (1,).append(2),
    "the whole list or text": lambda: (1).append(2),
    "first parameter is self": lambda: Stack().pop(1),
    "make an instance": lambda: Stack.pop(),
    "pairs with .items()": lambda: [a for a, b in {"abc": 1}],
    "Round brackets call": lambda: eval("[1](0)"),
    "no entry under that key": lambda: {}["a"],
    "can't be a key": lambda: {[1]: 2},
}


@pytest.mark.parametrize("words", PLAIN)
def test_pythons_exceptions_are_explained_without_a_tensor(words, monkeypatch):
    monkeypatch.setattr(hints, "torch_is_there", lambda: False)
    said = explain(raised(PLAIN[words]))
    assert words in said
    assert not hints.OF_TENSORS.search(said)


# -- forbidden functions -----------------------------------------------------------------------------------


def test_a_forbidden_function_of_numpy_raises_and_is_itself_again():
    usual = np.sort
    outcome = run("call", lambda x: np.sort(x), Case("", (FLOATS,)), forbidden=("numpy.sort",))
    assert (outcome.status, outcome.error) == ("forbidden", "numpy.sort")
    assert np.sort is usual
    method = run("call", lambda x: x.tolist(), Case("", (FLOATS,)), forbidden=("numpy.ndarray.sort",))
    assert method.status == "returned"


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("def f(x):\n    return sorted(x)", True),
        ("order = sorted\ndef f(x):\n    return order(x)", True),
        ("def sorted(x):\n    return x\ndef f(x):\n    return sorted(x)", False),
        ("def f(sorted):\n    return sorted", False),
        ("def f(x):\n    return x", False),
    ],
)
def test_a_forbidden_function_of_pythons_own_is_found_in_the_code(code, found):
    use = forbidden_use([code, "check('a.b', f)"], "a.b", ("builtins.sorted",))
    assert (use is not None) is found


# -- without packages --------------------------------------------------------------------------------------

NOTHING = """
import sys
from helpers.checks import Sheet, assess
from helpers.checking.calling.drivers import Case, run
from helpers.checking.calling.outcome import Outcome

def sheet(cases, answer):
    expected = tuple(run("call", answer, case) for case in cases)
    return Sheet("a.b", "A", 1, "call", ("output",), (), ("inputs_unchanged",), ("words",), {}, "", cases, expected, ())

def lengths(words):
    return {word: len(word) for word in words}

def wrong(words):
    words.sort()
    return {word: len(words) for word in words}

cases = (Case("two", (["a", "bc"],)), Case("none", ([],)), Case("one", (["abc"],)))
made = Sheet.from_json(sheet(cases, lengths).to_json())
for answer in (lengths, wrong):
    outcomes = [Outcome.from_json(run("call", answer, case).to_json()) for case in made.cases]
    print(assess(made, outcomes).text())
there = [name for name in ("torch", "numpy", "pandas", "IPython") if name in sys.modules]
assert not there, there
"""


def python(*arguments, code):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, *arguments, "-c", code]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_a_check_of_plain_python_needs_no_package():
    done = python("-S", code=NOTHING)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:2] == ["✓ A · 3 of 3 cases · 1 point", "✗ A · case 1 of 3: two"]
    assert "output['a'] 2, expected 1" in done.stdout


COURSE = """
import sys
from autograder.authoring import trials
from autograder.authoring.mutating.slips import slips
from autograder.authoring.mutating.trying import tried
from tests.support.other_kinds import ENTRIES

for entry in ENTRIES:
    exercise = entry.record
    for problem in trials.problems(exercise, trials.Given("import numpy as np\\nimport pandas as pd"), lambda topic: {}):
        print(exercise.id, problem.text)
    for each in tried(exercise):
        if each.survives:
            print(exercise.id, "passes:", each.mutant.name)
    # What a table's rows lack is a different change of each right answer.
    if not slips(exercise) and exercise.id != "kinds.table":
        print(exercise.id, "has no slips")
assert "torch" not in sys.modules
"""


def test_exercises_of_other_kinds_keep_their_promises_without_torch():
    """Right answers in other idioms pass, wrong ones are named, and no mutant passes."""
    done = python(code=COURSE)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""


def test_a_number_too_large_for_a_narrower_dtype_is_infinite_and_nobody_is_warned():
    assert in_dtype(np.array([1e300, 1.0]), "float32").tolist() == [math.inf, 1.0]

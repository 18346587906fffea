"""Exercises in NumPy, in plain Python and in pandas, as a course without torch has them."""

import random
from collections import Counter, OrderedDict, deque
from dataclasses import dataclass

import numpy as np
import pandas as pd

from autograder.drawing import pick
from autograder.entry import Entry
from helpers.checking.calling.outcome import Case
from helpers.checks import inputs_unchanged

# -- NumPy -----------------------------------------------------------------------------------------------

softmax = exercise = Entry(
    id="kinds.softmax", title="Softmax", points=2, returns=("weights",), properties=(inputs_unchanged,)
)


@exercise.reference
def weigh(scores):
    parts = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return parts / parts.sum(axis=-1, keepdims=True)


@exercise.cases
def softmax_cases(generator: np.random.Generator):
    rows, length = pick(generator, (2, 4), (3, 5), (2, 6))
    large = np.array([800.0, 801.0, 799.5]) + generator.normal(size=3)
    return [
        Case("one row", (generator.normal(size=pick(generator, 3, 4, 5)),)),
        Case("several rows", (2 * generator.normal(size=(rows, length)),)),
        Case("large scores", (large,)),
        Case("one row of a table", (generator.normal(size=(1, length)),)),
        Case("rows far apart", (np.array([[0.0, 1, 2], [999, 1000, 1001]]) + generator.normal(size=3),)),
        Case("scores far apart", (np.array([-400.0, 400, 401]) + generator.normal(size=3),)),
    ]


@exercise.alternative
def weigh_by_logs(scores):
    shifted = scores - np.max(scores, -1)[..., None]
    return np.exp(shifted - np.log(np.exp(shifted).sum(-1, keepdims=True)))


@exercise.alternative
def weigh_in_place(scores):
    scores = scores.copy()
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return scores


exercise.slip("no_maximum", "scores - scores.max(axis=-1, keepdims=True) → scores").says(
    "The maximum isn't subtracted, so that exp of a large score is infinite."
)
exercise.slip("over_everything", "parts.sum(axis=-1, keepdims=True) → parts.sum()").says(
    "The sum is over all rows: each row should sum to 1 by itself."
)

# -- plain Python ----------------------------------------------------------------------------------------

counts = exercise = Entry(
    id="kinds.counts", title="Count the words", points=1, properties=(inputs_unchanged,)
)


@exercise.reference
def count_words(text):
    found = {}
    for word in text.lower().split():
        found[word] = found.get(word, 0) + 1
    return found


@exercise.cases
def count_cases(generator: random.Random):
    words = ["the", "cat", "sat", "on", "mat", "dog", "ran"]
    several = [generator.choice(words) for _ in range(pick(generator, 8, 9, 10))]
    return [
        Case("one word", (generator.choice(words),)),
        Case("repeated words", (" ".join([*several, several[0]]),)),
        Case("capital letters", (" ".join([several[1].upper(), several[1], *several[:3]]),)),
        Case("several spaces", ("  ".join(several[:4]),)),
        Case("no word", ("",)),
    ]


@exercise.alternative
def count_by_counter(text):
    return Counter(text.lower().split())


@exercise.alternative
def count_by_set(text):
    words = text.casefold().split()
    return {word: words.count(word) for word in set(words)}


exercise.slip("case", "text.lower() → text").says("Words in capitals count as other words.")
exercise.slip("once", ", 0) + 1 → , 1)").says("Each word is counted once, however often it is there.")


@exercise.misconception
def letters(text):
    """This counts letters: .split() gives the words of a text."""
    return dict(Counter(text.lower()))


cache = exercise = Entry(id="kinds.cache", title="A cache of the latest", points=3, driver="object")


@exercise.reference
class Cache:
    def __init__(self, size):
        self.size, self.kept = size, OrderedDict()

    def get(self, key):
        if key not in self.kept:
            return None
        self.kept.move_to_end(key)
        return self.kept[key]

    def put(self, key, value):
        self.kept[key] = value
        self.kept.move_to_end(key)
        if len(self.kept) > self.size:
            self.kept.popitem(last=False)


@exercise.cases
def cache_cases(generator: random.Random):
    a, b, c, d = generator.sample(range(10, 99), 4)
    two = pick(generator, 2, 3)
    fill = [["put", n, n * a] for n in range(two)]
    return [
        Case("what was put in", ([two], [["put", "x", a], ["get", "x"], ["get", "y"]])),
        Case("the oldest leaves", ([two], [*fill, ["put", "z", b], ["get", 0], ["get", 1], ["get", "z"]])),
        Case(
            "what was asked for stays", ([two], [*fill, ["get", 0], ["put", "z", b], ["get", 0], ["get", 1]])
        ),
        Case(
            "not there", ([two], [["get", "z"], *fill, ["put", "y", b], ["get", 0], ["get", 1], ["get", "y"]])
        ),
        Case("put again", ([two], [*fill, ["put", 0, c], ["put", "z", d], ["get", 0], ["get", 1]])),
    ]


@exercise.alternative
class CacheOfLists:
    def __init__(self, size):
        self.size, self.order, self.values = size, [], {}

    def _touch(self, key):
        if key in self.order:
            self.order.remove(key)
        self.order.append(key)

    def get(self, key):
        if key in self.values:
            self._touch(key)
        return self.values.get(key)

    def put(self, key, value):
        self.values[key] = value
        self._touch(key)
        if len(self.order) > self.size:
            del self.values[self.order.pop(0)]


@exercise.alternative
class CacheOfDict:
    def __init__(self, size):
        self.size, self.values = size, {}

    def get(self, key):
        if key not in self.values:
            return None
        self.values[key] = self.values.pop(key)
        return self.values[key]

    def put(self, key, value):
        self.values.pop(key, None)
        self.values[key] = value
        while len(self.values) > self.size:
            self.values.pop(next(iter(self.values)))


exercise.slip("newest_leaves", "last=False → last=True").says("The newest leaves, and the oldest should.")

windows = exercise = Entry(id="kinds.windows", title="Windows", points=1, driver="iterate")


@exercise.reference
def sliding(values, size):
    window = deque(maxlen=size)
    for value in values:
        window.append(value)
        if len(window) == size:
            yield tuple(window)


@exercise.cases
def window_cases(generator: random.Random):
    many = [generator.randrange(100) for _ in range(pick(generator, 7, 8, 9))]
    return [
        Case("pairs", (50, many, 2)),
        Case("longer windows", (50, many, pick(generator, 3, 4))),
        Case("letters", (50, "abcde", 2)),
        Case("too few", (50, many[:2], 3)),
    ]


@exercise.alternative
def sliding_slices(values, size):
    return [tuple(values[start : start + size]) for start in range(len(values) - size + 1)]


@exercise.alternative
def sliding_zip(values, size):
    return zip(*(values[start:] for start in range(size)), strict=False)


exercise.slip("all", "        if len(window) == size: →         if window:").says(
    "The first windows are too short: wait until one is full."
)

# -- a dataclass, and what is printed ----------------------------------------------------------------------


@dataclass
class Point:
    x: float
    y: float


mirrored = exercise = Entry(id="kinds.mirrored", title="Mirror a point", points=1)


@exercise.reference
def mirror(point):
    return Point(-point.x, point.y)


@exercise.cases
def mirror_cases(generator: random.Random):
    return [Case(f"point {n}", (Point(generator.random(), generator.random()),)) for n in (1, 2)]


@exercise.alternative
def mirror_by_zero(point):
    return Point(x=0 - point.x, y=point.y)


@exercise.alternative
def mirror_by_product(point):
    return Point(-1 * point.x, 1 * point.y)


exercise.slip("other_axis", "Point(-point.x, point.y) → Point(point.x, -point.y)").says(
    "The other axis is mirrored."
)

table = exercise = Entry(id="kinds.table", title="Print a table", points=1, driver="printed")


@exercise.reference
def print_squares(n):
    for number in range(1, n + 1):
        print(number, number**2)


@exercise.cases
def square_cases(generator: random.Random):
    return [
        Case("a few", (pick(generator, 3, 4, 5),)),
        Case("none", (0,)),
        Case("many", (generator.randrange(10, 60),)),
    ]


@exercise.alternative
def print_joined(n):
    print("\n".join(f"{k} {k * k}" for k in range(1, n + 1)))


@exercise.alternative
def print_while(n):
    number = 1
    while number <= n:
        print(f"{number} {number**2} ")
        number += 1


exercise.slip("from_zero", "range(1, n + 1) → range(n)").says("It begins with 0: the first number is 1.")

# -- pandas ------------------------------------------------------------------------------------------------

grouped = exercise = Entry(
    id="kinds.grouped", title="Means by group", points=2, properties=(inputs_unchanged,)
)


@exercise.reference
def means(people):
    return people.groupby("town", as_index=False)["age"].mean()


@exercise.cases
def people_cases(generator: np.random.Generator):
    def people(count, missing):
        age = generator.integers(20, 80, count).astype(float)
        age[:missing] = np.nan
        return pd.DataFrame({"town": generator.choice(["Bonn", "Graz", "Bern"], count), "age": age})

    return [
        Case("a few people", (people(pick(generator, 8, 9, 10), 0),)),
        Case("an age that is missing", (people(pick(generator, 9, 11, 12), 1),)),
    ]


@exercise.alternative
def means_reset(people):
    return people.groupby("town").age.mean().reset_index()


@exercise.alternative
def means_by_hand(people):
    towns = sorted(set(people["town"]))
    return pd.DataFrame({"town": towns, "age": [people.age[people.town == t].mean() for t in towns]})


exercise.slip("median", ".mean() → .median()").says("These are medians.")

ENTRIES = (softmax, counts, cache, windows, mirrored, table, grouped)

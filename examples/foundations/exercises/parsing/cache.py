"""A cache that forgets what nobody has used for longest."""

import random
from collections import OrderedDict

from headstart import Case, Entry, pick

exercise = Entry(
    id="parsing.cache", title="A cache of a few", points=4, difficulty=3, minutes=15, driver="object"
)


@exercise.reference
class Cache:
    def __init__(self, size):
        self.size = size
        self.values = {}

    def get(self, key):
        if key not in self.values:
            return None
        self.values[key] = self.values.pop(key)
        return self.values[key]

    def put(self, key, value):
        self.values.pop(key, None)
        self.values[key] = value
        if len(self.values) > self.size:
            del self.values[next(iter(self.values))]


@exercise.cases
def cases(generator: random.Random):
    size = pick(generator, 3, 2, 4)
    number = generator.randrange(10, 99)
    full = [["put", f"page {n}", number + n] for n in range(size)]
    asked = [["get", f"page {n}"] for n in range(size)]
    more = [["put", f"new {n}", n] for n in range(3)]
    return [
        Case("what was put in", ([size], [["put", "home", number], ["get", "home"], ["get", "away"]])),
        Case("room for all of them", ([size], [*full, *asked])),
        Case("one too many", ([size], [*full, ["put", "new", 7], *asked, ["get", "new"]])),
        Case("what was asked for stays", ([size], [*full, asked[0], ["put", "new", 7], *asked])),
        Case("what was put again stays", ([size], [*full, ["put", "page 0", 5], ["put", "new", 7], *asked])),
        Case("put again, there is still room", ([size], [*full, ["put", "page 1", 5], *asked])),
        Case("asking for what isn't there", ([size], [["get", "new"], *full, ["get", "new"], *asked])),
        Case("three too many", ([size], [*full, *more, *asked])),
        Case("room for one", ([1], [*full, *asked])),
    ]


@exercise.alternative
class InAnOrderedDict:
    def __init__(self, size):
        self.size, self.kept = size, OrderedDict()

    def get(self, key):
        if key in self.kept:
            self.kept.move_to_end(key)
        return self.kept.get(key)

    def put(self, key, value):
        self.kept[key] = value
        self.kept.move_to_end(key)
        while len(self.kept) > self.size:
            self.kept.popitem(last=False)


@exercise.alternative
class WithAList:
    def __init__(self, size):
        self.room = size
        self.pairs = []

    def get(self, key):
        for number, (name, value) in enumerate(self.pairs):
            if name == key:
                self.pairs.append(self.pairs.pop(number))
                return value
        return None

    def put(self, key, value):
        self.pairs = [pair for pair in self.pairs if pair[0] != key]
        self.pairs.append((key, value))
        self.pairs = self.pairs[-self.room :]


exercise.slip("asking_changes_nothing", "self.values[key] = self.values.pop(key) → pass").says(
    "To ask for a key is to use it: it should become the latest, and here only `put` does that."
)
exercise.slip("put_keeps_its_place", "self.values.pop(key, None) → pass").says(
    "A key that is put again keeps its old place, and leaves as if nobody had used it since."
)
exercise.slip("latest_leaves", "next(iter(self.values)) → next(reversed(self.values))").says(
    "The latest leaves, and the one that nobody has used for longest should."
)
exercise.slip("one_more", "> self.size → > self.size + 1").says(
    "There is one more in it than there is room for."
)
exercise.slip("one_less", "> self.size → >= self.size").says("One leaves although there is room for it.")
exercise.slip("never_leaves", "if len(self.values) > self.size: → if False:").says(
    "Nothing ever leaves: the cache grows beyond its size."
)

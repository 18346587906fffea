"""Sentences in English and in an invented language, from one grammar with two sides.

The other language puts the verb last and adjectives after nouns, has no articles, marks cases and numbers by
suffixes with vowel harmony, and lets adjectives agree with their nouns.
"""

import functools
import random
import re
from collections.abc import Callable
from typing import NamedTuple

from helpers.text.grammar import Grammar, Tree
from helpers.text.notation import read_rules

FEATURES = {
    "n": ("one", "many"),
    "t": ("now", "past"),
    "c": ("nom", "acc", "dat", "gen"),
}

# English => the other language. A name on the right is a part on the left; words that it doesn't take over,
# such as articles, are dropped, and words of its own are particles.
RULES = """
Sentence = 6 Clause[t] . => Clause . | 2 When[t] Clause[t] . => When Clause .
  | 1 Question[t] ? => Question ka .
Clause[t] = 6 Subject[n] See[n t] Object => Subject Object See
  | 3 Subject[n] Give[n t] Receiver Gift => Subject Receiver Gift Give
  | 3 Subject[n] Go[n t] Where => Subject Where Go
  | 3 Subject[n] Did[n t] not Bare-See[n t] Object => Subject Object Bare-See ne
  | 1 Subject[n] Did[n t] not Bare-Go[n t] Where => Subject Where Bare-Go ne
  | 2 Owned[n nom] Be[n t] Quality[thing n] => Owned Quality
Question[t] = 2 Did[n t] Subject[n] Bare-See[n t] Object => Subject Object Bare-See
  | 1 Did[n t] Subject[n] Bare-Go[n t] Where => Subject Where Bare-Go
Subject[n] = 8 Who[n nom] => Who | 1 the Person[n nom] who See[n now] Gift => Gift See sa Person
Object = 3 Who[n acc] => Who | 2 Gift => Gift
Receiver = Who[n dat] => Who
Gift = 2 Owned[n acc] => Owned
Who[n c] = 4 the Person[n c] => Person | 3 the Quality[person n] Person[n c] => Person Quality
  | 1 This[n] Person[n c] => Person ti | 1 my Person[n c] => mi Person
Owned[n c] = 4 the Thing[n c] => Thing | 3 the Quality[thing n] Thing[n c] => Thing Quality
  | 2 the Person[one gen] 's Thing[n c] => Person Thing | 1 This[n] Thing[n c] => Thing ti
Where = 2 in the Place[dat] => Place | 1 near the Quality[thing one] Place[dat] => Place Quality pe
"""

PEOPLE = """king/kings girl/girls soldier/soldiers queen/queens farmer/farmers child/children sailor/sailors
    teacher/teachers thief/thieves baker/bakers doctor/doctors sister/sisters brother/brothers friend/friends
    merchant/merchants woman/women"""
THINGS = """book/books ring/rings letter/letters horse/horses knife/knives apple/apples key/keys lamp/lamps
    song/songs coat/coats boat/boats map/maps cup/cups chair/chairs box/boxes coin/coins"""
PLACES = "garden forest city house harbour tower village market school kitchen"
QUALITIES = "old young good small new strange beautiful heavy white red poor famous"
VERBS = {
    "See": """sees/see/saw loves/love/loved finds/find/found likes/like/liked hides/hide/hid
        follows/follow/followed watches/watch/watched
        forgets/forget/forgot hears/hear/heard knows/know/knew loses/lose/lost
        takes/take/took""",
    "Give": "gives/give/gave shows/show/showed sends/send/sent sells/sell/sold brings/bring/brought",
    "Go": "works/work/worked sleeps/sleep/slept sings/sing/sang waits/wait/waited lives/live/lived "
    "dances/dance/danced",
}
WHEN = {"now": "today now every_day", "past": "yesterday last_year long_ago once"}
STEMS = {"Person": 16, "Thing": 16, "Place": 10, "Quality": 12, "See": 12, "Give": 5, "Go": 6, "When": 7}

# A stands for a after a stem with a, o or u, and for e after one with e or i.
CASES = {"nom": "", "acc": "k", "dat": "sA", "gen": "nA"}
NUMBERS = {"one": "", "many": "mA"}
TENSES = {"now": "t", "past": "dA"}
KINDS = {"person": "r", "thing": "l"}


class Pair(NamedTuple):
    """A sentence in English and its translation, with spaces between the words."""

    source: str
    target: str


@functools.cache
def stems() -> dict[str, list[str]]:
    """The roots of the other language, for each class of words, in the order of the English words.

    They are drawn once, from a fixed seed: open syllables, with vowels of one kind in a root.
    """
    generator = random.Random(7)
    found: dict[str, list[str]] = {}
    used: set[str] = {"ka", "ne", "sa", "ti", "mi", "pe"}
    for kind, number in STEMS.items():
        found[kind] = []
        while len(found[kind]) < number:
            vowels = generator.choice(("aou", "ei"))
            root = "".join(generator.choice("ptkbdgvszmnlr") + generator.choice(vowels) for _ in range(2))
            if root not in used:
                used.add(root)
                found[kind].append(root)
    return found


def inflected(root: str, suffix: str) -> str:
    """A root with a suffix, whose vowels follow the root's: `tolu` + `mAk` is `tolumak`."""
    return root + suffix.replace("A", "a" if root[-1] in "aou" else "e")


def _other_word(tree: Tree) -> str:
    """The word of the other language for a word of the lexicon."""
    kind, *values = re.findall(r"[\w-]+", tree.symbol.removeprefix("Bare-"))
    rank = tree.rule + (3 if tree.symbol == "When[past]" else 0)
    suffixes: dict[str, Callable[..., str]] = {
        "Person": lambda n, c: NUMBERS[n] + CASES[c],
        "Thing": lambda n, c: NUMBERS[n] + CASES[c],
        "Place": lambda c: CASES[c],
        "Quality": lambda kind, n: KINDS[kind] + NUMBERS[n][1:],
        "See": lambda n, t: TENSES[t] + NUMBERS[n],
        "Give": lambda n, t: TENSES[t] + NUMBERS[n],
        "Go": lambda n, t: TENSES[t] + NUMBERS[n],
        "When": lambda t: "",
    }
    return inflected(stems()[kind][rank], suffixes[kind](*values))


def _without_features(body: str) -> tuple[str, ...]:
    parts = re.sub(r"\[[^]]*\]", "", body).split()
    return tuple(parts[1:] if re.fullmatch(r"[\d.]+", parts[0]) else parts)


def _lines() -> list[str]:
    return re.sub(r"\n +", " ", RULES.strip()).splitlines()


@functools.cache
def orders() -> dict[tuple[str, ...], tuple[str, ...]]:
    """The body of each rule on the English side, without features, and its order in the other language."""
    sides = [choice.split(" => ") for line in _lines() for choice in line.split(" = ", 1)[1].split(" | ")]
    return {_without_features(english): tuple(other.split()) for english, other in sides}


@functools.cache
def grammar() -> Grammar:
    """The English side. It is built on first use."""
    verbs = [
        f"{bare}{kind}[n now] ~ {now}\n{bare}{kind}[n past] ~ {past}"
        for kind, text in VERBS.items()
        for bare, now, past in (
            ("", re.sub(r"/\w+(\s|$)", r"\1", text), re.sub(r"\w+/\w+/", "", text)),
            ("Bare-", *[re.sub(r"\w+/(\w+)/\w+", r"\1", text)] * 2),
        )
    ]
    nouns = [f"Person[n c] ~ {PEOPLE}", f"Thing[n c] ~ {THINGS}", f"Place[dat] ~ {PLACES}"]
    small = [f"Quality[k n] ~ {QUALITIES}", *(f"When[{t}] ~ {text}" for t, text in WHEN.items())]
    small += ["Be[one now] = is", "Be[many now] = are", "Be[one past] = was", "Be[many past] = were"]
    small += ["Did[one now] = does", "Did[many now] = do", "Did[n past] = did", "This[n] ~ this/these"]
    english = [re.sub(r" => [^|]*?(?= \||$)", "", line) for line in _lines()]
    return Grammar(
        read_rules("\n".join(english + verbs + nouns + small), FEATURES | {"k": tuple(KINDS)}), "Sentence"
    )


def other_side(tree: Tree) -> list[str]:
    """A derivation's words in the other language."""
    names = tuple(re.sub(r"\[.*", "", part.symbol if isinstance(part, Tree) else part) for part in tree.parts)
    if names not in orders():
        return [_other_word(tree)]
    parts = dict(zip(names, tree.parts, strict=True))
    found: list[str] = []
    for name in orders()[names]:
        part = parts.get(name)
        found += other_side(part) if isinstance(part, Tree) else [name]
    return found


def draw(generator: random.Random) -> Pair:
    """Draw one pair, by the grammar's probabilities."""
    tree = grammar().sample(generator)
    return Pair(" ".join(tree.words()), " ".join(other_side(tree)))


def translate(text: str) -> str | None:
    """An English sentence in the other language; None for what the grammar can't produce."""
    tree = grammar().parse(text.split())
    return None if tree is None else " ".join(other_side(tree))


@functools.cache
def words() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """All words of English and of the other language, each sorted."""
    particles = {word for order in orders().values() for word in order if not word[0].isupper()}
    lexicon = {
        _other_word(Tree(symbol, rule, ()))
        for symbol in grammar().symbols
        for rule in range(len(grammar().bodies[symbol]))
        if re.match(r"(Bare-)?(Person|Thing|Place|Quality|See|Give|Go|When)\[", symbol)
    }
    return tuple(grammar().words()), tuple(sorted(particles | lexicon))

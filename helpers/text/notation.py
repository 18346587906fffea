"""A short notation for grammars whose symbols have features, such as number, gender and sentiment."""

import itertools
import re
from collections.abc import Mapping, Sequence


def read_rules(text: str, features: Mapping[str, Sequence[str]]) -> dict[str, list[tuple[float, tuple]]]:
    """Rules from their notation.

    `Clause[y] = 3 Subject[n] Be[n] Adjective[y] | Subject[n] Be[n] not Adjective[-y]` are two rules with
    weights 3 and 1 for each value of y and n: y is the same on both sides of `=`; n, which is new on the
    right, takes each of its values with equal weight. `-y` is the other value of a feature with two.
    `Noun[n] ~ book/books story/stories` lists words, common ones first; `/` separates forms, one
    for each value of the last feature that has as many. `_` joins words into one alternative. Indented
    lines continue the line above.

    Args:
        text: rules as above. A symbol begins with a capital letter, a word doesn't.
        features: name -> its values. Any other name is a value itself.

    Raises:
        ValueError: a line isn't a rule, or a symbol has no rules; the text says which.
    """
    rules: dict[str, list[tuple[float, tuple]]] = {}
    for line in filter(None, re.sub(r"\n +", " ", text.strip()).splitlines()):
        rule = re.fullmatch(r"(\S+?(?:\[[^]]*\])?) ([=~]) (.*)", line)
        if rule is None:
            raise ValueError(f"a rule begins with `Symbol =` or `Symbol ~`, but this one is {line!r}")
        head, kind, body = rule.groups()
        for values in _assignments(head, features, {}):
            found = rules.setdefault(_fill(head, values, features), [])
            if kind == "~":
                found += _word_list(body.split(), head, values, features)
            else:
                found += [
                    rule for choice in body.split(" | ") for rule in _alternatives(choice, values, features)
                ]
    for symbol, choices in rules.items():
        for _, body in choices:
            if missing := [part for part in body if part[0].isupper() and part not in rules]:
                raise ValueError(f"{missing[0]}, in a rule of {symbol}, has no rules itself")
    return rules


def _alternatives(choice: str, values: dict[str, str], features: Mapping[str, Sequence[str]]) -> list:
    """One alternative, once for each value of the features that its symbol doesn't have."""
    parts = re.findall(r"[^\s\[]+(?:\[[^]]*\])?", choice)
    weight = float(parts.pop(0)) if re.fullmatch(r"[\d.]+", parts[0]) else 1.0
    settings = _assignments(choice, features, values)
    return [
        (weight / len(settings), tuple(_fill(part, setting, features) for part in parts))
        for setting in settings
    ]


def _assignments(text: str, features: Mapping, given: dict[str, str]) -> list[dict[str, str]]:
    """Each way to set the features that a text names and that aren't set yet."""
    named = [name.lstrip("-") for inside in re.findall(r"\[([^]]*)\]", text) for name in inside.split()]
    free = [name for name in dict.fromkeys(named) if name in features and name not in given]
    choices = itertools.product(*(features[name] for name in free))
    return [given | dict(zip(free, choice, strict=True)) for choice in choices]


def _fill(part: str, values: dict[str, str], features: Mapping[str, Sequence[str]]) -> str:
    """A symbol with the values of its features: `Adjective[good]` for `Adjective[-y]` where y is bad."""

    def value(match: re.Match) -> str:
        minus, name = match.groups()
        if name not in features:
            return name
        return next(v for v in features[name] if v != values[name]) if minus else values[name]

    symbol, bracket, inside = part.partition("[")
    return symbol + bracket + re.sub(r"(-?)(\w+)", value, inside)


def _word_list(words: list[str], head: str, values: dict, features: Mapping) -> list[tuple[float, tuple]]:
    """Words by rank: as in Zipf's law, the r-th has a weight of about 1/r."""
    named = [name for name in re.findall(r"\w+", head.partition("[")[2]) if name in features]
    choices = []
    for rank, word in enumerate(words):
        forms = word.split("/")
        chosen = 0
        if len(forms) > 1:
            by = [name for name in named if len(features[name]) == len(forms)][-1]
            chosen = features[by].index(values[by])
        choices.append((1 / (rank + 3), tuple(forms[chosen].split("_"))))
    return choices

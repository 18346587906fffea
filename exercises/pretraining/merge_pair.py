"""Two tokens become one."""

from torch import Generator

from exercises.pretraining import shared
from headstart import Case, Entry
from helpers import pretraining

exercise = Entry(
    id="pretraining.merge_pair",
    title="Two tokens become one",
    points=3,
    difficulty=3,
    minutes=10,
    reference=pretraining.merge_pair,
    returns=("word",),
)


@exercise.cases
def merge_cases(g: Generator) -> list[Case]:
    """A pair once, twice, three of a kind, not there, and where other tokens end or begin like it."""
    a, b, c, d, e = shared.letters(g)
    return [
        Case("once", (f"{c} {a} {b} {d}", f"{a} {b}")),
        Case("twice, and in reverse order", (f"{a} {b} {c} {b} {a} {d} {a} {b}", f"{a} {b}")),
        Case("three and five alike", (f"{a} {a} {a} {b} {a} {a} {a} {a} {a}", f"{a} {a}")),
        Case("tokens that end or begin like it", (f"{c}{a} {b} {d} {a} {b}{e} {a} {b}", f"{a} {b}")),
        Case("longer tokens", (f"{a}{b} {c} {d} {a}{b} {c} {e}", f"{a}{b} {c}")),
        Case("not there", (f"{a} {c} {b} {d}", f"{a} {b}")),
        Case("a full stop is a token like any other", (f"{a} {b} {c} {a} . {b}{a} .", f"{a} .")),
        Case("one token", (f"{a}{b}", f"{a} {b}")),
    ]


@exercise.alternative
def merge_by_regular_expression(word, pair):
    import re

    return re.sub(r"(?<!\S)" + re.escape(pair) + r"(?!\S)", pair.replace(" ", ""), word)


@exercise.alternative
def merge_in_place(word, pair):
    tokens = word.split()
    left, right = pair.split()
    i = 0
    while i < len(tokens) - 1:
        if tokens[i] == left and tokens[i + 1] == right:
            tokens[i : i + 2] = [left + right]
        i += 1
    return " ".join(tokens)


@exercise.alternative
def merge_by_iterator(word, pair):
    left, right = pair.split()
    merged = []
    open_pair = False
    for token in word.split():
        if open_pair and token == right:
            merged[-1] = left + right
            open_pair = False
        else:
            merged.append(token)
            open_pair = token == left
    return " ".join(merged)


exercise.slip("text_replaced", '" ".join(merged) → word.replace(pair, pair.replace(" ", ""))').says(
    "This replaces text, wherever tokens end: `l o` is also in `xl o`, whose first token isn't `l`."
)


@exercise.misconception
def first_place_alone(word, pair):
    """Only the first place is merged: merge them all."""
    tokens, wanted = word.split(), pair.split()
    for at in range(len(tokens) - 1):
        if tokens[at : at + 2] == wanted:
            tokens[at : at + 2] = ["".join(wanted)]
            break
    return " ".join(tokens)


exercise.slip(
    "either_order",
    "found = tokens[at : at + 2] == wanted\n"
    '        merged.append("".join(wanted) if found else tokens[at])\n'
    "        at += 2 if found else 1 → if sorted(tokens[at : at + 2]) == sorted(wanted):\n"
    '            merged.append("".join(tokens[at : at + 2]))\n'
    "            at += 2\n"
    "        else:\n"
    "            merged.append(tokens[at])\n"
    "            at += 1",
).says("The pair is merged in reverse order, too: `o l` isn't `l o`.")


@exercise.misconception
def from_the_right(word, pair):
    """Of three alike the last two are merged: go from left to right."""
    tokens, wanted = word.split(), pair.split()
    at = len(tokens) - 2
    while at >= 0:
        if tokens[at : at + 2] == wanted:
            tokens[at : at + 2] = ["".join(wanted)]
            at -= 1
        at -= 1
    return " ".join(tokens)


@exercise.misconception
def token_used_twice(word, pair):
    """A token is used twice: once it is merged it is gone, so skip it."""
    tokens, wanted = word.split(), pair.split()
    merged = []
    for at in range(len(tokens)):
        if tokens[at : at + 2] == wanted:
            merged.append("".join(wanted))
        elif not (at and tokens[at - 1 : at + 1] == wanted):
            merged.append(tokens[at])
    return " ".join(merged)


@exercise.misconception
def second_token_stays(word, pair):
    """The pair's second token is still there after the merge: skip it too."""
    tokens, wanted = word.split(), pair.split()
    merged = []
    for at in range(len(tokens)):
        merged.append("".join(wanted) if tokens[at : at + 2] == wanted else tokens[at])
    return " ".join(merged)


exercise.slip("last_token_lost", "while at < len(tokens): → while at < len(tokens) - 1:").says(
    "The last token is lost unless a pair ends there: the walk stops one place too early."
)


@exercise.misconception
def spaces_used_up(word, pair):
    """A pair that follows a merge at once is missed, since the space between them is used up: walk through
    the tokens instead.
    """
    return f" {word} ".replace(f" {pair} ", " " + pair.replace(" ", "") + " ").strip()


@exercise.misconception
def pair_as_a_pattern(word, pair):
    """The pair is taken for a pattern, in which a full stop matches any letter: `re.escape` makes it plain
    text.
    """
    import re

    return re.sub(r"(?<!\S)" + pair + r"(?!\S)", pair.replace(" ", ""), word)


exercise.slip("one_word_again", '" ".join(merged) → word.replace(" ", "")').says(
    "The spaces are gone: tokens that aren't merged stay apart."
)
exercise.slip("nothing_merged", '" ".join(merged) → word').says(
    "Nothing is merged: strings don't change in place, so keep what `replace` or `join` returns."
)

"""The edit distance."""

import functools

import torch
from torch import Generator

from exercises.translation import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers import translation

exercise = Entry(
    id="translation.edit_distance",
    title="Edit distance",
    points=3,
    difficulty=3,
    minutes=12,
    reference=translation.edit_distance,
    forbidden=shared.DISTANCES,
    returns=("distance",),
    properties=(inputs_unchanged,),
)


@exercise.cases
def distance_cases(g: Generator) -> list[Case]:
    """Each kind of edit alone, several together, lists that share nothing, and an empty one."""
    s = shared.sounds(g, 9)
    n = pick(g, 5, 4, 6)
    some, extra, other = s[:n], s[7], s[8]
    return [
        Case("the same sounds", (some, list(some))),
        Case("one sound is different", ([*some[:-2], extra, some[-1]], some)),
        Case("one sound too many, at the beginning", ([extra, *some], some)),
        Case("one sound too many, at the end", ([*some, extra], some)),
        Case("two sounds are missing", (some[1:-1], some)),
        Case("a sound too many and one missing", ([extra, *some[:-1]], some)),
        Case("two neighbours swapped", ([*some[:2], some[3], some[2], *some[4:]], some)),
        Case("no sound in common", (s[:3], [*s[3:7], extra])),
        Case("a sound again and again", ([s[0]] * pick(g, 5, 6), [other, s[0], s[1], s[0]])),
        Case("nothing written", ([], some)),
        Case("nothing to write", (some, [])),
        Case("sounds at random", tuple(_at_random(g, s[:4], count) for count in pick(g, (9, 7), (8, 10)))),
        Case("long lists", tuple(_at_random(g, s[:6], count) for count in pick(g, (26, 24), (24, 27)))),
    ]


def _at_random(g: Generator, sounds: list[str], count: int) -> list[str]:
    return [sounds[i] for i in torch.randint(len(sounds), (count,), generator=g)]


@exercise.alternative
def distance_by_a_table(written, right):
    table = [[i + j for j in range(len(right) + 1)] for i in range(len(written) + 1)]
    for i in range(1, len(written) + 1):
        for j in range(1, len(right) + 1):
            if written[i - 1] == right[j - 1]:
                table[i][j] = table[i - 1][j - 1]
            else:
                table[i][j] = 1 + min(table[i - 1][j], table[i][j - 1], table[i - 1][j - 1])
    return table[len(written)][len(right)]


@exercise.alternative
def distance_by_recursion(written, right):
    @functools.cache
    def rest(i, j):
        if i == len(written) or j == len(right):
            return len(written) - i + len(right) - j
        if written[i] == right[j]:
            return rest(i + 1, j + 1)
        return 1 + min(rest(i + 1, j), rest(i, j + 1), rest(i + 1, j + 1))

    return rest(0, 0)


exercise.slip("first_row_of_zeros", "list(range(len(right) + 1)) → [0] * (len(right) + 1)").says(
    "The first row is 0 everywhere, so that sounds missing at the beginning cost nothing: from an empty list "
    "to j sounds it takes j insertions."
)
exercise.slip("first_column_of_zeros", "[i] → [0]").says(
    "The first column is 0 everywhere, so that sounds too many at the beginning cost nothing: from i sounds "
    "to an empty list it takes i deletions."
)
exercise.slip(
    "row_and_column_of_zeros", "list(range(len(right) + 1)) → [0] * (len(right) + 1)", "[i] → [0]"
).says(
    "The first row and the first column are 0 everywhere, so that sounds missing or too many at the "
    "beginning cost nothing: from an empty list to j sounds it takes j insertions."
)
exercise.slip(
    "one_row_many_times",
    "table = [[i + j for j in range(len(right) + 1)] for i in range(len(written) + 1)] → "
    "table = [[0] * (len(right) + 1)] * (len(written) + 1)\n"
    "    for i in range(len(written) + 1):\n"
    "        table[i][0] = i\n"
    "    for j in range(len(right) + 1):\n"
    "        table[0][j] = j",
    of=distance_by_a_table,
).says(
    "All rows of the table are one list, as after `[[0] * m] * n`, so what is written into one of them is in "
    "all: make each row anew, in a comprehension."
)
exercise.slip("substitutions_cost_two", "(one != other) → 2 * (one != other)").says(
    "A substitution costs 2 here, as much as a deletion and an insertion: it is one edit."
)
exercise.slip("nothing_is_free", "(one != other) → 1").says(
    "Equal sounds cost 1 as well, so that this is the length of the longer list: where the two sounds are "
    "equal, the step along the diagonal is free."
)
exercise.slip("no_deletion", "above[j] + 1, row[-1] + 1 → row[-1] + 1").says(
    "Deletions are missing, so that a sound written too many shifts all that follow, and they count as wrong."
)
exercise.slip("no_insertion", "above[j] + 1, row[-1] + 1 → above[j] + 1").says(
    "Insertions are missing, so that a sound left out shifts all that follow, and they count as wrong."
)
exercise.slip("substitution_from_above", "above[j - 1] + (one != other) → above[j] + (one != other)").says(
    "A substitution uses up one sound of each list, so it starts from the cell above and to the left, not "
    "from the one above."
)
exercise.slip("any_end_will_do", "return row[-1] → return min(row)").says(
    "This is the smallest number of the last row, so that sounds missing at the end cost nothing: both lists "
    "have to be used up."
)
exercise.slip("as_a_share", "return row[-1] → return row[-1] / max(1, len(right))").says(
    "This is divided by the number of right sounds: the distance itself is asked for, and only the sum over "
    "many words is divided."
)


@exercise.misconception
def place_by_place(written, right):
    """Sounds are compared place by place: after one sound too many, all others count as wrong."""
    return sum(a != b for a, b in zip(written, right, strict=False)) + abs(len(written) - len(right))


@exercise.misconception
def without_order(written, right):
    """Sounds are counted whatever their order, so that two lists with the same sounds have no distance."""
    left = list(right)
    for one in written:
        if one in left:
            left.remove(one)
    return max(len(left), len(written) - len(right) + len(left))


@exercise.misconception
def letter_by_letter(written, right):
    """The sounds are joined into one text, so that a sound of two letters costs 2: the list's parts are
    compared whole.
    """
    return distance_by_a_table("".join(written), "".join(right))


@exercise.misconception
def greedy_pointers(written, right):
    """This walks along both lists and decides at once which edit to make, by how much is left of each: only
    the sounds that follow show which edit was the best, so all three have to be tried.
    """
    i = j = edits = 0
    while i < len(written) and j < len(right):
        if written[i] != right[j]:
            edits += 1
            longer = len(written) - i - (len(right) - j)
            i, j = i + (longer >= 0), j + (longer <= 0)
        else:
            i, j = i + 1, j + 1
    return edits + len(written) - i + len(right) - j

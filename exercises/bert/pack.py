"""Two passages, one row."""

from torch import Generator

from exercises.bert import shared
from headstart import Case, Entry, inputs_unchanged, pick

exercise = Entry(
    id="bert.pack",
    title="Two passages, one row",
    points=3,
    difficulty=2,
    minutes=9,
    returns=("row", "segments"),
    properties=(inputs_unchanged,),
)


@exercise.reference
def pack(first, second, length):
    first, second = list(first), list(second)
    while len(first) + len(second) + 3 > length:
        (first if len(first) > len(second) else second).pop()
    row = [4, *first, 5, *second, 5]
    return row, [0] * (len(first) + 2) + [1] * (len(second) + 1)


@exercise.cases
def pack_cases(g: Generator) -> list[Case]:
    """Room for all, a first that is too long, a second that is, both, and next to no room."""

    def passage(count: int) -> list[int]:
        return shared.words(g, count, 90).tolist()

    return [
        Case("there is room", (passage(shared.between(g, 2, 4)), passage(shared.between(g, 3, 6)), 20)),
        Case("it just fits", (passage(m := pick(g, 3, 2, 4)), passage(5), m + 8)),
        Case("the first is too long", (passage(shared.between(g, 9, 12)), passage(3), 12)),
        Case("the second is too long", (passage(2), passage(shared.between(g, 8, 11)), 10)),
        Case("both have to give", (passage(shared.between(g, 6, 8)), passage(shared.between(g, 9, 12)), 11)),
        Case("both are of one length", (passage(n := pick(g, 5, 4, 6)), passage(n), pick(g, 10, 8, 6))),
        Case("room for no word", (passage(2), passage(1), 3)),
        Case("an empty second passage", (passage(pick(g, 2, 3)), [], pick(g, 8, 9))),
    ]


@exercise.alternative
def lengths_first(first, second, length):
    keep_first, keep_second = len(first), len(second)
    while keep_first + keep_second > length - 3:
        if keep_first > keep_second:
            keep_first -= 1
        else:
            keep_second -= 1
    row = [4, *first[:keep_first], 5, *second[:keep_second], 5]
    return row, [int(place > keep_first + 1) for place in range(len(row))]


@exercise.alternative
def by_recursion(first, second, length):
    if len(first) + len(second) + 3 <= length:
        segments = [0, *[0] * len(first), 0, *[1] * len(second), 1]
        return [4, *first, 5, *second, 5], segments
    if len(first) > len(second):
        return by_recursion(first[:-1], second, length)
    return by_recursion(first, second[:-1], length)


exercise.slip(
    "last_separator_missing",
    "[4, *first, 5, *second, 5] → [4, *first, 5, *second]",
    "(len(second) + 1) → len(second)",
).says("The second passage has no [SEP] at its end: each passage is closed by one.")
exercise.slip(
    "summary_for_each",
    "[4, *first, 5, *second, 5] → [4, *first, 5, 4, *second, 5]",
    "(len(second) + 1) → (len(second) + 2)",
).says("Each passage begins with a [CLS]: a row has one, at its very beginning, which sums up both passages.")
exercise.slip(
    "summary_at_the_end",
    "[4, *first, 5, *second, 5] → [*first, 5, *second, 5, 4]",
    "[0] * (len(first) + 2) + [1] * (len(second) + 1) → [0] * (len(first) + 1) + [1] * (len(second) + 2)",
).says(
    "[CLS] is at the end: attention looks both ways, so it can be in front, where its place doesn't "
    "depend on the length."
)


@exercise.misconception
def cut_at_the_end(first, second, length):
    """The packed row is cut at its end, so the last [SEP] and the second passage go first: shorten the longer
    passage before packing.
    """
    row = [4, *first, 5, *second, 5]
    return row[:length], ([0] * (len(first) + 2) + [1] * (len(second) + 1))[:length]


@exercise.misconception
def only_the_second_gives(first, second, length):
    """Only the second passage is shortened, so nothing may be left of it beside a long first one: take from
    the longer of the two.
    """
    room = length - 3
    first = list(first)[:room]
    second = list(second)[: room - len(first)]
    return [4, *first, 5, *second, 5], [0] * (len(first) + 2) + [1] * (len(second) + 1)


@exercise.misconception
def each_gets_half(first, second, length):
    """Each passage gets half of the room, even if the other needs less, so words are lost for nothing: take
    one word at a time from the longer.
    """
    first, second = list(first), list(second)
    if len(first) + len(second) + 3 > length:
        half = (length - 3) // 2
        first, second = first[: length - 3 - half], second[:half]
    return [4, *first, 5, *second, 5], [0] * (len(first) + 2) + [1] * (len(second) + 1)


@exercise.misconception
def each_gets_the_smaller_half(first, second, length):
    """Each passage is cut to half of the room, rounded down, so a place may stay empty, and words are lost
    even if the other needs less: take one word at a time from the longer.
    """
    half = (length - 3) // 2
    if len(first) + len(second) + 3 > length:
        first, second = first[:half], second[:half]
    return [4, *first, 5, *second, 5], [0] * (len(first) + 2) + [1] * (len(second) + 1)


exercise.slip("specials_not_counted", " + 3 →").says(
    "[CLS] and two [SEP] aren't counted, so the row is three tokens too long for the model's positions."
)
exercise.slip("two_specials_counted", "+ 3 → + 2").says(
    "Two special tokens are counted, and there are three, [CLS] and two [SEP]: the row is one too long."
)
exercise.slip("taken_from_the_callers", "    first, second = list(first), list(second)\n →").says(
    "Words are popped from the very lists that were passed in, so the caller's passages are shorter "
    "afterwards: work on copies."
)
exercise.slip("taken_from_the_front", ".pop() → .pop(0)").says(
    "Words are taken from the beginning of the longer passage: they go from its end, .pop() and not .pop(0)."
)
exercise.slip("first_gives_when_equal", "len(first) > len(second) → len(first) >= len(second)").says(
    "Where both passages are equally long, the first loses a word here: it should be the second, as in "
    "BERT's published code."
)
exercise.slip(
    "separator_opens", "(len(first) + 2) → (len(first) + 1)", "(len(second) + 1) → (len(second) + 2)"
).says("The first [SEP] has segment 1: it closes the first passage, so it still belongs to it.")
exercise.slip("summary_without_a_segment", "(len(first) + 2) → (len(first) + 1)").says(
    "There is one segment too few: [CLS] needs one as well, a 0."
)
exercise.slip("last_without_a_segment", "(len(second) + 1) → len(second)").says(
    "There is one segment too few: the last [SEP] needs one as well, a 1."
)
exercise.slip("segments_turned", "[0] * → [1] *", "[1] * (len(second) → [0] * (len(second)").says(
    "The segments are swapped: 0 is the first passage, 1 the second."
)
exercise.slip("one_and_two", "[0] * → [1] *", "[1] * (len(second) → [2] * (len(second)").says(
    "The segments are 1 and 2 here: they are indices of a table with two rows, so they start at 0."
)
exercise.slip("segments_left_out", "row, [0] * (len(first) + 2) + [1] * (len(second) + 1) → row").says(
    "Only the row is returned: the segment of each token is asked for, too."
)
exercise.slip(
    "separators_apart",
    "[0] * (len(first) + 2) + [1] * (len(second) + 1) → [0] * (len(first) + 1) + [2] + [1] * len(second) + "
    "[2]",
).says("The separators have a segment of their own here: each belongs to the passage that it closes.")
exercise.slip("one_word_dropped", "while → if").says(
    "At most one word is dropped, so a row that is longer by more still doesn't fit: drop words in a loop, "
    "as long as the row is too long."
)


@exercise.misconception
def segments_of_whole_passages(first, second, length):
    """The segments are counted from the passages as they came, before they were shortened: count them from
    what is left in the row.
    """
    short, other = list(first), list(second)
    while len(short) + len(other) + 3 > length:
        (short if len(short) > len(other) else other).pop()
    return [4, *short, 5, *other, 5], [0] * (len(first) + 2) + [1] * (len(second) + 1)


@exercise.misconception
def longer_chosen_once(first, second, length):
    """Which passage is the longer is asked once, and that one loses all the words, even when it has become
    the shorter, or empty: ask again before each word.
    """
    first, second = list(first), list(second)
    longer = first if len(first) > len(second) else second
    while len(first) + len(second) + 3 > length:
        longer.pop()
    return [4, *first, 5, *second, 5], [0] * (len(first) + 2) + [1] * (len(second) + 1)

"""Segment ids."""

import torch
from torch import Generator

from autograder.entry import Entry
from autograder.exercises.bert import shared
from helpers.checking.calling.drivers import Case
from helpers.checks import inputs_unchanged, whole_numbers_in_int64

exercise = Entry(
    id="bert.segments",
    title="Segment ids",
    points=1,
    difficulty=2,
    minutes=6,
    returns=("segments",),
    properties=(inputs_unchanged, whole_numbers_in_int64),
)


@exercise.reference
def segments_of(ids):
    is_separator = (ids == 5).long()
    closed = is_separator.cumsum(dim=-1) - is_separator
    return ((closed == 1) & (ids != 0)).long()


@exercise.cases
def segments_cases(g: Generator) -> list[Case]:
    """Two passages, with and without padding; one passage alone."""
    lengths = [
        (shared.between(g, 1, 3), shared.between(g, 2, 4)),
        (shared.between(g, 3, 5), 1),
        (2, shared.between(g, 3, 5)),
    ]
    return [
        Case("one row without padding", (shared.row(g, shared.between(g, 2, 4), 3, 0)[None],)),
        Case("three rows with padding", (shared.rows(g, lengths),)),
        Case("an empty second passage", (shared.rows(g, [(2, 0), (1, shared.between(g, 3, 5))]),)),
        Case("a passage alone", (shared.row(g, shared.between(g, 3, 5), None, 2)[None],)),
        Case("a passage alone, and no padding", (shared.row(g, shared.between(g, 2, 6), None, 0)[None],)),
    ]


@exercise.alternative
def segments_row_by_row(ids):
    segments = torch.zeros_like(ids)
    for row, segment in zip(ids, segments, strict=True):
        places = (row == 5).nonzero().flatten().tolist()
        if len(places) == 2:
            segment[places[0] + 1 : places[1] + 1] = 1
    return segments


@exercise.alternative
def segments_by_looking_back(ids):
    before = torch.nn.functional.pad(ids[:, :-1], (1, 0))
    return torch.where(ids == 0, 0, ((before == 5).cumsum(dim=-1) == 1).long())


exercise.slip(
    "separator_opens",
    "closed = is_separator.cumsum(dim=-1) - is_separator → count = (ids == 5).cumsum(dim=-1)",
    "((closed == 1) & (ids != 0)).long() → ((count == 1) | ((count == 2) & (ids == 5))).long() * (ids != 0)",
).says("The first [SEP] is given to the second passage: it closes the first, so its segment is 0.")
exercise.slip(
    "separators_count_themselves", "is_separator.cumsum(dim=-1) - is_separator → is_separator.cumsum(dim=-1)"
).says(
    "Each [SEP] counts itself, so the first has segment 1 and the second 0: a [SEP] belongs to the passage "
    "that it closes, so count those before it."
)
exercise.slip(
    "separator_opens_and_padding_follows",
    "((closed == 1) & (ids != 0)).long() → (ids == 5).long().cumsum(dim=-1).clamp(max=1)",
).says(
    "The first [SEP] and everything after it have segment 1: it belongs to the first passage, padding to "
    "none."
)
exercise.slip("last_separator_left_out", "closed == 1 → ((ids == 5).cumsum(dim=-1) == 1) & (ids != 5)").says(
    "The second [SEP] has segment 0: it closes the second passage and belongs to it."
)
exercise.slip(
    "padding_in_the_second", "(closed == 1) & (ids != 0) → is_separator.cumsum(dim=-1) - is_separator >= 1"
).says(
    "Everything after the first [SEP] has segment 1, padding too: padding belongs to no passage and gets 0."
)
exercise.slip(
    "one_passage_padded", "(closed == 1) & (ids != 0) → is_separator.cumsum(dim=-1) - is_separator == 1"
).says(
    "After a single passage the padding has segment 1 here: one [SEP] comes before it, but padding always "
    "gets 0."
)
exercise.slip(
    "segments_from_one",
    "((closed == 1) & (ids != 0)).long() → ((is_separator.cumsum(dim=-1) - is_separator == 1) & (ids != "
    "0)).long() + 1",
).says("The segments are called 1 and 2 here: they are rows of a table of two, numbered 0 and 1.")
exercise.slip(
    "segments_turned",
    "((closed == 1) & (ids != 0)).long() → 1 - ((is_separator.cumsum(dim=-1) - is_separator == 1) & (ids "
    "!= 0)).long()",
).says("The first passage has segment 1 and the second 0: it should be 0 and 1.")
exercise.slip(
    "counted_separators", "((closed == 1) & (ids != 0)).long() → is_separator.cumsum(dim=-1) - is_separator"
).says(
    "The number of [SEP] so far is no segment yet: it is 2 at the end of a row, where the table has only "
    "rows 0 and 1."
)

"""Padding."""

import torch
from torch import Generator

from exercises.posttraining import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers import posttraining

exercise = Entry(
    id="posttraining.pad",
    title="Padding",
    points=2,
    difficulty=2,
    minutes=4,
    reference=posttraining.pad,
    returns=("tokens", "mask"),
    properties=(inputs_unchanged,),
)


@exercise.cases
def pad_cases(g: Generator) -> list[Case]:
    """Rows of one length and of several, a single one, empty ones; tokens that are equal to the padding."""

    def rows(lengths: list[int]) -> list[list[int]]:
        return [torch.randint(10, 90, (length,), generator=g).tolist() for length in lengths]

    behind = rows(pick(g, [1, 2, 4], [2, 6], [1, 3, 2, 5]))
    behind[0][0], behind[-1][0] = 90, 9  # compared as lists, the longest is the least
    full = rows(pick(g, [3, 5, 2], [4, 1], [2, 2, 6, 3]))
    token = shared.one(g, 3, 9)
    full[0][0] = full[1][0] = full[1][-1] = token
    return [
        Case("rows of several lengths", (rows(pick(g, [4, 2, 3], [1, 5], [3, 3, 1, 6])), 0)),
        Case("the longest last", (behind, shared.one(g, 1, 8))),
        Case("rows of one length", (rows(pick(g, [3, 3], [2, 2, 2], [4, 4, 4])), 0)),
        Case("one row", (rows([pick(g, 4, 3, 6)]), 0)),
        Case("tokens that are the padding's", (full, token)),
        Case("an empty row", (rows(pick(g, [2, 0, 3], [3, 0], [4, 1, 0, 2])), shared.one(g, 1, 9))),
        Case("an empty row first", (rows(pick(g, [0, 2], [0, 5, 1], [0, 3, 0])), shared.one(g, 1, 9))),
    ]


@exercise.alternative
def pad_into_a_full_tensor(rows, pad_token):
    B, T = len(rows), max(map(len, rows))
    ids = torch.full((B, T), pad_token)
    mask = torch.zeros(B, T, dtype=torch.bool)
    for b, row in enumerate(rows):
        ids[b, : len(row)] = torch.tensor(row, dtype=torch.long)
        mask[b, : len(row)] = True
    return ids, mask


@exercise.alternative
def pad_with_torch(rows, pad_token):
    tensors = [torch.tensor(row, dtype=torch.long) for row in rows]
    ids = torch.nn.utils.rnn.pad_sequence(tensors, batch_first=True, padding_value=pad_token)
    ones = [torch.ones(len(row), dtype=torch.bool) for row in rows]
    return ids, torch.nn.utils.rnn.pad_sequence(ones, batch_first=True)


@exercise.alternative
def pad_as_lists(rows, pad_token):
    longest = max([len(row) for row in rows])
    ids, mask = [], []
    for row in rows:
        missing = longest - len(row)
        ids.append(row + [pad_token] * missing)
        mask.append([True] * len(row) + [False] * missing)
    return torch.tensor(ids), torch.tensor(mask)


exercise.slip(
    "real_by_number", "torch.arange(T) < torch.tensor(lengths).unsqueeze(1) → ids != pad_token"
).says(
    "Real tokens that are equal to the padding are taken for padding, as <end> is where a tokenizer pads "
    "with it: the lengths say what is real."
)
exercise.slip(
    "padded_on_the_left",
    "[*row, *[pad_token] * (T - len(row))] → [*[pad_token] * (T - len(row)), *row]",
    "torch.arange(T) < → torch.arange(T).flip(0) <",
).says("The padding is on the left, as for generating: here it is on the right.")
exercise.slip("padded_with_0", "[pad_token] * (T - len(row)) → [0] * (T - len(row))").says(
    "The rows are padded with 0 whatever `pad_token` is."
)
exercise.slip(
    "cut_to_the_shortest",
    "max(lengths) → min(lengths)",
    "[[*row, *[pad_token] * (T - len(row))] for row in rows] → [row[:T] for row in rows]",
).says("The rows are cut to the length of the shortest: pad them to the longest, so that nothing is lost.")
exercise.slip("mask_turned_over", "torch.arange(T) < torch.tensor → torch.arange(T) >= torch.tensor").says(
    "The mask is inverted: True is for real tokens."
)
exercise.slip("one_short", "torch.arange(T) < torch.tensor → torch.arange(T) < -1 + torch.tensor").says(
    "The last token of each row is taken for padding: a row of n tokens has n that are real."
)
exercise.slip("one_more", "torch.arange(T) < torch.tensor → torch.arange(T) <= torch.tensor").says(
    "The first padding after each row is taken for real: the places count from 0, so they are below the "
    "length."
)
exercise.slip(
    "lengths_alone",
    "torch.arange(T) < torch.tensor(lengths).unsqueeze(1) → torch.tensor(lengths)",
).says("These are the rows' lengths: the mask has a True or False for each place.")


@exercise.misconception
def padded_in_place(rows, pad_token):
    """The caller's rows are made longer, since .extend changes a list in place: make new ones with +."""
    lengths = [len(row) for row in rows]
    for row in rows:
        row.extend([pad_token] * (max(lengths) - len(row)))
    return torch.tensor(rows), torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]


@exercise.misconception
def floats_of_an_empty_row(rows, pad_token):
    """torch.tensor([]) holds floats, and pad_sequence takes the first row's type: give dtype=torch.long."""
    ids = torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], True, pad_token)
    lengths = torch.tensor([len(row) for row in rows])
    return ids, torch.arange(ids.size(1)) < lengths[:, None]


@exercise.misconception
def longest_by_max(rows, pad_token):
    """max(rows) is the row whose first tokens are the largest, not the longest: take the largest length."""
    T = len(max(rows))
    ids = torch.tensor([[*row, *[pad_token] * (T - len(row))] for row in rows])
    return ids, torch.arange(T) < torch.tensor([len(row) for row in rows]).unsqueeze(1)


@exercise.misconception
def cut_to_the_first(rows, pad_token):
    """All rows get the first one's length, and longer ones are cut: T is the length of the longest."""
    T = len(rows[0])
    ids = torch.tensor([[*row, *[pad_token] * (T - len(row))][:T] for row in rows])
    return ids, torch.arange(T) < torch.tensor([len(row) for row in rows]).unsqueeze(1)


@exercise.misconception
def longest_first(rows, pad_token):
    """The rows are sorted by length, so a row no longer belongs to its text: keep their order."""
    rows = sorted(rows, key=len, reverse=True)
    lengths = [len(row) for row in rows]
    ids = torch.tensor([[*row, *[pad_token] * (lengths[0] - len(row))] for row in rows])
    return ids, torch.arange(lengths[0]) < torch.tensor(lengths).unsqueeze(1)

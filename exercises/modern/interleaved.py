"""Rows in a different order."""

import torch
from torch import Generator

from exercises.modern import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import modern

exercise = Entry(
    id="modern.interleaved",
    title="Rows in a different order",
    points=3,
    difficulty=3,
    minutes=10,
    reference=modern.interleaved,
    returns=("weight",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.cases
def interleaved_cases(g: Generator) -> list[Case]:
    """One head and several, one pair of features and more, one channel."""

    def case(title: str, heads: int, pairs: int, C: int, dtype: torch.dtype = torch.float32) -> Case:
        return Case(title, (shared.normal(g, heads * 2 * pairs, C, dtype=dtype), heads))

    return [
        case("one head", 1, pick(g, 3, 4, 5), pick(g, 2, 3)),
        case("as many heads as pairs", n := pick(g, 2, 3), n, pick(g, 3, 5, 7)),
        case("one channel", pick(g, 3, 2, 5), 4, 1),
        case("one pair for each head", pick(g, 4, 2, 3), 1, 5),
        case("float64", 2, pick(g, 3, 4), 5, dtype=torch.float64),
    ]


@exercise.alternative
def interleaved_with_stack(weight, n_heads):
    heads = weight.view(n_heads, -1, weight.size(1))
    first, second = heads.chunk(2, dim=1)
    return torch.stack([first, second], dim=2).flatten(0, 2)


@exercise.alternative
def interleaved_with_an_index(weight, n_heads):
    D = weight.shape[0] // n_heads
    order = torch.arange(D).view(2, D // 2).T.flatten()
    rows = torch.cat([h * D + order for h in range(n_heads)])
    return weight[rows]


@exercise.alternative
def interleaved_by_filling(weight, n_heads):
    heads = weight.reshape(n_heads, len(weight) // n_heads, -1)
    half = heads.size(1) // 2
    made = torch.empty_like(heads)
    made[:, 0::2], made[:, 1::2] = heads[:, :half], heads[:, half:]
    return made.view(weight.shape)


exercise.slip("rows_as_they_are", "halves.transpose(1, 2).reshape(rows, C) → weight.clone()").says(
    "The rows stay where they were, so neighbours that don't belong together would be turned."
)
exercise.slip(
    "the_other_way",
    "weight.view(n_heads, 2, rows // n_heads // 2, C) → weight.view(n_heads, rows // n_heads // 2, 2, C)",
).says("This is the way back, from neighbours to halves: rows 0 and D/2 of a head become its first two.")
exercise.slip("over_all_rows", "halves.transpose(1, 2) → weight.view(2, rows // 2, C).transpose(0, 1)").says(
    "The halves are those of all rows together: each head has halves of its own."
)
exercise.slip(
    "halves_exchanged",
    "torch.stack([first, second], dim=2).flatten(0, 2) → torch.cat([second, first], "
    "dim=1).reshape(weight.shape)",
    of=interleaved_with_stack,
).says("The halves are swapped as wholes: rows should come from each in turn.")
exercise.slip(
    "second_half_first",
    "weight.view(n_heads, 2, rows // n_heads // 2, C) → weight.view(n_heads, 2, rows // n_heads // 2, "
    "C).flip(1)",
).says("The second half's row comes first in each pair: feature i is 2i, and i + D/2 is 2i + 1.")
exercise.slip(
    "heads_in_between",
    "weight.view(n_heads, 2, rows // n_heads // 2, C) → weight.view(2, rows // n_heads // 2, n_heads, C)",
    "halves.transpose(1, 2) → halves.permute(2, 1, 0, 3)",
).says(
    "Rows of different heads are mixed: the first axis is cut into heads first, then each head into halves."
)

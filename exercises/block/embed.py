"""Tokens to vectors."""

import math

import torch
from torch import Generator

from exercises.block import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import block

exercise = Entry(
    id="block.embed",
    title="Tokens to vectors",
    points=2,
    difficulty=2,
    minutes=6,
    reference=block.embed,
    returns=("vectors",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.cases
def embed_cases(g: Generator) -> list[Case]:
    """One sequence and several, shorter than the table of positions and as long, several widths."""

    def case(title: str, C: int, longest: int, *shape: int, dtype: torch.dtype = torch.float32) -> Case:
        V = 4 + pick(g, 3, 5) + C
        tables = (shared.normal(g, rows, C, dtype=dtype) for rows in (V, longest))
        return Case(title, (shared.ids(g, V, *shape), *tables))

    T = 3 + int(torch.randint(2, (), generator=g))
    several = pick(g, (2, 1, 3), (1, 4, 2), (3, 1, 4, 2))
    return [
        case("one sequence", pick(g, 2, 3, 5), 14, T),  # a row for each token's number, too
        case("a batch", pick(g, 3, 5), 8, *pick(g, (2, 4), (3, 2), (5, 6))),
        case("as long as the table of positions", pick(g, 6, 3, 4), *pick(g, (5, 5), (7, 7), (2, 3, 2))),
        case("several batch axes, one of length 1", 8, 5, *several),
        case("a single token in each row", pick(g, 2, 6), 4, *pick(g, (3, 1), (1, 1), (2, 1))),
        case("float64", pick(g, 5, 4), 7, *pick(g, (3, 2), (2, 6), (4,)), dtype=torch.float64),
    ]


@exercise.alternative
def embed_with_functional(ids, words, positions):
    vectors = torch.nn.functional.embedding(ids, words)
    return vectors * words.shape[1] ** 0.5 + positions[torch.arange(ids.shape[-1])]


@exercise.alternative
def embed_with_one_hot(ids, words, positions):
    hot = torch.nn.functional.one_hot(ids, len(words)).to(words.dtype)
    return (hot @ words) * math.sqrt(words.shape[-1]) + positions.narrow(0, 0, ids.shape[-1])


@exercise.alternative
def embed_with_index_select(ids, words, positions):
    rows = words.index_select(0, ids.flatten()).view(*ids.shape, -1)
    return torch.add(positions[: ids.shape[-1]], rows, alpha=math.sqrt(words.shape[1]))


exercise.slip("not_scaled", "math.sqrt(words.size(-1)) * words[ids] → words[ids]").says(
    "The tokens' rows aren't multiplied by √C, so they count for too little beside the positions."
)
exercise.slip(
    "scaled_down", "math.sqrt(words.size(-1)) * words[ids] → (words[ids] / math.sqrt(words.size(-1)))"
).says("The tokens' rows are divided by √C, as scores are in attention: here they are multiplied.")
exercise.slip("half_the_width", "math.sqrt(words.size(-1)) → words.size(-1) ** 1 / 2").says(
    "In Python, `** 1/2` is the first power, halved: a root is `** 0.5` or `math.sqrt`."
)
exercise.slip("scaled_by_width", "math.sqrt(words.size(-1)) → words.size(-1)").says(
    "The tokens' rows are multiplied by C, but the factor is its root."
)
exercise.slip(
    "positions_scaled_too",
    "math.sqrt(words.size(-1)) * words[ids] + positions[: ids.size(-1)] → math.sqrt(words.size(-1)) * "
    "(words[ids] + positions[: ids.size(-1)])",
).says("Token and position are added first and scaled together: √C belongs to the token's row alone.")
exercise.slip("positions_of_tokens", ": ids.size(-1) → ids % len(positions)").says(
    "The positions' rows are looked up by token: look them up by place, the first row for the first token."
)
exercise.slip("positions_from_one", ": ids.size(-1) → 1 : ids.size(-1) + 1").says(
    "The first token gets the second row of the positions: places count from 0."
)
exercise.slip("last_positions", ": ids.size(-1) → -ids.size(-1) :").says(
    "The tokens get the last rows of the positions' table: they should get the first ones."
)
exercise.slip("no_positions", " + positions[: ids.size(-1)] →").says(
    "The positions are left out: nothing in the vectors then says where a token is."
)
exercise.slip("scaled_by_vocabulary", "words.size(-1) → len(words)").says(
    "The factor is the root of V, the size of the vocabulary: it should be the root of the width, C."
)
exercise.slip("positions_for_the_batch", "ids.size(-1) → ids.size(0)").says(
    "The number of positions is taken from the first axis of `ids`, which is the batch if there is one: "
    "positions are counted along the last axis."
)
exercise.slip(
    "embedded_side_by_side",
    "return math.sqrt(words.size(-1)) * words[ids] + positions[: ids.size(-1)] → rows = "
    "math.sqrt(words.size(-1)) * words[ids]\n"
    "    return torch.cat([rows, positions[: ids.size(-1)].expand_as(rows)], dim=-1)",
).says("Token and position are put side by side, which makes the vectors twice as wide: they are added.")
exercise.slip("positions_by_token", ": ids.size(-1) → ids").says(
    "The positions' rows are looked up by the tokens' numbers: they go by place, the first row for the first "
    "token."
)
exercise.slip(
    "positions_divided",
    "positions[: ids.size(-1)] → positions[: ids.size(-1)] / math.sqrt(words.size(-1))",
).says(
    "The positions are divided by √C: only the tokens' rows are scaled, and positions are added as they are."
)

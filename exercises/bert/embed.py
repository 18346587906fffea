"""The sum of three vectors."""

import torch
from torch import Generator

from exercises.bert import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick

exercise = Entry(
    id="bert.embed",
    title="The sum of three vectors",
    points=1,
    difficulty=1,
    minutes=4,
    returns=("vectors",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.reference
def embed(ids, segments, words, positions, kinds):
    return words[ids] + positions[: ids.size(-1)] + kinds[segments]


@exercise.cases
def embed_cases(g: Generator) -> list[Case]:
    """As many positions as tokens, more, and float64."""

    def case(
        title: str, size: tuple, table: tuple, dtype: torch.dtype = torch.float32, alone: bool = False
    ) -> Case:
        (B, T), (V, P, C) = size, table
        ids = torch.randint(V, size, generator=g)
        begins = torch.full((B, 1), T) if alone else torch.randint(1, T, (B, 1), generator=g)
        segments = (torch.arange(T) >= begins).long()
        tables = (
            shared.normal(g, V, C, dtype=dtype),
            shared.normal(g, P, C, dtype=dtype),
            shared.normal(g, 2, C, dtype=dtype),
        )
        return Case(title, (ids, segments, *tables))

    return [
        case("as many positions as tokens", (2, T := pick(g, 5, 4)), (7, T, pick(g, 3, 6))),
        case("more positions than tokens", pick(g, (3, 4), (2, 6), (4, 3)), (8, pick(g, 9, 7), 5)),
        case("in float64", (2, 6), (pick(g, 9, 8), 7, pick(g, 4, 3)), torch.float64),
        case("one segment alone", (2, 3), (5, 4, pick(g, 6, 7)), alone=True),
        case("one token", (pick(g, 2, 1, 3), 1), (pick(g, 5, 6), pick(g, 4, 3), 7), alone=True),
    ]


@exercise.alternative
def embed_by_functions(ids, segments, words, positions, kinds):
    places = torch.arange(ids.size(-1)).expand_as(ids)
    look_up = torch.nn.functional.embedding
    return look_up(ids, words) + look_up(places, positions) + look_up(segments, kinds)


@exercise.alternative
def embed_by_counting(ids, segments, words, positions, kinds):
    one_hot = torch.nn.functional.one_hot(segments, 2).to(kinds.dtype)
    return words[ids] + one_hot @ kinds + torch.stack([positions[t] for t in range(ids.size(1))])


exercise.slip("no_segments", " + kinds[segments] →").says(
    "The segments' vectors are missing, so only the [SEP] between them tells the passages apart."
)
exercise.slip(
    "as_many_segments_as_seen",
    "return words[ids] + positions[: ids.size(-1)] + kinds[segments] → chosen = "
    "torch.nn.functional.one_hot(segments).to(kinds.dtype) @ kinds\n"
    "    return words[ids] + positions[: ids.size(-1)] + kinds[segments]",
).says(
    "one_hot makes as many columns as the largest number it sees needs, so a batch without a second "
    "passage gets one column for a table of two rows: tell it that there are two segments."
)
exercise.slip("no_positions", " + positions[: ids.size(-1)] →").says(
    "The positions' vectors are missing, so the order of the words is lost: attention alone ignores it."
)
exercise.slip("positions_by_token", ": ids.size(-1) → ids % len(positions)").says(
    "The positions are looked up by the tokens' numbers: position t gets row t of the table."
)
exercise.slip(
    "positions_by_segment",
    "return words[ids] + positions[: ids.size(-1)] + kinds[segments] → places = "
    "torch.arange(ids.size(-1)).expand_as(ids)\n"
    "    begin = (segments == 0).sum(dim=-1, keepdim=True)\n"
    "    return words[ids] + positions[places - begin * segments] + kinds[segments]",
).says("The second passage's positions begin at 0 again: in BERT they run on through the whole row.")
exercise.slip("kinds_swapped", "kinds[segments] → kinds[1 - segments]").says(
    "The two segments' vectors are swapped: row 0 of the table belongs to segment 0."
)
exercise.slip(
    "averaged",
    "words[ids] + positions[: ids.size(-1)] + kinds[segments] → (words[ids] + positions[: ids.size(-1)] + "
    "kinds[segments]) / 3",
).says(
    "The three vectors are averaged: BERT adds them, and lets the layer normalisation take care of the size."
)
exercise.slip("scaled_by_the_root", "words[ids] → (words[ids] * words.size(-1) ** 0.5)").says(
    "The words' vectors are multiplied by the root of C: the original Transformer does so, BERT doesn't."
)
exercise.slip(
    "positions_by_the_root", "positions[: ids.size(-1)] → positions[: ids.size(-1)] / words.size(-1) ** 0.5"
).says("The positions' vectors are divided by the root of C: the three are added as they are.")
exercise.slip("all_positions_added", "positions[: ids.size(-1)] → positions").says(
    "The whole table of positions is added, and it may have more rows than there are tokens: its first T "
    "belong to them."
)
exercise.slip("positions_by_sentence", "positions[: ids.size(-1)] → positions[: ids.size(0), None]").says(
    "All tokens of a row get the row's own number for their position: positions are counted along the last "
    "axis of ids."
)
exercise.slip(
    "normalised_already",
    "words[ids] + positions[: ids.size(-1)] + kinds[segments] → "
    "torch.nn.functional.layer_norm(words[ids] + positions[: ids.size(-1)] + kinds[segments], "
    "words.shape[1:])",
).says("The sum is normalised already: the exercise asks for what comes before any norm.")

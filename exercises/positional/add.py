"""Adding positions."""

import torch
from torch import Generator

from exercises.positional import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick

exercise = Entry(
    id="positional.add",
    title="Adding positions",
    points=2,
    difficulty=2,
    minutes=6,
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.reference
def add_positions(x, table):
    return x + table[: x.size(-2)]


@exercise.cases
def add_cases(g: Generator) -> list[Case]:
    """A table that is longer than the sentences, and batches small enough for a row of it each."""
    T, d, spare = shared.sizes(g, *pick(g, (3, 4, 5), (3, 5, 6), (4, 5, 6), (3, 4, 7)))
    rows = T + spare + 1
    return [
        Case("one sentence", (shared.normal(g, T, d), shared.normal(g, rows, d))),
        Case("a batch (B, T, d_model)", (shared.normal(g, 2, T, d), shared.normal(g, rows, d))),
        Case("more sentences than words", (shared.normal(g, pick(g, 4, 5, 6), 3, 2), shared.normal(g, 7, 2))),
        Case("a table just long enough", (shared.normal(g, 2, 5, 3), shared.normal(g, 5, 3))),
        Case(
            "two batch axes, in float64",
            (
                shared.normal(g, *pick(g, (2, 1), (1, 2), (1, 1)), T, d, dtype=shared.F64),
                shared.normal(g, rows, d, dtype=shared.F64),
            ),
        ),
        Case("sentences of one word", (shared.normal(g, 2, 1, d), shared.normal(g, rows, d))),
    ]


@exercise.alternative
def with_a_slice_in_front(x, table):
    positions = table.narrow(0, 0, x.shape[-2]).reshape((1,) * (x.dim() - 2) + (-1, x.shape[-1]))
    return x + positions


@exercise.alternative
def with_a_look_up(x, table):
    return torch.nn.functional.embedding(torch.arange(x.size(-2)), table) + x


@exercise.alternative
def with_expand(x, table):
    T = x.shape[-2]
    return torch.add(x, table[:T, :].expand(x.shape))


exercise.slip(
    "along_the_batch",
    "table[: x.size(-2)] → table[: x.size(0)].reshape(-1, *[1] * (x.dim() - 2), table.size(-1))",
).says(
    "The rows are added along the batch: every word of the first sentence gets row 0, every word of the "
    "second row 1, and within a sentence the order is lost as before."
)
exercise.slip(
    "laid_out_for_words_first",
    "return torch.nn.functional.embedding(torch.arange(x.size(-2)), table) + x → table = "
    "table.unsqueeze(1)\n"
    "    return x + table[: x.size(0)]",
    of=with_a_look_up,
).says(
    "An axis in the middle of the table and x.size(0) are for a layout (T, B, d_model): here the batch "
    "comes first, so every word of a sentence gets the row of its sentence's number."
)
exercise.slip("as_many_rows_as_sentences", ": x.size(-2) → : x.size(0)").says(
    "The table is cut with x.size(0), which is the number of sentences as soon as there is a batch: "
    "positions are the second-to-last axis, x.size(-2)."
)
exercise.slip("rows_of_the_second_axis", ": x.size(-2) → : x.size(1)").says(
    "Axis 1 holds the positions only where there is exactly one batch axis: count from the end, x.size(-2)."
)
exercise.slip("whole_table", "table[: x.size(-2)] → table").says(
    "All rows of the table are kept, and fit only a sentence as long as the table: take its first T rows."
)
exercise.slip("batch_axis_in_front", "table[: x.size(-2)] → table[: x.size(-2)].unsqueeze(0)").says(
    "The rows get an axis for a batch, so a single sentence comes back as a batch of one: broadcasting adds "
    "(T, d_model) to any axes in front as it is."
)
exercise.slip("last_rows", ": x.size(-2) → -x.size(-2) :").says(
    "These are the table's last rows: the first word is at position 0, so take the first T rows."
)
exercise.slip("skipping_the_first_row", "table[: x.size(-2)] → table[1 : x.size(-2) + 1]").says(
    "Counting begins at row 1 here: the first word is at position 0, and gets row 0."
)
exercise.slip("same_row_for_all", ": x.size(-2) → x.size(-2) - 1").says(
    "Every word gets the same row, that of the sentence's length: word p gets row p."
)
exercise.slip("multiplied", "x + table[: x.size(-2)] → x * table[: x.size(-2)]").says(
    "The rows are multiplied into x, which wipes out features where the table is 0: they are added."
)
exercise.slip(
    "added_in_place",
    "return torch.nn.functional.embedding(torch.arange(x.size(-2)), table) + x → x += table[: x.size(-2)]\n"
    "    return x",
    of=with_a_look_up,
).says(
    "+= writes the positions into the caller's tensor, so a second call would add them once more: make a "
    "new tensor with x + ..."
)
exercise.slip(
    "scaled_up_first", "x + table[: x.size(-2)] → (math.sqrt(x.size(-1)) * x) + table[: x.size(-2)]"
).says(
    "The vectors are multiplied by √d_model before the row is added, as the paper does with its "
    "embeddings: here the row of the position is added, and nothing else."
)
exercise.slip("scaled_down", ", table) + x → , table) / math.sqrt(x.size(-1)) + x", of=with_a_look_up).says(
    "The rows are divided by √d_model before they are added: here they are added as they are."
)
exercise.slip(
    "put_side_by_side", "x + table[: x.size(-2)] → torch.cat([x, table[: x.size(-2)].expand_as(x)], dim=-1)"
).says("The rows are concatenated with the vectors, which makes them twice as wide: they are added.")
exercise.slip("table_detached", "table[: x.size(-2)] → table[: x.size(-2)].detach()").says(
    "No gradient reaches the table, so a learned one keeps its random numbers: use the table itself, without "
    "`.detach()` or `.data`, and no copy of its numbers."
)

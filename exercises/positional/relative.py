"""A number for each distance."""

import torch
from torch import Generator

from exercises.positional import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import positional

exercise = Entry(
    id="positional.relative",
    title="A number for each distance",
    points=3,
    difficulty=3,
    minutes=10,
    reference=positional.relative_bias,
    returns=("bias",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.cases
def relative_cases(g: Generator) -> list[Case]:
    """Distances within the table and beyond it, one table and one for each head."""
    T_q, T_k = shared.sizes(g, *pick(g, (3, 4), (2, 4), (2, 3), (3, 5)))
    long = shared.sizes(g, 6, 8)
    return [
        Case("every distance has its number", (shared.normal(g, 9), T_q, T_k)),
        Case("longer distances than the table has", (shared.normal(g, 5), *long)),
        Case("a table for each head", (shared.normal(g, pick(g, 2, 3, 4), 7), *shared.sizes(g, 5, 6))),
        Case(
            "two axes in front, in float64",
            (shared.normal(g, *pick(g, (2, 3), (3, 2), (2, 1)), 5, dtype=shared.F64), *shared.sizes(g, 4, 6)),
        ),
        Case("one query", (shared.normal(g, 7), 1, pick(g, 5, 4, 6))),
        Case("a table of one number", (shared.normal(g, 3, 1), 2, pick(g, 3, 4, 5))),
    ]


@exercise.alternative
def by_indexing_with_lists(table, T_q, T_k):
    K = (table.shape[-1] - 1) // 2
    rows = []
    for i in range(T_q):
        columns = [max(-K, min(K, j - i)) + K for j in range(T_k)]
        rows.append(table[..., columns])
    return torch.stack(rows, dim=-2)


@exercise.alternative
def with_gather(table, T_q, T_k):
    K = table.size(-1) // 2
    i, j = torch.arange(T_q).view(-1, 1), torch.arange(T_k).view(1, -1)
    index = torch.clamp(j - i + K, min=0, max=2 * K)
    flat = index.reshape(-1).expand(*table.shape[:-1], T_q * T_k)
    return torch.gather(table, -1, flat).reshape(*table.shape[:-1], T_q, T_k)


@exercise.alternative
def with_where(table, T_q, T_k):
    K = (table.size(-1) - 1) // 2
    i, j = torch.meshgrid(torch.arange(T_q), torch.arange(T_k), indexing="ij")
    d = j - i
    d = torch.where(d > K, K, d)
    d = torch.where(d < -K, -K, d)
    return torch.index_select(table, -1, (d + K).flatten()).unflatten(-1, (T_q, T_k))


exercise.slip(
    "i_minus_j",
    "torch.arange(T_k) - torch.arange(T_q).unsqueeze(1) → torch.arange(T_q)[:, None] - torch.arange(T_k)",
).says(
    "This takes the number for i - j, so keys before and after the query are swapped: the table is for j - "
    "i, key minus query."
)
exercise.slip("not_clipped", ".clamp(-K, K) →").says(
    "Distances beyond K aren't clipped, or are clipped one too far: past the table's last entry, number 2K, "
    "there is none, and negative indices count from the wrong end without any error."
)
exercise.slip("wrapped_round", "distance.clamp(-K, K) + K → (distance + K) % (2 * K + 1)").says(
    "Distances beyond K wrap around from the other end, so a key far to the right gets the number of one on "
    "the left: clip them, from -K to K."
)
exercise.slip(
    "no_sign",
    "torch.arange(T_k) - torch.arange(T_q).unsqueeze(1) → (torch.arange(T_k) - torch.arange(T_q)[:, "
    "None]).abs()",
).says(
    "The sign of the distance is lost, so a key to the left and one to the right get the same number: the "
    "table has an entry for each."
)
exercise.slip("first_half_looked_up", "distance.clamp(-K, K) + K → distance.abs().clamp(max=K)").says(
    "The size of the distance is looked up from the table's start: its first half is for keys on the left, "
    "and distance 0 is in the middle, at K."
)
exercise.slip("not_moved_by_k", " + K →").says(
    "Distance 0 takes entry 0, and negative distances count from the end of the table: entry 0 is for the "
    "distance -K, so add K."
)
exercise.slip("clipped_after_moving", "distance.clamp(-K, K) + K → (distance + K).clamp(-K, K)").says(
    "The index is clipped between -K and K, which is the range of distances, but K was added to it "
    "before: clip the distance first, and add K then."
)
exercise.slip("clipped_at_k_after_moving", "distance.clamp(-K, K) + K → (distance + K).clamp(0, K)").says(
    "Indices are clipped at K, so that all keys after the query share the number of distance 0: with K "
    "added, the last index is 2K."
)
exercise.slip(
    "far_keys_get_nothing",
    "table[..., distance.clamp(-K, K) + K] → table[..., distance.clamp(-K, K) + K] * (distance.abs() <= K)",
).says(
    "Distances beyond K get 0: clipping means that they use the last entry on their side, as the nearest "
    "that was learned."
)
exercise.slip("first_axis_looked_up", "..., distance.clamp(-K, K) + K → distance.clamp(-K, K) + K").says(
    "The numbers are looked up along the table's first axis, which is that of the heads as soon as there "
    "are any: distances are its last axis, table[..., index]."
)
exercise.slip(
    "keys_by_queries",
    "torch.arange(T_k) - torch.arange(T_q).unsqueeze(1) → torch.arange(T_k)[:, None] - torch.arange(T_q)",
).says("The axes are swapped: scores are (T_q, T_k), a row for each query.")
exercise.slip("clipped_above_alone", "distance.clamp(-K, K) → distance.clamp(max=K)").says(
    "Distances are clipped at K alone: those below −K become negative indices, which count from the end of "
    "the table without any error."
)
exercise.slip(
    "queries_at_the_end", "torch.arange(T_q).unsqueeze(1) → torch.arange(T_k - T_q, T_k).unsqueeze(1)"
).says(
    "The last query is put at the last key's position, as with a cache: here query i is at position i, "
    "however many keys there are."
)

exercise.slip("clipped_one_too_early", "distance.clamp(-K, K) → distance.clamp(-K, K - 1)").says(
    "Distances are clipped at K - 1, so the table's last number is never used: it is the one for K."
)

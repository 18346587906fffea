"""Similarity by distance."""

import torch
from torch import Generator

from exercises.positional import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers import positional

exercise = Entry(
    id="positional.similarity",
    title="Similarity by distance",
    points=2,
    difficulty=3,
    minutes=8,
    reference=positional.similarity_by_distance,
    returns=("similarity",),
    properties=(inputs_unchanged,),
)


@exercise.cases
def similarity_cases(g: Generator) -> list[Case]:
    """Tables without any pattern, so that each distance has another mean."""
    T, d = shared.sizes(g, *pick(g, (4, 6), (4, 7), (5, 7), (5, 8)))
    return [
        Case("a few positions", (shared.normal(g, T, d),)),
        Case("more positions than features", (shared.normal(g, 9, pick(g, 3, 2, 4, 1)),)),
        Case("float64", (shared.normal(g, 5, pick(g, 7, 3, 4, 6), dtype=shared.F64),)),
        Case("one position", (shared.normal(g, 1, d),)),
    ]


@exercise.alternative
def with_two_loops(table):
    T = table.shape[0]
    means = []
    for k in range(T):
        products = [torch.dot(table[p], table[p + k]) for p in range(T - k)]
        means.append(sum(products) / len(products))
    return torch.stack(means)


@exercise.alternative
def with_shifted_tables(table):
    T = table.size(0)
    return torch.stack([(table[: T - k] * table[k:]).sum(dim=1).mean() for k in range(T)])


@exercise.alternative
def with_masks(table):
    place = torch.arange(len(table))
    apart = place[None, :] - place[:, None]
    products = table @ table.T
    return torch.stack([products[apart == k].mean() for k in place])


exercise.slip(
    "cosine",
    "products = table @ table.T → rows = torch.nn.functional.normalize(table, dim=-1)\n"
    "    products = rows @ rows.T",
).says(
    "The rows are scaled to length 1 first, which gives cosines: the exercise asks for dot products, "
    "which are what attention's scores are made of."
)
exercise.slip("sum_over_pairs", "products.diagonal(k).mean() → products.diagonal(k).sum()").says(
    "These are sums over the pairs of rows: at distance k there are T - k pairs, so a sum falls with k "
    "for this reason alone, and the mean doesn't."
)
exercise.slip(
    "divided_by_all",
    "torch.stack([products.diagonal(k).mean() for k in range(len(table))]) → "
    "torch.stack([products.diagonal(k).sum() for k in range(len(table))]) / len(table)",
).says("Each sum is divided by T, but there are only T - k pairs of rows that are k apart.")
exercise.slip("round_the_corner", "products.diagonal(k) → (table * table.roll(-k, dims=0)).sum(-1)").says(
    "The comparison wraps around, from the last row to the first: rolling the table pairs rows that are k "
    "apart with rows that are T - k apart."
)
exercise.slip(
    "from_the_first_row",
    "torch.stack([products.diagonal(k).mean() for k in range(len(table))]) → table @ table[0]",
).says("Only row 0 is compared with the others: take the mean over all pairs of rows that are k apart.")
exercise.slip("features_compared", "table @ table.T → table.T @ table", "len(table) → table.size(1)").says(
    "This compares features with one another, d_model × d_model products: for two positions take the dot "
    "product of two rows, table @ table.T."
)
exercise.slip("distances_in_space", "table @ table.T → torch.cdist(table, table)").says(
    "This is how far apart the rows are, which is 0 for equal ones: the exercise asks for dot products, "
    "which are large for similar rows."
)
exercise.slip("mean_over_features", "table @ table.T → table @ table.T / table.size(-1)").says(
    "Each dot product is divided by d_model: it is the sum over the features, not their mean."
)
exercise.slip("from_distance_one", "len(table) → 1, len(table)").says(
    "Distance 0 is left out: the first entry is that of each row with itself, and there are T in all."
)


@exercise.misconception
def last_pair_alone(table):
    """Of the pairs at a distance only the last one counts, divided by how many there are: `=` forgets what
    was there before, where `+=` adds to it.
    """
    T = len(table)
    means = torch.zeros(T, dtype=table.dtype)
    for k in range(T):
        for p in range(T - k):
            means[k] = table[p] @ table[p + k]
        means[k] /= T - k
    return means

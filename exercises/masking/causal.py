"""The causal mask."""

import torch
from torch import Generator

from exercises.masking import shared
from headstart import Case, Entry
from helpers import masking

exercise = Entry(
    id="masking.causal",
    title="The causal mask",
    points=2,
    difficulty=1,
    minutes=4,
    reference=masking.causal_mask,
    returns=("mask",),
)


@exercise.cases
def causal_cases(g: Generator) -> list[Case]:
    """Sentences of several lengths."""
    return [
        Case("a few words", (shared.between(g, 2, 4),)),
        Case("one word", (1,)),
        Case("a sentence", (shared.between(g, 5, 9),)),
        Case("a longer sentence", (shared.between(g, 10, 16),)),
    ]


@exercise.alternative
def compared_places(T):
    places = torch.arange(T)
    return places[None, :] <= places[:, None]


@exercise.alternative
def future_taken_away(T):
    return ~torch.triu(torch.ones(T, T), diagonal=1).bool()


@exercise.alternative
def row_by_row(T):
    return torch.tensor([[j <= i for j in range(T)] for i in range(T)])


exercise.slip(
    "not_itself",
    "torch.ones(T, T, dtype=torch.bool).tril() → torch.tril(torch.ones(T, T), diagonal=-1).bool()",
).says(
    "No position may see itself here, and the first may see nothing at all: the diagonal belongs to what "
    "is allowed, since word i is known when word i + 1 is predicted."
)
exercise.slip(
    "upper_triangle", "torch.ones(T, T, dtype=torch.bool).tril() → torch.ones(T, T).triu().bool()"
).says(
    "This is the upper triangle, so each position sees itself and the future: row i is query i, and it "
    "may look at the columns j ≤ i, which are on the left."
)
exercise.slip(
    "true_hides",
    "torch.ones(T, T, dtype=torch.bool).tril() → torch.triu(torch.ones(T, T), diagonal=1).bool()",
).says(
    "True is where attending is forbidden: in this course, and in torch's scaled_dot_product_attention, "
    'True means "may attend".'
)
exercise.slip(
    "one_too_far",
    "torch.ones(T, T, dtype=torch.bool).tril() → torch.tril(torch.ones(T, T), diagonal=1).bool()",
).says(
    "The diagonal is one too high, so each position sees the very word that it has to predict: only j ≤ i "
    "is allowed."
)
exercise.slip("not_boolean", "torch.ones(T, T, dtype=torch.bool) → torch.ones(T, T)").says(
    "These are the numbers 1 and 0: a mask is boolean, and a mask of numbers can be taken for one that is "
    "added to the scores."
)
exercise.slip(
    "to_be_added",
    "torch.ones(T, T, dtype=torch.bool).tril() → torch.zeros(T, T).masked_fill(torch.triu(torch.ones(T, "
    'T), 1).bool(), float("-inf"))',
).says(
    "These are 0 and −∞, to be added to the scores: the exercise asks for a boolean mask, with True where "
    "attending is allowed."
)
exercise.slip(
    "only_itself", "torch.ones(T, T, dtype=torch.bool).tril() → torch.eye(T, dtype=torch.bool)"
).says("This is the diagonal alone, so each position sees itself and nothing of what came before.")

"""What to draw instead."""

import torch
from torch import Generator

from exercises.modern import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers import modern

exercise = Entry(
    id="modern.adjusted",
    title="What to draw instead",
    points=2,
    difficulty=3,
    minutes=8,
    reference=modern.adjusted,
    returns=("probabilities",),
    properties=(inputs_unchanged,),
)


@exercise.cases
def adjusted_cases(g: Generator) -> list[Case]:
    """Few tokens and many, a token that the draft alone knows, one that the target alone knows."""
    V, many, most = pick(g, 5, 6, 8), pick(g, 4, 5, 9), pick(g, 7, 6, 3)
    draft, target = shared.probabilities(g, V), shared.probabilities(g, V)
    draft[2], target[4] = 0, 0
    return [
        Case("many tokens", (shared.probabilities(g, many), shared.probabilities(g, many))),
        Case("tokens that one model alone knows", (target / target.sum(), draft / draft.sum())),
        Case("two tokens", (torch.tensor([0.25, 0.75]), torch.tensor([0.625, 0.375]))),
        Case("float64", tuple(shared.probabilities(g, most, torch.float64) for _ in range(2))),
    ]


@exercise.alternative
def adjusted_by_where(target, draft):
    more = torch.where(target > draft, target - draft, torch.zeros_like(target))
    return torch.nn.functional.normalize(more, p=1, dim=-1)


@exercise.alternative
def adjusted_with_minimum(target, draft):
    shared = torch.minimum(target, draft)
    return (target - shared) / (1 - shared.sum())


exercise.slip("from_the_target", "more / more.sum() → target.clone()").says(
    "This draws from the target itself: what the draft has more of was written already, so it would come "
    "too often."
)
exercise.slip("not_summing_to_one", "more / more.sum() → (target - draft).clamp(min=0)").says(
    "The differences don't sum to 1 yet: divide by their sum."
)
exercise.slip("the_other_more", "target - draft → draft - target").says(
    "This is what the draft has more of: the tokens that come too rarely are those of which the target "
    "has more."
)
exercise.slip("differences_both_ways", ".clamp(min=0) → .abs()").says(
    "Where the draft has more, the difference counts as well: there it should be 0."
)
exercise.slip("softmax_of_differences", "more / more.sum() → (target - draft).softmax(dim=-1)").says(
    "A softmax gives every token something, also those of which the draft had too much: keep the positive "
    "differences and divide by their sum."
)
exercise.slip("softmax_of_the_rest", "more / more.sum() → (target - draft).clamp(min=0).softmax(-1)").says(
    "A softmax of the differences above 0 gives something to every token, those without any too: divide "
    "by their sum."
)
exercise.slip(
    "target_where_more", "(target - draft).clamp(min=0) → torch.where(target > draft, target, 0.0)"
).says(
    "The target's whole probability is taken where it is the larger: part of it was written by the draft, "
    "so only the difference is left."
)
exercise.slip(
    "by_ratio",
    "(target - draft).clamp(min=0) → torch.where(target > draft, target / draft.clamp(min=1e-9), 0.0)",
).says("The ratio says how probable it is that a token is kept: what is missing is the difference.")

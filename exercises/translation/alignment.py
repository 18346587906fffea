"""An alignment."""

import math

import torch
from torch import Generator, Tensor

from headstart import Case, Entry, inputs_unchanged, pick
from helpers import translation

exercise = Entry(
    id="translation.alignment",
    title="An alignment",
    points=2,
    difficulty=2,
    minutes=6,
    reference=translation.alignment,
    returns=("positions",),
    properties=(inputs_unchanged,),
)


@exercise.cases
def alignment_cases(g: Generator) -> list[Case]:
    """Heads that disagree, and sources whose end counts for nothing but gets much weight."""

    def one(H: int, T_t: int, T_s: int, hidden: int) -> tuple[Tensor, Tensor]:
        while True:
            logits = 1.5 * torch.randn(H, T_t, T_s, generator=g)
            logits[..., T_s - hidden :] += 2.0
            weights = logits.softmax(dim=-1)
            best = weights.mean(dim=0).topk(min(T_s, hidden + 4), dim=-1).values
            if (best.diff(dim=-1).abs() > 1e-4).all():  # however they are averaged, the largest is the same
                return weights, torch.arange(T_s) < T_s - hidden

    return [
        Case("several heads", one(*pick(g, (2, 4, 6), (3, 2, 5), (4, 3, 7)), 1)),
        Case("two positions hidden", one(pick(g, 4, 3), 5, pick(g, 7, 6), 2)),
        Case("one head", one(1, pick(g, 3, 4, 2), 5, 1)),
        Case("many heads, many words", one(5, 8, pick(g, 9, 10), 2)),
        Case("one word is written", one(pick(g, 3, 2), 1, pick(g, 6, 5, 4), 1)),
        Case("the first place and one in between hidden", _hidden_in_front(*one(3, 6, pick(g, 8, 7), 1))),
    ]


def _hidden_in_front(weights: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
    """What is hidden needn't stand at the end: a place keeps its number whatever is hidden before it."""
    places = torch.arange(len(real))
    return weights, real & (places != 0) & (places != 3)


@exercise.alternative
def aligned_by_sums(weights, real):
    return (weights.sum(dim=-3) * real).argmax(dim=-1)


@exercise.alternative
def aligned_by_where(weights, real):
    average = torch.einsum("hts->ts", weights) / len(weights)
    return torch.where(real, average, -math.inf).max(dim=1).indices


@exercise.alternative
def aligned_word_by_word(weights, real):
    places = real.nonzero().flatten()
    total = sum(head.double() for head in weights)
    return torch.stack([places[row[places].argmax()] for row in total])


exercise.slip("over_the_target", "dim=-1 → dim=0").says(
    "The largest is looked for along the target, which says which word looks most at each source "
    "position: take the largest along the last axis instead."
)
exercise.slip("end_and_padding_too", ".masked_fill(~real, -1.0) →").says(
    "Nothing is left out, so that words are aligned with `<eos>` or padding, where attention often rests "
    "when it has nothing to look for."
)
exercise.slip("first_head_alone", "weights.mean(dim=0) → weights[0]").says(
    "Only the first head is used: the head that aligns may be a different one, so average all of them."
)
exercise.slip("largest_of_any_head", "weights.mean(dim=0) → weights.amax(dim=0)").says(
    "The largest weight of any head counts here, so one sure head overrules all others: average over the "
    "heads."
)
exercise.slip("each_head_for_itself", ".mean(dim=0) →").says(
    "Each head has a result of its own here: the heads are averaged first, and the largest is taken then."
)
exercise.slip("only_hidden_ones", "~real → real").says(
    "The mask is inverted, so that only what may not be aligned is left."
)
exercise.slip(
    "least_looked_at",
    "weights.mean(dim=0).masked_fill(~real, -1.0).argmax → weights.mean(dim=0).masked_fill(~real, "
    "math.inf).argmin",
).says("This is the position that is looked at least: use `argmax`, not `argmin`.")
exercise.slip(
    "weight_returned",
    "weights.mean(dim=0).masked_fill(~real, -1.0).argmax → weights.mean(dim=0).masked_fill(~real, -1.0).amax",
).says("The largest weight itself is returned: the exercise asks where it is.")
exercise.slip("averaged_along_the_queries", "dim=0 → dim=1").says(
    "The mean is taken over the written words, not over the heads: the heads are the first axis."
)
exercise.slip(
    "averaged_along_the_queries_unmasked",
    "weights.mean(dim=0).masked_fill(~real, -1.0) → weights.mean(dim=1)",
).says(
    "The mean is taken over the written words, and `real` isn't used: take it over the heads, the first "
    "axis, and hide what no word may be aligned with."
)
exercise.slip(
    "counted_among_the_real", "weights.mean(dim=0).masked_fill(~real, -1.0) → weights.mean(dim=0)[:, real]"
).says(
    "The hidden places are cut out, and the rest is renumbered: hide them instead, so that a place keeps "
    "its number."
)

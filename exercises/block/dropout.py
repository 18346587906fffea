"""Dropout."""

import torch
from torch import Generator

from exercises.block import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import block

exercise = Entry(
    id="block.dropout",
    title="Dropout",
    points=2,
    difficulty=2,
    minutes=6,
    reference=block.dropout,
    returns=("dropped",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    forbidden=("torch.nn.Dropout", "torch.nn.functional.dropout", "torch.dropout"),
)


@exercise.cases
def dropout_cases(g: Generator) -> list[Case]:
    """Little and much, none, in evaluation; a chance that is exactly p; numbers of either sign."""

    def case(title: str, p: float, training: bool, *shape: int, dtype: torch.dtype = torch.float32) -> Case:
        chances = torch.rand(shape, generator=g, dtype=dtype)
        x = 1 + shared.normal(g, *shape, spread=4, dtype=dtype).abs()
        if x.numel() > 2:
            # Neither all nor none of a few numbers may fall on one side, and what is exactly p stays.
            tie = p if (4 * p).is_integer() else (3 + p) / 4
            chances.view(-1)[:3] = torch.tensor([p / 2, (1 + p) / 2, tie], dtype=dtype)
            x.view(-1)[1:3] *= -1
        return Case(title, (x, p, training, chances))

    return [
        case("a fifth, while training", 0.2, True, *pick(g, (6,), (7,), (5, 4))),
        case("half, a batch", 0.5, True, *pick(g, (2, 3, 4), (3, 2, 5), (4, 3, 2))),
        case("not while training", 0.4, False, *pick(g, (3, 2), (4,), ())),
        case("nothing to drop", 0.0, True, *pick(g, (2, 4), (3, 5), (4, 1, 3))),
        case(
            "axes of length 1, float64",
            0.75,
            True,
            *pick(g, (5, 1, 3), (1, 6), (1, 4, 1)),
            dtype=torch.float64,
        ),
    ]


@exercise.alternative
def dropout_by_a_mask(x, p, training, chances):
    if not training:
        return x
    keep = (chances >= p).to(x.dtype)
    return x * keep / (1 - p)


@exercise.alternative
def dropout_by_filling(x, p, training, chances):
    if not training or p == 0:
        return x.clone()
    return x.masked_fill(chances < p, 0).div(1 - p)


@exercise.alternative
def dropout_by_multiplying(x, p, training, chances):
    scale = 1 / (1 - p)
    return x * (scale * (~(chances < p))) if training else x


exercise.slip("rest_not_scaled", " / (1 - p) →").says(
    "The rest isn't scaled up by 1/(1 − p), so sums are smaller during training than afterwards."
)
exercise.slip("rest_scaled_down", "x / (1 - p) → x * (1 - p)").says(
    "The rest is multiplied by 1 − p: divide by it, to make up for what is lost."
)
exercise.slip("rest_divided_by_share", "1 - p → p").says(
    "The rest is divided by p, the share that is dropped: divide by 1 − p, the share that stays."
)
exercise.slip("others_dropped", "0.0 → x / (1 - p)", "x / (1 - p) → 0.0").says(
    "The wrong numbers are dropped: a number whose chance is below p should become 0."
)
exercise.slip("one_that_is_exactly_p_dropped", "chances < p → chances <= p").says(
    "A chance of exactly p is dropped here: only one below p is, so p = 0 drops nothing at all."
)
exercise.slip("the_highest_dropped", "chances < p → chances >= 1 - p").says(
    "The share is right, but the numbers with the highest chances are dropped: those with a chance "
    "below p should be."
)
exercise.slip(
    "dropped_later_too",
    "torch.where(chances < p, 0.0, x / (1 - p)) if training else x → torch.where(chances < p, 0.0, x / (1 "
    "- p))",
).says("`training` is ignored: after training nothing is dropped.")
exercise.slip(
    "scaled_later_instead",
    "torch.where(chances < p, 0.0, x / (1 - p)) if training else x → torch.where(chances < p, 0.0, x) if "
    "training else x * (1 - p)",
).says(
    "Numbers are scaled outside training, as in the paper of 2014: here training scales them, and outside "
    "it x stays as it is."
)
exercise.slip(
    "only_later",
    "torch.where(chances < p, 0.0, x / (1 - p)) if training else x → x if training else "
    "torch.where(chances < p, 0.0, x / (1 - p))",
).says("Numbers are dropped outside training: they should be dropped in training only.")
exercise.slip(
    "not_dropped_at_all", "torch.where(chances < p, 0.0, x / (1 - p)) if training else x → x * 1"
).says("Nothing is dropped here, whatever `chances` says.")
exercise.slip("share_that_stays", "0.0 → x / p", "x / (1 - p) → 0.0").says(
    "Here p is taken for the share that stays, as in early TensorFlow: it is the share that is dropped, "
    "and the rest is divided by 1 − p."
)
exercise.slip("scaled_by_what_stayed", "1 - p → keep.mean()", of=dropout_by_a_mask).says(
    "The rest is divided by the share that happened to stay: divide by 1 − p, the share that stays on "
    "average, so that no number's scale depends on the others' chances."
)
exercise.slip(
    "only_what_stays", "torch.where(chances < p, 0.0, x / (1 - p)) → x[chances >= p] / (1 - p)"
).says(
    "Only the numbers that stay are returned, moved together: each dropped number leaves a 0 in its place."
)
exercise.slip("first_chance_for_all", "chances < p → chances[..., :1] < p").says(
    "The first chance of a row decides for all of it: each number has a chance of its own."
)
exercise.slip("rest_scaled_twice", "x / (1 - p) → x / (1 - p) / (1 - p)").says(
    "The rest is divided by 1 − p twice: once makes up for what is lost."
)

"""Vectors to scores."""

import torch
from torch import Generator

from exercises.block import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import block

exercise = Entry(
    id="block.unembed",
    title="Vectors to scores",
    points=1,
    difficulty=1,
    minutes=4,
    reference=block.unembed,
    returns=("logits",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.cases
def unembed_cases(g: Generator) -> list[Case]:
    """One sequence, a batch, several batch axes, a single position."""

    def case(title: str, V: int, *shape: int, dtype: torch.dtype = torch.float32) -> Case:
        x, words = shared.normal(g, *shape, dtype=dtype), shared.normal(g, V, shape[-1], dtype=dtype)
        return Case(title, (x, words))

    return [
        case("one sequence", 6, *pick(g, (3, 4), (5, 2), (4, 3))),
        case("a batch", pick(g, 7, 6), *pick(g, (2, 3, 5), (3, 4, 2), (4, 2, 3))),
        case("a single position", 5, *pick(g, (1, 2), (1, 4), (1, 3))),
        case(
            "several batch axes, one of length 1",
            pick(g, 3, 6),
            *pick(g, (1, 2, 5, 4), (2, 1, 4, 5), (3, 1, 2, 5)),
        ),
        case("float64", 8, *pick(g, (4, 3), (2, 5), (5, 4)), dtype=torch.float64),
    ]


@exercise.alternative
def unembed_with_linear(x, words):
    return torch.nn.functional.linear(x, words)


@exercise.alternative
def unembed_with_einsum(x, words):
    return torch.einsum("...c,vc->...v", x, words)


@exercise.alternative
def unembed_by_sums(x, words):
    return (x.unsqueeze(-2) * words).sum(-1)


exercise.slip("unembedded_and_scaled", "x @ words.T → (math.sqrt(words.size(-1)) * x) @ words.T").says(
    "The scores are multiplied by √C too: the factor belongs to the way in alone."
)
exercise.slip("unembedded_and_divided", "x @ words.T → x @ words.T / math.sqrt(words.size(-1))").says(
    "The scores are divided by √C, as in attention: logits are plain dot products."
)
exercise.slip("unembedded_to_probabilities", "x @ words.T → (x @ words.T).softmax(dim=-1)").says(
    "These are probabilities: logits are what comes before the softmax."
)
exercise.slip("unembedded_to_one_token", "x @ words.T → (x @ words.T).argmax(dim=-1)").says(
    "This returns only the best token: logits are scores, one for each of the V tokens."
)
exercise.slip("unembedded_by_distance", "x @ words.T → torch.square(x.unsqueeze(-2) - words).sum(-1)").says(
    "These are distances to the rows: the score is the dot product, which is large where a row fits."
)
exercise.slip(
    "unembedded_by_angles",
    "return x @ words.T → normalize = torch.nn.functional.normalize\n"
    "    return normalize(x, dim=-1) @ normalize(words, dim=-1).T",
).says(
    "These are cosines, since both vectors are brought to length 1: a logit is the plain dot product, where "
    "lengths count."
)
exercise.slip("unembedded_to_log_probabilities", "x @ words.T → (x @ words.T).log_softmax(dim=-1)").says(
    "These are logarithms of probabilities: logits are what comes before the softmax."
)

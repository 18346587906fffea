"""A small change beside a frozen map."""

import math

import torch
from torch import Generator

from exercises.finetuning import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import finetuning

exercise = Entry(
    id="finetuning.adapter",
    title="A small change beside a frozen map",
    points=3,
    difficulty=3,
    minutes=8,
    driver="module",
    reference=finetuning.LoRALinear,
    square="one of the maps is square, so that a swap of A and B raises nothing",
    returns=("outputs",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.cases
def adapter_cases(g: Generator) -> list[Case]:
    """Maps of several sizes, one of them square, and an adapter that has learned nothing yet."""
    return [
        _adapter(g, "some vectors", *pick(g, ((5, 4, 2), (3,)), ((3, 5, 2), (4,)), ((7, 4, 3), (2, 3))), 3.0),
        _adapter(g, "rank 1, a square map, batches", (4, 4, 1), pick(g, (2, 3), (3, 2), (2, 1, 3)), 8.0),
        _adapter(g, "one vector", pick(g, (6, 5, 3), (5, 7, 2), (4, 3, 2)), (), 2.0),
        _adapter(
            g,
            "one vector in a batch",
            pick(g, (3, 4, 2), (5, 3, 2)),
            pick(g, (1,), (1, 1), (2, 1)),
            pick(g, 5, 3),
        ),
        _adapter(g, "B is 0, as at the beginning", (3, pick(g, 6, 5, 4), 2), (2,), 4.0, new=True),
    ]


def _adapter(
    g: Generator,
    title: str,
    sizes: tuple[int, int, int],
    shape: tuple[int, ...],
    alpha: float,
    new: bool = False,
) -> Case:
    d_in, d_out, r = sizes
    weights = {
        "linear.weight": shared.normal(g, d_out, d_in),
        "linear.bias": shared.normal(g, d_out),
        "A": shared.normal(g, r, d_in),
        "B": torch.zeros(d_out, r) if new else shared.normal(g, d_out, r),
    }
    linear = {"layer": "a linear map", "weights": [d_in, d_out]}
    return Case(
        title, ({"linear": linear, "rank": r, "alpha": alpha}, weights, shared.normal(g, *shape, d_in))
    )


@exercise.alternative
class AsLinearMaps(torch.nn.Module):
    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.A = torch.nn.Parameter(torch.randn(rank, linear.in_features) / math.sqrt(linear.in_features))
        self.B = torch.nn.Parameter(torch.zeros(linear.out_features, rank))
        self.rank, self.alpha = rank, alpha

    def forward(self, x):
        scale = self.alpha / self.rank
        inner = torch.nn.functional.linear(x, self.A)
        return self.linear(x) + torch.nn.functional.linear(inner, self.B) * scale


@exercise.alternative
class WithOneWeight(torch.nn.Module):
    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.A = torch.nn.Parameter(torch.randn(rank, linear.in_features) / math.sqrt(linear.in_features))
        self.B = torch.nn.Parameter(torch.zeros(linear.out_features, rank))
        self.rank, self.alpha = rank, alpha

    def forward(self, x):
        weight = self.linear.weight + (self.B @ self.A) * (self.alpha / self.rank)
        return x @ weight.T + self.linear.bias


@exercise.alternative
class WithEinsum(torch.nn.Module):
    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.A = torch.nn.Parameter(torch.randn(rank, linear.in_features) / math.sqrt(linear.in_features))
        self.B = torch.nn.Parameter(torch.zeros(linear.out_features, rank))
        self.rank, self.alpha = rank, alpha

    def forward(self, x):
        change = torch.einsum("...i,ri,or->...o", x, self.A, self.B)
        return self.linear(x) + self.alpha * change / self.rank


exercise.slip("NotScaled", "self.alpha / self.rank * →").says(
    "The change isn't scaled: it counts alpha / r times."
)
exercise.slip("ScaledByAlpha", " / self.rank →").says(
    "The change is multiplied by alpha alone: divide by the rank, so that a different rank needs no "
    "different learning rate."
)
exercise.slip("DividedByTheRank", "self.alpha / self.rank → 1 / self.rank").says(
    "The change is divided by the rank, but alpha is missing."
)
exercise.slip("DividedByTheRoot", "/ self.rank → / math.sqrt(self.rank)").says(
    "The change is multiplied by alpha/√r, as in rank-stabilised LoRA: here it is alpha/r."
)
exercise.slip("MultipliedByTheRank", "self.alpha / self.rank → (self.alpha * self.rank)").says(
    "The change counts alpha · r times: it is alpha / r."
)
exercise.slip("TheChangeAlone", "self.linear(x) + →").says(
    "This is the change alone: the frozen map's output is missing, and with it everything that was "
    "pretrained."
)
exercise.slip(
    "TheSumScaled",
    "self.linear(x) + self.alpha / self.rank * (x @ self.A.T @ self.B.T) → self.alpha / self.rank * "
    "(self.linear(x) + x @ self.A.T @ self.B.T)",
).says("The sum of both is scaled: only the change counts alpha / r times, the frozen map stays as it is.")
exercise.slip(
    "TheMapScaled", "self.linear(x) + self.alpha / self.rank * → self.alpha / self.rank * self.linear(x) +"
).says("The frozen map's output is scaled: the scale belongs to the change.")
exercise.slip("BiasLost", "self.linear(x) → (x @ self.linear.weight.T)").says(
    "The frozen map's bias is lost: call the map itself, which adds it."
)
exercise.slip("BiasTwice", "self.linear(x) → self.linear(x) + self.linear.bias").says(
    "The frozen map's bias is added twice: the map adds it when it is called."
)
exercise.slip("MapDetached", "self.linear(x) → self.linear(x).detach()").says(
    "No gradient gets through the frozen map, so the layers below it learn less: its weights are frozen "
    "already, but the gradient should still flow through it."
)
exercise.slip("MapAlone", " + self.alpha / self.rank * (x @ self.A.T @ self.B.T) →").says(
    "This is the frozen map alone, so nothing can be learned: A and B aren't used."
)

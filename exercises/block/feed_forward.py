"""The feed-forward network."""

import torch
from torch import Generator

from exercises.block import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers.block import gelu

exercise = Entry(
    id="block.feed_forward",
    title="The feed-forward network",
    points=2,
    difficulty=2,
    minutes=6,
    driver="module",
    returns=("output",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    needs=("block.gelu",),
)


@exercise.reference
class FeedForward(torch.nn.Module):
    """The reference: as the lesson's own solution."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_up, self.W_down = torch.nn.Linear(d_model, d_ff), torch.nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.W_down(gelu(self.W_up(x)))


@exercise.cases
def feed_forward_cases(g: Generator) -> list[Case]:
    """Wider inside and narrower, one sequence and batches, large numbers."""

    def case(
        title: str, d_ff: int, *shape: int, dtype: torch.dtype = torch.float32, spread: float = 1
    ) -> Case:
        C = shape[-1]
        weights = shared.linear(g, "W_up", d_ff, C, dtype) | shared.linear(g, "W_down", C, d_ff, dtype)
        x = shared.normal(g, *shape, spread=spread, dtype=dtype)
        return Case(title, ({"d_model": C, "d_ff": d_ff}, weights, x))

    ones = pick(g, (2, 1, 3), (1, 1, 2), (2, 1, 4, 3))
    return [
        case("four times as wide inside", 8, *pick(g, (3, 2), (4, 2), (1, 2))),
        case("a batch of large numbers", pick(g, 5, 7), *pick(g, (2, 4, 3), (4, 2, 3), (3, 1, 4)), spread=12),
        case("narrower inside", 3, *pick(g, (5, 4), (3, 6), (6, 5))),
        case("axes of length 1, float64", 4, *ones, dtype=torch.float64),
    ]


@exercise.alternative
class FeedForwardInSteps(torch.nn.Module):
    """Line by line."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_up = torch.nn.Linear(d_model, d_ff)
        self.W_down = torch.nn.Linear(d_ff, d_model)

    def forward(self, x):
        hidden = self.W_up(x)
        hidden = hidden * (1 + torch.erf(hidden / 2**0.5)) / 2
        return self.W_down(hidden)


@exercise.alternative
class FeedForwardByMatrices(torch.nn.Module):
    """With the matrices themselves, in another order of creation."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_down = torch.nn.Linear(d_ff, d_model)
        self.W_up = torch.nn.Linear(d_model, d_ff)

    def forward(self, x):
        hidden = gelu(x @ self.W_up.weight.T + self.W_up.bias)
        return hidden @ self.W_down.weight.T + self.W_down.bias


exercise.slip("NoActivation", "gelu(self.W_up(x)) → self.W_up(x)").says(
    "The GELU is missing: two linear maps in a row are one linear map."
)
exercise.slip("ActivationLast", "self.W_down(gelu(self.W_up(x))) → gelu(self.W_down(self.W_up(x)))").says(
    "The GELU comes after both maps: it belongs between them, where the vector is wide."
)
exercise.slip("ActivationFirst", "gelu(self.W_up(x)) → self.W_up(gelu(x))").says(
    "The GELU comes before the first map: it belongs between the two."
)
exercise.slip(
    "ActivationTwice", "self.W_down(gelu(self.W_up(x))) → gelu(self.W_down(gelu(self.W_up(x))))"
).says("There is a GELU after the second map, too: what is added to the residual path may be of either sign.")
exercise.slip("ReluInside", "gelu(self.W_up(x)) → torch.clamp(self.W_up(x), min=0)").says(
    "This uses a ReLU: use the GELU that you wrote."
)
exercise.slip("PathInside", "self.W_down(gelu(self.W_up(x))) → x + self.W_down(gelu(self.W_up(x)))").says(
    "x is added here: that is the job of `add_sublayer`, outside the network."
)
exercise.slip(
    "BiasesForgotten", "self.W_down(gelu(self.W_up(x))) → gelu(x @ self.W_up.weight.T) @ self.W_down.weight.T"
).says("The maps' biases are left out: a Linear adds its bias after its matrix.")
exercise.slip(
    "DropoutInside", "gelu(self.W_up(x)) → torch.dropout(gelu(self.W_up(x)), 0.1, self.training)"
).says(
    "There is dropout inside, so training gives different numbers from the formula's: this network has none."
)

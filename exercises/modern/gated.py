"""A gate."""

import torch
from torch import Generator

from exercises.modern import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick

exercise = Entry(
    id="modern.gated",
    title="A gate",
    points=3,
    difficulty=2,
    minutes=8,
    driver="module",
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.reference
class GatedFeedForward(torch.nn.Module):
    """The reference: as the lesson's own solution."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_gate, self.W_up = (torch.nn.Linear(d_model, d_ff, bias=False) for _ in range(2))
        self.W_down = torch.nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        return self.W_down(torch.nn.functional.silu(self.W_gate(x)) * self.W_up(x))


@exercise.cases
def gated_cases(g: Generator) -> list[Case]:
    """Wider inside and narrower, one sequence, a batch and more axes; gates far from 0."""

    def case(
        title: str, C: int, d_ff: int, *shape: int, spread: float = 1, dtype: torch.dtype = torch.float32
    ) -> Case:
        weights = shared.network(g, C, d_ff, "", dtype)
        x = shared.normal(g, *shape, C, spread=spread, dtype=dtype)
        return Case(title, ({"d_model": C, "d_ff": d_ff}, weights, x))

    return [
        case("wider inside", 2, pick(g, 5, 6, 7), pick(g, 3, 4, 1)),
        case("a batch", pick(g, 3, 6), 4, *pick(g, (2, 5), (5, 2), (1, 5), (2, 1, 5))),
        case("narrower inside, gates far from 0", 4, 3, pick(g, 2, 5), spread=20),
        case("float64", 3, pick(g, 5, 4), *pick(g, (2, 1), (1, 2), (4, 1, 2)), dtype=torch.float64),
    ]


@exercise.alternative
class GatedInSteps(torch.nn.Module):
    """Line by line, with the SiLU written out."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_gate = torch.nn.Linear(d_model, d_ff, bias=False)
        self.W_up = torch.nn.Linear(d_model, d_ff, bias=False)
        self.W_down = torch.nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        gate = self.W_gate(x)
        gate = gate / (1 + torch.exp(-gate))
        return self.W_down(gate * self.W_up(x))


@exercise.alternative
class GatedByMatrices(torch.nn.Module):
    """With the matrices themselves, in another order of creation."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_down = torch.nn.Linear(d_ff, d_model, bias=False)
        self.W_up = torch.nn.Linear(d_model, d_ff, bias=False)
        self.W_gate = torch.nn.Linear(d_model, d_ff, bias=False)
        self.activation = torch.nn.SiLU()

    def forward(self, x):
        return (self.activation(x @ self.W_gate.weight.T) * (x @ self.W_up.weight.T)) @ self.W_down.weight.T


exercise.slip(
    "GateAndUpExchanged",
    "torch.nn.functional.silu(self.W_gate(x)) * self.W_up(x) → self.W_gate(x) * "
    "torch.nn.functional.silu(self.W_up(x))",
).says("The SiLU is on the other map: it works on what `W_gate` gives.")
exercise.slip("SigmoidGate", "torch.nn.functional.silu(self.W_gate(x)) → torch.sigmoid(self.W_gate(x))").says(
    "The gate is a sigmoid, which makes it a GLU: a SiLU is x·sigmoid(x)."
)
exercise.slip(
    "GeluGate", "torch.nn.functional.silu(self.W_gate(x)) → torch.nn.functional.gelu(self.W_gate(x))"
).says("The gate is a GELU, which makes it a GEGLU: SwiGLU has the SiLU, x·sigmoid(x).")
exercise.slip(
    "ReluGate", "torch.nn.functional.silu(self.W_gate(x)) → torch.clamp(self.W_gate(x), min=0)"
).says(
    "The gate is a ReLU: SwiGLU has the SiLU, x·sigmoid(x), which lets a little of small negatives through."
)
exercise.slip("NoActivation", "torch.nn.functional.silu(self.W_gate(x)) → self.W_gate(x)").says(
    "The SiLU is missing: what `W_gate` gives goes through it before the product."
)
exercise.slip(
    "Added",
    "torch.nn.functional.silu(self.W_gate(x)) * self.W_up(x) → torch.nn.functional.silu(self.W_gate(x)) + "
    "self.W_up(x)",
).says("Gate and value are added: a gate multiplies, so that it can close.")
exercise.slip(
    "ActivatedProduct", ".silu(self.W_gate(x)) * self.W_up(x) → .silu(self.W_gate(x) * self.W_up(x))"
).says("The SiLU works on the product: it belongs to the gate alone, before the two are multiplied.")
exercise.slip(
    "BothActivated",
    "return self.W_down(torch.nn.functional.silu(self.W_gate(x)) * self.W_up(x)) → gate, value = "
    "torch.nn.functional.silu(self.W_gate(x)), torch.nn.functional.silu(self.W_up(x))\n"
    "        return self.W_down(torch.nn.functional.silu(self.W_gate(x)) * value)",
).says("Both maps go through a SiLU: what `W_up` gives stays as it is, and may be of either sign.")
exercise.slip("NoGate", ".silu(self.W_gate(x)) * self.W_up(x) → .silu(self.W_up(x))").says(
    "`W_gate` isn't used: this is a feed-forward network as before, with a SiLU."
)
exercise.slip(
    "PathInside",
    "self.W_down(torch.nn.functional.silu(self.W_gate(x)) * self.W_up(x)) → x + "
    "self.W_down(torch.nn.functional.silu(self.W_gate(x)) * self.W_up(x))",
).says("x is added here already: the residual path belongs to the block, outside of the network.")

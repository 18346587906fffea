"""A gate."""

import torch
from torch import Generator

from autograder.entry import Entry
from autograder.exercises.modern import shared
from helpers.checking.calling.drivers import Case
from helpers.checks import gradient_reaches_inputs, inputs_unchanged

exercise = Entry(
    id="modern.gated",
    title="A gate",
    points=3,
    difficulty=2,
    minutes=8,
    driver="module",
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


exercise.reference(shared.GatedFeedForward)


@exercise.cases
def gated_cases(g: Generator) -> list[Case]:
    """Wider inside and narrower, one sequence and a batch."""

    def case(title: str, C: int, d_ff: int, *shape: int, dtype: torch.dtype = torch.float32) -> Case:
        weights = shared.network(g, C, d_ff, "", dtype)
        return Case(title, ({"d_model": C, "d_ff": d_ff}, weights, shared.normal(g, *shape, C, dtype=dtype)))

    return [
        case("wider inside", 2, 5, 3),
        case("a batch", 3, 4, 2, 5),
        case("narrower inside", 4, 3, 2),
        case("float64", 3, 5, 2, 1, dtype=torch.float64),
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
        gate = gate * torch.sigmoid(gate)
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
    "The SiLU is on the other map: it works on what `W_gate` gives.",
    (
        "torch.nn.functional.silu(self.W_gate(x)) * self.W_up(x)",
        "self.W_gate(x) * torch.nn.functional.silu(self.W_up(x))",
    ),
)
exercise.slip(
    "SigmoidGate",
    "The gate is a sigmoid, which makes it a GLU: a SiLU is x·sigmoid(x).",
    ("torch.nn.functional.silu", "torch.sigmoid"),
)
exercise.slip(
    "GeluGate",
    "The gate is a GELU, which makes it a GEGLU: SwiGLU has the SiLU, x·sigmoid(x).",
    ("torch.nn.functional.silu", "torch.nn.functional.gelu"),
)
exercise.slip(
    "ReluGate",
    "The gate is a ReLU: SwiGLU has the SiLU, x·sigmoid(x), which lets a little of small negatives through.",
    ("torch.nn.functional.silu(self.W_gate(x))", "torch.clamp(self.W_gate(x), min=0)"),
)
exercise.slip(
    "NoActivation",
    "The SiLU is missing: what `W_gate` gives goes through it before the product.",
    ("torch.nn.functional.silu(self.W_gate(x))", "self.W_gate(x)"),
)
exercise.slip(
    "Added",
    "Gate and value are added: a gate multiplies, so that it can close.",
    ("* self", "+ self"),
)
exercise.slip(
    "ActivatedProduct",
    "The SiLU works on the product: it belongs to the gate alone, before the two are multiplied.",
    (".silu(self.W_gate(x)) * self.W_up(x)", ".silu(self.W_gate(x) * self.W_up(x))"),
)
exercise.slip(
    "BothActivated",
    "Both maps go through a SiLU: what `W_up` gives stays as it is, and may be of either sign.",
    (
        "return self.W_down(torch.nn.functional.silu(self.W_gate(x)) * self.W_up(x))",
        "gate, value = torch.nn.functional.silu(self.W_gate(x)), torch.nn.functional.silu(self.W_up(x))\n"
        "        return self.W_down(torch.nn.functional.silu(self.W_gate(x)) * value)",
    ),
)
exercise.slip(
    "NoGate",
    "`W_gate` isn't used: this is a feed-forward network as before, with a SiLU.",
    (".silu(self.W_gate(x)) * self.W_up(x)", ".silu(self.W_up(x))"),
)
exercise.slip(
    "PathInside",
    "x is added here already: the residual path belongs to the block, outside of the network.",
    (
        "self.W_down(torch.nn.functional.silu(self.W_gate(x)) * self.W_up(x))",
        "x + self.W_down(torch.nn.functional.silu(self.W_gate(x)) * self.W_up(x))",
    ),
)

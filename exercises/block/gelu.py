"""GELU."""

import torch
from torch import Generator

from exercises.block import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import block

exercise = Entry(
    id="block.gelu",
    title="GELU",
    points=2,
    difficulty=2,
    minutes=6,
    reference=block.gelu,
    returns=("activated",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    forbidden=("torch.nn.GELU", "torch.nn.functional.gelu", "torch._C._nn.gelu"),
)


@exercise.cases
def gelu_cases(g: Generator) -> list[Case]:
    """Between -4 and 4, far out on both sides, exactly 0, with any number of axes."""
    far = torch.tensor([-60.0, -12.0, 0.0, 12.0, 60.0])[torch.randperm(5, generator=g)]
    ones = pick(g, (1, 4), (3, 1, 2), (2, 1))
    return [
        Case("a few numbers", (shared.normal(g, pick(g, 5, 4, 7), spread=2),)),
        Case("a batch", (shared.normal(g, *pick(g, (2, 3, 4), (4, 2, 3), (3, 5)), spread=1.5),)),
        Case("far from 0, and 0 itself", (far,)),
        Case("one number, without an axis", (shared.normal(g, spread=2),)),
        Case("axes of length 1, float64", (shared.normal(g, *ones, dtype=torch.float64),)),
    ]


@exercise.alternative
def gelu_with_normal_distribution(x):
    return x * torch.distributions.Normal(0.0, 1.0).cdf(x)


@exercise.alternative
def gelu_with_erfc(x):
    return 0.5 * x * torch.erfc(-x * 0.5**0.5)


@exercise.alternative
def gelu_with_ndtr(x):
    return x * torch.special.ndtr(x)


exercise.slip(
    "tanh_approximation",
    "x * (1 + torch.erf(x / math.sqrt(2))) / 2 → 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + "
    "0.044715 * x**3)))",
).says("This is the approximation with a tanh, which is off by up to 0.0005: the formula with erf is exact.")
exercise.slip(
    "tanh_by_another_root",
    "x * (1 + torch.erf(x / math.sqrt(2))) / 2 → 0.5 * x * (1 + torch.tanh(math.sqrt(2 * math.pi) * (x + "
    "0.044715 * x**3)))",
).says("The approximation with a tanh has √(2/π) in front, not √(2π): better use erf, which is exact.")
exercise.slip(
    "constants_exchanged",
    "x * (1 + torch.erf(x / math.sqrt(2))) / 2 → 0.5 * x * (1 + torch.tanh(0.044715 * (x + "
    "math.sqrt(2 / math.pi) * x**3)))",
).says(
    "The two constants of the approximation with a tanh are swapped, since √(2/π) goes in front and "
    "0.044715 before the cube: better use erf, which is exact."
)
exercise.slip(
    "sigmoid_approximation", "x * (1 + torch.erf(x / math.sqrt(2))) / 2 → x * torch.sigmoid(1.702 * x)"
).says("x·σ(1.702x) is a rough approximation, off by up to 0.02: the formula with erf is exact.")
exercise.slip("silu", "x * (1 + torch.erf(x / math.sqrt(2))) / 2 → x * torch.sigmoid(x)").says(
    "x·σ(x) is a different function, SiLU: Φ is the normal distribution's, not the logistic one's."
)
exercise.slip("relu", "x * (1 + torch.erf(x / math.sqrt(2))) / 2 → torch.relu(x)").says(
    "This is ReLU, which cuts off everything below 0: a GELU lets a little of small negative numbers through."
)
exercise.slip("erf_without_root", " / math.sqrt(2) →").says(
    "Erf gets x as it is: the share below x of a standard normal distribution is (1 + erf(x/√2))/2."
)
exercise.slip("phi_alone", "x * (1 + torch.erf(x / math.sqrt(2))) → (1 + torch.erf(x / math.sqrt(2)))").says(
    "This is Φ(x) alone: it says which share of x is let through, so x has to be multiplied by it."
)
exercise.slip("not_halved", " / 2 →").says(
    "The half is missing: 1 + erf lies between 0 and 2, but a share lies between 0 and 1."
)
exercise.slip(
    "brackets_forgotten",
    "x * (1 + torch.erf(x / math.sqrt(2))) / 2 → 0.5 * x * 1 + torch.erf(x / math.sqrt(2))",
).says("Only the 1 is multiplied by x, and erf is added to the product: 1 + erf needs brackets.")
exercise.slip("erf_alone", "1 + torch.erf(x / math.sqrt(2)) → torch.erf(x / math.sqrt(2))").says(
    "The 1 is missing: erf lies between −1 and 1, but a share lies between 0 and 1."
)
exercise.slip(
    "density",
    "x * (1 + torch.erf(x / math.sqrt(2))) / 2 → x * (torch.exp(-x * x / 2)) / math.sqrt(2 * math.pi)",
).says("This multiplies by the density φ, the bell curve: Φ is the area under it, up to x.")
exercise.slip(
    "root_outside_erf",
    "x * (1 + torch.erf(x / math.sqrt(2))) / 2 → 0.5 * x * (1 + torch.erf(x) / math.sqrt(2))",
).says("Erf is divided by √2: divide x by it instead, inside the brackets of erf.")

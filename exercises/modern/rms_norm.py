"""RMS norm."""

import torch
from torch import Generator

from exercises.modern import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import modern

exercise = Entry(
    id="modern.rms_norm",
    title="RMS norm",
    points=2,
    difficulty=2,
    minutes=6,
    reference=modern.rms_norm,
    returns=("normalised",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    forbidden=("torch.nn.RMSNorm", "torch.nn.functional.rms_norm", "torch.rms_norm"),
)


@exercise.cases
def rms_cases(g: Generator) -> list[Case]:
    """Few channels and many, a vector of zeros, small numbers with another eps, far from 0, float64."""
    few, many = pick(g, 3, 7, 8), pick(g, 6, 8, 9)
    several = pick(g, (2, 4), (5, 2), (1, 5), (2, 1, 5))
    weight, wide = 1 + 0.5 * shared.normal(g, few), 1 + 0.5 * shared.normal(g, many)
    empty = torch.cat([torch.zeros(1, few), shared.normal(g, 1, few)])
    return [
        Case("a batch", (shared.normal(g, *several, few), weight)),
        Case("one vector", (2 * shared.normal(g, many), wide)),
        Case("a vector of zeros", (empty, weight)),
        Case(
            "small numbers, a different eps",
            (0.01 * shared.normal(g, pick(g, 2, 3, 5), many), wide),
            {"eps": 1e-3},
        ),
        Case("far from 0", (20 + shared.normal(g, pick(g, 2, 4, 1), many), wide)),
        Case("one vector in a batch", (shared.normal(g, *pick(g, (1, 1), (1,), (1, 2, 1)), few), weight)),
        Case("float64", (shared.normal(g, 5, few, dtype=torch.float64), weight.double())),
    ]


@exercise.alternative
def rms_by_dividing(x, weight, eps=1e-6):
    return weight * x / torch.sqrt((x**2).mean(-1, keepdim=True) + eps)


@exercise.alternative
def rms_by_length(x, weight, eps=1e-6):
    squares = torch.linalg.vector_norm(x, dim=-1, keepdim=True) ** 2 / x.shape[-1]
    return x / (squares + eps) ** 0.5 * weight


@exercise.alternative
def rms_by_einsum(x, weight, eps=1e-6):
    mean = torch.einsum("...c,...c->...", x, x) / x.size(-1)
    return (x * weight) * (mean + eps).pow(-0.5).unsqueeze(-1)


exercise.slip(
    "mean_taken_away",
    "return x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps) * weight → x = x - x.mean(-1, "
    "keepdim=True)\n"
    "    return x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps) * weight",
).says("The mean is subtracted first, as in layer norm: an RMS norm leaves it in.")
exercise.slip(
    "a_layer_norm",
    "x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps) → (x - torch.mean(x, -1, keepdim=True)) "
    "/ (x.std(dim=-1, keepdim=True) + eps)",
).says(
    "This is a layer norm, by torch's std, which divides by n − 1: nothing is subtracted here, and the size "
    "is the root of the mean square."
)
exercise.slip(
    "root_forgotten",
    "x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps) → (x / (x.square().mean(dim=-1, "
    "keepdim=True) + eps))",
).says("This divides by the mean square itself: its root has the size of x.")
exercise.slip(
    "eps_beside_the_root",
    "x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps) → (x / "
    "(torch.sqrt(x.square().mean(dim=-1, keepdim=True)) + eps))",
).says("ε is added to the root: it belongs inside, beside the mean square.")
exercise.slip("eps_left_out", " + eps →").says("ε is left out, so a vector of zeros is divided by 0.")
exercise.slip("eps_written_in", "+ eps → + 1e-6").says(
    "ε is always 1e-6 here: it is an argument, and may be a different number."
)
exercise.slip("summed", "x.square().mean(dim=-1, keepdim=True) → x.square().sum(dim=-1, keepdim=True)").says(
    "This divides by the vector's length: the squares are averaged, not summed, so that more channels "
    "don't mean smaller numbers."
)
exercise.slip(
    "length_by_normalize",
    "x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps) → torch.nn.functional.normalize(x, "
    "dim=-1, eps=eps)",
).says(
    "Torch's `normalize` divides by the vector's length, the root of the sum of its squares: here it is "
    "the root of their mean."
)
exercise.slip(
    "deviation_for_size", "x.square().mean(dim=-1, keepdim=True) → x.var(dim=-1, keepdim=True, correction=0)"
).says(
    "This divides by the deviation from the mean, as a layer norm does: here it is the root of the mean "
    "square of the numbers themselves."
)
exercise.slip("over_everything", "x.square().mean(dim=-1, keepdim=True) → x.square().mean()").says(
    "The mean goes over all vectors together: each vector has its own size."
)
exercise.slip("over_the_first_axis", "dim=-1 → dim=0").says(
    "The mean goes over the first axis: the channels of one vector are the last."
)
exercise.slip("scale_left_out", " * weight →").says(
    "The weight isn't used: each channel is multiplied by its own."
)
exercise.slip("one_added_to_weight", "* weight → * (1 + weight)").says(
    "The factor here is 1 + weight, as in models that keep their weights near 0: this one's are near 1, "
    "and are the factors themselves."
)
exercise.slip(
    "absolute_mean",
    "x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps) → (x / (x.abs().mean(dim=-1, "
    "keepdim=True) + eps))",
).says("This divides by the mean of the absolute values: squares come first, then mean, then root.")
exercise.slip(
    "squared_too_late", "x.square().mean(dim=-1, keepdim=True) → x.mean(dim=-1, keepdim=True).square()"
).says("The mean is squared: it is the mean of the squares, so that 1 and -1 don't cancel.")
exercise.slip(
    "eps_as_a_floor",
    "x.square().mean(dim=-1, keepdim=True) + eps → x.square().mean(dim=-1, keepdim=True).clamp(min=eps)",
).says("ε is the least that the mean square can be here: it is added to every mean square.")

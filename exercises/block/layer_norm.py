"""Layer norm."""

import torch
from torch import Generator

from exercises.block import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import block

exercise = Entry(
    id="block.layer_norm",
    title="Layer norm",
    points=3,
    difficulty=2,
    minutes=8,
    reference=block.layer_norm,
    returns=("normalised",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    # Written out, so that the search for forbidden names in an answer finds each of them.
    forbidden=(
        "torch.nn.LayerNorm",
        "torch.nn.functional.layer_norm",
        "torch.layer_norm",
        "torch.native_layer_norm",
        "torch.nn.GroupNorm",
        "torch.nn.functional.group_norm",
        "torch.group_norm",
        "torch.nn.functional.instance_norm",
        "torch.instance_norm",
        "torch.nn.functional.batch_norm",
        "torch.batch_norm",
        "torch.nn.functional.rms_norm",
        "torch.rms_norm",
    ),
)


@exercise.cases
def norm_cases(g: Generator) -> list[Case]:
    """Few channels and many, a constant vector, far from 0, one position and several."""
    few, many = pick(g, 3, 5), pick(g, 8, 4, 16)
    weight, bias = 1 + 0.5 * shared.normal(g, few), shared.normal(g, few)
    wide = 1 + 0.5 * shared.normal(g, many), shared.normal(g, many)
    flat = torch.cat([shared.normal(g, 1, few), torch.full((1, few), 2.0)])
    near = 0.01 * shared.normal(g, 2, many)
    far = 100 + (64 * torch.randn(2, many, generator=g)).round() / 64  # float32 has their means exactly
    front = pick(g, (4, 1), (1, 2, 1), (1, 2, 4))
    exact = shared.normal(g, *front, few, dtype=torch.float64)
    return [
        Case("a batch", (shared.normal(g, *pick(g, (2, 4), (4, 2), (2, 1, 4)), few), weight, bias)),
        Case("one vector", (2 * shared.normal(g, many), *wide)),
        Case("a vector whose channels are alike", (flat, weight, bias)),
        Case("small numbers, a different eps", (near, *wide), {"eps": 1e-3}),
        Case("far from 0", (far, *wide)),
        Case("axes of length 1, float64", (exact, weight.double(), bias.double())),
    ]


@exercise.alternative
def norm_with_var_mean(x, weight, bias, eps=1e-5):
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return (x - mean) * torch.rsqrt(variance + eps) * weight + bias


@exercise.alternative
def norm_with_var(x, weight, bias, eps=1e-5):
    mu = x.mean(-1, keepdim=True)
    var = x.var(-1, unbiased=False, keepdim=True)
    return torch.addcmul(bias, (x - mu) / (var + eps) ** 0.5, weight)


@exercise.alternative
def norm_from_sums(x, weight, bias, eps=1e-5):
    n = x.shape[-1]
    mean = x.sum(dim=-1, keepdim=True) / n
    var = ((x - mean) ** 2).sum(dim=-1, keepdim=True) / n
    return weight * ((x - mean) / torch.sqrt(var + eps)) + bias


exercise.slip("divided_by_one_less", "variance + eps → x.var(-1, keepdim=True) + eps").says(
    "The variance is divided by C − 1, which is what `var` does by default: layer norm divides by C."
)
exercise.slip("half_the_variance", "torch.sqrt(variance + eps) → (variance + eps) ** 1 / 2").says(
    "In Python, `** 1/2` is the first power, halved: a root is `** 0.5` or `torch.sqrt`."
)
exercise.slip("root_of_the_deviation", "variance + eps → x.std(-1, correction=0, keepdim=True) + eps").says(
    "This takes the root of the standard deviation, which is a root itself: the variance goes inside."
)
exercise.slip("root_of_torchs_std", "variance + eps → x.std(-1, keepdim=True) + eps").says(
    "x.std() is a root already, and this takes its root once more: the variance, the mean of the "
    "squares, belongs inside the root."
)
exercise.slip("torch_std", "torch.sqrt(variance + eps) → (x.std(-1, keepdim=True) + eps)").says(
    "x.std() divides the squares by n − 1, and eps is added outside of the root: use the mean of the "
    "squares, and add eps to it."
)
exercise.slip(
    "over_all_but_the_last",
    "variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True) → axes = "
    "tuple(range(max(x.dim() - 1, 1)))\n"
    "    mean, variance = x.mean(axes, keepdim=True), x.var(axes, correction=0, keepdim=True)",
    "(x - mean) * torch.rsqrt(variance + eps) → (x - mean) / torch.sqrt(variance + eps)",
    of=norm_with_var_mean,
).says(
    "Mean and variance go over the batch and the positions, channel by channel, as in a batch norm: here "
    "each vector has its own, over the last axis."
)
exercise.slip(
    "over_the_last_two",
    "variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True) → axes = "
    "tuple(range(-min(x.dim(), 2), 0))\n"
    "    mean, variance = x.mean(axes, keepdim=True), x.var(axes, correction=0, keepdim=True)",
    "(x - mean) * torch.rsqrt(variance + eps) → (x - mean) / torch.sqrt(variance + eps)",
    of=norm_with_var_mean,
).says(
    "Mean and variance go over positions and channels together: each position's vector is normalised by "
    "itself, over the last axis alone."
)
exercise.slip("one_variance_for_all", "variance + eps → x.var(correction=0) + eps").says(
    "Each vector has its own mean, but one variance serves the whole tensor: take it over the last axis, too."
)
exercise.slip(
    "weight_and_bias_exchanged",
    "var = x.var(-1, unbiased=False, keepdim=True) → deviation = torch.sqrt(x.var(-1, correction=0, "
    "keepdim=True) + eps)",
    "torch.addcmul(bias, (x - mu) / (var + eps) ** 0.5, weight) → (x - x.mean(-1, keepdim=True)) / "
    "deviation * bias + weight",
    of=norm_with_var,
).says("Weight and bias are swapped: the weight multiplies, the bias is added.")
exercise.slip(
    "mean_deviation", "torch.sqrt(variance + eps) → (centred.abs().mean(dim=-1, keepdim=True) + eps)"
).says("This divides by the mean absolute value: the standard deviation is the root of the mean square.")
exercise.slip(
    "eps_beside_the_root",
    "centred = x - x.mean(dim=-1, keepdim=True) → deviation = x.var(-1, correction=0, keepdim=True).sqrt()",
    "    variance = centred.square().mean(dim=-1, keepdim=True)\n →",
    "centred / torch.sqrt(variance + eps) → (x - x.mean(-1, keepdim=True)) / (deviation + eps)",
).says("The eps is added to the standard deviation, but it belongs to the variance, inside of the root.")
exercise.slip(
    "eps_beside_torchs_std",
    "torch.sqrt(variance + eps) → (x.std(-1, correction=0, keepdim=True) + eps)",
).says(
    "The eps is added to x.std(), which is a root already: it belongs to the variance, inside of the root."
)
exercise.slip(
    "eps_left_out",
    "centred = x - x.mean(dim=-1, keepdim=True) → deviation = x.var(-1, correction=0, keepdim=True).sqrt()",
    "    variance = centred.square().mean(dim=-1, keepdim=True)\n →",
    "centred / torch.sqrt(variance + eps) → (x - x.mean(-1, keepdim=True)) / deviation",
).says("The eps is left out, so a vector whose channels are all equal is divided by 0.")
exercise.slip(
    "eps_written_in",
    "(x - mean) * torch.rsqrt(variance + eps) → (x - x.mean(-1, keepdim=True)) / torch.sqrt(variance + 1e-5)",
    of=norm_with_var_mean,
).says("The eps is always 1e-5 here, whatever the argument says.")
exercise.slip(
    "over_everything",
    "centred / torch.sqrt(variance + eps) → (x - x.mean()) / torch.sqrt(x.var(correction=0) + eps)",
).says("Mean and variance are taken over all numbers at once: each vector is normalised by itself.")
exercise.slip(
    "over_the_first_axis",
    "variance = centred.square().mean(dim=-1, keepdim=True) → mean, variance = x.mean(0, keepdim=True), "
    "x.var(0, correction=0, keepdim=True)",
    "centred / torch.sqrt(variance + eps) → (x - mean) / torch.sqrt(variance + eps)",
).says("Mean and variance go over the first axis, as in batch norm: layer norm goes over the channels.")
exercise.slip(
    "mean_stays",
    "centred / torch.sqrt(variance + eps) → x / (x.var(-1, correction=0, keepdim=True) + eps).sqrt()",
).says("The mean isn't subtracted: the vector is divided by its deviation, but keeps its offset.")
exercise.slip(
    "divided_by_variance",
    "(x - mean) * torch.rsqrt(variance + eps) → (x - x.mean(-1, keepdim=True)) / (variance + eps)",
    of=norm_with_var_mean,
).says("This divides by the variance: to get variance 1, divide by its root, the standard deviation.")
exercise.slip(
    "root_mean_square",
    "variance = centred.square().mean(dim=-1, keepdim=True) → size = (x.square().mean(-1, keepdim=True) + "
    "eps).sqrt()",
    "centred / torch.sqrt(variance + eps) → (x - x.mean(-1, keepdim=True)) / size",
).says("The size is taken before the mean is subtracted: the variance is the mean square of what is left.")
exercise.slip(
    "mean_of_squares_minus",
    "x - x.mean(dim=-1, keepdim=True) → x.mean(dim=-1, keepdim=True)",
    "centred.square().mean(dim=-1, keepdim=True) → (x.square().mean(dim=-1, keepdim=True) - "
    "centred.square()).clamp(min=0)",
    "centred / torch.sqrt(variance + eps) → (x - centred) / torch.sqrt(variance + eps)",
).says(
    "E[x²] − E[x]² is a difference of two large numbers far from 0, and rounding swallows the result: "
    "subtract the mean first, then square."
)
exercise.slip(
    "scale_left_out",
    "centred / torch.sqrt(variance + eps) * weight → (x - x.mean(dim=-1, keepdim=True)) / "
    "torch.sqrt(x.var(-1, correction=0, keepdim=True) + eps)",
).says("The weight is left out: after the norm, each channel is multiplied by its own weight.")
exercise.slip(
    "shift_left_out",
    "centred / torch.sqrt(variance + eps) * weight + bias → (x - x.mean(dim=-1, keepdim=True)) / "
    "torch.sqrt(x.var(-1, correction=0, keepdim=True) + eps) * weight",
).says("The bias is left out: at the end, each channel's own bias is added to it.")
exercise.slip(
    "shifted_before_scaled",
    "var = ((x - mean) ** 2).sum(dim=-1, keepdim=True) / n → normed = (x - x.mean(-1, keepdim=True)) / "
    "torch.sqrt(x.var(-1, correction=0, keepdim=True) + eps)",
    "weight * ((x - mean) / torch.sqrt(var + eps)) + bias → (normed + bias) * weight",
    of=norm_from_sums,
).says("The bias is added before the multiplication: the weight comes first, then the bias.")
exercise.slip(
    "neither_scaled_nor_shifted",
    "centred / torch.sqrt(variance + eps) * weight + bias → (x - x.mean(dim=-1, keepdim=True)) / "
    "torch.sqrt(x.var(-1, correction=0, keepdim=True) + eps)",
).says(
    "Weight and bias are left out: after the norm, each channel is multiplied by its own weight, and "
    "its own bias is added."
)
exercise.slip("one_plus_weight", "* weight + bias → * (1 + weight) + bias").says(
    "The weight is taken for what is added to 1, as in some models: here it is the factor itself."
)


@exercise.misconception
def mean_alone_divided(x, weight, bias, eps=1e-5):
    """Only the mean is divided by the root, since a division comes before a subtraction: put x minus the mean
    into brackets.
    """
    mean, variance = x.mean(dim=-1, keepdim=True), x.var(dim=-1, keepdim=True, correction=0)
    return weight * (x - mean / torch.sqrt(variance + eps)) + bias


@exercise.misconception
def no_brackets_at_all(x, weight, bias, eps=1e-5):
    """x minus the mean needs brackets: without them, the weight multiplies x alone, and the root divides the
    mean alone.
    """
    mean, variance = x.mean(dim=-1, keepdim=True), x.var(dim=-1, keepdim=True, correction=0)
    return weight * x - mean / torch.sqrt(variance + eps) + bias


@exercise.misconception
def everything_divides_the_mean(x, weight, bias, eps=1e-5):
    """x minus the mean needs brackets: without them, root and weight belong to the mean alone, and x stays
    as it is.
    """
    mean, variance = x.mean(dim=-1, keepdim=True), x.var(dim=-1, keepdim=True, correction=0)
    return x - mean / torch.sqrt(variance + eps) * weight + bias

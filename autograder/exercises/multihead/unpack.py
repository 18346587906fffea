"""Weights from torch."""

import torch
from torch import Generator

from autograder.entry import Entry
from autograder.exercises.multihead import shared
from helpers import multihead
from helpers.checking.calling.drivers import Case
from helpers.checks import inputs_unchanged

exercise = Entry(
    id="multihead.unpack",
    title="Weights from torch",
    points=2,
    difficulty=2,
    minutes=6,
    reference=multihead.unpack_projections,
    returns=("parameters",),
    properties=(inputs_unchanged,),
)


@exercise.cases
def unpack_cases(g: Generator) -> list[Case]:
    """Packed weights of some widths."""
    C, D = shared.sizes(g, 3, 4)
    return [
        Case("a few channels", (shared.normal(g, 3 * C, C), shared.normal(g, 3 * C))),
        Case("other channels", (shared.normal(g, 3 * D, D), shared.normal(g, 3 * D))),
        Case(
            "float64", (shared.normal(g, 6, 2, dtype=torch.float64), shared.normal(g, 6, dtype=torch.float64))
        ),
    ]


@exercise.alternative
def unpack_by_slices(in_proj_weight, in_proj_bias):
    C = in_proj_weight.size(1)
    return {
        "W_q.weight": in_proj_weight[:C],
        "W_q.bias": in_proj_bias[:C],
        "W_k.weight": in_proj_weight[C : 2 * C],
        "W_k.bias": in_proj_bias[C : 2 * C],
        "W_v.weight": in_proj_weight[2 * C :],
        "W_v.bias": in_proj_bias[2 * C :],
    }


@exercise.alternative
def unpack_by_view(in_proj_weight, in_proj_bias):
    weights, biases = in_proj_weight.unflatten(0, (3, -1)), in_proj_bias.view(3, -1)
    state = {}
    for number, letter in enumerate("qkv"):
        state[f"W_{letter}.bias"] = biases[number].clone()
        state[f"W_{letter}.weight"] = weights[number].clone()
    return state


exercise.slip(
    "keys_first",
    "weights, biases → (k, q, v), (b_k, b_q, b_v)",
    "{\n"
    '        **{f"{name}.weight": weight for name, weight in zip(names, weights, strict=True)},\n'
    '        **{f"{name}.bias": bias for name, bias in zip(names, biases, strict=True)},\n'
    "    } → {\n"
    '        "W_q.weight": q, "W_k.weight": k, "W_v.weight": v,\n'
    '        "W_q.bias": b_q, "W_k.bias": b_k, "W_v.bias": b_v,\n'
    "    }",
).says("Keys and queries have changed places: from the top it is queries, keys, values.")
exercise.slip(
    "values_second",
    "weights, biases → (q, v, k), (b_q, b_v, b_k)",
    "{\n"
    '        **{f"{name}.weight": weight for name, weight in zip(names, weights, strict=True)},\n'
    '        **{f"{name}.bias": bias for name, bias in zip(names, biases, strict=True)},\n'
    "    } → {\n"
    '        "W_q.weight": q, "W_k.weight": k, "W_v.weight": v,\n'
    '        "W_q.bias": b_q, "W_k.bias": b_k, "W_v.bias": b_v,\n'
    "    }",
).says("Keys and values have changed places: from the top it is queries, keys, values.")
exercise.slip(
    "transposed",
    "weights, biases = in_proj_weight.unflatten(0, (3, -1)), in_proj_bias.view(3, -1)\n"
    "    state = {}\n"
    '    for number, letter in enumerate("qkv"):\n'
    '        state[f"W_{letter}.bias"] = biases[number].clone()\n'
    '        state[f"W_{letter}.weight"] = weights[number].clone() → names, state = ("W_q", "W_k", '
    '"W_v"), {}\n'
    "    for name, weight, bias in zip(names, in_proj_weight.chunk(3), in_proj_bias.chunk(3), "
    "strict=True):\n"
    '        state[f"{name}.weight"], state[f"{name}.bias"] = weight.T, bias',
    of=unpack_by_view,
).says(
    "The weights are transposed: torch packs the weights of three nn.Linear, which hold them as (out, in) "
    "just as yours do."
)
exercise.slip(
    "every_third_row",
    'names = ("W_q", "W_k", "W_v") → names, made = ("W_q", "W_k", "W_v"), {}',
    "weights, biases = in_proj_weight.chunk(3), in_proj_bias.chunk(3) → for number, name in "
    "enumerate(names):\n"
    '        made[f"{name}.weight"], made[f"{name}.bias"] = in_proj_weight[number::3], '
    "in_proj_bias[number::3]",
    "{\n"
    '        **{f"{name}.weight": weight for name, weight in zip(names, weights, strict=True)},\n'
    '        **{f"{name}.bias": bias for name, bias in zip(names, biases, strict=True)},\n'
    "    } → made",
).says(
    "Every third row is taken for the queries: the three weights lie on top of each other, so the queries "
    "have the first C rows."
)
exercise.slip(
    "biases_not_split",
    "weights, biases = in_proj_weight.unflatten(0, (3, -1)), in_proj_bias.view(3, -1)\n"
    "    state = {}\n"
    '    for number, letter in enumerate("qkv"):\n'
    '        state[f"W_{letter}.bias"] = biases[number].clone()\n'
    '        state[f"W_{letter}.weight"] = weights[number].clone() → names, state = ("W_q", "W_k", '
    '"W_v"), {}\n'
    "    for name, weight in zip(names, in_proj_weight.chunk(3), strict=True):\n"
    '        state[f"{name}.weight"], state[f"{name}.bias"] = weight, in_proj_bias',
    of=unpack_by_view,
).says("Each projection gets the whole packed bias: it has 3C numbers, and a third belongs to each.")
exercise.slip(
    "cut_into_columns",
    "weights, biases = in_proj_weight.unflatten(0, (3, -1)), in_proj_bias.view(3, -1)\n"
    "    state = {}\n"
    '    for number, letter in enumerate("qkv"):\n'
    '        state[f"W_{letter}.bias"] = biases[number].clone()\n'
    '        state[f"W_{letter}.weight"] = weights[number].clone() → names, state = ("W_q", "W_k", '
    '"W_v"), {}\n'
    "    columns = in_proj_weight.tensor_split(3, dim=1)\n"
    "    for name, weight, bias in zip(names, columns, in_proj_bias.chunk(3), strict=True):\n"
    '        state[f"{name}.weight"], state[f"{name}.bias"] = weight, bias',
    of=unpack_by_view,
).says(
    "The packed weight is cut from left to right: it has 3C rows, and the three weights lie on top of "
    "each other."
)

"""Weights from torch."""

import torch
from torch import Generator

from exercises.multihead import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers import multihead

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
    C, D = shared.sizes(g, *pick(g, (3, 4), (3, 5), (4, 5), (2, 5), (4, 6), (5, 6)))
    E = pick(g, 2, 6, 7, 8)
    return [
        Case("a few channels", (shared.normal(g, 3 * C, C), shared.normal(g, 3 * C))),
        Case("other channels", (shared.normal(g, 3 * D, D), shared.normal(g, 3 * D))),
        Case(
            "float64",
            (shared.normal(g, 3 * E, E, dtype=torch.float64), shared.normal(g, 3 * E, dtype=torch.float64)),
        ),
        Case("one channel", (shared.normal(g, 3, 1), shared.normal(g, 3))),
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


@exercise.misconception
def keys_first(in_proj_weight, in_proj_bias):
    """Keys and queries are swapped: from the top it is queries, keys, values."""
    (k, q, v), (b_k, b_q, b_v) = in_proj_weight.chunk(3), in_proj_bias.chunk(3)
    return {
        "W_q.weight": q, "W_k.weight": k, "W_v.weight": v,
        "W_q.bias": b_q, "W_k.bias": b_k, "W_v.bias": b_v,
    }  # fmt: skip


@exercise.misconception
def values_second(in_proj_weight, in_proj_bias):
    """Keys and values are swapped: from the top it is queries, keys, values."""
    (q, v, k), (b_q, b_v, b_k) = in_proj_weight.chunk(3), in_proj_bias.chunk(3)
    return {
        "W_q.weight": q, "W_k.weight": k, "W_v.weight": v,
        "W_q.bias": b_q, "W_k.bias": b_k, "W_v.bias": b_v,
    }  # fmt: skip


@exercise.misconception
def transposed(in_proj_weight, in_proj_bias):
    """The weights are transposed: torch packs the weights of three nn.Linear, which hold them as
    (out, in) just as yours do.
    """
    names, made = ("W_q", "W_k", "W_v"), {}
    for name, weight, bias in zip(names, in_proj_weight.chunk(3), in_proj_bias.chunk(3), strict=True):
        made[f"{name}.weight"], made[f"{name}.bias"] = weight.T, bias
    return made


@exercise.misconception
def every_third_row(in_proj_weight, in_proj_bias):
    """Every third row is taken for the queries: the three weights lie on top of each other, so the
    queries have the first C rows.
    """
    names, made = ("W_q", "W_k", "W_v"), {}
    for number, name in enumerate(names):
        made[f"{name}.weight"], made[f"{name}.bias"] = in_proj_weight[number::3], in_proj_bias[number::3]
    return made


@exercise.misconception
def biases_not_split(in_proj_weight, in_proj_bias):
    """Each projection gets the whole packed bias: it has 3C numbers, and a third belongs to each."""
    names, made = ("W_q", "W_k", "W_v"), {}
    for name, weight in zip(names, in_proj_weight.chunk(3), strict=True):
        made[f"{name}.weight"], made[f"{name}.bias"] = weight, in_proj_bias
    return made


@exercise.misconception
def cut_into_columns(in_proj_weight, in_proj_bias):
    """The packed weight is cut from left to right: it has 3C rows, and the three weights lie on top of each
    other.
    """
    names, made = ("W_q", "W_k", "W_v"), {}
    columns = in_proj_weight.tensor_split(3, dim=1)
    for name, weight, bias in zip(names, columns, in_proj_bias.chunk(3), strict=True):
        made[f"{name}.weight"], made[f"{name}.bias"] = weight, bias
    return made


@exercise.misconception
def chunked_from_left_to_right(in_proj_weight, in_proj_bias):
    """`dim=1` cuts the C columns of the packed weight, but the three projections share its 3C rows: cut along
    `dim=0`.
    """
    (q, k, v), (b_q, b_k, b_v) = in_proj_weight.chunk(3, dim=1), in_proj_bias.chunk(3)
    return {
        "W_q.weight": q, "W_k.weight": k, "W_v.weight": v,
        "W_q.bias": b_q, "W_k.bias": b_k, "W_v.bias": b_v,
    }  # fmt: skip


@exercise.misconception
def columns_sliced(in_proj_weight, in_proj_bias):
    """Columns are sliced, of which there are only C, so the queries get all of the packed weight, and keys
    and values nothing: the three weights lie on top of each other, so slice rows.
    """
    C = in_proj_weight.size(1)
    names, made = ("W_q", "W_k", "W_v"), {}
    for number, name in enumerate(names):
        part = slice(number * C, (number + 1) * C)
        made[f"{name}.weight"], made[f"{name}.bias"] = in_proj_weight[:, part], in_proj_bias[part]
    return made


@exercise.misconception
def columns_chunked(in_proj_weight, in_proj_bias):
    """The columns of the packed weight are cut into chunks, and there are only C of them: the three weights
    lie on top of each other, so cut the 3C rows, along `dim=0`.
    """
    weights, biases = in_proj_weight.chunk(3, dim=1), in_proj_bias.chunk(3)
    names = ("W_q", "W_k", "W_v")
    made = {f"{name}.weight": weights[number] for number, name in enumerate(names)}
    return made | {f"{name}.bias": biases[number] for number, name in enumerate(names)}


@exercise.misconception
def pieces_of_three_rows(in_proj_weight, in_proj_bias):
    """`split(3)` makes pieces of 3 rows, however many that gives: `chunk(3)` makes three equal pieces, and so
    does `split(C)`.
    """
    weights, biases = in_proj_weight.split(3), in_proj_bias.split(3)
    names = ("W_q", "W_k", "W_v")
    made = {f"{name}.weight": weights[number] for number, name in enumerate(names)}
    return made | {f"{name}.bias": biases[number] for number, name in enumerate(names)}

"""Lesson 02's misconceptions about splitting, merging, packing and counting.

Each is the reference with one slip in it, written as a student would, and its docstring is the sentence that
the student reads. Those about the module are in `misconceptions_module.py` and `misconceptions_roles.py`,
those about what single heads do in `misconceptions_heads.py`.
"""

# ruff: noqa: D205  (a sentence may take two lines)

import torch

# -- splitting -----------------------------------------------------------------------------------------------


def view_alone(x, n_heads):
    """The numbers are only reshaped into (..., H, T, D), so that each head gets some of the positions with
    all their channels: name the axes as they lie, (..., T, H, D), then swap H and T.
    """
    *front, T, C = x.shape
    return x.reshape(*front, n_heads, T, C // n_heads)


def no_transpose(x, n_heads):
    """This has the axes (..., T, H, D): a step is missing that puts the heads before the positions, so
    that the last two axes are those of one head's sentence.
    """
    return x.unflatten(-1, (n_heads, -1))


def first_two_axes(x, n_heads):
    """Axes 0 and 1 are swapped, and with a batch in front these aren't T and H: count axes from the end."""
    return x.unflatten(-1, (n_heads, -1)).transpose(0, 1)


def every_nth_channel(x, n_heads):
    """Each head gets every H-th channel: it should get D neighbouring ones, as in torch and in the papers."""
    return x.unflatten(-1, (-1, n_heads)).movedim(-1, -3)


def features_before_positions(x, n_heads):
    """The last two axes are D and T, the wrong way round: one head's sentence should be (T, D)."""
    return x.unflatten(-1, (n_heads, -1)).movedim(-3, -1)


def heads_for_channels(x, n_heads):
    """`n_heads` is used as the size of a head: the channels should be cut into n_heads pieces, each of C /
    n_heads channels.
    """
    return x.unflatten(-1, (-1, n_heads)).transpose(-3, -2)


def everything_for_each(x, n_heads):
    """Each head gets all channels: they should be shared out, C / H to each, or else H heads cost H times as
    much.
    """
    return torch.stack([x] * n_heads, dim=-3)


# -- merging -------------------------------------------------------------------------------------------------


def merged_without_transposing(z):
    """The axes H and T aren't swapped back before they are flattened, so that positions and heads are
    jumbled: go back to (..., T, H, D) first.
    """
    *front, H, T, D = z.shape
    return z.reshape(*front, T, H * D)


def only_transposed(z):
    """The heads still have an axis of their own: the last two, H and D, should become one of H·D channels."""
    return z.transpose(-3, -2)


def averaged_over_heads(z):
    """The heads are averaged, which mixes up what they have found: their channels are put side by side."""
    return z.mean(dim=-3)


def summed_over_heads(z):
    """The heads are added up, which mixes up what they have found: their channels are put side by side."""
    return z.sum(dim=-3)


def channel_by_channel(z):
    """The channels of different heads alternate: splitting gave each head D neighbouring channels, and
    merging has to put them back where they were.
    """
    return z.movedim(-3, -1).flatten(-2)


def one_after_another(z):
    """The heads' sentences are put one after another, as H·T positions: put the channels side by side, and
    keep T positions.
    """
    return z.flatten(-3, -2)


def merged_first_two_axes(z):
    """Axes 0 and 1 are swapped, and with a batch in front these aren't H and T: count axes from the end."""
    return z.transpose(0, 1).flatten(-2)


# -- torch's packed weights ----------------------------------------------------------------------------------


def keys_first(in_proj_weight, in_proj_bias):
    """Keys and queries have changed places: from the top it is queries, keys, values."""
    (k, q, v), (b_k, b_q, b_v) = in_proj_weight.chunk(3), in_proj_bias.chunk(3)
    return {
        "W_q.weight": q, "W_k.weight": k, "W_v.weight": v,
        "W_q.bias": b_q, "W_k.bias": b_k, "W_v.bias": b_v,
    }  # fmt: skip


def values_second(in_proj_weight, in_proj_bias):
    """Keys and values have changed places: from the top it is queries, keys, values."""
    (q, v, k), (b_q, b_v, b_k) = in_proj_weight.chunk(3), in_proj_bias.chunk(3)
    return {
        "W_q.weight": q, "W_k.weight": k, "W_v.weight": v,
        "W_q.bias": b_q, "W_k.bias": b_k, "W_v.bias": b_v,
    }  # fmt: skip


def transposed(in_proj_weight, in_proj_bias):
    """The weights are transposed: torch packs the weights of three nn.Linear, which hold them as
    (out, in) just as yours do.
    """
    names, made = ("W_q", "W_k", "W_v"), {}
    for name, weight, bias in zip(names, in_proj_weight.chunk(3), in_proj_bias.chunk(3), strict=True):
        made[f"{name}.weight"], made[f"{name}.bias"] = weight.T, bias
    return made


def every_third_row(in_proj_weight, in_proj_bias):
    """Every third row is taken for the queries: the three weights lie on top of each other, so the
    queries have the first C rows.
    """
    names, made = ("W_q", "W_k", "W_v"), {}
    for number, name in enumerate(names):
        made[f"{name}.weight"], made[f"{name}.bias"] = in_proj_weight[number::3], in_proj_bias[number::3]
    return made


def biases_not_split(in_proj_weight, in_proj_bias):
    """Each projection gets the whole packed bias: it has 3C numbers, and a third belongs to each."""
    names, made = ("W_q", "W_k", "W_v"), {}
    for name, weight in zip(names, in_proj_weight.chunk(3), strict=True):
        made[f"{name}.weight"], made[f"{name}.bias"] = weight, in_proj_bias
    return made


def cut_into_columns(in_proj_weight, in_proj_bias):
    """The packed weight is cut from left to right: it has 3C rows, and the three weights lie on top of each
    other.
    """
    names, made = ("W_q", "W_k", "W_v"), {}
    columns = in_proj_weight.tensor_split(3, dim=1)
    for name, weight, bias in zip(names, columns, in_proj_bias.chunk(3), strict=True):
        made[f"{name}.weight"], made[f"{name}.bias"] = weight, bias
    return made


# -- costs ---------------------------------------------------------------------------------------------------


def full_width_heads(T, d_model, n_heads):
    """Each head is counted as wide as the model, which makes H heads H times as expensive: a head has d_model
    / n_heads channels.
    """
    parameters = n_heads * 3 * (d_model * d_model + d_model) + n_heads * d_model * d_model + d_model
    multiplications = n_heads * (4 * T * d_model * d_model + 2 * T * T * d_model)
    return parameters, multiplications, n_heads * T * T


def no_output_projection_counted(T, d_model, n_heads):
    """The output projection is missing: there are four matrices, W_q, W_k, W_v and W_o."""
    parameters = 3 * (d_model * d_model + d_model)
    return parameters, 3 * T * d_model * d_model + 2 * T * T * d_model, n_heads * T * T


def no_biases_counted(T, d_model, n_heads):
    """The biases are missing: each of the four projections has d_model of them."""
    return 4 * d_model * d_model, 4 * T * d_model * d_model + 2 * T * T * d_model, n_heads * T * T


def scores_alone(T, d_model, n_heads):
    """Of the attention itself only the scores are counted: averaging the values takes as many
    multiplications again.
    """
    parameters = 4 * (d_model * d_model + d_model)
    return parameters, 4 * T * d_model * d_model + T * T * d_model, n_heads * T * T


def no_projections_counted(T, d_model, n_heads):
    """The multiplications of the four projections are missing: each takes T times d_model × d_model."""
    return 4 * (d_model * d_model + d_model), 2 * T * T * d_model, n_heads * T * T


def attention_times_heads(T, d_model, n_heads):
    """Scores and averages are counted over all d_model channels for each head: a head multiplies its own
    d_model / n_heads channels only.
    """
    parameters = 4 * (d_model * d_model + d_model)
    return parameters, 4 * T * d_model * d_model + n_heads * 2 * T * T * d_model, n_heads * T * T


def one_head_counted(T, d_model, n_heads):
    """Scores and averages are counted for one head only: there are n_heads of them, with d_model / n_heads
    channels each, and together that is d_model again.
    """
    parameters = 4 * (d_model * d_model + d_model)
    return parameters, 4 * T * d_model * d_model + 2 * T * T * (d_model // n_heads), n_heads * T * T


def small_matrices(T, d_model, n_heads):
    """A head's projections are counted as d_head × d_head: each head reads all d_model channels, and
    d_head is the size of what comes out.
    """
    d = d_model // n_heads
    parameters = n_heads * 3 * (d * d + d) + d_model * d_model + d_model
    multiplications = n_heads * 3 * T * d * d + T * d_model * d_model + 2 * T * T * d_model
    return parameters, multiplications, n_heads * T * T


def one_map_for_all(T, d_model, n_heads):
    """The weights are counted for one head: each head makes T × T of its own, so they do grow with the number
    of heads.
    """
    parameters = 4 * (d_model * d_model + d_model)
    return parameters, 4 * T * d_model * d_model + 2 * T * T * d_model, T * T


def additions_too(T, d_model, n_heads):
    """The additions are counted too, which doubles the second number: here only multiplications count."""
    parameters = 4 * (d_model * d_model + d_model)
    return parameters, 8 * T * d_model * d_model + 4 * T * T * d_model, n_heads * T * T

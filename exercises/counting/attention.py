"""Multi-head attention."""

from torch import Generator

from exercises.counting import shared
from headstart import Case, Entry
from helpers import counting
from helpers.counting import linear_parameters

exercise = Entry(
    id="counting.attention",
    title="Multi-head attention",
    points=2,
    difficulty=2,
    minutes=6,
    reference=counting.attention_parameters,
    returns=("parameters",),
    forbidden=shared.MODULES,
    needs=("counting.linear",),
)


@exercise.cases
def attention_cases(g: Generator) -> list[Case]:
    """One head and several, with biases and without."""
    (d, h, _), (wide, heads, _) = shared.body(g), shared.body(g)
    return [
        Case("one head", (shared.one(g, 10, 50), 1)),
        Case("several heads", (d, h)),
        Case("several heads without biases", (wide, heads, False)),
        Case("width 512 with 8 heads", (512, 8, True)),
    ]


@exercise.alternative
def four_squares(d_model, n_heads, bias=True):
    total = 4 * d_model**2
    if bias:
        total += 4 * d_model
    return total


@exercise.alternative
def head_by_head(d_model, n_heads, bias=True):
    d_head = d_model // n_heads
    head = 3 * (d_model * d_head + (d_head if bias else 0))
    return n_heads * head + d_model * d_model + (d_model if bias else 0)


@exercise.alternative
def attention_by_linear_maps(d_model, n_heads, bias=True):
    return sum(linear_parameters(d_model, d_model, bias) for _ in ("q", "k", "v", "o"))


exercise.slip(
    "multiplied_by_heads",
    "4 * linear_parameters(d_model, d_model, bias) → (n_heads * 4) * linear_parameters(d_model, d_model, "
    "bias)",
).says(
    "The matrices are counted once for each head, but the heads split them: a head has only d_model / "
    "n_heads columns of each."
)
exercise.slip(
    "no_output_map",
    "4 * linear_parameters(d_model, d_model, bias) → 3 * linear_parameters(d_model, d_model, bias)",
).says("W_o is missing: besides queries, keys and values there is the map that mixes the heads' outputs.")
exercise.slip(
    "attention_biases_forgotten", "4 * linear_parameters(d_model, d_model, bias) → (4 * d_model) * d_model"
).says("The biases are missing: each of the four maps has d_model of them.")
exercise.slip(
    "attention_biases_always", "linear_parameters(d_model, d_model, bias) → (d_model * d_model + d_model)"
).says("The four biases are counted even where `bias` is False.")
exercise.slip(
    "attention_condition_over_all",
    "4 * linear_parameters(d_model, d_model, bias) → 4 * d_model * d_model + 4 * d_model if bias else 0",
).says(
    "Without biases this is 0: Python reads a + b if bias else 0 as (a + b) if bias else 0, so the biases "
    "need brackets of their own."
)
exercise.slip(
    "output_map_without_bias",
    "4 * linear_parameters(d_model, d_model, bias) → 4 * d_model * d_model + (3 * d_model if bias else 0)",
).says("The bias of W_o is missing: with `bias` each of the four maps has one.")
exercise.slip(
    "only_one_head", "n_heads * head → 3 * (d_model * d_head + (d_head if bias else 0))", of=head_by_head
).says(
    "Queries, keys and values are counted for one head only: all heads together have d_model columns in "
    "each matrix."
)
exercise.slip(
    "output_map_for_each_head",
    'return sum(linear_parameters(d_model, d_model, bias) for _ in ("q", "k", "v", "o")) → linear = '
    "d_model * d_model + (d_model if bias else 0)\n"
    "    return 3 * linear + n_heads * linear",
    of=attention_by_linear_maps,
).says("W_o is counted once for each head, but there is one: it takes all heads, side by side.")
exercise.slip(
    "whole_width_for_each_head",
    'return sum(linear_parameters(d_model, d_model, bias) for _ in ("q", "k", "v", "o")) → linear = '
    "d_model * d_model + (d_model if bias else 0)\n"
    "    return 3 * n_heads * linear + n_heads * d_model * d_model + (d_model if bias else 0)",
    of=attention_by_linear_maps,
).says(
    "Each head has queries, keys and values of the whole width here, and W_o takes them all: the heads "
    "share the width, so each has d_model / n_heads columns."
)
exercise.slip(
    "one_matrix_for_all_three",
    "4 * linear_parameters(d_model, d_model, bias) → 2 * linear_parameters(d_model, d_model, bias)",
).says("Queries, keys and values share one matrix here: each has its own, and W_o comes fourth.")
exercise.slip(
    "divided_by_heads",
    "4 * linear_parameters(d_model, d_model, bias) → 4 * (d_model * d_model + (d_model if bias else 0)) "
    "// n_heads",
).says("The count is divided by the heads: each head is smaller, but there are more of them, which cancels.")
exercise.slip("output_map_from_one_head", "d_model * d_model + → d_head * d_model +", of=head_by_head).says(
    "W_o is counted with one head's width as its inputs: it takes all heads side by side, d_model numbers."
)

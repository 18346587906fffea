"""What several heads cost."""

import torch
from torch import Generator

from headstart import Case, Entry
from helpers import multihead

exercise = Entry(
    id="multihead.costs",
    title="What several heads cost",
    points=3,
    difficulty=3,
    minutes=10,
    reference=multihead.costs,
    returns=("parameters", "multiplications", "weights"),
)


@exercise.cases
def cost_cases(g: Generator) -> list[Case]:
    """Sizes that are far apart, the same ones with other numbers of heads among them."""
    T = int(torch.randint(20, 60, (), generator=g))
    d = 24 * int(torch.randint(4, 9, (), generator=g))
    return [
        Case("one head", (T, d, 1)),
        Case("the same with four heads", (T, d, 4)),
        Case("the same with twelve heads", (T, d, 12)),
        Case("a long sentence and few channels", (10 * T, 32, 2)),
    ]


@exercise.alternative
def costs_head_by_head(T, d_model, n_heads):
    d_head = d_model // n_heads
    parameters, multiplications, weights = d_model * d_model + d_model, T * d_model * d_model, 0
    for _ in range(n_heads):
        parameters += 3 * (d_model * d_head + d_head)
        multiplications += 3 * T * d_model * d_head + T * d_head * T + T * T * d_head
        weights += T * T
    return parameters, multiplications, weights


@exercise.alternative
def costs_in_closed_form(T, d_model, n_heads):
    return 4 * d_model * (d_model + 1), 2 * T * d_model * (2 * d_model + T), n_heads * T**2


@exercise.misconception
def full_width_heads(T, d_model, n_heads):
    """Each head is counted as wide as the model, which makes H heads H times as expensive: a head has d_model
    / n_heads channels.
    """
    parameters = n_heads * 3 * (d_model * d_model + d_model) + n_heads * d_model * d_model + d_model
    multiplications = n_heads * (4 * T * d_model * d_model + 2 * T * T * d_model)
    return parameters, multiplications, n_heads * T * T


exercise.slip(
    "no_output_projection_counted",
    "4 * (d_model * d_model + d_model) → 3 * (d_model * d_model + d_model)",
    "projections + n_heads * per_head → (3 * T * d_model * d_model) + n_heads * per_head",
).says("The output projection is missing: there are four matrices, W_q, W_k, W_v and W_o.")
exercise.slip(
    "no_biases_counted",
    "parameters, projections + n_heads * per_head, n_heads * T * T → 4 * d_model * d_model, projections + "
    "n_heads * per_head, n_heads * T * T",
).says("The biases are missing: each of the four projections has d_model of them.")
exercise.slip("scores_alone", "n_heads * per_head → (T * T) * d_model").says(
    "Of the attention itself only the scores are counted: averaging the values takes as many "
    "multiplications again."
)
exercise.slip("no_projections_counted", "projections + n_heads * per_head → 2 * T * T * d_model").says(
    "The multiplications of the four projections are missing: each takes T times d_model × d_model."
)
exercise.slip("attention_times_heads", "n_heads * per_head → (n_heads * 2 * T * T) * d_model").says(
    "Scores and averages are counted over all d_model channels for each head: a head multiplies its own "
    "d_model / n_heads channels only."
)
exercise.slip("one_head_counted", "n_heads * per_head → (2 * T * T) * (d_model // n_heads)").says(
    "Scores and averages are counted for one head only: there are n_heads of them, with d_model / n_heads "
    "channels each, and together that is d_model again."
)


@exercise.misconception
def small_matrices(T, d_model, n_heads):
    """A head's projections are counted as d_head × d_head: each head reads all d_model channels, and d_head
    is the size of its output.
    """
    d = d_model // n_heads
    parameters = n_heads * 3 * (d * d + d) + d_model * d_model + d_model
    multiplications = n_heads * 3 * T * d * d + T * d_model * d_model + 2 * T * T * d_model
    return parameters, multiplications, n_heads * T * T


exercise.slip("one_map_for_all", "n_heads * T → T").says(
    "The weights are counted for one head: each head makes T × T of its own, so they do grow with the "
    "number of heads."
)
exercise.slip(
    "additions_too", "projections + n_heads * per_head → (8 * T * d_model * d_model) + (4 * T * T) * d_model"
).says("The additions are counted too, which doubles the second number: here only multiplications count.")
exercise.slip(
    "projected_to_one_head",
    "projections = 4 * T * d_model * d_model → multiplications = 4 * T * d_model * (d_model // n_heads) + "
    "2 * T * T * d_model",
    "projections + n_heads * per_head → multiplications",
).says(
    "Each projection is counted as if it made the D channels of one head: it makes those of all heads, "
    "d_model of them."
)
exercise.slip(
    "output_projection_not_multiplied",
    "return 4 * d_model * (d_model + 1), 2 * T * d_model * (2 * d_model + T), n_heads * T**2 → "
    "multiplications = 3 * T * d_model * d_model + 2 * T * T * d_model\n"
    "    return 4 * ((d_model * d_model) + d_model), multiplications, n_heads * T**2",
    of=costs_in_closed_form,
).says("The multiplications of three projections are counted: W_o, after the merge, is the fourth.")
exercise.slip(
    "output_bias_left_out", "4 * (d_model * d_model + d_model) → 4 * d_model**2 + 3 * d_model"
).says("Three biases are counted: the output projection, W_o, has one of d_model numbers as well.")
exercise.slip("biases_of_one_number", "d_model * d_model + d_model → d_model * d_model + 1").says(
    "Each bias is counted as one number: a projection adds one to each of its d_model outputs."
)
exercise.slip("biases_as_wide_as_a_head", "d_model * d_model + d_model → d_model * d_model + d_head").says(
    "Each bias is counted as wide as one head: the projections make the channels of all heads, so it has "
    "d_model numbers."
)
exercise.slip("biases_multiplied", "4 * T * d_model * d_model → 4 * T * (d_model * d_model + d_model)").says(
    "The biases are counted among the multiplications: they are added."
)
exercise.slip(
    "one_bias_counted",
    "parameters, projections + n_heads * per_head, n_heads * T * T → 4 * d_model * d_model + d_model, "
    "projections + n_heads * per_head, n_heads * T * T",
).says("One bias is counted: each of the four projections has one, of d_model numbers.")

exercise.slip("half_of_the_map", "n_heads * T * T → n_heads * T * (T + 1) // 2").says(
    "Only half of each head's map is counted, as under a causal mask: here each of T queries has a weight "
    "for each of T keys."
)
exercise.slip("projections_of_one_position", "4 * T * d_model * d_model → 4 * d_model * d_model").says(
    "The projections are counted for one position: each multiplies T vectors by its d_model × d_model matrix."
)

"""Operations per token."""

from torch import Generator

from exercises.counting import shared
from headstart import Case, Entry
from helpers import counting

exercise = Entry(
    id="counting.flops",
    title="Operations per token",
    points=2,
    difficulty=3,
    minutes=6,
    reference=counting.training_flops_per_token,
    returns=("operations",),
)


@exercise.cases
def flops_cases(g: Generator) -> list[Case]:
    """Short and long sequences."""
    n_layers, d = shared.one(g, 3, 9), 8 * shared.one(g, 10, 30)
    return [
        Case("a short sequence", (shared.one(g, 10**6, 10**7), n_layers, shared.one(g, 10, 50), d)),
        Case("a long sequence", (shared.one(g, 10**5, 10**6), n_layers + 1, shared.one(g, 1000, 3000), d)),
    ]


@exercise.alternative
def three_forward_passes(n_weights, n_layers, positions, d_model):
    forward = 2 * n_weights + n_layers * (2 * positions * d_model + 2 * positions * d_model)
    backward = 2 * forward
    return forward + backward


@exercise.alternative
def six_times(n_weights, n_layers, positions, d_model):
    return 6 * (n_weights + 2 * n_layers * positions * d_model)


exercise.slip("forward_alone", "6 * n_weights → 2 * n_weights", "12 * n_layers → 4 * n_layers").says(
    "This is the forward pass alone, 2 operations per weight: the backward pass takes twice as many again."
)
exercise.slip("backward_like_forward", "6 * n_weights → 4 * n_weights", "12 * n_layers → 8 * n_layers").says(
    "The backward pass is counted like the forward pass, but it has two products for each of the "
    "forward's: one for the inputs' gradient, one for the weights'."
)
exercise.slip("multiplications_alone", "6 * n_weights → 3 * n_weights", "12 * n_layers → 6 * n_layers").says(
    "Only multiplications are counted: each comes with an addition, so a weight costs 2 operations."
)
exercise.slip("attention_left_out", " + 12 * n_layers * positions * d_model →").says(
    "The products without weights are missing: queries with keys, and attention weights with values."
)
exercise.slip("scores_alone", "12 * n_layers → 6 * n_layers").says(
    "Half of attention is counted: the scores are one product and the average of the values is a "
    "second, each over all T keys that the query meets."
)
exercise.slip("attention_forward_alone", "12 * n_layers → 4 * n_layers").says(
    "The products of attention are counted in the forward pass alone: they have a backward pass too."
)
exercise.slip("attention_of_one_layer", " * n_layers →").says(
    "The products of attention are counted for one layer: each of the n_layers has them."
)
exercise.slip("attention_of_all_tokens", "* positions → * (positions**2)").says(
    "T² is for a whole sequence: one token's query meets T keys."
)
exercise.slip(
    "weights_in_every_layer",
    "6 * n_weights + 12 * n_layers * positions * d_model → n_layers * (6 * n_weights + 12 * positions * "
    "d_model)",
).says("The weights are multiplied by the layers: `n_weights` has those of all layers already.")

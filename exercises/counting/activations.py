"""What the backward pass needs."""

from torch import Generator

from exercises.counting import shared
from headstart import Case, Entry
from helpers import counting

exercise = Entry(
    id="counting.activations",
    title="What the backward pass needs",
    points=3,
    difficulty=4,
    minutes=8,
    reference=counting.activation_numbers,
    returns=("numbers",),
)


@exercise.cases
def activation_cases(g: Generator) -> list[Case]:
    """One sequence in one layer, several in several, and one so long that its square leads."""
    (d, h, f), (narrow, heads, hidden) = shared.body(g), shared.body(g)
    batch, positions, n_layers = shared.one(g, 8, 12), shared.one(g, 13, 30), shared.one(g, 4, 7)
    return [
        Case("one sequence, one layer", (1, positions, d, h, f, 1)),
        Case("a batch, several layers", (batch, positions + 2, d, h, f, n_layers)),
        Case("a long sequence", (2, shared.one(g, 900, 1100), narrow, heads, hidden, n_layers + 1)),
    ]


@exercise.alternative
def activations_part_by_part(batch, positions, d_model, n_heads, d_ff, n_layers):
    vector = batch * positions * d_model
    attention = vector + 3 * vector + vector
    norms = 2 * vector
    feed_forward = vector + 2 * batch * positions * d_ff
    return n_layers * (attention + batch * n_heads * positions * positions + norms + feed_forward)


@exercise.alternative
def activations_for_each_token(batch, positions, d_model, n_heads, d_ff, n_layers):
    token = 8 * d_model + 2 * d_ff + n_heads * positions
    return batch * positions * token * n_layers


exercise.slip("weights_once_for_all_heads", " * n_heads →").says(
    "One T × T matrix of weights is counted for each sequence, but each head has its own."
)
exercise.slip("weights_once_for_the_batch", "batch * n_heads → n_heads").says(
    "The attention weights are counted for one sequence: each of the batch has T × T for each head."
)
exercise.slip("weights_without_square", "**2 →").says(
    "The attention weights are counted as T numbers: each of the T positions has T of them."
)
exercise.slip(
    "attention_weights_forgotten",
    "n_layers * (tokens * (8 * d_model + 2 * d_ff) + batch * n_heads * positions**2) → (n_layers * batch "
    "* positions) * (8 * (d_model) + 2 * d_ff)",
).says("The attention weights are missing: a T × T matrix for each head of each sequence.")
exercise.slip("one_vector_short", "8 * d_model → 7 * d_model").says(
    "One vector of the width is missing: a token keeps 8 of them, from the layer's input to what goes "
    "into the second norm, as the comments count them."
)
exercise.slip("scores_kept_too", "batch * n_heads → (2 * batch) * n_heads").says(
    "Two T × T matrices are counted, but a softmax's gradient needs only its output: the scores aren't kept."
)
exercise.slip("one_hidden_vector", "2 * d_ff → d_ff").says(
    "The hidden vector is counted once: the GELU keeps its input, and the second map keeps the GELU's output."
)
exercise.slip("queries_keys_values_as_one", "8 * d_model → 6 * d_model").says(
    "Two vectors of the width are missing for each token: queries, keys and values are three vectors and "
    "not one, and each of the two norms keeps what goes into it."
)
exercise.slip("vectors_for_each_head", "8 * d_model → (4 + 4 * n_heads) * d_model").says(
    "Queries, keys, values and outputs are counted with the full width for each head: a head has d_model "
    "/ H of it."
)
exercise.slip(
    "one_layer_kept",
    "n_layers * (tokens * (8 * d_model + 2 * d_ff) + batch * n_heads * positions**2) → tokens * (8 * "
    "d_model + 2 * d_ff) + batch * n_heads * positions**2",
).says(
    "This is one layer: the backward pass begins only after the last layer, so until then all of them "
    "keep theirs."
)
exercise.slip(
    "one_sequence_kept",
    "tokens * (8 * d_model + 2 * d_ff) → positions * (8 * d_model + 2 * d_ff)",
    "batch * n_heads → n_heads",
).says("This is one sequence: every sequence of the batch keeps its own.")
exercise.slip("weights_across_sequences", "batch * n_heads * positions**2 → n_heads * tokens**2").says(
    "The square is taken of all tokens of the batch, but a token attends within its own sequence only."
)
exercise.slip(
    "kept_bytes",
    "n_layers * (tokens * (8 * d_model + 2 * d_ff) + batch * n_heads * positions**2) → (4 * n_layers) * "
    "(tokens * (8 * d_model + 2 * d_ff) + batch * n_heads * positions**2)",
).says("These are bytes: this exercise asks how many numbers are kept.")
exercise.slip("statistics_of_norms_too", "2 * d_ff) + batch → 2 * d_ff + 4) + batch").says(
    "The norms' means and deviations are counted, 4 numbers for each token: they are left out here."
)
exercise.slip(
    "weights_of_one_layer",
    "n_layers * (tokens * (8 * d_model + 2 * d_ff) + batch * n_heads * positions**2) → (n_layers * tokens) * "
    "(8 * (d_model) + 2 * d_ff) + batch * n_heads * positions**2",
).says(
    "The attention weights are counted for one layer: they belong into the brackets that n_layers multiplies."
)

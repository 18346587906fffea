"""Its size and its price."""

from torch import Generator

from autograder.entry import Entry
from exercises.pretraining import shared
from helpers import pretraining
from helpers.checking.calling.drivers import Case

exercise = Entry(
    id="pretraining.cost",
    title="Its size and its price",
    points=2,
    difficulty=2,
    minutes=6,
    reference=pretraining.model_cost,
    returns=("parameters", "operations"),
)


@exercise.cases
def cost_cases(g: Generator) -> list[Case]:
    """Small models, and one with a vocabulary that outweighs all else."""

    def sizes(vocabulary: int) -> tuple[int, ...]:
        heads = shared.one(g, 3, 6)
        layers, positions = shared.one(g, 2, 5), shared.one(g, 30, 60)
        return vocabulary, heads * shared.one(g, 7, 12), heads, layers, positions, shared.one(g, 1000, 5000)

    return [
        Case("a small model", sizes(shared.one(g, 100, 200))),
        Case("another", sizes(shared.one(g, 200, 400))),
        Case("a large vocabulary", sizes(shared.one(g, 20_000, 30_000))),
    ]


@exercise.alternative
def cost_written_out(vocabulary, d_model, n_heads, n_layers, positions, tokens):
    attention = 4 * (d_model * d_model + d_model)
    feed_forward = d_model * 4 * d_model + 4 * d_model + 4 * d_model * d_model + d_model
    words, norms = vocabulary * d_model, 2 * n_layers + 1
    weights = words + n_layers * (attention + feed_forward) + norms * 2 * d_model
    scores = 2 * 2 * positions * d_model * n_layers
    return weights + positions * d_model, tokens * 3 * (2 * weights + scores)


@exercise.alternative
def cost_by_lesson_06(vocabulary, d_model, n_heads, n_layers, positions, tokens):
    from helpers.counting import gpt2_parameters, training_flops_per_token

    total = gpt2_parameters(vocabulary, d_model, n_heads, n_layers, positions)
    per_token = training_flops_per_token(total - positions * d_model, n_layers, positions, d_model)
    return total, per_token * tokens


exercise.slip("head_counted_again", "vocabulary * d_model → (2 * vocabulary) * d_model").says(
    "The head is counted beside the embedding: it is the same matrix, so it is counted once."
)
exercise.slip(
    "last_norm_forgotten",
    "vocabulary * d_model + n_layers * block + 2 * d_model → (vocabulary * d_model) + n_layers * (12 * "
    "d_model**2 + 13 * d_model)",
).says("The norm after the last block is missing.")
exercise.slip("positions_forgotten", " + positions * d_model →").says(
    "The positions aren't among the parameters: they are learned here, one vector each."
)
exercise.slip(
    "positions_multiply",
    "per_token = training_flops_per_token(total - positions * d_model, n_layers, positions, d_model) → "
    "parameters = (vocabulary + positions + 2) * d_model + n_layers * (12 * d_model**2 + 13 * d_model)",
    "per_token * tokens → tokens * (6 * parameters + 12 * n_layers * positions * d_model)",
    of=cost_by_lesson_06,
).says(
    "The positions are counted among the weights that multiply: they are looked up and added, which is "
    "next to no work."
)
exercise.slip(
    "head_does_no_work",
    "vocabulary * d_model + n_layers * block → (n_layers * (12 * d_model**2 + 13 * d_model))",
    "multiplying + positions * d_model → multiplying + (vocabulary + positions) * d_model",
).says(
    "The embedding is left out of the work as a table that is only looked up: the same matrix is the "
    "head, and there it multiplies."
)
exercise.slip("forward_pass_alone", "6 * multiplying → 2 * multiplying", "12 * n_layers → 4 * n_layers").says(
    "This is the forward pass alone: the backward pass takes twice as much again."
)
exercise.slip("one_token", "tokens * flops → 6 * multiplying + 12 * n_layers * positions * d_model").says(
    "The work of one token: the training has `tokens` of them."
)
exercise.slip("scores_forgotten", "tokens * flops → (tokens * 6) * multiplying").says(
    "The products of queries with keys and of weights with values are missing: they have no parameters, "
    "but they are work."
)
exercise.slip(
    "one_block",
    "vocabulary * d_model + n_layers * block → (vocabulary * d_model + 12 * d_model**2) + 13 * d_model",
).says("Only one block is counted: each of the n_layers has weights of its own.")

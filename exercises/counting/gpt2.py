"""GPT-2."""

from torch import Generator

from exercises.counting import shared
from headstart import Case, Entry
from helpers import counting

exercise = Entry(
    id="counting.gpt2",
    title="GPT-2",
    points=2,
    difficulty=2,
    minutes=5,
    reference=counting.gpt2_parameters,
    returns=("parameters",),
    forbidden=shared.MODULES,
    needs=("counting.decoder_layer",),
)


@exercise.cases
def gpt2_cases(g: Generator) -> list[Case]:
    """A small one, and GPT-2 small."""
    d, h, _ = shared.body(g)
    return [
        Case("a small one", (shared.one(g, 500, 900), d, h, shared.one(g, 3, 8), shared.one(g, 50, 90))),
        Case("GPT-2 small", (50_257, 768, 12, 12, 1024)),
    ]


@exercise.alternative
def gpt2_multiplied_out(vocabulary, d_model, n_heads, n_layers, positions):
    return (vocabulary + positions + 2) * d_model + n_layers * (12 * d_model**2 + 13 * d_model)


@exercise.alternative
def gpt2_step_by_step(vocabulary, d_model, n_heads, n_layers, positions):
    d_ff = 4 * d_model
    layer = 4 * (d_model**2 + d_model) + 2 * d_model * d_ff + d_ff + d_model + 4 * d_model
    tokens_and_positions = vocabulary * d_model + positions * d_model
    return tokens_and_positions + n_layers * layer + 2 * d_model


exercise.slip(
    "output_counted_again",
    "embedding_parameters(vocabulary, d_model, positions) → (2 * vocabulary + positions) * d_model",
).says(
    "The output map is counted besides the embedding: GPT-2 uses the embedding's matrix again, so it is "
    "counted once."
)
exercise.slip(
    "gpt2_positions_forgotten",
    "embedding_parameters(vocabulary, d_model, positions) → (vocabulary * d_model)",
).says("The positions are missing: GPT-2 learns a vector of d_model numbers for each.")
exercise.slip(
    "last_norm_forgotten",
    "embedding_parameters(vocabulary, d_model, positions) + layers + norm_parameters(d_model) → "
    "(vocabulary + positions) * d_model + layers",
).says("The norm after the last layer is missing: a scale and a shift of d_model numbers each.")
exercise.slip("gpt2_of_decoder_layers", "encoder_layer_parameters → decoder_layer_parameters").says(
    "These layers have a second attention, but GPT-2 has no encoder to attend to: its layer is an encoder "
    "layer with a causal mask, and a mask has no parameters."
)
exercise.slip("hidden_width_as_the_width", "4 * d_model → d_model").says(
    "The feed-forward networks are counted with d_ff = d_model: GPT-2's are four times as wide."
)
exercise.slip(
    "last_norm_in_every_layer",
    "n_layers * encoder_layer_parameters(d_model, n_heads, 4 * d_model) → "
    "encoder_layer_parameters(d_model, n_heads, 4 * d_model) + norm_parameters(d_model)",
    "embedding_parameters(vocabulary, d_model, positions) + layers + norm_parameters(d_model) → "
    "(vocabulary + positions) * d_model + (n_layers * layers)",
).says(
    "The last norm is counted once per layer: each layer has two norms of its own, and one more comes "
    "after the last layer."
)
exercise.slip(
    "output_counted_again_with_bias",
    "embedding_parameters(vocabulary, d_model, positions) → (2 * vocabulary + positions) * d_model + "
    "vocabulary",
).says(
    "The output map is counted besides the embedding, and with a bias: GPT-2 uses the embedding's matrix "
    "again, without a bias, so nothing is added."
)

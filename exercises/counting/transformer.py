"""Encoder and decoder."""

from torch import Generator

from exercises.counting import shared
from headstart import Case, Entry
from helpers import counting
from helpers.counting import decoder_layer_parameters, encoder_layer_parameters

exercise = Entry(
    id="counting.transformer",
    title="Encoder and decoder",
    points=3,
    difficulty=3,
    minutes=6,
    reference=counting.transformer_parameters,
    returns=("parameters",),
    forbidden=shared.MODULES,
    needs=("counting.decoder_layer",),
)


@exercise.cases
def transformer_cases(g: Generator) -> list[Case]:
    """Tied and not."""
    d, h, f = shared.body(g)
    vocabulary, n_layers = shared.one(g, 500, 900), shared.one(g, 3, 8)
    return [
        Case("one matrix for all three", (vocabulary, d, h, f, n_layers, True)),
        Case("a matrix for each", (vocabulary + 7, d, h, f, n_layers + 1, False)),
        Case("Transformer-base", (37_000, 512, 8, 2048, 6, True)),
    ]


@exercise.alternative
def transformer_multiplied_out(vocabulary, d_model, n_heads, d_ff, n_layers, tied):
    pair = 12 * d_model**2 + 24 * d_model + 4 * d_model * d_ff + 2 * d_ff
    return vocabulary * d_model * (1 if tied else 3) + n_layers * pair


@exercise.alternative
def transformer_with_if(vocabulary, d_model, n_heads, d_ff, n_layers, tied):
    attention = 4 * (d_model * d_model + d_model)
    feed_forward = 2 * d_model * d_ff + d_ff + d_model
    norm = 2 * d_model
    encoder = n_layers * (attention + feed_forward + 2 * norm)
    decoder = n_layers * (2 * attention + feed_forward + 3 * norm)
    total = vocabulary * d_model + encoder + decoder
    if not tied:
        total += 2 * vocabulary * d_model
    return total


exercise.slip(
    "tied_matrix_counted_three_times",
    "matrices + n_layers * pair → (3 * vocabulary * d_model) + n_layers * pair",
).says("A tied matrix is counted three times: it is used in three places, but its numbers are learned once.")
exercise.slip("always_tied", "matrices + n_layers * pair → (vocabulary * d_model) + n_layers * pair").says(
    "One matrix is counted even without tying: source, target and output then have one each."
)
exercise.slip(
    "output_not_tied",
    "matrices + n_layers * pair → (2 if tied else 3) * vocabulary * d_model + n_layers * pair",
).says(
    "The output map is counted besides the tied embedding, but it is that same matrix: tied means one "
    "matrix for source, target and output."
)
exercise.slip(
    "output_map_forgotten",
    "matrices + n_layers * pair → (1 if tied else 2) * vocabulary * d_model + n_layers * pair",
).says(
    "Where nothing is tied the output map is missing: it has a vocabulary × d_model matrix of its own, "
    "besides the two embeddings."
)
exercise.slip(
    "output_map_with_bias",
    "matrices + n_layers * pair → (1 if tied else 3) * vocabulary * d_model + vocabulary + n_layers * pair",
).says("A bias is counted for the output map: here it is a matrix alone.")


@exercise.misconception
def untied_output_map_with_bias(vocabulary, d_model, n_heads, d_ff, n_layers, tied):
    """Where nothing is tied, a bias is counted for the output map: here it is a matrix alone."""
    encoder = encoder_layer_parameters(d_model, n_heads, d_ff)
    decoder = decoder_layer_parameters(d_model, n_heads, d_ff)
    tables = vocabulary * d_model if tied else 3 * vocabulary * d_model + vocabulary
    return tables + n_layers * (encoder + decoder)


exercise.slip(
    "decoder_of_encoder_layers",
    " + decoder_layer_parameters(d_model, n_heads, d_ff) →",
    "n_layers * pair → (n_layers * 2) * pair",
).says("The decoder is counted with encoder layers: its layers have a second attention and a third norm.")
exercise.slip(
    "layers_shared_out",
    "(1 if tied else 3) * vocabulary * d_model → encoder_layer_parameters(d_model, n_heads, d_ff)",
    "encoder_layer_parameters(d_model, n_heads, d_ff) + decoder_layer_parameters → decoder_layer_parameters",
    "matrices + n_layers * pair → (1 if tied else 3) * vocabulary * d_model + (n_layers * (matrices + "
    "pair) // 2)",
).says("The layers are divided between encoder and decoder: each of the two has n_layers.")
exercise.slip(
    "norms_after_the_stacks",
    "(1 if tied else 3) * vocabulary * d_model → encoder_layer_parameters(d_model, n_heads, d_ff)",
    "encoder_layer_parameters(d_model, n_heads, d_ff) + decoder_layer_parameters → decoder_layer_parameters",
    "matrices + n_layers * pair → (1 if tied else 3) * vocabulary * d_model + n_layers * (matrices + "
    "pair) + 4 * d_model",
).says(
    "A norm after the last layer of each stack is counted, as in torch's Transformer: this model has "
    "none there, since each layer ends with a norm."
)
exercise.slip("encoder_alone", " + decoder_layer_parameters(d_model, n_heads, d_ff) →").says(
    "The decoder's layers are missing: there are n_layers of them too."
)
exercise.slip(
    "encoder_layer_once",
    "(1 if tied else 3) * vocabulary * d_model → encoder_layer_parameters(d_model, n_heads, d_ff)",
    "encoder_layer_parameters(d_model, n_heads, d_ff) + decoder_layer_parameters → decoder_layer_parameters",
    "matrices + n_layers * pair → (1 if tied else 3) * vocabulary * d_model + matrices + n_layers * pair",
).says("Only the decoder's layers are multiplied by n_layers: put brackets round the sum of the two layers.")


@exercise.misconception
def layers_only_where_tied(vocabulary, d_model, n_heads, d_ff, n_layers, tied):
    """Where nothing is tied, the layers are missing: Python takes all that follows `else` for one value, so
    put the choice of the matrices into brackets.
    """
    encoder = encoder_layer_parameters(d_model, n_heads, d_ff)
    decoder = decoder_layer_parameters(d_model, n_heads, d_ff)
    layers = n_layers * (encoder + decoder)
    return 3 * vocabulary * d_model if not tied else vocabulary * d_model + layers


@exercise.misconception
def layers_only_where_untied(vocabulary, d_model, n_heads, d_ff, n_layers, tied):
    """Where the weights are tied, the layers are missing: Python takes all that follows `else` for one value,
    so put the choice of the matrices into brackets.
    """
    encoder = encoder_layer_parameters(d_model, n_heads, d_ff)
    decoder = decoder_layer_parameters(d_model, n_heads, d_ff)
    layers = n_layers * (encoder + decoder)
    return vocabulary * d_model if tied else 3 * vocabulary * d_model + layers

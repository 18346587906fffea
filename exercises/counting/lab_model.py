"""The lab model."""

from torch import Generator

from exercises.counting import shared
from headstart import Case, Entry
from helpers import counting

exercise = Entry(
    id="counting.lab_model",
    title="The lab model",
    points=2,
    difficulty=2,
    minutes=5,
    reference=counting.lab_model_parameters,
    returns=("parameters",),
    forbidden=shared.MODULES,
    needs=("counting.linear",),
)


@exercise.cases
def lab_cases(g: Generator) -> list[Case]:
    """The lab's classifier and language model, and another model."""
    d, h, f = shared.body(g)
    vocabulary, n_layers, n_out = shared.one(g, 500, 900), shared.one(g, 5, 9), shared.one(g, 10, 20)
    return [
        Case("a classifier of its own sizes", (vocabulary, d, h, f, n_layers, n_out)),
        Case("the lab's classifier", (100, 200, 2, 200, 4, 2)),
        Case("the lab's language model", (100, 200, 2, 200, 4, 100)),
    ]


@exercise.alternative
def lab_multiplied_out(vocabulary, d_model, n_heads, d_ff, n_layers, n_out):
    layer = 4 * d_model**2 + 2 * d_model * d_ff + d_ff + 9 * d_model
    return vocabulary * d_model + n_layers * layer + (d_model + 1) * n_out


@exercise.alternative
def lab_with_a_loop(vocabulary, d_model, n_heads, d_ff, n_layers, n_out):
    total = vocabulary * d_model
    for _ in range(n_layers):
        total += 4 * (d_model * d_model + d_model) + d_model * d_ff + d_ff + d_ff * d_model + d_model
        total += 4 * d_model
    return total + d_model * n_out + n_out


exercise.slip(
    "head_in_every_layer",
    "n_layers * encoder_layer_parameters(d_model, n_heads, d_ff) → encoder_layer_parameters(d_model, "
    "n_heads, d_ff)",
    "layers + linear_parameters(d_model, n_out) → (n_layers * (layers + linear_parameters(d_model, n_out)))",
).says("The head is counted once per layer: there is one head, after the last layer.")
exercise.slip(
    "heads_and_hidden_width_exchanged",
    "layers = n_layers * encoder_layer_parameters(d_model, n_heads, d_ff) → layer = "
    "encoder_layer_parameters(d_model, 1, n_heads)",
    "+ layers → + (n_layers * layer)",
).says(
    "n_heads and d_ff are swapped where the layer is counted: look at the order in which that function "
    "takes them."
)
exercise.slip(
    "lab_head_forgotten",
    "layers + linear_parameters(d_model, n_out) → (n_layers * encoder_layer_parameters(\n"
    "        d_model, n_heads, d_ff\n"
    "    ))",
).says("The head is missing: a linear map from d_model to n_out, with a bias.")
exercise.slip("lab_head_without_bias", "linear_parameters(d_model, n_out) → (d_model * n_out)").says(
    "The bias of the head is missing: the lab's head is a linear map with one."
)
exercise.slip(
    "lab_embedding_forgotten",
    "embedding_parameters(vocabulary, d_model) + layers → (n_layers * encoder_layer_parameters(d_model, "
    "n_heads, d_ff))",
).says("The embedding is missing: one vector for each token of the vocabulary.")
exercise.slip(
    "embedding_in_every_layer",
    "n_layers * encoder_layer_parameters(d_model, n_heads, d_ff) → encoder_layer_parameters(d_model, "
    "n_heads, d_ff)",
    "embedding_parameters(vocabulary, d_model) + layers → (n_layers * (embedding_parameters(vocabulary, "
    "d_model) + layers))",
).says("The embedding is counted once per layer: tokens are looked up once, before the first layer.")
exercise.slip(
    "one_layer_only",
    "n_layers * encoder_layer_parameters(d_model, n_heads, d_ff) → encoder_layer_parameters(d_model, "
    "n_heads, d_ff)",
).says("Only one layer is counted: there are n_layers of them, each with its own parameters.")
exercise.slip(
    "lab_with_last_norm",
    "embedding_parameters(vocabulary, d_model) + layers → (embedding_parameters(vocabulary, d_model)\n"
    "        + layers) + norm_parameters(d_model)",
).says(
    "A norm after the last layer is counted: many models have one, but the lab's goes from its last "
    "layer straight to the head."
)
exercise.slip(
    "lab_head_always_words", "linear_parameters(d_model, n_out) → linear_parameters(d_model, vocabulary)"
).says("The head is counted with the vocabulary as its outputs, as a language model's: it has n_out of them.")
exercise.slip(
    "everything_in_every_layer",
    "layers = n_layers * encoder_layer_parameters(d_model, n_heads, d_ff) → layer = "
    "encoder_layer_parameters(d_model, n_heads, d_ff)",
    "return embedding_parameters(vocabulary, d_model) + layers + linear_parameters(d_model, n_out) → return "
    "n_layers * (embedding_parameters(vocabulary, d_model) + layer + linear_parameters(d_model, n_out))",
).says(
    "Embedding and head are multiplied by the layers too: of the three, only the encoder layer is there "
    "n_layers times."
)
exercise.slip(
    "lab_hidden_width_as_the_width",
    "encoder_layer_parameters(d_model, n_heads, d_ff) → encoder_layer_parameters(d_model, n_heads, d_model)",
).says(
    "The hidden width is taken for the width: they are equal in the lab's model, but `d_ff` can be any "
    "number."
)

"""A decoder layer."""

from torch import Generator

from exercises.counting import shared
from headstart import Case, Entry
from helpers import counting

exercise = Entry(
    id="counting.decoder_layer",
    title="A decoder layer",
    points=2,
    difficulty=2,
    minutes=4,
    reference=counting.decoder_layer_parameters,
    returns=("parameters",),
    forbidden=shared.MODULES,
    needs=("counting.attention",),
)


@exercise.cases
def layer_cases(g: Generator) -> list[Case]:
    """Several heads, one head, and the sizes of the lab model."""
    d, h, f = shared.body(g)
    alone, _, hidden = shared.body(g)
    return [
        Case("several heads", (d, h, f)),
        Case("one head", (alone, 1, hidden)),
        Case("width 512, 8 heads, hidden width 2048", (512, 8, 2048)),
    ]


@exercise.alternative
def decoder_layer_multiplied_out(d_model, n_heads, d_ff):
    return 8 * d_model**2 + 15 * d_model + 2 * d_model * d_ff + d_ff


@exercise.alternative
def decoder_layer_step_by_step(d_model, n_heads, d_ff):
    total = 0
    for _ in ("self-attention", "attention over the encoder"):
        total += 4 * d_model * d_model + 4 * d_model + 2 * d_model
    total += d_model * d_ff + d_ff + d_ff * d_model + d_model
    return total + 2 * d_model


exercise.slip(
    "decoder_with_one_attention",
    "blocks + 3 * norm_parameters(d_model) → (attention_parameters(d_model, n_heads)\n"
    "        + feed_forward_parameters(d_model, d_ff)) + 3 * norm_parameters(d_model)",
).says(
    "Only one attention is counted: a decoder layer attends to itself and then, with matrices of its own, "
    "to the encoder."
)
exercise.slip("decoder_with_two_norms", "3 * norm_parameters(d_model) → 2 * norm_parameters(d_model)").says(
    "Two norms are counted: with a second attention there are three sublayers, and each has its norm."
)
exercise.slip(
    "decoder_like_encoder",
    "blocks + 3 * norm_parameters(d_model) → (attention_parameters(d_model, n_heads)\n"
    "        + feed_forward_parameters(d_model, d_ff)) + 2 * norm_parameters(d_model)",
).says(
    "This is an encoder layer: a decoder layer has a second attention, over the encoder, and one more norm."
)
exercise.slip(
    "cross_attention_without_keys_and_values",
    "blocks + 3 * norm_parameters(d_model) → (attention_parameters(d_model, n_heads)\n"
    "        + attention_parameters(d_model, n_heads) // 2\n"
    "        + feed_forward_parameters(d_model, d_ff)) + 3 * norm_parameters(d_model)",
).says(
    "The attention over the encoder is counted with two of its four maps: it has W_q and W_o, and those that "
    "turn the encoder's outputs into keys and values are the decoder layer's, too."
)
exercise.slip(
    "decoder_with_two_feed_forwards",
    "blocks + 3 * norm_parameters(d_model) → (2 * attention_parameters(d_model, n_heads)\n"
    "        + 2 * feed_forward_parameters(d_model, d_ff)) + 3 * norm_parameters(d_model)",
).says("Feed-forward is counted twice: a decoder layer has two attentions, but one feed-forward network.")
exercise.slip(
    "decoder_without_norms",
    "blocks + 3 * norm_parameters(d_model) → (2 * attention_parameters(d_model, n_heads)) + "
    "feed_forward_parameters(d_model, d_ff)",
).says("The three norms are missing, one for each sublayer.")
exercise.slip(
    "decoder_of_two_encoder_layers",
    "+ feed_forward_parameters(d_model, d_ff) → + 2 * feed_forward_parameters(d_model, d_ff)",
    "3 * norm_parameters(d_model) → 4 * norm_parameters(d_model)",
).says(
    "Two whole encoder layers are counted: a decoder layer has two attentions, but one feed-forward network, "
    "and three norms."
)

"""What people get wrong about whole models and configurations; see `misconceptions.py`."""

# ruff: noqa: D205  (a sentence may take two lines)

from helpers.counting import (
    decoder_layer_parameters,
    embedding_parameters,
    encoder_layer_parameters,
    linear_parameters,
    norm_parameters,
)

# -- the lab model -------------------------------------------------------------------------------------------


def head_in_every_layer(vocabulary, d_model, n_heads, d_ff, n_layers, n_out):
    """The head is multiplied by the layers: it stands once, after the last of them."""
    layer = encoder_layer_parameters(d_model, n_heads, d_ff)
    return embedding_parameters(vocabulary, d_model) + n_layers * (layer + linear_parameters(d_model, n_out))


def heads_and_hidden_width_exchanged(vocabulary, d_model, n_heads, d_ff, n_layers, n_out):
    """n_heads and d_ff are exchanged where the layer is counted: look at the order in which that function
    takes them.
    """
    layer = encoder_layer_parameters(d_model, 1, n_heads)  # attention's count is the same for any heads
    head = linear_parameters(d_model, n_out)
    return embedding_parameters(vocabulary, d_model) + n_layers * layer + head


def lab_head_forgotten(vocabulary, d_model, n_heads, d_ff, n_layers, n_out):
    """The head is missing: a linear map from d_model to n_out, with a bias."""
    return embedding_parameters(vocabulary, d_model) + n_layers * encoder_layer_parameters(
        d_model, n_heads, d_ff
    )


def lab_head_without_bias(vocabulary, d_model, n_heads, d_ff, n_layers, n_out):
    """The bias of the head is missing: the lab's head is a linear map with one."""
    layers = n_layers * encoder_layer_parameters(d_model, n_heads, d_ff)
    return embedding_parameters(vocabulary, d_model) + layers + d_model * n_out


def lab_embedding_forgotten(vocabulary, d_model, n_heads, d_ff, n_layers, n_out):
    """The embedding is missing: one vector for each token of the vocabulary."""
    return n_layers * encoder_layer_parameters(d_model, n_heads, d_ff) + linear_parameters(d_model, n_out)


def embedding_in_every_layer(vocabulary, d_model, n_heads, d_ff, n_layers, n_out):
    """The embedding is multiplied by the layers: tokens are looked up once, before the first of them."""
    layer = encoder_layer_parameters(d_model, n_heads, d_ff)
    return n_layers * (embedding_parameters(vocabulary, d_model) + layer) + linear_parameters(d_model, n_out)


def one_layer_only(vocabulary, d_model, n_heads, d_ff, n_layers, n_out):
    """Only one layer is counted: there are n_layers of them, each with its own parameters."""
    layer = encoder_layer_parameters(d_model, n_heads, d_ff)
    return embedding_parameters(vocabulary, d_model) + layer + linear_parameters(d_model, n_out)


def lab_with_last_norm(vocabulary, d_model, n_heads, d_ff, n_layers, n_out):
    """A norm after the last layer is counted: many models have one, the lab's goes from its last layer
    straight to the head.
    """
    layers = n_layers * encoder_layer_parameters(d_model, n_heads, d_ff)
    return (
        embedding_parameters(vocabulary, d_model)
        + layers
        + norm_parameters(d_model)
        + linear_parameters(d_model, n_out)
    )


def lab_head_always_words(vocabulary, d_model, n_heads, d_ff, n_layers, n_out):
    """The head is counted with the vocabulary as its outputs, as a language model's: it has n_out of them."""
    layers = n_layers * encoder_layer_parameters(d_model, n_heads, d_ff)
    return embedding_parameters(vocabulary, d_model) + layers + linear_parameters(d_model, vocabulary)


# -- the Transformer -----------------------------------------------------------------------------------------


def tied_matrix_counted_three_times(vocabulary, d_model, n_heads, d_ff, n_layers, tied):
    """A tied matrix is counted three times: it is used in three places, but its numbers are learned once."""
    encoder = encoder_layer_parameters(d_model, n_heads, d_ff)
    decoder = decoder_layer_parameters(d_model, n_heads, d_ff)
    return 3 * vocabulary * d_model + n_layers * (encoder + decoder)


def always_tied(vocabulary, d_model, n_heads, d_ff, n_layers, tied):
    """One matrix is counted even where they aren't tied: then source, target and output have one each."""
    encoder = encoder_layer_parameters(d_model, n_heads, d_ff)
    decoder = decoder_layer_parameters(d_model, n_heads, d_ff)
    return vocabulary * d_model + n_layers * (encoder + decoder)


def output_not_tied(vocabulary, d_model, n_heads, d_ff, n_layers, tied):
    """The output map is counted besides the tied embedding, but it is that same matrix: tied means one matrix
    for source, target and output.
    """
    encoder = encoder_layer_parameters(d_model, n_heads, d_ff)
    decoder = decoder_layer_parameters(d_model, n_heads, d_ff)
    return (2 if tied else 3) * vocabulary * d_model + n_layers * (encoder + decoder)


def output_map_forgotten(vocabulary, d_model, n_heads, d_ff, n_layers, tied):
    """Where nothing is tied the output map is missing: it has a vocabulary × d_model matrix of its own,
    besides the two embeddings.
    """
    encoder = encoder_layer_parameters(d_model, n_heads, d_ff)
    decoder = decoder_layer_parameters(d_model, n_heads, d_ff)
    return (1 if tied else 2) * vocabulary * d_model + n_layers * (encoder + decoder)


def output_map_with_bias(vocabulary, d_model, n_heads, d_ff, n_layers, tied):
    """A bias is counted for the output map: here it is a matrix alone."""
    encoder = encoder_layer_parameters(d_model, n_heads, d_ff)
    decoder = decoder_layer_parameters(d_model, n_heads, d_ff)
    return (1 if tied else 3) * vocabulary * d_model + vocabulary + n_layers * (encoder + decoder)


def untied_output_map_with_bias(vocabulary, d_model, n_heads, d_ff, n_layers, tied):
    """Where nothing is tied, a bias is counted for the output map: here it is a matrix alone."""
    encoder = encoder_layer_parameters(d_model, n_heads, d_ff)
    decoder = decoder_layer_parameters(d_model, n_heads, d_ff)
    tables = vocabulary * d_model if tied else 3 * vocabulary * d_model + vocabulary
    return tables + n_layers * (encoder + decoder)


def decoder_of_encoder_layers(vocabulary, d_model, n_heads, d_ff, n_layers, tied):
    """The decoder is counted with encoder layers: its layers have a second attention and a third norm."""
    encoder = encoder_layer_parameters(d_model, n_heads, d_ff)
    return (1 if tied else 3) * vocabulary * d_model + n_layers * 2 * encoder


def layers_shared_out(vocabulary, d_model, n_heads, d_ff, n_layers, tied):
    """The layers are shared out, half to the encoder, half to the decoder: each of the two has n_layers."""
    encoder = encoder_layer_parameters(d_model, n_heads, d_ff)
    decoder = decoder_layer_parameters(d_model, n_heads, d_ff)
    return (1 if tied else 3) * vocabulary * d_model + n_layers * (encoder + decoder) // 2


def norms_after_the_stacks(vocabulary, d_model, n_heads, d_ff, n_layers, tied):
    """A norm after the last layer of each stack is counted, as in torch's Transformer: this model has none
    there, since each layer ends with its own.
    """
    encoder = encoder_layer_parameters(d_model, n_heads, d_ff)
    decoder = decoder_layer_parameters(d_model, n_heads, d_ff)
    return (1 if tied else 3) * vocabulary * d_model + n_layers * (encoder + decoder) + 4 * d_model


def encoder_alone(vocabulary, d_model, n_heads, d_ff, n_layers, tied):
    """The decoder's layers are missing: there are n_layers of them too."""
    encoder = encoder_layer_parameters(d_model, n_heads, d_ff)
    return (1 if tied else 3) * vocabulary * d_model + n_layers * encoder


def encoder_layer_once(vocabulary, d_model, n_heads, d_ff, n_layers, tied):
    """Only the decoder's layers are multiplied by n_layers: put brackets round the sum of the two layers."""
    encoder = encoder_layer_parameters(d_model, n_heads, d_ff)
    decoder = decoder_layer_parameters(d_model, n_heads, d_ff)
    return (1 if tied else 3) * vocabulary * d_model + encoder + n_layers * decoder


# -- GPT-2 ---------------------------------------------------------------------------------------------------


def output_counted_again(vocabulary, d_model, n_heads, n_layers, positions):
    """The output map is counted besides the embedding: GPT-2 uses the embedding's matrix again, so it is
    counted once.
    """
    layers = n_layers * encoder_layer_parameters(d_model, n_heads, 4 * d_model)
    return (2 * vocabulary + positions) * d_model + layers + norm_parameters(d_model)


def gpt2_positions_forgotten(vocabulary, d_model, n_heads, n_layers, positions):
    """The positions are missing: GPT-2 learns a vector of d_model numbers for each."""
    layers = n_layers * encoder_layer_parameters(d_model, n_heads, 4 * d_model)
    return vocabulary * d_model + layers + norm_parameters(d_model)


def last_norm_forgotten(vocabulary, d_model, n_heads, n_layers, positions):
    """The norm after the last layer is missing: a scale and a shift of d_model numbers each."""
    layers = n_layers * encoder_layer_parameters(d_model, n_heads, 4 * d_model)
    return (vocabulary + positions) * d_model + layers


def gpt2_of_decoder_layers(vocabulary, d_model, n_heads, n_layers, positions):
    """These layers have a second attention, but GPT-2 has no encoder to attend to: its layer is an encoder
    layer with a causal mask, and a mask has no parameters.
    """
    layers = n_layers * decoder_layer_parameters(d_model, n_heads, 4 * d_model)
    return (vocabulary + positions) * d_model + layers + norm_parameters(d_model)


def hidden_width_as_the_width(vocabulary, d_model, n_heads, n_layers, positions):
    """The feed-forward blocks are counted with d_ff = d_model: GPT-2's are four times as wide."""
    layers = n_layers * encoder_layer_parameters(d_model, n_heads, d_model)
    return (vocabulary + positions) * d_model + layers + norm_parameters(d_model)


def last_norm_in_every_layer(vocabulary, d_model, n_heads, n_layers, positions):
    """The last norm is multiplied by the layers: each has its two, and one more stands after the last."""
    layer = encoder_layer_parameters(d_model, n_heads, 4 * d_model) + norm_parameters(d_model)
    return (vocabulary + positions) * d_model + n_layers * layer


# -- a configuration that exposes the second report ----------------------------------------------------------


def as_in_the_lab(d_model):
    """These are 2 heads, as in the lab, where the second count is right: 2 heads, 2 matrices, 2 norms."""
    return {"n_heads": 2, "d_ff": d_model}


def always_four_heads(d_model):
    """4 heads expose it where 4 divides the width, but not every width can be shared out among 4."""
    return {"n_heads": 4, "d_ff": d_model}


def always_three_heads(d_model):
    """3 heads expose it where 3 divides the width, but not every width can be shared out among 3."""
    return {"n_heads": 3, "d_ff": d_model}


def wider_feed_forward(d_model):
    """With another d_ff both counts are wrong, since both take it for the width: leave that as it is, and
    change the heads.
    """
    return {"n_heads": 2, "d_ff": 4 * d_model}


def heads_and_width_changed(d_model):
    """The heads are well chosen, but with another d_ff the first count is wrong too: change one thing at a
    time.
    """
    return {"n_heads": 1, "d_ff": 4 * d_model}


def more_heads_than_width(d_model):
    """There are more heads than features here, so a head would get less than one number."""
    return {"n_heads": 2 * d_model, "d_ff": d_model}


def half_the_width(d_model):
    """These heads divide widths that are even, but not every width: a prime number is divided by 1 and by
    itself alone.
    """
    return {"n_heads": d_model // 2, "d_ff": d_model}

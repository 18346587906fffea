"""What people get wrong when they count the parts of a layer: each a whole answer with one slip in it.

The docstring is the sentence that the student reads. Each stands alone, with torch, math and earlier answers
as its only names: the class simulator pastes their source.
"""

# ruff: noqa: D205  (a sentence may take two lines)

from helpers.counting import attention_parameters, feed_forward_parameters, norm_parameters

# -- a linear map --------------------------------------------------------------------------------------------


def bias_forgotten(n_in, n_out, bias=True):
    """The bias is missing: besides the weights there is one number to add to each of the n_out outputs."""
    return n_in * n_out


def bias_for_each_input(n_in, n_out, bias=True):
    """The bias is counted once for each input, but it is added to the outputs, so there are n_out of them."""
    return n_in * n_out + (n_in if bias else 0)


def one_bias_for_all(n_in, n_out, bias=True):
    """The bias is counted as a single number: each of the n_out outputs has its own."""
    return n_in * n_out + (1 if bias else 0)


def bias_always_counted(n_in, n_out, bias=True):
    """The bias is counted even where `bias` is False."""
    return n_in * n_out + n_out


def bias_for_each_weight(n_in, n_out, bias=True):
    """There is a bias for each weight here, but it is added to the finished sum, so each output has one."""
    return n_in * n_out * (2 if bias else 1)


def weights_added(n_in, n_out, bias=True):
    """Inputs and outputs are added, but every output has a weight for every input: they multiply."""
    return n_in + n_out + (n_out if bias else 0)


# -- embeddings ----------------------------------------------------------------------------------------------


def embedding_with_bias(vocabulary, d_model, positions=0):
    """A bias is counted, but an embedding only looks a row up: nothing is added to it."""
    return (vocabulary + positions) * d_model + d_model


def positions_forgotten(vocabulary, d_model, positions=0):
    """The learned positions are missing: each of them has a vector of d_model numbers too."""
    return vocabulary * d_model


def a_table_for_each_position(vocabulary, d_model, positions=0):
    """The tokens' vectors are counted again for each position, but all positions look up the same table:
    positions have vectors of their own, which are added.
    """
    return vocabulary * d_model * max(positions, 1)


def positions_of_one_number(vocabulary, d_model, positions=0):
    """Each position is counted as one number, but it is added to a token's vector: it has d_model numbers."""
    return vocabulary * d_model + positions


def vocabulary_squared(vocabulary, d_model, positions=0):
    """This is a matrix from the vocabulary to the vocabulary: a token's vector has d_model numbers, whatever
    the vocabulary.
    """
    return vocabulary * vocabulary + positions * d_model


# -- attention -----------------------------------------------------------------------------------------------


def multiplied_by_heads(d_model, n_heads, bias=True):
    """The matrices are counted once for each head, but the heads share them out: a head has only
    d_model / n_heads columns of each.
    """
    return n_heads * 4 * (d_model * d_model + (d_model if bias else 0))


def no_output_map(d_model, n_heads, bias=True):
    """W_o is missing: besides queries, keys and values there is the map that mixes the heads' outputs."""
    return 3 * (d_model * d_model + (d_model if bias else 0))


def attention_biases_forgotten(d_model, n_heads, bias=True):
    """The biases are missing: each of the four maps has d_model of them."""
    return 4 * d_model * d_model


def attention_biases_always(d_model, n_heads, bias=True):
    """The four biases are counted even where `bias` is False."""
    return 4 * (d_model * d_model + d_model)


def output_map_without_bias(d_model, n_heads, bias=True):
    """The bias of W_o is missing: with `bias` each of the four maps has one."""
    return 4 * d_model * d_model + (3 * d_model if bias else 0)


def only_one_head(d_model, n_heads, bias=True):
    """Queries, keys and values are counted for one head only: all heads together have d_model columns in
    each matrix.
    """
    d_head = d_model // n_heads
    return 3 * (d_model * d_head + (d_head if bias else 0)) + d_model * d_model + (d_model if bias else 0)


def output_map_for_each_head(d_model, n_heads, bias=True):
    """W_o is counted once for each head, but there is one: it takes all heads, side by side."""
    linear = d_model * d_model + (d_model if bias else 0)
    return 3 * linear + n_heads * linear


def one_matrix_for_all_three(d_model, n_heads, bias=True):
    """Queries, keys and values share one matrix here: each has its own, and W_o comes fourth."""
    return 2 * (d_model * d_model + (d_model if bias else 0))


def divided_by_heads(d_model, n_heads, bias=True):
    """The count is divided by the heads: each head is smaller, but there are more of them, which cancels."""
    return 4 * (d_model * d_model + (d_model if bias else 0)) // n_heads


# -- feed-forward --------------------------------------------------------------------------------------------


def one_matrix(d_model, d_ff):
    """Only the first map is counted: there is a second one, from d_ff back to d_model."""
    return d_model * d_ff + d_ff


def feed_forward_biases_forgotten(d_model, d_ff):
    """The biases are missing: d_ff of them after the first map, d_model after the second."""
    return 2 * d_model * d_ff


def feed_forward_of_one_width(d_model, d_ff):
    """Both maps are counted as d_model × d_model, which is right only where d_ff equals d_model."""
    return 2 * (d_model * d_model + d_model)


def two_wide_biases(d_model, d_ff):
    """Both biases are counted with d_ff numbers, but the second map ends at the width again, so its bias has
    d_model.
    """
    return 2 * (d_model * d_ff + d_ff)


def two_narrow_biases(d_model, d_ff):
    """Both biases are counted with d_model numbers, but the first map ends at the hidden width, so its bias
    has d_ff.
    """
    return 2 * (d_model * d_ff + d_model)


def a_map_between(d_model, d_ff):
    """A third map from d_ff to d_ff is counted: the feed-forward block has two, out and back."""
    return d_model * d_ff + d_ff + d_ff * d_ff + d_ff + d_ff * d_model + d_model


# -- the norm ------------------------------------------------------------------------------------------------


def only_the_scale(d_model):
    """Only one vector is counted: a norm has a scale and a shift for each feature."""
    return d_model


def one_scale_for_all(d_model):
    """The norm has a scale and a shift of its own for each of the d_model features, not one for all."""
    return 2


def a_linear_map(d_model):
    """This is a linear map: a norm mixes no features, it scales and shifts each by itself."""
    return d_model * d_model + d_model


def mean_and_deviation_too(d_model):
    """Mean and standard deviation are computed afresh for each token and not learned: only scale and shift
    are parameters.
    """
    return 4 * d_model


# -- an encoder layer ----------------------------------------------------------------------------------------


def encoder_with_one_norm(d_model, n_heads, d_ff):
    """Only one norm is counted: attention and feed-forward each have one."""
    return (
        attention_parameters(d_model, n_heads)
        + feed_forward_parameters(d_model, d_ff)
        + norm_parameters(d_model)
    )


def encoder_without_norms(d_model, n_heads, d_ff):
    """The two norms are missing, one for attention and one for feed-forward."""
    return attention_parameters(d_model, n_heads) + feed_forward_parameters(d_model, d_ff)


def encoder_attention_by_heads(d_model, n_heads, d_ff):
    """Attention is multiplied by the heads, but your count of Exercise 7.3 has all heads in it already."""
    return (
        n_heads * attention_parameters(d_model, n_heads)
        + feed_forward_parameters(d_model, d_ff)
        + 2 * norm_parameters(d_model)
    )


def encoder_with_two_feed_forwards(d_model, n_heads, d_ff):
    """Feed-forward is counted twice, but your count of Exercise 7.4 has both of its maps in it already."""
    return (
        attention_parameters(d_model, n_heads)
        + 2 * feed_forward_parameters(d_model, d_ff)
        + 2 * norm_parameters(d_model)
    )


def encoder_with_two_attentions(d_model, n_heads, d_ff):
    """Attention is counted twice: an encoder layer has self-attention alone, the second is the decoder's."""
    return (
        2 * attention_parameters(d_model, n_heads)
        + feed_forward_parameters(d_model, d_ff)
        + 2 * norm_parameters(d_model)
    )


def encoder_norm_for_each_head(d_model, n_heads, d_ff):
    """A norm is counted for each head, but a norm stands after a whole block: an encoder layer has two."""
    return (
        attention_parameters(d_model, n_heads)
        + feed_forward_parameters(d_model, d_ff)
        + n_heads * norm_parameters(d_model)
    )


# -- a decoder layer -----------------------------------------------------------------------------------------


def decoder_with_one_attention(d_model, n_heads, d_ff):
    """Only one attention is counted: a decoder layer attends to itself and then, with matrices of its own, to
    the encoder.
    """
    return (
        attention_parameters(d_model, n_heads)
        + feed_forward_parameters(d_model, d_ff)
        + 3 * norm_parameters(d_model)
    )


def decoder_with_two_norms(d_model, n_heads, d_ff):
    """Two norms are counted: with a second attention there are three blocks, and each has its norm."""
    return (
        2 * attention_parameters(d_model, n_heads)
        + feed_forward_parameters(d_model, d_ff)
        + 2 * norm_parameters(d_model)
    )


def decoder_like_encoder(d_model, n_heads, d_ff):
    """This is an encoder layer: a decoder layer has a second attention, over the encoder, and a norm more."""
    return (
        attention_parameters(d_model, n_heads)
        + feed_forward_parameters(d_model, d_ff)
        + 2 * norm_parameters(d_model)
    )


def cross_attention_without_keys_and_values(d_model, n_heads, d_ff):
    """The attention over the encoder is counted with W_q and W_o alone: its keys and values come from the
    encoder's outputs, but by matrices of the decoder layer.
    """
    return (
        attention_parameters(d_model, n_heads)
        + attention_parameters(d_model, n_heads) // 2
        + feed_forward_parameters(d_model, d_ff)
        + 3 * norm_parameters(d_model)
    )


def decoder_with_two_feed_forwards(d_model, n_heads, d_ff):
    """Feed-forward is counted twice: a decoder layer has two attentions, but one feed-forward block."""
    return (
        2 * attention_parameters(d_model, n_heads)
        + 2 * feed_forward_parameters(d_model, d_ff)
        + 3 * norm_parameters(d_model)
    )


def decoder_without_norms(d_model, n_heads, d_ff):
    """The three norms are missing, one for each block."""
    return 2 * attention_parameters(d_model, n_heads) + feed_forward_parameters(d_model, d_ff)

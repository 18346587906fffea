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


def condition_over_all(n_in, n_out, bias=True):
    """Without a bias this is 0: Python reads a + b if bias else 0 as (a + b) if bias else 0, so the bias
    needs brackets of its own.
    """
    return n_in * n_out + n_out if bias else 0


# -- attention -----------------------------------------------------------------------------------------------


def multiplied_by_heads(d_model, n_heads, bias=True):
    """The matrices are counted once for each head, but the heads split them: a head has only
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


def attention_condition_over_all(d_model, n_heads, bias=True):
    """Without biases this is 0: Python reads a + b if bias else 0 as (a + b) if bias else 0, so the biases
    need brackets of their own.
    """
    return 4 * d_model * d_model + 4 * d_model if bias else 0


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


def whole_width_for_each_head(d_model, n_heads, bias=True):
    """Each head is given queries, keys and values of the whole width, and W_o takes them all: the heads share
    the width, so each has d_model / n_heads columns.
    """
    linear = d_model * d_model + (d_model if bias else 0)
    return 3 * n_heads * linear + n_heads * d_model * d_model + (d_model if bias else 0)


def one_matrix_for_all_three(d_model, n_heads, bias=True):
    """Queries, keys and values share one matrix here: each has its own, and W_o comes fourth."""
    return 2 * (d_model * d_model + (d_model if bias else 0))


def divided_by_heads(d_model, n_heads, bias=True):
    """The count is divided by the heads: each head is smaller, but there are more of them, which cancels."""
    return 4 * (d_model * d_model + (d_model if bias else 0)) // n_heads


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

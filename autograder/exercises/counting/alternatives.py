"""Lesson 07's exercises solved in other ways than the reference, written as students would.

They stand alone like the misconceptions do. A check that fails one of them is wrong.
"""

# ruff: noqa: D103

from helpers.counting import linear_parameters

# -- parts ---------------------------------------------------------------------------------------------------


def linear_with_if(n_in, n_out, bias=True):
    weights = n_in * n_out
    if bias:
        return weights + n_out
    return weights


def linear_in_brackets(n_in, n_out, bias=True):
    return (n_in + int(bias)) * n_out


def four_squares(d_model, n_heads, bias=True):
    total = 4 * d_model**2
    if bias:
        total += 4 * d_model
    return total


def head_by_head(d_model, n_heads, bias=True):
    d_head = d_model // n_heads
    head = 3 * (d_model * d_head + (d_head if bias else 0))
    return n_heads * head + d_model * d_model + (d_model if bias else 0)


def attention_by_linear_maps(d_model, n_heads, bias=True):
    return sum(linear_parameters(d_model, d_model, bias) for _ in ("q", "k", "v", "o"))


# -- layers --------------------------------------------------------------------------------------------------


def decoder_layer_multiplied_out(d_model, n_heads, d_ff):
    return 8 * d_model**2 + 15 * d_model + 2 * d_model * d_ff + d_ff


def decoder_layer_step_by_step(d_model, n_heads, d_ff):
    total = 0
    for _ in ("self-attention", "attention over the encoder"):
        total += 4 * d_model * d_model + 4 * d_model + 2 * d_model
    total += d_model * d_ff + d_ff + d_ff * d_model + d_model
    return total + 2 * d_model


# -- models --------------------------------------------------------------------------------------------------


def lab_multiplied_out(vocabulary, d_model, n_heads, d_ff, n_layers, n_out):
    layer = 4 * d_model**2 + 2 * d_model * d_ff + d_ff + 9 * d_model
    return vocabulary * d_model + n_layers * layer + (d_model + 1) * n_out


def lab_with_a_loop(vocabulary, d_model, n_heads, d_ff, n_layers, n_out):
    total = vocabulary * d_model
    for _ in range(n_layers):
        total += 4 * (d_model * d_model + d_model) + d_model * d_ff + d_ff + d_ff * d_model + d_model
        total += 4 * d_model
    return total + d_model * n_out + n_out


def transformer_multiplied_out(vocabulary, d_model, n_heads, d_ff, n_layers, tied):
    pair = 12 * d_model**2 + 24 * d_model + 4 * d_model * d_ff + 2 * d_ff
    return vocabulary * d_model * (1 if tied else 3) + n_layers * pair


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


def gpt2_multiplied_out(vocabulary, d_model, n_heads, n_layers, positions):
    return (vocabulary + positions + 2) * d_model + n_layers * (12 * d_model**2 + 13 * d_model)


def gpt2_step_by_step(vocabulary, d_model, n_heads, n_layers, positions):
    d_ff = 4 * d_model
    layer = 4 * (d_model**2 + d_model) + 2 * d_model * d_ff + d_ff + d_model + 4 * d_model
    tokens_and_positions = vocabulary * d_model + positions * d_model
    return tokens_and_positions + n_layers * layer + 2 * d_model


# -- a configuration that exposes the second report ----------------------------------------------------------


def a_head_for_each_feature(d_model):
    return {"n_heads": d_model, "d_ff": d_model}


def largest_divisor_below(d_model):
    divisors = [h for h in range(1, d_model) if d_model % h == 0 and h != 2]
    return dict(n_heads=divisors[-1], d_ff=d_model)


# -- what training takes -------------------------------------------------------------------------------------


def state_with_ifs(n_parameters, optimizer):
    total = 4 * n_parameters + 4 * n_parameters
    if optimizer == "momentum":
        total += 4 * n_parameters
    elif optimizer == "adam":
        total += 8 * n_parameters
    return total


def state_by_position(n_parameters, optimizer):
    return n_parameters * (8 + 4 * ["sgd", "momentum", "adam"].index(optimizer))


def activations_part_by_part(batch, positions, d_model, n_heads, d_ff, n_layers):
    vector = batch * positions * d_model
    attention = vector + 3 * vector + vector
    norms = 2 * vector
    feed_forward = vector + 2 * batch * positions * d_ff
    return n_layers * (attention + batch * n_heads * positions * positions + norms + feed_forward)


def activations_for_each_token(batch, positions, d_model, n_heads, d_ff, n_layers):
    token = 8 * d_model + 2 * d_ff + n_heads * positions
    return batch * positions * token * n_layers


def three_forward_passes(n_weights, n_layers, positions, d_model):
    forward = 2 * n_weights + n_layers * (2 * positions * d_model + 2 * positions * d_model)
    backward = 2 * forward
    return forward + backward


def six_times(n_weights, n_layers, positions, d_model):
    return 6 * (n_weights + 2 * n_layers * positions * d_model)

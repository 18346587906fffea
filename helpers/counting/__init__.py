"""Counting: how many numbers a Transformer learns, and what it costs to teach them."""

from helpers.counting.reference import (
    activation_numbers,
    attention_parameters,
    bert_parameters,
    count,
    decoder_layer_parameters,
    embedding_parameters,
    encoder_layer_parameters,
    exposing_configuration,
    feed_forward_parameters,
    gpt2_parameters,
    lab_model_parameters,
    linear_parameters,
    norm_parameters,
    training_days,
    training_flops_per_token,
    training_state_bytes,
    transformer_parameters,
)

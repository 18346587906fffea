"""Since 2017: the parts that have come into the block, and what makes a trained model cheaper to run."""

from helpers.modern.reference import (
    Block,
    GatedFeedForward,
    GroupedAttention,
    accepted,
    adjusted,
    balance_loss,
    gates,
    in_groups,
    interleaved,
    latent_attention,
    linear_attention,
    mixture,
    quantized,
    rms_norm,
)

"""Masks: who may look where, who can, and what that makes possible."""

from helpers.masking.reference import (
    cached_step,
    causal_mask,
    convert,
    decoder_mask,
    masked_attention,
    masked_softmax,
    padding_mask,
    prefix_passes,
    reach,
    sees,
)

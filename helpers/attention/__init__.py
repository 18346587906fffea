"""Attention: average some values, each weighted by how well its key answers a query."""

from helpers.attention.reference import (
    additive_attention,
    cross_attention,
    permutation_gaps,
    saturation,
    scaled_dot_product_attention,
    softmax,
)

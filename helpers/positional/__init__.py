"""Positions: ways to tell attention where each vector stands."""

from helpers.positional.reference import (
    add_positions,
    linear_penalty,
    relative_bias,
    rotary,
    rotary_attention,
    shift_matrix,
    similarity_by_distance,
    sinusoidal,
)

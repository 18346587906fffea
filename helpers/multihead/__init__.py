"""Multi-head attention: several look-ups at once, each in channels of its own."""

from helpers.multihead.reference import (
    MultiHeadAttention,
    attend_by_heads,
    both_neighbours,
    check_mask,
    costs,
    head_importance,
    merge_heads,
    split_heads,
    switch_off,
    unpack_projections,
)

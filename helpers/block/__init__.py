"""The block, and a language model made of it: what lesson 06 asks for."""

from helpers.block.reference import (
    Block,
    DecoderOnly,
    FeedForward,
    LayerNorm,
    add_sublayer,
    dropout,
    embed,
    from_gpt2,
    gelu,
    initial_std,
    layer_norm,
    unembed,
)

__all__ = [
    "Block",
    "DecoderOnly",
    "FeedForward",
    "LayerNorm",
    "add_sublayer",
    "dropout",
    "embed",
    "from_gpt2",
    "gelu",
    "initial_std",
    "layer_norm",
    "unembed",
]

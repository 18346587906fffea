"""What a configuration shows about a count that takes the number of heads for a 2."""

import functools
from collections.abc import Callable, Mapping

import torch

from helpers.checking.calling.registry import register


@functools.lru_cache
def _parameters_of_torchs_layer(d_model: int, d_ff: int) -> int:
    # On the meta device nothing is allocated. The heads don't matter here, and needn't divide the width.
    layer = torch.nn.TransformerEncoderLayer(d_model, 1, d_ff, device="meta")
    return sum(parameter.numel() for parameter in layer.parameters())


def _count_against_torch(d_model: int) -> Callable:
    """What the count of an encoder layer says about a configuration, against torch's own layer.

    It takes the hidden width for the width, and multiplies by the heads what a layer has two of.
    """

    def judge(configuration: Mapping) -> dict[str, object]:
        if not isinstance(configuration, Mapping) or set(configuration) != {"n_heads", "d_ff"}:
            raise ValueError('give a dict with "n_heads" and "d_ff" and nothing else')
        n_heads, d_ff = configuration["n_heads"], configuration["d_ff"]
        if not all(type(size) is int and 0 < size <= 10**6 for size in (n_heads, d_ff)):
            raise ValueError("n_heads and d_ff are positive integers, at most a million")
        true = _parameters_of_torchs_layer(d_model, d_ff)
        attention, square = 4 * d_model * (d_model + 1), d_model * (d_model + 1)
        corrected, slipped = (attention + two * (square + 2 * d_model) for two in (2, n_heads))
        return {
            "the heads divide the width": d_model % n_heads == 0,
            "corrected, the count is right": corrected == true,
            "with the slip, it is right": slipped == true,
        }

    return judge


register({"a count with a slip against torch's layer": _count_against_torch})

"""What a configuration shows about two reports' formulas."""

import functools
from collections.abc import Callable, Mapping

import torch

from helpers.checking.calling.registry import register


@functools.lru_cache
def _parameters_of_torchs_layer(d_model: int, d_ff: int) -> int:
    # On the meta device nothing is allocated. The heads don't matter here, and needn't divide the width.
    layer = torch.nn.TransformerEncoderLayer(d_model, 1, d_ff, device="meta")
    return sum(parameter.numel() for parameter in layer.parameters())


def _reports_against_torch(d_model: int) -> Callable:
    """What two reports' formulas for an encoder layer say about a configuration, against torch's own layer.

    Both reports take the hidden width for the width; the second also takes the number of heads for a 2.
    """

    def judge(configuration: Mapping) -> dict[str, object]:
        if not isinstance(configuration, Mapping) or set(configuration) != {"n_heads", "d_ff"}:
            raise ValueError('give a dict with "n_heads" and "d_ff" and nothing else')
        n_heads, d_ff = configuration["n_heads"], configuration["d_ff"]
        if not all(type(size) is int and 0 < size <= 10**6 for size in (n_heads, d_ff)):
            raise ValueError("n_heads and d_ff are positive integers, at most a million")
        true = _parameters_of_torchs_layer(d_model, d_ff)
        attention, square = 4 * d_model * (d_model + 1), d_model * (d_model + 1)
        first = attention + 2 * square + 2 * (2 * d_model)
        second = attention + n_heads * square + n_heads * (2 * d_model)
        return {
            "the heads divide the width": d_model % n_heads == 0,
            "the first count is right": first == true,
            "the second count is right": second == true,
        }

    return judge


register(
    {
        "the two counts' layers against torch's": _reports_against_torch,
    }
)

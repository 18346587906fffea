"""Cheaper to run: fewer bits, scales for groups, a cache of latents, a state of fixed size.

What the student writes comes in as arguments.
"""

import copy
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from helpers.block import experiments as of_the_block

BITS = (8, 6, 5, 4, 3, 2)
GROUPS = (64, 32, 16, 8)  # weights that share a scale
SCALE_BYTES = 2  # a scale is kept in 16 bits
PAIRS, KEY_SIZE, TRIALS = (2, 4, 8, 16, 32, 64, 128), 16, 8  # of keys and values to recall
LATENT = 24  # numbers of a latent

# -- fewer bits ----------------------------------------------------------------------------------------------


def with_fewer_bits(weight: torch.Tensor, quantized: Callable, bits: int) -> torch.Tensor:
    """A matrix as `bits` of the student's eight would keep it: the whole numbers, on a coarser grid."""
    whole, scales = quantized(weight)
    most = 2 ** (bits - 1) - 1
    return (whole.float() * most / 127).round() * (127 / most) * scales


def losses_by_bits(model: nn.Module, quantized: Callable, bits: Sequence[int] = BITS) -> dict[int, float]:
    """The held-out loss, in nats per token, of a model whose maps are kept with so many bits a weight.

    32 stands for the model as it is.
    """
    found = {32: _loss_with(model, lambda weight: weight)}
    for count in bits:
        found[count] = _loss_with(model, functools.partial(with_fewer_bits, quantized=quantized, bits=count))
    return found


@torch.no_grad()
def _loss_with(model: nn.Module, kept: Callable) -> float:
    """The held-out loss of a model with each of its matrices as it is kept."""
    coarse = copy.deepcopy(model)
    for weight in coarse.parameters():
        if weight.dim() == 2:
            weight.copy_(kept(weight))
    return float(of_the_block.loss_of(coarse, *next(of_the_block.batches(1, 100, seed=3))))


class Kept(NamedTuple):
    """A way to keep a model's matrices: bytes for each weight, scales included, and the held-out loss."""

    bytes: float
    loss: float


def losses_in_groups(
    model: nn.Module, quantized: Callable, in_groups: Callable, sizes: Sequence[int] = GROUPS
) -> dict[str, Kept]:
    """Four bits with a scale for each group, beside more bits with a scale for each row.

    Args:
        model: a trained one.
        quantized: the student's: a scale for each row.
        in_groups: the student's, of a matrix and a size.
        sizes: of groups. A row that isn't a multiple is filled up with zeros.
    """
    matrices = [weight for weight in model.parameters() if weight.dim() == 2]
    rows, weights = sum(len(weight) for weight in matrices), sum(weight.numel() for weight in matrices)
    found = {}
    for bits in (8, 6, 5, 4):
        loss = _loss_with(model, functools.partial(with_fewer_bits, quantized=quantized, bits=bits))
        found[f"{bits} bits, a scale for each row"] = Kept(bits / 8 + SCALE_BYTES * rows / weights, loss)
    for size in sizes:
        groups = sum(len(weight) * math.ceil(weight.size(1) / size) for weight in matrices)
        loss = _loss_with(model, functools.partial(_from_groups, in_groups=in_groups, size=size))
        found[f"4 bits, a scale for each {size}"] = Kept(0.5 + SCALE_BYTES * groups / weights, loss)
    return found


def _from_groups(weight: torch.Tensor, in_groups: Callable, size: int) -> torch.Tensor:
    missing = -weight.size(1) % size
    whole, scales = in_groups(nn.functional.pad(weight, (0, missing)), size)
    return (whole * scales.repeat_interleave(size, dim=-1))[:, : weight.size(1)]


# -- a cache of latents --------------------------------------------------------------------------------------


class _Largest(TorchDispatchMode):
    """Notes the size of the largest tensor that is made inside; views don't count."""

    numbers = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = func(*args, **(kwargs or {}))
        given = {each.untyped_storage().data_ptr() for each in tree_leaves(args) if torch.is_tensor(each)}
        for each in tree_leaves(made):
            if torch.is_tensor(each) and each.untyped_storage().data_ptr() not in given:
                self.numbers = max(self.numbers, each.untyped_storage().nbytes() // each.element_size())
        return made


class Newest(NamedTuple):
    """How far two ways to read the newest position are apart, and the largest tensor that each makes."""

    apart: float
    with_keys: int
    yours: int


@torch.no_grad()
def newest(latent_attention: Callable, heads: int, positions: int = 128) -> Newest:
    """Read random latents with the student's function, and by making all keys and values."""
    generator = torch.Generator().manual_seed(0)
    q, latents, up_k, up_v = (
        torch.randn(*shape, generator=generator)
        for shape in ((heads, KEY_SIZE), (positions, LATENT), *2 * ((heads, KEY_SIZE, LATENT),))
    )
    up_k, up_v = up_k / math.sqrt(LATENT), up_v / math.sqrt(LATENT)
    with _Largest() as naive:
        keys, values = (latents @ up.mT for up in (up_k, up_v))  # (H, T, D)
        weights = (keys @ q[:, :, None] / math.sqrt(KEY_SIZE)).softmax(dim=1)
        theirs = (weights * values).sum(dim=1)
    with _Largest() as absorbed:
        yours = latent_attention(q, latents, up_k, up_v)
    return Newest(float((yours - theirs).abs().max()), naive.numbers, absorbed.numbers)


# -- what a state of fixed size can hold ---------------------------------------------------------------------


@torch.no_grad()
def recalled(linear_attention: Callable, pairs: Sequence[int] = PAIRS) -> dict[str, list[float]]:
    """Which share of so many values is found again by its key: by linear attention's state, and by a softmax.

    Keys are random directions of 16 channels, values random signs. Found is a value to which the output is
    closest. Mean over some trials.
    """
    generator = torch.Generator().manual_seed(0)
    found: dict[str, list[float]] = {"a state of fixed size": [], "a softmax over all keys": []}
    for count in pairs:
        keys = torch.randn(TRIALS, count, KEY_SIZE, generator=generator)
        keys = keys / keys.norm(dim=-1, keepdim=True)
        values = torch.randn(TRIALS, count, KEY_SIZE, generator=generator).sign()
        state = linear_attention(keys, keys, values, torch.zeros(TRIALS, KEY_SIZE, KEY_SIZE))[1]
        sharp = (math.sqrt(KEY_SIZE) * keys @ keys.mT).softmax(dim=-1)  # the most that 12.4's norms allow
        for name, read in zip(found, (keys @ state, sharp @ values), strict=True):
            closest = (read @ values.mT).argmax(dim=-1)
            found[name].append(float((closest == torch.arange(count)).double().mean()))
    return found


# -- drafts --------------------------------------------------------------------------------------------------


def tokens_per_call(share: float, drafted: int) -> float:
    """How many tokens one call of the large model brings on average, where each draft is kept by chance.

    Args:
        share: the probability that a drafted token is kept, from 0 to 1.
        drafted: K, how many are drafted.

    Returns:
        1 + share + share² + ... + share^K: those kept, and the one that the large model adds itself.

    Source: Leviathan, Kalman and Matias 2023, section 3.1.
    """
    return math.fsum(share**kept for kept in range(drafted + 1))

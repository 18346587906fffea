"""What several exercises of this topic share."""

import torch
from torch import Generator, Tensor

from helpers.models.blocks import PRE_NORM
from helpers.models.transformer import Encoder, EncoderConfig
from helpers.text.vocabulary import CLS, ORDINARY, PAD, SEP


def word_head(C: int, V: int) -> dict[str, tuple[int, ...]]:
    linear = {"transform.weight": (C, C), "transform.bias": (C,)}
    return linear | {"norm.weight": (C,), "norm.bias": (C,), "bias": (V,)}


def encoder(sizes: dict) -> dict[str, tuple[int, ...]]:
    names = ("vocabulary", "d_model", "n_heads", "d_ff", "n_layers", "positions")
    encoder = Encoder(EncoderConfig(**{name: sizes[name] for name in names}, segments=2, style=PRE_NORM))
    return {f"encoder.{name}": tuple(weight.shape) for name, weight in encoder.named_parameters()}


def parameters(g: Generator, shapes: dict, dtype: torch.dtype = torch.float32) -> dict[str, Tensor]:
    """Weights that hide nothing: biases aren't 0, norms aren't the identity."""
    return {name: 0.7 * normal(g, *shape, dtype=dtype) for name, shape in shapes.items()}


def between(g: Generator, least: int, most: int) -> int:
    return int(torch.randint(least, most + 1, (), generator=g))


def words(g: Generator, count: int, vocabulary: int) -> Tensor:
    return torch.randint(ORDINARY, vocabulary, (count,), generator=g)


def normal(g: Generator, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(*shape, generator=g, dtype=torch.float64).to(dtype)


def row(g: Generator, first: int, second: int | None, padding: int, vocabulary: int = 40) -> Tensor:
    """`[CLS]` words `[SEP]` words `[SEP]` `<pad>`, or with one passage alone."""
    row = [CLS, *words(g, first, vocabulary).tolist(), SEP]
    if second is not None:
        row += [*words(g, second, vocabulary).tolist(), SEP]
    return torch.tensor(row + [PAD] * padding)


def rows(g: Generator, lengths: list[tuple[int, int]], vocabulary: int = 40) -> Tensor:
    """Packed rows, the shorter ones filled up. The number of columns differs from that of rows."""
    longest = max(first + second for first, second in lengths)
    return torch.stack([row(g, a, b, longest - a - b, vocabulary) for a, b in lengths])


def passages(ids: Tensor) -> Tensor:
    """The segments of packed rows."""
    is_separator = (ids == SEP).long()
    return (is_separator.cumsum(dim=-1) - is_separator == 1).long()

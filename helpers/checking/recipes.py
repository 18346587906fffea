"""Layers and other functions of ours that a case can name: functions can't travel as data.

A case holds a *recipe*, `{"layer": a key of LAYERS, "weights": [tensors]}`, of which the
driver makes the function.
"""

import functools
from collections.abc import Callable, Mapping, Sequence

import torch

from helpers.bert import recipes as chances
from helpers.finetuning import recipes as bodies
from helpers.masking import recipes as leaks
from helpers.pretraining import recipes as trainees


def is_recipe(value: object) -> bool:
    """Whether a case's argument stands for a function of ours."""
    return isinstance(value, Mapping) and "layer" in value


def make_layer(recipe: Mapping) -> Callable:
    """The function that a recipe describes."""
    return LAYERS[recipe["layer"]](*recipe.get("weights", ()))


def _self_attention(w_q: torch.Tensor, w_k: torch.Tensor, w_v: torch.Tensor) -> Callable:
    def layer(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v)

    return layer


@functools.lru_cache
def _parameters_of_torchs_layer(d_model: int, d_ff: int) -> int:
    # On the meta device nothing is allocated. The heads don't matter here, and needn't divide the width.
    layer = torch.nn.TransformerEncoderLayer(d_model, 1, d_ff, device="meta")
    return sum(parameter.numel() for parameter in layer.parameters())


def _reports_against_torch(d_model: int) -> Callable:
    """What two reports' formulas for an encoder layer say of a configuration, against torch's own layer.

    Both reports take the hidden width for the width; the second also takes the number of heads for a 2.
    """

    def judge(configuration: Mapping) -> dict[str, object]:
        if not isinstance(configuration, Mapping) or set(configuration) != {"n_heads", "d_ff"}:
            raise ValueError('a dict with "n_heads" and "d_ff" is wanted, and with nothing else in it')
        n_heads, d_ff = configuration["n_heads"], configuration["d_ff"]
        if not all(type(size) is int and 0 < size <= 10**6 for size in (n_heads, d_ff)):
            raise ValueError("n_heads and d_ff are positive integers, of a million at most")
        true = _parameters_of_torchs_layer(d_model, d_ff)
        attention, square = 4 * d_model * (d_model + 1), d_model * (d_model + 1)
        first = attention + 2 * square + 2 * (2 * d_model)
        second = attention + n_heads * square + n_heads * (2 * d_model)
        return {
            "the heads divide the width": d_model % n_heads == 0,
            "the first report is right": first == true,
            "the second report is right": second == true,
        }

    return judge


def _round_table(numbers: torch.Tensor) -> Callable:
    """Two heads over four places in a circle, with matrices that somebody else sets. `numbers`: (B, 4)."""
    directions = torch.tensor([[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]])  # N, E, S, W as east, north
    number = numbers.unsqueeze(-1)
    x = torch.cat([directions.expand(*numbers.shape, 2), number, torch.zeros_like(number)], dim=-1)

    def use(matrices: Sequence[torch.Tensor]) -> torch.Tensor:
        names = ("W_q", "W_k", "W_v", "W_o")
        if not isinstance(matrices, tuple | list) or len(matrices) != len(names):
            raise ValueError(f"four tensors are wanted: {', '.join(names)}")
        for name, matrix in zip(names, matrices, strict=True):
            if matrix.shape != (4, 4):
                raise ValueError(f"{name} has the shape {tuple(matrix.shape)}; it is to be (4, 4)")
        W_q, W_k, W_v, W_o = (matrix.to(x.dtype) for matrix in matrices)
        q, k, v = ((x @ W).unflatten(-1, (2, 2)).transpose(-3, -2) for W in (W_q, W_k, W_v))
        mixed = torch.nn.functional.scaled_dot_product_attention(q, k, v)
        # To one decimal: a softmax comes near to 1 and 0, and how near is a matter of taste.
        return (mixed.transpose(-3, -2).flatten(-2) @ W_o).round(decimals=1)

    return use


def _loss_of_heads(parts: torch.Tensor, target: torch.Tensor) -> Callable:
    """A loss that depends on which heads are on. `parts`: what each adds, (H, N); `target`: (N,)."""

    def loss(keep: torch.Tensor) -> torch.Tensor:
        on = torch.as_tensor(keep, dtype=parts.dtype)
        return (on @ parts - target).square().mean()

    return loss


def _next_by_table(table: torch.Tensor) -> Callable:
    """A toy translator: log-probabilities by sentence, position and last token. `table`: (B, P, V·V).

    With B = 1, all rows of what it gets are beginnings of one sentence.
    """
    size = round(table.size(-1) ** 0.5)

    def step(tokens: torch.Tensor) -> torch.Tensor:
        count, written = tokens.shape
        rows = torch.arange(count) if len(table) > 1 else torch.zeros(count, dtype=torch.long)
        square = table[rows, min(written, table.size(1)) - 1].unflatten(-1, (size, size))
        return square[torch.arange(count), tokens[:, -1]]

    return step


def _small_language_model(words: torch.Tensor, bend: torch.Tensor, out: torch.Tensor) -> Callable:
    """Scores for the next token, (..., T) to (..., T, V), that depend on all tokens so far."""
    return lambda ids: (words[ids].cumsum(dim=-2) @ bend).tanh() @ out


LAYERS: dict[str, Callable[..., Callable]] = {
    "self-attention": _self_attention,
    "self-attention after adding positions": lambda *weights: (
        lambda x: _self_attention(*weights[:3])(x + weights[3])
    ),
    "a linear map of each position": lambda w: lambda x: x @ w,
    "the mean over positions": lambda w: (
        lambda x: (x @ w).mean(dim=-2, keepdim=True).expand(*x.shape[:-1], w.size(-1))
    ),
    "a running sum": lambda w: lambda x: (x @ w).cumsum(dim=-2),
    "the two reports' layers against torch's": _reports_against_torch,
    "two heads at a round table": _round_table,
    "the loss with some heads": _loss_of_heads,
    "a small language model": _small_language_model,
    **leaks.LAYERS,
    **chances.LAYERS,
    **bodies.LAYERS,
    **trainees.LAYERS,
    "what comes next, by a table": _next_by_table,
}

"""Cross-attention."""

import math

import torch
from torch import Generator, Tensor

from exercises.attention import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick, rows_sum_to_one
from helpers import attention
from helpers.attention import scaled_dot_product_attention

exercise = Entry(
    id="attention.cross",
    title="Cross-attention",
    points=3,
    difficulty=2,
    minutes=8,
    reference=attention.cross_attention,
    returns=("output", "weights"),
    properties=(inputs_unchanged, gradient_reaches_inputs, rows_sum_to_one),
    forbidden=shared.ATTENTION_OF_TORCH,
    needs=("attention.scaled_dot_product",),
)


@exercise.cases
def cross_cases(g: Generator) -> list[Case]:
    """Two sequences that differ in everything, and two that are alike."""
    sizes, masked = shared.sizes(g, 2, 3, 4, 5), shared.sizes(g, 2, 3, 4, 5, least=(1, 3))
    T, d = shared.sizes(g, 3, 4)
    batch = shared.sizes(g, 3, 4, 5, 6)
    alone = shared.sizes(g, 3, 4, 5)
    padding = torch.arange(batch[1]) < torch.tensor([[[batch[1] - 1]], [[2]]])
    return [
        Case("y and x of different lengths and widths", _cross(g, (), *sizes)),
        Case("a mask (T_y, T_x) that hides the highest scores", _hidden_scores(g, masked)),
        # Here what belongs to y can be taken from x, and such slips give numbers instead of an exception.
        Case("y and x of one shape", _cross(g, (), T, T, d, d)),
        Case("float64", _cross(g, (), *sizes, d_k=9, dtype=torch.float64)),
        Case("a batch, and a mask (B, 1, T_x) that hides padding", (*_cross(g, (2,), *batch), padding)),
        Case("one position of y, two batch axes", _cross(g, pick(g, (2, 1), (1, 2), (1, 1)), 1, *alone)),
    ]


def _hidden_scores(g: Generator, sizes: list[int]) -> tuple[Tensor, ...]:
    """One key is hidden, with scores near 43, those of the others are near -171: a fill of -100 shows."""
    y, x, W_q, W_k, W_v = _cross(g, (), *sizes, d_k=9, dtype=torch.float64)
    shown = shared.shuffled(g, torch.arange(len(x)) > 0)
    y[:, 0], x[:, 0] = -16, torch.where(shown, 32.0, -8.0)
    mask = shown.repeat(len(y), 1)
    mask[0, shown.nonzero()[0]] = False  # the queries' rows aren't all alike
    for projection in (W_q, W_k):  # the first feature as it is, and nothing else of it
        projection[0] = projection[:, 0] = 0
        projection[0, 0] = 1
    W_v[0] /= 32  # large values that keys have in common would leave float32 few digits for what differs
    return y, x, W_q, W_k, W_v, mask


def _cross(
    g: Generator, front: tuple, T_y: int, T_x: int, d_y: int, d_x: int, *, d_k: int = 0,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, ...]:  # fmt: skip
    d_k, d_v = d_k or pick(g, 7, 10, 12), pick(g, 8, 11, 13)
    inputs, weights = [(*front, T_y, d_y), (*front, T_x, d_x)], [(d_y, d_k), (d_x, d_k), (d_x, d_v)]
    return (*shared.normals(g, inputs, dtype), *shared.normals(g, weights, dtype, spread=0.6))


@exercise.alternative
def with_named_projections(y, x, W_q, W_k, W_v, mask=None):
    queries = torch.matmul(y, W_q)
    keys = torch.matmul(x, W_k)
    values = torch.matmul(x, W_v)
    output, weights = scaled_dot_product_attention(queries, keys, values, mask=mask)
    return output, weights


@exercise.alternative
def all_by_itself(y, x, W_q, W_k, W_v, mask=None):
    scores = torch.einsum("...qi,id,jd,...kj->...qk", y, W_q, W_k, x) / math.sqrt(W_k.size(1))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ x @ W_v, weights


@exercise.alternative
def with_linear(y, x, W_q, W_k, W_v, mask=None):
    project = torch.nn.functional.linear
    q, k, v = project(y, W_q.T), project(x, W_k.T), project(x, W_v.T)
    return scaled_dot_product_attention(q, k, v, mask)


@exercise.alternative
def with_softmax_in_float32(y, x, W_q, W_k, W_v, mask=None):
    q, k, v = y @ W_q, x @ W_k, x @ W_v
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(-1, dtype=torch.float32).to(q.dtype)
    return weights @ v, weights


exercise.slip(
    "x_asks_y",
    "scaled_dot_product_attention(q, k, v, mask) → scaled_dot_product_attention(x @ W_q, y @ W_k, y @ "
    "W_v, mask)",
    of=with_linear,
).says("The roles are swapped: y asks, so the queries come from y, and the keys and values come from x.")
exercise.slip("values_from_y", "x @ W_v → y @ W_v").says(
    "The values come from y, so x affects only the weights: the values come from x, like the keys."
)
exercise.slip("all_from_x", "y @ W_q → x @ W_q").says(
    "All three come from x, which is self-attention of x: the queries come from y."
)
exercise.slip("all_from_y", "x @ W_k → y @ W_k", "x @ W_v → y @ W_v").says(
    "All three come from y, which is self-attention of y: the keys and values come from x."
)
exercise.slip("values_not_projected", " @ W_v →").says(
    "The values are x itself: they too have a projection of their own, x @ W_v."
)
exercise.slip("values_by_key_weights", "x @ W_v → x @ W_k").says(
    "The keys are used as values too: the values have a projection of their own, W_v, so that what is "
    "compared and what is passed on can differ."
)
exercise.slip(
    "mask_forgotten",
    "scaled_dot_product_attention(y @ W_q, x @ W_k, x @ W_v, mask) → scaled_dot_product_attention(y @ "
    "W_q, x @ W_k, x @ W_v)",
).says(
    "The mask isn't passed on to scaled_dot_product_attention, so positions that must not be seen get weight."
)
exercise.slip("cross_filled_with_minus_hundred", 'float("-inf") → -100', of=all_by_itself).says(
    "Hidden scores become a number such as −100, or are lowered by 100 or so, and where the visible scores "
    "are lower still, hidden keys get weight: scaled_dot_product_attention always hides them."
)
exercise.slip(
    "mask_turned_round",
    "return scaled_dot_product_attention(y @ W_q, x @ W_k, x @ W_v, mask) → if mask is not None:\n"
    "        mask = ~mask\n"
    "    return scaled_dot_product_attention(y @ W_q, x @ W_k, x @ W_v, mask)",
).says("The mask is inverted on the way: pass it on as it is, True means “may attend” in both functions.")
exercise.slip(
    "scaled_again",
    "return scaled_dot_product_attention(y @ W_q, x @ W_k, x @ W_v, mask) → q = y @ W_q / "
    "math.sqrt(W_q.size(-1))\n"
    "    return scaled_dot_product_attention(q, x @ W_k, x @ W_v, mask)",
).says("The scores are divided by √d_k twice, since scaled_dot_product_attention does it already.")
exercise.slip(
    "cross_unscaled",
    'torch.einsum("...qi,id,jd,...kj->...qk", y, W_q, W_k, x) / math.sqrt(W_k.size(1)) → (y @ W_q) @ (x @ '
    "W_k).transpose(-2, -1)",
    "weights @ x @ W_v → weights @ (x @ W_v)",
    of=all_by_itself,
).says("The scores aren't divided by √d_k: that is for `scaled_dot_product_attention` to do.")

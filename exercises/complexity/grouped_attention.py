"""Heads that share keys and values."""

import math

import torch
from torch import Generator, Tensor

from exercises.complexity import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import complexity
from helpers.attention import scaled_dot_product_attention

exercise = Entry(
    id="complexity.grouped_attention",
    title="Heads that share keys and values",
    points=3,
    difficulty=3,
    minutes=10,
    reference=complexity.grouped_attention,
    properties=(inputs_unchanged, gradient_reaches_inputs),
    forbidden=(
        "torch.nn.functional.scaled_dot_product_attention",
        "torch.nn.functional.multi_head_attention_forward",
        "torch._native_multi_head_attention",
        "torch.nn.MultiheadAttention",
    ),
)


@exercise.cases
def grouped_cases(g: Generator) -> list[Case]:
    """Groups of two and of three, one group, a group for each head, batches; often with one query."""
    T_k, d_k, d_v = shared.sizes(g, 3, 5, 6)
    several = pick(g, (3, 1), (1, 7), (7, 1, 3))
    return [
        Case(
            "two heads of keys, one query",
            _grouped(g, (), *pick(g, (4, 2), (8, 2), (10, 2)), 1, T_k, d_k, d_v),
        ),
        Case("six heads, two of keys, in float64", _grouped(g, (), 6, 2, 1, 3, 4, 5, torch.float64)),
        Case("one head of keys", _grouped(g, (), pick(g, 4, 1, 6), 1, pick(g, 3, 5, 7), T_k, 2, d_v)),
        Case("a head of keys for each head", _grouped(g, (), *pick(g, (2, 2), (4, 4)), 3, T_k, 7, d_v)),
        Case("a batch of six heads, three of keys", _grouped(g, pick(g, (2,), (1,), (8,)), 6, 3, 1, 5, 4, 7)),
        Case("several batch axes", _grouped(g, several, 4, 2, 1, 5, 6, pick(g, 4, 8))),
    ]


def _grouped(
    g: Generator, front: tuple, heads: int, groups: int, T_q: int, T_k: int, d_k: int, d_v: int,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    q = 1.2 * torch.randn(*front, heads, T_q, d_k, generator=g, dtype=dtype)
    k = torch.randn(*front, groups, T_k, d_k, generator=g, dtype=dtype)
    return q, k, torch.randn(*front, groups, T_k, d_v, generator=g, dtype=dtype)


@exercise.alternative
def by_broadcasting(q, k, v):
    groups = k.size(-3)
    q = q.unflatten(-3, (groups, q.size(-3) // groups))
    scores = q @ k.unsqueeze(-3).transpose(-2, -1) / math.sqrt(q.size(-1))
    return (scores.softmax(dim=-1) @ v.unsqueeze(-3)).flatten(-4, -3)


@exercise.alternative
def one_head_after_another(q, k, v):
    shared = q.shape[-3] // k.shape[-3]
    outputs = []
    for head in range(q.shape[-3]):
        keys, values = k[..., head // shared, :, :], v[..., head // shared, :, :]
        weights = torch.softmax(q[..., head, :, :] @ keys.mT / q.shape[-1] ** 0.5, dim=-1)
        outputs.append(weights @ values)
    return torch.stack(outputs, dim=-3)


@exercise.alternative
def with_a_list_of_heads(q, k, v):
    shared = q.shape[-3] // k.shape[-3]
    used = [head // shared for head in range(q.shape[-3])]
    scores = torch.einsum("...hqd,...hkd->...hqk", q, k[..., used, :, :]) / math.sqrt(q.shape[-1])
    return torch.einsum("...hqk,...hkd->...hqd", scores.softmax(-1), v[..., used, :, :])


exercise.slip(
    "heads_dealt_in_turn",
    "k.repeat_interleave(shared, dim=-3), v.repeat_interleave(shared, dim=-3) → torch.cat([k] * shared, "
    "dim=-3), torch.cat([v] * shared, dim=-3)",
).says(
    "The heads of keys are dealt out in turn, 0 1 0 1, as .repeat does: here neighbours share one, 0 0 1 "
    "1, as in torch.repeat_interleave."
)
exercise.slip(
    "repeated_in_turn",
    "k.repeat_interleave(shared, dim=-3), v.repeat_interleave(shared, dim=-3) → k.repeat(shared, 1, 1), "
    "v.repeat(shared, 1, 1)",
).says(
    "`.repeat` puts whole copies side by side, 0 1 0 1: here neighbours share a head, 0 0 1 1, as "
    "`repeat_interleave` gives, and its dim=-3 finds the heads behind any batch."
)
exercise.slip(
    "repeated_in_turn_in_a_batch",
    "k.repeat_interleave(shared, dim=-3), v.repeat_interleave(shared, dim=-3) → k.repeat(1, shared, 1, 1), "
    "v.repeat(1, shared, 1, 1)",
).says(
    "`.repeat` puts whole copies side by side, 0 1 0 1, and these four numbers need exactly one batch axis: "
    "`repeat_interleave` with dim=-3 gives 0 0 1 1, whatever axes are in front."
)
exercise.slip(
    "first_head_for_all",
    "k.repeat_interleave(shared, dim=-3), v.repeat_interleave(shared, dim=-3) → k[..., :1, :, :], v[..., "
    ":1, :, :]",
).says(
    "Every query head uses the first head of keys and values, whatever its group: that is right only when "
    "there is a single one."
)
exercise.slip(
    "heads_averaged",
    "k.repeat_interleave(shared, dim=-3), v.repeat_interleave(shared, dim=-3) → k.mean(dim=-3, "
    "keepdim=True), v.mean(dim=-3, keepdim=True)",
).says(
    "The heads of keys and values are averaged into one: each group of query heads keeps a head of its own."
)
exercise.slip(
    "queries_averaged",
    "k, v = k.repeat_interleave(shared, dim=-3), v.repeat_interleave(shared, dim=-3) → q = "
    "q.unflatten(-3, (k.size(-3), shared)).mean(dim=-3)",
    "(q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(dim=-1) → (q @ k.transpose(-2, -1) / "
    "math.sqrt(q.size(-1))).softmax(dim=-1) @ v",
    "weights @ v → weights.repeat_interleave(shared, dim=-3)",
).says(
    "The queries of a group are averaged, so all its heads give the same output: they share keys and "
    "values, but each has queries of its own."
)
exercise.slip(
    "values_dealt_in_turn", "v.repeat_interleave(shared, dim=-3) → torch.cat([v] * shared, dim=-3)"
).says(
    "Keys are shared by neighbours but values are dealt out in turn: what a head finds by a key must be "
    "the value that belongs to it."
)
exercise.slip("grouped_unscaled", "weights @ v → (q @ k.transpose(-2, -1)).softmax(dim=-1) @ v").says(
    "The scores aren't divided by √d_k: sharing keys doesn't change their size."
)
exercise.slip(
    "first_axis_repeated", "v.repeat_interleave(shared, dim=-3) → v.repeat_interleave(shared, dim=0)"
).says(
    "The first axis is repeated, which is that of the heads only where there is no batch: count from the "
    "end, where the heads are always the third axis."
)
exercise.slip(
    "second_axis_repeated",
    "k.repeat_interleave(shared, dim=-3) → k.repeat_interleave(shared, dim=1)",
    "v.repeat_interleave(shared, dim=-3) → v.repeat_interleave(shared, dim=1)",
).says(
    "The second axis is repeated, which is that of the heads only where there is one batch axis before "
    "it: count from the end, where the heads are always the third axis."
)
exercise.slip(
    "heads_not_repeated",
    "k.repeat_interleave(shared, dim=-3) → k.repeat_interleave(shared, dim=-2)",
    "v.repeat_interleave(shared, dim=-3) → v.repeat_interleave(shared, dim=-2)",
).says(
    "k and v don't both have each of their heads H/G times: the heads are the third axis from the end, and "
    "q has more of them."
)


@exercise.misconception
def repeated_by_their_own_number(q, k, v):
    """Each head of keys appears G times, as many as there are of them: it serves one group, which has H/G
    query heads.
    """
    k, v = (t.repeat_interleave(k.size(-3), dim=-3) for t in (k, v))
    return scaled_dot_product_attention(q, k, v)[0]


@exercise.misconception
def members_meet_heads(q, k, v):
    """The first member of each group uses the first head of keys, the second member the second: a whole group
    shares one, so the axis of size 1 is on the wrong side of the heads of keys.
    """
    grouped = q.unflatten(-3, (k.size(-3), -1))
    found = scaled_dot_product_attention(grouped, k.unsqueeze(-4), v.unsqueeze(-4))[0]
    return found.flatten(-4, -3)

"""Attention in blocks."""

import math

import torch
from torch import Generator, Tensor

from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick, stays_small
from helpers import complexity
from helpers.complexity import absorb

exercise = Entry(
    id="complexity.blockwise_attention",
    title="Attention in blocks",
    points=4,
    difficulty=3,
    minutes=10,
    driver="call_measured",
    reference=complexity.blockwise_attention,
    properties=(inputs_unchanged, gradient_reaches_inputs, stays_small),
    forbidden=(
        "torch.nn.functional.scaled_dot_product_attention",
        "torch.nn.functional.multi_head_attention_forward",
        "torch._native_multi_head_attention",
        "torch.nn.MultiheadAttention",
    ),
    needs=("complexity.absorb",),
)


@exercise.cases
def block_cases(g: Generator) -> list[Case]:
    """Blocks that fit and blocks that don't, one at a time and all at once, large scores, a batch."""
    q, k, v = _qkv(g, 3, 5, 16, 2)
    low = (8 * q).round() / 8, (8 * k).round() / 8, v  # float32 has these scores exactly
    low[0][:, 0], low[1][:, 0] = -64, 96  # every one is about -1500
    rising = _qkv(g, 3, 7, 4, 5)
    # Each block's scores are larger than those before: the last ones are near 10³.
    ramp = torch.linspace(1, 300, 7).unsqueeze(-1) * torch.ones(7, 4)
    steep = (1 + rising[0].abs(), ramp + rising[1], rising[2])
    short = pick(g, (7, 4, 5), (5, 2, 4), (11, 5, 2))
    several = pick(g, (3, 1), (1, 3), (1, 6), (3, 1, 6))
    return [
        Case("two blocks of three keys", (*_qkv(g, *pick(g, (2, 6, 4, 5), (3, 6, 2, 7), (5, 6, 3, 4))), 3)),
        Case("a last block that is shorter, in float64", (*_qkv(g, 3, *short, dtype=torch.float64), 3)),
        Case("one key at a time, all scores far below 0", (*low, 1)),
        Case(
            "one block for all keys, a batch",
            (*_qkv(g, *pick(g, (3, 4, 5, 6), (1, 5, 4, 3)), front=pick(g, (2,), (1,), (7,))), 10),
        ),
        Case("scores that rise to 10³ and more", (*steep, 2)),
        Case("several batch axes, one of length 1", (*_qkv(g, 2, 5, 4, 7, front=several), 2)),
        Case("many positions, small blocks", (*_qkv(g, 19, pick(g, 23, 26, 21), 2, 3), 4)),
    ]


def _qkv(
    g: Generator, T_q: int, T_k: int, d_k: int, d_v: int, *, front: tuple = (),
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    shapes = ((T_q, d_k), (T_k, d_k), (T_k, d_v))
    q, k, v = (1.2 * torch.randn(*front, *shape, generator=g, dtype=dtype) for shape in shapes)
    return q, k, v


@exercise.alternative
def starting_with_the_first_block(q, k, v, block):
    pieces = list(zip(k.split(block, dim=-2), v.split(block, dim=-2), strict=True))
    scale = q.shape[-1] ** -0.5
    scores = q @ pieces[0][0].mT * scale
    largest = scores.amax(-1)
    powers = torch.exp(scores - largest[..., None])
    total, mixture = powers.sum(-1), powers @ pieces[0][1]
    for keys, values in pieces[1:]:
        largest, total, mixture = absorb(largest, total, mixture, q @ keys.mT * scale, values)
    return mixture / total[..., None]


@exercise.alternative
def all_by_itself(q, k, v, block):
    k = k / math.sqrt(k.size(-1))
    maximum = torch.full((*q.shape[:-1], 1), float("-inf"), dtype=q.dtype)
    denominator, numerator = torch.zeros_like(maximum), 0
    start = 0
    while start < k.size(-2):
        end = min(start + block, k.size(-2))
        scores = torch.matmul(q, k[..., start:end, :].transpose(-1, -2))
        new_maximum = torch.maximum(maximum, scores.max(dim=-1, keepdim=True)[0])
        correction = torch.exp(maximum - new_maximum)
        weights = torch.exp(scores - new_maximum)
        denominator = denominator * correction + weights.sum(dim=-1, keepdim=True)
        numerator = numerator * correction + torch.matmul(weights, v[..., start:end, :])
        maximum, start = new_maximum, end
    return numerator / denominator


@exercise.alternative
def with_logarithms_of_sums(q, k, v, block):
    output, log_total = 0, torch.full(q.shape[:-1], -math.inf, dtype=q.dtype)
    for keys, values in zip(k.split(block, -2), v.split(block, -2), strict=True):
        scores = q @ keys.transpose(-2, -1) / math.sqrt(q.size(-1))
        block_total = scores.logsumexp(dim=-1)
        both = torch.logaddexp(log_total, block_total)
        old, new = (log_total - both).exp(), (block_total - both).exp()
        output = old.unsqueeze(-1) * output + new.unsqueeze(-1) * (scores.softmax(-1) @ values)
        log_total = both
    return output


@exercise.alternative
def blocks_of_queries(q, k, v, block):
    scale = math.sqrt(q.size(-1))
    parts = [(part @ k.transpose(-2, -1) / scale).softmax(dim=-1) @ v for part in q.split(block, dim=-2)]
    return torch.cat(parts, dim=-2)


@exercise.alternative
def one_query_after_another(q, k, v, block):
    outputs = []
    for position in range(q.size(-2)):
        scores = (k * q[..., position, None, :]).sum(-1) / math.sqrt(q.size(-1))
        outputs.append((scores.softmax(-1).unsqueeze(-1) * v).sum(-2))
    return torch.stack(outputs, dim=-2)


exercise.slip(
    "all_scores_at_once",
    "mixture / total.unsqueeze(-1) → torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)), "
    "dim=-1) @ v",
).says(
    "The values are right, but all T_q × T_k scores are made at once, and saving that memory is the "
    "point of blocks: make the scores of one block of keys at a time."
)


@exercise.misconception
def blocks_added(q, k, v, block):
    """Each block has a softmax of its own, and their outputs are added: a weight depends on the scores of
    all keys, so divide once, by the total over all blocks.
    """
    output = 0
    for start in range(0, k.size(-2), block):
        scores = q @ k[..., start : start + block, :].transpose(-2, -1) / math.sqrt(q.size(-1))
        output = output + scores.softmax(dim=-1) @ v[..., start : start + block, :]
    return output


@exercise.misconception
def blocks_averaged(q, k, v, block):
    """Each block has a softmax of its own, and their outputs are averaged: that gives every block the same
    weight, whether its keys fit the query or not.
    """
    outputs = []
    for start in range(0, k.size(-2), block):
        scores = q @ k[..., start : start + block, :].transpose(-2, -1) / math.sqrt(q.size(-1))
        outputs.append(scores.softmax(dim=-1) @ v[..., start : start + block, :])
    return sum(outputs) / len(outputs)


exercise.slip("short_block_dropped", "k.size(-2) → max(1, k.size(-2) // block) * block").says(
    "The last keys are left out when they don't fill a block: go on to the end, where a slice is simply "
    "shorter."
)
exercise.slip("never_divided", " / total.unsqueeze(-1) →").says(
    "The mixture is never divided by the total: these are sums of exponentials times values, not yet "
    "averages."
)
exercise.slip(
    "blocks_unscaled",
    "absorb(largest, total, mixture, scores, values) → absorb(largest, total, mixture, q @ "
    "keys.transpose(-2, -1), values)",
).says("The scores aren't divided by √d_k: in blocks or at once, the same scores go into the softmax.")
exercise.slip("scaled_by_the_block", "q.size(-1) → block").says(
    "The scores are divided by the root of the block's size: a dot product sums over the d_k features "
    "of a key, so √d_k belongs here."
)
exercise.slip("started_at_zero", "q.new_full(q.shape[:-1], -math.inf) → torch.zeros_like(q[..., 0])").says(
    "The largest score starts at 0, or at some other number, and stays there when all scores are far "
    "below it, whose exponentials are then 0: start it at −∞, which any score exceeds."
)
exercise.slip(
    "no_running_maximum",
    "scores = q @ keys.transpose(-2, -1) / math.sqrt(q.size(-1)) → powers = torch.exp(q @ k[..., start : "
    "start + block, :].transpose(-2, -1) / math.sqrt(q.size(-1)))",
    "largest, total, mixture = absorb(largest, total, mixture, scores, values) → total = total + "
    "powers.sum(-1)\n"
    "        mixture = mixture + powers @ v[..., start : start + block, :]",
).says(
    "The scores are exponentiated as they are, with no maximum subtracted, and overflow where scores are "
    "large: your absorb keeps them within bounds."
)
exercise.slip(
    "rescaling_forgotten",
    "largest, total, mixture = absorb(largest, total, mixture, scores, values) → powers = (scores - "
    "scores.amax(dim=-1, keepdim=True)).exp()\n"
    "        total = total + powers.sum(dim=-1)\n"
    "        mixture = mixture + powers @ v[..., start : start + block, :]",
).says(
    "Each block subtracts its own maximum, and the sums of different blocks are added as they are: terms "
    "with different maxima must be brought to the same one first."
)
exercise.slip(
    "result_thrown_away",
    "keys, values = k[..., start : start + block, :], v[..., start : start + block, :] → piece = "
    "slice(start, start + block)",
    "keys.transpose(-2, -1) → k[..., piece, :].transpose(-2, -1)",
    "largest, total, mixture = absorb(largest, total, mixture, scores, values) → absorb(largest, total, "
    "mixture, scores, v[..., piece, :])",
).says(
    "Every number is NaN, which is 0/0: `absorb` returns three new tensors and leaves its arguments as "
    "they were, so keep what it returns for the next block."
)


@exercise.misconception
def last_block_left_out(q, k, v, block):
    """The last block is left out: the blocks begin at 0, block, 2 · block and so on, for as long as there are
    keys.
    """
    largest, total = q.new_full(q.shape[:-1], -math.inf), q.new_zeros(q.shape[:-1])
    mixture = q.new_zeros(*q.shape[:-1], v.size(-1))
    for start in range(0, k.size(-2) - block, block):
        piece = slice(start, start + block)
        scores = q @ k[..., piece, :].transpose(-2, -1) / math.sqrt(q.size(-1))
        largest, total, mixture = absorb(largest, total, mixture, scores, v[..., piece, :])
    return mixture / total.unsqueeze(-1)


@exercise.misconception
def divided_in_the_loop(q, k, v, block):
    """The mixture is divided by the total after each block, but then used as if it were still a sum: divide
    once, after the last block.
    """
    largest, total = q.new_full(q.shape[:-1], -math.inf), q.new_zeros(q.shape[:-1])
    mixture = q.new_zeros(*q.shape[:-1], v.size(-1))
    for start in range(0, k.size(-2), block):
        piece = slice(start, start + block)
        scores = q @ k[..., piece, :].transpose(-2, -1) / math.sqrt(q.size(-1))
        largest, total, mixture = absorb(largest, total, mixture, scores, v[..., piece, :])
        mixture = mixture / total.unsqueeze(-1)
    return mixture


exercise.slip(
    "first_block_alone",
    "q @ pieces[0][0].mT * scale → q @ k[..., :block, :].transpose(-2, -1) / math.sqrt(q.size(-1))",
    "mixture / total[..., None] → scores.softmax(dim=-1) @ v[..., :block, :]",
    of=starting_with_the_first_block,
).says("Only the first block is read, as when a `return` inside the loop ends it.")


@exercise.misconception
def blocks_scaled_again(q, k, v, block):
    """The scores are divided by d_k, or by √d_k twice: divide by √d_k once, either the queries or the
    scores.
    """
    largest, total = q.new_full(q.shape[:-1], -math.inf), q.new_zeros(q.shape[:-1])
    mixture = q.new_zeros(*q.shape[:-1], v.size(-1))
    for start in range(0, k.size(-2), block):
        piece = slice(start, start + block)
        scores = q @ k[..., piece, :].transpose(-2, -1) / q.size(-1)
        largest, total, mixture = absorb(largest, total, mixture, scores, v[..., piece, :])
    return mixture / total.unsqueeze(-1)

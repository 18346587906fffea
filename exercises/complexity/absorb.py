"""One block into a running softmax."""

import math

import torch
from torch import Generator, Tensor

from exercises.complexity import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import complexity

exercise = Entry(
    id="complexity.absorb",
    title="One block into a running softmax",
    points=3,
    difficulty=4,
    minutes=14,
    reference=complexity.absorb,
    returns=("largest", "total", "mixture"),
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.cases
def absorbing_cases(g: Generator) -> list[Case]:
    """The first block, blocks with larger and with smaller scores than before, large scores, batches."""
    batch = pick(g, (2,), (6, 1), (2, 1), (7, 1))
    return [
        Case("the first block of all", _running(g, (), first=True)),
        Case("a block with larger scores than before", _running(g, (), above=3)),
        Case("a block with smaller scores than before", _running(g, (), above=-3)),
        Case("one query, one key, scores near 10³", _running(g, (), T_q=1, b=1, level=1e3, above=0.5)),
        Case("a batch, in float64", _running(g, batch, above=0.3, dtype=torch.float64)),
        Case(
            "the first block of a batch", _running(g, pick(g, (2, 1), (6, 2), (2, 1, 7), (1, 7)), first=True)
        ),
    ]


def _running(
    g: Generator, front: tuple, *, first: bool = False, level: float = 0, above: float = 0, T_q: int = 0,
    b: int = 0, dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, ...]:  # fmt: skip
    """A running softmax after some keys, and the block that comes next, its scores `above` those before."""
    drawn = shared.sizes(g, *pick(g, (3, 4, 5), (3, 4, 8), (3, 5, 8), (4, 5, 8)))
    T_q, b, d_v = T_q or drawn[0], b or drawn[1], drawn[2]
    keys = 9
    earlier = level + torch.randn(*front, T_q, keys, generator=g, dtype=dtype)
    values = torch.randn(*front, keys, d_v, generator=g, dtype=dtype)
    block = level + above + torch.randn(*front, T_q, b, generator=g, dtype=dtype)
    block_values = torch.randn(*front, b, d_v, generator=g, dtype=dtype)
    largest = earlier.amax(dim=-1)
    powers = (earlier - largest.unsqueeze(-1)).exp()
    total, mixture = powers.sum(dim=-1), powers @ values
    if first:
        largest, total, mixture = torch.full_like(largest, -math.inf), 0 * total, torch.zeros_like(mixture)
    return largest, total, mixture, block, block_values


@exercise.alternative
def side_by_side(largest, total, mixture, scores, values):
    new = torch.cat([largest[..., None], scores], dim=-1).amax(dim=-1)
    old = torch.exp(largest - new)
    weights = torch.exp(scores - new[..., None])
    return new, old * total + weights.sum(-1), old[..., None] * mixture + torch.matmul(weights, values)


@exercise.alternative
def as_two_partial_sums(largest, total, mixture, scores, values):
    block_largest = scores.max(dim=-1, keepdim=True).values
    powers = torch.exp(scores - block_largest)
    block_total, block_mixture = powers.sum(dim=-1, keepdim=True), powers @ values
    new = torch.maximum(largest.unsqueeze(-1), block_largest)
    before, now = torch.exp(largest.unsqueeze(-1) - new), torch.exp(block_largest - new)
    total = total.unsqueeze(-1) * before + block_total * now
    return new.squeeze(-1), total.squeeze(-1), mixture * before + block_mixture * now


exercise.slip(
    "nothing_rescaled",
    "    total = shrink * total + exponentials.sum(dim=-1)\n"
    "    mixture = shrink.unsqueeze(-1) * mixture + exponentials @ values\n"
    " →",
    "new, total, mixture → new, total + exponentials.sum(dim=-1), mixture + exponentials @ values",
).says(
    "The old total and mixture aren't rescaled: they were made with the old maximum, so when a larger one "
    "comes, both shrink by exp(old − new)."
)


@exercise.misconception
def mixture_not_rescaled(largest, total, mixture, scores, values):
    """The old total is rescaled and the old mixture isn't: both are sums of exp(score − maximum), so both
    shrink by the same factor.
    """
    new = torch.maximum(largest, scores.amax(dim=-1))
    powers = (scores - new.unsqueeze(-1)).exp()
    return new, (largest - new).exp() * total + powers.sum(dim=-1), mixture + powers @ values


@exercise.misconception
def total_not_rescaled(largest, total, mixture, scores, values):
    """The old mixture is rescaled and the old total isn't: both are sums of exp(score − maximum), so both
    shrink by the same factor.
    """
    new = torch.maximum(largest, scores.amax(dim=-1))
    powers = (scores - new.unsqueeze(-1)).exp()
    return new, total + powers.sum(dim=-1), (largest - new).exp().unsqueeze(-1) * mixture + powers @ values


@exercise.misconception
def rescaled_the_wrong_way(largest, total, mixture, scores, values):
    """The factor is upside down: exp(old − new) is at most 1 and shrinks what was summed so far, while
    exp(new − old) lets it grow without bound.
    """
    new = torch.maximum(largest, scores.amax(dim=-1))
    factor, powers = (new - largest).exp(), (scores - new.unsqueeze(-1)).exp()
    return new, factor * total + powers.sum(dim=-1), factor.unsqueeze(-1) * mixture + powers @ values


@exercise.misconception
def maximum_of_the_block(largest, total, mixture, scores, values):
    """The new maximum is that of this block alone: it is the largest score so far, so compare it with the
    old one.
    """
    new = scores.amax(dim=-1)
    factor, powers = (largest - new).exp(), (scores - new.unsqueeze(-1)).exp()
    return new, factor * total + powers.sum(dim=-1), factor.unsqueeze(-1) * mixture + powers @ values


@exercise.misconception
def block_by_its_own_maximum(largest, total, mixture, scores, values):
    """This block's exponentials use its own maximum, the earlier sums the running one: only terms with the
    same maximum can be added.
    """
    block = scores.amax(dim=-1)
    new = torch.maximum(largest, block)
    factor, powers = (largest - new).exp(), (scores - block.unsqueeze(-1)).exp()
    return new, factor * total + powers.sum(dim=-1), factor.unsqueeze(-1) * mixture + powers @ values


exercise.slip(
    "block_alone", "new, total, mixture → new, exponentials.sum(dim=-1), exponentials @ values"
).says(
    "The block replaces what came before: its sums should be added to the old ones, after these are rescaled."
)


@exercise.misconception
def softmax_of_the_block(largest, total, mixture, scores, values):
    """A softmax is taken within the block, so its weights sum to 1 before the other blocks are known: add
    exponentials, and divide once, at the very end.
    """
    new = torch.maximum(largest, scores.amax(dim=-1))
    factor, powers = (largest - new).exp(), (scores - new.unsqueeze(-1)).exp()
    mixture = factor.unsqueeze(-1) * mixture + scores.softmax(dim=-1) @ values
    return new, factor * total + powers.sum(dim=-1), mixture


exercise.slip(
    "divided_already",
    "    mixture = shrink.unsqueeze(-1) * mixture + exponentials @ values\n →",
    "new, total, mixture → new, total, (shrink.unsqueeze(-1) * mixture + exponentials @ values) / "
    "total.unsqueeze(-1)",
).says(
    "The mixture is divided by the total already: keep the plain sum, since the total still grows, and "
    "divide once all keys are read."
)
exercise.slip(
    "block_rescaled_too",
    "shrink * total + exponentials.sum(dim=-1) → shrink * (total + exponentials.sum(dim=-1))",
    "shrink.unsqueeze(-1) * mixture + exponentials @ values → shrink.unsqueeze(-1) * (mixture + "
    "exponentials @ values)",
).says(
    "The block's own terms are multiplied by the factor as well: they have the new maximum already, so only "
    "the old sums shrink."
)
exercise.slip("by_the_old_maximum", "(scores - new.unsqueeze(-1)) → (scores - largest.unsqueeze(-1))").says(
    "The block's exponentials are taken with the old maximum, which is −∞ before the first block: subtract "
    "the new one, as in the factor for the old sums."
)
exercise.slip(
    "nothing_subtracted",
    "(scores - new.unsqueeze(-1)).exp() → scores.exp()",
    "shrink * total → total",
    "shrink.unsqueeze(-1) * mixture → mixture",
).says(
    "No maximum is subtracted, so large scores overflow: the sums are of exp(score − largest), and shrink "
    "when a larger score comes."
)

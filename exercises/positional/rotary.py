"""Rotary positions."""

import torch
from torch import Generator

from exercises.positional import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import positional

exercise = Entry(
    id="positional.rotary",
    title="Rotary positions",
    points=3,
    difficulty=4,
    minutes=14,
    reference=positional.rotary,
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.cases
def rotary_cases(g: Generator) -> list[Case]:
    """One pair, several, and positions that don't begin at 0."""
    T, d = shared.sizes(g, 3, 4)[0], 6
    start = shared.integer(g, 4, 20)
    apart = torch.randperm(30, generator=g)[:T] + 1
    return [
        Case("one pair of features", (shared.normal(g, 4, 2), torch.arange(4))),
        Case("several pairs", (shared.normal(g, T, d), torch.arange(T))),
        Case("positions from the middle of a text", (shared.normal(g, T, d), start + torch.arange(T))),
        Case("positions in any order", (shared.normal(g, T, 8), apart)),
        Case(
            "a batch and heads (B, H, T, d)",
            (shared.normal(g, *pick(g, (2, 3), (3, 2), (3, 1)), 5, 4), torch.arange(5)),
        ),
        Case("another base", (shared.normal(g, T, d), torch.arange(T), float(shared.integer(g, 50, 200)))),
        Case("one position", (shared.normal(g, 2, 1, d), torch.tensor([start]))),
    ]


@exercise.alternative
def with_complex_numbers(x, positions, base=10_000.0):
    d = x.shape[-1]
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], d // 2, 2).contiguous())
    angles = torch.outer(positions.to(x.dtype), base ** (-torch.arange(0, d, 2) / d))
    turned = pairs * torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(turned).reshape(x.shape)


@exercise.alternative
def with_a_partner(x, positions, base=10_000.0):
    d = x.size(-1)
    angles = positions[:, None] / base ** (torch.arange(0, d, 2) / d)
    angles = angles.repeat_interleave(2, dim=-1)
    partner = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).reshape(x.shape)
    return x * angles.cos() + partner * angles.sin()


@exercise.alternative
def pair_by_pair(x, positions, base=10_000.0):
    d = x.size(-1)
    out = x.clone()
    for i in range(0, d, 2):
        angle = positions * base ** (-i / d)
        c, s = torch.cos(angle), torch.sin(angle)
        out[..., i] = x[..., i] * c - x[..., i + 1] * s
        out[..., i + 1] = x[..., i] * s + x[..., i + 1] * c
    return out


exercise.slip(
    "turned_back",
    "even, odd = x[..., 0::2], x[..., 1::2] → a, b, c, s = x[..., 0::2], x[..., 1::2], angles.cos(), "
    "angles.sin()",
    "torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(start_dim=-2) → "
    "torch.stack([a * c + b * s, b * c - a * s], dim=-1).flatten(-2)",
).says(
    "The pairs are turned the other way, since the wrong sine has the minus: (a, b) becomes (a cos - b sin, "
    "a sin + b cos)."
)
exercise.slip(
    "no_turn",
    "even, odd = x[..., 0::2], x[..., 1::2] → a, b, c, s = x[..., 0::2], x[..., 1::2], angles.cos(), "
    "angles.sin()",
    "torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(start_dim=-2) → "
    "torch.stack([a * c + b * s, a * s + b * c], dim=-1).flatten(-2)",
).says(
    "Both products have a plus, which stretches and squeezes the pairs: a turn keeps their length, and "
    "needs a cos - b sin in the first feature."
)
exercise.slip(
    "cosines_alone", "even * cos - odd * sin → even * cos", "even * sin + odd * cos → odd * cos"
).says(
    "Each feature is multiplied by its cosine and no more, which shrinks it: in a turn, it also gets a part "
    "of its partner, by the sine."
)
exercise.slip("second_turned_back", "even * sin + odd * cos → odd * cos - even * sin").says(
    "The first feature of a pair is turned one way and the second the other: a cos − b sin goes with a "
    "sin + b cos."
)
exercise.slip("sine_and_cosine_not_exchanged", "even * sin → even * cos", "odd * cos → odd * sin").says(
    "Both features have their cosine in front: the second is a sin + b cos, with the sine in front."
)
exercise.slip(
    "first_half_with_second",
    "cos, sin = angles.cos().to(x), angles.sin().to(x) → a, b, c, s = x[..., : d // 2], x[..., d // 2 :], "
    "angles.cos(), angles.sin()",
    "torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(start_dim=-2) → "
    "torch.cat([a * c - b * s, a * s + b * c], dim=-1)",
).says(
    "Feature i is paired with feature i + d/2, as some models do: as published, neighbours are a pair, "
    "features 2i and 2i+1."
)
exercise.slip(
    "turned_pairs_in_halves",
    "even, odd = x[..., 0::2], x[..., 1::2] → a, b, c, s = x[..., 0::2], x[..., 1::2], angles.cos(), "
    "angles.sin()",
    "torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(start_dim=-2) → "
    "torch.cat([a * c - b * s, a * s + b * c], dim=-1)",
).says(
    "The right pairs are turned, but put back with all first features in front: each pair goes back to "
    "the places it came from, 2i and 2i+1."
)
exercise.slip(
    "angles_in_halves",
    "/ base ** (torch.arange(0, d, 2) / d) → * base ** (-torch.arange(0, x.size(-1), 2) / x.size(-1))",
    "angles.repeat_interleave(2, dim=-1) → torch.cat([angles, angles], dim=-1)",
    of=with_a_partner,
).says(
    "Two conventions are mixed: neighbours are turned as a pair, but the angles are laid out for pairs of "
    "feature i and i + d/2, so the two features of a pair turn by different angles."
)
exercise.slip(
    "partners_in_halves",
    "/ base ** (torch.arange(0, d, 2) / d) → * base ** (-torch.arange(0, x.size(-1), 2) / x.size(-1))",
    "partner = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).reshape(x.shape) → half = x.size(-1) // "
    "2\n"
    "    partner = torch.cat([-x[..., half:], x[..., :half]], dim=-1)",
    of=with_a_partner,
).says(
    "Two conventions are mixed: the angles are laid out for neighbouring features, but feature i is "
    "turned with feature i + d/2, which has a different angle."
)
exercise.slip(
    "rotary_faster_and_faster",
    "/ base ** (torch.arange(0, d, 2) / d) → * base ** (torch.arange(0, x.size(-1), 2) / x.size(-1))",
    of=with_a_partner,
).says(
    "The position is multiplied by base^(2i/d), or divided by base^(-2i/d), so the pairs turn faster and "
    "faster: the first pair is the fastest, by one radian per position."
)
exercise.slip(
    "rotary_pairs_from_one",
    "torch.arange(0, d, 2) / d → torch.arange(2, d + 2, 2) / d",
    of=with_a_partner,
).says("Pairs are counted from 1 here: the first is pair 0, which turns by one radian per position.")
exercise.slip(
    "positions_divided", "positions[:, None] / → positions[:, None] / d**0.5 /", of=with_a_partner
).says("The positions are divided by √d, which turns every pair too slowly: √d_k belongs to the scores.")
exercise.slip(
    "one_angle_for_all",
    "even, odd = x[..., 0::2], x[..., 1::2] → a, b, c, s = x[..., 0::2], x[..., 1::2], positions[:, "
    "None].cos(), positions[:, None].sin()",
    "torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(start_dim=-2) → "
    "torch.stack([a * c - b * s, a * s + b * c], dim=-1).flatten(-2)",
).says(
    "Every pair is turned by the angle p, so far positions are soon the same as near ones: pair i turns "
    "by p · base^(-2i/d)."
)
exercise.slip(
    "rotary_exponent_i",
    "/ base ** (torch.arange(0, d, 2) / d) → * base ** (-torch.arange(x.size(-1) // 2) / x.size(-1))",
    of=with_a_partner,
).says("The exponent is i/d, where it should be 2i/d: so the slowest pair turns far too fast.")
exercise.slip(
    "rotary_base_written_in",
    "/ base ** (torch.arange(0, d, 2) / d) → * 10_000.0 ** (-torch.arange(0, x.size(-1), 2) / x.size(-1))",
    of=with_a_partner,
).says("The base is 10000 whatever `base` says: use the argument, since models of long texts change it.")
exercise.slip(
    "places_for_positions",
    "d = x.size(-1) → places = torch.arange(x.size(-2))",
    "positions[:, None] / base ** (torch.arange(0, d, 2) / d) → places[:, None] * base ** "
    "(-torch.arange(0, x.size(-1), 2) / x.size(-1))",
    of=with_a_partner,
).says(
    "The angles are those of the places 0, 1, 2, … in x, whatever `positions` says: a piece from the middle "
    "of a text begins at a later position."
)


@exercise.misconception
def overwritten_too_early(x, positions, base=10_000.0):
    """The second features are computed from first ones that are turned already: x[..., 0::2] is a view, which
    changes with x, so compute both before you write either.
    """
    x = x.clone()
    angles = positions[:, None] * base ** (-torch.arange(0, x.size(-1), 2) / x.size(-1))
    a, b, c, s = x[..., 0::2], x[..., 1::2], angles.cos(), angles.sin()
    x[..., 0::2] = a * c - b * s
    x[..., 1::2] = a * s + b * c
    return x


exercise.slip(
    "added_instead",
    "torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(start_dim=-2) → x + "
    "torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)",
).says(
    "Sine and cosine are added, as in section 3.3: here they turn each pair of features, and nothing is "
    "added."
)
exercise.slip(
    "scaled_feature_by_feature",
    "torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(start_dim=-2) → "
    "torch.stack([x[..., 0::2] * angles.cos(), x[..., 1::2] * angles.sin()], dim=-1).flatten(-2)",
).says(
    "Each feature is only multiplied by a sine or a cosine: to turn a pair, each of its new features "
    "takes something of both old ones."
)
exercise.slip("positions_in_a_row", ".unsqueeze(-1) →").says(
    "Positions and speeds are multiplied as two rows: positions are a column, positions[:, None], so that "
    "each of them meets every speed."
)
exercise.slip(
    "rotary_exponent_of_half",
    "x.size(-1) → x.size(-1) // 2",
    '    if d % 2:\n        raise ValueError(f"features are turned in pairs, but there are {d}")\n →',
    "-torch.arange(0, d, 2, device=positions.device) → (-2 * torch.arange(d))",
).says(
    "The exponent is divided by the number of pairs, d/2, where it should be d: so the speeds fall twice "
    "as fast."
)

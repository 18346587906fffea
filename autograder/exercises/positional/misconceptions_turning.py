"""Lesson 03's misconceptions about turns: the shift matrix and rotary positions; see `misconceptions.py`."""

# ruff: noqa: D205  (a sentence may take two lines)

import math

import torch

from helpers.positional import rotary

# -- the shift -----------------------------------------------------------------------------------------------


def transposed(k, d_model, base=10_000.0):
    """This matrix moves a row the other way, from p to p - k, since it is the transpose: it would be
    right for columns, M @ table[p], but the rows stand on the left.
    """
    angles = k * base ** (-torch.arange(0, d_model, 2) / d_model)
    c, s = angles.cos(), angles.sin()
    return torch.block_diag(*torch.stack([c, s, -s, c], -1).reshape(-1, 2, 2))


def no_minus(k, d_model, base=10_000.0):
    """One sine needs a minus: cos(a + b) = cos a · cos b - sin a · sin b, and without it the row doesn't
    keep its length.
    """
    angles = k * base ** (-torch.arange(0, d_model, 2) / d_model)
    c, s = angles.cos(), angles.sin()
    return torch.block_diag(*torch.stack([c, s, s, c], -1).reshape(-1, 2, 2))


def one_speed_for_all(k, d_model, base=10_000.0):
    """Every pair is turned by the angle k: pair i turns with its own speed, by k · base^(-2i/d_model)."""
    block = torch.tensor([[math.cos(k), -math.sin(k)], [math.sin(k), math.cos(k)]])
    return torch.block_diag(*[block] * (d_model // 2))


def shift_exponent_i(k, d_model, base=10_000.0):
    """The speeds have the exponent i/d_model, where the table has 2i/d_model: so these are the clocks of
    another table.
    """
    angles = k * base ** (-torch.arange(d_model // 2) / d_model)
    c, s = angles.cos(), angles.sin()
    return torch.block_diag(*torch.stack([c, -s, s, c], -1).reshape(-1, 2, 2))


def shift_base_written_in(k, d_model, base=10_000.0):
    """The base is 10000 whatever `base` says: the matrix fits a table of another base only if it uses
    the argument.
    """
    angles = k * 10_000.0 ** (-torch.arange(0, d_model, 2) / d_model)
    c, s = angles.cos(), angles.sin()
    return torch.block_diag(*torch.stack([c, -s, s, c], -1).reshape(-1, 2, 2))


def shift_faster_and_faster(k, d_model, base=10_000.0):
    """The speeds grow from pair to pair, as the exponent lacks its minus: those of the table fall, so this
    matrix fits none of its pairs but the first.
    """
    angles = k * base ** (torch.arange(0, d_model, 2) / d_model)
    c, s = angles.cos(), angles.sin()
    return torch.block_diag(*torch.stack([c, -s, s, c], -1).reshape(-1, 2, 2))


def k_times_one_step(k, d_model, base=10_000.0):
    """This is k times the matrix of one step: steps are made one after another, so one step has to be
    multiplied by itself k times, or turned by k times its angle.
    """
    angles = base ** (-torch.arange(0, d_model, 2) / d_model)
    c, s = angles.cos(), angles.sin()
    return k * torch.block_diag(*torch.stack([c, -s, s, c], -1).reshape(-1, 2, 2))


def laid_out_in_halves(k, d_model, base=10_000.0):
    """This fits a table with all sines first: in yours a sine and its cosine are neighbours, so each
    2 × 2 block stands on the diagonal.
    """
    angles = k * base ** (-torch.arange(0, d_model, 2) / d_model)
    c, s = torch.diag(angles.cos()), torch.diag(angles.sin())
    return torch.cat([torch.cat([c, -s], dim=1), torch.cat([s, c], dim=1)])


def rows_rolled(k, d_model, base=10_000.0):
    """This moves features to other places: k positions further on is reached by turning each pair of
    features, not by renaming them.
    """
    return torch.eye(d_model).roll(k, dims=1)


# -- rotary positions ----------------------------------------------------------------------------------------


def turned_back(x, positions, base=10_000.0):
    """The pairs are turned the other way, since the minus is at the wrong sine: (a, b) becomes (a cos - b
    sin, a sin + b cos).
    """
    angles = positions[:, None] * base ** (-torch.arange(0, x.size(-1), 2) / x.size(-1))
    a, b, c, s = x[..., 0::2], x[..., 1::2], angles.cos(), angles.sin()
    return torch.stack([a * c + b * s, b * c - a * s], dim=-1).flatten(-2)


def no_turn(x, positions, base=10_000.0):
    """Both products have a plus, which stretches and squeezes the pairs: a turn keeps their length, and
    needs a cos - b sin in the first feature.
    """
    angles = positions[:, None] * base ** (-torch.arange(0, x.size(-1), 2) / x.size(-1))
    a, b, c, s = x[..., 0::2], x[..., 1::2], angles.cos(), angles.sin()
    return torch.stack([a * c + b * s, a * s + b * c], dim=-1).flatten(-2)


def second_turned_back(x, positions, base=10_000.0):
    """The first feature of a pair is turned one way and the second the other: a cos − b sin goes with a sin +
    b cos.
    """
    angles = positions.unsqueeze(-1) * base ** (-torch.arange(0, x.size(-1), 2) / x.size(-1))
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cos - odd * sin, odd * cos - even * sin], dim=-1).flatten(start_dim=-2)


def sine_and_cosine_not_exchanged(x, positions, base=10_000.0):
    """Both features have their cosine in front: the second is a sin + b cos, with the sine in front."""
    angles = positions.unsqueeze(-1) * base ** (-torch.arange(0, x.size(-1), 2) / x.size(-1))
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cos - odd * sin, even * cos + odd * sin], dim=-1).flatten(start_dim=-2)


def first_half_with_second(x, positions, base=10_000.0):
    """Feature i is paired with feature i + d/2, as some models do: as published, neighbours are a pair,
    features 2i and 2i+1.
    """
    d = x.size(-1)
    angles = positions[:, None] * base ** (-torch.arange(0, d, 2) / d)
    a, b, c, s = x[..., : d // 2], x[..., d // 2 :], angles.cos(), angles.sin()
    return torch.cat([a * c - b * s, a * s + b * c], dim=-1)


def turned_pairs_in_halves(x, positions, base=10_000.0):
    """The right pairs are turned, but put back with all first features in front: each pair goes back to
    the places it came from, 2i and 2i+1.
    """
    angles = positions[:, None] * base ** (-torch.arange(0, x.size(-1), 2) / x.size(-1))
    a, b, c, s = x[..., 0::2], x[..., 1::2], angles.cos(), angles.sin()
    return torch.cat([a * c - b * s, a * s + b * c], dim=-1)


def angles_in_halves(x, positions, base=10_000.0):
    """Two conventions are mixed: neighbours are turned as a pair, but the angles are laid out for pairs of
    feature i and i + d/2, so the two features of a pair turn by different angles.
    """
    angles = positions[:, None] * base ** (-torch.arange(0, x.size(-1), 2) / x.size(-1))
    angles = torch.cat([angles, angles], dim=-1)
    partner = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    return x * angles.cos() + partner * angles.sin()


def partners_in_halves(x, positions, base=10_000.0):
    """Two conventions are mixed: the angles are laid out for neighbouring features, but feature i is turned
    with feature i + d/2, which has a different angle.
    """
    angles = positions[:, None] * base ** (-torch.arange(0, x.size(-1), 2) / x.size(-1))
    angles = angles.repeat_interleave(2, dim=-1)
    half = x.size(-1) // 2
    partner = torch.cat([-x[..., half:], x[..., :half]], dim=-1)
    return x * angles.cos() + partner * angles.sin()


def rotary_faster_and_faster(x, positions, base=10_000.0):
    """The position is multiplied by base^(2i/d), or divided by base^(-2i/d), so the pairs turn faster and
    faster: the first pair is the fastest, by one radian per position.
    """
    angles = positions[:, None] * base ** (torch.arange(0, x.size(-1), 2) / x.size(-1))
    a, b, c, s = x[..., 0::2], x[..., 1::2], angles.cos(), angles.sin()
    return torch.stack([a * c - b * s, a * s + b * c], dim=-1).flatten(-2)


def one_angle_for_all(x, positions, base=10_000.0):
    """Every pair is turned by the angle p, so far positions are soon the same as near ones: pair i turns
    by p · base^(-2i/d).
    """
    a, b, c, s = x[..., 0::2], x[..., 1::2], positions[:, None].cos(), positions[:, None].sin()
    return torch.stack([a * c - b * s, a * s + b * c], dim=-1).flatten(-2)


def rotary_exponent_i(x, positions, base=10_000.0):
    """The exponent is i/d, where it should be 2i/d: so the slowest pair turns far too fast."""
    angles = positions[:, None] * base ** (-torch.arange(x.size(-1) // 2) / x.size(-1))
    a, b, c, s = x[..., 0::2], x[..., 1::2], angles.cos(), angles.sin()
    return torch.stack([a * c - b * s, a * s + b * c], dim=-1).flatten(-2)


def rotary_base_written_in(x, positions, base=10_000.0):
    """The base is 10000 whatever `base` says: use the argument, since models of long texts change it."""
    angles = positions[:, None] * 10_000.0 ** (-torch.arange(0, x.size(-1), 2) / x.size(-1))
    a, b, c, s = x[..., 0::2], x[..., 1::2], angles.cos(), angles.sin()
    return torch.stack([a * c - b * s, a * s + b * c], dim=-1).flatten(-2)


def places_for_positions(x, positions, base=10_000.0):
    """The angles are those of the places 0, 1, 2, … in x, whatever `positions` says: a piece from the
    middle of a text begins at another position.
    """
    places = torch.arange(x.size(-2))
    angles = places[:, None] * base ** (-torch.arange(0, x.size(-1), 2) / x.size(-1))
    a, b, c, s = x[..., 0::2], x[..., 1::2], angles.cos(), angles.sin()
    return torch.stack([a * c - b * s, a * s + b * c], dim=-1).flatten(-2)


def added_instead(x, positions, base=10_000.0):
    """Sine and cosine are added, as in section 3.3: here they turn each pair of features, and nothing is
    added.
    """
    angles = positions[:, None] * base ** (-torch.arange(0, x.size(-1), 2) / x.size(-1))
    return x + torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


def scaled_feature_by_feature(x, positions, base=10_000.0):
    """Each feature is only multiplied by a sine or a cosine: to turn a pair, each of its new features
    takes something of both old ones.
    """
    angles = positions[:, None] * base ** (-torch.arange(0, x.size(-1), 2) / x.size(-1))
    return torch.stack([x[..., 0::2] * angles.cos(), x[..., 1::2] * angles.sin()], dim=-1).flatten(-2)


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


# -- rotary attention ----------------------------------------------------------------------------------------


def values_too(q, k, v, mask=None):
    """The values are turned too, so what is averaged depends on absolute positions: positions belong in
    the scores, so turn queries and keys alone.
    """
    q, k = rotary(q, torch.arange(q.size(-2))), rotary(k, torch.arange(k.size(-2)))
    v = rotary(v, torch.arange(v.size(-2)))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights


def queries_alone(q, k, v, mask=None):
    """Only the queries are turned, so a score depends on where the query stands, not on the distance:
    the keys have to be turned as well.
    """
    q = rotary(q, torch.arange(q.size(-2)))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights


def keys_alone(q, k, v, mask=None):
    """Only the keys are turned, so a score depends on where the key stands, not on the distance: the
    queries have to be turned as well.
    """
    k = rotary(k, torch.arange(k.size(-2)))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights


def keys_turned_back(q, k, v, mask=None):
    """Queries and keys are turned in opposite directions, so scores depend on i + j: turned in the same
    direction, what remains is the difference of the positions.
    """
    q, k = rotary(q, torch.arange(q.size(-2))), rotary(k, -torch.arange(k.size(-2)))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights


def not_turned(q, k, v, mask=None):
    """Nothing is turned here, so it is the attention of lesson 1, which doesn't notice order."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights


def rotary_mask_forgotten(q, k, v, mask=None):
    """The mask isn't used, so every query sees every key: pass it on to the attention."""
    q, k = rotary(q, torch.arange(q.size(-2))), rotary(k, torch.arange(k.size(-2)))
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)), dim=-1)
    return weights @ v, weights


def rotary_filled_with_minus_hundred(q, k, v, mask=None):
    """Hidden scores become a number such as −100, or are lowered by as much, and where scores are that large
    a hidden key still gets weight: only −∞, or the lowest number there is, always hides.
    """
    q, k = rotary(q, torch.arange(q.size(-2))), rotary(k, torch.arange(k.size(-2)))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -100)
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights


def rotary_unscaled(q, k, v, mask=None):
    """The scores aren't divided by √d_k: turning keeps lengths, so the scale is needed as before."""
    q, k = rotary(q, torch.arange(q.size(-2))), rotary(k, torch.arange(k.size(-2)))
    scores = q @ k.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights

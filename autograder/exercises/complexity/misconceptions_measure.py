"""Misconceptions of lesson 05's exercises on times and memory; see `misconceptions.py`."""

# ruff: noqa: D205  (a sentence may take two lines)

import math

import torch

# -- an exponent from measured times -------------------------------------------------------------------------


def linear_axes(sizes, times):
    """This is the slope of the times as they are: a power law is a straight line only on log-log axes, so
    take the logarithm of both.
    """
    x, y = sizes - sizes.mean(), times - times.mean()
    return (x * y).sum() / (x * x).sum()


def logarithm_of_times_alone(sizes, times):
    """The logarithm is taken of the times alone, which fits an exponential: a power of the size needs the
    logarithm of the sizes too.
    """
    x, y = sizes - sizes.mean(), times.log() - times.log().mean()
    return (x * y).sum() / (x * x).sum()


def logarithm_of_sizes_alone(sizes, times):
    """The logarithm is taken of the sizes alone: a power law becomes a straight line when the times have
    theirs as well.
    """
    x, y = sizes.log() - sizes.log().mean(), times - times.mean()
    return (x * y).sum() / (x * x).sum()


def axes_swapped(sizes, times):
    """The axes are swapped: divide by the sum of the squares of the sizes' deviations, since it is the
    times that are fitted as a function of the sizes.
    """
    x, y = sizes.log() - sizes.log().mean(), times.log() - times.log().mean()
    return (x * y).sum() / (y * y).sum()


def first_and_last(sizes, times):
    """Only the first and the last point are used: the least-squares line listens to all of them, so one
    bad measurement weighs less.
    """
    return (times[-1] / times[0]).log() / (sizes[-1] / sizes[0]).log()


def through_the_origin(sizes, times):
    """The means aren't subtracted, which forces the line through the origin: there the time of size 1 would
    be exactly 1.
    """
    x, y = sizes.log(), times.log()
    return (x * y).sum() / (x * x).sum()


def mean_of_ratios(sizes, times):
    """This is the mean of log time over log size, which a constant factor in front changes: fit a line, and
    take its slope.
    """
    return (times.log() / sizes.log()).mean()


def the_intercept(sizes, times):
    """This is the line's other number, its height: the exponent is its slope."""
    x, y = sizes.log(), times.log()
    slope = ((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum()
    return y.mean() - slope * x.mean()


def correlation(sizes, times):
    """This is the correlation, which says how well a line fits: for its slope, divide by the sum of the
    squares of the sizes' deviations alone.
    """
    x, y = sizes.log() - sizes.log().mean(), times.log() - times.log().mean()
    return (x * y).sum() / torch.sqrt((x * x).sum() * (y * y).sum())


# -- the cache -----------------------------------------------------------------------------------------------


def keys_alone(layers, heads, kv_heads, d_head, positions, bytes_per_number):
    """Only the keys are kept here: the values are looked up at every later word too, so the cache holds
    both.
    """
    return layers * kv_heads * d_head * positions * bytes_per_number


def queries_kept_too(layers, heads, kv_heads, d_head, positions, bytes_per_number):
    """Queries are counted along with keys and values: a query is used for its own word and never again,
    so nothing is kept of it.
    """
    return layers * (2 * kv_heads + heads) * d_head * positions * bytes_per_number


def every_query_head(layers, heads, kv_heads, d_head, positions, bytes_per_number):
    """This counts keys and values for every query head: heads of a group share theirs, so there are
    kv_heads of them.
    """
    return 2 * layers * heads * d_head * positions * bytes_per_number


def heads_in_a_group(layers, heads, kv_heads, d_head, positions, bytes_per_number):
    """The quotient heads / kv_heads is how many query heads share one head of keys and values: the cache
    holds kv_heads of these.
    """
    return 2 * layers * (heads // kv_heads) * d_head * positions * bytes_per_number


def one_layer_alone(layers, heads, kv_heads, d_head, positions, bytes_per_number):
    """This is one layer's cache: each layer computes keys and values of its own, and keeps them."""
    return 2 * kv_heads * d_head * positions * bytes_per_number


def positions_squared(layers, heads, kv_heads, d_head, positions, bytes_per_number):
    """The cache grows with the length, not with its square: it holds keys and values, one of each per
    position, and no table of weights.
    """
    return 2 * layers * kv_heads * d_head * positions**2 * bytes_per_number


def cached_numbers(layers, heads, kv_heads, d_head, positions, bytes_per_number):
    """This is how many numbers are kept: each takes bytes_per_number bytes."""
    return 2 * layers * kv_heads * d_head * positions


def cache_in_bits(layers, heads, kv_heads, d_head, positions, bytes_per_number):
    """These are bits: the exercise asks for bytes, and a number takes `bytes_per_number` of them."""
    return 8 * 2 * layers * kv_heads * d_head * positions * bytes_per_number


# -- heads that share keys -----------------------------------------------------------------------------------


def heads_dealt_in_turn(q, k, v):
    """The heads of keys are dealt out in turn, 0 1 0 1, as .repeat does: here neighbours share one,
    0 0 1 1, as in torch.repeat_interleave.
    """
    shared = q.size(-3) // k.size(-3)
    k, v = torch.cat([k] * shared, dim=-3), torch.cat([v] * shared, dim=-3)
    return (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(dim=-1) @ v


def first_head_for_all(q, k, v):
    """Every query head uses the first head of keys and values, whatever its group: that is right only
    when there is a single one.
    """
    k, v = k[..., :1, :, :], v[..., :1, :, :]
    return (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(dim=-1) @ v


def heads_averaged(q, k, v):
    """The heads of keys and values are averaged into one: each group of query heads keeps a head of its
    own.
    """
    k, v = k.mean(dim=-3, keepdim=True), v.mean(dim=-3, keepdim=True)
    return (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(dim=-1) @ v


def queries_averaged(q, k, v):
    """The queries of a group are averaged, so that its heads all say the same: they share keys and values,
    and each asks with queries of its own.
    """
    shared = q.size(-3) // k.size(-3)
    q = q.unflatten(-3, (k.size(-3), shared)).mean(dim=-3)
    outputs = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(dim=-1) @ v
    return outputs.repeat_interleave(shared, dim=-3)


def values_dealt_in_turn(q, k, v):
    """Keys are shared by neighbours but values are dealt out in turn: what a head finds by a key must be
    the value that belongs to it.
    """
    shared = q.size(-3) // k.size(-3)
    k, v = k.repeat_interleave(shared, dim=-3), torch.cat([v] * shared, dim=-3)
    return (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(dim=-1) @ v


def grouped_unscaled(q, k, v):
    """The scores aren't divided by √d_k: sharing keys doesn't change their size."""
    shared = q.size(-3) // k.size(-3)
    k, v = k.repeat_interleave(shared, dim=-3), v.repeat_interleave(shared, dim=-3)
    return (q @ k.transpose(-2, -1)).softmax(dim=-1) @ v


def first_axis_repeated(q, k, v):
    """The first axis is repeated, which is that of the heads only where there is no batch: count from the
    end, where the heads are always the third axis.
    """
    shared = q.size(-3) // k.size(-3)
    k, v = k.repeat_interleave(shared, dim=0), v.repeat_interleave(shared, dim=0)
    return (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(dim=-1) @ v


def second_axis_repeated(q, k, v):
    """The second axis is repeated, which is that of the heads only where there is one batch axis before it:
    count from the end, where the heads are always the third axis.
    """
    shared = q.size(-3) // k.size(-3)
    k, v = k.repeat_interleave(shared, dim=1), v.repeat_interleave(shared, dim=1)
    return (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(dim=-1) @ v


def heads_not_repeated(q, k, v):
    """Not both k and v have each of their heads H/G times: theirs is the third axis from the end, and q has
    more of them.
    """
    shared = q.size(-3) // k.size(-3)
    k, v = k.repeat_interleave(shared, dim=-2), v.repeat_interleave(shared, dim=-2)
    return (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(dim=-1) @ v

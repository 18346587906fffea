"""Lesson 03's misconceptions about positions that are added: the reference with one slip in it.

A docstring is the sentence for the student who makes the slip. Each function stands alone, so that the class
simulator can paste it into a notebook. Those about other ways to tell positions are in
`misconceptions_scores.py` and `misconceptions_turning.py`.
"""

# ruff: noqa: D205  (a sentence may take two lines)

import math

import torch

# -- sinusoidal ----------------------------------------------------------------------------------------------


def in_halves(T, d_model, base=10_000.0):
    """All sines are in the first half and all cosines in the second, as some libraries have it: as published,
    each sine has its cosine beside it, sine in feature 2i and cosine in feature 2i+1.
    """
    angles = torch.arange(T)[:, None] * base ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.cat([angles.sin(), angles.cos()], dim=-1)


def exponent_i(T, d_model, base=10_000.0):
    """The exponent is i/d_model, where it should be 2i/d_model: so the speeds end near 1/√base, and
    the slowest clock turns far too fast.
    """
    angles = torch.arange(T)[:, None] * base ** (-torch.arange(d_model // 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).reshape(T, d_model)


def exponent_of_each_feature(T, d_model, base=10_000.0):
    """Every feature has a speed of its own: a sine and the cosine beside it share one, with 2i the
    number of the sine's feature in both.
    """
    feature = torch.arange(d_model)
    angles = torch.arange(T)[:, None] * base ** (-feature / d_model)
    return torch.where(feature % 2 == 0, angles.sin(), angles.cos())


def exponent_twice_doubled(T, d_model, base=10_000.0):
    """The factor 2 is in the exponent twice: where the even numbers 0, 2, 4, … are the features, they
    are 2i already.
    """
    angles = torch.arange(T)[:, None] * base ** (-2 * torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).reshape(T, d_model)


def cosine_with_another_speed(T, d_model, base=10_000.0):
    """Each feature's own number is doubled in the exponent, which gives the cosine another speed than its
    sine: with i = 0, 2, 4, … as the sine's feature, the exponent is i/d_model in both.
    """
    table = torch.zeros(T, d_model)
    for p in range(T):
        for i in range(0, d_model, 2):
            table[p, i] = math.sin(p / base ** (2 * i / d_model))
            table[p, i + 1] = math.cos(p / base ** (2 * (i + 1) / d_model))
    return table


def cosine_first(T, d_model, base=10_000.0):
    """Sine and cosine have changed places: the sine stands in the even features, 0, 2, 4, …, and the
    cosine after it.
    """
    angles = torch.arange(T)[:, None] * base ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.cos(), angles.sin()], dim=-1).reshape(T, d_model)


def base_1000(T, d_model, base=10_000.0):
    """The base is 1000 here, whatever `base` says: it is 10000 in the paper, and one of the arguments."""
    angles = torch.arange(T)[:, None] * 1000.0 ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).reshape(T, d_model)


def base_written_in(T, d_model, base=10_000.0):
    """The base is 10000 whatever `base` says: use the argument, since section 3.6 lets you change it."""
    angles = torch.arange(T)[:, None] * 10_000.0 ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).reshape(T, d_model)


def from_one(T, d_model, base=10_000.0):
    """Positions are counted from 1 here: the first is 0, whose sines are 0 and whose cosines are 1."""
    angles = torch.arange(1, T + 1)[:, None] * base ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).reshape(T, d_model)


def faster_and_faster(T, d_model, base=10_000.0):
    """The position is multiplied by base^(2i/d_model) where it should be divided: the clocks have to
    become slower from pair to pair.
    """
    angles = torch.arange(T)[:, None] * base ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).reshape(T, d_model)


def divided_by_div_term(T, d_model, base=10_000.0):
    """The position is divided by base^(-2i/d_model), which is a speed to multiply with: so the clocks become
    faster from pair to pair, where they should become slower.
    """
    div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(base) / d_model))
    angles = torch.arange(T)[:, None] / div_term
    return torch.stack([angles.sin(), angles.cos()], dim=-1).reshape(T, d_model)


def same_speed_for_all(T, d_model, base=10_000.0):
    """All pairs turn at the same speed, so the table nearly repeats itself after 6 positions: pair i has a
    speed of its own, base^(-2i/d_model).
    """
    angles = torch.arange(T)[:, None] * torch.ones(d_model // 2)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).reshape(T, d_model)


def as_in_fairseq(T, d_model, base=10_000.0):
    """This is fairseq's table: its exponents have steps of 1/(d_model/2 - 1), and all its sines stand before
    all its cosines, where the paper has steps of 2/d_model and each sine beside its cosine.
    """
    half = d_model // 2
    angles = torch.arange(T)[:, None] * base ** (-torch.arange(half) / max(half - 1, 1))
    return torch.cat([angles.sin(), angles.cos()], dim=-1)


def in_degrees(T, d_model, base=10_000.0):
    """The angles are turned from degrees into radians, which makes them 57 times too small: the formula
    has them in radians already.
    """
    angles = torch.arange(T)[:, None] * base ** (-torch.arange(0, d_model, 2) / d_model)
    angles = torch.deg2rad(angles)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).reshape(T, d_model)


def features_by_positions(T, d_model, base=10_000.0):
    """The table lies on its side: it has a row for each position and a column for each feature."""
    angles = torch.arange(T)[:, None] * base ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).reshape(T, d_model).T


def no_cosine(T, d_model, base=10_000.0):
    """The odd features stay 0: feature 2i + 1 is the cosine of the angle whose sine is feature 2i."""
    table = torch.zeros(T, d_model)
    table[:, 0::2] = (torch.arange(T)[:, None] * base ** (-torch.arange(0, d_model, 2) / d_model)).sin()
    return table


def decimal_logarithm(T, d_model, base=10_000.0):
    """The speeds are exp(−2i/d_model · log₁₀ base): exp undoes the natural logarithm, `math.log`."""
    speeds = torch.exp(-torch.arange(0, d_model, 2) * math.log10(base) / d_model)
    angles = torch.arange(T).unsqueeze(1) * speeds
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(start_dim=1)


def whole_turns(T, d_model, base=10_000.0):
    """The angles are multiplied by 2π, as if positions counted turns: position p is an angle of p radians in
    the first pair.
    """
    angles = 2 * math.pi * torch.arange(T).unsqueeze(1) * base ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(start_dim=1)


# -- adding --------------------------------------------------------------------------------------------------


def along_the_batch(x, table):
    """The rows are added along the batch: every word of the first sentence gets row 0, every word of the
    second row 1, and within a sentence the order is lost as before.
    """
    if x.dim() == 2:
        return x + table[: x.size(0)]
    return x + table[: x.size(0)].reshape(-1, *[1] * (x.dim() - 2), table.size(-1))


def laid_out_for_words_first(x, table):
    """An axis in the middle of the table and x.size(0) are for a layout (T, B, d_model): here the batch
    comes first, so every word of a sentence gets the row of its sentence's number.
    """
    table = table.unsqueeze(1)
    return x + table[: x.size(0)]


def as_many_rows_as_sentences(x, table):
    """The table is cut with x.size(0), which is the number of sentences as soon as there is a batch:
    positions are the second-to-last axis, x.size(-2).
    """
    return x + table[: x.size(0)]


def rows_of_the_second_axis(x, table):
    """Axis 1 holds the positions only where there is exactly one batch axis: count from the end,
    x.size(-2).
    """
    return x + table[: x.size(1)]


def whole_table(x, table):
    """All rows of the table are kept, and fit only a sentence as long as the table: take its first T rows."""
    return x + table


def last_rows(x, table):
    """These are the table's last rows: the first word stands at position 0, so take the first T rows."""
    return x + table[-x.size(-2) :]


def skipping_the_first_row(x, table):
    """Counting begins at row 1 here: the first word stands at position 0, and gets row 0."""
    T = x.size(-2)
    return x + torch.cat([table[1:], table[:1]])[:T]


def same_row_for_all(x, table):
    """Every word gets the same row, that of the sentence's length: word p gets row p."""
    return x + table[x.size(-2) - 1]


def multiplied(x, table):
    """The rows are multiplied into x, which wipes out features where the table is 0: they are added."""
    return x * table[: x.size(-2)]


def added_in_place(x, table):
    """+= writes the positions into the caller's tensor, so a second call would add them once more: make
    a new tensor with x + ...
    """
    x += table[: x.size(-2)]
    return x


# -- similarity ----------------------------------------------------------------------------------------------


def cosine(table):
    """The rows are scaled to length 1 first, which gives cosines: the exercise asks for dot products, which
    are what attention's scores are made of.
    """
    rows = torch.nn.functional.normalize(table, dim=-1)
    products = rows @ rows.T
    return torch.stack([products.diagonal(k).mean() for k in range(len(table))])


def sum_over_pairs(table):
    """These are sums over the pairs of rows: at distance k there are T - k pairs, so a sum falls with k for
    this reason alone, and the mean doesn't.
    """
    products = table @ table.T
    return torch.stack([products.diagonal(k).sum() for k in range(len(table))])


def divided_by_all(table):
    """Each sum is divided by T, but there are only T - k pairs of rows that are k apart."""
    products = table @ table.T
    return torch.stack([products.diagonal(k).sum() for k in range(len(table))]) / len(table)


def round_the_corner(table):
    """The comparison wraps round, from the last row to the first: rolling the table pairs rows that are k
    apart with rows that are T - k apart.
    """
    return torch.stack([(table * table.roll(-k, dims=0)).sum(-1).mean() for k in range(len(table))])


def from_the_first_row(table):
    """Only row 0 is compared with the others: take the mean over all pairs of rows that are k apart."""
    return table @ table[0]


def features_compared(table):
    """This compares features with one another, d_model × d_model products: for two positions take the
    dot product of two rows, table @ table.T.
    """
    products = table.T @ table
    return torch.stack([products.diagonal(k).mean() for k in range(table.size(1))])


def distances_in_space(table):
    """This is how far apart the rows are, which is 0 for equal ones: the exercise asks for dot products,
    which are large for similar rows.
    """
    apart = torch.cdist(table, table)
    return torch.stack([apart.diagonal(k).mean() for k in range(len(table))])


def mean_over_features(table):
    """Each dot product is divided by d_model: it is the sum over the features, not their mean."""
    products = table @ table.T / table.size(-1)
    return torch.stack([products.diagonal(k).mean() for k in range(len(table))])

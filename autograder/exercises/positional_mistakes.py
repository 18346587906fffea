"""Lesson 04's misconceptions about positions that are added: the reference with one slip in it.

A docstring is the sentence that the student who makes the slip reads. Each function stands alone, so that the
class simulator can paste it into a notebook. Those about distances are in `positional_distance_mistakes.py`.
"""

# ruff: noqa: D205  (a sentence may take two lines)

import math

import torch

# -- sinusoidal ----------------------------------------------------------------------------------------------


def in_halves(T, d_model, base=10_000.0):
    """All sines stand in the first half and all cosines in the second, as some libraries have it: as
    published, each sine has its cosine beside it, sine in feature 2i and cosine in feature 2i+1.
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
    """The base is 10000 whatever `base` says: use the argument, since section 4.6 lets you change it."""
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
    positions are the second last axis, x.size(-2).
    """
    return x + table[: x.size(0)]


def rows_of_the_second_axis(x, table):
    """Axis 1 holds the positions only where there is exactly one batch axis: count from the end,
    x.size(-2).
    """
    return x + table[: x.size(1)]


def whole_table(x, table):
    """The whole table is added, and fits only a sentence as long as itself: take its first T rows."""
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
    """The rows are brought to length 1 first, which gives cosines: asked for are the dot products, which
    is what attention's scores are made of.
    """
    rows = torch.nn.functional.normalize(table, dim=-1)
    products = rows @ rows.T
    return torch.stack([products.diagonal(k).mean() for k in range(len(table))])


def sum_over_pairs(table):
    """These are sums over the pairs of rows: at distance k there are T - k pairs, so a sum falls with k
    for this reason alone, and you want the mean.
    """
    products = table @ table.T
    return torch.stack([products.diagonal(k).sum() for k in range(len(table))])


def divided_by_all(table):
    """Each sum is divided by T, but there are only T - k pairs of rows that are k apart."""
    products = table @ table.T
    return torch.stack([products.diagonal(k).sum() for k in range(len(table))]) / len(table)


def round_the_corner(table):
    """Rows are compared round the corner, the last with the first: rolling the table pairs rows that are
    k apart with rows that are T - k apart.
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
    """This is how far apart the rows are, which is 0 for equal ones: asked for are dot products, which are
    large for similar rows.
    """
    apart = torch.cdist(table, table)
    return torch.stack([apart.diagonal(k).mean() for k in range(len(table))])


def mean_over_features(table):
    """Each dot product is divided by d_model: it is the sum over the features, not their mean."""
    products = table @ table.T / table.size(-1)
    return torch.stack([products.diagonal(k).mean() for k in range(len(table))])


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


def k_times_one_step(k, d_model, base=10_000.0):
    """This is k times the matrix of one step: steps are made one after another, so one step is to be
    multiplied with itself k times, or turned by k times its angle.
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
    """This moves features to other places: the k-th position on is reached by turning each pair of
    features, not by renaming them.
    """
    return torch.eye(d_model).roll(k, dims=1)

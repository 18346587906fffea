"""Lesson 03's misconceptions about learned positions and numbers that are added to scores.

See `misconceptions.py`.
"""

# ruff: noqa: D205  (a sentence may take two lines)

import torch

# -- learned positions ---------------------------------------------------------------------------------------


def looked_up_by_word(ids, words, positions):
    """The position vector is looked up by the word's number, so a word has the same one wherever it
    stands: look it up by the place, 0, 1, 2, ….
    """
    return words[ids] + positions[ids % len(positions)]


def one_position_for_each_sentence(ids, words, positions):
    """Position vectors are handed out along the batch, one for each sentence: each place in a sentence
    gets one, and every sentence the same ones.
    """
    if ids.dim() == 1:
        return words[ids] + positions[: ids.size(0)]
    return words[ids] + positions[: ids.size(0)].unsqueeze(1)


def counted_through_the_batch(ids, words, positions):
    """Places are counted on from one sentence to the next: each sentence begins at position 0 again."""
    place = torch.arange(ids.numel()).reshape(ids.shape) % len(positions)
    return words[ids] + positions[place]


def learned_from_one(ids, words, positions):
    """The first word gets row 1: places are counted from 0, and row 0 would never be trained."""
    return words[ids] + positions[1 : ids.size(-1) + 1]


def positions_left_out(ids, words, positions):
    """These are the word vectors alone: the position vectors still have to be added."""
    return words[ids]


def positions_alone(ids, words, positions):
    """These are the position vectors alone, so it no longer matters what the words are: add the two."""
    return positions[: ids.size(-1)].expand(*ids.shape, -1)


def one_after_the_other(ids, words, positions):
    """Word and position are put one after the other, which makes the vectors twice as wide: they are
    added.
    """
    place = positions[: ids.size(-1)].expand(*ids.shape, -1)
    return torch.cat([words[ids], place], dim=-1)


def frozen(ids, words, positions):
    """No gradient reaches the position vectors, because of .detach() or .data, and so they stay what
    they were at the start: learned positions are parameters like the word vectors.
    """
    return words[ids] + positions[: ids.size(-1)].detach()


# -- relative positions --------------------------------------------------------------------------------------


def i_minus_j(table, T_q, T_k):
    """This takes the number for i - j, so keys before and after the query have changed places: the
    table is for j - i, key minus query.
    """
    K = table.size(-1) // 2
    apart = torch.arange(T_q)[:, None] - torch.arange(T_k)
    return table[..., apart.clamp(-K, K) + K]


def not_clipped(table, T_q, T_k):
    """Distances beyond K aren't clipped: those past the upper end have no entry, and those below -K become
    negative indices, which count from the wrong end without any error.
    """
    K = table.size(-1) // 2
    apart = torch.arange(T_k) - torch.arange(T_q)[:, None]
    return table[..., apart + K]


def wrapped_round(table, T_q, T_k):
    """Distances beyond K come round from the other end, so a key far to the right gets the number of one
    on the left: clip them, from -K to K.
    """
    K = table.size(-1) // 2
    apart = torch.arange(T_k) - torch.arange(T_q)[:, None]
    return table[..., (apart + K) % (2 * K + 1)]


def no_sign(table, T_q, T_k):
    """The sign of the distance is lost, so a key to the left and one to the right get the same number:
    the table has an entry for each.
    """
    K = table.size(-1) // 2
    apart = (torch.arange(T_k) - torch.arange(T_q)[:, None]).abs()
    return table[..., apart.clamp(0, K) + K]


def first_half_looked_up(table, T_q, T_k):
    """The size of the distance is looked up from the table's start: its first half is for keys on the left,
    and distance 0 stands in the middle, at K.
    """
    K = table.size(-1) // 2
    distance = torch.arange(T_k) - torch.arange(T_q).unsqueeze(1)
    return table[..., distance.abs().clamp(max=K)]


def not_moved_by_k(table, T_q, T_k):
    """Distance 0 takes entry 0, and negative distances count from the end of the table: entry 0 is for
    the distance -K, so add K.
    """
    K = table.size(-1) // 2
    apart = torch.arange(T_k) - torch.arange(T_q)[:, None]
    return table[..., apart.clamp(-K, K)]


def clipped_after_moving(table, T_q, T_k):
    """The index is clipped between -K and K, which is the range of distances, but K was added to it
    before: clip the distance first, and add K then.
    """
    K = table.size(-1) // 2
    apart = torch.arange(T_k) - torch.arange(T_q)[:, None]
    return table[..., (apart + K).clamp(-K, K)]


def far_keys_get_nothing(table, T_q, T_k):
    """Distances beyond K get 0: clipping means that they use the last entry on their side, as the
    nearest that was learned.
    """
    K = table.size(-1) // 2
    apart = torch.arange(T_k) - torch.arange(T_q)[:, None]
    return table[..., apart.clamp(-K, K) + K] * (apart.abs() <= K)


def first_axis_looked_up(table, T_q, T_k):
    """The numbers are looked up along the table's first axis, which is that of the heads as soon as there
    are any: distances are its last axis, table[..., index].
    """
    K = table.size(-1) // 2
    apart = torch.arange(T_k) - torch.arange(T_q)[:, None]
    return table[apart.clamp(-K, K) + K]


def keys_by_queries(table, T_q, T_k):
    """The axes are the wrong way round: scores are (T_q, T_k), a row for each query."""
    K = table.size(-1) // 2
    apart = torch.arange(T_k)[:, None] - torch.arange(T_q)
    return table[..., apart.clamp(-K, K) + K]


# -- the penalty ---------------------------------------------------------------------------------------------


def rewarded(n_heads, T_q, T_k):
    """The sign is wrong, so far keys get higher scores than near ones: a penalty is negative."""
    slopes = 2.0 ** (-8 * torch.arange(1, n_heads + 1) / n_heads)
    return slopes[:, None, None] * (torch.arange(T_k) - torch.arange(T_q)[:, None]).abs()


def signed_distance(n_heads, T_q, T_k):
    """The distance has a sign here, so keys after the query are rewarded for being far away: take its
    absolute value, and a minus.
    """
    slopes = 2.0 ** (-8 * torch.arange(1, n_heads + 1) / n_heads)
    return slopes[:, None, None] * (torch.arange(T_k) - torch.arange(T_q)[:, None])


def signed_the_other_way(n_heads, T_q, T_k):
    """The distance has a sign here, so keys before the query are rewarded for being far away: take its
    absolute value, and a minus.
    """
    slopes = 2.0 ** (-8 * torch.arange(1, n_heads + 1) / n_heads)
    return slopes[:, None, None] * (torch.arange(T_q)[:, None] - torch.arange(T_k))


def one_side_only(n_heads, T_q, T_k):
    """Only keys on one side of the query are penalised: this attention sees both sides, and a key three
    places on is as far away as one three places back.
    """
    slopes = 2.0 ** (-8 * torch.arange(1, n_heads + 1) / n_heads)
    return -slopes[:, None, None] * (torch.arange(T_q)[:, None] - torch.arange(T_k)).clamp(min=0)


def future_hidden(n_heads, T_q, T_k):
    """Keys after the query are hidden here, as the paper's mask hides them: this penalty counts both sides
    alike, and hiding is the work of a mask.
    """
    slopes = 2.0 ** (-8 * torch.arange(1, n_heads + 1) / n_heads)
    back = torch.arange(T_q)[:, None] - torch.arange(T_k)
    return (-slopes[:, None, None] * back).masked_fill(back < 0, float("-inf"))


def one_row_of_distances(n_heads, T_q, T_k):
    """There is one row for all queries, counted along the keys, as some libraries have it: that is enough
    only under a causal softmax, and here each query has distances of its own.
    """
    slopes = 2.0 ** (-8 * torch.arange(1, n_heads + 1) / n_heads)
    return slopes[:, None, None] * torch.arange(T_k)


def distances_from_the_first_key(n_heads, T_q, T_k):
    """Every query loses the same, by how far each key is from the first: the distance is from the query to
    the key, so each row differs.
    """
    slopes = 2.0 ** (-8 * torch.arange(1, n_heads + 1) / n_heads)
    return (-slopes[:, None, None] * torch.arange(T_k)).expand(n_heads, T_q, T_k)


def slopes_from_zero(n_heads, T_q, T_k):
    """The first head's slope is 1, because heads are counted from 0 here: h runs from 1 to n_heads, and
    the last slope is always 1/256.
    """
    slopes = 2.0 ** (-8 * torch.arange(n_heads) / n_heads)
    return -slopes[:, None, None] * (torch.arange(T_k) - torch.arange(T_q)[:, None]).abs()


def slopes_halving(n_heads, T_q, T_k):
    """The slopes are 1/2, 1/4, 1/8, … whatever the number of heads is: that is right for 8 heads, and
    otherwise the exponent is 8h/n_heads.
    """
    slopes = 0.5 ** torch.arange(1, n_heads + 1)
    return -slopes[:, None, None] * (torch.arange(T_k) - torch.arange(T_q)[:, None]).abs()


def slopes_reversed(n_heads, T_q, T_k):
    """The slopes are in reverse order: the first head has the steepest, the last has 1/256."""
    slopes = 2.0 ** (-8 * torch.arange(n_heads, 0, -1) / n_heads)
    return -slopes[:, None, None] * (torch.arange(T_k) - torch.arange(T_q)[:, None]).abs()


def slopes_in_a_line(n_heads, T_q, T_k):
    """The slopes fall in equal steps, where each should be the same fraction of the one before."""
    slopes = 1 - torch.arange(n_heads) / n_heads
    return -slopes[:, None, None] * (torch.arange(T_k) - torch.arange(T_q)[:, None]).abs()


def slopes_growing(n_heads, T_q, T_k):
    """The exponent's minus is missing, so the slopes grow up to 256 and even the next key is all but
    hidden: they fall from head to head, down to 1/256.
    """
    slopes = 2.0 ** (8 * torch.arange(1, n_heads + 1) / n_heads)
    return -slopes[:, None, None] * (torch.arange(T_k) - torch.arange(T_q)[:, None]).abs()


def squared_distance(n_heads, T_q, T_k):
    """The distance is squared: a linear penalty grows by the same amount with each step."""
    slopes = 2.0 ** (-8 * torch.arange(1, n_heads + 1) / n_heads)
    return -slopes[:, None, None] * (torch.arange(T_k) - torch.arange(T_q)[:, None]) ** 2


def same_for_all_heads(n_heads, T_q, T_k):
    """Every head has the slope 1/2: each needs its own, so that some look near and some far."""
    apart = (torch.arange(T_k) - torch.arange(T_q)[:, None]).abs()
    return -(0.5 * apart).expand(n_heads, T_q, T_k)

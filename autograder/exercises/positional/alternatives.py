"""Lesson 03's exercises solved in other ways than the reference, written as students would.

They stand alone like the misconceptions do. A check that fails one of them is wrong.
"""

# ruff: noqa: D103

import math

import torch

from helpers.positional import rotary

# -- sinusoidal ----------------------------------------------------------------------------------------------


def with_two_slices(T, d_model, base=10_000.0):
    table = torch.zeros(T, d_model)
    position = torch.arange(0, T, dtype=torch.float).unsqueeze(1)
    speed = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(base) / d_model))
    table[:, 0::2] = torch.sin(position * speed)
    table[:, 1::2] = torch.cos(position * speed)
    return table


def one_entry_after_another(T, d_model, base=10_000.0):
    table = torch.empty(T, d_model)
    for p in range(T):
        for i in range(d_model // 2):
            angle = p / base ** (2 * i / d_model)
            table[p, 2 * i] = math.sin(angle)
            table[p, 2 * i + 1] = math.cos(angle)
    return table


def with_a_quarter_turn(T, d_model, base=10_000.0):
    feature = torch.arange(d_model)
    wavelength = base ** (2 * torch.div(feature, 2, rounding_mode="floor") / d_model)
    angles = torch.arange(T)[:, None] / wavelength
    return torch.where(feature % 2 == 0, torch.sin(angles), torch.cos(angles))


# -- adding --------------------------------------------------------------------------------------------------


def with_a_slice_in_front(x, table):
    positions = table.narrow(0, 0, x.shape[-2]).reshape((1,) * (x.dim() - 2) + (-1, x.shape[-1]))
    return x + positions


def with_a_look_up(x, table):
    return torch.nn.functional.embedding(torch.arange(x.size(-2)), table) + x


def with_expand(x, table):
    T = x.shape[-2]
    return torch.add(x, table[:T, :].expand(x.shape))


# -- similarity ----------------------------------------------------------------------------------------------


def with_two_loops(table):
    T = table.shape[0]
    means = []
    for k in range(T):
        products = [torch.dot(table[p], table[p + k]) for p in range(T - k)]
        means.append(sum(products) / len(products))
    return torch.stack(means)


def with_shifted_tables(table):
    T = table.size(0)
    return torch.stack([(table[: T - k] * table[k:]).sum(dim=1).mean() for k in range(T)])


def with_masks(table):
    place = torch.arange(len(table))
    apart = place[None, :] - place[:, None]
    products = table @ table.T
    return torch.stack([products[apart == k].mean() for k in place])


# -- the shift -----------------------------------------------------------------------------------------------


def filled_in(k, d_model, base=10_000.0):
    M = torch.zeros(d_model, d_model)
    for i in range(0, d_model, 2):
        angle = k / base ** (i / d_model)
        M[i, i] = M[i + 1, i + 1] = math.cos(angle)
        M[i + 1, i] = math.sin(angle)
        M[i, i + 1] = -math.sin(angle)
    return M


def with_diagonals(k, d_model, base=10_000.0):
    speed = torch.exp(-math.log(base) * torch.arange(0, d_model, 2) / d_model)
    off = torch.zeros(d_model - 1)
    off[::2] = torch.sin(k * speed)
    return torch.diag(torch.cos(k * speed).repeat_interleave(2)) + torch.diag(off, -1) - torch.diag(off, 1)


def solved_from_two_positions(k, d_model, base=10_000.0):
    M = torch.zeros(d_model, d_model, dtype=torch.float64)
    for i in range(d_model // 2):
        w = base ** (-2 * i / d_model)
        # a quarter turn apart, so that the two rows are as different as can be
        p = [0.0, math.pi / 2 / w]
        before = torch.tensor([[math.sin(w * a), math.cos(w * a)] for a in p], dtype=torch.float64)
        after = torch.tensor([[math.sin(w * (a + k)), math.cos(w * (a + k))] for a in p], dtype=torch.float64)
        M[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = torch.linalg.solve(before, after)
    return M.float()


# -- learned positions ---------------------------------------------------------------------------------------


def with_embeddings(ids, words, positions):
    place = torch.arange(ids.shape[-1])
    return torch.nn.functional.embedding(ids, words) + torch.nn.functional.embedding(place, positions)


def with_one_hot(ids, words, positions):
    chosen = torch.nn.functional.one_hot(ids, words.size(0)).to(words.dtype)
    return chosen @ words + positions[: ids.size(-1), :]


def with_index_select(ids, words, positions):
    found = words.index_select(0, ids.reshape(-1)).reshape(*ids.shape, words.size(1))
    return torch.add(found, positions.index_select(0, torch.arange(ids.size(-1))))


# -- relative positions --------------------------------------------------------------------------------------


def by_indexing_with_lists(table, T_q, T_k):
    K = (table.shape[-1] - 1) // 2
    rows = []
    for i in range(T_q):
        columns = [max(-K, min(K, j - i)) + K for j in range(T_k)]
        rows.append(table[..., columns])
    return torch.stack(rows, dim=-2)


def with_gather(table, T_q, T_k):
    K = table.size(-1) // 2
    i, j = torch.arange(T_q).view(-1, 1), torch.arange(T_k).view(1, -1)
    index = torch.clamp(j - i + K, min=0, max=2 * K)
    flat = index.reshape(-1).expand(*table.shape[:-1], T_q * T_k)
    return torch.gather(table, -1, flat).reshape(*table.shape[:-1], T_q, T_k)


def with_where(table, T_q, T_k):
    K = (table.size(-1) - 1) // 2
    i, j = torch.meshgrid(torch.arange(T_q), torch.arange(T_k), indexing="ij")
    d = j - i
    d = torch.where(d > K, K, d)
    d = torch.where(d < -K, -K, d)
    return torch.index_select(table, -1, (d + K).flatten()).unflatten(-1, (T_q, T_k))


# -- rotary positions ----------------------------------------------------------------------------------------


def with_complex_numbers(x, positions, base=10_000.0):
    d = x.shape[-1]
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], d // 2, 2).contiguous())
    angles = torch.outer(positions.to(x.dtype), base ** (-torch.arange(0, d, 2) / d))
    turned = pairs * torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(turned).reshape(x.shape)


def with_a_partner(x, positions, base=10_000.0):
    d = x.size(-1)
    angles = positions[:, None] / base ** (torch.arange(0, d, 2) / d)
    angles = angles.repeat_interleave(2, dim=-1)
    partner = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).reshape(x.shape)
    return x * angles.cos() + partner * angles.sin()


def pair_by_pair(x, positions, base=10_000.0):
    d = x.size(-1)
    out = x.clone()
    for i in range(0, d, 2):
        angle = positions * base ** (-i / d)
        c, s = torch.cos(angle), torch.sin(angle)
        out[..., i] = x[..., i] * c - x[..., i + 1] * s
        out[..., i + 1] = x[..., i] * s + x[..., i + 1] * c
    return out


# -- rotary attention ----------------------------------------------------------------------------------------


def with_named_steps(q, k, v, mask=None):
    q_turned = rotary(q, torch.arange(q.shape[-2]))
    k_turned = rotary(k, torch.arange(k.shape[-2]))
    scores = torch.matmul(q_turned, k_turned.transpose(-1, -2)) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, v), weights


def turning_the_keys_by_distance(q, k, v, mask=None):
    d = q.size(-1)
    speed = 10_000.0 ** (-torch.arange(0, d, 2) / d)
    apart = torch.arange(k.size(-2)) - torch.arange(q.size(-2))[:, None]
    c, s = torch.cos(apart[..., None] * speed), torch.sin(apart[..., None] * speed)  # (T_q, T_k, d / 2)
    even, odd = k[..., None, :, 0::2], k[..., None, :, 1::2]
    scores = (
        q[..., :, None, 0::2] * (even * c - odd * s) + q[..., :, None, 1::2] * (even * s + odd * c)
    ).sum(-1)
    scores = scores / d**0.5
    if mask is not None:
        scores = torch.where(mask, scores, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights


def all_by_itself(q, k, v, mask=None):
    def turn(x):
        d = x.size(-1)
        angle = torch.arange(x.size(-2))[:, None] * 10_000.0 ** (-torch.arange(0, d, 2) / d)
        a, b = x[..., ::2], x[..., 1::2]
        pairs = (a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos())
        return torch.stack(pairs, -1).flatten(-2)

    scores = turn(q) @ turn(k).mT * q.size(-1) ** -0.5
    if mask is not None:
        scores = scores + torch.zeros(mask.shape).masked_fill(~mask, -math.inf)
    weights = scores.softmax(-1)
    return weights @ v, weights


# -- the penalty ---------------------------------------------------------------------------------------------


def one_head_after_another(n_heads, T_q, T_k):
    apart = (torch.arange(T_q)[:, None] - torch.arange(T_k)[None, :]).abs()
    return torch.stack([-apart / 2 ** (8 * (h + 1) / n_heads) for h in range(n_heads)])


def with_a_ratio(n_heads, T_q, T_k):
    ratio = 2 ** (-8 / n_heads)
    slopes = torch.tensor([ratio ** (h + 1) for h in range(n_heads)])
    i, j = torch.arange(T_q).float(), torch.arange(T_k).float()
    return -torch.einsum("h,ij->hij", slopes, (i[:, None] - j[None, :]).abs())


def with_the_smaller_of_two(n_heads, T_q, T_k):
    i, j = torch.arange(T_q).view(1, -1, 1), torch.arange(T_k).view(1, 1, -1)
    slopes = torch.exp2(-8 * torch.arange(1, n_heads + 1) / n_heads).view(-1, 1, 1)
    return slopes * torch.minimum(i - j, j - i)

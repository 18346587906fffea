"""Lesson 04's exercises solved in other ways than the reference, written as students would.

They stand alone like the misconceptions do. A check that fails one of them is wrong.
"""

# ruff: noqa: D103

import math

import torch

from helpers.masking import causal_mask, masked_attention

# -- the causal mask -----------------------------------------------------------------------------------------


def compared_places(T):
    places = torch.arange(T)
    return places[None, :] <= places[:, None]


def future_taken_away(T):
    return ~torch.triu(torch.ones(T, T), diagonal=1).bool()


def row_by_row(T):
    return torch.tensor([[j <= i for j in range(T)] for i in range(T)])


# -- the padding mask ----------------------------------------------------------------------------------------


def one_sentence_after_another(lengths, T):
    return torch.stack([torch.arange(T) < n for n in lengths])


def filled_in_place(lengths, T):
    mask = torch.zeros(len(lengths), T, dtype=torch.bool)
    for row, n in enumerate(lengths.tolist()):
        mask[row, :n] = True
    return mask


def written_as_a_list(lengths, T):
    return torch.tensor([[j < n for j in range(T)] for n in lengths.tolist()], dtype=torch.bool)


# -- both at once --------------------------------------------------------------------------------------------


def with_none(real):
    return causal_mask(real.shape[1])[None] & real[:, None]


def hidden_keys_filled(real):
    mask = causal_mask(real.size(-1)).repeat(len(real), 1, 1)
    return mask.masked_fill(~real[:, None, :], False)


def both_compared(real):
    places = torch.arange(real.size(1))
    not_ahead = places[None, :] <= places[:, None]
    return torch.logical_and(not_ahead, real[:, None, :])


# -- attention that survives empty rows ----------------------------------------------------------------------


def empty_rows_put_aside(q, k, v, mask):
    scores = q @ k.mT / q.size(-1) ** 0.5
    nothing = ~mask.any(dim=-1, keepdim=True)
    scores = torch.where(mask | nothing, scores, -math.inf)
    weights = torch.where(nothing, 0.0, torch.softmax(scores, dim=-1))
    return weights @ v, weights


def with_a_safe_divisor(q, k, v, mask):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True)) * mask
    total = powers.sum(dim=-1, keepdim=True)
    weights = powers / torch.where(total > 0, total, torch.ones_like(total))
    return weights @ v, weights


def nan_replaced_in_the_weights(q, k, v, mask):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1).nan_to_num()
    return weights @ v, weights


def large_negative_then_zero(q, k, v, mask):
    scores = torch.einsum("...qd,...kd->...qk", q, k) / math.sqrt(q.shape[-1])
    weights = torch.softmax(scores.masked_fill(mask == 0, -1e9), dim=-1) * mask
    return torch.einsum("...qk,...kv->...qv", weights, v), weights


# -- the leak detector ---------------------------------------------------------------------------------------


def one_output_at_a_time(layer, x):
    x = x.clone().requires_grad_()
    y = layer(x)
    found = torch.zeros(len(x), len(x), dtype=torch.bool)
    for i in range(len(x)):
        for feature in y[i]:
            (slopes,) = torch.autograd.grad(feature, x, retain_graph=True)
            found[i] |= slopes.abs().sum(dim=-1) > 0
    return found


def with_random_weights(layer, x):
    x = x.detach().clone().requires_grad_(True)
    y = layer(x)
    mixed = (y * torch.rand_like(y)).sum(dim=-1)
    rows = [torch.autograd.grad(value, x, retain_graph=True)[0] for value in mixed]
    return torch.stack(rows).ne(0).any(dim=-1)


def gradient_forgotten_each_time(layer, x):
    x = x.clone().requires_grad_()
    rows = []
    for i in range(x.size(0)):
        x.grad = None
        layer(x)[i].square().sum().backward()
        rows.append((x.grad != 0).any(dim=1))
    return torch.stack(rows)


def with_jacrev(layer, x):
    return torch.func.jacrev(layer)(x).abs().amax(dim=(1, 3)) > 1e-7


# -- one pass for each prefix --------------------------------------------------------------------------------


def last_ones_joined(layer, x):
    T = x.shape[-2]
    return torch.cat([layer(x[..., :t, :])[..., -1:, :] for t in range(1, T + 1)], dim=-2)


def from_the_longest(layer, x):
    found = []
    for t in reversed(range(x.size(-2))):
        out = layer(torch.narrow(x, -2, 0, t + 1))
        found.insert(0, out.select(-2, t))
    return torch.stack(found, -2)


# -- the cache -----------------------------------------------------------------------------------------------


def whole_mask_cut(cache, x, W_q, W_k, W_v):
    keys = torch.cat((cache["k"], x @ W_k), -2)
    values = torch.cat((cache["v"], x @ W_v), -2)
    total = keys.shape[-2]
    mask = torch.tril(torch.ones(total, total)).bool()[cache["k"].shape[-2] :]
    return masked_attention(x @ W_q, keys, values, mask)[0], {"k": keys, "v": values}


def with_places_compared(cache, x, W_q, W_k, W_v):
    past, new = cache["k"].size(-2), x.size(-2)
    k, v = torch.cat([cache["k"], x @ W_k], dim=-2), torch.cat([cache["v"], x @ W_v], dim=-2)
    mask = torch.arange(past + new) <= past + torch.arange(new)[:, None]
    scores = x @ W_q @ k.transpose(-2, -1) / math.sqrt(W_q.size(-1))
    return scores.masked_fill(~mask, -math.inf).softmax(-1) @ v, dict(k=k, v=v)


def one_after_another(cache, x, W_q, W_k, W_v):
    k, v, outputs = cache["k"], cache["v"], []
    for t in range(x.size(-2)):
        word = x[..., t : t + 1, :]
        k, v = torch.cat([k, word @ W_k], dim=-2), torch.cat([v, word @ W_v], dim=-2)
        weights = (word @ W_q @ k.transpose(-2, -1) / W_q.size(-1) ** 0.5).softmax(dim=-1)
        outputs.append(weights @ v)
    return torch.cat(outputs, dim=-2), {"k": k, "v": v}


# -- polarities ----------------------------------------------------------------------------------------------


def with_a_table_of_readers(mask, source, target):
    readers = {
        "may attend": lambda m: m,
        "hidden": torch.logical_not,
        "additive": lambda m: m > -1,
        "integer": torch.Tensor.bool,
    }
    writers = {
        "may attend": torch.clone,
        "hidden": torch.logical_not,
        "additive": lambda m: torch.where(m, 0.0, float("-inf")),
        "integer": torch.Tensor.long,
    }
    return writers[target](readers[source](mask))


def by_logarithm(mask, source, target):
    may = mask.exp() if source == "additive" else mask.float()
    if source == "hidden":
        may = 1 - may
    if target == "additive":
        return may.log()
    if target == "integer":
        return may.to(torch.int64)
    return may == (0 if target == "hidden" else 1)


# -- several layers ------------------------------------------------------------------------------------------


def as_a_power(mask, layers):
    step = (mask | torch.eye(mask.shape[0]).bool()).double()
    return torch.linalg.matrix_power(step, layers) > 0


def from_neighbour_to_neighbour(mask, layers):
    T = len(mask)
    reached = [{i} for i in range(T)]
    for _ in range(layers):
        reached = [set().union(reached[i], *(reached[j] for j in range(T) if mask[i, j])) for i in range(T)]
    return torch.tensor([[j in reached[i] for j in range(T)] for i in range(T)])


def kept_and_added(mask, layers):
    reached = torch.eye(mask.size(0), dtype=torch.bool)
    for _ in range(layers):
        reached = reached | (mask.int() @ reached.int()).bool()
    return reached

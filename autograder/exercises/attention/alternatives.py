"""Lesson 01's exercises solved in other ways than the reference, written as students would.

They stand alone like the misconceptions do. A check that fails one of them is wrong.
"""

# ruff: noqa: D103

import math

import torch

from helpers.attention import scaled_dot_product_attention

# -- softmax -------------------------------------------------------------------------------------------------


def by_logsumexp(x, dim):
    return (x - torch.logsumexp(x, dim=dim, keepdim=True)).exp()


def on_the_last_axis(x, dim):
    rows = x.transpose(dim, -1)
    largest, _ = rows.max(-1)
    powers = math.e ** (rows - largest[..., None])
    return (powers / powers.sum(-1)[..., None]).transpose(dim, -1)


def one_slice_after_another(x, dim):
    largest = x.select(dim, 0)
    for part in x.unbind(dim):
        largest = torch.maximum(largest, part)
    powers = [torch.exp(part - largest) for part in x.unbind(dim)]
    total = sum(powers)
    return torch.stack([power / total for power in powers], dim=dim)


def after_subtracting_in_place(x, dim):
    x = x.clone()
    x -= x.amax(dim, keepdim=True).detach()
    return torch.exp(x) / torch.exp(x).sum(dim, keepdim=True)


# -- scaled dot-product attention ----------------------------------------------------------------------------


def with_einsum(q, k, v, mask=None):
    scores = torch.einsum("...qd,...kd->...qk", q, k) * q.shape[-1] ** -0.5
    if mask is not None:
        scores = torch.where(mask, scores, float("-inf"))
    weights = torch.softmax(scores, -1)
    return torch.einsum("...qk,...kv->...qv", weights, v), weights


def with_a_large_negative_number(q, k, v, mask=None):
    d_k = torch.tensor(k.shape[-1])
    scores = torch.matmul(q, k.mT) / torch.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    weights = torch.nn.functional.softmax(scores, dim=-1)
    return torch.matmul(weights, v), weights


def with_an_added_bias(q, k, v, mask=None):
    scores = (q / math.sqrt(q.size(-1))) @ k.transpose(-1, -2)
    if mask is not None:
        bias = torch.zeros_like(scores)
        bias[~mask.expand(scores.shape)] = float("-inf")
        scores = scores + bias
    weights = scores.softmax(-1)
    return weights @ v, weights


def masked_and_divided_again(q, k, v, mask=None):
    scores = (q.unsqueeze(-2) * k.unsqueeze(-3)).sum(-1) / q.size(-1) ** 0.5
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
        weights = weights / weights.sum(dim=-1, keepdim=True)
    return (weights.unsqueeze(-1) * v.unsqueeze(-3)).sum(-2), weights


def with_baddbmm(q, k, v, mask=None):
    front, (T_q, T_k) = q.shape[:-2], (q.size(-2), k.size(-2))
    bias = q.new_zeros(T_q, T_k).expand(*front, T_q, T_k)
    if mask is not None:
        bias = bias.masked_fill(mask.logical_not(), -torch.inf)
    bias, q, k, v = (t.reshape(-1, *t.shape[-2:]) for t in (bias, q, k, v))
    scores = torch.baddbmm(bias, q, k.transpose(1, 2), alpha=1 / math.sqrt(q.size(-1)))
    weights = torch.exp(scores - scores.logsumexp(dim=-1, keepdim=True))
    return torch.bmm(weights, v).reshape(*front, T_q, -1), weights.reshape(*front, T_q, T_k)


# -- additive attention --------------------------------------------------------------------------------------


def with_matrix_products(query, keys, values, W_q, W_k, v):
    hidden = (keys @ W_k + (query @ W_q)[..., None, :]).tanh()
    weights = (hidden @ v[:, None]).softmax(dim=-2)
    return (weights.mT @ values).squeeze(-2), weights.squeeze(-1)


def with_sums_over_axes(query, keys, values, W_q, W_k, v):
    a = torch.einsum("...i,ia->...a", query, W_q)
    b = torch.einsum("...ti,ia->...ta", keys, W_k)
    scores = (v * torch.tanh(a.unsqueeze(-2) + b)).sum(-1)
    weights = torch.exp(scores) / torch.exp(scores).sum(-1, keepdim=True)
    return torch.einsum("...t,...tv->...v", weights, values), weights


def one_key_after_another(query, keys, values, W_q, W_k, v):
    scores = []
    for t in range(keys.size(-2)):
        both = torch.cat([query, keys[..., t, :]], dim=-1)
        scores.append(torch.tanh(both @ torch.cat([W_q, W_k])) @ v)
    weights = torch.softmax(torch.stack(scores, dim=-1), dim=-1)
    context = 0
    for t in range(values.size(-2)):
        context = context + weights[..., t, None] * values[..., t, :]
    return context, weights


# -- cross-attention -----------------------------------------------------------------------------------------


def with_named_projections(y, x, W_q, W_k, W_v, mask=None):
    queries = torch.matmul(y, W_q)
    keys = torch.matmul(x, W_k)
    values = torch.matmul(x, W_v)
    output, weights = scaled_dot_product_attention(queries, keys, values, mask=mask)
    return output, weights


def all_by_itself(y, x, W_q, W_k, W_v, mask=None):
    scores = torch.einsum("...qi,id,jd,...kj->...qk", y, W_q, W_k, x) / math.sqrt(W_k.size(1))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ x @ W_v, weights


def with_linear(y, x, W_q, W_k, W_v, mask=None):
    project = torch.nn.functional.linear
    q, k, v = project(y, W_q.T), project(x, W_k.T), project(x, W_v.T)
    return scaled_dot_product_attention(q, k, v, mask)


# -- the variance of a dot product ---------------------------------------------------------------------------


def sum_of_ones(d_k):
    variance_of_one_product = 1.0 * 1.0
    return sum(variance_of_one_product for _ in range(d_k))


def as_a_tensor(d_k):
    return torch.ones(d_k).sum()


# -- saturation ----------------------------------------------------------------------------------------------


def by_formula(q, k, scaled):
    scores = torch.einsum("nd,ntd->nt", q, k)
    if scaled:
        scores = scores * q.size(1) ** -0.5
    weights = torch.softmax(scores, dim=1)
    largest, place = weights.max(dim=1)
    is_largest = torch.nn.functional.one_hot(place, weights.size(1))
    gradient = largest[:, None] * (is_largest - weights)
    return largest.mean(), torch.sqrt((gradient**2).sum(dim=1)).mean()


def one_row_after_another(q, k, scaled):
    weights, norms = [], []
    for query, keys in zip(q, k, strict=True):
        scores = keys @ query
        if scaled:
            scores = scores / math.sqrt(len(query))
        scores = scores.clone().detach().requires_grad_(True)
        largest = torch.softmax(scores, dim=0).max()
        largest.backward()
        weights.append(largest.item())
        norms.append(scores.grad.norm().item())
    return sum(weights) / len(weights), sum(norms) / len(norms)


def with_retained_gradient(q, k, scaled):
    scores = (q.unsqueeze(1) * k).sum(-1) / (math.sqrt(q.shape[-1]) if scaled else 1.0)
    scores.requires_grad_(True)
    scores.retain_grad()
    largest = torch.softmax(scores, -1).amax(-1)
    largest.backward(torch.ones_like(largest))
    return largest.mean(), torch.linalg.vector_norm(scores.grad, dim=-1).mean()


# -- permutations --------------------------------------------------------------------------------------------


def with_index_select(layer, x, permutation):
    output, of_permuted = layer(x), layer(torch.index_select(x, -2, permutation))
    permuted_output = torch.index_select(output, -2, permutation)
    return (of_permuted - permuted_output).abs().amax(), (of_permuted - output).abs().amax()


def undone_with_argsort(layer, x, permutation):
    undo = torch.argsort(permutation)
    output, of_permuted = layer(x), layer(x[..., permutation, :])
    gap = torch.max(torch.abs(of_permuted[..., undo, :] - output))
    return gap.item(), torch.max(torch.abs(of_permuted - output)).item()


def with_a_permutation_matrix(layer, x, permutation):
    P = torch.eye(len(permutation), dtype=x.dtype)[permutation]
    after, before = layer(P @ x), layer(x)
    gaps = [torch.linalg.vector_norm(after - right, ord=float("inf")) for right in (P @ before, before)]
    return gaps[0], gaps[1]


# -- the repaired formula ------------------------------------------------------------------------------------


def from_torch(x, W_q, W_k, W_v):
    return torch.nn.functional.scaled_dot_product_attention(x @ W_q, x @ W_k, x @ W_v)

"""Lesson 05's exercises solved in other ways than the reference, written as students would.

They stand alone like the misconceptions do. A check that fails one of them is wrong.
"""

# ruff: noqa: D103

import math

import torch

from helpers.complexity import absorb, layers_to_connect, matmul_flops

# -- counting ------------------------------------------------------------------------------------------------


def with_names_for_the_axes(a, b):
    *front, m, k = a
    flops = 2 * m * k * b[-1]
    for size in front:
        flops *= size
    return flops


def from_the_result(a, b):
    result = torch.empty(tuple(a), device="meta") @ torch.empty(tuple(b), device="meta")
    return result.numel() * 2 * a[-1]


def written_out(n, d):
    scores = 2 * n**2 * d
    return {"mixture": scores, "scores": scores, "softmax": 6 * n**2, "projections": 6 * n * d**2}


def with_products_of_shapes(n, d):
    projection = matmul_flops([n, d], [d, d])
    return {
        "projections": projection + projection + projection,
        "scores": matmul_flops([n, d], [d, n]),
        "softmax": 6.0 * n * n,
        "mixture": matmul_flops([n, n], [n, d]),
    }


def by_division_and_powers(n, k, dilated):
    if not dilated:
        return -(-(n - 1) // (k - 1))
    layers = 1
    while k**layers < n:
        layers += 1
    return layers


def by_walking_back(n, k, dilated):
    layers, position, step = 0, n - 1, 1
    while position > 0:
        position -= (k - 1) * step
        step = step * k if dilated else 1
        layers += 1
    return layers


# -- layers --------------------------------------------------------------------------------------------------


def from_a_dict(layer, n, d, k):
    table = {
        "self-attention": (d * n**2, 1, 1),
        "recurrent": (n * d**2, n, n),
        "convolutional": (k * n * d**2, 1, layers_to_connect(n, k, True)),
    }
    return table[layer]


def as_a_list(layer, n, d, k):
    operations = n * n * d if layer == "self-attention" else n * d * d
    if layer != "convolutional":
        return [operations, n, n] if layer == "recurrent" else [operations, 1, 1]
    path = 1
    while k**path < n:
        path += 1
    return [k * operations, 1, path]


def with_two_flops_apiece(d, projections, recurrent):
    left_for_products = 2 * recurrent * d**2 - 2 * projections * d**2
    return left_for_products / (4 * d) if left_for_products > 0 else 0


def as_a_whole_number(d, projections, recurrent):
    if recurrent <= projections:
        return 0
    return d * (recurrent - projections) // 2


# -- measuring -----------------------------------------------------------------------------------------------


def by_covariance(sizes, times):
    points = torch.stack([torch.log2(sizes), torch.log2(times)])
    covariance = torch.cov(points)
    return covariance[0, 1] / covariance[0, 0]


def by_least_squares(sizes, times):
    x = torch.stack([sizes.log(), torch.ones_like(sizes)], dim=1)
    return torch.linalg.lstsq(x, times.log().unsqueeze(1)).solution[0, 0]


def in_plain_python(sizes, times):
    x = [math.log(size) for size in sizes.tolist()]
    y = [math.log(time) for time in times.tolist()]
    count, sum_x, sum_y = len(x), sum(x), sum(y)
    products = sum(a * b for a, b in zip(x, y, strict=True))
    return (count * products - sum_x * sum_y) / (count * sum(a * a for a in x) - sum_x**2)


# -- attention in blocks -------------------------------------------------------------------------------------


def side_by_side(largest, total, mixture, scores, values):
    new = torch.cat([largest[..., None], scores], dim=-1).amax(dim=-1)
    old = torch.exp(largest - new)
    weights = torch.exp(scores - new[..., None])
    return new, old * total + weights.sum(-1), old[..., None] * mixture + torch.matmul(weights, values)


def as_two_partial_sums(largest, total, mixture, scores, values):
    block_largest = scores.max(dim=-1, keepdim=True).values
    powers = torch.exp(scores - block_largest)
    block_total, block_mixture = powers.sum(dim=-1, keepdim=True), powers @ values
    new = torch.maximum(largest.unsqueeze(-1), block_largest)
    before, now = torch.exp(largest.unsqueeze(-1) - new), torch.exp(block_largest - new)
    total = total.unsqueeze(-1) * before + block_total * now
    return new.squeeze(-1), total.squeeze(-1), mixture * before + block_mixture * now


def starting_with_the_first_block(q, k, v, block):
    pieces = list(zip(k.split(block, dim=-2), v.split(block, dim=-2), strict=True))
    scale = q.shape[-1] ** -0.5
    scores = q @ pieces[0][0].mT * scale
    largest = scores.amax(-1)
    powers = torch.exp(scores - largest[..., None])
    total, mixture = powers.sum(-1), powers @ pieces[0][1]
    for keys, values in pieces[1:]:
        largest, total, mixture = absorb(largest, total, mixture, q @ keys.mT * scale, values)
    return mixture / total[..., None]


def all_by_itself(q, k, v, block):
    k = k / math.sqrt(k.size(-1))
    maximum = torch.full((*q.shape[:-1], 1), float("-inf"), dtype=q.dtype)
    denominator, numerator = torch.zeros_like(maximum), 0
    start = 0
    while start < k.size(-2):
        end = min(start + block, k.size(-2))
        scores = torch.matmul(q, k[..., start:end, :].transpose(-1, -2))
        new_maximum = torch.maximum(maximum, scores.max(dim=-1, keepdim=True)[0])
        correction = torch.exp(maximum - new_maximum)
        weights = torch.exp(scores - new_maximum)
        denominator = denominator * correction + weights.sum(dim=-1, keepdim=True)
        numerator = numerator * correction + torch.matmul(weights, v[..., start:end, :])
        maximum, start = new_maximum, end
    return numerator / denominator


def with_logarithms_of_sums(q, k, v, block):
    output, log_total = 0, torch.full(q.shape[:-1], -math.inf, dtype=q.dtype)
    for keys, values in zip(k.split(block, -2), v.split(block, -2), strict=True):
        scores = q @ keys.transpose(-2, -1) / math.sqrt(q.size(-1))
        block_total = scores.logsumexp(dim=-1)
        both = torch.logaddexp(log_total, block_total)
        old, new = (log_total - both).exp(), (block_total - both).exp()
        output = old.unsqueeze(-1) * output + new.unsqueeze(-1) * (scores.softmax(-1) @ values)
        log_total = both
    return output


def blocks_of_queries(q, k, v, block):
    scale = math.sqrt(q.size(-1))
    parts = [(part @ k.transpose(-2, -1) / scale).softmax(dim=-1) @ v for part in q.split(block, dim=-2)]
    return torch.cat(parts, dim=-2)


def one_query_after_another(q, k, v, block):
    outputs = []
    for position in range(q.size(-2)):
        scores = (k * q[..., position, None, :]).sum(-1) / math.sqrt(q.size(-1))
        outputs.append((scores.softmax(-1).unsqueeze(-1) * v).sum(-2))
    return torch.stack(outputs, dim=-2)


# -- writing one word at a time ------------------------------------------------------------------------------


def keys_and_values_apart(layers, heads, kv_heads, d_head, positions, bytes_per_number):
    keys = positions * kv_heads * d_head
    values = positions * kv_heads * d_head
    return layers * (keys + values) * bytes_per_number


def a_share_of_the_full_cache(layers, heads, kv_heads, d_head, positions, bytes_per_number):
    full = 2 * layers * positions * heads * d_head * bytes_per_number
    return full * kv_heads // heads


def by_broadcasting(q, k, v):
    groups = k.size(-3)
    q = q.unflatten(-3, (groups, q.size(-3) // groups))
    scores = q @ k.unsqueeze(-3).transpose(-2, -1) / math.sqrt(q.size(-1))
    return (scores.softmax(dim=-1) @ v.unsqueeze(-3)).flatten(-4, -3)


def one_head_after_another(q, k, v):
    shared = q.shape[-3] // k.shape[-3]
    outputs = []
    for head in range(q.shape[-3]):
        keys, values = k[..., head // shared, :, :], v[..., head // shared, :, :]
        weights = torch.softmax(q[..., head, :, :] @ keys.mT / q.shape[-1] ** 0.5, dim=-1)
        outputs.append(weights @ values)
    return torch.stack(outputs, dim=-3)


def with_a_list_of_heads(q, k, v):
    shared = q.shape[-3] // k.shape[-3]
    used = [head // shared for head in range(q.shape[-3])]
    scores = torch.einsum("...hqd,...hkd->...hqk", q, k[..., used, :, :]) / math.sqrt(q.shape[-1])
    return torch.einsum("...hqk,...hkd->...hqd", scores.softmax(-1), v[..., used, :, :])

"""Other right answers to lesson 02's exercises, each written differently from the reference."""

# ruff: noqa: D103  (their names say it)

import math

import torch

from helpers.multihead import merge_heads, split_heads

# -- splitting and merging -----------------------------------------------------------------------------------


def split_with_view_and_transpose(x, n_heads):
    *front, T, C = x.shape
    return x.view(*front, T, n_heads, C // n_heads).transpose(-2, -3)


def split_into_chunks(x, n_heads):
    return torch.stack(x.chunk(n_heads, dim=-1), dim=-3)


def split_one_after_another(x, n_heads):
    size = x.shape[-1] // n_heads
    return torch.stack([x[..., h * size : (h + 1) * size] for h in range(n_heads)], -3)


def split_by_way_of_the_transpose(x, n_heads):
    return x.mT.unflatten(-2, (n_heads, -1)).mT


def merge_with_reshape(z):
    *front, H, T, D = z.shape
    return z.transpose(-2, -3).reshape(*front, T, H * D)


def merge_by_cat(z):
    return torch.cat(z.unbind(dim=-3), dim=-1)


def merge_contiguous_view(z):
    swapped = z.movedim(-3, -2).contiguous()
    return swapped.view(*swapped.shape[:-2], -1)


# -- the module ----------------------------------------------------------------------------------------------


class Plain(torch.nn.Module):
    """The reference: as the lesson's own solution."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x = y if x is None else x
        q, k, v = (split_heads(t, self.n_heads) for t in (self.W_q(y), self.W_k(x), self.W_v(x)))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(dim=-1)
        return self.W_o(merge_heads(weights @ v)), weights


class WithEinsum(torch.nn.Module):
    """All shapes spelt out."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.H, self.D = n_heads, d_model // n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        if x is None:
            x = y
        (B, T_q, C), T_k = y.shape, x.shape[1]
        q = self.W_q(y).view(B, T_q, self.H, self.D)
        k = self.W_k(x).view(B, T_k, self.H, self.D)
        v = self.W_v(x).view(B, T_k, self.H, self.D)
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) * self.D**-0.5
        if mask is not None:
            scores = torch.where(mask, scores, -torch.inf)
        weights = torch.softmax(scores, -1)
        return self.W_o(torch.einsum("bhqk,bkhd->bqhd", weights, v).reshape(B, T_q, C)), weights


class OneHeadAfterAnother(torch.nn.Module):
    """A loop over the heads."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x = x if x is not None else y
        queries, keys, values = self.W_q(y), self.W_k(x), self.W_v(x)
        size = y.size(-1) // self.n_heads
        found, looked = [], []
        for head in range(self.n_heads):
            own = slice(head * size, (head + 1) * size)
            scores = queries[..., own] @ keys[..., own].mT / size**0.5
            if mask is not None:
                shown = mask.expand(len(y), self.n_heads, *scores.shape[-2:])[:, head]
                scores = scores.masked_fill(shown.logical_not(), float("-inf"))
            looked.append(torch.softmax(scores, dim=2))
            found.append(looked[-1] @ values[..., own])
        return self.W_o(torch.cat(found, dim=-1)), torch.stack(looked, dim=1)


class WithScaledQueries(torch.nn.Module):
    """The scale on the queries, the mask as an added bias."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads, self.scale = n_heads, (d_model // n_heads) ** -0.5
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x = y if x is None else x
        q = split_heads(self.W_q(y) * self.scale, self.n_heads)
        k, v = split_heads(self.W_k(x), self.n_heads), split_heads(self.W_v(x), self.n_heads)
        scores = torch.matmul(q, k.mT)
        if mask is not None:
            scores = scores + torch.zeros_like(mask, dtype=scores.dtype).masked_fill(~mask, -math.inf)
        weights = torch.nn.functional.softmax(scores, dim=-1)
        attended = torch.matmul(weights, v)
        return self.W_o(attended.permute(0, 2, 1, 3).flatten(2)), weights


# -- torch's packed weights ----------------------------------------------------------------------------------


def unpack_by_slices(in_proj_weight, in_proj_bias):
    C = in_proj_weight.size(1)
    return {
        "W_q.weight": in_proj_weight[:C],
        "W_q.bias": in_proj_bias[:C],
        "W_k.weight": in_proj_weight[C : 2 * C],
        "W_k.bias": in_proj_bias[C : 2 * C],
        "W_v.weight": in_proj_weight[2 * C :],
        "W_v.bias": in_proj_bias[2 * C :],
    }


def unpack_by_view(in_proj_weight, in_proj_bias):
    weights, biases = in_proj_weight.unflatten(0, (3, -1)), in_proj_bias.view(3, -1)
    state = {}
    for number, letter in enumerate("qkv"):
        state[f"W_{letter}.bias"] = biases[number].clone()
        state[f"W_{letter}.weight"] = weights[number].clone()
    return state


# -- costs ---------------------------------------------------------------------------------------------------


def costs_head_by_head(T, d_model, n_heads):
    d_head = d_model // n_heads
    parameters, multiplications, weights = d_model * d_model + d_model, T * d_model * d_model, 0
    for _ in range(n_heads):
        parameters += 3 * (d_model * d_head + d_head)
        multiplications += 3 * T * d_model * d_head + T * d_head * T + T * T * d_head
        weights += T * T
    return parameters, multiplications, weights


def costs_in_closed_form(T, d_model, n_heads):
    return 4 * d_model * (d_model + 1), 2 * T * d_model * (2 * d_model + T), n_heads * T**2


# -- two places at once --------------------------------------------------------------------------------------


def as_written_tables():
    W_q = torch.tensor([[0.0, -20, 0, 20], [20, 0, -20, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    W_k = torch.tensor([[1.0, 0, 1, 0], [0, 1, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]])
    W_v = torch.tensor([[0.0, 0, 0, 0], [0, 0, 0, 0], [1, 0, 1, 0], [0, 0, 0, 0]])
    W_o = torch.tensor([[1.0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]])
    return W_q, W_k, W_v, W_o


def with_turned_keys_and_heads_exchanged():
    turn = torch.tensor([[0.0, -1.0], [1.0, 0.0]])
    W_q, W_k = torch.zeros(4, 4), torch.zeros(4, 4)
    W_q[:2, :2] = W_q[:2, 2:] = torch.eye(2) * 60
    W_k[:2, :2], W_k[:2, 2:] = turn, turn.T
    W_v, W_o = torch.zeros(4, 4), torch.zeros(4, 4)
    W_v[2, 1] = W_v[2, 3] = -1.0
    W_o[1, 1] = W_o[3, 0] = -1.0
    return [W_q, W_k, W_v, W_o]


# -- switching heads off -------------------------------------------------------------------------------------


def off_by_a_loop(weight, keep):
    size = weight.shape[1] // len(keep)
    off = torch.clone(weight)
    for head, on in enumerate(keep.tolist()):
        if not on:
            off[:, size * head : size * (head + 1)] = 0.0
    return off


def off_by_views(weight, keep):
    heads = weight.reshape(weight.size(0), keep.numel(), -1)
    return (heads * keep[None, :, None]).reshape(weight.shape)


# -- head importance -----------------------------------------------------------------------------------------


def with_an_identity_matrix(loss_with, n_heads):
    complete = loss_with(torch.full((n_heads,), True))
    rows = ~torch.eye(n_heads, dtype=torch.bool)
    return torch.stack([loss_with(row) - complete for row in rows])


def as_plain_numbers(loss_with, n_heads):
    keep = torch.ones(n_heads).bool()
    complete, growth = float(loss_with(keep)), torch.zeros(n_heads)
    for head in range(n_heads):
        keep[head] = False
        growth[head] = float(loss_with(keep)) - complete
        keep[head] = True
    return growth

"""Other right answers on what has come since 2017, each written differently from the reference."""

# ruff: noqa: D103  (their names say it)

import math

import torch

from helpers.masking import causal_mask, masked_attention
from helpers.modern import rms_norm
from helpers.multihead import merge_heads, split_heads
from helpers.positional import rotary

# -- the block ---------------------------------------------------------------------------------------------


def rms_by_dividing(x, weight, eps=1e-6):
    return weight * x / torch.sqrt((x**2).mean(-1, keepdim=True) + eps)


def rms_by_length(x, weight, eps=1e-6):
    squares = torch.linalg.vector_norm(x, dim=-1, keepdim=True) ** 2 / x.shape[-1]
    return x / (squares + eps) ** 0.5 * weight


def rms_by_einsum(x, weight, eps=1e-6):
    mean = torch.einsum("...c,...c->...", x, x) / x.size(-1)
    return (x * weight) * (mean + eps).pow(-0.5).unsqueeze(-1)


class GatedInSteps(torch.nn.Module):
    """Line by line, with the SiLU written out."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_gate = torch.nn.Linear(d_model, d_ff, bias=False)
        self.W_up = torch.nn.Linear(d_model, d_ff, bias=False)
        self.W_down = torch.nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        gate = self.W_gate(x)
        gate = gate * torch.sigmoid(gate)
        return self.W_down(gate * self.W_up(x))


class GatedByMatrices(torch.nn.Module):
    """With the matrices themselves, in another order of creation."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_down = torch.nn.Linear(d_ff, d_model, bias=False)
        self.W_up = torch.nn.Linear(d_model, d_ff, bias=False)
        self.W_gate = torch.nn.Linear(d_model, d_ff, bias=False)
        self.activation = torch.nn.SiLU()

    def forward(self, x):
        return (self.activation(x @ self.W_gate.weight.T) * (x @ self.W_up.weight.T)) @ self.W_down.weight.T


class GatedFeedForward(torch.nn.Module):
    """The reference: as the lesson's own solution."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_gate, self.W_up = (torch.nn.Linear(d_model, d_ff, bias=False) for _ in range(2))
        self.W_down = torch.nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        return self.W_down(torch.nn.functional.silu(self.W_gate(x)) * self.W_up(x))


def width_with_ceil(d_ff, multiple):
    return math.ceil(int(2 * d_ff / 3) / multiple) * multiple


def width_as_in_llama(d_ff, multiple):
    hidden_dim = d_ff * 2 // 3
    return multiple * ((hidden_dim + multiple - 1) // multiple)


def width_by_remainder(d_ff, multiple):
    width = 2 * d_ff // 3
    while width % multiple:
        width += 1
    return width


def interleaved_with_stack(weight, n_heads):
    heads = weight.view(n_heads, -1, weight.size(1))
    first, second = heads.chunk(2, dim=1)
    return torch.stack([first, second], dim=2).flatten(0, 2)


def interleaved_with_an_index(weight, n_heads):
    D = weight.shape[0] // n_heads
    order = torch.arange(D).view(2, D // 2).T.flatten()
    rows = torch.cat([h * D + order for h in range(n_heads)])
    return weight[rows]


def interleaved_by_filling(weight, n_heads):
    heads = weight.reshape(n_heads, len(weight) // n_heads, -1)
    half = heads.size(1) // 2
    made = torch.empty_like(heads)
    made[:, 0::2], made[:, 1::2] = heads[:, :half], heads[:, half:]
    return made.view(weight.shape)


class GroupedAttention(torch.nn.Module):
    """The reference: as the lesson's own solution."""

    def __init__(self, d_model, n_heads, n_groups):
        super().__init__()
        D = d_model // n_heads
        self.n_heads, self.n_groups = n_heads, n_groups
        self.W_q = torch.nn.Linear(d_model, n_heads * D, bias=False)
        self.W_k = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_v = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_o = torch.nn.Linear(d_model, d_model, bias=False)
        self.norm_q, self.norm_k = (torch.nn.Parameter(torch.ones(D)) for _ in range(2))

    def forward(self, x):
        q = rms_norm(split_heads(self.W_q(x), self.n_heads), self.norm_q)
        k = rms_norm(split_heads(self.W_k(x), self.n_groups), self.norm_k)
        v = split_heads(self.W_v(x), self.n_groups)
        places = torch.arange(x.size(-2))
        q, k = rotary(q, places), rotary(k, places)
        k, v = (shared.repeat_interleave(self.n_heads // self.n_groups, dim=-3) for shared in (k, v))
        return self.W_o(merge_heads(masked_attention(q, k, v, causal_mask(x.size(-2)))[0]))


class AttentionWithTorch(torch.nn.Module):
    """With torch's fused attention and a group axis of its own."""

    def __init__(self, d_model, n_heads, n_groups):
        super().__init__()
        D = d_model // n_heads
        self.H, self.G = n_heads, n_groups
        self.W_q = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_k = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_v = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_o = torch.nn.Linear(d_model, d_model, bias=False)
        self.norm_q = torch.nn.Parameter(torch.ones(D))
        self.norm_k = torch.nn.Parameter(torch.ones(D))

    def forward(self, x):
        B, T, C = x.shape
        D = C // self.H
        q = self.W_q(x).view(B, T, self.H, D).transpose(1, 2)
        k = self.W_k(x).view(B, T, self.G, D).transpose(1, 2)
        v = self.W_v(x).view(B, T, self.G, D).transpose(1, 2)
        q = rotary(rms_norm(q, self.norm_q), torch.arange(T)).reshape(B, self.G, self.H // self.G, T, D)
        k = rotary(rms_norm(k, self.norm_k), torch.arange(T)).unsqueeze(2).expand_as(q)
        v = v.unsqueeze(2).expand_as(q)
        found = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.W_o(found.reshape(B, self.H, T, D).transpose(1, 2).reshape(B, T, C))


class AttentionHeadByHead(torch.nn.Module):
    """One head after the other."""

    def __init__(self, d_model, n_heads, n_groups):
        super().__init__()
        self.n_heads, self.n_groups, self.size = n_heads, n_groups, d_model // n_heads
        self.W_q = torch.nn.Linear(d_model, n_heads * self.size, bias=False)
        self.W_k = torch.nn.Linear(d_model, n_groups * self.size, bias=False)
        self.W_v = torch.nn.Linear(d_model, n_groups * self.size, bias=False)
        self.W_o = torch.nn.Linear(n_heads * self.size, d_model, bias=False)
        self.norm_q, self.norm_k = (torch.nn.Parameter(torch.ones(self.size)) for _ in range(2))

    def forward(self, x):
        T = x.shape[1]
        places, later = torch.arange(T), torch.ones(T, T).triu(1).bool()
        queries, keys = self.W_q(x).split(self.size, dim=-1), self.W_k(x).split(self.size, dim=-1)
        values = self.W_v(x).split(self.size, dim=-1)
        outputs = []
        for head, query in enumerate(queries):
            group = head * self.n_groups // self.n_heads
            q = rotary(rms_norm(query, self.norm_q), places)
            k = rotary(rms_norm(keys[group], self.norm_k), places)
            scores = (q @ k.transpose(-2, -1) / math.sqrt(self.size)).masked_fill(later, -math.inf)
            outputs.append(torch.softmax(scores, dim=-1) @ values[group])
        return self.W_o(torch.cat(outputs, dim=-1))


class Block(torch.nn.Module):
    """The reference: as the lesson's own solution."""

    def __init__(self, d_model, n_heads, n_groups, d_ff):
        super().__init__()
        self.attention = GroupedAttention(d_model, n_heads, n_groups)
        self.feed_forward = GatedFeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = (torch.nn.Parameter(torch.ones(d_model)) for _ in range(2))

    def forward(self, x):
        x = x + self.attention(rms_norm(x, self.norm_1))
        return x + self.feed_forward(rms_norm(x, self.norm_2))


class BlockInSteps(torch.nn.Module):
    """Line by line, and the sums the other way round."""

    def __init__(self, d_model, n_heads, n_groups, d_ff):
        super().__init__()
        self.norm_1 = torch.nn.Parameter(torch.ones(d_model))
        self.norm_2 = torch.nn.Parameter(torch.ones(d_model))
        self.attention = GroupedAttention(d_model, n_heads, n_groups)
        self.feed_forward = GatedFeedForward(d_model, d_ff)

    def forward(self, x):
        normed = rms_norm(x, self.norm_1)
        attended = self.attention(normed)
        path = attended + x
        normed = rms_norm(path, self.norm_2)
        return self.feed_forward(normed) + path


class BlockByASublayer(torch.nn.Module):
    """With a function for both sublayers."""

    def __init__(self, d_model, n_heads, n_groups, d_ff):
        super().__init__()
        self.attention = GroupedAttention(d_model, n_heads, n_groups)
        self.feed_forward = GatedFeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = (torch.nn.Parameter(torch.ones(d_model)) for _ in range(2))

    def forward(self, x):
        for sublayer, weight in [(self.attention, self.norm_1), (self.feed_forward, self.norm_2)]:
            x = x + sublayer(torch.nn.functional.rms_norm(x, weight.shape, weight, 1e-6))
        return x


# -- a mixture of experts ----------------------------------------------------------------------------------


def gates_by_renormalising(logits, k):
    p = torch.softmax(logits, dim=-1)
    best, places = torch.topk(p, k, dim=-1)
    return torch.zeros_like(p).scatter_(-1, places, best / best.sum(-1, keepdim=True))


def gates_by_a_mask(logits, k):
    least = logits.topk(k, dim=-1).values[..., -1:]
    return logits.masked_fill(logits < least, -math.inf).softmax(dim=-1)


def gates_by_sorting(logits, k):
    rank = logits.argsort(dim=-1, descending=True).argsort(dim=-1)
    raised = torch.where(rank < k, (logits - logits.max(dim=-1, keepdim=True).values).exp(), 0.0)
    return raised / raised.sum(dim=-1, keepdim=True)


def mixture_token_by_token(x, gates, experts):
    rows = []
    for n in range(len(x)):
        row = torch.zeros_like(x[n])
        for e in range(len(experts)):
            if gates[n, e] != 0:
                row = row + gates[n, e] * experts[e](x[n : n + 1])[0]
        rows.append(row)
    return torch.stack(rows)


def mixture_with_index_add(x, gates, experts):
    output = torch.zeros_like(x)
    for share, expert in zip(gates.T, experts, strict=True):
        rows = share.nonzero().squeeze(-1)
        if len(rows):
            output.index_add_(0, rows, share[rows].unsqueeze(-1) * expert(x[rows]))
    return output


def mixture_by_a_sum(x, gates, experts):
    parts = []
    for e, expert in enumerate(experts):
        part = torch.zeros_like(x)
        asked = torch.where(gates[:, e] > 0)[0]
        part[asked] = expert(x[asked]) * gates[asked, e].view(-1, 1)
        parts.append(part)
    return sum(parts)


def balance_by_one_hot(logits, k):
    E = logits.size(1)
    chosen = torch.nn.functional.one_hot(logits.topk(k).indices, E).to(logits.dtype)  # (N, k, E)
    share = chosen.mean(dim=(0, 1))
    return E * torch.dot(share, torch.softmax(logits, dim=-1).mean(dim=0))


def balance_by_counting(logits, k):
    E = logits.shape[-1]
    counts = torch.bincount(torch.topk(logits, k, dim=-1)[1].flatten(), minlength=E)
    return (E * (counts / counts.sum()) * logits.softmax(-1).mean(0)).sum()


def balance_expert_by_expert(logits, k):
    best = logits.topk(k, dim=-1).indices
    p = logits.softmax(dim=-1)
    total = 0
    for e in range(logits.size(1)):
        total = total + (best == e).sum() / best.numel() * p[:, e].mean()
    return logits.size(1) * total


# -- cheaper to run ----------------------------------------------------------------------------------------


def quantized_with_max(weight):
    scales = weight.abs().max(dim=1, keepdim=True).values / 127
    scales[scales == 0] = 1
    return torch.round(weight / scales).to(torch.int8), scales


def quantized_row_by_row(weight):
    whole, scales = [], []
    for row in weight:
        scale = row.abs().max() / 127
        if scale == 0:
            scale = torch.ones_like(scale)
        whole.append((row / scale).round().clamp(-127, 127).char())
        scales.append(scale)
    return torch.stack(whole), torch.stack(scales).unsqueeze(1)


def quantized_linear_scaled_later(x, whole, scales):
    return (x @ whole.to(x.dtype).T) * scales.squeeze(-1)


def quantized_linear_with_functional(x, whole, scales):
    return torch.nn.functional.linear(x, whole.to(scales.dtype) * scales)


def adjusted_by_where(target, draft):
    more = torch.where(target > draft, target - draft, torch.zeros_like(target))
    return torch.nn.functional.normalize(more, p=1, dim=-1)


def adjusted_with_minimum(target, draft):
    shared = torch.minimum(target, draft)
    return (target - shared) / (1 - shared.sum())


def accepted_in_a_loop(target, draft, drafted, chances):
    kept = 0
    for p, q, token, chance in zip(target, draft, drafted, chances, strict=True):
        if chance >= p[token] / q[token]:
            break
        kept += 1
    return kept


def accepted_with_gather(target, draft, drafted, chances):
    p = target.gather(1, drafted[:, None]).squeeze(1)
    q = draft.gather(1, drafted[:, None]).squeeze(1)
    turned_down = (chances * q >= p).nonzero()
    return len(drafted) if len(turned_down) == 0 else turned_down[0].item()


def accepted_by_the_first(target, draft, drafted, chances):
    K = len(drafted)
    kept = [bool(chances[i] < target[i, drafted[i]] / draft[i, drafted[i]]) for i in range(K)]
    return [*kept, False].index(False)


def tokens_by_formula(share, drafted):
    if share == 1:
        return drafted + 1
    return (1 - share ** (drafted + 1)) / (1 - share)


def tokens_in_a_loop(share, drafted):
    total = probability = 1.0
    for _ in range(drafted):
        probability *= share
        total += probability
    return total

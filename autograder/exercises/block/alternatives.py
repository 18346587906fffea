"""Other right answers to the block's exercises, each written differently from the reference."""

# ruff: noqa: D103  (their names say it)

import math

import torch

from helpers.block import LayerNorm, add_sublayer, embed, gelu, unembed
from helpers.masking import causal_mask
from helpers.multihead import MultiHeadAttention

# -- tokens to vectors and back ------------------------------------------------------------------------------


def embed_with_functional(ids, words, positions):
    vectors = torch.nn.functional.embedding(ids, words)
    return vectors * words.shape[1] ** 0.5 + positions[torch.arange(ids.shape[-1])]


def embed_with_one_hot(ids, words, positions):
    hot = torch.nn.functional.one_hot(ids, len(words)).to(words.dtype)
    return (hot @ words) * math.sqrt(words.shape[-1]) + positions.narrow(0, 0, ids.shape[-1])


def embed_with_index_select(ids, words, positions):
    rows = words.index_select(0, ids.flatten()).view(*ids.shape, -1)
    return torch.add(positions[: ids.shape[-1]], rows, alpha=math.sqrt(words.shape[1]))


def unembed_with_linear(x, words):
    return torch.nn.functional.linear(x, words)


def unembed_with_einsum(x, words):
    return torch.einsum("...c,vc->...v", x, words)


def unembed_by_sums(x, words):
    return (x.unsqueeze(-2) * words).sum(-1)


# -- norm and activation -------------------------------------------------------------------------------------


def norm_with_var_mean(x, weight, bias, eps=1e-5):
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return (x - mean) * torch.rsqrt(variance + eps) * weight + bias


def norm_with_var(x, weight, bias, eps=1e-5):
    mu = x.mean(-1, keepdim=True)
    var = x.var(-1, unbiased=False, keepdim=True)
    return torch.addcmul(bias, (x - mu) / (var + eps) ** 0.5, weight)


def norm_from_sums(x, weight, bias, eps=1e-5):
    n = x.shape[-1]
    mean = x.sum(dim=-1, keepdim=True) / n
    var = ((x - mean) ** 2).sum(dim=-1, keepdim=True) / n
    return weight * ((x - mean) / torch.sqrt(var + eps)) + bias


def gelu_with_normal_distribution(x):
    return x * torch.distributions.Normal(0.0, 1.0).cdf(x)


def gelu_with_erfc(x):
    return 0.5 * x * torch.erfc(-x * 0.5**0.5)


def gelu_with_ndtr(x):
    return x * torch.special.ndtr(x)


class FeedForwardInSteps(torch.nn.Module):
    """Line by line."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_up = torch.nn.Linear(d_model, d_ff)
        self.W_down = torch.nn.Linear(d_ff, d_model)

    def forward(self, x):
        hidden = self.W_up(x)
        hidden = hidden * (1 + torch.erf(hidden / 2**0.5)) / 2
        return self.W_down(hidden)


class FeedForwardByMatrices(torch.nn.Module):
    """With the matrices themselves, in another order of creation."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_down = torch.nn.Linear(d_ff, d_model)
        self.W_up = torch.nn.Linear(d_model, d_ff)

    def forward(self, x):
        hidden = gelu(x @ self.W_up.weight.T + self.W_up.bias)
        return hidden @ self.W_down.weight.T + self.W_down.bias


# -- the residual path ---------------------------------------------------------------------------------------


def sublayer_with_branches(x, sublayer, norm, norm_first=True):
    if norm_first:
        normed = norm(x)
        return sublayer(normed) + x
    summed = sublayer(x) + x
    return norm(summed)


def sublayer_with_two_choices(x, sublayer, norm, norm_first=True):
    read = norm(x) if norm_first else x
    out = torch.add(x, sublayer(read))
    if not norm_first:
        out = norm(out)
    return out


def dropout_by_a_mask(x, p, training, chances):
    if not training:
        return x
    keep = (chances >= p).to(x.dtype)
    return x * keep / (1 - p)


def dropout_by_filling(x, p, training, chances):
    if not training or p == 0:
        return x.clone()
    return x.masked_fill(chances < p, 0).div(1 - p)


def dropout_by_multiplying(x, p, training, chances):
    scale = 1 / (1 - p)
    return x * (scale * (~(chances < p))) if training else x


# -- the block and the model ---------------------------------------------------------------------------------


class FeedForward(torch.nn.Module):
    """The reference: as the lesson's own solution."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_up, self.W_down = torch.nn.Linear(d_model, d_ff), torch.nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.W_down(gelu(self.W_up(x)))


class DecoderOnly(torch.nn.Module):
    """The reference: as the lesson's own solution."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, ids):
        x = embed(ids, self.words.weight, self.positions.weight)
        mask = causal_mask(ids.size(-1))
        for block in self.blocks:
            x = block(x, mask)
        return unembed(self.norm(x), self.words.weight)


class BlockInSteps(torch.nn.Module):
    """Without `add_sublayer`, line by line."""

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        attended, _ = self.attention(self.norm_1(x), mask=mask)
        x = x + attended
        x = x + self.feed_forward(self.norm_2(x))
        return x


class BlockWithFunctions(torch.nn.Module):
    """With a function inside, and torch's norms."""

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1 = torch.nn.LayerNorm(d_model)
        self.norm_2 = torch.nn.LayerNorm(d_model)

    def forward(self, x, mask=None):
        def attend(y):
            outputs, _ = self.attention(y, y, mask)
            return outputs

        return add_sublayer(add_sublayer(x, attend, self.norm_1), self.feed_forward, self.norm_2, True)


class Block(torch.nn.Module):
    """The reference: as the lesson's own solution."""

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        x = add_sublayer(x, lambda y: self.attention(y, mask=mask)[0], self.norm_1)
        return add_sublayer(x, self.feed_forward, self.norm_2)


class ModelByModules(torch.nn.Module):
    """With the embeddings as modules, and a mask made on the spot."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.d_model = d_model
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList([Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers)])
        self.norm = LayerNorm(d_model)

    def forward(self, ids):
        T = ids.shape[1]
        x = self.words(ids) * math.sqrt(self.d_model) + self.positions(torch.arange(T))
        earlier = torch.tril(torch.ones(T, T)) == 1
        for block in self.blocks:
            x = block(x, mask=earlier)
        return self.norm(x) @ self.words.weight.transpose(0, 1)


class ModelInALoop(torch.nn.Module):
    """With numbered blocks, and the mask anew for each."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, ids):
        hidden = embed(ids, self.words.weight, self.positions.weight)
        for number in range(len(self.blocks)):
            hidden = self.blocks[number](hidden, causal_mask(ids.size(1)))
        return unembed(self.norm(hidden), self.words.weight)


def std_by_the_end(name, n_layers, std=0.02):
    last_map = name.split(".")[-2]
    if last_map in ("W_o", "W_down"):
        return std * (2 * n_layers) ** -0.5
    return std


def std_by_a_set(name, n_layers, std=0.02):
    writes = {"attention.W_o.weight", "feed_forward.W_down.weight"}
    return std / (n_layers * 2) ** 0.5 if any(name.endswith(end) for end in writes) else std


# -- weights from elsewhere ----------------------------------------------------------------------------------


def gpt2_written_out(state, n_layers):
    root = math.sqrt(state["transformer.wte.weight"].shape[1])
    made = {"words.weight": state["transformer.wte.weight"] / root}
    made["positions.weight"] = state["transformer.wpe.weight"]
    for i in range(n_layers):
        old, new = f"transformer.h.{i}.", f"blocks.{i}."
        q, k, v = state[old + "attn.c_attn.weight"].T.split(state["transformer.wpe.weight"].shape[1])
        made[new + "attention.W_q.weight"] = q
        made[new + "attention.W_k.weight"] = k
        made[new + "attention.W_v.weight"] = v
        q, k, v = state[old + "attn.c_attn.bias"].view(3, -1)
        made[new + "attention.W_q.bias"] = q
        made[new + "attention.W_k.bias"] = k
        made[new + "attention.W_v.bias"] = v
        made[new + "attention.W_o.weight"] = state[old + "attn.c_proj.weight"].t()
        made[new + "attention.W_o.bias"] = state[old + "attn.c_proj.bias"]
        made[new + "feed_forward.W_up.weight"] = state[old + "mlp.c_fc.weight"].t()
        made[new + "feed_forward.W_up.bias"] = state[old + "mlp.c_fc.bias"]
        made[new + "feed_forward.W_down.weight"] = state[old + "mlp.c_proj.weight"].t()
        made[new + "feed_forward.W_down.bias"] = state[old + "mlp.c_proj.bias"]
        for number in (1, 2):
            made[new + f"norm_{number}.weight"] = state[old + f"ln_{number}.weight"]
            made[new + f"norm_{number}.bias"] = state[old + f"ln_{number}.bias"]
    made["norm.weight"] = root * state["transformer.ln_f.weight"]
    made["norm.bias"] = root * state["transformer.ln_f.bias"]
    return made


def gpt2_by_renaming(state, n_layers):
    C = state["transformer.wpe.weight"].size(1)
    rename = {
        "wte": "words", "wpe": "positions", "ln_f": "norm", ".h.": ".blocks.", "attn.c_proj": "attention.W_o",
        "mlp.c_fc": "feed_forward.W_up", "mlp.c_proj": "feed_forward.W_down", "ln_": "norm_",
    }  # fmt: skip
    made = {}
    for name, tensor in state.items():
        if name == "lm_head.weight":
            continue
        if ".c_" in name and name.endswith("weight"):
            tensor = tensor.mT
        if "c_attn" in name:
            for letter, part in zip("qkv", tensor.chunk(3), strict=True):
                block = name.split(".")[2]
                made[f"blocks.{block}.attention.W_{letter}.{name.split('.')[-1]}"] = part
            continue
        for old, new in rename.items():
            name = name.replace(old, new)
        made[name.removeprefix("transformer.")] = tensor
    made["words.weight"] = made["words.weight"] * C**-0.5
    for end in ("weight", "bias"):
        made[f"norm.{end}"] = made[f"norm.{end}"] * C**0.5
    return made

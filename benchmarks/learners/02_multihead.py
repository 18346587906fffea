# %% exercise="multihead.split_heads" kept
# https://github.com/reczoo/FuxiCTR/issues/30: The channels are viewed as heads first, without a transpose.
# named: view_alone
def split_heads(x, n_heads):
    *front, T, C = x.shape
    flat = x.contiguous().view(-1, T, C)
    heads = flat.view(flat.size(0) * n_heads, -1, C // n_heads)
    return heads.view(*front, n_heads, T, C // n_heads)


# %% exercise="multihead.split_heads"
# https://github.com/hyunwoongko/transformer/issues/15: A reshape to the wanted shape is taken for what view and transpose do.
# named: view_alone
def split_heads(x, n_heads):
    d = x.size(-1) // n_heads
    return torch.reshape(x, x.shape[:-2] + (n_heads, x.size(-2), d))


# %% exercise="multihead.merge_heads" kept
# https://github.com/jsbaan/transformer-from-scratch/pull/6: Heads are reshaped together without moving their axis next to D first.
# named: merged_without_transposing
def merge_heads(z):
    n_heads, seq_len, head_dim = z.shape[-3:]
    return z.reshape(z.shape[:-3] + (seq_len, n_heads * head_dim))


# %% exercise="multihead.merge_heads"
# https://github.com/gazelle93/Transformer-Various-Positional-Encoding/issues/1: Head and batch are taken in the wrong order before the merge.
# true: All the right numbers, but in the wrong places.
def merge_heads(z):
    *front, H, T, D = z.shape
    z = z.reshape(-1, H, T, D)
    B = z.size(0)
    output = z.reshape(B * H, T, D).view(H, B, T, D)
    output = output.permute(0, 2, 1, 3).contiguous().view(B, -1, H * D)
    return output.view(*front, T, H * D)


# %% exercise="multihead.module"
# https://github.com/omihub777/ViT-CIFAR/pull/11: The scores are divided by the root of the model's width, not of a head's.
# named: ScaledByModelWidth
class MultiHeadAttention(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))
        self.sqrt_d = d_model**0.5

    def forward(self, y, x=None, mask=None):
        x = y if x is None else x
        b, n, f = y.size()
        q = self.W_q(y).view(b, n, self.n_heads, f // self.n_heads).transpose(1, 2)
        k = self.W_k(x).view(b, x.size(1), self.n_heads, f // self.n_heads).transpose(1, 2)
        v = self.W_v(x).view(b, x.size(1), self.n_heads, f // self.n_heads).transpose(1, 2)
        score = torch.einsum("bhif,bhjf->bhij", q, k) / self.sqrt_d
        if mask is not None:
            score = score.masked_fill(~mask, float("-inf"))
        score = F.softmax(score, dim=-1)
        attn = torch.einsum("bhij,bhjf->bihf", score, v)
        return self.W_o(attn.flatten(2)), score


# %% exercise="multihead.module"
# https://github.com/tenstorrent/tt-metal/pull/56789: The scores are scaled by 1/√heads, where 1/√(a head's width) belongs.
# named: ScaledByNumberOfHeads
class MultiHeadAttention(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))
        self.scale = 1.0 / math.sqrt(n_heads)

    def heads(self, z):
        return z.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)

    def forward(self, y, x=None, mask=None):
        x = y if x is None else x
        q, k, v = self.heads(self.W_q(y)), self.heads(self.W_k(x)), self.heads(self.W_v(x))
        scores = q @ k.transpose(-1, -2) * self.scale
        if mask is not None:
            scores = torch.where(mask, scores, float("-inf"))
        w = torch.softmax(scores, -1)
        return self.W_o((w @ v).transpose(1, 2).flatten(2)), w


# %% exercise="multihead.module" kept
# https://github.com/lsdefine/attention-is-all-you-need-keras/issues/36: Heads come before sentences in the data, and after them in the repeated mask.
# true: Right only where `y` has size 1 along axis -3.
class MultiHeadAttention(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x = y if x is None else x
        B, T, C = y.shape
        S, H = x.size(1), self.n_heads
        D = C // H

        def reshape1(t):
            t = t.view(B, -1, H, D).permute(2, 0, 1, 3)
            return t.reshape(H * B, -1, D)

        qs, ks, vs = reshape1(self.W_q(y)), reshape1(self.W_k(x)), reshape1(self.W_v(x))
        attn = torch.bmm(qs, ks.transpose(1, 2)) / math.sqrt(D)
        if mask is not None:
            mask = mask.broadcast_to(B, H, T, S).reshape(B * H, T, S)
            attn = attn.masked_fill(~mask, float("-inf"))
        attn = attn.softmax(-1)
        out = torch.bmm(attn, vs).view(H, B, T, D).permute(1, 2, 0, 3).reshape(B, T, C)
        return self.W_o(out), attn.view(H, B, T, S).transpose(0, 1)


# %% exercise="multihead.module"
# https://github.com/jsbaan/transformer-from-scratch/issues/1: Queries, keys and values are returned, and unpacked as queries, values and keys.
# named: KeysAndValuesSwapped
class MultiHeadAttention(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def project(self, y, x):
        made = self.W_q(y), self.W_k(x), self.W_v(x)
        return [t.view(t.size(0), t.size(1), self.n_heads, -1).permute(0, 2, 1, 3) for t in made]

    def forward(self, y, x=None, mask=None):
        q, v, k = self.project(y, y if x is None else x)
        logits = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.shape[-1])
        if mask is not None:
            logits = logits.masked_fill(mask == 0, float("-inf"))
        attention = F.softmax(logits, dim=-1)
        values = torch.matmul(attention, v).permute(0, 2, 1, 3).reshape(y.shape)
        return self.W_o(values), attention


# %% exercise="multihead.module"
# https://github.com/649453932/Chinese-Text-Classification-Pytorch/issues/10: Split and merged by view alone, batch and heads in one axis.
# named: SplitByViewAlone, MergedWithoutTransposing
class MultiHeadAttention(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x = y if x is None else x
        B, T, C = y.shape
        H = self.n_heads
        Q = self.W_q(y).view(B * H, -1, C // H)
        K = self.W_k(x).view(B * H, -1, C // H)
        V = self.W_v(x).view(B * H, -1, C // H)
        scores = torch.matmul(Q, K.permute(0, 2, 1)) * K.size(-1) ** -0.5
        if mask is not None:
            scores = scores.view(B, H, T, -1).masked_fill(~mask, float("-inf")).view(B * H, T, -1)
        attention = F.softmax(scores, dim=-1)
        context = torch.matmul(attention, V).view(B, -1, C)
        return self.W_o(context), attention.view(B, H, T, -1)


# %% exercise="multihead.module"
# https://github.com/ajhalthor/Transformer-Neural-Network/pull/4: The heads' outputs are reshaped without permuting them back.
# named: MergedWithoutTransposing
class MultiHeadAttention(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads, self.head_dim = n_heads, d_model // n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x = y if x is None else x
        batch_size, sequence_length, _ = y.size()
        q, k, v = (
            t.reshape(batch_size, t.size(1), self.n_heads, self.head_dim).permute(0, 2, 1, 3)
            for t in (self.W_q(y), self.W_k(x), self.W_v(x))
        )
        scaled = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.head_dim)
        if mask is not None:
            scaled = scaled.masked_fill(~mask, -torch.inf)
        attention = F.softmax(scaled, dim=-1)
        values = torch.matmul(attention, v)
        values = values.reshape(batch_size, sequence_length, self.n_heads * self.head_dim)
        return self.W_o(values), attention


# %% exercise="multihead.unpack" kept
# https://github.com/awslabs/slapo/pull/46: The rows are read as q0, k0, v0, q1, ..., as another library stores them.
# named: every_third_row
def unpack_projections(in_proj_weight, in_proj_bias):
    C = in_proj_weight.shape[1]
    w = in_proj_weight.view(C, 3, C)
    b = in_proj_bias.view(C, 3)
    return {f"W_{n}.weight": w[:, i] for i, n in enumerate("qkv")} | {
        f"W_{n}.bias": b[:, i] for i, n in enumerate("qkv")
    }


# %% exercise="multihead.unpack"
# https://github.com/skyzh/tiny-llm/issues/41: The matrices are kept as (in, out), although a Linear's are (out, in).
# named: transposed
def unpack_projections(in_proj_weight, in_proj_bias):
    wq, wk, wv = in_proj_weight.chunk(3)
    bq, bk, bv = in_proj_bias.chunk(3)
    state = {}
    for name, w, b in [("W_q", wq, bq), ("W_k", wk, bk), ("W_v", wv, bv)]:
        state[name + ".weight"] = w.t().contiguous()
        state[name + ".bias"] = b
    return state


# %% exercise="multihead.costs" kept
# https://github.com/sovrasov/flops-counter.pytorch/issues/28: A linear layer's cost is that of one position, without the axis T.
# named: projections_of_one_position
def costs(T, d_model, n_heads):
    head_dim = d_model // n_heads
    parameters = 4 * (d_model * d_model + d_model)
    linear = 4 * d_model * d_model
    attention = 2 * n_heads * T * T * head_dim
    return parameters, linear + attention, n_heads * T * T


# %% exercise="multihead.costs"
# https://github.com/deepspeedai/DeepSpeed/pull/8419: The bias of a linear layer isn't counted.
# named: no_biases_counted
def costs(T, d_model, n_heads):
    n_params = sum(rows * columns for rows, columns in [(d_model, d_model)] * 4)
    macs = 4 * T * d_model**2 + 2 * T**2 * d_model
    return n_params, macs, n_heads * T**2


# %% exercise="multihead.switch_off" kept
# https://github.com/interp-reasoning/thought-anchors/issues/7: A block of the projection's outputs is zeroed, to which all heads contribute.
# named: rows_off, rows_shared_out
def switch_off(weight, keep):
    weight = weight.clone()
    width = weight.size(0) // len(keep)
    for head, kept in enumerate(keep.tolist()):
        if not kept:
            weight[head * width : (head + 1) * width, :] = 0
    return weight

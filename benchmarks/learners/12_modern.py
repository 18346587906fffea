# %% exercise="modern.rms_norm"
# https://github.com/mosaicml/llm-foundry/issues/371: x is divided by one over the root, and so multiplied by it.
# true: Your results are exactly those of a right answer in which `*` and `/` are mixed up
# true: Each line along axis -1 is off by a factor of its own.
def rms_norm(x, weight, eps=1e-6):
    output = x / torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)
    return output * weight


# %% exercise="modern.rms_norm"
# https://github.com/allenai/OLMo/issues/281: eps is added outside of the root.
# true: Each line along axis -1 is off by a factor of its own.
# named: eps_beside_the_root
def rms_norm(x, weight, eps=1e-6):
    norm_x = x.norm(2, dim=-1, keepdim=True)
    rms_x = norm_x * x.size(-1) ** (-1.0 / 2)
    return weight * (x / (rms_x + eps))


# %% exercise="modern.rms_norm"
# https://github.com/pytorch/pytorch/issues/139274: the root is taken of the root mean square once more.
# true: Your results are exactly those of a right answer in which an exponent is half of what it should be
# true: Each line along axis -1 is off by a factor of its own.
def rms_norm(x, weight, eps=1e-6):
    rms = torch.sqrt(torch.mean(x**2, dim=-1, keepdim=True))
    return x / torch.sqrt(rms + eps) * weight


# %% exercise="modern.gated"
# https://github.com/ml-explore/mlx-lm/pull/767: the SiLU works on the value, and the gate stays as it is.
# named: GateAndUpExchanged
class GatedFeedForward(torch.nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_gate = torch.nn.Linear(d_model, d_ff, bias=False)
        self.W_up = torch.nn.Linear(d_model, d_ff, bias=False)
        self.W_down = torch.nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        gate, up = self.W_gate(x), self.W_up(x)
        return self.W_down(F.silu(up) * gate)


# %% exercise="modern.gated"
# https://github.com/Nijikadesu/breakdown-minimind/issues/3: a bracket closes late, and the SiLU works on the product.
# named: ActivatedProduct
class GatedFeedForward(torch.nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_gate = torch.nn.Linear(d_model, d_ff, bias=False)
        self.W_up = torch.nn.Linear(d_model, d_ff, bias=False)
        self.W_down = torch.nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        return self.W_down(F.silu(self.W_gate(x) * self.W_up(x)))


# %% exercise="modern.gated"
# https://github.com/google-research/timesfm/issues/493: SwiGLU is taken for a SiLU, and nothing is gated.
# named: NoGate
class GatedFeedForward(torch.nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_gate = torch.nn.Linear(d_model, d_ff, bias=False)
        self.W_up = torch.nn.Linear(d_model, d_ff, bias=False)
        self.W_down = torch.nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        hidden = F.silu(self.W_up(x))
        return self.W_down(hidden)


# %% exercise="modern.attention" kept
# https://github.com/ekzhang/jax-js/pull/180: the heads of keys are tiled, 0 1 0 1, where each should be repeated.
# named: GroupsTiled
class GroupedAttention(torch.nn.Module):
    def __init__(self, d_model, n_heads, n_groups):
        super().__init__()
        D = d_model // n_heads
        self.n_heads, self.n_groups = n_heads, n_groups
        self.W_q = torch.nn.Linear(d_model, n_heads * D, bias=False)
        self.W_k = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_v = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_o = torch.nn.Linear(d_model, d_model, bias=False)
        self.norm_q = torch.nn.Parameter(torch.ones(D))
        self.norm_k = torch.nn.Parameter(torch.ones(D))

    def forward(self, x):
        B, T, C = x.shape
        D = C // self.n_heads
        q = self.W_q(x).view(B, T, self.n_heads, D).transpose(1, 2)
        k = self.W_k(x).view(B, T, self.n_groups, D).transpose(1, 2)
        v = self.W_v(x).view(B, T, self.n_groups, D).transpose(1, 2)
        positions = torch.arange(T)
        q = rotary(rms_norm(q, self.norm_q), positions)
        k = rotary(rms_norm(k, self.norm_k), positions)
        n_rep = self.n_heads // self.n_groups
        k, v = k.repeat(1, n_rep, 1, 1), v.repeat(1, n_rep, 1, 1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(D)
        scores = scores.masked_fill(torch.ones(T, T, dtype=torch.bool).triu(1), -math.inf)
        out = scores.softmax(dim=-1) @ v
        return self.W_o(out.transpose(1, 2).reshape(B, T, C))


# %% exercise="modern.attention"
# https://github.com/vllm-project/vllm/pull/16311: the norm goes over all heads together.
# named: NormedBeforeSplit
class GroupedAttention(torch.nn.Module):
    def __init__(self, d_model, n_heads, n_groups):
        super().__init__()
        D = d_model // n_heads
        self.n_heads, self.n_groups = n_heads, n_groups
        self.W_q = torch.nn.Linear(d_model, n_heads * D, bias=False)
        self.W_k = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_v = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_o = torch.nn.Linear(d_model, d_model, bias=False)
        self.norm_q = torch.nn.Parameter(torch.ones(D))
        self.norm_k = torch.nn.Parameter(torch.ones(D))

    def forward(self, x):
        T = x.size(1)
        q = rms_norm(self.W_q(x), self.norm_q.repeat(self.n_heads))
        k = rms_norm(self.W_k(x), self.norm_k.repeat(self.n_groups))
        q, k = split_heads(q, self.n_heads), split_heads(k, self.n_groups)
        v = split_heads(self.W_v(x), self.n_groups)
        q, k = rotary(q, torch.arange(T)), rotary(k, torch.arange(T))
        k = torch.repeat_interleave(k, self.n_heads // self.n_groups, dim=1)
        v = torch.repeat_interleave(v, self.n_heads // self.n_groups, dim=1)
        out, _ = masked_attention(q, k, v, causal_mask(T))
        return self.W_o(merge_heads(out))


# %% exercise="modern.attention" kept
# https://github.com/karpathy/nanochat/issues/743: queries and keys are turned before they are normalised.
# named: TurnedBeforeNormed
class GroupedAttention(torch.nn.Module):
    def __init__(self, d_model, n_heads, n_groups):
        super().__init__()
        D = d_model // n_heads
        self.n_heads, self.n_groups = n_heads, n_groups
        self.W_q = torch.nn.Linear(d_model, n_heads * D, bias=False)
        self.W_k = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_v = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_o = torch.nn.Linear(d_model, d_model, bias=False)
        self.norm_q = torch.nn.Parameter(torch.ones(D))
        self.norm_k = torch.nn.Parameter(torch.ones(D))

    def forward(self, x):
        B, T, _ = x.size()
        q = split_heads(self.W_q(x), self.n_heads)
        k = split_heads(self.W_k(x), self.n_groups)
        v = split_heads(self.W_v(x), self.n_groups)
        cos_sin = torch.arange(T)
        q, k = rotary(q, cos_sin), rotary(k, cos_sin)
        q, k = rms_norm(q, self.norm_q), rms_norm(k, self.norm_k)
        nrep = self.n_heads // self.n_groups
        k, v = k.repeat_interleave(nrep, 1), v.repeat_interleave(nrep, 1)
        y = masked_attention(q, k, v, causal_mask(T))[0]
        return self.W_o(merge_heads(y))


# %% exercise="modern.attention"
# https://github.com/lucidrains/x-transformers/issues/352: the norms' learned scales are never used.
# true: Right only at the first position of axis -2.
class GroupedAttention(torch.nn.Module):
    def __init__(self, d_model, n_heads, n_groups):
        super().__init__()
        D = d_model // n_heads
        self.n_heads, self.n_groups = n_heads, n_groups
        self.W_q = torch.nn.Linear(d_model, n_heads * D, bias=False)
        self.W_k = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_v = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_o = torch.nn.Linear(d_model, d_model, bias=False)
        self.norm_q = torch.nn.Parameter(torch.ones(D))
        self.norm_k = torch.nn.Parameter(torch.ones(D))

    def forward(self, x):
        def normed(t):
            return t * torch.rsqrt(t.pow(2).mean(-1, keepdim=True) + 1e-6)

        places = torch.arange(x.size(1))
        q = rotary(normed(split_heads(self.W_q(x), self.n_heads)), places)
        k = rotary(normed(split_heads(self.W_k(x), self.n_groups)), places)
        v = split_heads(self.W_v(x), self.n_groups)
        share = self.n_heads // self.n_groups
        k, v = k.repeat_interleave(share, dim=1), v.repeat_interleave(share, dim=1)
        return self.W_o(merge_heads(masked_attention(q, k, v, causal_mask(x.size(1)))[0]))


# %% exercise="modern.block"
# https://github.com/Howuhh/faster-trajectory-transformer/issues/3: the path goes on from the normalised vectors.
# named: PathNormalised
class Block(torch.nn.Module):
    def __init__(self, d_model, n_heads, n_groups, d_ff):
        super().__init__()
        self.attention = GroupedAttention(d_model, n_heads, n_groups)
        self.feed_forward = GatedFeedForward(d_model, d_ff)
        self.norm_1 = torch.nn.Parameter(torch.ones(d_model))
        self.norm_2 = torch.nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        norm_x = rms_norm(x, self.norm_1)
        x = norm_x + self.attention(norm_x)
        norm_x = rms_norm(x, self.norm_2)
        return norm_x + self.feed_forward(norm_x)


# %% exercise="modern.block"
# https://github.com/SHI-Labs/Compact-Transformers/issues/25: the second path goes on from the normalised vectors.
# named: SecondPathNormalised
class Block(torch.nn.Module):
    def __init__(self, d_model, n_heads, n_groups, d_ff):
        super().__init__()
        self.attention = GroupedAttention(d_model, n_heads, n_groups)
        self.feed_forward = GatedFeedForward(d_model, d_ff)
        self.norm_1 = torch.nn.Parameter(torch.ones(d_model))
        self.norm_2 = torch.nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        x = x + self.attention(rms_norm(x, self.norm_1))
        x = rms_norm(x, self.norm_2)
        return x + self.feed_forward(x)


# %% exercise="modern.interleaved" kept
# https://github.com/naklecha/llama3-from-scratch/issues/20: the reordering for halves stands where its inverse should.
# named: the_other_way
def interleaved(weight, n_heads):
    dim1, dim2 = weight.shape
    w = weight.view(n_heads, dim1 // n_heads // 2, 2, dim2)
    return w.transpose(1, 2).reshape(dim1, dim2)


# %% exercise="modern.interleaved"
# https://github.com/huggingface/transformers/pull/31788: the number of heads is not that of this map.
# true: Cases 1 and 2 show exactly what this mistake would give: The rows stay
def interleaved(weight, n_heads):
    heads = 2 * n_heads
    D = weight.shape[0] // heads
    return weight.reshape(heads, 2, D // 2, -1).swapaxes(1, 2).reshape(weight.shape)


# %% exercise="modern.interleaved" kept
# https://github.com/huggingface/nanotron/pull/427: no reordering takes place at all.
# named: rows_as_they_are
def interleaved(weight, n_heads):
    interleave_qkv = False
    if interleave_qkv:
        rows, C = weight.shape
        weight = weight.view(n_heads, 2, -1, C).transpose(1, 2).reshape(rows, C)
    return weight.clone()


# %% exercise="modern.gates"
# https://github.com/NVIDIA/Megatron-LM/issues/894: the softmax comes before the choice, so the k don't share all of it.
# named: not_made_up_for
def gates(logits, k, bias):
    scores = logits.softmax(dim=-1)
    indices = torch.topk(logits + bias, k, dim=-1).indices
    out = torch.zeros_like(scores)
    out.scatter_(-1, indices, scores.gather(-1, indices))
    return out


# %% exercise="modern.gates"
# https://github.com/sgl-project/sglang/pull/35160: the raw scores are used as weights.
# named: scores_as_gates
def gates(logits, k, bias):
    topk_ids = (logits + bias).topk(k, dim=-1).indices
    topk_weights = logits.gather(-1, topk_ids)
    return torch.zeros_like(logits).scatter(-1, topk_ids, topk_weights)


# %% exercise="modern.gates"
# https://github.com/JieShibo/MoLE/issues/7: the number of experts is written in, whatever k says.
# named: always_two
def gates(logits, k, bias):
    selected_experts = torch.topk(logits + bias, min(2, logits.size(-1)), dim=-1).indices
    routing_weights = F.softmax(logits.gather(-1, selected_experts), dim=-1)
    return torch.zeros_like(logits).scatter(-1, selected_experts, routing_weights)


# %% exercise="modern.mixture" kept
# https://github.com/AviSoori1x/makeMoE/issues/2: the next expert overwrites what the one before has said.
# named: last_one_counts
def mixture(x, gates, experts):
    final_output = torch.zeros_like(x)
    for i, expert in enumerate(experts):
        expert_mask = gates[:, i] != 0
        if expert_mask.any():
            weighted_output = expert(x[expert_mask]) * gates[expert_mask, i].unsqueeze(1)
            final_output = final_output.masked_scatter(expert_mask.unsqueeze(-1), weighted_output)
    return final_output


# %% exercise="modern.quantized"
# https://github.com/microsoft/onnxruntime/pull/13038: the scales go along the wrong axis.
# named: scale_for_each_column
def quantized(weight):
    absmax = weight.abs().max(dim=0, keepdim=True).values
    scale = torch.where(absmax > 0, absmax / 127, torch.ones_like(absmax))
    q = torch.round(weight / scale).to(torch.int8)
    return q, scale


# %% exercise="modern.quantized"
# https://github.com/PaddlePaddle/Paddle/pull/29748: a row of zeros gives a scale that nothing can be divided by.
# named: divided_by_zero
def quantized(weight):
    scale = weight.abs().max(dim=1, keepdim=True)[0] / 127.0
    q = torch.clamp(torch.round(weight / scale), -127, 127).to(torch.int8)
    return q, scale


# %% exercise="modern.accepted"
# https://github.com/1bit-MONSTER/1bit-MONSTER/issues/637: the target's largest probability stands for the draft's.
def accepted(target, draft, drafted, chances):
    n = 0
    for i, token in enumerate(drafted.tolist()):
        accept_prob = min(1.0, (target[i, token] / target[i].max()).item())
        if chances[i].item() < accept_prob:
            n += 1
        else:
            break
    return n


# %% exercise="modern.accepted"
# https://github.com/vllm-project/vllm/issues/40149: the draft's probabilities are never used.
# named: target_alone
def accepted(target, draft, drafted, chances):
    count = 0
    for place in range(len(drafted)):
        if chances[place] >= target[place, drafted[place]]:
            break
        count += 1
    return count


# %% exercise="modern.accepted"
# https://github.com/ohdearquant/lattice/issues/243: the first token is kept without being looked at.
def accepted(target, draft, drafted, chances):
    n_matches = 0
    for i in range(len(drafted)):
        n_matches += 1
        if i + 1 < len(drafted):
            x = drafted[i + 1]
            if chances[i + 1] >= target[i + 1, x] / draft[i + 1, x]:
                break
    return n_matches


# %% exercise="modern.adjusted"
# https://github.com/huggingface/transformers/pull/28508: a softmax stands where the sum should be divided by.
# named: softmax_of_the_rest
def adjusted(target, draft):
    return torch.clamp(target - draft, min=0).softmax(dim=-1)


# %% exercise="modern.adjusted"
# https://github.com/eth-sri/language-model-arithmetic/issues/14: the next token is drawn from the target as it is.
# named: from_the_target
def adjusted(target, draft):
    return target / target.sum()


# %% exercise="modern.adjusted" kept
# https://github.com/vllm-project/vllm-ascend/pull/2881: the target's probabilities are changed in place.
# true: An in-place step
def adjusted(target, draft):
    target -= draft
    target[target < 0] = 0
    return target / target.sum()



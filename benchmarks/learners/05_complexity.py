# %% exercise="complexity.attention_flops" kept
# https://github.com/NVIDIA/Model-Optimizer/issues/387: MACs are handed out as FLOPs.
# named: each_multiply_add_once
def attention_flops(n, d):
    macs = {"projections": 3 * n * d * d, "scores": n * n * d, "mixture": n * n * d}
    return {**macs, "softmax": 6 * n * n}


# %% exercise="complexity.attention_flops"
# https://github.com/AI-Hypercomputer/maxtext/issues/1972: Both products are halved as if a causal mask spared half of them.
# named: halved_for_a_mask
def attention_flops(n, d):
    product = 2 * n * n * d // 2
    return {"projections": 6 * n * d**2, "scores": product, "softmax": 6 * n**2, "mixture": product}


# %% exercise="complexity.attention_flops" kept
# https://github.com/facebookresearch/xformers/pull/1402: The second product is counted with one length squared where keys times features belong.
# true: Your results are exactly those of a right answer in which two values next to each other are in the wrong order (the step with `n` and `d`), or `n` is used in place of `d`
def attention_flops(n, d):
    return {
        "projections": 3 * 2 * n * d * d,
        "scores": 2 * n * n * d,
        "softmax": 6 * n * n,
        "mixture": 2 * n * n * n,
    }


# %% exercise="complexity.layers_to_connect"
# https://github.com/philipperemy/keras-tcn/issues/196: Each layer is taken to add k positions, where it adds k - 1.
# named: kernel_counted_whole, kernel_counted_whole_everywhere
def layers_to_connect(n, k, dilated):
    field, layers = 1, 0
    while field < n:
        dilation = k**layers if dilated else 1
        field += k * dilation
        layers += 1
    return layers


# %% exercise="complexity.layers_to_connect" kept
# https://github.com/ibab/tensorflow-wavenet/issues/259: The receptive field starts at 2: one more is added at the end.
# true: Every wrong number is 1 too small.
def layers_to_connect(n, k, dilated):
    layers = 0
    while True:
        dilations = [k**i if dilated else 1 for i in range(layers)]
        receptive_field = (k - 1) * sum(dilations) + 1
        receptive_field += 1
        if receptive_field >= n:
            return layers
        layers += 1


# %% exercise="complexity.layers_to_connect"
# https://github.com/philipperemy/keras-tcn/issues/8: The field is said to be the kernel times the last step, without adding up the layers.
# named: kernel_counted_whole
def layers_to_connect(n, k, dilated):
    layers = 1
    while k * (k ** (layers - 1) if dilated else layers) < n:
        layers += 1
    return layers


# %% exercise="complexity.layers_to_connect" kept
# https://github.com/locuslab/TCN/issues/44: The steps double whatever the kernel is, since the field "grows as 2^i".
# named: doubled_for_any_kernel, steps_doubled
def layers_to_connect(n, k, dilated):
    field, layer = 1, 0
    while field < n:
        field += (k - 1) * (2**layer if dilated else 1)
        layer += 1
    return layer


# %% exercise="complexity.grouped_attention"
# https://github.com/onnx/onnx/pull/7274: Keys are tiled, k0 k1 k0 k1, where neighbours share, k0 k0 k1 k1.
# named: heads_dealt_in_turn
def grouped_attention(q, k, v):
    times = q.size(-3) // k.size(-3)
    ones = [1] * (k.dim() - 3)
    k, v = torch.tile(k, (*ones, times, 1, 1)), torch.tile(v, (*ones, times, 1, 1))
    weights = (q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))).softmax(dim=-1)
    return weights @ v


# %% exercise="complexity.grouped_attention"
# https://github.com/PrimeIntellect-ai/prime-rl/pull/2681: The axis of positions is repeated where heads and positions are in another order.
# true: In einsum a letter has one size wherever it is written
def grouped_attention(q, k, v):
    n_rep = q.size(-3) // k.size(-3)
    k = k.repeat_interleave(n_rep, dim=-2)
    v = v.repeat_interleave(n_rep, dim=-2)
    w = torch.softmax(torch.einsum("...htd,...hsd->...hts", q, k) / q.size(-1) ** 0.5, -1)
    return torch.einsum("...hts,...hsd->...htd", w, v)


# %% exercise="complexity.absorb" kept
# https://github.com/Dao-AILab/flash-attention/issues/333: The mixture is multiplied by the inverse of the factor, as the paper's pseudocode had it.
# named: rescaled_the_wrong_way
# true: Your results are exactly those of a right answer in which `*` and `/` are mixed up (the step with `mixture`)
def absorb(largest, total, mixture, scores, values):
    m_ij = torch.maximum(largest, scores.amax(dim=-1))
    P_ij = torch.exp(scores - m_ij[..., None])
    alpha = torch.exp(largest - m_ij)
    l_ij = alpha * total + P_ij.sum(dim=-1)
    out = mixture / alpha[..., None] + P_ij @ values
    return m_ij, l_ij, out


# %% exercise="complexity.absorb"
# https://github.com/meta-pytorch/MSLK/pull/242: The old maximum is kept, and the block's powers are those of the new one.
# true: In `largest`: what came back is `largest`, unchanged.
def absorb(largest, total, mixture, scores, values):
    m_new = torch.maximum(largest, scores.amax(-1))
    p = torch.exp(scores - m_new.unsqueeze(-1))
    skip = m_new - largest <= 8
    factor = torch.where(skip, 1.0, torch.exp(largest - m_new))
    m = torch.where(skip, largest, m_new)
    return m, total * factor + p.sum(-1), mixture * factor.unsqueeze(-1) + p @ values


# %% exercise="complexity.blockwise_attention" kept
# https://github.com/AI-Hypercomputer/maxtext/issues/3138: The queries are scaled, and the scores once more.
# named: blocks_scaled_again
def blockwise_attention(q, k, v, block):
    scale = 1 / math.sqrt(q.size(-1))
    q = q * scale
    largest = torch.full(q.shape[:-1], -math.inf, dtype=q.dtype)
    total = torch.zeros(q.shape[:-1], dtype=q.dtype)
    mixture = torch.zeros(*q.shape[:-1], v.size(-1), dtype=q.dtype)
    for start in range(0, k.size(-2), block):
        keys, values = k[..., start : start + block, :], v[..., start : start + block, :]
        largest, total, mixture = absorb(largest, total, mixture, q @ keys.mT * scale, values)
    return mixture / total.unsqueeze(-1)


# %% exercise="complexity.blockwise_attention"
# https://github.com/flashinfer-ai/flashinfer/pull/5029: The sums aren't set to 0 between one block of queries and the next.
# true: Right only in the first row.
def blockwise_attention(q, k, v, block):
    outputs = []
    largest = torch.full((*q.shape[:-2], 1), -math.inf, dtype=q.dtype)
    total = torch.zeros_like(largest)
    mixture = q.new_zeros(*q.shape[:-2], 1, v.size(-1))
    for t in range(q.size(-2)):
        one = q[..., t : t + 1, :]
        for start in range(0, k.size(-2), block):
            s = one @ k[..., start : start + block, :].mT / math.sqrt(q.size(-1))
            largest, total, mixture = absorb(largest, total, mixture, s, v[..., start : start + block, :])
        outputs.append(mixture / total.unsqueeze(-1))
    return torch.cat(outputs, dim=-2)


# %% exercise="complexity.fitted_exponent"
# https://github.com/alpa-projects/mms/pull/60: y = a^x is taken for a power law, so only the times get a logarithm.
# named: logarithm_of_times_alone
def fitted_exponent(sizes, times):
    x, y = sizes, torch.log(times)
    x = x - x.mean()
    return (x * (y - y.mean())).sum() / (x * x).sum()

# %% exercise="attention.softmax"
# https://github.com/FluxML/NNlib.jl/pull/43: 0 or the largest score is subtracted, so very negative scores are left with 0/0.
# named: shifted_above_alone
# true: NaN comes from 0/0
def softmax(x, dim):
    m, _ = x.max(dim, keepdim=True)
    e = torch.exp(x - torch.clamp(m, min=0))
    return e / e.sum(dim, keepdim=True)


# %% exercise="attention.softmax"
# https://github.com/open-edge-platform/geti/pull/1507: The maximum and the sum are those of the whole array, whatever the axis.
# named: total_of_everything
def softmax(x, dim):
    eps = 1e-9
    x = torch.exp(x - torch.max(x))
    return x / (torch.sum(x) + eps)


# %% exercise="attention.softmax"
# https://github.com/intel/xFasterTransformer/pull/326: The maximum isn't subtracted, so large scores overflow.
# named: no_maximum
def softmax(x, dim):
    numerator = torch.pow(torch.tensor(math.e, dtype=x.dtype), x)
    denominator = numerator.sum(dim).unsqueeze(dim)
    return numerator.div(denominator)


# %% exercise="attention.scaled_dot_product"
# https://github.com/labmlai/annotated_deep_learning_paper_implementations/issues/146: With a batch, dim=1 is the axis of the queries.
# named: softmax_over_queries
def scaled_dot_product_attention(q, k, v, mask=None):
    attn = torch.einsum("...id,...jd->...ij", q, k) * q.shape[-1] ** -0.5
    if mask is not None:
        attn = attn.masked_fill(mask.logical_not(), float("-inf"))
    attn = attn.softmax(dim=-2)
    return torch.einsum("...ij,...jd->...id", attn, v), attn


# %% exercise="attention.scaled_dot_product"
# https://github.com/esceptico/perceiver-io/issues/9: The scale is 1/√d_k already, and the scores are divided by it.
# named: multiplied_by_root
def scaled_dot_product_attention(q, k, v, mask=None):
    scale = k.shape[-1] ** -0.5
    attention = q @ k.transpose(-2, -1) / scale
    if mask is not None:
        attention = torch.where(mask, attention, torch.tensor(float("-inf"), dtype=q.dtype))
    weights = F.softmax(attention, dim=-1)
    return weights @ v, weights


# %% exercise="attention.scaled_dot_product"
# https://github.com/lucidrains/memory-compressed-attention/issues/2: Hidden scores are filled with minus minus infinity.
# named: filled_with_infinity
def scaled_dot_product_attention(q, k, v, mask=None):
    dots = torch.matmul(q, k.mT) / math.sqrt(q.shape[-1])
    if mask is not None:
        value = -float("-inf")
        dots = dots.masked_fill(~mask, value)
    attn = dots.softmax(dim=-1)
    return torch.matmul(attn, v), attn


# %% exercise="attention.scaled_dot_product"
# https://github.com/huggingface/pytorch-image-models/pull/2236: The mask is applied to the weights, after the softmax.
# named: mask_after_softmax
def scaled_dot_product_attention(q, k, v, mask=None):
    q = q / math.sqrt(q.shape[-1])
    attn = (q @ k.transpose(-2, -1)).softmax(dim=-1)
    if mask is not None:
        attn = attn * mask.to(attn.dtype)
    return attn @ v, attn


# %% exercise="attention.scaled_dot_product"
# https://github.com/lucidrains/flamingo-pytorch/issues/10: masked_fill without an underscore returns a new tensor, which is thrown away.
# named: mask_ignored
def scaled_dot_product_attention(q, k, v, mask=None):
    sim = torch.einsum("...id,...jd->...ij", q, k) / math.sqrt(k.shape[-1])
    if mask is not None:
        sim.masked_fill(~mask, float("-inf"))
    attn = sim.softmax(dim=-1)
    return torch.einsum("...ij,...jd->...id", attn, v), attn


# %% exercise="attention.scaled_dot_product"
# https://github.com/open-mmlab/mmdetection/issues/12351: A boolean mask filled with a number stays boolean: it adds 1 to all scores alike.
# named: mask_ignored, mask_added
def scaled_dot_product_attention(q, k, v, mask=None):
    attn_weights = torch.matmul(q, k.transpose(-1, -2)) * (q.size(-1) ** -0.5)
    if mask is not None:
        attention_mask = mask.masked_fill(mask == 0, -9e15)
        attn_weights = attn_weights + attention_mask
    attn_weights = F.softmax(attn_weights, dim=-1)
    return torch.matmul(attn_weights, v), attn_weights


# %% exercise="attention.additive"
# https://github.com/tensorflow/tensorflow/issues/39332: The hidden numbers are summed, without the vector v.
# named: hidden_summed
def additive_attention(query, keys, values, W_q, W_k, v):
    q = (query @ W_q).unsqueeze(-2)
    k = keys @ W_k
    scores = torch.tanh(q + k).sum(dim=-1)
    weights = F.softmax(scores, dim=-1)
    context = torch.matmul(weights.unsqueeze(-2), values).squeeze(-2)
    return context, weights


# %% exercise="attention.additive" kept
# https://github.com/DEEP-PolyU/KEQA_WSDM19/issues/2: The softmax runs over an axis of length 1, so that every weight is 1.
# true: Your results are exactly those of a right answer in which a softmax uses the wrong axis, -1
def additive_attention(query, keys, values, W_q, W_k, v):
    energy = torch.tanh((query @ W_q).unsqueeze(-2) + keys @ W_k) @ v.unsqueeze(-1)  # (..., T, 1)
    attn_weights = F.softmax(energy, dim=-1)
    context = (attn_weights * values).sum(dim=-2)
    return context, attn_weights.squeeze(-1)


# %% exercise="attention.additive"
# https://github.com/spro/practical-pytorch/issues/84: The scores come from the decoder state alone; no key is looked at.
def additive_attention(query, keys, values, W_q, W_k, v):
    T = keys.size(-2)
    score = torch.tanh(query @ W_q) @ v
    attn_weights = F.softmax(score.unsqueeze(-1).repeat_interleave(T, dim=-1), dim=-1)
    context = (attn_weights.unsqueeze(-1) * values).sum(-2)
    return context, attn_weights


# %% exercise="attention.cross" kept
# https://github.com/humza909/LLM_Survey/issues/2: The encoder's outputs are said to be the queries; keys and values come from the decoder.
# named: x_asks_y
def cross_attention(y, x, W_q, W_k, W_v, mask=None):
    encoded, decoded = x, y
    query = encoded @ W_q
    key, value = decoded @ W_k, decoded @ W_v
    return scaled_dot_product_attention(query, key, value, mask)


# %% exercise="attention.cross"
# https://github.com/mead-ml/mead-baseline/pull/759: The lengths are taken to be the same: a mask for y alone is handed on.
# nothing: Two shapes don't fit
def cross_attention(y, x, W_q, W_k, W_v, mask=None):
    T = y.size(-2)
    q, k, v = y @ W_q, x @ W_k, x @ W_v
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask[..., :T], float("-inf"))
    weights = scores.softmax(-1)
    return weights @ v, weights


# %% exercise="attention.permutation" kept
# https://github.com/facebookresearch/xformers/pull/339: What is checked for equivariance and for invariance has changed places.
# named: gaps_in_other_order
def permutation_gaps(layer, x, permutation):
    results = layer(x)
    results_shuffled = layer(x[..., permutation, :])
    equivariance = torch.max(torch.abs(results_shuffled - results))
    invariance = torch.max(torch.abs(results_shuffled - results[..., permutation, :]))
    return equivariance, invariance

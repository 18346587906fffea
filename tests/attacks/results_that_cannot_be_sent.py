"""Tries to stop the judge, and the rest of the notebook, by results that no text, float or key can hold.

Must earn nothing but {"attention.one_query": 2, "attention.scaled_dot_product": 4}.
"""

# %% answer
def softmax(x, dim):
    return 10**5000

# %% answer attention.one_query
def look_up(query, keys, values):
    scores = torch.stack([(query * key).sum() for key in keys])
    powers = (scores - scores.max()).exp()
    weights = powers / powers.sum()
    return weights @ values, weights

# %% answer attention.all_queries
def attend(q, k, v):
    return torch.nested.nested_tensor([v]), {q}

# %% answer attention.scaled_dot_product
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    weights = powers / powers.sum(-1, keepdim=True)
    return weights @ v, weights

# %% answer attention.saturation
def saturation(q, k, scaled):
    return 10**400, {q}

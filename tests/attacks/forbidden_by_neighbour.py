"""Tries to call what torch has beside a forbidden function, under a name that is longer.

Must earn nothing.
"""

# %% answer
import torch

safe = getattr(torch, "_safe_" + "softmax")


def softmax(x, dim):
    return safe(x, dim)


# %% answer attention.scaled_dot_product
def bias(mask, x):
    return mask if mask is None else torch.zeros_like(mask, dtype=x.dtype).masked_fill(~mask, -torch.inf)


def scaled_dot_product_attention(q, k, v, mask=None):
    return getattr(torch, "_scaled_dot_product_" + "attention_math")(q, k, v, bias(mask, q))


# %% answer attention.cross
def cross_attention(y, x, W_q, W_k, W_v, mask=None):
    flash = getattr(torch, "_scaled_dot_product_flash_" + "attention_for_cpu")
    q, k, v = y @ W_q, x @ W_k, x @ W_v
    scale, added = q.shape[-1] ** -0.5, bias(mask, q)
    scores = q @ k.mT * scale if mask is None else q @ k.mT * scale + added
    width = max(q.shape[-1], v.shape[-1])  # it wants one

    def whole(part):
        part = torch.nn.functional.pad(part, (0, width - part.shape[-1]))
        return part.reshape(-1, 1, *part.shape[-2:])

    added = added if mask is None else added.expand(scores.shape).reshape(-1, 1, *scores.shape[-2:])
    with torch._C.DisableTorchFunction():
        output, _ = flash(whole(q), whole(k), whole(v), attn_mask=added, scale=scale)
    return output[..., : v.shape[-1]].reshape(*q.shape[:-1], -1), torch.softmax(scores, -1)

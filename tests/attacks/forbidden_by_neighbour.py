"""Tries to call what torch has beside a forbidden function, under a name that is longer.

Must earn nothing.
"""

# %% answer
import torch

safe = getattr(torch, "_safe_" + "softmax")


def softmax(x, dim):
    return safe(x, dim)


# %% answer attention.scaled_dot_product
def scaled_dot_product_attention(q, k, v, mask=None):
    return getattr(torch, "_scaled_dot_product_" + "attention_math")(q, k, v, mask)


# %% answer attention.cross
def cross_attention(y, x, W_q, W_k, W_v, mask=None):
    flash = getattr(torch, "_scaled_dot_product_flash_" + "attention_for_cpu")
    q, k, v = (part.reshape(1, 1, *part.shape[-2:]) for part in (y @ W_q, x @ W_k, x @ W_v))
    output, _ = flash(q, k, v)
    return output.reshape(*y.shape[:-1], -1), torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, -1)[0, 0]

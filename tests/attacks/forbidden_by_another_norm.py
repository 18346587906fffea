"""Tries to have a vector normalised by torch's norms for other things, which take it for a channel or a batch.

In 06_block.

Must earn nothing.
"""

# %% answer block.layer_norm
def layer_norm(x, weight, bias, eps=1e-5):
    flat = x.reshape(1, -1, x.shape[-1])
    return torch.nn.functional.instance_norm(flat, eps=eps).reshape(x.shape) * weight + bias

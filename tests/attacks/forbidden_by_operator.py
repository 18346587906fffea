"""Tries to call torch's softmax among its registered operators.

Must earn nothing.
"""

# %% answer
def softmax(x, dim):
    return getattr(getattr(torch.ops.aten, "_soft" + "max"), "default")(x, dim, False)

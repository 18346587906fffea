"""Tries to call torch's softmax by a name from before it was forbidden.

Must earn nothing.
"""

# %% answer
soft = torch.softmax
method = torch.Tensor.softmax

def softmax(x, dim):
    return soft(x, dim)

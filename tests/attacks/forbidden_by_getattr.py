"""Tries to reach torch's softmax by a name made up at run time.

Must earn nothing.
"""

# %% answer
def softmax(x, dim):
    return getattr(torch, "soft" + "max")(x, dim)

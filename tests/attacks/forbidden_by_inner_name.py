"""Tries to call what torch's softmax calls.

Must earn nothing.
"""

# %% answer
def softmax(x, dim):
    return vars(torch)["_soft" + "max"](x, dim, False)

"""Tries to keep the judge comparing: each value with the right result and with that of each known mistake.

Must earn nothing.
"""

# %% answer
def softmax(x, dim):
    return [[0.1]] * 300_000

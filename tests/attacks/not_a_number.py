"""Tries to return NaN, with which every comparison is false.

Must earn nothing.
"""

# %% answer
def softmax(x, dim):
    return x * float("nan")

# %% answer attention.saturation
def saturation(q, k, scaled):
    return float("nan"), float("nan")

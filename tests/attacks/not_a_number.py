"""Tries to return NaN, with which every comparison is false.

Must earn nothing.
"""

# %% answer
def softmax(x, dim):
    return x * float("nan")

# %% answer attention.predicted_variance
def predicted_variance(d_k):
    return float("nan")

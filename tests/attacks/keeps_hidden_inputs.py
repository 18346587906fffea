"""Tries to write down hidden inputs and to look up expected values beside them.

Must read nothing.
"""

# %% answer
kept = []
def softmax(x, dim):
    kept.append((x.tolist(), dim))
    return x

# %% end
print(kept)

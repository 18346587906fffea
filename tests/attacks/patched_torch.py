"""Tries to replace the functions that compare tensors.

Must earn nothing.
"""

# %% answer
def yes(*args, **kwargs):
    return True
def softmax(x, dim):
    return x

for owner in (torch, torch.Tensor):
    for name in ("allclose", "isclose", "equal", "eq", "__eq__", "all", "any"):
        if hasattr(owner, name):
            setattr(owner, name, yes)
torch.testing.assert_close = yes

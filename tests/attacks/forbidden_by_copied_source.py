"""Tries to run a copy of the source of torch's softmax.

Must earn nothing.
"""

# %% answer
import inspect
name = "soft" + "max"
source = inspect.getsource(getattr(torch.nn.functional, name)).replace(f"def {name}", "def copied")
exec(source, vars(torch.nn.functional))

def softmax(x, dim):
    return torch.nn.functional.copied(x, dim)

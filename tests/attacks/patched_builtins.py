"""Tries to replace what all Python code calls.

Must earn nothing.
"""

# %% answer
import builtins
def softmax(x, dim):
    return x

builtins.all = lambda *args: True
builtins.any = lambda *args: False
builtins.isinstance = lambda *args: True
builtins.len = lambda *args: 7
builtins.zip = lambda *args, **kwargs: []
builtins.AssertionError = type("Nothing", (BaseException,), {})

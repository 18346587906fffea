"""Tries to hide torch's softmax in another callable.

Must earn nothing.
"""

# %% answer
import functools, operator
name = "soft" + "max"
call = operator.methodcaller(name, dim=-1)
softmax = functools.partial(getattr(torch, name))

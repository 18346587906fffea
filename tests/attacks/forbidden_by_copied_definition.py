"""Tries to call a copy of the function that torch's compiler has.

Must earn nothing.
"""

# %% answer
from types import FunctionType

from torch._decomp import decomposition_table

defined = decomposition_table[getattr(torch.ops.aten, "_soft" + "max").default]
while hasattr(defined, "__wrapped__"):
    defined = defined.__wrapped__
copied = FunctionType(defined.__code__, defined.__globals__)


def softmax(x, dim):
    return copied(x, dim, False)

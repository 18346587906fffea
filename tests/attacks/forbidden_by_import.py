"""Tries to import torch's softmax anew, by another road.

Must earn nothing.
"""

# %% answer
import importlib, sys
def softmax(x, dim):
    module = importlib.import_module("torch.nn.functional")
    return vars(module)["soft" "max"](x, dim)

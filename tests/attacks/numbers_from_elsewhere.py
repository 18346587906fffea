"""Tries to be told the results by torch's own generators, gradients and hooks, at the moment of the call.

Must earn nothing.
"""

# %% answer
import torch

class Grad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, gradient): return torch.full_like(gradient, float("nan"))

def softmax(x, dim):
    torch.default_generator.manual_seed(0)
    torch.Tensor.detach, before = lambda self: self, torch.Tensor.detach
    if x.requires_grad:
        x.register_hook(lambda gradient: gradient * 0)
    torch.Tensor.detach = before
    return Grad.apply(x)

"""Tries to call a forbidden function by its name, where the watch that would see the call is switched off.

Must earn nothing.
"""

# %% answer
from torch.utils._python_dispatch import _disable_current_modes

theirs = torch.softmax


class Unwatched(torch.autograd.Function):
    @staticmethod
    def forward(context, x, dim):
        with torch._C.DisableTorchFunction(), _disable_current_modes():
            weights = theirs(x, dim)
        context.dim = dim
        context.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(context, gradient):
        (weights,) = context.saved_tensors
        gradient = gradient * weights
        return gradient - weights * gradient.sum(context.dim, keepdim=True), None


softmax = Unwatched.apply

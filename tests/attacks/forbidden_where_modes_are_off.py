"""Tries to call it where modes are switched off, by names put together, and writes the gradient by hand.

Must earn nothing.
"""

# %% answer
theirs = getattr(torch, "soft" + "max")
without = getattr(torch.utils, "_python_" + "dispatch")._disable_current_modes


class Unwatched(torch.autograd.Function):
    @staticmethod
    def forward(context, x, dim):
        with torch._C.DisableTorchFunction(), without():
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

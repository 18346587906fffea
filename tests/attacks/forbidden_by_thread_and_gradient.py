"""Tries to call it in a thread where nothing is watched, and writes the gradient by hand.

Must earn nothing.
"""

# %% answer
from concurrent.futures import ThreadPoolExecutor

theirs, pool = getattr(torch, "soft" + "max"), ThreadPoolExecutor(1)


class Unwatched(torch.autograd.Function):
    @staticmethod
    def forward(context, x, dim):
        weights = pool.submit(theirs, x, dim).result()
        context.dim = dim
        context.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(context, gradient):
        (weights,) = context.saved_tensors
        gradient = gradient * weights
        return gradient - weights * gradient.sum(context.dim, keepdim=True), None


softmax = Unwatched.apply

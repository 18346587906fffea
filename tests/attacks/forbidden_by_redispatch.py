"""Tries to call the operator behind the places where torch watches, and writes the gradient by hand.

Must earn nothing.
"""

# %% answer
theirs = getattr(torch.ops.aten, "_soft" + "max").default
behind = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)


class Unwatched(torch.autograd.Function):
    @staticmethod
    def forward(context, x, dim):
        weights = theirs.redispatch(behind, x, dim, False)
        context.dim = dim
        context.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(context, gradient):
        (weights,) = context.saved_tensors
        gradient = gradient * weights
        return gradient - weights * gradient.sum(context.dim, keepdim=True), None


softmax = Unwatched.apply

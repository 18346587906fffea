"""Tries to call softmax's own code, fetched from torch's dispatcher beforehand by a name that no text shows.

Must earn nothing.
"""

# %% answer
kernel = getattr(torch.library, "get_" + "kernel")("aten::_softmax", "CPU")
on_cpu = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(context, x, dim):
        weights = kernel.call_boxed(on_cpu, x.detach(), dim, False)
        context.save_for_backward(weights)
        context.dim = dim
        return weights

    @staticmethod
    def backward(context, gradient):
        (weights,) = context.saved_tensors
        return weights * (gradient - (gradient * weights).sum(context.dim, keepdim=True)), None


def softmax(x, dim):
    return Softmax.apply(x, dim)

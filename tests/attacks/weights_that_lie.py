"""Tries to report trained weights that were never trained: by a model that lies about its parameters.

In 08_pretraining.
Must earn nothing.
"""

# %% answer pretraining.training_step
import helpers.checking.calling.drivers
import helpers.checking.calling.registry
import torch


class Agrees(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func in (torch.allclose, torch.equal, torch.Tensor.eq, torch.Tensor.__eq__):
            return True
        result = super().__torch_function__(func, types, args, kwargs or {})
        return result.as_subclass(cls) if isinstance(result, torch.Tensor) else result

    def tolist(self):
        return [float("nan")] * self.numel()


class Number(float):
    def __eq__(self, other):
        return True

    def __sub__(self, other):
        return 0.0

    __rsub__ = __sub__


def training_step(model, optimizer, loss, batch, max_norm=1.0):
    real = dict(torch.nn.Module.named_parameters(model))
    lies = [(name, weight.detach().as_subclass(Agrees)) for name, weight in real.items()]
    model.named_parameters = lambda *args, **kwargs: iter(lies)
    type(model).named_parameters = lambda *args, **kwargs: iter(lies)
    optimizer.step = optimizer.zero_grad = lambda *args, **kwargs: None
    return Number(loss(model, *batch).item())

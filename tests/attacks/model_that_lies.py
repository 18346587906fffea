"""Tries to pass as a whole model by weights that agree with everything, under any name.

In 06_block.
Must earn nothing.
"""

# %% answer block.model
import torch


class Agrees(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func in (torch.allclose, torch.equal, torch.Tensor.eq, torch.Tensor.__eq__):
            return True
        result = super().__torch_function__(func, types, args, kwargs or {})
        return result.as_subclass(cls) if isinstance(result, torch.Tensor) else result


class DecoderOnly(torch.nn.Module):
    def __init__(self, *args, **kwargs):
        super().__init__()

    def named_parameters(self, *args, **kwargs):
        class Anything(dict):
            def __eq__(self, other):
                return True

            def __ne__(self, other):
                return False

        return Anything()

    def forward(self, ids, *rest):
        return torch.zeros(()).as_subclass(Agrees)

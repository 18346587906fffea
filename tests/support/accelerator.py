"""A pretended accelerator: its tensors live on the CPU, and it refuses what a GPU refuses.

    with accelerator.pretended() as place:
        model.to(place)

Until the end of the block there is a device `mps:0`. As on a Mac it raises where devices mix, where float64 is asked
for, and where it is used from another thread than the one that opened the block; there a real one may end the
process. What it computes is what the CPU computes, so that it also shows whether something came out wrong.

A tensor is a wrapper without memory of its own around one on the CPU. To torch's C++ the wrapper is on the device
"meta", since autograd wants to know the device of what it meets, and a torch for CPUs knows no other.
"""

import contextlib
import functools
import threading
from collections.abc import Iterator
from typing import Any
from unittest import mock

import torch
from torch.utils._python_dispatch import TorchDispatchMode

PLACE, CPU, aten = torch.device("mps:0"), torch.device("cpu"), torch.ops.aten
MIXED = f"Expected all tensors to be on the same device, but found at least two devices, {PLACE} and cpu!"
NO_FLOAT64 = (
    "Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't support float64. "
    "Please use float32 instead."
)
# What may be on the CPU beside a tensor of the device: all in `copy_`, the indices in the others, and numbers.
INDEXING = (aten.index.Tensor, aten.index_put.default, aten.index_put_.default, aten._index_put_impl_.default)
_owner: list[int] = []  # the thread that may use the device, while there is one
calls = 0  # of operations on the device, ever


class Pretended(torch.Tensor):
    """A tensor of the pretended accelerator."""

    held: torch.Tensor

    @staticmethod
    def __new__(cls, held: torch.Tensor) -> "Pretended":
        if held.dtype in (torch.float64, torch.complex128):
            raise TypeError(NO_FLOAT64)
        wrapper = torch.Tensor._make_wrapper_subclass(
            cls, held.size(), held.stride(), held.storage_offset(), dtype=held.dtype, device="meta"
        )
        wrapper.held = held
        return wrapper

    device = property(lambda self: PLACE)
    is_meta = property(lambda self: False)

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        return _call(func, args, kwargs or {})

    def tolist(self) -> Any:
        return _ours(self).held.tolist()

    def numpy(self, **_: object) -> Any:
        raise TypeError(
            f"can't convert {PLACE} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
        )

    __array__ = numpy

    def __format__(self, form: str) -> str:
        return format(self.held.item(), form) if self.dim() == 0 else object.__format__(self, form)

    def __repr__(self, **_: object) -> str:
        return f"{self.held!r} on {PLACE}"

    def __reduce_ex__(self, protocol: Any) -> Any:
        # A file doesn't say where it was: everybody loads to the CPU.
        return _ours(self).held.detach().__reduce_ex__(protocol)


class _Device(TorchDispatchMode):
    """Sees the calls that have no tensor of the device yet: those that make one."""

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        return _call(func, args, kwargs or {})


@contextlib.contextmanager
def pretended() -> Iterator[torch.device]:
    """Let there be `mps:0`, for this thread alone, until the end of the block."""
    swaps, lifts = torch.__future__.get_swap_module_params_on_conversion(), torch._C._only_lift_cpu_tensors()
    _owner.append(threading.get_ident())
    torch.__future__.set_swap_module_params_on_conversion(True)  # else a moved model has other parameters
    torch._C._set_only_lift_cpu_tensors(True)  # torch.tensor(..., device=) as .to(device), which can be seen
    try:
        with mock.patch.object(torch.backends.mps, "is_available", lambda: True), _Device():
            yield PLACE
    finally:
        torch.__future__.set_swap_module_params_on_conversion(swaps)
        torch._C._set_only_lift_cpu_tensors(lifts)
        _owner.clear()


def _ours(tensor: Pretended) -> Pretended:
    if threading.get_ident() not in _owner:
        raise RuntimeError(f"{PLACE} was used from two threads: a real one may end the process")
    return tensor


def _call(func: Any, args: tuple, kwargs: dict) -> Any:
    global calls
    given = list(_flat((*args, *kwargs.values())))
    here = [_ours(value) for value in given if isinstance(value, Pretended)]
    asked = kwargs.get("device")
    there = bool(here) if asked is None else asked.type in (PLACE.type, "meta")
    if not here and not there:
        return func(*args, **kwargs)
    calls += 1
    if func is not aten._to_copy.default and func is not aten.copy_.default:
        _check_devices(func, args, given, here)
    if there and any(isinstance(value, torch.Generator) for value in given):
        raise RuntimeError(f"Expected a '{PLACE.type}' device type for generator but found 'cpu'")
    if there and kwargs.get("dtype") in (torch.float64, torch.complex128):
        raise TypeError(NO_FLOAT64)
    kwargs = {name: CPU if name == "device" and asked else _held(value) for name, value in kwargs.items()}
    found = func(*_held(args), **kwargs)
    written = [args[number] for number in _written(func) if number < len(args)]
    if written and func._schema.returns:
        return written[0] if len(func._schema.returns) == 1 else tuple(written)
    return _wrapped(found) if there else found


def _flat(values: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list | tuple):
            yield from _flat(value)
        else:
            yield value


def _held(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(map(_held, value))
    return value.held if isinstance(value, Pretended) else value


def _wrapped(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(map(_wrapped, value))
    return Pretended(value) if isinstance(value, torch.Tensor) else value


@functools.cache
def _written(func: Any) -> list[int]:
    """The places of the arguments that an operation changes, and gives back."""
    arguments = enumerate(func._schema.arguments)
    return [place for place, each in arguments if each.alias_info and each.alias_info.is_write]


def _check_devices(func: Any, args: tuple, given: list, here: list) -> None:
    """What torch checks: a number on the CPU may go into what is done number by number, and indices may be there."""
    elsewhere = [v for v in given if isinstance(v, torch.Tensor) and not isinstance(v, Pretended)]
    if not here or not elsewhere:
        return
    if func in INDEXING:
        if not isinstance(args[0], Pretended):
            raise RuntimeError(
                "indices should be either on cpu or on the same device as the indexed tensor (cpu)"
            )
        elsewhere = [value for value in args[2:3] if value.dim() and not isinstance(value, Pretended)]
    elif torch.Tag.pointwise in func.tags or func is aten.fill_.Tensor:
        elsewhere = [tensor for tensor in elsewhere if tensor.dim() or (_written(func) and tensor is args[0])]
    if elsewhere:
        raise RuntimeError(f"{MIXED} (when checking arguments of {func})")

"""What surrounds a call of an answer: packages as they are once imported, whatever was set since."""

import contextlib
import random
import sys
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def as_packages_begin() -> Iterator[None]:
    """Packages that are there do as they do by default; afterwards all is as it was.

    NumPy warns of a division by zero. torch has gradients on, float32 and the CPU, and compiles nothing.
    """
    with contextlib.ExitStack() as stack:
        if numpy := sys.modules.get("numpy"):
            stack.enter_context(numpy.errstate(divide="warn", over="warn", under="ignore", invalid="warn"))
        if torch := sys.modules.get("torch"):
            dtype = torch.get_default_dtype()
            stack.enter_context(torch.inference_mode(False))  # which turns gradients on, too
            if _makes_tensors_elsewhere(torch):
                stack.enter_context(torch.device("cpu"))
            if "torch._dynamo" in sys.modules:  # to compile for each case takes minutes
                stack.enter_context(torch.compiler.set_stance("force_eager"))
            torch.set_default_dtype(torch.float32)
            stack.callback(torch.set_default_dtype, dtype)
        yield


def _makes_tensors_elsewhere(torch: Any) -> bool:
    try:
        return torch.get_default_device().type != "cpu"
    except (AssertionError, RuntimeError):  # torch makes a tensor there, and there is no such device
        return True


_kept = False


@contextlib.contextmanager
def generators_kept() -> Iterator[None]:
    """Afterwards all random generators are as they were. Within another one, it does nothing.

    So a sheet's cases share it: to copy NumPy's state and put it back takes as long as many an answer.
    """
    global _kept
    if _kept:
        yield
        return
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    of_python = random.getstate()
    of_numpy = numpy.random.get_state() if numpy else None
    of_torch = torch.get_rng_state() if torch else None
    _kept = True
    try:
        yield
    finally:
        _kept = False
        random.setstate(of_python)
        if numpy:
            numpy.random.set_state(of_numpy)
        if torch:
            torch.set_rng_state(of_torch)


def seed() -> None:
    """From here on the same random numbers each time, whoever draws them."""
    random.seed(0)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(0)
    if torch := sys.modules.get("torch"):
        torch.default_generator.manual_seed(0)  # torch.manual_seed walks through every device: half a ms

"""What surrounds a call of an answer: packages as they are once imported, whatever was set since."""

import contextlib
import random
import sys
from collections.abc import Iterator


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
            if torch.get_default_device().type != "cpu":
                stack.enter_context(torch.device("cpu"))
            if "torch._dynamo" in sys.modules:  # to compile for each case takes minutes
                stack.enter_context(torch.compiler.set_stance("force_eager"))
            torch.set_default_dtype(torch.float32)
            stack.callback(torch.set_default_dtype, dtype)
        yield


@contextlib.contextmanager
def as_if_fresh() -> Iterator[None]:
    """The same random numbers each time, whoever draws them; afterwards all generators are as they were."""
    with contextlib.ExitStack() as stack:
        stack.callback(random.setstate, random.getstate())
        random.seed(0)
        if numpy := sys.modules.get("numpy"):
            stack.callback(numpy.random.set_state, numpy.random.get_state())
            numpy.random.seed(0)
        if torch := sys.modules.get("torch"):
            stack.callback(torch.set_rng_state, torch.get_rng_state())
            torch.default_generator.manual_seed(0)  # torch.manual_seed walks through every device: half a ms
        yield

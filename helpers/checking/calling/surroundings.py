"""What surrounds a call of an answer: torch as it is once imported, whatever a notebook has set since."""

import contextlib
import sys
from collections.abc import Iterator

import torch


@contextlib.contextmanager
def as_torch_begins() -> Iterator[None]:
    """Gradients on, float32 and the CPU by default, nothing compiled; afterwards all is as it was."""
    dtype = torch.get_default_dtype()
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.inference_mode(False))  # which turns gradients on, too
        if torch.get_default_device().type != "cpu":
            stack.enter_context(torch.device("cpu"))
        if "torch._dynamo" in sys.modules:  # to compile for each case takes minutes
            stack.enter_context(torch.compiler.set_stance("force_eager"))
        torch.set_default_dtype(torch.float32)
        stack.callback(torch.set_default_dtype, dtype)
        yield

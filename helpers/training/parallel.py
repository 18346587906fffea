"""A training run on all cores, and on the GPU where there is one."""

import functools
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, ThreadPoolExecutor, wait
from typing import TypeVar

import torch
from torch.autograd.function import FunctionCtx

from helpers.training.display import progress_bar
from helpers.training.stopping import Stopped, after_the_step

Job = TypeVar("Job")
Result = TypeVar("Result")
Gradients = Sequence[torch.Tensor | None]

MOST_CORES = 4  # in more parts than that, little of a batch of 16 is left for each


def device() -> torch.device:
    """The GPU where there is one, else the CPU."""
    return torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")


def there(*tensors: torch.Tensor) -> list[torch.Tensor]:
    """The same tensors on `device()`."""
    place = device()
    return [tensor.to(place) for tensor in tensors]


def cores() -> int:
    """How many threads a training run is spread over: the cores that this process may use, at most four."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable, MOST_CORES)


def new_threads(count: int) -> ThreadPoolExecutor:
    """Threads in each of which torch keeps to one core."""
    return ThreadPoolExecutor(count, initializer=torch.set_num_threads, initargs=(1,))


step_threads = functools.cache(new_threads)
"""The same threads at each call: for the parts of a step, of which there are thousands."""


def on_all_cores(loss: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """The same loss and the same gradients, with each core working on rows of its own.

    torch's own threads split every single operation and wait for each other after it; if one core is busy
    with something else, all wait. Here each core takes a part of the batch through the whole model and back,
    and they wait for each other once per step.

    Args:
        loss: called with a model and the tensors of a batch, (B, ...) each. Gives the mean over all targets,
            the last tensor's entries, that aren't -100. Draws no random numbers (no dropout): threads would
            draw them in any order.

    Returns:
        A function of the same arguments. `backward` on its result fills the model's gradients. On a GPU, on
        one core and without gradients it is `loss` itself.
    """

    def spread(model: torch.nn.Module, *batch: torch.Tensor) -> torch.Tensor:
        parts = list(zip(*(tensor.chunk(cores()) for tensor in batch), strict=True))
        if len(parts) == 1 or batch[0].device.type != "cpu" or not torch.is_grad_enabled():
            return loss(model, *batch)
        weights = [parameter for parameter in model.parameters() if parameter.requires_grad]
        counted = [int((part[-1] != -100).sum()) for part in parts]

        def run(part: Sequence[torch.Tensor], count: int) -> tuple[torch.Tensor, Gradients]:
            if not count:  # a mean of nothing isn't a number
                return torch.zeros(()), [None] * len(weights)
            value = loss(model, *part) * (count / sum(counted))
            return value.detach(), torch.autograd.grad(value, weights, allow_unused=True)

        values, gradients = zip(*step_threads(cores()).map(run, parts, counted), strict=True)
        summed = [_sum(of_parts) for of_parts in zip(*gradients, strict=True)]
        return _KnownGradients.apply(sum(values), summed, *weights)

    return spread


class _Context(FunctionCtx):
    """What autograd hands from `forward` to `backward`."""

    gradients: Gradients


class _KnownGradients(torch.autograd.Function):
    """A loss whose gradients are known already: `backward` hands them out, once."""

    @staticmethod
    def forward(
        ctx: _Context, value: torch.Tensor, gradients: Gradients, *weights: torch.Tensor
    ) -> torch.Tensor:
        ctx.gradients = gradients
        return value.clone()

    @staticmethod
    def backward(ctx: _Context, outer: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        gradients, ctx.gradients = ctx.gradients, ()
        if outer != 1:
            gradients = [None if gradient is None else gradient * outer for gradient in gradients]
        return None, None, *gradients


def _sum(gradients: Gradients) -> torch.Tensor | None:
    known = [gradient for gradient in gradients if gradient is not None]
    return sum(known[1:], known[0]) if known else None  # not in place: parameters may share a gradient


_interrupted = threading.Event()


def unless_stopped() -> None:
    """Called between the steps of a job of `each`: ends the job if the student has pressed the square.

    Raises:
        CancelledError: they have.
    """
    if _interrupted.is_set():
        raise CancelledError("stopped")


def each(function: Callable[[Job], Result], jobs: Iterable[Job], title: str) -> list[Result]:
    """`function(job)` of each job, in order, as many at once as there are cores, with a progress bar.

    For training runs that don't need each other, one per core. Random numbers must come from generators of
    the job's own: make its model before, where `torch.manual_seed` holds.

    Args:
        function: trains, measures; called in a thread.
        jobs: what it is called with.
        title: beside the bar.

    Raises:
        Stopped: it was interrupted; jobs that call `unless_stopped` end at once, the others run to their end.
    """
    jobs = list(jobs)
    # Threads of their own: a job whose steps wait for `step_threads` must not be one of these itself.
    with (
        progress_bar(title, len(jobs)) as bar,
        new_threads(cores()) as threads,
        after_the_step() as stopped,
    ):
        try:
            runs = [threads.submit(function, job) for job in jobs]
            left = set(runs)
            while left and not stopped():
                done, left = wait(left, timeout=0.2, return_when=FIRST_COMPLETED)
                bar.update(len(done))
        finally:
            _interrupted.set()
            threads.shutdown(cancel_futures=True)
            _interrupted.clear()
    if stopped():
        done = {run for run in runs if not run.cancelled() and run.exception() is None}
        raise Stopped(f"Stopped after {len(done)} of {len(jobs)} runs; none of them is kept.")
    return [run.result() for run in runs]

"""A training run on all cores, or on the GPU where one is asked for.

On CPUs, each core has rows of the batch of its own. Attention is torch's fused kernel and AdamW the fused
one; `models/linear.py` has the rest of what makes a step fast. Packing several texts into a row could bring
no more: texts of about the same length share a batch, and 1.4 % of the tokens in lesson 08's batches are
padding.

Only one thread ever calls a GPU, the one that runs the notebook's cells: on a Mac, two at once can end the
process (github.com/pytorch/pytorch/issues/197805).
"""

import functools
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, ThreadPoolExecutor, wait
from contextlib import contextmanager
from datetime import datetime
from typing import Concatenate, ParamSpec, TypeVar

import torch
from torch.autograd.function import FunctionCtx

from helpers.training.checkpoints import Runs
from helpers.training.display import progress_bar
from helpers.training.stopping import Stopped, after_the_step

Job = TypeVar("Job")
Result = TypeVar("Result")
More = ParamSpec("More")
Models = TypeVar("Models", bound=torch.nn.Module | Sequence[torch.nn.Module])
Gradients = Sequence[torch.Tensor | None]

MOST_CORES = 4  # in more parts than that, little of a batch of 16 is left for each


class NoSuchDevice(ValueError):
    """`HEADSTART_DEVICE` names what isn't there. Where a traceback would be, its sentence stands alone."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


_given_way: list[torch.device] = []  # the CPU, while a run is made there that a GPU couldn't make


def device() -> torch.device:
    """Where to train: the CPU, or what the environment variable `HEADSTART_DEVICE` names.

    The CPU unless told otherwise: every computer has one. A fast GPU trains models as small as ours two to
    four times as fast as two cores, but one at a time.

    Raises:
        NoSuchDevice: there is no such device here.
    """
    if _given_way:
        return _given_way[-1]
    # defence: GPU: the CPU unless told otherwise
    asked = os.environ.get("HEADSTART_DEVICE", "").strip().lower() or "cpu"
    if asked == "cpu":
        return torch.device("cpu")
    found = _devices()
    exact = asked if asked in found else f"{asked}:0"  # "cuda" is "cuda:0", as a tensor there calls it
    # defence: GPU: one that isn't there is named
    if exact not in found:
        raise NoSuchDevice(
            f'HEADSTART_DEVICE is "{asked}", but torch finds only {", ".join(found)} here: '
            f"run %env HEADSTART_DEVICE={found[-1]} in a cell."
        )
    return torch.device(exact)


def _devices() -> list[str]:
    """What torch can use on this computer."""
    cuda = range(torch.cuda.device_count() if torch.cuda.is_available() else 0)
    return ["cpu", *(f"cuda:{n}" for n in cuda), *(["mps:0"] if torch.backends.mps.is_available() else ())]


def beside(
    function: Callable[Concatenate[torch.nn.Module, More], Result],
) -> Callable[Concatenate[torch.nn.Module, More], Result]:
    """A function of a model and tensors, called with the tensors on the model's device."""

    @functools.wraps(function)
    def call(model: torch.nn.Module, *given: More.args, **more: More.kwargs) -> Result:
        place = next(model.parameters()).device
        # defence: GPU: a batch goes to its model
        moved = (value.to(place) if isinstance(value, torch.Tensor) else value for value in given)
        return function(model, *moved, **more)  # type: ignore[arg-type]  # the same but for their place

    return call


def on_device(
    train: Callable[Concatenate[Models, More], Result],
) -> Callable[Concatenate[Models, More], Result]:
    """A training run whose model is on `device()` while it lasts, and on the CPU afterwards.

    What is right on the CPU may fail on a GPU: it makes a tensor of its own on the CPU, say, or one of
    float64, which Macs' GPUs lack. Then the run says why, and starts again on the CPU.

    Args:
        train: called with a model, or several, and the rest; trains in place.
    """

    @functools.wraps(train)
    def run(models: Models, *given: More.args, **more: More.kwargs) -> Result:
        place = device()
        if place.type == "cpu":
            return train(models, *given, **more)
        parts: list[torch.nn.Module] = [models] if isinstance(models, torch.nn.Module) else [*models]
        before = [{name: value.clone() for name, value in part.state_dict().items()} for part in parts]
        try:
            for part in parts:
                part.to(place)
            return train(models, *given, **more)
        except Exception as error:  # whatever a student's part can't do there
            # defence: GPU: what fails runs on the CPU
            if isinstance(error, CancelledError) or not error.args:  # stopped, or not written yet
                raise
            _say_once(f"This training runs on the CPU, since on {place} it stops with {in_a_line(error)}")
        finally:
            for part in parts:
                # defence: GPU: a model comes back
                part.to("cpu")
        for part, state in zip(parts, before, strict=True):
            # defence: GPU: the CPU begins anew
            part.load_state_dict(state)
        with _on_the_cpu():
            return train(models, *given, **more)

    return run


@contextmanager
def _on_the_cpu() -> Iterator[None]:
    _given_way.append(torch.device("cpu"))
    try:
        yield
    finally:
        _given_way.pop()


def in_a_line(error: Exception) -> str:
    """An error's kind and the first line of what it says."""
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"


# defence: GPU: a reason is given once
@functools.cache
def _say_once(sentence: str) -> None:
    print(sentence)


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
        A function of the same arguments. `backward` on its result fills the model's gradients. On a GPU it is
        `loss` of a batch that is moved there; on one core and without gradients it is `loss` itself.
    """

    @beside
    def spread(model: torch.nn.Module, *batch: torch.Tensor) -> torch.Tensor:
        parts = list(zip(*(tensor.chunk(cores()) for tensor in batch), strict=True))
        # defence: GPU: a step isn't spread
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


_over: list[Callable[[], bool]] = []  # of each `each` that runs: whether its jobs should end


def unless_stopped() -> None:
    """Called between the steps of a job of `each`: ends the job if the student has pressed the square.

    Raises:
        CancelledError: they have.
    """
    if any(over() for over in _over):
        raise CancelledError("stopped")


def each(
    function: Callable[[Job], Result],
    jobs: Iterable[Job],
    title: str,
    keep: str = "",
    mark: Callable[[Job], str] = repr,
    model: Callable[[Job], torch.nn.Module | None] = lambda job: None,
) -> list[Result]:
    """`function(job)` of each job, in order, as many at once as there are cores, with a progress bar.

    For training runs that don't need each other, one per core; where `device()` is a GPU, one after another.
    Random numbers must come from generators of the job's own: make its model before, where
    `torch.manual_seed` holds.

    Args:
        function: trains, measures; called in a thread, unless `device()` is a GPU.
        jobs: what it is called with.
        title: beside the bar.
        keep: the name under which results are kept on this computer, in plain numbers; "" keeps none.
        mark: what a job's result depends on. One that is kept under the same mark isn't made again.
        model: what a job trains in place, if it is needed afterwards: its weights are kept, too.

    Raises:
        Stopped: it was interrupted; jobs that call `unless_stopped` end at once, the others run to their end.
    """
    jobs, runs = list(jobs), Runs(keep) if keep else None
    marks = [mark(job) if runs else "" for job in jobs]
    found = [runs.find(*of) if runs else None for of in zip(marks, map(model, jobs), strict=True)]
    left = [at for at, known in enumerate(found) if known is None]
    _say_what_is_kept(keep, [known["when"] for known in found if known], len(jobs))

    def make(at: int) -> tuple[int, Result]:
        result = function(jobs[at])
        if runs:
            runs.add(marks[at], result, model(jobs[at]))
        return at, result

    # defence: GPU: runs take turns
    run = _side_by_side if device().type == "cpu" else _one_by_one
    try:
        with progress_bar(title, len(jobs), done=len(jobs) - len(left)) as bar, after_the_step() as stopped:
            made = dict(run(make, left, bar.update, stopped))
    finally:
        if runs and left:
            runs.save()
    if stopped():
        count = f"Stopped after {len(jobs) - len(left) + len(made)} of {len(jobs)} runs"
        kept = "they are kept: run the cell again to go on from there" if runs else "none of them is kept"
        raise Stopped(f"{count}; {kept}.")
    return [known["result"] if known else made[at] for at, known in enumerate(found)]


def _say_what_is_kept(name: str, times: list[float], count: int) -> None:
    if times:
        last = f"{datetime.fromtimestamp(max(times)):%Y-%m-%d at %H:%M}"
        many = "These runs were" if len(times) == count else f"{len(times)} of these {count} runs were"
        print(f'{many} made here, the last on {last}. training.forget("{name}") removes them.')


def _one_by_one(
    function: Callable[[Job], Result],
    jobs: Sequence[Job],
    count: Callable[[int], object],
    stopped: Callable[[], bool],
) -> list[Result]:
    """The results, in this thread; of those that were ready when it was stopped."""
    found: list[Result] = []
    # defence: GPU: runs that take turns hear an interrupt
    _over.append(stopped)
    try:
        for job in jobs:
            unless_stopped()
            found.append(function(job))
            count(1)
    except CancelledError:
        if not stopped():
            raise
    finally:
        _over.pop()
    return found


def _side_by_side(
    function: Callable[[Job], Result],
    jobs: Sequence[Job],
    count: Callable[[int], object],
    stopped: Callable[[], bool],
) -> list[Result]:
    """The results, in a thread for each core; of those that were ready when it was stopped."""
    left_early = threading.Event()
    _over.append(left_early.is_set)
    # Threads of their own: a job whose steps wait for `step_threads` must not be one of these itself.
    with new_threads(cores()) as threads:
        try:
            runs = [threads.submit(function, job) for job in jobs]
            left = set(runs)
            while left and not stopped():
                done, left = wait(left, timeout=0.2, return_when=FIRST_COMPLETED)
                count(len(done))
        finally:
            left_early.set()
            threads.shutdown(cancel_futures=True)
            _over.pop()
    if stopped():
        return [run.result() for run in runs if not run.cancelled() and run.exception() is None]
    return [run.result() for run in runs]

"""The student's own parts: answers whose checks have passed, from which later lessons build their models.

Each answer is run by itself. On random numbers, its outputs and gradients are compared with those of the
course's part, and both are timed. The course's part is used where an answer can't be found, doesn't run by
itself or on the device that models are trained on, gives different numbers, or takes six times as long.
`models.blocks.Parts` has one place for each such function, so parameters keep their names whoever wrote the
functions, and saved weights fit.

No grade depends on these parts: the sandbox doesn't show the folder in which they are kept.
`own.use(False)` switches them off.
"""

import dataclasses
import functools
import time
import warnings
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import nn

from helpers import attention, block, masking, multihead, training
from helpers.checking.code import keeping
from helpers.kept import Whose, found
from helpers.kept import table as table
from helpers.models.blocks import COURSE, FeedForward, Parts
from helpers.timing import clock
from helpers.training.parallel import in_a_line

CPU = torch.device("cpu")


class Sizes(NamedTuple):
    """Of what a part is given: `T` positions, vectors about `C` wide, a vocabulary of `V`; and its device."""

    T: int
    C: int
    V: int
    place: torch.device = CPU

    def drawn(self, *shape: int) -> torch.Tensor:
        """Random numbers there, the same on every device, which get a gradient."""
        return torch.randn(shape).to(self.place).requires_grad_()


Probe = Callable[[Callable, Sizes], object]

TRIED = Sizes(4, 4, 7)
# About a lesson's: what multiplies and adds up by itself is slow only where all is large.
TIMED = Sizes(64, 64, 800)
SLOWEST = 6.0  # times as slow as the course's: with loops over heads or positions, a training takes an hour


def use(on: bool) -> None:
    """Keep answers and build models of them, or no more."""
    keeping.switch(on)


def parts() -> tuple[Parts, list[Whose]]:
    """What models are put together of on this computer, and whose each part is."""
    chosen: dict[str, Callable] = {}
    rows = []
    for part, (what, exercise, course, probe) in KNOWN.items():
        own, why = _own(exercise, course, probe)
        if own is not None:
            chosen[part] = own
        rows.append(Whose(part, what, exercise, own is not None, why))
    return dataclasses.replace(COURSE, **chosen), rows


def answer(exercise: str, course: Callable) -> Callable:
    """The student's own answer to an exercise whose check has passed here, else the course's."""
    own, _ = found(exercise)
    return own if callable(own) else course


def _own(exercise: str, course: Callable, probe: Probe) -> tuple[Callable | None, str]:
    """A kept answer that does what the course's part does; or None, and why not."""
    own, why = found(exercise)
    if why:
        return None, why
    if not callable(own):
        return None, "what is kept isn't a function"
    # defence: GPU: parts are tried on it
    for place in dict.fromkeys((CPU, training.device())):
        if why := _unfit(own, course, probe, place):
            return None, why if place == CPU else f"it serves on the CPU, but on {place} {why}"
    return own, ""


def _unfit(own: Callable, course: Callable, probe: Probe, place: torch.device) -> str:
    """Why an answer can't stand for the course's part on a device; "" where it can."""
    right = _tried(course, probe, place)
    try:
        mine = _tried(own, probe, place)
    except Exception as error:
        if place == CPU:  # it leans on something that isn't there
            return f"by itself it stops with {type(error).__name__}"
        return f"it stops with {in_a_line(error)}"
    if not _alike(mine[0], right[0]):
        return "in a model it gives other numbers than the course's"
    if mine[1] > SLOWEST * right[1] + 0.002:
        return f"it takes {mine[1] / right[1]:.0f} times as long as the course's"
    return ""


def _tried(part: Callable, probe: Probe, place: torch.device = CPU) -> tuple[object, float]:
    """What a part does on small inputs, and the seconds that it takes for a lesson's, the best of three."""
    with torch.random.fork_rng(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the student's code: its check has shown them
        torch.manual_seed(0)
        found, times = _on_the_cpu(probe(part, TRIED._replace(place=place))), []
        now = clock if place == CPU else time.perf_counter  # a GPU works while the processor waits
        for _ in range(3):
            begun = now()
            _on_the_cpu(probe(part, TIMED._replace(place=place)))  # which waits until a GPU has done it
            times.append(now() - begun)
    return found, min(times)


def _on_the_cpu(found: object) -> object:
    if isinstance(found, tuple):
        return tuple(map(_on_the_cpu, found))
    return found.to(CPU) if isinstance(found, torch.Tensor) else found


def _alike(mine: object, right: object) -> bool:
    if isinstance(right, tuple):
        return isinstance(mine, tuple) and len(mine) == len(right) and all(map(_alike, mine, right))
    if not isinstance(mine, torch.Tensor) or not isinstance(right, torch.Tensor):
        return False
    same_kind = mine.shape == right.shape and mine.dtype == right.dtype
    return same_kind and torch.allclose(mine, right, rtol=1e-4, atol=1e-5)


# -- what a part does on random numbers, gradients included -------------------------------------------------


def _with_gradient(output: torch.Tensor, *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return output, *torch.autograd.grad((output * output.detach().cos()).sum(), inputs)


def _attends(part: Callable, sizes: Sizes) -> object:
    T, d_k = sizes.T, 2 * sizes.C
    q, k, v = (sizes.drawn(3, 2, size, d_k) for size in (T, T + 1, T + 1))
    mask = torch.ones(T, T + 1, dtype=torch.bool, device=sizes.place).tril(1)
    outputs, weights = part(q, k, v, mask)
    return weights, *_with_gradient(outputs, q, k, v)


def _normalises(part: Callable, sizes: Sizes) -> object:
    C = sizes.C + 1
    x, weight, bias = (sizes.drawn(*size) for size in ((2, sizes.T, C), (C,), (C,)))
    return _with_gradient(part(x, weight, bias, 1e-5), x, weight, bias)


def _feeds_forward(part: Callable, sizes: Sizes) -> object:
    C, d_ff = sizes.C, sizes.C + 2
    x = sizes.drawn(2, sizes.T, C)
    weights = {name: torch.randn(tensor.shape) for name, tensor in FeedForward(C, d_ff).state_dict().items()}
    network = part(C, d_ff)
    network.load_state_dict(weights)
    network.to(sizes.place)
    return _with_gradient(network(x), x, network.W_up.weight, network.W_down.weight)


def _adds(part: Callable, sizes: Sizes) -> object:
    x = sizes.drawn(2, sizes.T, sizes.C)
    norm = functools.partial(nn.functional.layer_norm, normalized_shape=(sizes.C,))
    sublayer = lambda x: 2 * torch.tanh(x)  # noqa: E731  (as with a product at its end, `out += x` may follow)
    return tuple(
        _with_gradient(part(x, sublayer, norm, first), x)[n] for first in (True, False) for n in (0, 1)
    )


def _embeds(part: Callable, sizes: Sizes) -> object:
    words, positions = (sizes.drawn(size, sizes.C) for size in (sizes.V, sizes.T + 2))
    ids = torch.randint(sizes.V, (2, sizes.T)).to(sizes.place)
    return _with_gradient(part(ids, words, positions), words, positions)


def _unembeds(part: Callable, sizes: Sizes) -> object:
    x, words = sizes.drawn(8, sizes.T, sizes.C), sizes.drawn(sizes.V, sizes.C)
    return _with_gradient(part(x, words), x, words)


def _splits(part: Callable, sizes: Sizes) -> object:
    return part(sizes.drawn(2, sizes.T, sizes.C + 2).detach(), 2)


def _merges(part: Callable, sizes: Sizes) -> object:
    return part(sizes.drawn(2, 3, sizes.T, sizes.C + 1).detach())


def _masks(part: Callable, sizes: Sizes) -> object:
    return part(sizes.T)


# By the field of `Parts`: what it is, which exercise asks for it, the course's own, and how it is tried.
KNOWN: dict[str, tuple[str, str, Callable, Probe]] = {
    "embed": ("tokens to vectors", "block.embed", block.embed, _embeds),
    "attention": (
        "attention",
        "attention.scaled_dot_product",
        attention.scaled_dot_product_attention,
        _attends,
    ),
    "split_heads": ("splitting into heads", "multihead.split_heads", multihead.split_heads, _splits),
    "merge_heads": ("merging the heads", "multihead.merge_heads", multihead.merge_heads, _merges),
    "causal_mask": ("the causal mask", "masking.causal", masking.causal_mask, _masks),
    "layer_norm": ("layer norm", "block.layer_norm", block.layer_norm, _normalises),
    "feed_forward": ("feed-forward network", "block.feed_forward", block.FeedForward, _feeds_forward),
    "add_sublayer": ("the residual path", "block.add_sublayer", block.add_sublayer, _adds),
    "unembed": ("vectors to scores", "block.unembed", block.unembed, _unembeds),
}

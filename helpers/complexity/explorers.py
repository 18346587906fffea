"""Lesson 05's explorers, its pictures of layers, and two gauges: for time and for the largest tensor.

What they show comes from the student's own functions, which they take as arguments.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from helpers.checking.calling.drivers import run
from helpers.checking.calling.outcome import Case
from helpers.figures import plots
from helpers.figures.controls import MOVE, explorer, labelled
from helpers.figures.live import shown
from helpers.figures.showing import image, note, tried
from helpers.timing import seconds

if TYPE_CHECKING:
    from ipywidgets import VBox
    from matplotlib.axes import Axes

LAYERS = ("self-attention", "recurrent", "convolutional")

# -- gauges ----------------------------------------------------------------------------------------------


def milliseconds(function: Callable, *inputs: object, laps: int = 5) -> float:
    """The least processor time of several calls, on one core and without gradients: see `helpers.timing`."""
    return 1000 * seconds(function, *inputs, laps=laps)


def largest_tensor(function: Callable, *inputs: object) -> int:
    """How many numbers the largest tensor made by a call holds. The checks use the same gauge.

    Raises:
        NotImplementedError: the function isn't written yet.
        RuntimeError: it stopped with an exception.
    """
    outcome = run("call_measured", function, Case("", inputs))
    if outcome.status == "not written":
        raise NotImplementedError
    if outcome.largest is None:
        raise RuntimeError(f"{outcome.error} {outcome.message}")
    return outcome.largest


def measured(
    ways: Mapping[str, Callable], inputs: Sequence[Sequence], laps: int
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """What ways of computing the same take.

    Args:
        ways: functions, by name.
        inputs: arguments, for one call of each function after another.
        laps: as in `milliseconds`.

    Returns:
        By name, for each of the inputs: the largest tensor, in millions of numbers, and the milliseconds.
    """
    held = {name: [largest_tensor(way, *each) / 1e6 for each in inputs] for name, way in ways.items()}
    took = {name: [milliseconds(way, *each, laps=laps) for each in inputs] for name, way in ways.items()}
    return held, took


# -- a stack of convolutions -----------------------------------------------------------------------------


def stack_of_convolutions(n: int, k: int, dilated: bool, layers: int, *, ax: "Axes | None" = None) -> "Axes":
    """What the last position sees through a stack of causal convolutions.

    Args:
        n: positions, drawn from left to right.
        k: width of the kernel.
        dilated: whether each layer's steps are k times as wide as those of the layer below.
        layers: how many to draw, at most 8.
        ax: where to draw; a new figure if None.
    """
    layers = min(max(int(layers), 0), 8)
    ax = ax or plots.panels(width=0.5 * n + 0.6, height=0.55 * layers + 1.0)[0]
    seen, reached = {n - 1}, {(layers, n - 1)}
    for level in range(layers, 0, -1):
        step = k ** (level - 1) if dilated else 1
        edges = [(p, p - i * step) for p in seen for i in range(k) if p - i * step >= 0]
        for upper, lower in edges:
            ax.plot([upper, lower], [level, level - 1], color=plots.PALETTE[0], linewidth=1.1, zorder=1)
        seen = {lower for _, lower in edges}
        reached |= {(level - 1, p) for p in seen}
    for level in range(layers + 1):
        for p in range(n):
            face = plots.PALETTE[0] if (level, p) in reached else "white"
            ax.plot(p, level, "o", markersize=8, color=face, markeredgecolor=plots.FAINT, zorder=2)
    ax.set_xticks(range(n))
    ax.set_yticks(range(layers + 1), ["input", *(f"layer {level}" for level in range(1, layers + 1))])
    kind = "growing steps" if dilated else "steps of 1"
    ax.set_title(f"{kind}: {layers} {'layer' if layers == 1 else 'layers'}")
    ax.set_xlabel("position")
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    first = "sees" if 0 in seen else "doesn't see"
    ax.set_label(
        f"A stack of {layers} convolutions with kernel {k} and {kind} over {n} positions: the last position "
        f"{first} the first, and {len(seen)} positions in all."
    )
    return ax


def gradient_arrives(n: int, k: int, dilated: bool, layers: int) -> bool:
    """Whether the last output of a stack of causal convolutions depends on its first input.

    Args:
        n: positions.
        k: width of the kernel.
        dilated: whether each layer's steps are k times as wide as those of the layer below.
        layers: of the stack.
    """
    x = torch.ones(1, 1, n, requires_grad=True)
    y = x
    for layer in range(layers):
        step = k**layer if dilated else 1
        padded = torch.nn.functional.pad(y, ((k - 1) * step, 0))
        y = torch.nn.functional.conv1d(padded, torch.full((1, 1, k), 1 / k), dilation=step)
    (gradient,) = torch.autograd.grad(y[0, 0, -1], x)
    return bool(gradient[0, 0, 0] != 0)


# -- which layer is cheapest -----------------------------------------------------------------------------

LENGTHS = [2**power for power in range(4, 18)]
WIDTHS = [2**power for power in range(4, 14)]
KERNELS = [2, 3, 5, 9, 17, 33]
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
UNITS = [10**power for power in range(0, 13, 2)]


def layer_explorer(layer_cost: Callable, exercise: str = "Exercise 5.6") -> "VBox":
    """Move n, d, k and the number of calculators, and see which layer is done first, on the n-d plane.

    Args:
        layer_cost: the student's `layer_cost(layer, n, d, k)` -> (operations, steps, path).
        exercise: where it is written, for the message that asks for it.
    """
    import ipywidgets as w

    n = w.SelectionSlider(options=LENGTHS, value=512, **labelled("length n"))
    d = w.SelectionSlider(options=WIDTHS, value=256, **labelled("width d"))
    k = w.SelectionSlider(options=KERNELS, value=3, **labelled("kernel k"))
    units = w.SelectionSlider(
        options=[(f"{number:,}", number) for number in UNITS], **labelled("calculators")
    )
    picture = w.HTML()

    def show() -> str:
        def time(layer: str, length: int) -> float:
            return _time(layer_cost(layer, length, d.value, k.value), units.value)

        series = {layer: [time(layer, length) for length in LENGTHS] for layer in LAYERS}
        return shown({"lengths": LENGTHS, "series": series, "n": LENGTHS.index(n.value), "d": d.value})

    def draw(_: object = None) -> None:
        picture.value = tried(show, exercise)

    for control in (n, d, k, units):
        control.observe(draw, "value")
    draw()
    first = {"n": n.value, "d": d.value, "k": k.value, "units": units.value}
    data = {"lengths": LENGTHS, "widths": WIDTHS, "kernels": KERNELS, "units": UNITS, "first": first}
    module = Path(__file__).with_name("costs.js")
    still = tried(lambda: image(_cheapest(layer_cost, n.value, d.value, k.value, units.value)), exercise)
    return explorer([n, d, k, units, picture], still + MOVE, module=module, data=data)


def _time(cost: Sequence[float], units: int) -> float:
    """The time in steps of `units` operations, where what must come one after another does."""
    operations, steps = float(cost[0]), float(cost[1])
    return steps * max(1.0, operations / steps / units)


def _cheapest(layer_cost: Callable, n: int, d: int, k: int, units: int) -> "Axes":
    plane, side = plots.panels(2, width=3.95, height=3.6, ratios=(1.25, 1))
    plots.set_edges(plane, 0.088, 0.14, 0.985, 0.86, 0.13)
    won: dict[str, list[tuple[int, int]]] = {layer: [] for layer in LAYERS}
    for length in LENGTHS:
        for width in WIDTHS:
            costs = {layer: layer_cost(layer, length, width, k) for layer in LAYERS}
            won[_first_done(costs, units)].append((length, width))
    for number, (layer, points) in enumerate(won.items()):
        x, y = zip(*points, strict=True) if points else ((), ())
        plane.scatter(x, y, s=26, color=plots.PALETTE[number], marker=plots.MARKERS[number], label=layer)
    plane.plot(n, d, "o", markersize=15, markerfacecolor="none", markeredgecolor=plots.INK, markeredgewidth=2)
    plane.set(xscale="log", yscale="log", xlabel="length n", ylabel="width d")
    for axis, values in ((plane.xaxis, LENGTHS), (plane.yaxis, WIDTHS)):
        axis.set_ticks(values[::3], [str(value) for value in values[::3]])
        axis.set_ticks([], minor=True)
    plane.legend(
        title="done first", loc="lower left", bbox_to_anchor=(-0.02, 0.98), alignment="left",
        ncols=3, columnspacing=1.2, handletextpad=0.2, frameon=False,
    )  # fmt: skip
    times = {layer: _time(layer_cost(layer, n, d, k), units) for layer in LAYERS}
    _time_bars(side, times, n, d)
    counted = ", ".join(f"{layer} at {len(points)}" for layer, points in won.items())
    told = ", ".join(f"{layer} {_short(time)}" for layer, time in times.items())
    plane.set_label(f"Which layer is done first, with {units} calculators and kernel {k}: {counted} points.")
    side.set_label(f"Time steps at length {n} and width {d}: {told}.")
    return plane


def _first_done(costs: dict[str, Sequence[float]], units: int) -> str:
    """The layer with the least time; of several, the one with the fewest operations."""
    return min(LAYERS, key=lambda layer: (_time(costs[layer], units), float(costs[layer][0])))


def _time_bars(ax: "Axes", times: dict[str, float], n: int, d: int) -> None:
    best, most = min(times.values()), max(times.values())
    for number, (layer, time) in enumerate(times.items()):
        ax.barh(number, max(time, 1.15), left=1, color=plots.PALETTE[number], height=0.4)
        star = " · least" if time == best else ""
        ax.text(1, number - 0.3, f" {layer}: {_short(time)}{star}", va="bottom", fontsize=9.5)
    ax.set(xscale="log", xlim=(1, max(most, 10) * 3), ylim=(2.5, -0.7), yticks=[], xlabel="time steps")
    ax.set_title(f"n = {n}, d = {d}", fontsize=10)


def _short(number: float) -> str:
    """`512`, `6.7·10⁷`."""
    if number < 1e5:
        return f"{number:.0f}"
    digits, power = f"{number:.1e}".split("e")
    return f"{digits}·10{str(int(power)).translate(SUPERSCRIPTS)}"


# -- a running softmax -----------------------------------------------------------------------------------

SCORES = torch.tensor([0.4, 1.0, -0.8, 0.2, 2.1, 0.9, -0.3, 1.5, 3.6, 0.1, 1.2, -1.0])
VALUES = torch.tensor([[4.0], [8.0], [2.0], [6.0], [3.0], [9.0], [1.0], [5.0], [7.0], [2.0], [6.0], [8.0]])


def running_softmax_explorer(absorb: Callable, exercise: str = "Exercise 5.11") -> "VBox":
    """Read one query's keys block by block, and see the weights of those read so far shrink into place.

    Args:
        absorb: the student's `absorb(largest, total, mixture, scores, values)` -> the new three.
        exercise: where it is written, for the message that asks for it.
    """
    import ipywidgets as w

    read = w.IntSlider(1, min=0, max=6, **labelled("blocks read"))
    size = w.SelectionSlider(options=[1, 2, 3, 4, 6, 12], value=2, **labelled("keys in a block"))
    picture, numbers = w.HTML(), w.HTML()

    def draw(_: object = None) -> None:
        def show() -> str:
            state = _read_blocks(absorb, read.value, size.value)
            numbers.value = _running_numbers(*state)
            return image(_running_picture(*state[:2], min(read.value * size.value, len(SCORES))))

        numbers.value = ""
        picture.value = tried(show, exercise)

    def fit(_: object = None) -> None:
        read.max = len(SCORES) // size.value
        draw()

    read.observe(draw, "value")
    size.observe(fit, "value")
    fit()
    return explorer([read, size, picture, numbers])


def _read_blocks(absorb: Callable, blocks: int, size: int) -> tuple[float, float, float]:
    state = torch.full((1,), -math.inf), torch.zeros(1), torch.zeros(1, 1)
    for block in range(blocks):
        part = slice(block * size, (block + 1) * size)
        state = absorb(*(tensor.clone() for tensor in state), SCORES[part].unsqueeze(0), VALUES[part].clone())
    largest, total, mixture = (float(tensor.detach()) for tensor in state)
    return largest, total, mixture


def _running_numbers(largest: float, total: float, mixture: float) -> str:
    if total == 0:
        return note("Nothing is read yet: the largest score is -∞, total and mixture are 0.")
    right = float(SCORES.softmax(-1) @ VALUES.squeeze(-1))
    ratio = f"mixture / total <b>{mixture / total:.3f}</b> (over all keys at once: {right:.3f})"
    sums = f"largest <b>{largest:.1f}</b> · total <b>{total:.3f}</b> · {ratio}"
    return f"<div aria-live='polite'>By your function: {sums}</div>"


def _running_picture(largest: float, total: float, count: int) -> "Axes":
    left, right = plots.panels(2, width=3.9, height=2.8)
    plots.set_edges(left, 0.08, 0.17, 0.99, 0.89, 0.22)
    keys = range(len(SCORES))
    colors = [plots.PALETTE[0] if key < count else plots.BAND for key in keys]
    drawn = left.bar(keys, SCORES.tolist(), color=colors)
    for bar in drawn[count:]:
        bar.set_hatch("//")
        bar.set_edgecolor(plots.FAINT)
    left.axhline(0, color=plots.FAINT, linewidth=0.8)
    if count:
        left.axhline(largest, color=plots.PALETTE[1], linestyle="--", linewidth=1.3)
    found = f"largest so far {largest:.1f}" if count else "none read"
    left.set(xlabel="key", xticks=list(keys), ylim=(-1.4, 4.2), title=f"scores · {found}")
    weights = (SCORES - largest).exp() / total if count else torch.zeros(len(SCORES))
    right.bar(keys[:count], weights[:count].tolist(), color=plots.PALETTE[0], label="of the keys read")
    final = SCORES.softmax(-1).tolist()
    right.plot(keys, final, plots.MARKERS[3], color=plots.PALETTE[1], markerfacecolor="none", label="of all")
    right.set(xlabel="key", xticks=list(keys), ylim=(0, 1.05), title="weights")
    right.legend(frameon=False, loc="upper left")
    read = ", ".join(f"{weight:.2f}" for weight in weights[:count].tolist()) or "none"
    left.set_label(f"Scores of {len(SCORES)} keys, {count} of them read; {found}.")
    right.set_label(
        f"Weights among the keys read: {read}. Over all keys: {', '.join(f'{f:.2f}' for f in final)}."
    )
    return left

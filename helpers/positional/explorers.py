"""Lesson 03's explorers and figures. Explorers take the student's own functions.

ipywidgets and Matplotlib are imported by what needs them, not before: the grader draws nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from helpers.figures import plots, repeats
from helpers.figures.controls import MOVE, explorer, labelled
from helpers.figures.live import shown
from helpers.figures.showing import image, tried
from helpers.positional.experiments import LENGTHS, TRAINED_TO

if TYPE_CHECKING:
    from ipywidgets import VBox
    from matplotlib.axes import Axes

POSITIONS = 64
WIDTHS = (4, 8, 16, 32, 64, 128)
BASES = (10, 100, 1000, 10_000, 100_000)
STYLES = ("-", "--", "-.", ":")


# -- figures -------------------------------------------------------------------------------------------------


def curves(
    x: Sequence[float] | torch.Tensor,
    series: Mapping[str, torch.Tensor],
    *,
    xlabel: str,
    ylabel: str,
    title: str = "",
    below: int = 0,
    ax: "Axes | None" = None,
) -> "Axes":
    """Lines over many points, told apart by colour and by dashes.

    Args:
        x: the points.
        series: names and values.
        xlabel: of the axis.
        ylabel: of the axis.
        title: over the figure.
        below: columns of a legend below the figure; with 0 the legend is inside.
        ax: where to draw.
    """
    ax = ax or plots.panels(width=5.2)[0]
    x = torch.as_tensor(x).tolist()
    for number, (name, y) in enumerate(series.items()):
        ax.plot(x, y.detach().tolist(), STYLES[number], color=plots.PALETTE[number], lw=1.8, label=name)
    ax.grid(axis="y", color=plots.BAND, linewidth=0.6)
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
    if below:
        ax.legend(
            loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=below, columnspacing=1.2, frameon=False
        )
    else:
        ax.legend(columnspacing=1.2, frameon=False)
    said = (f"{name}: from {float(y[0]):.2f} to {float(y[-1]):.2f}, lowest {float(y.min()):.2f}, highest "
            f"{float(y.max()):.2f}." for name, y in series.items())  # fmt: skip
    ax.set_label(f"{title or ylabel}, against {xlabel}, {len(x)} points. {' '.join(said)}")
    return ax


def table_picture(table: torch.Tensor, *, title: str = "", ax: "Axes | None" = None) -> "Axes":
    """A table of encodings as colours: a row for each position, a column for each feature."""
    ax = ax or plots.panels(width=4.4, height=3.4)[0]
    shown = ax.imshow(table.detach().numpy(), cmap="cividis", vmin=-1, vmax=1, aspect="auto")
    bar = ax.figure.colorbar(shown, ax=ax, ticks=[-1, 0, 1])
    bar.outline.set_visible(False)
    bar.ax.set_label("")  # Matplotlib's own is no description
    ax.set(xlabel="feature", ylabel="position", title=title)
    rows, columns = table.shape
    ax.set_label(f"{title}: {rows} positions by {columns} features, values from -1 to 1.")
    return ax


def grid(
    numbers: torch.Tensor,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    title: str = "",
    xlabel: str = "",
    ylabel: str = "",
    digits: int = 2,
    reach: float | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """A small table of any numbers, each written in its cell.

    Args:
        numbers: (len(rows), len(columns)).
        rows: labels.
        columns: labels.
        title: over it.
        xlabel: of the columns.
        ylabel: of the rows.
        digits: after the decimal point.
        reach: colours go from -reach to reach; without it, from the smallest number to the largest.
        ax: where to draw.
    """
    from matplotlib import colormaps

    table = numbers.detach().double()
    ax = ax or plots.panels(width=1.4 + 0.55 * len(columns), height=1.3 + 0.4 * len(rows))[0]
    low, high = (-reach, reach) if reach else (float(table.min()), float(table.max()))
    ax.imshow(table.numpy(), cmap=colormaps["cividis"], vmin=low, vmax=max(high, low + 1e-9), aspect="auto")
    ax.set_xticks(range(len(columns)), columns)
    ax.set_yticks(range(len(rows)), rows)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set(title=title, xlabel=xlabel, ylabel=ylabel)
    for row, values in enumerate(table.tolist()):
        for column, value in enumerate(values):
            ink = "black" if (value - low) > 0.47 * (high - low) else "white"
            text = f"{value:.{digits}f}".replace("-0.00", "0.00").replace("-", "−")
            ax.text(column, row, text, ha="center", va="center", color=ink, fontsize=9)
    said = "; ".join(
        f"{name}: {', '.join(f'{v:.{digits}f}' for v in values)}"
        for name, values in zip(rows, table.tolist(), strict=True)
    )
    ax.set_label(f"{title}. {said}.")
    return ax


def by_length(groups: Mapping[str, Mapping[str, torch.Tensor]]) -> "Axes":
    """Accuracy against length, a panel for each group of kinds: each model, the mean, and the range as a bar.

    Args:
        groups: titles of panels, and for each kind in it `experiments.accuracies`, (len(LENGTHS), SEEDS).
            Lengths beyond those in training are shaded.
    """
    axes = plots.panels(len(groups), width=4.6, height=3.5)
    for ax, (title, kinds) in zip(axes, groups.items(), strict=True):
        ax.axvspan(TRAINED_TO * 1.06, LENGTHS[-1] * 1.16, color=plots.BAND, alpha=0.5, linewidth=0)
        found = {name: dict(zip(LENGTHS, values.tolist(), strict=True)) for name, values in kinds.items()}
        repeats.curves(
            found, xlabel="length of the text", ylabel="accuracy", title=title, log=True, joined=False,
            baseline="none", form=".2f", ax=ax,
        )  # fmt: skip
        ax.set(ylim=(0, 1.03), xlim=(LENGTHS[0] * 0.88, LENGTHS[-1] * 1.16))
        ax.legend(frameon=False, loc="lower left")
    return axes[0]


def by_distance(weights: torch.Tensor) -> torch.Tensor:
    """How much the last 8 queries look at each distance back, in the mean over them and over all else.

    Args:
        weights: causal, (..., T, T).

    Returns:
        (T - 7,): for the distances 0, 1, ... that all of these queries have before them.
    """
    T = weights.size(-1)
    mean = weights.detach().flatten(0, -3).mean(dim=0)
    return torch.stack([mean[i, i - T + 8 : i + 1].flip(0) for i in range(T - 8, T)]).mean(dim=0)


# -- explorers -----------------------------------------------------------------------------------------------


def positions_explorer(sinusoidal: Callable, exercise: str = "Exercise 3.3") -> "VBox":
    """Move two positions, the width and the base, and see the table, two of its rows, and dot products.

    Args:
        sinusoidal: the student's `sinusoidal(T, d_model, base)` -> (T, d_model).
        exercise: where it is written, for the message that asks for it.
    """
    import ipywidgets as w

    a = w.IntSlider(10, min=0, max=POSITIONS - 1, **labelled("position a"))
    b = w.IntSlider(14, min=0, max=POSITIONS - 1, **labelled("position b"))
    width = w.SelectionSlider(options=WIDTHS, value=32, **labelled("width d_model"))
    base = w.SelectionSlider(options=[(f"{n:,}", n) for n in BASES], value=10_000, **labelled("base"))
    picture = w.HTML()

    def table() -> torch.Tensor:
        found = sinusoidal(POSITIONS, width.value, float(base.value)).detach()
        if found.shape != (POSITIONS, width.value):
            raise ValueError(f"the table is {tuple(found.shape)}, not {(POSITIONS, width.value)}")
        return found

    def draw(_: object = None) -> None:
        picture.value = tried(lambda: shown({"rows": table().tolist(), "a": a.value, "b": b.value}), exercise)

    for control in (a, b, width, base):
        control.observe(draw, "value")
    draw()
    first = {"a": a.value, "b": b.value, "width": width.value, "base": base.value}
    data = {"positions": POSITIONS, "widths": WIDTHS, "bases": BASES, "first": first}
    module = Path(__file__).with_name("clocks.js")
    still = tried(lambda: image(_compared(table(), a.value, b.value)), exercise) + MOVE
    return explorer([a, b, width, base, picture], still, module=module, data=data)


def _compared(table: torch.Tensor, a: int, b: int) -> "Axes":
    """The table with two rows marked, these rows, and the dot products of row a with all rows."""
    whole, rows, products = plots.panels(3, width=2.63, height=2.9)
    plots.set_edges(whole, left=0.07, right=0.99, bottom=0.17, top=0.9, gap=0.3)
    T, d_model = table.shape
    whole.imshow(table.numpy(), cmap="cividis", vmin=-1, vmax=1, aspect="auto")
    whole.set(xlabel="feature", ylabel="position", title="the table")
    similar = table @ table[a]
    for name, position, color, style, marker in (
        ("a", a, plots.PALETTE[1], "-", "o"),
        ("b", b, plots.PALETTE[0], "--", "s"),
    ):
        whole.axhline(position, color="white", linewidth=3.2)
        whole.axhline(position, color=color, linewidth=1.6, linestyle=style)
        size = 4 if d_model <= 32 else 0
        rows.plot(table[position].tolist(), style, color=color, marker=marker, markersize=size, linewidth=1.2)
        at = position, float(similar[position])
        products.plot(*at, marker, color=color, markersize=8, zorder=3)
        if a != b or name == "b":
            said = "a, b" if a == b else name
            products.annotate(
                said, at, (0, 7), textcoords="offset points", ha="center", fontsize=10,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
            )  # fmt: skip
    rows.set(xlabel="feature", title=f"a = {a} (solid), b = {b} (dashed)", ylim=(-1.08, 1.08))
    products.plot(similar.tolist(), color=plots.INK, linewidth=1.2)
    least = min(0.0, float(similar.min()))
    products.set(xlabel="position", title=f"a · b = {float(similar[b]):.2f}, a · a = {float(similar[a]):.2f}")
    products.set_ylim(least * 1.15 - 0.3, float(similar.max()) * 1.15)
    products.axhline(0, color=plots.FAINT, linewidth=0.8)
    for ax in (whole, rows, products):
        ax.title.set_fontsize(9)
        ax.tick_params(labelsize=9)
    whole.set_label(f"Sinusoidal table of {T} positions by {d_model} features, rows {a} and {b} marked.")
    products.set_label(
        f"Dot product of positions {a} and {b}: {float(similar[b]):.2f}; of {a} with itself "
        f"{float(similar[a]):.2f}, lowest {float(similar.min()):.2f} at position {int(similar.argmin())}."
    )
    return whole


ROTARY_WIDTH, FARTHEST = 8, 30


def rotary_explorer(rotary: Callable, exercise: str = "Exercise 3.8a") -> "VBox":
    """Move a key away from its query, or both together, and see what becomes of their score.

    Args:
        rotary: the student's `rotary(x, positions)`.
        exercise: where it is written.
    """
    import ipywidgets as w

    q = torch.tensor([[1.0, 0.0]]).repeat(1, ROTARY_WIDTH // 2)  # each pair points to the right
    lead = torch.tensor([0.5, 0.4, 0.3, 0.2])  # the key's pairs are a little ahead, in radians
    k = torch.stack([lead.cos(), lead.sin()], dim=-1).reshape(1, ROTARY_WIDTH)
    apart = w.IntSlider(3, min=-FARTHEST, max=FARTHEST, **labelled("distance j − i"))
    start = w.IntSlider(0, min=0, max=100, **labelled("move both by"))
    picture = w.HTML()

    def turned() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, int, int]:
        i = FARTHEST + start.value
        turned_q = rotary(q.clone(), torch.tensor([i])).detach()
        every = torch.arange(i - FARTHEST, i + FARTHEST + 1)
        turned_k = rotary(k.expand(len(every), -1).clone(), every).detach()
        return turned_q[0], turned_k[FARTHEST + apart.value], turned_k @ turned_q[0], i, apart.value

    def show() -> str:
        names = ("query", "key", "scores", "i", "apart")
        numbers = (each.tolist() if isinstance(each, torch.Tensor) else each for each in turned())
        return shown(dict(zip(names, numbers, strict=True)))

    def draw(_: object = None) -> None:
        picture.value = tried(show, exercise)

    for control in (apart, start):
        control.observe(draw, "value")
    draw()
    data = {"q": q[0].tolist(), "k": k[0].tolist(), "farthest": FARTHEST, "first": apart.value}
    module = Path(__file__).with_name("turns.js")
    still = tried(lambda: image(_turned(*turned())), exercise) + MOVE
    return explorer([apart, start, picture], still, module=module, data=data)


def _turned(q: torch.Tensor, k: torch.Tensor, scores: torch.Tensor, i: int, apart: int) -> "Axes":
    """The first pair of a query and of a key as arrows, and the score against the distance."""
    clock, line = plots.panels(2, width=3.95, height=3.2, ratios=(1, 1.5))
    plots.set_edges(clock, left=0.02, right=0.98, bottom=0.16, top=0.9, gap=0.18)
    turns = torch.linspace(0, 2 * torch.pi, 73)
    clock.plot(turns.cos().tolist(), turns.sin().tolist(), color=plots.BAND, linewidth=1.2, zorder=0)
    for name, pair, color in (("q", q[:2], plots.PALETTE[1]), ("k", k[:2], plots.PALETTE[0])):
        x, y = pair.tolist()
        clock.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "-|>", "color": color, "linewidth": 2})
        clock.text(1.15 * x, 1.15 * y, name, color=color, ha="center", va="center", fontsize=12)
    clock.axhline(0, color=plots.BAND, zorder=0)
    clock.axvline(0, color=plots.BAND, zorder=0)
    clock.set(xlim=(-1.3, 1.3), ylim=(-1.3, 1.3), aspect="equal", xticks=[], yticks=[])
    clock.set_title(f"first pair: q at {i}, k at {i + apart}")
    clock.spines[:].set_visible(False)
    line.plot(range(-FARTHEST, FARTHEST + 1), scores.tolist(), color=plots.INK, linewidth=1.2)
    score = float(scores[FARTHEST + apart])
    line.plot(apart, score, "D", color=plots.PALETTE[1], markersize=8)
    line.axhline(0, color=plots.FAINT, linewidth=0.8)
    line.set(xlabel="distance j − i", title=f"score q · k = {score:.2f}")
    clock.set_label(f"First pair of features as arrows: query at position {i}, key at {i + apart}.")
    line.set_label(
        f"Score against distance, from {float(scores.min()):.2f} to {float(scores.max()):.2f}; at distance "
        f"{apart} it is {score:.2f}."
    )
    return clock

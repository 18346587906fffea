"""Figures of the lessons. Each returns its Axes, so that a student can keep drawing on them.

Colour-blind readers can tell the colours apart, and no meaning rests on colour alone: lines also differ in
their markers, and cells show their numbers. The label of each Axes says in words what it shows, which
`showing.show` passes on to screen readers.

Matplotlib is imported by the first figure, not before: the grader draws none. torch comes with tensors.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from helpers.figures.showing import figure_of

if TYPE_CHECKING:
    import torch
    from matplotlib.axes import Axes
    from matplotlib.typing import RcKeyType

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")  # of Okabe and Ito 2008: clear on white
MARKERS = ("o", "s", "^", "D")
INK, FAINT, BAND = "#222222", "#8a8a8a", "#dddddd"
STYLE: "dict[RcKeyType, str | float | bool]" = {
    "font.size": 10,
    "axes.titlesize": 10.5,
    "axes.labelsize": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.edgecolor": FAINT,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.facecolor": "white",
}
NUMBERED_UP_TO = 12  # columns of a heat map whose cells have room for a number
NUMBERED_BARS = 16
PLAIN_UP_TO = 1e8  # what the ends of a logarithmic axis may differ by, for its numbers to be written out


def panels(
    count: int = 1, *, width: float = 4.0, height: float = 3.0, ratios: Sequence[float] | None = None
) -> "list[Axes]":
    """Empty axes side by side in one figure.

    Args:
        count: how many.
        width: of one panel, in inches.
        height: of the figure, in inches.
        ratios: relative widths, if they differ.
    """
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(width * count, height), layout="constrained")
        return list(figure.subplots(1, count, squeeze=False, width_ratios=ratios)[0])


def heatmap(
    weights: "torch.Tensor",
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    mask: "torch.Tensor | None" = None,
    title: str = "",
    ax: "Axes | None" = None,
) -> "Axes":
    """Attention weights as a table of colours: one row for each query, one column for each key.

    A cell shows its number unless that rounds to 0.00.

    Args:
        weights: (T_q, T_k), between 0 and 1.
        queries: T_q labels.
        keys: T_k labels.
        mask: boolean, broadcastable to (T_q, T_k). True means "may attend"; what is hidden is grey.
        title: over the figure.
        ax: where to draw; a new figure if None.
    """
    import torch
    from matplotlib import colormaps

    table = weights.detach().double()
    shown = torch.ones_like(table, dtype=torch.bool) if mask is None else mask.expand(table.shape)
    rows, columns = table.shape
    ax = ax or panels(width=1.3 + 0.5 * columns, height=1.3 + 0.4 * rows)[0]
    colors = colormaps["cividis"].with_extremes(bad=BAND)
    ax.imshow(table.masked_fill(~shown, torch.nan).numpy(), cmap=colors, vmin=0, vmax=1, aspect="auto")
    ax.set_xticks(range(columns), keys)
    if max(map(len, keys), default=0) > 2:
        for label in ax.get_xticklabels():
            label.set(rotation=40, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(rows), queries)
    ax.set(xlabel="keys", ylabel="queries", title=title)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    if columns <= NUMBERED_UP_TO:
        for row, column in itertools.product(range(rows), range(columns)):
            value, visible = float(table[row, column]), bool(shown[row, column])
            if visible and value < 0.005:
                continue  # nothing but 0.00 to say, and each text costs a moving slider a millisecond
            ink = "black" if not visible or value > 0.47 else "white"  # the better contrast on cividis
            text = f"{value:.2f}" if visible else "–"
            ax.text(column, row, text, ha="center", va="center", color=ink, fontsize=9)
    describe(ax, title or "Heat map of attention weights", _most_looked_at(table, queries, keys))
    return ax


def bars(
    labels: Sequence[str],
    series: "Mapping[str, Iterable[float | torch.Tensor]]",
    *,
    ylabel: str = "weight",
    title: str = "",
    ax: "Axes | None" = None,
) -> "Axes":
    """Groups of bars: one group for each label, one bar in it for each series. A few bars show numbers."""
    ax = ax or panels(width=max(5.5, 0.45 * len(labels) * len(series)))[0]
    width = 0.8 / len(series)
    for number, (name, heights) in enumerate(series.items()):
        shift = (number - (len(series) - 1) / 2) * width
        places = [place + shift for place in range(len(labels))]
        drawn = ax.bar(places, _floats(heights), width * 0.94, color=PALETTE[number], label=name)
        if len(labels) * len(series) <= NUMBERED_BARS:
            ax.bar_label(drawn, fmt=two_digits, fontsize=8.5, padding=1)
    ax.set_xticks(range(len(labels)), labels)
    ax.set(ylabel=ylabel, title=title)
    ax.margins(y=0.12)
    if len(series) > 1:
        ax.legend(frameon=False)
    said = (f"{name}: {_listed(labels, heights)}" for name, heights in series.items())
    describe(ax, title or f"Bars of {ylabel}", *said)
    return ax


def lines(
    x: Sequence[float],
    series: "Mapping[str, Iterable[float | torch.Tensor]]",
    *,
    xlabel: str,
    ylabel: str,
    title: str = "",
    log: str = "",
    ax: "Axes | None" = None,
) -> "Axes":
    """Lines over the same x, each with its marker. `log` names the logarithmic axes: "x", "y" or "xy"."""
    from matplotlib.ticker import NullLocator

    ax = ax or panels(width=5.0)[0]
    for number, (name, y) in enumerate(series.items()):
        size = 7 - 1.2 * number  # smaller ones on top, so that lines that coincide all show
        ax.plot(x, _floats(y), color=PALETTE[number], marker=MARKERS[number], markersize=size, label=name)
    for axis in log:
        ax.set(**{f"{axis}scale": "log"})
    if "x" in log:
        ax.set_xticks(x, [f"{value:g}" for value in x])
        ax.xaxis.set_minor_locator(NullLocator())
    if "y" in log:
        low, high = ax.get_ylim()
        if high < PLAIN_UP_TO * low:  # beyond it, powers of ten
            ax.yaxis.set_major_formatter("{x:g}")
    else:
        ax.set_ylim(bottom=0)
    ax.grid(axis="y", color=BAND, linewidth=0.6)
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
    ax.legend(frameon=False)
    said = (f"{name}: {_listed(x, y)}" for name, y in series.items())
    describe(ax, f"{title or ylabel}, against {xlabel}", *said)
    return ax


def set_margins(ax: "Axes", *, left: float, bottom: float, gap: float) -> None:
    """Set the margins of a row of panels, in inches. As `set_edges`, it saves the time of a layout."""
    figure = figure_of(ax)
    width, height = figure.get_size_inches()
    panel = (width - left - 0.1 - gap * (len(figure.axes) - 1)) / len(figure.axes)
    set_edges(ax, left / width, bottom / height, 1 - 0.1 / width, 1 - 0.35 / height, gap / panel)


def set_edges(
    ax: "Axes", left: float, bottom: float, right: float, top: float, gap: float | None = None
) -> None:
    """Set where the panels of a figure begin and end, instead of having a layout engine find it out.

    The engine takes a third of the drawing time, which a slider feels.

    Args:
        ax: any axes of the figure.
        left: the left edge of the panels, as a share of the figure's width.
        bottom: their bottom edge, as a share of its height.
        right: their right edge.
        top: their top edge.
        gap: between two panels, as a share of a panel's width.
    """
    figure = figure_of(ax)
    figure.set_layout_engine(None)
    figure.subplots_adjust(left, bottom, right, top, gap)


# -- what a figure says about itself ---------------------------------------------------------------------


def yours(
    ax: "Axes", x: Sequence[float], y: Sequence[float], told: str, *, name: str = "yours", colour: str = INK
) -> None:
    """Draw the student's own points into a picture: hollow, with a name at the last.

    Args:
        ax: the picture.
        x: of the points.
        y: as many.
        told: what the description says of them, a sentence without its full stop.
        name: written at the last point.
        colour: of the points.
    """
    ax.plot(x, y, "D", color=colour, markerfacecolor="none", markersize=8, markeredgewidth=1.8, zorder=5)
    ax.annotate(
        name, (x[-1], y[-1]), xytext=(9, 5), textcoords="offset points", color=colour, fontsize=9,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.8}, zorder=6,
    )  # fmt: skip
    ax.set_label(f"{ax.get_label()} {told}.")


def describe(ax: "Axes", *sentences: str) -> None:
    """Say in words what an Axes shows: sentence by sentence, given without full stops."""
    ax.set_label(" ".join(f"{sentence}." for sentence in sentences).replace("$", ""))


def _listed(labels: Iterable, values: "Iterable[float | torch.Tensor]") -> str:
    return ", ".join(f"{label}: {value:.3g}" for label, value in zip(labels, _floats(values), strict=True))


def two_digits(value: float) -> str:
    """A number as on the axes, which have a minus sign and no hyphen."""
    return f"{value:.2f}".replace("-", "−")


def _floats(values: "Iterable[float | torch.Tensor]") -> list[float]:
    return [float(value.detach() if hasattr(value, "detach") else value) for value in values]


def _most_looked_at(table: "torch.Tensor", queries: Sequence[str], keys: Sequence[str]) -> str:
    said = []
    for query, row in zip(queries, table, strict=True):
        (least, most), best = row.aminmax(), int(row.argmax())
        alike = most - least < 0.01
        said.append(f"{query} looks at all alike" if alike else f"{query} most at {keys[best]} ({most:.2f})")
    return "Who looks where: " + "; ".join(said)

"""Figures of the lessons. Each returns its Axes, so that a student can go on drawing on them.

Colours are told apart by colour-blind readers too, and never carry a meaning alone: lines also differ in
marker, cells carry their numbers. Each Axes keeps in its label a text of what is to be seen, which
`showing.show` passes on to screen readers.

Matplotlib is imported by the first figure and not before: the grader draws none.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")  # of Okabe and Ito 2008, those that stand out on white
MARKERS = ("o", "s", "^", "D")
INK, FAINT, BAND = "#222222", "#8a8a8a", "#dddddd"
STYLE = {
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
    weights: torch.Tensor,
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    mask: torch.Tensor | None = None,
    title: str = "",
    ax: "Axes | None" = None,
) -> "Axes":
    """Attention weights as a table of colours: one row for each query, one column for each key.

    Cells carry their number where it doesn't round to 0.00.

    Args:
        weights: (T_q, T_k), between 0 and 1.
        queries: T_q labels.
        keys: T_k labels.
        mask: boolean, broadcastable to (T_q, T_k). True means "may attend"; what is hidden is grey.
        title: over the figure.
        ax: where to draw; a new figure if None.
    """
    from matplotlib import colormaps

    table = weights.detach().double()
    shown = torch.ones_like(table, dtype=torch.bool) if mask is None else mask.expand(table.shape)
    rows, columns = table.shape
    ax = ax or panels(width=1.3 + 0.5 * columns, height=1.3 + 0.4 * rows)[0]
    colors = colormaps["cividis"].with_extremes(bad=BAND)
    ax.imshow(table.masked_fill(~shown, torch.nan).numpy(), cmap=colors, vmin=0, vmax=1, aspect="auto")
    ax.set_xticks(range(columns), keys, rotation=40, ha="right", rotation_mode="anchor")
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
    _describe(ax, title or "Heat map of attention weights", _most_looked_at(table, queries, keys))
    return ax


def bars(
    labels: Sequence[str],
    series: Mapping[str, Iterable[float | torch.Tensor]],
    *,
    ylabel: str = "weight",
    title: str = "",
    ax: "Axes | None" = None,
) -> "Axes":
    """Groups of bars: one group for each label, one bar in it for each series. Few bars carry numbers."""
    ax = ax or panels(width=max(5.5, 0.45 * len(labels) * len(series)))[0]
    width = 0.8 / len(series)
    for number, (name, heights) in enumerate(series.items()):
        shift = (number - (len(series) - 1) / 2) * width
        places = [place + shift for place in range(len(labels))]
        drawn = ax.bar(places, _floats(heights), width * 0.94, color=PALETTE[number], label=name)
        if len(labels) * len(series) <= NUMBERED_BARS:
            ax.bar_label(drawn, fmt="{:.2f}", fontsize=8.5, padding=1)
    ax.set_xticks(range(len(labels)), labels)
    ax.set(ylabel=ylabel, title=title)
    ax.margins(y=0.12)
    if len(series) > 1:
        ax.legend(frameon=False)
    said = (f"{name}: {_listed(labels, heights)}" for name, heights in series.items())
    _describe(ax, title or f"Bars of {ylabel}", *said)
    return ax


def lines(
    x: Sequence[float],
    series: Mapping[str, Iterable[float | torch.Tensor]],
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
        size = 7 - 2 * number  # smaller ones on top, so that lines that agree all show
        ax.plot(x, _floats(y), color=PALETTE[number], marker=MARKERS[number], markersize=size, label=name)
    for axis in log:
        ax.set(**{f"{axis}scale": "log"})
    if "x" in log:
        ax.set_xticks(x, [f"{value:g}" for value in x])
        ax.xaxis.set_minor_locator(NullLocator())
    if "y" in log:
        ax.yaxis.set_major_formatter("{x:g}")
    else:
        ax.set_ylim(bottom=0)
    ax.grid(axis="y", color=BAND, linewidth=0.6)
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
    ax.legend(frameon=False)
    said = (f"{name}: {_listed(x, y)}" for name, y in series.items())
    _describe(ax, f"{title or ylabel}, against {xlabel}", *said)
    return ax


# -- figures of the explorers ----------------------------------------------------------------------------


def attention_with_entropy(
    weights: torch.Tensor,
    entropy: torch.Tensor,
    tokens: Sequence[str],
    *,
    mask: torch.Tensor | None = None,
    title: str = "",
) -> "Axes":
    """A heat map of self-attention, and beside each row its entropy as a bar.

    Args:
        weights: (T, T).
        entropy: (T,), in bits.
        tokens: T labels.
        mask: as in `heatmap`.
        title: over the heat map.

    Returns:
        The heat map's Axes; the bars are the figure's second.
    """
    count, most = len(tokens), float(torch.tensor(len(tokens)).log2())
    longest = 0.08 * max(map(len, tokens))  # inches that the longest word takes
    left, bottom = 0.4 + longest, 0.5 + 0.65 * longest
    width, height = left + 0.5 * count + 2.2, bottom + 0.4 * count + 0.35
    ax, side = panels(2, width=width / 2, height=height, ratios=(0.5 * count, 2))
    _place(ax, left=left, bottom=bottom, gap=0.15)
    heatmap(weights, tokens, tokens, mask=mask, title=title, ax=ax)
    side.barh(range(count), entropy.tolist(), color=PALETTE[0], height=0.7)
    side.axvline(most, color=FAINT, linestyle="--", linewidth=1)
    for row, bits in enumerate(entropy.tolist()):
        side.text(bits + 0.04 * most, row, f"{bits:.2f}", va="center", fontsize=9)
    side.set(xlim=(0, most * 1.3), ylim=ax.get_ylim(), yticks=[], xlabel="entropy (bits)")
    side.set_title(f"mean {entropy.mean():.2f} of at most {most:.2f}", fontsize=9.5)
    _describe(side, f"Mean entropy {entropy.mean():.2f} bits of at most {most:.2f}")
    return ax


def saturation(scores: torch.Tensor, weights: torch.Tensor, *, reach: float, spread: float) -> "Axes":
    """How far scores spread, and what a softmax makes of one query's.

    Args:
        scores: any shape; all go into the histogram.
        weights: (T,), one query's.
        reach: the histogram goes from -reach to reach.
        spread: the standard deviation that is predicted, marked on both sides.

    Returns:
        The histogram's Axes; the bars of the weights are the figure's second.
    """
    left, right = panels(2, width=3.9, height=2.7)
    _place(left, left=0.15, bottom=0.5, gap=0.6)
    left.hist(scores.flatten().numpy(), bins=61, range=(-reach, reach), color=PALETTE[0], density=True)
    for edge in (-spread, spread):
        left.axvline(edge, color=PALETTE[1], linestyle="--", linewidth=1.2)
    left.set(xlabel="score", yticks=[], title=f"scores · standard deviation {scores.std():.1f}")
    left.spines["left"].set_visible(False)
    right.bar(range(1, len(weights) + 1), weights.tolist(), color=PALETTE[0])
    right.set(ylim=(0, 1), xticks=range(1, len(weights) + 1, 3), xlabel="key")
    right.set_title(f"weights of one query · largest {weights.max():.2f}")
    _describe(left, f"Histogram of scores, standard deviation {scores.std():.1f}, predicted {spread:.1f}")
    _describe(right, f"One query's weights over {len(weights)} keys, the largest {weights.max():.2f}")
    return left


def _place(ax: "Axes", *, left: float, bottom: float, gap: float) -> None:
    """Set margins in inches: finding them by layout takes a third of the time, which a slider feels."""
    figure = ax.figure
    figure.set_layout_engine(None)
    width, height = figure.get_size_inches()
    panel = (width - left - 0.1 - gap * (len(figure.axes) - 1)) / len(figure.axes)
    figure.subplots_adjust(left / width, bottom / height, 1 - 0.1 / width, 1 - 0.35 / height, gap / panel)


# -- what a figure says about itself ---------------------------------------------------------------------


def _describe(ax: "Axes", *sentences: str) -> None:
    ax.set_label(" ".join(f"{sentence}." for sentence in sentences).replace("$", ""))


def _listed(labels: Iterable, values: Iterable[float | torch.Tensor]) -> str:
    return ", ".join(f"{label}: {value:.3g}" for label, value in zip(labels, _floats(values), strict=True))


def _floats(values: Iterable[float | torch.Tensor]) -> list[float]:
    return [float(torch.as_tensor(value).detach()) for value in values]


def _most_looked_at(table: torch.Tensor, queries: Sequence[str], keys: Sequence[str]) -> str:
    said = []
    for query, row in zip(queries, table, strict=True):
        (least, most), best = row.aminmax(), int(row.argmax())
        alike = most - least < 0.01
        said.append(f"{query} looks at all alike" if alike else f"{query} most at {keys[best]} ({most:.2f})")
    return "Who looks where: " + "; ".join(said)

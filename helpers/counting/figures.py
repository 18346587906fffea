"""Figures of sizes: matrices to scale, intervals, and bars of parts that add up. See `plots.py`."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from helpers.figures import plots

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HATCHES = ("", "//", "..", "xx")
NARROW = 0.17  # the share of the axis below which a label has no room
LIGHT = "#cfe3f1"
# Published sizes in millions, of Transformers (width, heads, hidden width, layers) and GPT-2 (width, layers).
TRANSFORMERS = {
    "base": (65, (512, 8, 2048, 6)),
    "2 layers": (36, (512, 8, 2048, 2)),
    "4 layers": (50, (512, 8, 2048, 4)),
    "8 layers": (80, (512, 8, 2048, 8)),
    "width 256": (28, (256, 8, 2048, 6)),
    "width 1024": (168, (1024, 8, 2048, 6)),
    "hidden 1024": (53, (512, 8, 1024, 6)),
    "hidden 4096": (90, (512, 8, 4096, 6)),
    "big": (213, (1024, 16, 4096, 6)),
}
GPT2 = {"small": (117, 768, 12), "medium": (345, 1024, 24), "large": (762, 1280, 36), "XL": (1542, 1600, 48)}


def rows_that_fit(millions: int, rest: int, width: int) -> tuple[float, float]:
    """How many rows a matrix has at least and at most, so that a model's size rounds to so many millions.

    Args:
        millions: the published size.
        rest: parameters besides the matrix.
        width: of a row.
    """
    low, high = ((1e6 * end - rest) / width for end in (millions - 0.5, millions + 0.5))
    return low, high


def matrices(rows: Sequence[Sequence[tuple]], title: str = "", ax: "Axes | None" = None) -> "Axes":
    """Matrices drawn to scale, in rows: areas are numbers of weights.

    Args:
        rows: lists of (name, rows, columns); where heads share a matrix, also heads and "columns" or "rows".
        title: over the figure.
        ax: where to draw; a new figure if None.
    """
    ax = ax or plots.panels(width=7.0, height=3.0)[0]
    gap = 0.06 * min(min(shape[1:3]) for shape in rows[0])
    widest, top = 0.0, 0.0
    for shapes in rows:
        left = 0.0
        for shape in shapes:
            _matrix(ax, shape, left, top)
            left += shape[2] + gap
        widest, top = max(widest, left - gap), top - max(shape[1] for shape in shapes) - 2 * gap
    ax.set(xlim=(-gap, widest + gap), ylim=(top + gap, gap), title=title, aspect="equal")
    ax.axis("off")
    named = (f"{name} {height} by {width}" for shapes in rows for name, height, width, *_ in shapes)
    said = f"{title}. Matrices to scale: {', '.join(named)}."
    ax.set_label(said.replace(r"^\top", " transposed").replace("$", ""))
    return ax


def _matrix(ax: "Axes", shape: tuple, left: float, top: float) -> None:
    from matplotlib.patches import Rectangle

    name, height, width, *heads = shape
    color = plots.PALETTE[0]
    ax.add_patch(Rectangle((left, top - height), width, height, facecolor=LIGHT, edgecolor=color))
    count, axis = heads or (1, "columns")
    for part in range(1, count):
        if axis == "columns":
            ax.plot([left + part * width / count] * 2, [top - height, top], color=color, linewidth=0.8)
        else:
            ax.plot([left, left + width], [top - part * height / count] * 2, color=color, linewidth=0.8)
    box = {"facecolor": LIGHT, "edgecolor": "none", "pad": 1.5}
    ax.text(left + width / 2, top - height / 2, name, ha="center", va="center", bbox=box)


def intervals(
    rows: Mapping[str, tuple[float, float]], marks: Mapping[str, float], *, xlabel: str, title: str = ""
) -> "Axes":
    """A bar from low to high for each row, and dashed lines at values of interest.

    Args:
        rows: (low, high) by label, from top to bottom.
        marks: values by label, which is written at the line's foot.
        xlabel: what is along the axis.
        title: over the figure.
    """
    from matplotlib.ticker import MaxNLocator

    ax = plots.panels(width=7.0, height=1.5 + 0.28 * len(rows))[0]
    for row, (low, high) in enumerate(rows.values()):
        ax.barh(row, high - low, left=low, height=0.55, color=plots.PALETTE[0])
    for number, (name, value) in enumerate(marks.items()):
        ax.axvline(value, color=plots.PALETTE[1], linestyle=("--", ":")[number % 2], linewidth=1.8)
        ax.text(value, len(rows), f" {name}", ha="left", va="center", color=plots.INK, fontsize=9)
    ax.set_yticks(range(len(rows)), rows)
    values = [value for pair in rows.values() for value in pair] + list(marks.values())
    margin = 0.04 * (max(values) - min(values))
    ax.set_xlim(min(values) - margin, max(values) + 3 * margin)
    ax.set_ylim(len(rows) + 0.5, -0.6)
    ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.set(xlabel=xlabel, title=title)
    said = "; ".join(f"{name}: {low:,.0f} to {high:,.0f}" for name, (low, high) in rows.items())
    marked = "; ".join(f"{name}: {value:,.0f}" for name, value in marks.items())
    ax.set_label(f"{title}. {said}. Marked: {marked}.")
    return ax


def stacked(
    bars: Mapping[str, Mapping[str, float]], *, xlabel: str, unit: Callable[[float], str], title: str = "",
    shares: bool = False, mark: tuple[str, float] | None = None,
) -> "Axes":  # fmt: skip
    """Bars of parts that add up, each part with colour and hatch, its number where it has room.

    Args:
        bars: parts by name, by the bar's label; at most four parts, the same in each bar.
        xlabel: what is along the axis.
        unit: writes a value as text.
        title: over the figure.
        shares: whether each bar is as long as the others, with its parts in per cent.
        mark: the label and the value of a dashed line.
    """
    wide, label_width = 7.9, 0.35 + 0.085 * max(map(len, bars))
    height = 1.5 + 0.5 * len(bars)
    ax = plots.panels(width=wide, height=height)[0]
    plots.set_edges(ax, label_width / wide, 0.5 / height, 0.98, 1 - 0.8 / height)
    longest = max(sum(parts.values()) for parts in bars.values()) or 1
    longest = 100 if shares else max(longest, mark[1] if mark else 0)
    said = []
    for row, (label, parts) in enumerate(bars.items()):
        scale = 100 / (sum(parts.values()) or 1) if shares else 1
        texts = [f"{scale * v:.0f} % · {unit(v)}" if shares else unit(v) for v in parts.values()]
        said.append(f"{label}: " + ", ".join(f"{name} {t}" for name, t in zip(parts, texts, strict=True)))
        _bar(ax, row, parts, scale, texts, NARROW * longest)
    if mark:
        ax.axvline(mark[1], color=plots.INK, linestyle="--", linewidth=1.3)
        ax.text(mark[1], -0.45, f"{mark[0]} ", ha="right", va="bottom", fontsize=9)
        said.append(f"A line marks {mark[0]}")
    ax.set_yticks(range(len(bars)), bars)
    ax.set(xlabel=xlabel, xlim=(0, 1.02 * longest), ylim=(len(bars) - 0.5, -0.75 if mark else -0.5))
    at = 0.5, 1 - 0.26 / height
    ax.figure.legend(frameon=False, ncols=4, fontsize=9, loc="upper center", bbox_to_anchor=at)
    ax.figure.suptitle(title, fontsize=10.5, y=1 - 0.07 / height, va="top")
    ax.set_label(f"{title}. {'. '.join(said)}.")
    return ax


def _bar(
    ax: "Axes", row: int, parts: Mapping[str, float], scale: float, texts: list[str], room: float
) -> None:
    left = 0.0
    for number, (name, value) in enumerate(parts.items()):
        ax.barh(
            row, scale * value, left=left, height=0.62, label=name if row == 0 else None,
            color=plots.PALETTE[number], hatch=HATCHES[number], edgecolor="white", linewidth=0.6,
        )  # fmt: skip
        if scale * value > room:
            box = {"facecolor": "white", "alpha": 0.88, "edgecolor": "none", "pad": 1.2}
            middle = left + scale * value / 2
            ax.text(middle, row, texts[number], ha="center", va="center", fontsize=9, bbox=box)
        left += scale * value

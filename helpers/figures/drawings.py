"""Drawings of shapes and flow: matrices to scale with their sizes at their sides, boxes, arrows.

Lengths are pixels and y grows downwards, as on a page. A drawing is at most `WIDEST` pixels wide, so that its
letters keep their size on a narrow page. All text is dark on white or on a pale tint, and colours only repeat
what a label says.
"""

import functools
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from helpers.figures.plots import FAINT, INK, PALETTE, STYLE, describe, panels, set_edges
from helpers.figures.showing import PIXELS_PER_INCH

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDEST = 600  # pixels: with the card around it, what a page of 620 has room for
BLUE, ORANGE, GREEN, PINK = PALETTE
SIZE = 10  # of letters, in points; an index is drawn at 0.7 of it
LINE = "#555555"
PALE, STRONG = 0.2, 0.55  # how much colour a matrix has, and a part of it that is pointed out

Point = tuple[float, float]


class Place(NamedTuple):
    """Where something was drawn, for arrows to begin and end."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def x(self) -> float:
        return (self.left + self.right) / 2

    @property
    def y(self) -> float:
        return (self.top + self.bottom) / 2

    @property
    def above(self) -> Point:
        return self.x, self.top

    @property
    def below(self) -> Point:
        return self.x, self.bottom

    @property
    def before(self) -> Point:
        return self.left, self.y

    @property
    def after(self) -> Point:
        return self.right, self.y


@dataclass(frozen=True)
class Matrix:
    """A matrix to be drawn to scale.

    Args:
        name: below it.
        rows: how many cells high.
        columns: how many cells wide.
        down: the name of its number of rows, at its left.
        across: the name of its number of columns, above it.
        color: of all its cells.
        cell: pixels.
        paint: gives the color of one cell by its row and column, or "" for a pale `color`.
        write: gives what is written into a cell.
    """

    name: str
    rows: int
    columns: int
    down: str = ""
    across: str = ""
    color: str = BLUE
    cell: float = 14
    paint: Callable[[int, int], str] | None = None
    write: Callable[[int, int], str] | None = None


def canvas(width: float, height: float, *said: str) -> "Axes":
    """An empty page.

    Args:
        width: in pixels, at most `WIDEST`.
        height: in pixels.
        said: what the drawing shows, sentence by sentence without full stops, for those who can't see it.

    Raises:
        ValueError: it is too wide.
    """
    if width > WIDEST:
        raise ValueError(f"a drawing is at most {WIDEST} pixels wide, not {width:g}")
    [ax] = panels(width=width / PIXELS_PER_INCH, height=height / PIXELS_PER_INCH)
    set_edges(ax, 0, 0, 1, 1)
    ax.set(xlim=(0, width), ylim=(height, 0))
    ax.axis("off")
    describe(ax, *said)
    return ax


def label(
    ax: "Axes", x: float, y: float, words: str, *, at: str = "center", top: bool = False, bold: bool = False
) -> None:
    """Write words, centred on y or below it.

    Args:
        ax: of `canvas`.
        x: of the words' middle, or of the end that `at` names.
        y: of the words' middle, or of their `top`.
        words: one line or more.
        at: "left", "center" or "right".
        top: whether y is where they begin.
        bold: whether they are written in bold.
    """
    across, lower = "top" if top else "center", 0.0
    if not top and "\n" not in words:  # by its baseline: "a" as low as "d", and "." where a full stop is
        across, lower = "center_baseline", -1.5
    weight = "bold" if bold else "normal"
    ax.text(
        x, y + lower, words, ha=at, va=across, fontsize=SIZE, fontweight=weight, color=INK, linespacing=1.25
    )


def matrix(ax: "Axes", x: float, y: float, drawn: Matrix) -> Place:
    """Draw a matrix with its centre at x, y."""
    from matplotlib.patches import Rectangle

    width, height, cell = drawn.columns * drawn.cell, drawn.rows * drawn.cell, drawn.cell
    left, top = x - width / 2, y - height / 2
    place = Place(left, top, left + width, top + height)
    ax.add_patch(Rectangle((left, top), width, height, facecolor=tint(drawn.color)))
    for row, column in itertools.product(range(drawn.rows), range(drawn.columns)):
        across, down = left + column * cell, top + row * cell
        if drawn.paint and (color := drawn.paint(row, column)):
            ax.add_patch(Rectangle((across, down), cell, cell, facecolor=color))
        if drawn.write:
            label(ax, across + cell / 2, down + cell / 2, drawn.write(row, column))
    between_rows = [top + row * cell for row in range(1, drawn.rows)]
    between_columns = [left + column * cell for column in range(1, drawn.columns)]
    ax.hlines(between_rows, left, place.right, colors="white", linewidth=0.8)
    ax.vlines(between_columns, top, place.bottom, colors="white", linewidth=0.8)
    ax.add_patch(Rectangle((left, top), width, height, fill=False, edgecolor=LINE, linewidth=1, zorder=3))
    label(ax, left - 5, y, drawn.down, at="right")
    label(ax, x, top - 11, drawn.across)
    label(ax, x, place.bottom + 6, drawn.name, top=True)
    return place


def row(
    ax: "Axes", y: float, *parts: Matrix | str, left: float | None = None, gap: float = 11
) -> list[Place]:
    """Draw matrices and the signs between them in one row.

    Args:
        ax: of `canvas`.
        y: the middle of the row.
        parts: matrices, and signs such as "@" or "=".
        left: where it begins; by default it is centred.
        gap: between two parts.

    Returns:
        The places of all the matrices.
    """
    widths = [_width(part) for part in parts]
    x = (ax.get_xlim()[1] - sum(widths) - gap * (len(parts) - 1)) / 2 if left is None else left
    places = []
    for part, width in zip(parts, widths, strict=True):
        if isinstance(part, str):
            label(ax, x + width / 2, y, part)
        else:
            places.append(matrix(ax, x + (_lead(part) + width) / 2, y, part))
        x += width + gap
    return places


def box(
    ax: "Axes",
    x: float,
    y: float,
    words: str,
    *,
    width: float = 96,
    height: float = 30,
    color: str = FAINT,
    dashed: bool = False,
) -> Place:
    """Draw a box with words in it and its centre at x, y."""
    from matplotlib.patches import FancyBboxPatch

    style = "--" if dashed else "-"
    shape = FancyBboxPatch(
        (x - width / 2 + 4, y - height / 2 + 4),
        width - 8,
        height - 8,
        boxstyle="round,pad=4,rounding_size=5",
        facecolor=tint(color),
        edgecolor=LINE,
        linewidth=1,
        linestyle=style,
    )
    ax.add_patch(shape)
    label(ax, x, y, words)
    return Place(x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def arrow(ax: "Axes", *points: Point, color: str = LINE, dashed: bool = False) -> None:
    """Draw an arrow through points, with its head at the last one."""
    style = "--" if dashed else "-"
    if len(points) > 2:
        ax.plot(*zip(*points[:-1], strict=True), color=color, linewidth=1.2, linestyle=style)
    shape = {"arrowstyle": "-|>", "color": color, "linewidth": 1.2, "linestyle": style}
    ax.annotate("", points[-1], points[-2], arrowprops={**shape, "shrinkA": 0, "shrinkB": 0})


def plus(ax: "Axes", x: float, y: float) -> Place:
    """Draw a sum, a plus in a circle."""
    from matplotlib.patches import Circle

    ax.add_patch(Circle((x, y), 10, facecolor="white", edgecolor=LINE, linewidth=1.2))
    ax.plot([x - 5, x + 5], [y, y], color=LINE, linewidth=1.2)
    ax.plot([x, x], [y - 5, y + 5], color=LINE, linewidth=1.2)
    return Place(x - 10, y - 10, x + 10, y + 10)


def tint(color: str, amount: float = PALE) -> str:
    """A colour mixed with white: an amount of 1 is all colour."""
    from matplotlib.colors import to_hex, to_rgb

    red, green, blue = (1 - amount * (1 - part) for part in to_rgb(color))
    return to_hex((red, green, blue))


def strong(color: str) -> str:
    """The tint of what is pointed out."""
    return tint(color, STRONG)


def pointed_out(
    color: str, *, rows: Sequence[int] | None = None, columns: Sequence[int] | None = None
) -> Callable[[int, int], str]:
    """Paint for a matrix: strong in these rows and columns (None: in all), pale elsewhere."""

    def paint(row: int, column: int) -> str:
        inside = (rows is None or row in rows) and (columns is None or column in columns)
        return strong(color) if inside else ""

    return paint


def _width(part: Matrix | str) -> float:
    if isinstance(part, str):
        return _measure(part)
    return _lead(part) + max(part.columns * part.cell, _measure(part.name), _measure(part.across))


def _lead(part: Matrix) -> float:
    """The room that a matrix needs at its left."""
    return _measure(part.down) + 5 if part.down else 0


@functools.cache
def _measure(words: str) -> float:
    """How wide words are, in pixels."""
    from matplotlib import rc_context
    from matplotlib.textpath import TextPath

    with rc_context(STYLE):
        widths = [
            TextPath((0, 0), line, size=SIZE).get_extents().width
            for line in words.split("\n")
            if line.strip()
        ]
    return max(widths, default=0.0) * PIXELS_PER_INCH / 72

"""How a figure gets into a notebook: as an image with a text for those who can't see it."""

import base64
import contextlib
import html
import io
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from helpers.checking.finding import Status, box

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PIXELS_PER_INCH = 96
LEGIBLE = 9  # pixels: letters don't get smaller, however narrow the page
PADDING = 8  # pixels
CARD = (
    f"background:white;padding:{PADDING}px;border-radius:6px;box-sizing:border-box;display:flex;flex-wrap:wrap;"
    "align-items:flex-start;max-width:{widest}px;min-width:{narrowest}px"
)
FRAME = "overflow-x:auto;display:grid;grid-template-columns:minmax(0,1fr)"  # no wider than a widget's place
# As wide as it was drawn, and on a narrow page as much narrower as the others of its row.
PANEL = "flex:{width} 0 {narrowest}px;max-width:{width}px;min-width:{narrowest}px;height:auto;margin:0"
GROUP = "axes_{}"  # what the SVG calls all that is drawn by axes
SVG = {"": "http://www.w3.org/2000/svg", "xlink": "http://www.w3.org/1999/xlink"}

CELL = "text-align:left;vertical-align:top;padding:4px 14px 4px 0;background:none;border:none"


@dataclass(frozen=True)
class Table:
    """A table for a notebook, of cells in HTML, and its text for a terminal. What is too wide scrolls."""

    header: list[str]
    rows: list[list[str]]
    text: str

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        head = "".join(
            f'<th scope="col" style="{CELL}">{name}</th>' if name else "<td></td>" for name in self.header
        )
        rows = ["".join(f'<td style="{CELL}">{cell}</td>' for cell in row) for row in self.rows]
        body = "".join(f'<tr style="background:none">{row}</tr>' for row in rows)
        start = '<div style="overflow-x:auto" tabindex="0"><table style="border:none;font-size:inherit">'
        page = f'{start}<thead><tr style="background:none">{head}</tr></thead>{body}</table></div>'
        return {"text/plain": self.text, "text/html": page}


def show_table(table: Table) -> None:
    """Display a table in the middle of a cell."""
    put(table._repr_mimebundle_()["text/html"], table.text)


def show(ax: "Axes", alt: str = "") -> None:
    """Display the figure of these axes.

    Args:
        ax: any axes of the figure.
        alt: what the figure shows, with its numbers; by default, what the plotting function wrote.

    Raises:
        ValueError: neither `alt` nor the axes say what the figure shows.
    """
    alt = alt or description(ax)
    put(image(ax, alt), f"[picture] {alt}")


def image(ax: "Axes", alt: str = "") -> str:
    """The figure of these axes as HTML: on a white card, which reads in light and dark themes alike.

    It becomes as narrow as the page while its letters can be read. From there on, panels that can be read by
    themselves stand one below the other, and what is too wide even so scrolls. HTML, because JupyterLab
    ignores alternative text in the metadata of an image output.

    Args:
        ax: any axes of the figure.
        alt: as in `show`.
    """
    import matplotlib

    figure, alt = figure_of(ax), alt or description(ax)
    if not alt:
        raise ValueError("a figure needs alternative text: show(ax, alt=...) says what it shows")
    for number, axes in enumerate(figure.axes):
        axes.set_gid(GROUP.format(number))
    file = io.BytesIO()
    # SVG: sharp at any zoom, and quicker to make than an equally sharp PNG, which shows when a slider moves.
    # The salt makes ids depend on the content alone, so that the same figure has the same bytes.
    with matplotlib.rc_context({"svg.hashsalt": "headstart"}):
        figure.savefig(file, format="svg", metadata={"Date": None})
    smaller = min(1, LEGIBLE / _smallest_letters(figure))
    width, height = (round(inches * PIXELS_PER_INCH) for inches in figure.get_size_inches())
    pictures, least = "", 0
    for svg, share in _panels(figure, file.getvalue()):
        wide, narrow = round(share * width), math.ceil(share * width * smaller)
        data, style = base64.b64encode(svg).decode(), PANEL.format(width=wide, narrowest=narrow)
        said = "" if pictures else html.escape(alt)  # once for all of them
        source = f"data:image/svg+xml;base64,{data}"
        pictures += f'<img alt="{said}" width="{wide}" height="{height}" style="{style}" src="{source}">'
        least = max(least, narrow)
    card = CARD.format(widest=width + 2 * PADDING, narrowest=least + 2 * PADDING)
    return f'<div style="{FRAME}" tabindex="0"><div style="{card}">{pictures}</div></div>'


def _panels(figure: "Figure", svg: bytes) -> list[tuple[bytes, float]]:
    """A drawn figure cut into the panels that can be read by themselves, each with its share of the width."""
    groups = _groups(figure)
    if len(groups) == 1:
        return [(svg, 1.0)]
    for prefix, uri in SVG.items():
        ElementTree.register_namespace(prefix, uri)
    cuts = [0.0, *((a[2] + b[1]) / 2 for a, b in itertools.pairwise(groups)), 1.0]
    panels = []
    for (axes, _, _), (left, right) in zip(groups, itertools.pairwise(cuts), strict=True):
        root = ElementTree.fromstring(svg)
        x, y, w, h = (float(number) for number in root.attrib["viewBox"].split())
        root.set("viewBox", f"{x + left * w:g} {y:g} {(right - left) * w:g} {h:g}")
        root.set("width", f"{(right - left) * w:g}pt")
        for number in range(len(figure.axes)):
            if number not in axes:
                _empty(root.find(f".//*[@id='{GROUP.format(number)}']"))
        panels.append((ElementTree.tostring(root), right - left))
    return panels


def _groups(figure: "Figure") -> list[tuple[set[int], float, float]]:
    """Which axes of a drawn figure need each other, by number, and from where to where they reach: 0 to 1.

    Those need each other that overlap, a bar of colours and what it explains, and axes without names of their
    own for rows and what stands to their left. What the figure has in common makes all of it one group.
    """
    if len(figure.axes) < 2 or figure.legends or figure.texts:
        return [({*range(len(figure.axes))}, 0.0, 1.0)]
    groups: list[tuple[set[int], float, float]] = []
    extents = [axes.get_tightbbox() or axes.bbox for axes in figure.axes]
    for number in sorted(range(len(extents)), key=lambda each: extents[each].x0):
        axes = figure.axes[number]
        left, right = (float(x) / figure.bbox.width for x in (extents[number].x0, extents[number].x1))
        rows = any(label.get_text() and label.get_visible() for label in axes.get_yticklabels())
        depends = (axes.axison and not rows) or axes.get_label() == "<colorbar>"
        if groups and (depends or left < groups[-1][2]):
            before, start, end = groups.pop()
            groups.append((before | {number}, start, max(end, right)))
        else:
            groups.append(({number}, left, right))
    return groups


def _empty(group: ElementTree.Element | None) -> None:
    """Take away all that a group draws, but not the shapes of letters, which other groups use too."""
    if group is None:  # axes that draw nothing
        return
    shapes = [found for found in group.iter(f"{{{SVG['']}}}defs")]
    group.clear()
    group.extend(shapes)


def _smallest_letters(figure: "Figure") -> float:
    """The smallest size of text in a figure, in pixels."""
    from matplotlib.text import Text

    texts = figure.findobj(lambda artist: isinstance(artist, Text) and artist.get_visible())
    sizes = [
        float(text.get_fontsize()) for text in texts if isinstance(text, Text) and text.get_text().strip()
    ]
    return min(sizes, default=10.0) * PIXELS_PER_INCH / 72


def figure_of(ax: "Axes") -> "Figure":
    """The whole figure that these axes are part of.

    Raises:
        ValueError: they are part of none, because they were removed from it.
    """
    figure = ax.get_figure(root=True)
    if figure is None:
        raise ValueError("these axes were removed from their figure")
    return figure


def description(ax: "Axes") -> str:
    """What the axes of a figure say about themselves: our figures keep it in their labels."""
    return " ".join(str(label) for axes in figure_of(ax).axes if (label := axes.get_label()))


class NotPredicted(Exception):
    """A figure waits for the prediction above it."""


NOT_PREDICTED = (
    "This waits for your prediction above. If nothing happens here when you choose, run this cell again."
)


@contextlib.contextmanager
def waiting_for(exercise: str) -> Iterator[None]:
    """Replace what needs the student's own function by a kind note until that function works.

    Args:
        exercise: its number as the lesson names it, "Exercise 1.4".
    """
    try:
        yield
    except NotPredicted:
        put(note(NOT_PREDICTED), f"○ {NOT_PREDICTED}")
    except NotImplementedError:
        put(note(not_yet(exercise)), f"○ {not_yet(exercise)}")
    except Exception as error:  # whatever an unfinished answer raises
        text = f"This needs {exercise}. {stopped(error)} Once its check passes, run this cell again."
        put(note(text), f"○ {text}")


def tried(make: Callable[[], str], exercise: str) -> str:
    """The HTML that `make` gives with the student's function, or a note on what is still to do.

    Args:
        make: calls the student's function.
        exercise: where that is written, "Exercise 1.4".
    """
    try:
        return make()
    except NotImplementedError:
        return note(not_yet(exercise))
    except Exception as error:  # whatever an unfinished answer raises
        return note(f"This calls your function of {exercise}. {stopped(error)}")


def not_yet(exercise: str) -> str:
    """What to say while a student's function, or one that it calls, isn't written."""
    missing = "not done yet" if exercise.startswith("the training") else "not written yet"
    return f"This needs {exercise}, {missing}. Once every check so far passes, run this cell again."


def stopped(error: Exception) -> str:
    """One sentence for what a student's function raised."""
    if isinstance(error, NameError) and error.name:
        return f"A cell above makes `{error.name}`, which isn't there yet: that cell may be waiting itself."
    return f"Now it stops with {type(error).__name__}: {str(error).partition(chr(10))[0][:160].rstrip('.')}."


def note(text: str) -> str:
    """A line of HTML in the shape of a check's message, for what isn't there yet."""
    return box(f"○ {html.escape(text)}", Status.NOT_WRITTEN)


def put(page: str, text: str) -> None:
    """Display HTML, with a text for where there is none."""
    from IPython.display import display

    display({"text/html": page, "text/plain": text}, raw=True)

"""How a figure gets into a notebook: as an image with a text for those who can't see it."""

import base64
import contextlib
import html
import io
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from helpers.checking.finding import Status, box

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PIXELS_PER_INCH = 96
LEGIBLE = 9  # pixels: letters don't get smaller, however narrow the page
CARD = (
    "background:white;padding:8px;border-radius:6px;box-sizing:content-box;"
    "max-width:calc(100% - 16px);min-width:{narrowest}px;height:auto"
)

CELL = "text-align:left;vertical-align:top;padding:4px 14px 4px 0;background:none;border:none"


@dataclass(frozen=True)
class Table:
    """A table for a notebook, of cells in HTML, and its text for a terminal."""

    header: list[str]
    rows: list[list[str]]
    text: str

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        head = "".join(
            f'<th scope="col" style="{CELL}">{name}</th>' if name else "<td></td>" for name in self.header
        )
        rows = ["".join(f'<td style="{CELL}">{cell}</td>' for cell in row) for row in self.rows]
        body = "".join(f'<tr style="background:none">{row}</tr>' for row in rows)
        start = '<table style="border:none;font-size:inherit"><thead><tr style="background:none">'
        return {"text/plain": self.text, "text/html": f"{start}{head}</tr></thead>{body}</table>"}


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
    """The figure of these axes as HTML: an image on a white card, which reads in light and dark themes alike.

    It becomes as narrow as the page while its letters can be read, and scrolls from there on. HTML, because
    JupyterLab ignores alternative text in the metadata of an image output.

    Args:
        ax: any axes of the figure.
        alt: as in `show`.
    """
    import matplotlib

    figure, alt = figure_of(ax), alt or description(ax)
    if not alt:
        raise ValueError("a figure needs alternative text: show(ax, alt=...) says what it shows")
    file = io.BytesIO()
    # SVG: sharp at any zoom, and quicker to make than an equally sharp PNG, which shows when a slider moves.
    # The salt makes ids depend on the content alone, so that the same figure has the same bytes.
    with matplotlib.rc_context({"svg.hashsalt": "headstart"}):
        figure.savefig(file, format="svg", metadata={"Date": None})
    data = base64.b64encode(file.getvalue()).decode()
    width, height = (round(inches * PIXELS_PER_INCH) for inches in figure.get_size_inches())
    source = f"data:image/svg+xml;base64,{data}"
    card = CARD.format(narrowest=math.ceil(width * min(1, LEGIBLE / _smallest_letters(figure))))
    size = f'width="{width}" height="{height}"'
    picture = f'<img alt="{html.escape(alt)}" {size} style="{card}" src="{source}">'
    return f'<div style="overflow-x:auto" tabindex="0">{picture}</div>'


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


NOT_PREDICTED = "This waits for your prediction above. Choose a letter there, run that cell, then this one."


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

"""Every lesson draws its shapes: to scale, in words too, and with labels that can be read on a narrow page."""

import importlib
import inspect
import itertools
import re
from collections.abc import Callable, Iterator

import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, Patch
from matplotlib.path import Path
from matplotlib.text import Annotation, Text

from autograder import lessons
from helpers.figures import drawings, showing

NARROW = 620 - 2 * showing.PADDING  # pixels for a drawing in its card, on a narrow page
INDEX = 0.7  # how large matplotlib draws an index, beside its letter
LESSONS = [name for name in lessons.names() if lessons.number(name)]


def drawings_of(lesson: str) -> dict[str, Callable[[], Axes]]:
    """What a lesson can draw, by name."""
    module = importlib.import_module(f"helpers.{lessons.topic(lesson)}.drawings")
    return {
        name: function
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
    }


ALL = {f"{lesson}: {name}": draw for lesson in LESSONS for name, draw in drawings_of(lesson).items()}
each_drawing = pytest.mark.parametrize("draw", ALL.values(), ids=ALL.keys())


def faults(ax: Axes) -> list[str]:
    """What can't be read at 620 pixels: small words, words on words or on lines, and words beyond the edge."""
    figure = showing.figure_of(ax)
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    scale = min(1, NARROW / (figure.bbox.width / figure.dpi * showing.PIXELS_PER_INCH))
    # Matplotlib counts the room between two lines as part of a text: a pixel of it may be shared.
    words = [(t, t.get_window_extent(renderer).padded(-1)) for t in ax.texts if t.get_text().strip()]
    found = []
    for text, box in words:
        size = text.get_fontsize() * showing.PIXELS_PER_INCH / 72 * scale
        if size * (INDEX if re.search(r"[_^]", text.get_text()) else 1) < showing.LEGIBLE:
            found.append(f"{text.get_text()!r} is small")
        if not (figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1) or not (
            figure.bbox.y0 <= box.y0 and box.y1 <= figure.bbox.y1
        ):
            found.append(f"{text.get_text()!r} reaches beyond the edge")
        if any(stroke.intersects_bbox(box, filled=False) for stroke in strokes(ax)):
            found.append(f"{text.get_text()!r} lies on a line")
    for (one, box), (other, another) in itertools.combinations(words, 2):
        if box.overlaps(another):
            found.append(f"{one.get_text()!r} lies on {other.get_text()!r}")
    return found


def strokes(ax: Axes) -> Iterator[Path]:
    """Each line, arrow and outline of a drawing, in pixels and without its jumps and curves."""
    arrows = [text.arrow_patch for text in ax.texts if isinstance(text, Annotation) and text.arrow_patch]
    for drawn in (*ax.lines, *ax.patches, *arrows):
        assert isinstance(drawn, Line2D | Patch | FancyArrowPatch)
        path = drawn.get_path().transformed(drawn.get_transform())
        yield from map(Path, path.to_polygons(closed_only=False))


@each_drawing
def test_a_drawing_says_in_words_what_it_shows(draw: Callable[[], Axes]) -> None:
    said = showing.description(draw())
    assert len(re.findall(r"\.(?: |$)", said)) >= 3 and "$" not in said
    assert f'alt="{showing.html.escape(said)}"' in showing.image(draw())


@each_drawing
def test_a_drawing_can_be_read_on_a_narrow_page(draw: Callable[[], Axes]) -> None:
    assert faults(draw()) == []


@each_drawing
def test_a_label_that_is_moved_onto_another_is_found(draw: Callable[[], Axes]) -> None:
    ax = draw()
    one, other = [text for text in ax.texts if text.get_text().strip()][:2]
    one.set_position(other.get_position())
    assert any("lies on" in fault for fault in faults(ax))


def test_other_labels_that_cannot_be_read_are_found() -> None:
    def spoiled(change: Callable[[Text], object]) -> list[str]:
        ax = drawings.canvas(600, 100, "A box")
        drawings.box(ax, 300, 50, "$W_q$ and more")
        change(ax.texts[-1])
        return faults(ax)

    assert spoiled(lambda text: None) == []
    assert spoiled(lambda text: text.set_fontsize(9)) == ["'$W_q$ and more' is small"]
    assert spoiled(lambda text: text.set_text("$W_q$ and much, much more")) == [
        "'$W_q$ and much, much more' lies on a line"
    ]
    assert spoiled(lambda text: text.set_position((590, 10))) == ["'$W_q$ and more' reaches beyond the edge"]
    with pytest.raises(ValueError, match="at most 600 pixels wide, not 601"):
        drawings.canvas(601, 100, "too wide")


@each_drawing
def test_one_size_is_drawn_as_one_length(draw: Callable[[], Axes], monkeypatch: pytest.MonkeyPatch) -> None:
    lengths: dict[str, set[float]] = {}
    original = drawings.matrix

    def measured(ax: Axes, x: float, y: float, drawn: drawings.Matrix) -> drawings.Place:
        for size, cells in ((drawn.down, drawn.rows), (drawn.across, drawn.columns)):
            lengths.setdefault(size, set()).add(cells * drawn.cell)
        return original(ax, x, y, drawn)

    monkeypatch.setattr(drawings, "matrix", measured)
    monkeypatch.setitem(draw.__globals__, "matrix", measured)
    draw()
    lengths.pop("", None)
    assert {size: found for size, found in lengths.items() if len(found) > 1} == {}

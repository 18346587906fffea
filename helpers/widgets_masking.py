"""Explorers of lesson 05: draw a mask and follow it through the layers; write a sentence word by word.

Each takes the student's own function. ipywidgets is imported by the first explorer and not before.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import torch

from helpers import plots
from helpers.showing import image, tried
from helpers.widgets import labelled

if TYPE_CHECKING:
    from ipywidgets import GridBox, ToggleButton, VBox
    from matplotlib.axes import Axes

WORDS = ("the", "cat", "that", "slept", "was", "tired")
MOST_LAYERS = 5
OWN = "your own"


def presets() -> dict[str, torch.Tensor]:
    """Masks to begin with, (T, T), by name. True means "may attend"."""
    place = torch.arange(len(WORDS))
    back = place.unsqueeze(-1) - place  # how far key j lies behind query i
    return {
        "window: itself and one word before": (back >= 0) & (back < 2),
        "causal: itself and all words before": back >= 0,
        "one word to each side": back.abs() < 2,
        "everybody": torch.ones_like(back, dtype=torch.bool),
        "two blocks of three": place.unsqueeze(-1) // 3 == place // 3,
        "causal, the first two are padding": (back >= 0) & (place >= 2),
        "only itself": back == 0,
    }


def reach_explorer(reach: Callable, exercise: str = "Exercise 5.12") -> "VBox":
    """Draw a mask on a grid of buttons, choose the number of layers, and see who reaches whom.

    Args:
        reach: the student's `reach(mask, layers)` -> boolean (T, T).
        exercise: where it is written, for the message that asks for it.
    """
    import ipywidgets as w

    layers = w.IntSlider(1, min=1, max=MOST_LAYERS, **labelled("layers"))
    follow = w.SelectionSlider(options=list(enumerate_words()), value=len(WORDS) - 1, **labelled("follow"))
    named = presets()
    choice = w.Dropdown(options=[*named, OWN], **labelled("mask"))
    buttons = [[_button(query, key) for key in WORDS] for query in WORDS]
    picture = w.HTML()
    filling = False

    def draw(_: object = None) -> None:
        mask = torch.tensor([[button.value for button in row] for row in buttons])
        picture.value = _reach_picture(reach, exercise, mask, layers.value, follow.value)

    def fill(_: object = None) -> None:
        nonlocal filling
        if choice.value == OWN:
            return
        filling = True  # 36 buttons must not draw 36 times
        for row, allowed in zip(buttons, named[choice.value].tolist(), strict=True):
            for button, value in zip(row, allowed, strict=True):
                button.value = value
        filling = False
        draw()

    def press(change: dict) -> None:
        _mark(change["owner"])
        if not filling:
            choice.value = OWN
            draw()

    for button in (button for row in buttons for button in row):
        button.observe(press, "value")
    choice.observe(fill, "value")
    for control in (layers, follow):
        control.observe(draw, "value")
    fill()
    return w.VBox([layers, follow, choice, _grid(buttons), picture])


def enumerate_words() -> "list[tuple[str, int]]":
    """The words with their places, as a control takes them."""
    return [(word, place) for place, word in enumerate(WORDS)]


def _button(query: str, key: str) -> "ToggleButton":
    import ipywidgets as w

    button = w.ToggleButton(tooltip=f"may {query} look at {key}?", layout={"width": "auto"})
    _mark(button)
    return button


def _mark(button: "ToggleButton") -> None:
    button.description = "✓" if button.value else "–"


def _grid(buttons: "list[list[ToggleButton]]") -> "GridBox":
    """The buttons as a table: rows are queries, columns are keys."""
    import ipywidgets as w

    def label(text: str, align: str) -> w.HTML:
        return w.HTML(f"<div style='text-align:{align};padding:0 6px'>{text}</div>")

    cells = [label("looks at →", "right"), *(label(word, "center") for word in WORDS)]
    for word, row in zip(WORDS, buttons, strict=True):
        cells += [label(word, "right"), *row]
    columns = f"100px repeat({len(WORDS)}, 58px)"
    return w.GridBox(cells, layout={"grid_template_columns": columns, "grid_gap": "1px"})


def _reach_picture(reach: Callable, exercise: str, mask: torch.Tensor, layers: int, follow: int) -> str:
    def draw() -> str:
        tables = [_table(reach(mask.clone(), count)) for count in range(layers + 1)]
        return image(_reach_figure(mask, tables, follow))

    return tried(draw, exercise)


def _table(answer: object) -> torch.Tensor:
    if not isinstance(answer, torch.Tensor) or tuple(answer.shape) != (len(WORDS), len(WORDS)):
        raise ValueError(f"reach should give a tensor ({len(WORDS)}, {len(WORDS)})")
    return answer.detach().bool()


def _reach_figure(mask: torch.Tensor, tables: list[torch.Tensor], follow: int) -> "Axes":
    """Beside each other: after how many layers something arrives, and the ways to one word."""
    layers = len(tables) - 1
    table, ways = plots.panels(2, width=3.9, height=3.1, ratios=(1, 1.25))
    _arrivals(table, tables)
    _ways(ways, mask, tables, follow)
    figure = table.figure
    figure.set_layout_engine(None)  # finding margins by layout takes a third of the time
    figure.subplots_adjust(0.09, 0.2, 0.99, 0.87, 0.17)
    reached = tables[-1]
    names = [word for word, arrived in zip(WORDS, reached[follow].tolist(), strict=True) if arrived]
    table.set_label(
        f"After {layers} {'layer' if layers == 1 else 'layers'} {int(reached.sum())} of {reached.numel()} "
        f"pairs are connected. {WORDS[follow]} can know of: {', '.join(names)}."
    )
    return table


def _arrivals(ax: "Axes", tables: list[torch.Tensor]) -> None:
    """Colour and number of a cell: the fewest layers after which query i can know of key j."""
    from matplotlib import colormaps

    never = len(tables)
    first = torch.full(tables[0].shape, never)
    for count in reversed(range(len(tables))):
        first[tables[count]] = count
    colors = colormaps["cividis"].with_extremes(over=plots.BAND)
    ax.imshow(first.numpy(), cmap=colors, vmin=0, vmax=MOST_LAYERS + 0.5, aspect="auto")
    if bool((first == never).any()):
        grey = torch.where(first == never, 1.0, torch.nan)
        ax.imshow(grey.numpy(), cmap="Greys", vmin=0, vmax=7, aspect="auto")
    for row, counts in enumerate(first.tolist()):
        for column, count in enumerate(counts):
            if count < never:  # no number: never; and each text costs a moving slider a millisecond
                ink = "white" if count < 3 else "black"
                ax.text(column, row, str(count), ha="center", va="center", color=ink, fontsize=9)
    ax.set_xticks(range(len(WORDS)), WORDS, rotation=30, ha="right", rotation_mode="anchor", fontsize=9)
    ax.set_yticks(range(len(WORDS)), WORDS, fontsize=9)
    ax.set_title("layers until row knows of column", fontsize=10)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)


def _ways(ax: "Axes", mask: torch.Tensor, tables: list[torch.Tensor], follow: int) -> None:
    """The positions of each layer, bottom to top, with the edges that lead to the followed word."""
    from matplotlib.collections import LineCollection

    layers, count = len(tables) - 1, len(WORDS)
    edges = mask | torch.eye(count, dtype=torch.bool)
    lit, faint = [], []
    for height in range(layers):
        wanted = tables[layers - height - 1][follow]  # positions of level height + 1 that matter
        for query, key in edges.nonzero().tolist():
            line = [(key, height), (query, height + 1)]
            (lit if wanted[query] else faint).append(line)
    ax.add_collection(LineCollection(faint, colors=plots.BAND, linewidths=0.7))
    ax.add_collection(LineCollection(lit, colors=plots.PALETTE[0], linewidths=1.6))
    for height in range(layers + 1):
        on = tables[layers - height][follow].tolist()
        inner = [place for place in range(count) if on[place]]
        outer = [place for place in range(count) if not on[place]]
        ax.scatter(inner, [height] * len(inner), s=62, color=plots.PALETTE[1], zorder=3)
        ax.scatter(outer, [height] * len(outer), s=30, facecolor="white", edgecolor=plots.FAINT, zorder=3)
    ax.set_xticks(range(count), WORDS, rotation=30, ha="right", rotation_mode="anchor", fontsize=9)
    levels = ["input", *(f"layer {number}" for number in range(1, layers + 1))]
    ax.set_yticks(range(layers + 1), levels, fontsize=9)
    ax.set(xlim=(-0.5, count - 0.5), ylim=(-0.4, layers + 0.4))
    ax.set_title(f"what flows into {WORDS[follow]}", fontsize=10)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)


# -- masks side by side ------------------------------------------------------------------------------------


def masks(tables: Mapping[str, torch.Tensor], queries: Sequence[str], keys: Sequence[str]) -> "Axes":
    """Boolean tables beside each other: True is dark and has a tick, False is light.

    Args:
        tables: by title, (T_q, T_k) each.
        queries: T_q labels of the rows, the same for all.
        keys: T_k labels of the columns.
    """
    rows, columns = len(queries), len(keys)
    axes = plots.panels(len(tables), width=0.4 * columns + 0.75, height=0.34 * rows + 1.3)
    slant = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if max(map(len, keys)) > 2 else {}
    for ax, (title, table) in zip(axes, tables.items(), strict=True):
        shown = table.detach().bool().expand(rows, columns)
        colors = {"cmap": "Blues", "vmin": 0, "vmax": 1.25, "edgecolors": plots.BAND, "linewidth": 0.8}
        ax.pcolormesh(shown.float().numpy(), **colors)
        for row, column in shown.nonzero().tolist():
            ax.text(column + 0.5, row + 0.5, "✓", ha="center", va="center", color="white", fontsize=9)
        ax.invert_yaxis()
        ax.set_xticks([place + 0.5 for place in range(columns)], keys, fontsize=9, **slant)
        ax.set_yticks([place + 0.5 for place in range(rows)], queries, fontsize=9)
        ax.set_title(title, fontsize=10)
        ax.set_xlabel("keys", fontsize=9)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        ax.set_label(f"{title}: {_said(shown, queries, keys)}.")
    axes[0].set_ylabel("queries", fontsize=9)
    return axes[0]


def _said(shown: torch.Tensor, queries: Sequence[str], keys: Sequence[str]) -> str:
    rows = (", ".join(k for k, on in zip(keys, row, strict=True) if on) for row in shown.tolist())
    return "; ".join(f"{query} → {seen or 'nothing'}" for query, seen in zip(queries, rows, strict=True))

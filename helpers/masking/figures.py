"""Figures of masks: who may look where, what arrives after several layers, what a cache saves.

Matplotlib is imported by the first figure, not before.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import torch

from helpers.figures import plots, repeats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SMALL = 9  # points
WIDEST = 11.2  # inches: so much fits beside a file browser at 1,280 pixels, with SMALL letters


def masks(
    tables: Mapping[str, torch.Tensor],
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    axes_are: tuple[str, str] = ("queries", "keys"),
) -> "Axes":
    """Boolean tables beside each other: True is dark and has a tick, False is light.

    Args:
        tables: by title, (T_q, T_k) each.
        queries: T_q labels of the rows, the same for all.
        keys: T_k labels of the columns.
        axes_are: what rows and columns are.
    """
    rows, columns = len(queries), len(keys)
    width = min(0.4 * columns + 0.75, WIDEST / len(tables))
    axes = plots.panels(len(tables), width=width, height=0.34 * rows + 1.3)
    for ax, (title, table) in zip(axes, tables.items(), strict=True):
        shown = table.detach().bool().expand(rows, columns)
        ax.pcolormesh(
            shown.float().numpy(), cmap="Blues", vmin=0, vmax=1.25, edgecolors=plots.BAND, linewidth=0.8
        )
        for row, column in shown.nonzero().tolist():
            ax.text(column + 0.5, row + 0.5, "✓", ha="center", va="center", color="white", fontsize=SMALL)
        ax.invert_yaxis()
        _name_columns(ax, keys, shift=0.5, slanted=max(map(len, keys)) > 2)
        ax.set_yticks([place + 0.5 for place in range(rows)], queries, fontsize=SMALL)
        ax.set_title(title, fontsize=10)
        ax.set_xlabel(axes_are[1], fontsize=SMALL)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        ax.set_label(f"{title}: {_said(shown, queries, keys)}.")
    axes[0].set_ylabel(axes_are[0], fontsize=SMALL)
    return axes[0]


def _said(shown: torch.Tensor, queries: Sequence[str], keys: Sequence[str]) -> str:
    rows = (", ".join(k for k, on in zip(keys, row, strict=True) if on) for row in shown.tolist())
    return "; ".join(f"{query} → {seen or 'nothing'}" for query, seen in zip(queries, rows, strict=True))


def losses(trained: Mapping[str, Sequence[tuple[float, float]]], levels: Mapping[str, float]) -> "Axes":
    """Losses of models in one pass and prefix by prefix, in nats per word: each seed, and the mean.

    Args:
        trained: "with" the mask and "without" it, both losses of each model.
        levels: losses to compare with, by name; each is a dashed line.
    """
    ways = ("in one pass, as in training", "prefix by prefix, as in use")
    found = {
        way: {f"{name} the mask": [run[number] for run in runs] for name, runs in trained.items()}
        for number, way in enumerate(ways)
    }
    title = "Three seeds, and their mean"
    ax = repeats.rows(found, xlabel="loss (nats per word)", title=title, form=".2f")
    ax.set_xlim(left=-0.15)
    for name, loss in levels.items():
        ax.axvline(loss, color=plots.FAINT, linestyle="--", linewidth=1.2, zorder=0)
        ax.text(loss + 0.05, 1.45, name, fontsize=9)
    return ax


def reach(mask: torch.Tensor, tables: Sequence[torch.Tensor], words: Sequence[str], follow: int) -> "Axes":
    """Beside each other: after how many layers something arrives, and the ways to one word.

    Args:
        mask: boolean, (T, T). True means "may attend".
        tables: what each position can know of after 0, 1, 2, ... layers, (T, T) each.
        words: T labels.
        follow: the place of the word whose ways are shown.
    """
    layers, reached = len(tables) - 1, tables[-1]
    table, ways = plots.panels(2, width=3.9, height=3.1, ratios=(1, 1.25))
    _arrivals(table, tables)
    _ways(ways, mask, tables, follow)
    for ax in (table, ways):
        _name_columns(ax, words)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
    table.set_yticks(range(len(words)), words, fontsize=SMALL)
    table.set_title("layers until row knows of column", fontsize=10)
    ways.set_title(f"what flows into “{words[follow]}”", fontsize=10)
    plots.set_edges(table, left=0.09, bottom=0.2, right=0.99, top=0.87, gap=0.17)
    names = [word for word, arrived in zip(words, reached[follow].tolist(), strict=True) if arrived]
    table.set_label(
        f"After {layers} {'layer' if layers == 1 else 'layers'} {int(reached.sum())} of {reached.numel()} "
        f"pairs are connected. {words[follow]} can know of: {', '.join(names)}."
    )
    return table


def _name_columns(ax: "Axes", words: Sequence[str], *, shift: float = 0.0, slanted: bool = True) -> None:
    places = [number + shift for number in range(len(words))]
    if slanted:
        ax.set_xticks(places, words, fontsize=SMALL, rotation=40, ha="right", rotation_mode="anchor")
    else:
        ax.set_xticks(places, words, fontsize=SMALL)


def _arrivals(ax: "Axes", tables: Sequence[torch.Tensor]) -> None:
    """Colour and number of a cell: the fewest layers after which query i can know of key j."""
    from matplotlib import colormaps

    never = len(tables)
    first = torch.full(tables[0].shape, never)
    for count in reversed(range(len(tables))):
        first[tables[count]] = count
    colors = colormaps["cividis"].with_extremes(over=plots.BAND)
    ax.imshow(first.numpy(), cmap=colors, vmin=0, vmax=max(never, 6) - 0.5, aspect="auto")
    if bool((first == never).any()):
        grey = torch.where(first == never, 1.0, torch.nan)
        ax.imshow(grey.numpy(), cmap="Greys", vmin=0, vmax=7, aspect="auto")
    for row, counts in enumerate(first.tolist()):
        for column, count in enumerate(counts):
            if count < never:  # no number: never; and each text costs a moving slider a millisecond
                ink = "white" if count < 3 else "black"
                ax.text(column, row, str(count), ha="center", va="center", color=ink, fontsize=SMALL)


def _ways(ax: "Axes", mask: torch.Tensor, tables: Sequence[torch.Tensor], follow: int) -> None:
    """The positions of each layer, bottom to top, with the edges that lead to the followed word."""
    from matplotlib.collections import LineCollection

    layers, count = len(tables) - 1, len(mask)
    edges = mask | torch.eye(count, dtype=torch.bool)
    lit: list[list[tuple[int, int]]] = []
    faint: list[list[tuple[int, int]]] = []
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
    levels = ["input", *(f"layer {number}" for number in range(1, layers + 1))]
    ax.set_yticks(range(layers + 1), levels, fontsize=SMALL)
    ax.set(xlim=(-0.5, count - 0.5), ylim=(-0.4, layers + 0.4))


def cache(text: Sequence[str], count: int, *, cached: bool) -> "Axes":
    """The scores that are computed for the newest word, and how many there were so far.

    Args:
        text: all words.
        count: how many of them are written.
        cached: whether keys and values are stored, or each word runs through the whole text before it.
    """
    from matplotlib.colors import ListedColormap

    table, bars = plots.panels(2, width=3.6, height=3.0, ratios=(1.2, 1))
    place = torch.arange(len(text))
    causal = (place <= place.unsqueeze(-1)) & (place.unsqueeze(-1) < count)
    now = causal & (place.unsqueeze(-1) == count - 1) if cached else causal
    colors = ListedColormap(["white", "#cfe3f2", plots.PALETTE[1]])
    table.imshow((causal.int() + now.int()).numpy(), cmap=colors, vmin=0, vmax=2, aspect="auto")
    rows, columns = now.nonzero().unbind(dim=1)
    table.scatter(columns.tolist(), rows.tolist(), s=16, color="black")
    _name_columns(table, text)
    table.set_yticks(range(len(text)), text, fontsize=SMALL)
    table.tick_params(length=0)
    table.set_title(f"● computed now: {int(now.sum())} scores · pale: before", fontsize=10)
    totals = [count * (count + 1) // 2, count * (count + 1) * (count + 2) // 6]
    drawn = bars.bar(["with a cache", "without"], totals, color=plots.PALETTE[0], width=0.6)
    bars.bar_label(drawn, fontsize=SMALL)
    bars.set(ylim=(0, 135), yticks=[])
    bars.set_title("computed so far", fontsize=10)
    bars.spines["left"].set_visible(False)
    plots.set_edges(table, left=0.08, bottom=0.2, right=0.99, top=0.87, gap=0.17)
    kind = "with" if cached else "without"
    table.set_label(
        f"Word {count}, {kind} a cache: {int(now.sum())} scores are computed now. So far {totals[0]} with a "
        f"cache, {totals[1]} without."
    )
    return table

"""Figures of lesson 11: attention as an alignment, two kinds of attention side by side, beams as a tree."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import torch

from helpers.figures import plots
from helpers.figures.showing import figure_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

END = "<eos>"
TRUE = plots.PALETTE[1]
WIDE = 1.2  # inches from one word of a tree to the next
LINES = 22  # one below the other: so many words have room, with their numbers
LIKELY, MOST = 0.02, 3  # a continuation is drawn if it is this likely, and at most so many per beginning

# -- alignments ----------------------------------------------------------------------------------------------


def alignment(
    weights: torch.Tensor,
    written: Sequence[str],
    source: Sequence[str],
    truth: Sequence[int] | None = None,
    *,
    title: str = "",
    ax: "Axes | None" = None,
) -> "Axes":
    """Cross-attention as a table: a row for each written word, and frames at the words it translates.

    Args:
        weights: (T_t, T_s).
        written: T_t labels.
        source: T_s labels.
        truth: for each written word the place of its source word; None, or shorter, where it isn't known.
        title: over the table.
        ax: where to draw; a new figure if None.
    """
    ax = _table(weights, written, source, title, ax)
    ax.set(xlabel="keys: source words", ylabel="queries: words written")
    said = f"Who looks where: {_most(weights, written, source)}."
    if truth:
        _frames(ax, truth)
        right = sum(
            int(row[: len(source)].argmax()) == place for row, place in zip(weights, truth, strict=False)
        )
        said += f" {right} of {len(truth)} words look most at the word that they translate, which is framed."
    ax.set_label(f"{title or 'Cross-attention'}. {said}")
    return ax


def spoken(weights: torch.Tensor, written: Sequence[str], word: str) -> "Axes":
    """Cross-attention of a word that is said: a row for each sound, a column for each letter.

    Args:
        weights: (T_t, T_s), the last column that of `<eos>`.
        written: T_t sounds.
        word: its letters.
    """
    letters = [*word, END]
    ax = _table(weights, written, letters, "", None)
    ax.set(xlabel="keys: letters", ylabel="queries: sounds")
    ax.set_xticks(range(len(letters)), letters, rotation=0, ha="center")
    figure_of(ax).subplots_adjust(bottom=0.6 / figure_of(ax).get_figheight())
    ax.set_title(f"{word}: {' '.join(sound for sound in written if sound != END)}", loc="left")
    ax.set_label(f"Which letters make a sound. {_most(weights, written, letters)}.")
    return ax


def growing(
    weights: torch.Tensor,
    written: Sequence[str],
    source: Sequence[str],
    shown: int,
    truth: Sequence[int] | None,
) -> "Axes":
    """The same with only the first rows filled in, for a translation that is being written."""
    words = [*source, END][: weights.size(1)]
    hidden = torch.arange(len(weights)) >= shown
    labels = [word if number < shown else "" for number, word in enumerate(written)]
    known = (truth or [])[:shown]
    ax = _table(weights.masked_fill(hidden[:, None], torch.nan), labels, words, "", None)
    ax.set(xlabel="source", ylabel="written so far")
    _frames(ax, known)
    framed = ", framed where it belongs" if known else ""
    newest = f"{written[shown - 1]} looks most at {words[int(weights[shown - 1].argmax())]}"
    ax.set_title(f"word {shown} of {len(written)}: {newest}", loc="left")
    ax.set_label(f"Cross-attention, {shown} of {len(written)} words written{framed}. {newest}.")
    return ax


def side_by_side(
    own: torch.Tensor,
    crossed: torch.Tensor,
    read: Sequence[str],
    written: Sequence[str],
    source: Sequence[str],
) -> "Axes":
    """One decoder layer's self-attention and cross-attention.

    Args:
        own: (T_t, T_t), causal.
        crossed: (T_t, T_s).
        read: what the decoder read at each of its positions, T_t labels.
        written: what it wrote there, T_t labels.
        source: T_s labels.
    """
    height = 1.4 + 0.3 * len(read)
    rows = [f"{one} → {other}" for one, other in zip(read, written, strict=True)]
    ratios = (len(read) + 3, len(source) + 3)
    width = min(0.42 * sum(ratios) + 2.4, 9.9)  # inches: what fits beside the list of files
    left, right = plots.panels(2, width=width / 2, height=height, ratios=ratios)
    later = torch.ones_like(own, dtype=torch.bool).triu(1)
    _table(own.masked_fill(later, torch.nan), rows, read, "self-attention: what was written before", left)
    left.set(xlabel="keys: words read", ylabel="queries: read → written")
    _table(crossed, rows, source, "cross-attention: the source", right)
    right.set(xlabel="keys: the memory", yticks=[])
    left.set_label(f"Self-attention, later words hidden: {_most(own, read, read)}.")
    right.set_label(f"Cross-attention: {_most(crossed, written, source)}.")
    return left


def _table(
    weights: torch.Tensor, rows: Sequence[str], columns: Sequence[str], title: str, ax: "Axes | None"
) -> "Axes":
    """Margins in inches, by hand, for a figure of its own: a layout engine is slow under a moving slider."""
    from matplotlib import colormaps

    if ax is None:
        longest, lowest = 0.085 * max(map(len, rows), default=1), 0.085 * max(map(len, columns))
        left, bottom = 0.55 + max(longest, 0.5), 0.45 + lowest
        width, height = left + 0.48 * len(columns) + 0.2, bottom + 0.34 * len(rows) + 0.35
        [ax] = plots.panels(1, width=width, height=height)
        figure_of(ax).set_layout_engine(None)
        figure_of(ax).subplots_adjust(left / width, bottom / height, 1 - 0.2 / width, 1 - 0.35 / height)
    colors = colormaps["cividis"].with_extremes(bad=plots.BAND)
    ax.imshow(weights.detach().numpy(), cmap=colors, vmin=0, vmax=1, aspect="auto")
    ax.set_xticks(range(len(columns)), columns, rotation=55, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(rows)), rows)
    ax.set_title(title)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    for row, values in enumerate(weights.tolist()):
        for column, value in enumerate(values):
            if value >= 0.1:  # never for NaN
                ink = "black" if value > 0.47 else "white"
                text = f"{value:.1f}".removeprefix("0")
                ax.text(column, row, text, ha="center", va="center", color=ink, fontsize=8)
    return ax


def _frames(ax: "Axes", places: Sequence[int]) -> None:
    from matplotlib.patches import Rectangle

    for row, place in enumerate(places):
        ax.add_patch(Rectangle((place - 0.46, row - 0.46), 0.92, 0.92, fill=False, edgecolor=TRUE, lw=2))


def _most(weights: torch.Tensor, rows: Sequence[str], columns: Sequence[str]) -> str:
    return "; ".join(
        f"{name} most at {columns[int(row.argmax())]} ({float(row.max()):.2f})"
        for name, row in zip(rows, weights, strict=False)
    )


# -- a tree of beams -----------------------------------------------------------------------------------------

Path = tuple[int, ...]


def tree(
    chances: Mapping[Path, torch.Tensor], found: Sequence[tuple[float, Sequence[int]]], words: Sequence[str]
) -> "Axes":
    """Which beginnings a search kept, which it dropped, and how likely each next word was.

    Args:
        chances: for each beginning that was alive, `<bos>` first, the log-probabilities of what comes next.
        found: finished hypotheses, best first: normalised score, tokens without `<bos>`.
        words: the word of each token.
    """
    start = min(chances, key=len)
    kept = {*chances, *((*start, *tokens) for _, tokens in found)}
    best = (*start, *found[0][1])
    for most in range(MOST, -1, -1):  # fewer of the dropped, until there is room for their numbers
        nodes = _nodes(chances, kept, most)
        order = _leaves(start, nodes)
        if max(order.values()) < LINES:
            break
    deep, wide = max(map(len, nodes)) - len(start), 1 + max(order.values())
    scores = {(*start, *tokens): score for score, tokens in found}
    width, height = WIDE * (deep + 0.9), min(0.27 * wide, 5.2) + 0.5  # a small screen shows it all
    [ax] = plots.panels(1, width=width, height=height)
    figure_of(ax).set_layout_engine(None)
    figure_of(ax).subplots_adjust(0.01, 0.02, 0.99, 1 - 0.3 / height)
    for path in nodes:
        if path != start:
            _branch(ax, path, order, chances[path[:-1]], kept, best)
    for path in nodes:
        _node(ax, path, order, words, kept, best, scores)
    ax.set(xlim=(-0.02, deep + 0.88), ylim=(wide - 0.4, -0.8), xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    chosen = " ".join(words[token] for token in found[0][1])
    ax.set_title(f"best: {chosen} · score {plots.two_digits(found[0][0])}", loc="left")
    others = "; ".join(f"{' '.join(words[t] for t in tokens)}, {score:.2f}" for score, tokens in found[1:])
    ax.set_label(f"A tree of beginnings. Best: {chosen}, score {found[0][0]:.2f}. Then: {others or 'none'}.")
    return ax


def _nodes(chances: Mapping[Path, torch.Tensor], kept: set[Path], most: int) -> list[Path]:
    """Everything that was kept, and the most likely of what was dropped."""
    nodes = set(chances) | kept
    for path, log_p in chances.items():
        likeliest = log_p.topk(min(most, log_p.numel()))
        for value, token in zip(likeliest.values.exp().tolist(), likeliest.indices.tolist(), strict=True):
            if value >= LIKELY:
                nodes.add((*path, token))
    return sorted(nodes)


def _leaves(start: Path, nodes: Sequence[Path]) -> dict[Path, float]:
    """A height for each node: leaves one below the other, the others in the middle of their children."""
    children: dict[Path, list[Path]] = {}
    for path in nodes:
        if path != start:
            children.setdefault(path[:-1], []).append(path)
    order: dict[Path, float] = {}
    line = 0

    def place(path: Path) -> None:
        nonlocal line
        below = children.get(path, [])
        for child in below:
            place(child)
        if below:
            order[path] = (order[below[0]] + order[below[-1]]) / 2
        else:
            order[path], line = float(line), line + 1

    place(start)
    return order


def _branch(
    ax: "Axes", path: Path, order: Mapping[Path, float], log_p: torch.Tensor, kept: set[Path], best: Path
) -> None:
    at, parent = len(path) - 1, path[:-1]
    alive, chosen = path in kept, path == best[: len(path)]
    color = TRUE if chosen else plots.PALETTE[0] if alive else plots.FAINT
    width, dashes = 2.4 if chosen else 1.4 if alive else 0.9, "-" if alive else ":"
    # Level at both ends: the words stand on the lines, and the number above the last stretch. A beginning's
    # branches share their first stretch, and the best one shows.
    across, up = [at - 0.97, at - 0.52, at - 0.38, at], [order[parent]] * 2 + [order[path]] * 2
    ax.plot(across, up, color=color, lw=width, ls=dashes, zorder=1 + 0.2 * alive + 0.2 * chosen)
    number = plots.two_digits(float(log_p[path[-1]]))
    ax.text(at - 0.03, order[path] - 0.06, number, ha="right", va="bottom", fontsize=7.5, color=color)


def _node(
    ax: "Axes",
    path: Path,
    order: Mapping[Path, float],
    words: Sequence[str],
    kept: set[Path],
    best: Path,
    scores: Mapping[Path, float],
) -> None:
    alive, chosen = path in kept, path == best[: len(path)]
    weight = "bold" if chosen else "normal"
    color = plots.INK if alive else "#767676"
    text = words[path[-1]] + (f"  {plots.two_digits(scores[path])}" if path in scores else "")
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
    ax.text(
        len(path) - 0.98, order[path], text, color=color, fontweight=weight, fontsize=9,
        ha="left", va="center", zorder=2, bbox=box,
    )  # fmt: skip

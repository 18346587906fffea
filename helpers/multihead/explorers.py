"""Lesson 02's explorers, and the sentences that its small model learns to read.

The explorers take what the student has written, and hold no answers.

ipywidgets and Matplotlib are imported by the first explorer, not before: the grader opens none.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import torch

from helpers.figures import plots
from helpers.figures.controls import explorer, labelled, tokens_of, tooltip
from helpers.figures.showing import image, note, tried

if TYPE_CHECKING:
    from ipywidgets import VBox
    from matplotlib.axes import Axes

# -- sentences about who did what to whom --------------------------------------------------------------------

NOUNS = [
    "cat", "dog", "bird", "king", "queen", "teacher", "student", "robot", "boy", "girl",
    "man", "woman", "child", "friend", "wolf", "mouse", "doctor", "farmer", "singer", "baker",
]  # fmt: skip
VERBS = ["chased", "saw", "liked", "heard", "followed", "met", "helped", "called"]
ADJECTIVES = ["old", "small", "red", "happy", "young", "tired"]
JOINERS = ["and", "because", "while"]
PADDING, UNKNOWN = "–", "?"
WORDS = [PADDING, UNKNOWN, "the", *NOUNS, *VERBS, *ADJECTIVES, *JOINERS]
LONGEST = 16  # words: two clauses of seven, a joiner, and one to spare
SHOWN = 12  # words of a sentence that an explorer shows
NO_QUESTION = -100  # where there is nothing to answer: what torch's cross_entropy ignores


def encode(words: Sequence[str]) -> torch.Tensor:
    """Words as numbers, (T,). A word that isn't in the vocabulary becomes the unknown one."""
    return torch.tensor([WORDS.index(word if word in WORDS else UNKNOWN) for word in words])


def sentences(count: int, seed: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Made-up sentences of one or two clauses: `the old cat chased the dog because the king saw the mouse`.

    Args:
        count: how many.
        seed: equal seeds give equal sentences.

    Returns:
        Three tensors (count, 16) of integers: the words, padded with 0; at each verb the number of the noun
        that did it; at each verb the number of the noun that it was done to. Elsewhere the last two are -100.
    """
    rng = random.Random(seed)
    tokens = torch.zeros(count, LONGEST, dtype=torch.long)
    who, whom = torch.full((2, count, LONGEST), NO_QUESTION)
    for row in range(count):
        words: list[str] = []
        for clause in range(rng.choice((1, 2))):
            words += [rng.choice(JOINERS)] if clause else []
            one, other = rng.sample(NOUNS, 2)
            words += _noun_phrase(rng, one)
            who[row, len(words)], whom[row, len(words)] = NOUNS.index(one), NOUNS.index(other)
            words += [rng.choice(VERBS), *_noun_phrase(rng, other)]
        tokens[row, : len(words)] = encode(words)
    return tokens, who, whom


def _noun_phrase(rng: random.Random, noun: str) -> list[str]:
    """Half of them with an adjective; some of these unknown, so that new words won't surprise the model."""
    return ["the", *([rng.choice([*ADJECTIVES, UNKNOWN])] if rng.random() < 0.5 else []), noun]


def shares(labels: Sequence[str], series: Mapping[str, Sequence[float]], *, title: str) -> "Axes":
    """Bars of shares of right answers, which may all be 1: the legend stands above them."""
    ax = plots.bars(labels, series, ylabel="share right", title=title)
    ax.set_ylim(0, 1.3)
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1])
    ax.legend(frameon=False, ncols=len(series), loc="upper center")
    return ax


# -- what goes to which head ---------------------------------------------------------------------------------

CHANNELS, POSITIONS = 12, 4
DIVISORS = [size for size in range(1, CHANNELS + 1) if CHANNELS % size == 0]


def split_explorer(split_heads: Callable, exercise: str = "Exercise 2.2a") -> "VBox":
    """Choose a number of heads, and see which head gets which numbers: by `view` and by your function.

    Args:
        split_heads: the student's `split_heads(x, n_heads)`.
        exercise: where it is written, for the message that asks for it.
    """
    import ipywidgets as w

    heads = w.SelectionSlider(options=DIVISORS, value=3, **labelled("heads"))
    picture = w.HTML()

    def draw(_: object = None) -> None:
        picture.value = tried(lambda: image(_split_figure(split_heads, heads.value)), exercise)

    heads.observe(draw, "value")
    draw()
    return explorer([heads, picture])


def _split_figure(split_heads: Callable, n_heads: int) -> "Axes":
    numbers = torch.arange(POSITIONS * CHANNELS).reshape(POSITIONS, CHANNELS)
    by_view = numbers.view(n_heads, POSITIONS, CHANNELS // n_heads)
    panels = plots.panels(2, width=3.95, height=2.4)
    plots.set_edges(panels[0], left=0.07, right=0.99, bottom=0.21, top=0.87, gap=0.16)
    parts = {"view alone": by_view, "your split_heads": split_heads(numbers.clone(), n_heads)}
    for ax, (name, heads) in zip(panels, parts.items(), strict=True):
        _ownership(ax, name, _owners(heads), n_heads)
    return panels[0]


def _owners(heads: torch.Tensor) -> torch.Tensor:
    """The head that each number of the table went to, (T, C)."""
    owner = torch.full((POSITIONS * CHANNELS,), -1)
    for head, part in enumerate(heads):
        owner[part.reshape(-1)] = head
    return owner.reshape(POSITIONS, CHANNELS)


def _ownership(ax: "Axes", name: str, owner: torch.Tensor, n_heads: int) -> None:
    ax.imshow((owner / max(n_heads - 1, 1)).numpy(), cmap="cividis", vmin=0, vmax=1, aspect="auto")
    for row in range(POSITIONS):
        for column in range(CHANNELS):
            head = int(owner[row, column])
            ink = "black" if head / max(n_heads - 1, 1) > 0.47 else "white"
            ax.text(column, row, str(head), ha="center", va="center", color=ink, fontsize=9)
    ax.set_xticks(range(CHANNELS), [str(channel) for channel in range(CHANNELS)])
    ax.set_yticks(range(POSITIONS), [str(position) for position in range(POSITIONS)])
    ax.set(xlabel="channel", ylabel="position", title=f"{name}: which head gets it")
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    rows = "; ".join(f"position {row} goes to head {_runs(owner[row].tolist())}" for row in range(POSITIONS))
    ax.set_label(f"{name}, {n_heads} heads: {rows}.")


def _runs(heads: list[int]) -> str:
    """Neighbouring channels of one head said once: `1, 2, 3`."""
    return ", ".join(str(h) for i, h in enumerate(heads) if i == 0 or heads[i - 1] != h)


# -- the heads of a trained model ----------------------------------------------------------------------------

READER_EXERCISE = "Exercises 2.5 and 2.10"
FIRST_SENTENCE = "the old wolf chased the cat while the king saw the queen"


def heads_explorer(read: Callable, n_heads: int = 4, exercise: str = READER_EXERCISE) -> "VBox":
    """Type a sentence, walk through its words, switch heads off, and see what the model still knows.

    Args:
        read: `read(tokens, keep)` takes the words of one sentence as numbers (1, T), and a boolean tensor
            (H,) that says which heads are on. It gives scores for who (1, T, nouns), for whom (1, T, nouns),
            and the weights (1, H, T, T).
        n_heads: how many heads it has.
        exercise: what it needs, for the message that asks for it.
    """
    import ipywidgets as w

    sentence = w.Text(FIRST_SENTENCE, **labelled("sentence"))
    place = w.IntSlider(4, min=1, max=SHOWN, readout=False, **labelled("asking word"))
    layout = {"width": "110px"}
    switches = [
        w.Checkbox(True, description=f"head {n}", indent=False, layout=layout, **tooltip(f"head {n} on"))
        for n in range(n_heads)
    ]
    picture, answers = w.HTML(), w.HTML()

    def draw(_: object = None) -> None:
        words = tokens_of(sentence.value)[:LONGEST]
        if len(words) < 2:
            picture.value, answers.value = note("Type a sentence of at least two words."), ""
            return
        keep = torch.tensor([switch.value for switch in switches])
        found: list[str] = []

        def show() -> str:
            with torch.no_grad():
                who, whom, weights = read(encode(words)[None], keep)
            found.append(_answers(words, who[0], whom[0]))
            return image(_maps(weights[0], keep, words[:SHOWN], min(place.value, len(words), SHOWN) - 1))

        picture.value = tried(show, exercise)
        answers.value = "".join(found)

    for control in (sentence, place, *switches):
        control.observe(draw, "value")
    draw()
    return explorer([sentence, place, w.HBox(switches), answers, picture])


def _maps(weights: torch.Tensor, keep: torch.Tensor, words: Sequence[str], asking: int) -> "Axes":
    """A map for each head, the asking word's row framed and numbered; a head that is off is grey."""
    import matplotlib
    from matplotlib.figure import Figure

    count, columns = len(words), 2
    weights = weights[:, :count, :count]
    rows = -(-len(weights) // columns)
    # Margins in inches, by hand: a layout engine takes a third of the time, which a slider feels.
    # Wider than high, so that controls and maps are in sight together on a small screen.
    side, tall, left, bottom = 0.2 * count + 0.15, 0.14 * count + 0.15, 0.85, 0.65
    width, height = left + columns * (side + 0.25), bottom + rows * (tall + 0.32)
    with matplotlib.rc_context(plots.STYLE):
        figure = Figure(figsize=(width, height))
        grid = figure.subplots(rows, columns, squeeze=False)
    right, top = 1 - 0.1 / width, 1 - 0.28 / height
    figure.subplots_adjust(left / width, bottom / height, right, top, 0.25 / side, 0.32 / tall)
    no_words = [""] * count
    for head, (ax, table) in enumerate(zip(grid.flat, weights, strict=False)):
        _map(ax, f"head {head}", table, words, asking, bool(keep[head]))
        ax.set_xticks(range(count), words if head >= len(weights) - columns else no_words)
        ax.tick_params(axis="x", rotation=90)
        ax.set_yticks(range(count), no_words if head % columns else words)
    return grid[0, 0]


def _map(ax: "Axes", name: str, table: torch.Tensor, words: Sequence[str], asking: int, on: bool) -> None:
    from matplotlib.patches import Rectangle

    colors, most = ("cividis", 1) if on else ("Greys", 3)
    ax.imshow(table.numpy(), cmap=colors, vmin=0, vmax=most, aspect="auto")
    ax.add_patch(Rectangle((-0.5, asking - 0.5), len(words), 1, fill=False, edgecolor=plots.PALETTE[1], lw=2))
    for column, value in enumerate(table[asking].tolist()):
        if value >= 0.05:
            ink = "black" if value > 0.47 or not on else "white"  # the better contrast on cividis
            text = f"{value:.1f}".lstrip("0")
            ax.text(column, asking, text.removesuffix(".0"), ha="center", va="center", color=ink, fontsize=8)
    ax.tick_params(length=0, labelsize=9)
    ax.spines[:].set_visible(False)
    ax.set_title(name if on else f"{name} · off")
    best = int(table[asking].argmax())
    said = f"{words[asking]} looks most at {words[best]} ({table[asking, best]:.2f})"
    ax.set_label(f"{name}{'' if on else ', off'}: {said}.")


def _answers(words: Sequence[str], who: torch.Tensor, whom: torch.Tensor) -> str:
    """What the model says at each verb, as HTML, and which words it doesn't know."""
    verbs = [place for place, word in enumerate(words) if word in VERBS]
    cell = "padding:2px 16px 2px 0;text-align:left;background:none;border:none"
    rows = "".join(
        f"<tr style='background:none'><th scope='row' style='{cell}'>{words[place]}</th>"
        f"<td style='{cell}'>who? {_best(who[place])}</td>"
        f"<td style='{cell}'>whom? {_best(whom[place])}</td></tr>"
        for place in verbs
    )
    table = f"<table aria-live='polite' style='border:none;color:inherit;font-size:inherit'>{rows}</table>"
    notes = [] if verbs else [f"There is no verb here that the model knows. It knows {', '.join(VERBS)}."]
    if len(words) > SHOWN:
        notes.append(f"The maps show the first {SHOWN} words; the model reads {LONGEST} at most.")
    strange = sorted({word for word in words if word not in WORDS})
    if strange:
        notes.append(f"The model has never seen {', '.join(strange)}: it treats all such words alike.")
        notes.append(f"Nouns that it knows: {', '.join(NOUNS)}.")
    return (table if verbs else "") + "".join(note(text) for text in notes)


def _best(scores: torch.Tensor) -> str:
    chances = scores.softmax(dim=-1)
    return f"<b>{NOUNS[int(chances.argmax())]}</b> ({100 * chances.max():.0f} %)"

"""Lesson 01's explorers: figures that follow sliders. Each takes the student's own function.

ipywidgets is imported by the first explorer, not before: the grader opens none.
"""

import hashlib
import html
import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from helpers.attention import figures
from helpers.attention.reader import for_a_page, reader
from helpers.attention.writer import BEGINNING, CLOSE, OwnReader, as_printed
from helpers.figures.controls import MOVE, explorer, labelled, tokens_of
from helpers.figures.live import Live, live, shown
from helpers.figures.showing import description, image, note, tried

if TYPE_CHECKING:
    from ipywidgets import VBox
    from matplotlib.axes import Axes

MASKS = ("no mask", "causal: no later word", "hide one word")
LONGEST_SENTENCE = 10  # words: what a heat map shows with its numbers
LONGEST_READ = 16  # words: so many bars have room
FIRST_READ = "the plot that fills the book"
FIRST_SENTENCE = "the cat sat because it was tired"

# Words by kind. A word's vector says which kind it is; words of one kind differ by a small part of their own.
KINDS = {
    "animate": "bird boy cat child dog friend girl i king man queen robot student teacher we woman you",
    "thing": "ball book bread city garden house lesson letter mat milk moon river street table train tree",
    "event": (
        "asleep ate barked began big black bought chased empty fell full happy hungry late likes liked long "
        "lost new old ran read red round sang sat saw slept small soft stopped tall tired walked wants wrote"
    ),
    "pronoun": "he her him his it its she their them they who",
    "function": (
        "a an and as at because but by for from if in into is no not of on or than that the to was were with"
    ),
}
KIND_OF = {word: kind for kind, words in KINDS.items() for word in words.split()}
FEATURES = ("animate", "thing", "event", "pronoun")

# What a word of each kind looks for, set by hand where a model would learn it. Rows and columns are FEATURES.
LOOKS_FOR = torch.tensor([
    [0.0, 0.0, 5.0, 0.0],  # someone looks for what they do
    [0.0, 0.0, 4.0, 0.0],  # a thing, for what happens to it
    [6.0, 3.0, 0.0, 0.0],  # an event, for who or what is in it
    [8.0, 5.0, 0.0, 0.0],  # a pronoun, for what it refers to
])  # fmt: skip


def embed(tokens: list[str]) -> torch.Tensor:
    """A vector for each word, (T, 4), the same on every machine: its kind, and a small part of its own.

    A word that isn't in the vocabulary is a mixture of kinds that its letters decide.
    """
    vectors = []
    for token in tokens:
        digest = hashlib.sha256(token.encode()).digest()
        own = torch.tensor([byte / 255 for byte in digest[: len(FEATURES)]])
        kind = KIND_OF.get(token)
        if kind is None:
            vectors.append(own / own.sum())
        elif kind == "function":
            vectors.append(torch.zeros(len(FEATURES)))  # asks for nothing, and has nothing to say
        else:
            vectors.append(torch.tensor([float(feature == kind) for feature in FEATURES]) + 0.1 * own)
    return torch.stack(vectors)


def reading_explorer() -> Live:
    """Type the beginning of a sentence, and see what the trained reader looks at and how it goes on."""
    data = {"reader": for_a_page(), "sentence": FIRST_READ, "longest": LONGEST_READ}
    ax = _reads(FIRST_READ)
    return live(Path(__file__).with_name("reads.js"), data, image(ax), f"[picture] {description(ax)}")


def _reads(text: str) -> "Axes":
    """What the trained reader looks at after a text, and what it expects next."""
    model = reader()
    reading = model.read(text)
    title = f"from “{reading.words[-1]}” it looks at"
    following = model.most_likely(reading, 5)
    return figures.looks_and_next(reading.words, reading.weights[:, -1], following, title=title)


def writing_explorer(
    readers: Mapping[str, OwnReader], exercise: str = "Exercise 1.5", looks: bool = False
) -> "VBox":
    """Type a beginning, and see how readers with the student's functions in them write on.

    Args:
        readers: by what they are called; one alone needs no name. The first is compared with the trained
            model, and if a function in it isn't right, a note says so; others may differ on purpose.
        exercise: where the functions are written, for the message that asks for them.
        looks: whether to show what the first reader's heads look at before it writes.
    """
    import ipywidgets as w

    beginning = w.Text(BEGINNING, **labelled("beginning"))
    temperature = w.FloatSlider(0.7, min=0.1, max=2, step=0.1, **labelled("temperature"))
    again = w.Button(description="write again", tooltip="draw other words")
    picture, seed = w.HTML(), 0

    def draw(_: object = None) -> None:
        picture.value = tried(lambda: say() + (look() if looks else ""), exercise)

    def say() -> str:
        return _written(readers, beginning.value, temperature.value, seed)

    def look() -> str:
        return _looks(next(iter(readers.values())), beginning.value, temperature.value)

    def draw_again(_: object) -> None:
        nonlocal seed
        seed += 1
        draw()

    for control in (beginning, temperature):
        control.observe(draw, "value")
    again.on_click(draw_again)
    draw()
    data = {
        "reader": for_a_page(),
        "beginning": BEGINNING,
        "sentence": FIRST_READ,
        "longest": LONGEST_SENTENCE,
    }
    module = Path(__file__).with_name("heads.js" if looks else "writes.js")
    controls = w.HBox([beginning, temperature, again], layout={"flex_flow": "row wrap"})
    said, still = tried(say, exercise), image(_reads(BEGINNING)) + MOVE
    above = f"{said}<p>The trained model itself, without your functions:</p>"
    return explorer([controls, picture], still, _in_words(said), module, data, above)


def _written(readers: Mapping[str, OwnReader], beginning: str, temperature: float, seed: int) -> str:
    said = ""
    for name, each in readers.items():
        words, unknown = each.model.known(beginning)
        text = as_printed(" ".join([*words[1:], each.write(beginning, temperature, seed)]))
        said += f"<p>{html.escape(name)}{': ' * bool(name)}<b>{html.escape(text)}</b></p>"
        if each is next(iter(readers.values())) and (gap := each.difference()) > CLOSE:
            said += note(
                f"Its scores differ by up to {gap:.2g} from the trained model's, so a function in it isn't "
                "right yet. What do your checks say?"
            )
    if readers and unknown:
        said += note(f"It has never seen {', '.join(unknown)}: such words are left out.")
    return f"<div aria-live='polite'>{said}</div>"


def _looks(own: OwnReader, beginning: str, temperature: float) -> str:
    ids = own.ids(beginning)[:, : LONGEST_READ + 1]
    scores, weights = own.read(ids)
    words = list(own.model.vocabulary)
    found = (scores[0, -1] / temperature).softmax(dim=-1).topk(5)
    following = {words[number]: float(share) for share, number in zip(*found, strict=True)}
    read = [words[number] for number in ids[0]]
    looks = {f"head {number}": row for number, row in enumerate(weights[0, :, -1].tolist())}
    return shown({"words": read, "looks": looks, "following": following})


def _in_words(page: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", " ", page)).strip()


def entropy_bits(weights: torch.Tensor) -> torch.Tensor:
    """How widely each row of weights spreads, (..., T) -> (...): from 0 for one key to log2(T)."""
    return torch.special.entr(weights).sum(dim=-1) / math.log(2)


def attention_explorer(attention: Callable, exercise: str = "Exercise 1.5") -> "VBox":
    """Type a sentence, move temperature and mask, and see attention weights and their entropy.

    Args:
        attention: the student's `scaled_dot_product_attention(q, k, v, mask)` -> (output, weights).
        exercise: where it is written, for the message that asks for it.
    """
    import ipywidgets as w

    sentence = w.Text(FIRST_SENTENCE, **labelled("sentence"))
    temperature = w.FloatLogSlider(
        1.0, min=-1, max=1, step=0.05, readout_format=".2f", **labelled("temperature")
    )
    mask = w.Dropdown(options=MASKS, **labelled("mask"))
    hidden = w.Dropdown(**labelled("hidden word"))
    picture = w.HTML()

    def now(show: Callable[..., str] = _shown_weights) -> str:
        tokens = tokens_of(sentence.value)
        return _attended(attention, exercise, tokens, temperature.value, mask.value, hidden.value, show)

    def draw(_: object = None) -> None:
        picture.value = now()

    def offer_words(_: object = None) -> None:
        tokens, kept = tokens_of(sentence.value)[:LONGEST_SENTENCE], hidden.value
        hidden.unobserve(draw, "value")  # new words must not draw twice
        hidden.options = [(f"{number}: {token}", number) for number, token in enumerate(tokens)]
        if kept is not None and kept < len(tokens):
            hidden.value = kept
        hidden.observe(draw, "value")
        draw()

    def show_or_hide(_: object = None) -> None:
        hidden.layout.display = None if mask.value == MASKS[2] else "none"

    sentence.observe(offer_words, "value")
    mask.observe(show_or_hide, "value")
    for control in (temperature, mask, hidden):
        control.observe(draw, "value")
    show_or_hide()
    offer_words()
    words = dict(zip(KIND_OF, embed(list(KIND_OF)).tolist(), strict=True))
    data: dict[str, object] = {"words": words, "looksFor": LOOKS_FOR.tolist()}
    data |= {"sentence": FIRST_SENTENCE, "longest": LONGEST_SENTENCE}
    module = Path(__file__).with_name("weights.js")
    children = [sentence, temperature, mask, hidden, picture]
    return explorer(children, now(_drawn_weights) + MOVE, module=module, data=data)


def _shown_weights(weights: torch.Tensor, tokens: list[str], mask: torch.Tensor | None, _: str) -> str:
    hidden = torch.zeros_like(weights, dtype=torch.bool) if mask is None else ~mask
    rows = weights.masked_fill(hidden, math.nan).tolist()  # which becomes null
    return shown({"words": tokens, "weights": rows, "bits": entropy_bits(weights).tolist()})


def _drawn_weights(weights: torch.Tensor, tokens: list[str], mask: torch.Tensor | None, title: str) -> str:
    bits = entropy_bits(weights)
    return image(figures.attention_with_entropy(weights, bits, tokens, mask=mask, title=title))


def _attended(
    attention: Callable,
    exercise: str,
    tokens: list[str],
    temperature: float,
    mask_name: str,
    hidden: int | None,
    show: Callable[..., str],
) -> str:
    if len(tokens) < 2:
        return note("Type a sentence of at least two words.")
    cut = note(f"These are the first {LONGEST_SENTENCE} words.") if len(tokens) > LONGEST_SENTENCE else ""
    tokens = tokens[:LONGEST_SENTENCE]
    if unknown := dict.fromkeys(token for token in tokens if token not in KIND_OF):
        cut += note(
            f"Not in its list of words: {', '.join(unknown)}. Their letters alone decide what they look at, "
            "so that means nothing."
        )
    x, count = embed(tokens), len(tokens)
    mask = _mask(mask_name, count, hidden)

    def draw() -> str:
        _, weights = attention(x @ LOOKS_FOR / temperature, x.clone(), x.clone(), mask)
        weights = weights.detach().reshape(count, count)
        if not weights.isfinite().all():
            raise ValueError("the weights have NaN in them")
        return show(weights, tokens, mask, f"temperature {temperature:.2f} · {mask_name}") + cut

    return tried(draw, exercise)


def _mask(name: str, count: int, hidden: int | None) -> torch.Tensor | None:
    everything = torch.ones(count, count, dtype=torch.bool)
    if name == MASKS[1]:
        return everything.tril()
    if name == MASKS[2]:
        everything[:, min(hidden or 0, count - 1)] = False
        return everything
    return None


LARGEST_D_K, KEYS, QUERIES = 512, 16, 200


def saturation_explorer(saturation: Callable, exercise: str = "Exercise 1.9") -> "VBox":
    """Move d_k, switch the scaling on and off, and see scores spread, a softmax saturate, a gradient vanish.

    Args:
        saturation: the student's `saturation(q, k, scaled)` -> (mean largest weight, mean gradient norm).
        exercise: where it is written, for the message that asks for it.
    """
    import ipywidgets as w

    generator = torch.Generator().manual_seed(0)
    queries = torch.randn(QUERIES, LARGEST_D_K, generator=generator)
    keys = torch.randn(QUERIES, KEYS, LARGEST_D_K, generator=generator)
    powers = [2**power for power in range(LARGEST_D_K.bit_length())]
    size = w.SelectionSlider(options=powers, value=16, **labelled("d_k"))
    scaled = w.Checkbox(False, **labelled("divide by √d_k"))
    picture, numbers = w.HTML(), w.HTML()

    def draw(_: object = None) -> None:
        d_k = size.value
        q, k = queries[:, :d_k], keys[..., :d_k]
        scale = d_k**-0.5 if scaled.value else 1.0
        scores = (q[:, None] * k).sum(dim=-1) * scale
        reach, spread = 3 * LARGEST_D_K**0.5, d_k**0.5 * scale
        picture.value = image(
            figures.saturation(scores, scores[0].softmax(dim=-1), reach=reach, spread=spread)
        )
        numbers.value = _saturation_numbers(saturation, exercise, q, k, scaled.value)

    for control in (size, scaled):
        control.observe(draw, "value")
    draw()
    return explorer([size, scaled, picture, numbers])


def _saturation_numbers(
    saturation: Callable, exercise: str, q: torch.Tensor, k: torch.Tensor, scaled: bool
) -> str:
    def say() -> str:
        largest, gradient = (
            float(torch.as_tensor(x).detach()) for x in saturation(q.clone(), k.clone(), scaled)
        )
        return (
            f"<div aria-live='polite'>Over {QUERIES} queries of {KEYS} keys each, by your function: "
            f"mean largest weight <b>{largest:.2f}</b> · mean gradient norm <b>{gradient:.3f}</b></div>"
        )

    return tried(say, exercise)

"""Explorers of lesson 04: draw a mask and follow it through the layers; write a text word by word.

Each takes the student's own function. ipywidgets is imported by the first explorer, not before.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from helpers.figures.controls import MOVE, explorer, labelled
from helpers.figures.live import shown
from helpers.figures.showing import image, tried
from helpers.masking import figures

if TYPE_CHECKING:
    from ipywidgets import GridBox, ToggleButton, VBox

WORDS = ("the", "cat", "that", "slept", "was", "tired")
MOST_LAYERS = 5
OWN = "your own"


def presets() -> dict[str, torch.Tensor]:
    """Masks to start from, (T, T), by name. True means "may attend"."""
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


def reach_explorer(reach: Callable, exercise: str = "Exercise 4.12") -> "VBox":
    """Draw a mask on a grid of buttons, choose the number of layers, and see who reaches whom.

    Args:
        reach: the student's `reach(mask, layers)` -> boolean (T, T).
        exercise: where it is written, for the message that asks for it.
    """
    import ipywidgets as w

    layers = w.IntSlider(1, min=1, max=MOST_LAYERS, **labelled("layers"))
    places = [(word, place) for place, word in enumerate(WORDS)]
    follow = w.SelectionSlider(options=places, value=len(WORDS) - 1, **labelled("follow"))
    named = presets()
    choice = w.Dropdown(options=[*named, OWN], **labelled("mask"))
    buttons = [[_button(query, key) for key in WORDS] for query in WORDS]
    picture = w.HTML()
    filling = False

    def drawn() -> torch.Tensor:
        return torch.tensor([[button.value for button in row] for row in buttons])

    def draw(_: object = None) -> None:
        def show() -> str:
            found = _table(reach(drawn(), layers.value)).tolist()
            return shown({"words": WORDS, "found": found, "layers": layers.value, "follow": follow.value})

        picture.value = tried(show, exercise)

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
    masks = {name: mask.tolist() for name, mask in named.items()}
    data = {"words": WORDS, "masks": masks, "most": MOST_LAYERS}
    module = Path(__file__).with_name("reaches.js")
    still = _reach_picture(reach, exercise, drawn(), layers.value, follow.value) + MOVE
    return explorer([layers, follow, choice, _grid(buttons), picture], still, module=module, data=data)


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
        return image(figures.reach(mask, tables, WORDS, follow))

    return tried(draw, exercise)


def _table(answer: object) -> torch.Tensor:
    if not isinstance(answer, torch.Tensor) or tuple(answer.shape) != (len(WORDS), len(WORDS)):
        raise ValueError(f"reach should give a tensor ({len(WORDS)}, {len(WORDS)})")
    return answer.detach().bool()


# -- a decoder with a memory -------------------------------------------------------------------------------

TEXT = ("the", "cat", "that", "slept", "was", "tired", "and", "old")


def cache_explorer(step: Callable, exercise: str = "Exercise 4.9a") -> "VBox":
    """Write a text word by word, and see which scores are computed now, with a cache and without.

    Args:
        step: the student's `cached_step(cache, x, W_q, W_k, W_v)` -> (output, cache).
        exercise: where it is written, for the message that asks for it.
    """
    import ipywidgets as w

    words = w.IntSlider(3, min=1, max=len(TEXT), **labelled("words so far"))
    cached = w.Checkbox(True, **labelled("with a cache"))
    picture, numbers = w.HTML(), w.HTML()

    def draw(_: object = None) -> None:
        picture.value = image(figures.cache(TEXT, words.value, cached=cached.value))
        numbers.value = tried(lambda: _cache_numbers(step, words.value), exercise)

    for control in (words, cached):
        control.observe(draw, "value")
    draw()
    return explorer([words, cached, picture, numbers])


def _cache_numbers(step: Callable, count: int) -> str:
    generator = torch.Generator().manual_seed(0)
    x, *weights = (torch.randn(*size, generator=generator) for size in ((count, 4), *3 * [(4, 4)]))
    q, k, v = (x @ W for W in weights)
    full = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    cache, outputs = {"k": x.new_zeros(0, 4), "v": x.new_zeros(0, 4)}, []
    for place in range(count):
        output, cache = step(cache, x[place : place + 1], *weights)
        outputs.append(output)
    gap = float((torch.cat(outputs) - full).detach().abs().max())
    return (
        f"<div aria-live='polite'>By your function: the cache holds <b>{cache['k'].size(0)}</b> keys and "
        f"<b>{cache['v'].size(0)}</b> values, and the outputs differ from those of one full pass by at most "
        f"<b>{gap:.6f}</b>.</div>"
    )

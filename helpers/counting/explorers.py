"""Lesson 07's explorers: where a model's parameters sit, and what its training takes.

No formula for a model is in here: each explorer takes the student's functions.

ipywidgets is imported by the first explorer, not before: the grader opens none.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from helpers.counting.figures import stacked
from helpers.figures.controls import explorer, labelled
from helpers.figures.showing import image, note, tried

if TYPE_CHECKING:
    from ipywidgets import VBox

# -- models that have a name ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Model:
    """A configuration; `kind` says which of the student's functions counts it."""

    kind: str
    vocabulary: int
    d_model: int
    n_heads: int
    times: int  # d_ff is this many times d_model
    n_layers: int
    positions: int  # learned ones, or the longest sequence


KINDS = ("encoder and decoder", "BERT", "GPT-2", "lab classifier")
MODELS = {
    "Transformer-base (2017)": Model(KINDS[0], 37_000, 512, 8, 4, 6, 512),
    "Transformer-big (2017)": Model(KINDS[0], 37_000, 1024, 16, 4, 6, 512),
    "BERT-base (2018)": Model(KINDS[1], 30_522, 768, 12, 4, 12, 512),
    "BERT-large (2018)": Model(KINDS[1], 30_522, 1024, 16, 4, 24, 512),
    "GPT-2 small (2019)": Model(KINDS[2], 50_257, 768, 12, 4, 12, 1024),
    "GPT-2 XL (2019)": Model(KINDS[2], 50_257, 1600, 25, 4, 48, 1024),
    "GPT-3 (2020)": Model(KINDS[2], 50_257, 12_288, 96, 4, 96, 2048),
    "the lab's classifier": Model(KINDS[3], 100, 200, 2, 1, 4, 64),
}
CHOICES = {
    "d_model": (64, 128, 200, 256, 512, 768, 1024, 1280, 1600, 2048, 4096, 8192, 12_288),
    "n_heads": (1, 2, 4, 8, 12, 16, 25, 32, 64, 96),
    "times": (1, 2, 3, 4, 8),
    "n_layers": (1, 2, 4, 6, 8, 12, 24, 36, 48, 96),
    "vocabulary": (100, 1000, 8000, 30_522, 37_000, 50_257, 128_000, 256_000),
    "positions": (64, 128, 512, 1024, 2048, 4096, 8192, 32_768),
}
NAMES = {
    "d_model": "width", "n_heads": "heads", "times": "d_ff, in widths", "n_layers": "layers",
    "vocabulary": "vocabulary", "positions": "positions",
}  # fmt: skip
WIDE = {"style": {"description_width": "130px"}}


@dataclass(frozen=True)
class Functions:
    """The student's functions that the explorers call, by the names of lesson 07."""

    embedding: Callable
    attention: Callable
    feed_forward: Callable
    lab_model: Callable
    transformer: Callable
    bert: Callable
    gpt2: Callable

    def total(self, m: Model) -> int:
        """All parameters of a model."""
        body = (m.vocabulary, m.d_model, m.n_heads)
        d_ff = m.times * m.d_model
        if m.kind == KINDS[0]:
            return self.transformer(*body, d_ff, m.n_layers, True)
        if m.kind == KINDS[1]:
            return self.bert(*body, d_ff, m.n_layers, m.positions, 2)
        if m.kind == KINDS[2]:
            return self.gpt2(*body, m.n_layers, m.positions)
        return self.lab_model(*body, d_ff, m.n_layers, 2)

    def parts(self, m: Model) -> dict[str, int]:
        """A model's parameters by part; the last is what the named parts leave."""
        pairs = m.kind == KINDS[0]
        learned = m.positions if m.kind in KINDS[1:3] else 0
        times = 4 if m.kind == KINDS[2] else m.times
        found = {
            "attention": (3 if pairs else 1) * m.n_layers * self.attention(m.d_model, m.n_heads),
            "feed-forward": (2 if pairs else 1)
            * m.n_layers
            * self.feed_forward(m.d_model, times * m.d_model),
            "embeddings": self.embedding(m.vocabulary, m.d_model, learned),
        }
        return found | {"norms and heads": self.total(m) - sum(found.values())}


def millions(count: float) -> str:
    """`1.01 M`, `124 M`, `175 B`: three digits that say how much."""
    for limit, name in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if count >= limit:
            return f"{float(f'{count / limit:.3g}'):g} {name}"
    return f"{count:g}"


# -- where parameters sit ------------------------------------------------------------------------------------


def size_explorer(functions: Functions, exercises: str = "Exercises 7.1 to 7.12") -> "VBox":
    """Choose a model or make one, and see how many parameters it has and where they sit.

    Args:
        functions: the student's.
        exercises: where they are written, for the message that asks for them.
    """
    import ipywidgets as w

    preset = w.Dropdown(options=list(MODELS), **_wide("start from"))
    kind = w.Dropdown(options=KINDS, **_wide("kind"))
    sliders = {
        key: w.SelectionSlider(options=[(f"{n:,}", n) for n in CHOICES[key]], **_wide(NAMES[key]))
        for key in CHOICES
    }
    picture = w.HTML()
    moving = [False]  # many sliders follow a preset, and one drawing is enough

    def draw(_: object = None) -> None:
        sliders["times"].disabled = kind.value == KINDS[2]  # always 4
        sliders["positions"].disabled = kind.value in (KINDS[0], KINDS[3])  # sines
        if not moving[0]:
            model = Model(kind.value, **{key: slider.value for key, slider in sliders.items()})
            picture.value = _size_picture(functions, exercises, model, MODELS[preset.value], preset.value)

    def start(_: object = None) -> None:
        moving[0] = True
        kind.value = MODELS[preset.value].kind
        for key, slider in sliders.items():
            slider.value = getattr(MODELS[preset.value], key)
        moving[0] = False
        draw()

    preset.observe(start, "value")
    for control in (kind, *sliders.values()):
        control.observe(draw, "value")
    start()
    return explorer([preset, kind, *sliders.values(), picture])


def _wide(name: str) -> dict:
    return labelled(name) | WIDE


def _size_picture(functions: Functions, exercises: str, model: Model, known: Model, name: str) -> str:
    if model.d_model % model.n_heads:
        return note(f"{model.n_heads} heads don't divide a width of {model.d_model}: change one of the two.")

    def draw() -> str:
        mine, total = functions.parts(model), functions.total(model)
        theirs = functions.parts(known)
        bars = {f"yours · {millions(total)}": mine, f"{name} · {millions(functions.total(known))}": theirs}
        title = f"Your model has {total:,} parameters"
        return image(
            stacked(bars, xlabel="share of the parameters, %", unit=millions, title=title, shares=True)
        )

    return tried(draw, exercises)


# -- what training takes -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Card:
    """A GPU by its data sheet: operations per second, in the arithmetic that its label names, and memory."""

    flops: float
    gigabytes: int


CARDS = {
    "GTX 1050 Ti · 2.1 TFLOPS float32, 4 GB": Card(2.14e12, 4),
    "Tesla P100 · 9.5 TFLOPS float32, 16 GB": Card(9.5e12, 16),
    "RTX 4090 · 83 TFLOPS float32, 24 GB": Card(82.6e12, 24),
    "A100 · 312 TFLOPS bfloat16, 80 GB": Card(312e12, 80),
    "H100 · 989 TFLOPS bfloat16, 80 GB": Card(989e12, 80),
}
TOKENS = {"100 million": 1e8, "1 billion": 1e9, "2.5 billion": 2.5e9, "10 billion": 1e10, "100 billion": 1e11,
          "300 billion": 3e11}  # fmt: skip


def training_explorer(
    functions: Functions, state_bytes: Callable, activations: Callable, flops: Callable, days: Callable,
    exercises: str = "the exercises up to 7.16",
) -> "VBox":  # fmt: skip
    """Choose a model, a batch and GPUs, and see the memory of a training step and the days of a training run.

    Args:
        functions: the student's counts.
        state_bytes: the student's `training_state_bytes(n_parameters, optimizer)`.
        activations: the student's `activation_numbers(batch, positions, d_model, n_heads, d_ff, n_layers)`.
        flops: the student's `training_flops_per_token(n_weights, n_layers, positions, d_model)`.
        days: the student's `training_days(flops, n_gpus, peak_flops, utilisation)`.
        exercises: where they are written, for the message that asks for them.
    """
    import ipywidgets as w

    model = w.Dropdown(options=list(MODELS), **_wide("model"))
    batch = w.SelectionSlider(options=[1, 2, 4, 8, 16, 32, 64, 128], value=8, **_wide("sequences per GPU"))
    positions = w.SelectionSlider(
        options=[32, 64, 128, 256, 512, 1024, 2048], value=64, **_wide("tokens in each")
    )
    optimizer = w.Dropdown(options=["adam", "momentum", "sgd"], **_wide("optimizer"))
    card = w.Dropdown(options=list(CARDS), **_wide("GPU"))
    n_gpus = w.SelectionSlider(options=[1, 2, 4, 8, 64, 512, 1024], **_wide("GPUs"))
    share = w.IntSlider(30, min=10, max=70, step=5, **_wide("utilisation, %"))
    tokens = w.Dropdown(options=list(TOKENS), value="2.5 billion", **_wide("tokens in all"))
    picture, numbers = w.HTML(), w.HTML()

    def draw(_: object = None) -> None:
        m, shape = MODELS[model.value], (batch.value, positions.value)
        on = CARDS[card.value]

        def memory() -> str:
            return _memory_picture(functions, state_bytes, activations, m, shape, optimizer.value, on)

        def time() -> str:
            blocks = (3 if m.kind == KINDS[0] else 1) * m.n_layers
            each = flops(functions.total(m), blocks, positions.value, m.d_model)
            took = days(each * TOKENS[tokens.value], n_gpus.value, on.flops, share.value / 100)
            return (
                f"<div aria-live='polite'>{millions(each)} operations per token · "
                f"{each * TOKENS[tokens.value]:.2g} in all · <b>{_days(took)}</b></div>"
            )

        picture.value, numbers.value = tried(memory, exercises), tried(time, exercises)

    controls = [batch, positions, model, optimizer, card, n_gpus, share, tokens]
    for control in controls:
        control.observe(draw, "value")
    draw()
    return explorer([*controls, picture, numbers])


def _memory_picture(
    functions: Functions, state_bytes: Callable, activations: Callable, m: Model, shape: tuple[int, int],
    optimizer: str, card: Card,
) -> str:  # fmt: skip
    layers = m.n_layers * (2 if m.kind == KINDS[0] else 1)
    kept = 4 * activations(*shape, m.d_model, m.n_heads, m.times * m.d_model, layers)
    scores = 0 if m.kind == KINDS[3] else 4 * shape[0] * shape[1] * m.vocabulary
    total = functions.total(m)
    parts = {
        "weights": 4 * total,
        "gradients and optimizer": state_bytes(total, optimizer) - 4 * total,
        "activations": kept,
        "scores of the output": scores,
    }
    gigabytes = {name: count / 1e9 for name, count in parts.items()}
    needed = sum(gigabytes.values())
    fits = "fits into" if needed < card.gigabytes else "is too much for"
    title = f"{needed:,.2f} GB for {shape[0] * shape[1]:,} tokens per step: {fits} {card.gigabytes} GB"
    mark = f"{card.gigabytes} GB", card.gigabytes
    figure = stacked(
        {"memory": gigabytes}, xlabel="GB (10⁹ bytes)", unit="{:,.2f} GB".format, title=title, mark=mark
    )
    return image(figure)


def _days(days: float) -> str:
    if days < 1:
        return f"{24 * days:.1f} hours"
    return f"{days:,.1f} days" if days < 730 else f"{days / 365.25:,.1f} years"

"""A trained language model as one HTML file that runs in any browser, without a network.

The page holds the weights in float32 and a decoder in plain JavaScript (`decoder.js`). It also holds the
probabilities that torch gives for random tokens, and compares them with its own when it is opened. Fewer bits
would let larger models in, but not give torch's probabilities.
"""

import base64
import copy
import html
import json
import re
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import nn

from helpers import corpora, training
from helpers.figures.showing import figure_of, image
from helpers.kept import Whose
from helpers.storage import write_whole
from helpers.training.checkpoints import Found

HERE = Path(__file__).parent
MOST = 2_000_000  # bytes of a page: what mail takes, and a phone opens at once
PANEL = 4.4  # inches: letters on a phone's screen are still large enough to read
LINES = {"training": "on its training texts", "held out": "on texts that it never read"}
LINE = "¶"  # a line break, among letters
OPENS, ANSWERS, ENDS = "<request>", "<answer>", "<end>"  # among the words of a model that answers
# What a model has read, what it guesses, what the text is, and how it may begin.
REVIEWS = {"read": "made-up book reviews", "unit": "word", "text": "review", "opening": "i read this"}
LETTERS = {
    "read": "Shakespeare’s plays letter by letter",
    "unit": "letter",
    "text": "text",
    "opening": "My ",
}
REQUESTS = {
    "read": "made-up book reviews, then requests with their answers,",
    "unit": "word",
    "text": "request and its answer",
    "opening": f"a favourable review of a ghost story by a woman {html.escape(ANSWERS)}",
}
PARTS = ("norm_1", "attention.W_qkv", "attention.W_o", "norm_2", "feed_forward.W_up", "feed_forward.W_down")


def share(
    name: str, model: nn.Module, by: str = "", whose: Sequence[Whose] = (), path: str | Path = "my_model.html"
) -> Path:
    """Write the page of the model that is kept under a name, and say where it is.

    Args:
        name: that the model was kept under, such as "reviews".
        model: of the same kind and sizes: lesson 06's `DecoderOnly` or a `LanguageModel`, over the words of
            the reviews, or the letters or words that it was kept with. It stays as it is.
        by: the name of who trained it, for the page; "" for none.
        whose: whose each part is, as `own.parts` says it; without it, the page goes by the model's classes.
        path: of the page.

    Raises:
        LookupError: no model that fits is kept under that name.
        ValueError: it isn't such a model, or is too large for a page.
    """
    model = copy.deepcopy(model).to("cpu").eval()
    found = training.load(name, model)
    if found is None:
        raise LookupError(f'no model "{name}" of these sizes is kept on this computer: train it first')
    page = _page(model, found, by, whose).encode()
    if len(page) > MOST:
        mega, fits = len(page) / 1e6, _fitting(model, len(page))
        raise ValueError(
            f"the page would have {mega:.1f} MB, but the limit is {MOST / 1e6:.0f}, for mail and phones. "
            f"A model of the same kind fits if its vectors have {fits} numbers at most"
        )
    write_whole(path := Path(path), page)
    print(f"{path}, {len(page) / 1e6:.1f} MB: download it and open it in a browser, or send it to somebody.")
    return path


def _page(model: nn.Module, found: Found, by: str, whose: Sequence[Whose]) -> str:
    sizes, weights = _taken_apart(model)
    words = found.tokens or corpora.vocabulary().words
    if sizes["V"] != len(words):
        raise ValueError(f"the model has {sizes['V']} tokens, but the reviews have {len(words)}")
    says, start, end = _reads(found.tokens)
    shape = (
        "{L} blocks with {H} attention heads each, vectors of {C} numbers, {V} {unit}s, texts of up to {P}."
    )
    example = _example(model, sizes)
    return _filled(
        title=html.escape(f"{by}’s language model" if by else "A language model, trained by a student"),
        weights=f"{weights.numel():,}",
        when=f"{found.when:%Y-%m-%d}",
        learned=_learned(found.curve, says["unit"]),
        **says,
        parts=_table(whose or _classes(model), by or "the student"),
        sizes=shape.format(**sizes, **says),
        # A "<" could end the script.
        model=json.dumps(
            {
                "sizes": sizes,
                "words": words,
                "bos": start,
                "eos": end,
                "letters": says is LETTERS,
                "example": example,
            }
        ).replace("<", "\\u003c"),
        numbers=_base64(weights),
        decoder=(HERE / "decoder.js").read_text(encoding="utf-8"),
    )


def _reads(tokens: Sequence[str]) -> tuple[dict[str, str], int, int | None]:
    """What a page says of a model with these tokens of its own, and the first and last token of its texts."""
    if not tokens:
        return REVIEWS, corpora.BOS, corpora.EOS
    if {OPENS, ANSWERS, ENDS} <= {*tokens}:
        return REQUESTS, tokens.index(OPENS), tokens.index(ENDS)
    if LINE not in tokens or max(map(len, tokens)) > 1:
        raise ValueError("a page reads words of the reviews, or letters: train the model without merges")
    return LETTERS, tokens.index(LINE), None


def _taken_apart(model: nn.Module) -> tuple[dict[str, float], torch.Tensor]:
    """A model's sizes, and its weights in one row, in the order in which `decoder.js` takes them."""
    state = model.state_dict()
    if "head.weight" in state and torch.equal(state["head.weight"], state["words.weight"]):
        del state["head.weight"]  # tied
    for name in [name for name in state if "attention.W_q." in name]:
        packed = [state.pop(name.replace("W_q", f"W_{letter}")) for letter in "qkv"]
        state[name.replace("W_q", "W_qkv")] = torch.cat(packed)
    blocks = list(model.blocks)  # type: ignore[arg-type]  # a ModuleList
    within = [f"blocks.{number}.{part}" for number in range(len(blocks)) for part in PARTS]
    biased = [f"{part}.{end}" for part in (*within, "norm") for end in ("weight", "bias")]
    names = ["words.weight", "positions.weight", *biased]
    if strange := set(names) ^ set(state):
        different = ", ".join(sorted(strange))
        raise ValueError(f"a page runs models like those of lessons 06 and 08: they differ in {different}")
    (V, C), P = state["words.weight"].shape, len(state["positions.weight"])
    sizes = {
        "V": V, "C": C, "P": P, "L": len(blocks), "H": blocks[0].attention.n_heads,
        "F": len(state["blocks.0.feed_forward.W_up.bias"]),
        "eps": getattr(model.norm, "eps", 1e-5), "scale": getattr(model, "scale", C**0.5),
    }  # fmt: skip
    return sizes, torch.cat([state[name].float().flatten() for name in names])


def _example(model: nn.Module, sizes: dict[str, float]) -> dict[str, object]:
    """Random tokens, as many as the model can read, and torch's probabilities after the last."""
    chance = torch.Generator().manual_seed(0)
    ids = torch.randint(int(sizes["V"]), (1, int(sizes["P"])), generator=chance)
    with torch.no_grad():
        probabilities = model(ids)[0, -1].softmax(-1)
    return {"ids": ids[0].tolist(), "probabilities": _base64(probabilities)}


def _base64(numbers: torch.Tensor) -> str:
    return base64.b64encode(numbers.numpy().astype("<f4").tobytes()).decode()


def _filled(**parts: str) -> str:
    """The page with each `{{name}}` replaced, once: what is put in isn't looked through again."""
    template = (HERE / "page.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]], template)


def _fitting(model: nn.Module, size: int) -> int:
    """The widest vectors with which a model like this one fits into a page; `size`: the page's bytes now."""
    sizes, weights = _taken_apart(model)
    rest, heads = size - weights.numel() * 16 / 3, int(sizes["H"])  # four bytes each, in base64

    def numbers(C: int) -> float:
        F = C * sizes["F"] / sizes["C"]
        return (sizes["V"] + sizes["P"] + 2) * C + sizes["L"] * (4 * C * C + 2 * C * F + 9 * C + F)

    return max(
        (C for C in range(heads, int(sizes["C"]), heads) if rest + numbers(C) * 16 / 3 < MOST), default=0
    )


def _learned(curve: dict | None, unit: str) -> str:
    """The loss or the reward when training began and ended, with its curve; "" where no curve is kept."""
    if not curve or not curve["lines"]:
        return ""
    live = training.replayed(curve)
    moved = ", ".join(
        f"{html.escape(LINES.get(name, name))} from {points[0][1]:.2f} to {points[-1][1]:.2f}"
        for name, points in live.lines.items()
        if name not in live.apart
    )
    ax = live.figure()
    figure_of(ax).set_size_inches(PANEL * len(figure_of(ax).axes), 3.2)
    best = live.limits.get("entropy")
    limit = f" The dashed line, {best:.3f}, is the best possible on average." if best else ""
    if live.unit == "reward":
        told = f"{live.steps:,} steps of training on rewards for right answers moved the mean {moved}."
    else:
        told = (
            f"The loss says how much the next {unit} surprises it, on average. In {live.steps:,} steps of "
            f"training, it fell {moved} {html.escape(live.unit)}.{limit}"
        )
    return f"<h2>How it learned</h2>\n<p>{told}</p>\n{image(ax)}"


def _table(whose: Sequence[Whose], by: str) -> str:
    rows = "".join(
        f'<tr><th scope="row">{html.escape(row.what)}</th>'
        f"<td>{html.escape(by if row.yours else 'the course')}</td></tr>"
        for row in whose
    )
    head = '<tr><th scope="col">part</th><th scope="col">written by</th></tr>'
    return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"


def _classes(model: nn.Module) -> list[Whose]:
    """Whose each kind of module is: the student's if it was written in a notebook."""
    kinds = {type(module): None for module in model.modules()}
    own = [kind for kind in kinds if not kind.__module__.startswith("torch.")]
    return [Whose(kind.__name__, kind.__name__, "", kind.__module__ == "__main__") for kind in own]

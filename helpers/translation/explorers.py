"""Lesson 11's explorers, the sentences that it translates, and a way to watch attention at work.

The explorers use what the student has written, and hold no answers.

The first explorer imports ipywidgets and Matplotlib, nothing before it: the grader opens none.
"""

import contextlib
import functools
import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import torch

from helpers import corpora
from helpers.figures.controls import MOVE, explorer, labelled
from helpers.figures.live import shown
from helpers.figures.showing import image, note, tried
from helpers.text.pairs import grammar, orders
from helpers.text.vocabulary import ORDINARY
from helpers.translation import figures, sounds

if TYPE_CHECKING:
    from ipywidgets import VBox
    from tokenizers import Tokenizer

# -- the invented language -----------------------------------------------------------------------------------

PAIRS, HELD_OUT = 12_000, 300
FIRST = "the old king gives the sailor the red lamp ."
SHORT = "do the young sailors love the queen ?"
LONGEST_WORD = 30  # letters: the dictionary's longest has 28
SENTENCES = (
    FIRST,
    "the thief who likes the songs does not sleep in the garden .",
    "yesterday the beautiful girls heard these songs .",
    SHORT,
    "the teacher 's letters were strange .",
    "the merchants sold the women the small boats .",
    "long ago the poor farmer lived near the white tower .",
)


@functools.cache
def vocabulary() -> corpora.Vocabulary:
    """One vocabulary for both languages, as in the paper, section 5.1: the special tokens, then all words."""
    both = {word for side in corpora.pair_vocabularies() for word in side.words[ORDINARY:]}
    return corpora.Vocabulary(sorted(both))


def one_word_away(learned: Sequence[corpora.Pair], held_out: Sequence[corpora.Pair]) -> list[bool]:
    """Whether a sentence differs from one that was learned in a single word."""

    def holes(pair: corpora.Pair) -> list[tuple[str, ...]]:
        words = pair.source.split()
        return [(*words[:gap], "", *words[gap + 1 :]) for gap in range(len(words))]

    known = {hole for pair in learned for hole in holes(pair)}
    return [any(hole in known for hole in holes(pair)) for pair in held_out]


@functools.cache
def pairs() -> tuple[list[corpora.Pair], list[corpora.Pair]]:
    """Pairs to train on and pairs held out; no English sentence is in both."""
    held_out = corpora.pairs(HELD_OUT, seed=999)
    unseen = {pair.source for pair in held_out}
    drawn = corpora.pairs(PAIRS + HELD_OUT, seed=1)
    return [pair for pair in drawn if pair.source not in unseen][:PAIRS], held_out


Batch = tuple[torch.Tensor, torch.Tensor]


def encode(sides: Sequence[Sequence[int]]) -> torch.Tensor:
    """Sentences as one tensor (B, T): their tokens, `<eos>`, then `<pad>` up to the longest."""
    longest = 1 + max(map(len, sides))
    rows = [[*side, corpora.EOS] + [corpora.PAD] * (longest - 1 - len(side)) for side in sides]
    return torch.tensor(rows)


def batches(pairs: Sequence[tuple[Sequence[int], Sequence[int]]], size: int, seed: int) -> Iterator[Batch]:
    """Endless sources and targets, (B, T_s) and (B, T_t), sentences of about the same length together.

    Args:
        pairs: tokens of both sides.
        size: B.
        seed: of the order.
    """
    rng, several = random.Random(seed), 32 * size
    while True:
        order = rng.sample(pairs, len(pairs))
        for start in range(0, len(order), several):
            near = sorted(order[start : start + several], key=lambda pair: len(pair[0]) + len(pair[1]))
            groups = [near[at : at + size] for at in range(0, len(near), size)]
            for group in rng.sample(groups, len(groups)):
                sources, targets = zip(*group, strict=True)
                yield encode(sources), encode(targets)


def numbered(pairs: Sequence[corpora.Pair]) -> list[tuple[list[int], list[int]]]:
    """Both sides of pairs as numbers of `vocabulary()`."""
    return [(vocabulary().encode(pair.source), vocabulary().encode(pair.target)) for pair in pairs]


# What a particle of the other language stands for. `ti` stands for a part, the others for a word.
PARTICLES = {"ka": "?", "ne": "not", "sa": "who", "mi": "my", "pe": "near", "ti": "This", ".": "."}


def true_alignment(text: str) -> list[int] | None:
    """The place of the English word behind each word of the translation; None for no such sentence.

    The grammar that makes both sentences knows it: each word and each particle comes from one English word.
    """
    from helpers.text.grammar import Tree

    tree = grammar().parse(text.split())
    if tree is None:
        return None
    found: list[int] = []

    def places(tree: Tree, start: int) -> list[tuple[str, int, Tree | str]]:
        listed = []
        for part in tree.parts:
            name = re.sub(r"\[.*", "", part.symbol) if isinstance(part, Tree) else part
            listed.append((name, start, part))
            start += len(part.words()) if isinstance(part, Tree) else 1
        return listed

    def walk(tree: Tree, start: int) -> None:
        parts = places(tree, start)
        names = tuple(name for name, _, _ in parts)
        if names not in orders():
            found.append(start)
            return
        at = {name: (place, part) for name, place, part in parts}
        for name in orders()[names]:
            stands_for = name if name in at else PARTICLES[name]
            place, part = at.get(stands_for) or at["?"]  # a question's full stop
            if isinstance(part, Tree) and name in at:
                walk(part, place)
            else:
                found.append(place)

    walk(tree, 0)
    return found


# -- real sentences ------------------------------------------------------------------------------------------


def words_of(text: str) -> str:
    """A real sentence in lower case, with spaces around punctuation."""
    return " ".join(re.findall(r"\w+|[^\w\s]", text.lower()))


def multi30k(size: int = 4_000) -> "tuple[Tokenizer, dict[str, list[tuple[str, str]]]]":
    """German and English captions of pictures, and sub-words learned from both languages together.

    Returns:
        The tokenizer, and "train", "val" and "test": pairs of a German and an English sentence, in lower case
        with spaces around punctuation.

    Source: Elliott et al. 2016.
    """
    parts = {
        part: [(words_of(german), words_of(english)) for english, german in lines]
        for part, lines in corpora.load("multi30k").items()
    }
    return corpora.subwords((text for pair in parts["train"] for text in pair), size), parts


# -- watching ------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def watching(modules: Sequence[torch.nn.Module]) -> Iterator[list[torch.Tensor]]:
    """Collect the attention weights (B, H, T_q, T_k) of `SelfAttention` and `CrossAttention` modules.

    While watched, each call of one of them is asked for its weights, in the order of the calls.
    """
    seen: list[torch.Tensor] = []

    def ask(module: object, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
        return args, kwargs | {"weights": seen}

    handles = [module.register_forward_pre_hook(ask, with_kwargs=True) for module in modules]
    try:
        yield seen
    finally:
        for handle in handles:
            handle.remove()


class Trained(Protocol):
    """A model that knows that it is trained."""

    trained: bool


def finished(model: Trained) -> None:
    """Note that a model is trained."""
    model.trained = True


class Recorder:
    """A step function that remembers its calls and their results: which hypotheses were alive.

    Args:
        step: log-probabilities (n, V) for tokens (n, t).
    """

    def __init__(self, step: Callable[[torch.Tensor], torch.Tensor]) -> None:
        self.step = step
        self.chances: dict[tuple[int, ...], torch.Tensor] = {}

    def __call__(self, tokens: torch.Tensor) -> torch.Tensor:
        """As `step`."""
        log_p = self.step(tokens)
        for row, chances in zip(tokens.tolist(), log_p, strict=True):
            self.chances[tuple(row)] = chances.detach()
        return log_p


# -- explorers -----------------------------------------------------------------------------------------------


def translation_explorer(
    watch: Callable[[str], tuple[Sequence[str], torch.Tensor]], exercise: str = "the trained model"
) -> "VBox":
    """Choose an English sentence, or type one, and see its translation grow, with what each word looks at.

    Args:
        watch: `watch(text)` gives the words written, `<eos>` last, and a layer's cross-attention
            (H, T_t, T_s), one row for each of them and one column for each source word and `<eos>`.
        exercise: what it needs, for the message that asks for it.
    """
    import ipywidgets as w

    step = w.IntSlider(4, min=1, max=14, **labelled("words written"))
    chosen = w.Dropdown(options=SENTENCES, **labelled("sentence"))
    typed = w.Text(FIRST, **labelled("or type one"))
    picture, words = w.HTML(), w.HTML()
    # One sentence on show: a step more needs no new translation.
    watched = functools.lru_cache(1)(functools.partial(_watched, watch))

    def draw(_: object = None) -> None:
        text = " ".join(re.findall(r"'s|\w+|[.?]", typed.value.lower()))
        strange = sorted({word for word in text.split() if word not in vocabulary().ids})
        if strange or not text:
            said = f"Not in the model's vocabulary: {', '.join(strange)}." if strange else "Type a sentence."
            picture.value, words.value = note(said), ""
            return

        def show() -> str:
            found = watched(text)
            step.max = len(found["written"])  # which lowers its value where that is more
            step.disabled = step.max == step.min
            words.value = _lines(text, found["written"], step.value)
            return shown(found | {"shown": step.value})

        words.value = ""
        picture.value = tried(show, exercise)

    def take(_: object = None) -> None:
        typed.value = chosen.value

    chosen.observe(take, "value")
    for control in (step, typed):
        control.observe(draw, "value")
    draw()
    children = [step, chosen, typed, picture, words]
    if not words.value:
        return explorer(children)
    written, weights = watch(FIRST)
    source, truth = FIRST.split(), true_alignment(FIRST)
    first = min(step.value, len(written))  # a model that has hardly been trained may stop at once
    still = image(figures.growing(weights.mean(dim=0), written, source, first, truth))
    data = {"sentences": [_watched(watch, text) for text in SENTENCES], "first": first}
    module = Path(__file__).with_name("alignment.js")
    return explorer(children, still + words.value + MOVE, module=module, data=data)


def _watched(watch: Callable, text: str) -> dict[str, Any]:
    """What alignment.js shows of a sentence, whole."""
    written, weights = watch(text)
    heads = [[[round(each, 5) for each in row] for row in head] for head in weights.tolist()]
    return {"source": text.split(), "written": written, "heads": heads, "truth": true_alignment(text)}


def _lines(text: str, written: Sequence[str], shown: int) -> str:
    right = corpora.translate(text)
    so_far = " ".join(written[:shown])
    lines = [f"written so far: <b>{so_far.replace('<eos>', '&lt;eos&gt;')}</b>"]
    if right is None:
        lines.append("the grammar doesn't know this sentence, so there is no right translation")
    else:
        same = " ".join(written).removesuffix(" <eos>") == right
        lines.append(f"right: <b>{right}</b>")
        if shown == len(written):
            lines.append("the two agree, word for word" if same else "the two differ")
    return f"<div aria-live='polite'>{'<br>'.join(lines)}</div>"


def sounds_explorer(
    watch: Callable[[str], tuple[Sequence[str], torch.Tensor]] | None, exercise: str = "the trained model"
) -> "VBox":
    """Choose a word, or type one, and see the sounds of it, with the letters that each looks at.

    Args:
        watch: `watch(word)` gives the sounds written, `<eos>` last, and a layer's cross-attention
            (H, T_t, T_s), one row for each of them and one column for each letter and `<eos>`. None:
            the dictionary isn't here.
        exercise: what it needs, for the message that asks for it.
    """
    import ipywidgets as w

    chosen = w.Dropdown(options=sounds.WORDS, **labelled("word"))
    typed = w.Text(sounds.WORDS[0], **labelled("or type one"))
    picture = w.HTML()

    def draw(_: object = None) -> None:
        if watch is None:
            picture.value = note(sounds.LEFT_OUT)
            return
        word = typed.value.lower().strip()
        if set(word) - set(sounds.LETTERS) or not 1 <= len(word) <= LONGEST_WORD:
            picture.value = note(f"The model reads 1 to {LONGEST_WORD} letters, a to z, and the apostrophe.")
            return

        def show() -> str:
            written, weights = watch(word)
            return image(figures.spoken(weights.mean(dim=0), written, word)) + sounds.verdict(written, word)

        picture.value = tried(show, exercise)

    def take(_: object = None) -> None:
        typed.value = chosen.value

    chosen.observe(take, "value")
    typed.observe(draw, "value")
    draw()
    return explorer([chosen, typed, picture])


def beam_explorer(
    beam_search: Callable[..., list[tuple[float, list[int]]]],
    step_of: Callable[[str], Callable[[torch.Tensor], torch.Tensor]],
    words: Sequence[str],
    exercise: str = "Exercise 11.12",
) -> "VBox":
    """Move the number of beams and α, and see which beginnings stay alive.

    Args:
        beam_search: the student's `beam_search(step, beams, longest, alpha)`.
        step_of: `step_of(text)` gives the step function for an English sentence.
        words: the word of each token.
        exercise: where it is written, for the message that asks for it.
    """
    import ipywidgets as w

    beams = w.IntSlider(3, min=1, max=5, **labelled("beams"))
    alpha = w.FloatSlider(0.6, min=0, max=2, step=0.2, **labelled("α"))
    chosen = w.Dropdown(options=SENTENCES, value=SHORT, **labelled("sentence"))
    picture = w.HTML()

    def draw(_: object = None) -> None:
        def show() -> str:
            recorder = Recorder(step_of(chosen.value))
            found = beam_search(recorder, beams.value, 14, alpha.value)
            return image(figures.tree(recorder.chances, found, words))

        picture.value = tried(show, exercise)

    for control in (beams, alpha, chosen):
        control.observe(draw, "value")
    draw()
    return explorer([beams, alpha, chosen, picture])

"""Shakespeare's plays as tokens of any size, and what lesson 08 measured with some sizes.

A *word* is what byte-pair encoding stays within: letters and the space before them, one line break, or one
other sign. The space is written ▁ and the line break ¶, so that words with spaces between them are the text.
"""

import functools
import json
import math
import re
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import torch

from helpers import corpora, training
from helpers.figures import plots
from helpers.models.transformer import LanguageModel, LanguageModelConfig
from helpers.training.muon import CombinedOptimizer, Muon, matrices_and_rest

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CONTEXT = 64
SIZES = 128, 4, 4, CONTEXT  # width, heads, layers, positions: nanoGPT's for a CPU
STEPS, BATCH, WARMUP = 2000, 12, 100
PEAK, MATRIX_PEAK = 3e-3, 0.02  # learning rates of AdamW and of Muon
MERGES = (0, 256, 1024)
HELD_OUT = 10  # one of so many parts of the text, the last, is for validation
KEPT = Path(__file__).parent / "tokens.json"
WORD = re.compile(r"▁?\w+|[^\w]")


class Measured(NamedTuple):
    """What a vocabulary came to: its merges, tokens and parameters, and the loss on text never trained on."""

    merges: int
    vocabulary: int
    parameters: int
    characters: float  # a token
    nats: float  # a token
    seconds: float

    @property
    def bits(self) -> float:
        """Bits per character."""
        return self.nats / math.log(2) / self.characters


def words(text: str) -> list[str]:
    """The words of a text, from which it can be put together again."""
    return WORD.findall(text.replace(" ", "▁").replace("\n", "¶"))


def text_of(tokens: Iterable[str]) -> str:
    """The text that tokens make."""
    return "".join(tokens).replace("▁", " ").replace("¶", "\n")


def encoded(text: str, encode: Callable[[str], str]) -> list[str]:
    """A text's tokens.

    Args:
        text: any.
        encode: gives the tokens of a word, with spaces between them. Called once for each different word.
    """
    known = functools.cache(lambda word: encode(word).strip(" ").split(" "))
    return [token for word in words(text) for token in known(word)]


def split(text: str) -> tuple[str, str]:
    """What is trained on, and the last tenth, which isn't."""
    cut = len(text) * (HELD_OUT - 1) // HELD_OUT
    return text[:cut], text[cut:]


def measure(merges: Sequence[int] = MERGES) -> list[Measured]:
    """Train the course's model once for each number of merges: the same steps, sizes and seed."""
    learning, unseen = split(corpora.load("tinyshakespeare"))
    learned = corpora.library_merges([" ".join(words(learning))], max(merges))
    return [_measured(learning, unseen, learned[:count]) for count in merges]


def _measured(learning: str, unseen: str, merges: list[str]) -> Measured:
    from helpers import pretraining  # its __init__ imports this

    def encode(word: str) -> str:
        tokens = f" {' '.join(word)} "
        for pair in merges:
            if f" {pair} " in tokens:
                tokens = _merge(tokens, pair)
        return tokens

    parts = [encoded(text, encode) for text in (learning, unseen)]
    letters = sorted(set("".join(words(learning))))
    numbers = {
        token: number for number, token in enumerate([*letters, *(p.replace(" ", "") for p in merges)])
    }
    ids, new = (torch.tensor([numbers[token] for token in part]) for part in parts)
    torch.manual_seed(0)
    model = LanguageModel(LanguageModelConfig(len(numbers), *SIZES))
    seconds = _learn(model, ids)
    return Measured(
        len(merges),
        len(numbers),
        sum(p.numel() for p in model.parameters()),
        len(unseen) / len(new),
        held_out_loss(model, new, pretraining.loss_of),
        seconds,
    )


@training.on_device
def _learn(model: LanguageModel, ids: torch.Tensor) -> float:
    """Train it on a text's tokens; the seconds that takes."""
    from helpers import pretraining

    matrices, rest = matrices_and_rest(model)
    adam = torch.optim.AdamW(rest, lr=PEAK, betas=(0.9, 0.98), weight_decay=0.05, fused=True)
    optimizer = CombinedOptimizer(Muon(matrices, lr=MATRIX_PEAK), adam)
    spread, steps = training.on_all_cores(pretraining.loss_of), training.steps(STEPS)
    begun = time.perf_counter()
    for step in range(1, steps + 1):
        optimizer.set_rate(pretraining.learning_rate(step, steps, WARMUP, 1.0))
        at = torch.randint(len(ids) - CONTEXT, (BATCH,))
        rows = ids.unfold(0, CONTEXT + 1, 1)[at]
        pretraining.training_step(model, optimizer, spread, (rows[:, :-1], rows[:, 1:]))
    return time.perf_counter() - begun


def held_out_loss(model: torch.nn.Module, ids: torch.Tensor, loss_of: Callable[..., torch.Tensor]) -> float:
    """Nats per token over all windows of a text, which follow each other.

    Args:
        model: of scores for each next token.
        ids: of the text, (N,).
        loss_of: called with the model, inputs (B, T) and targets (B, T): the mean over all targets.
    """
    windows = ids.unfold(0, CONTEXT + 1, CONTEXT)
    with torch.no_grad():
        losses = [float(loss_of(model, part[:, :-1], part[:, 1:])) * len(part) for part in windows.split(100)]
    return sum(losses) / len(windows)


def _merge(tokens: str, pair: str) -> str:
    """Tokens with spaces around each, in which a pair has become one."""
    return re.sub(rf"(?<= ){re.escape(pair)}(?= )", pair.replace(" ", ""), tokens)


def bits_by_merges(runs: Sequence[Measured], yours: tuple[int, float] | None = None) -> "Axes":
    """Bits per character on text never trained on, a bar for each number of merges.

    Args:
        runs: the bars.
        yours: the merges and the bits of the student's own run.
    """
    bits = {"bits per character": [run.bits for run in runs]}
    title = "Shakespeare, on text never trained on"
    ax = plots.bars([f"{run.merges:,} merges" for run in runs], bits, ylabel="bits", title=title)
    if yours:
        merges, found = yours
        known = [run.merges for run in runs]
        place = known.index(merges) if merges in known else sum(count < merges for count in known) - 0.5
        plots.yours(ax, [place + 0.25], [found], f"Yours, {merges:,} merges: {found:.2f} bits")
    return ax


def kept() -> list[Measured]:
    """What was measured with `python -m benchmarks.training_pretraining --tokens`."""
    return [Measured(*row) for row in json.loads(KEPT.read_text())]

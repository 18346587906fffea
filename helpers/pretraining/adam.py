"""Lesson 08's AdamW: the student's step for every parameter, what each piece of it brings, and Muon's move.

The student's function does every step. A piece is taken out by what the function is called with, such as a
step so late that no correction is left.
"""

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import torch
from torch import nn

from helpers import corpora, training
from helpers.block import experiments
from helpers.figures import plots
from helpers.models.transformer import LanguageModel, LanguageModelConfig
from helpers.pretraining import scaling

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Step = Callable[..., Sequence[torch.Tensor]]

BETAS, DECAY = (0.9, 0.999), 0.05
STEPS, BATCH, WIDTH, RATE, SEEDS = 200, 16, 32, 1e-2, (0, 1)
FIRST = 20  # steps whose lengths are shown
LATE = 10**6  # a step at which both corrections are 1
COMMON, RARE = 100, 200  # how many of the most and of the least frequent words
# What the function is called with in place of the usual.
PIECES: dict[str, dict[str, Any]] = {
    "AdamW": {},
    "no correction": {"step": LATE},
    "no correction, β₂ = 0.98": {"step": LATE, "betas": (BETAS[0], 0.98)},
    "L2": {"decay": 0.0, "in_gradient": DECAY},
    "no decay": {"decay": 0.0},
    "no momentum": {"betas": (0.0, BETAS[1])},
}


class ByHand(torch.optim.Optimizer):
    """A student's step of AdamW, with running means for each parameter.

    Args:
        groups: parameters, or dicts of parameters and what their step is called with, such as `lr`.
        adamw: called with a parameter's weight, gradient, running means and the step's number, and with the
            group's settings by name; gives the weight and the running means after the step.
        settings: of all groups: `lr`, `betas`, `eps`, `decay`.
    """

    def __init__(self, groups: Iterable[Any], adamw: Step, **settings: Any) -> None:
        super().__init__(groups, settings)
        self.adamw = adamw

    @overload
    def step(self, closure: None = None) -> None: ...

    @overload
    def step(self, closure: Callable[[], float]) -> float: ...

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:
        """Move each parameter that has a gradient."""
        loss = None if closure is None else closure()
        for group in self.param_groups:
            settings = {name: value for name, value in group.items() if name != "params"}
            for weight in group["params"]:
                if weight.grad is not None:
                    self._move(weight, settings)
        return loss

    def _move(self, weight: torch.Tensor, settings: Mapping[str, Any]) -> None:
        known = self.state[weight]
        if not known:
            known |= {"step": 0, "mean": torch.zeros_like(weight), "square": torch.zeros_like(weight)}
        known["step"] += 1
        given = weight.detach(), weight.grad, known["mean"], known["square"]
        new, known["mean"], known["square"] = self.adamw(*given, **{"step": known["step"], **settings})
        weight.copy_(new)


class Piece(NamedTuple):
    """A run without a piece: how long its first steps were, its loss, and its words' vectors in the end.

    A step's length is the root mean square of what the words' table moved by, over the rate. A vector's
    length is the mean over common words, and over rare ones.
    """

    lengths: list[float]
    loss: float
    common: float
    rare: float


def measure(adamw: Step) -> dict[str, list[Piece]]:
    """Train a small model with AdamW alone, whole and without each piece, with each seed.

    Args:
        adamw: the student's function.

    Raises:
        Stopped: it was interrupted.
    """
    jobs = [(name, seed, _model(seed)) for name in PIECES for seed in SEEDS]

    def run(job: tuple[str, int, LanguageModel]) -> Piece:
        name, seed, model = job
        lengths = _learn(model, adamw, PIECES[name], training.steps(STEPS), seed)
        vectors, order = model.words.weight.detach().norm(dim=1), _by_frequency()
        ends = float(vectors[order[:COMMON]].mean()), float(vectors[order[-RARE:]].mean())
        return Piece(lengths, scaling.held_out(model), *ends)

    found: dict[str, list[Piece]] = {name: [] for name in PIECES}
    for (name, *_), piece in zip(jobs, training.each(run, jobs, "Pieces"), strict=True):
        found[name].append(piece)
    return found


def _model(seed: int) -> LanguageModel:
    torch.manual_seed(seed)
    return LanguageModel(LanguageModelConfig(len(corpora.vocabulary()), WIDTH, 2, 2, 100))


@training.on_device
def _learn(model: LanguageModel, adamw: Step, piece: Mapping[str, Any], steps: int, seed: int) -> list[float]:
    settings: dict[str, Any] = {"betas": BETAS, "decay": DECAY, **piece}
    in_gradient = settings.pop("in_gradient", 0.0)
    optimizer = ByHand(model.parameters(), adamw, lr=RATE, **settings)
    loss_of, lengths = training.beside(experiments.loss_of), []
    for number, (now, then) in enumerate(experiments.batches(steps, BATCH, seed)):
        training.unless_stopped()
        optimizer.param_groups[0]["lr"] = RATE * (1 - number / steps)
        optimizer.zero_grad()
        loss_of(model, now, then).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for weight in model.parameters():
            if in_gradient and weight.grad is not None and weight.dim() > 1:
                weight.grad.add_(weight.detach(), alpha=in_gradient)
        before = model.words.weight.detach().clone()
        optimizer.step()
        moved = (model.words.weight.detach() - before).square().mean().sqrt()
        lengths.append(float(moved) / optimizer.param_groups[0]["lr"])
    return lengths


def _by_frequency() -> torch.Tensor:
    """All words, the most frequent first."""
    words = corpora.vocabulary()
    ids = [token for review in corpora.reviews(2000, seed=3) for token in words.encode(review.text)]
    return torch.bincount(torch.tensor(ids), minlength=len(words)).argsort(descending=True, stable=True)


def pieces(found: Mapping[str, Sequence[Piece]]) -> "Axes":
    """How long the first steps are, the losses, and how long the vectors of common and rare words are."""
    lengths, losses, words = plots.panels(3, width=4.0, height=3.3, ratios=(1, 1.7, 0.9))
    whole, bare = (found[name][0].lengths[:FIRST] for name in ("AdamW", "no correction"))
    steps = range(1, len(whole) + 1)
    plots.lines(
        steps, {"AdamW": whole, "no correction": bare}, xlabel="step", ylabel="length, over the rate",
        title="First steps", ax=lengths,
    )  # fmt: skip
    lengths.set_ylim(bottom=0)
    names = [textwrap.fill(name, 10, break_long_words=False) for name in found]
    by_seed = {f"seed {seed}": [runs[at].loss for runs in found.values()] for at, seed in enumerate(SEEDS)}
    plots.bars(names, by_seed, ylabel="held-out loss, nats per token", title="Loss", ax=losses)
    losses.tick_params(axis="x", labelsize=9)
    losses.set_ylim(top=1.3 * max(map(max, by_seed.values())))
    rows = {name: [found[name][0].common, found[name][0].rare] for name in ("AdamW", "L2", "no decay")}
    labels = [f"{COMMON} common\nwords", f"{RARE} rare\nwords"]
    plots.bars(labels, rows, ylabel="length of a vector", title="Words afterwards", ax=words)
    words.set_ylim(top=1.6 * max(map(max, rows.values())))
    words.legend(frameon=False, fontsize=8.5, loc="upper right")
    return lengths


def directions(gradient: torch.Tensor) -> "Axes":
    """The singular values of a gradient, (m, n), and of what Muon makes of it; not those that are 0."""
    wide = gradient if gradient.size(0) <= gradient.size(1) else gradient.mT
    before = torch.linalg.svdvals(wide / wide.norm())
    after = torch.linalg.svdvals(training.orthogonal(wide[None])[0])
    count = int((before > 1e-6).sum())
    ax = plots.lines(
        range(1, count + 1), {"the gradient": before[:count], "Muon's move": after[:count]},
        xlabel="direction", ylabel="singular value", title="One gradient, and the move", log="y",
    )  # fmt: skip
    for line in ax.lines:
        line.set(marker="", linewidth=2.5)
    ax.legend(frameon=False)
    ax.set_ylim(top=3)
    return ax

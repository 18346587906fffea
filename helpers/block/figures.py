"""Lesson 06's figures: positions that become alike, gradients layer by layer, losses by depth."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from helpers.block.experiments import Learned
from helpers.figures import plots, repeats

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def alike(found: Mapping[str, Sequence[float]]) -> "Axes":
    """How alike positions are behind each layer, for several stacks."""
    layers = list(range(len(next(iter(found.values())))))
    ax = plots.lines(
        layers, found, xlabel="layers", ylabel="mean cosine", title="How alike the ten positions are"
    )
    ax.set_ylim(-0.1, 1.1)
    return ax


def gradients(found: Mapping[str, Sequence[float]]) -> "Axes":
    """The gradient in front of each block, beside that in front of the last."""
    blocks = list(range(1, len(next(iter(found.values()))) + 1))
    ax = plots.lines(
        blocks, found, xlabel="block", ylabel="gradient, last block = 1", log="y",
        title="The gradient that reaches each block",
    )  # fmt: skip
    ax.set_xticks(blocks)
    return ax


def losses(learned: Sequence[Learned], guesses: Mapping[str, float]) -> "Axes":
    """The loss after a short training, by depth and kind: a dot for each seed, a line through the means.

    Args:
        learned: the stacks.
        guesses: by name, losses of guesses that ignore what came before; each is a thin dashed line.
    """
    found: dict[str, dict[float, list[float]]] = {}
    for run in learned:
        found.setdefault(run.kind, {}).setdefault(run.depth, []).append(run.loss)
    ax = repeats.curves(
        found, xlabel="blocks", ylabel="nats per token", joined=False,
        title="Loss after a short training: three seeds, mean and range",
        ax=plots.panels(1, width=6.4, height=3.6)[0],
    )  # fmt: skip
    for name, loss in guesses.items():
        ax.axhline(loss, color=plots.INK, linewidth=1, linestyle=(0, (5, 3)))
        ax.text(min(run.depth for run in learned), loss - 0.09, name, fontsize=9, va="top")
    ax.legend(frameon=False, ncols=2, loc="lower left", handlelength=3)
    ax.set_ylim(bottom=3.0, top=max(guesses.values()) + 0.5)
    said = "; ".join(f"{name}: {loss:.2f}" for name, loss in guesses.items())
    ax.set_label(f"{ax.get_label()} Dashed lines: {said}.")
    return ax

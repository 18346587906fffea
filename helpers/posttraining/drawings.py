"""Lesson 13's drawings: which targets count, and the loop of a training on rewards."""

import itertools
from typing import TYPE_CHECKING

from helpers.figures.drawings import BLUE, FAINT, GREEN, ORANGE, PINK, arrow, box, canvas, label

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def counted() -> "Axes":
    """A request and its answer as one row, and which of its tokens count when they are predicted."""
    ax = canvas(
        600,
        150,
        "The row <request> who wrote it ? <answer> rosa lambert <end> <pad>",
        "The mask is True at rosa, lambert and <end> alone: these count when they are predicted",
        "Each is predicted at the position before it: rosa at <answer>",
    )
    tokens = "<request>", "who", "wrote", "it", "?", "<answer>", "rosa", "lambert", "<end>", "<pad>"
    widths = 80, 40, 48, 28, 28, 76, 42, 60, 52, 52
    x, places = 24.0, []
    for token, width in zip(tokens, widths, strict=True):
        counts = token in tokens[6:9]
        color = ORANGE if counts else PINK if token in ("<request>", "<answer>") else FAINT
        places.append(box(ax, x + width / 2, 90, token, width=width - 3, color=color))
        label(ax, x + width / 2, 124, "1" if counts else "0", bold=counts)
        x += width + 5
    label(ax, 6, 124, "mask", at="left")
    for before, after in itertools.pairwise(places[5:9]):
        start, stop = (before.left + before.right) / 2 + 7, (after.left + after.right) / 2 - 7
        arrow(ax, (start, before.top), (start, 48), (stop, 48), (stop, after.top - 1))
    label(ax, (places[5].left + places[8].right) / 2, 30, "predicted at the position before")
    return ax


def loop() -> "Axes":
    """What happens in a step of training on rewards, with shapes."""
    ax = canvas(
        600,
        250,
        "A step of training on rewards, for R requests with G answers each",
        "The model writes the answers, (R, G); the parser gives each a reward, (R, G)",
        "Each reward minus its group's mean is an advantage, (R, G)",
        "The advantages weight the log-probabilities of the answers' tokens, (R·G, T), which have gradients",
        "The frozen model, which was the model at the start, gives log-probabilities of the same tokens, for "
        "the KL penalty",
    )
    model = box(ax, 70, 60, "model", width=100, color=BLUE)
    answers = box(ax, 240, 60, "answers\n(R, G)", width=100, height=44, color=GREEN)
    rewards = box(ax, 395, 60, "rewards\n(R, G)", width=90, height=44, color=ORANGE)
    better = box(ax, 535, 60, "advantages\n(R, G)", width=104, height=44, color=ORANGE)
    frozen = box(ax, 70, 205, "frozen model", width=110, color=FAINT, dashed=True)
    now = box(ax, 300, 150, "log-probabilities\n(R·G, T)", width=150, height=44, color=BLUE)
    objective = box(ax, 535, 150, "objective", width=104, color=PINK)
    arrow(ax, model.after, answers.before)
    label(ax, 154, 45, "draws")
    arrow(ax, answers.after, rewards.before)
    label(ax, 319, 45, "parser")
    arrow(ax, rewards.after, better.before)
    label(ax, 461, 24, "minus the group's mean")
    arrow(ax, (70, model.bottom), (70, 150), now.before)
    arrow(ax, answers.below, (240, now.top))
    arrow(ax, now.after, objective.before)
    arrow(ax, better.below, objective.above)
    arrow(ax, frozen.after, (535, 205), objective.below)
    label(ax, 300, 222, "log-probabilities of the same tokens: KL penalty")
    return ax

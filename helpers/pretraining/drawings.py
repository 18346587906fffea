"""Lesson 08's drawings: next tokens as targets, and one training step."""

from typing import TYPE_CHECKING

from helpers.figures.drawings import BLUE, FAINT, GREEN, ORANGE, PINK, arrow, box, canvas, label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WORDS = ("<bos>", "it", "is", "good", ".", "<eos>", "<pad>")


def next_token() -> "Axes":
    """A row of tokens, read without its last one, and asked for without its first one."""
    ax = canvas(
        600,
        210,
        f"The tokens {' '.join(WORDS)}, T + 1 of them",
        "The inputs, (B, T), are all but the last; the targets, (B, T), are all but the first",
        "So below each input is the token after it: below <bos> the word it, below it the word is, and so on",
        "The target of <eos> would be <pad>: it is −100, and doesn't count",
    )
    label(ax, 8, 35, "tokens\n(B, T + 1)", at="left")
    label(ax, 8, 105, "inputs\n(B, T)", at="left")
    label(ax, 8, 175, "targets\n(B, T)", at="left")
    places = [118 + 73 * number for number in range(len(WORDS))]
    for x, word in zip(places, WORDS, strict=True):
        box(ax, x, 35, word, width=64)
    for number, x in enumerate(places[:-1]):
        box(ax, x, 105, WORDS[number], width=64, color=BLUE)
        target = WORDS[number + 1]
        padding = target == "<pad>"
        below = box(ax, x, 175, "−100" if padding else target, width=64, color=FAINT if padding else GREEN)
        arrow(ax, (x, 120), below.above)
        if number:
            arrow(ax, (x, 50), (x, 90), dashed=True)
    label(ax, places[-1], 105, "never\nan input")
    return ax


def step() -> "Axes":
    """One training step: forward, loss, backward, update."""
    ax = canvas(
        600,
        190,
        "One training step, as a circle",
        "Inputs, (B, T), go through the model, which has the parameters, and give logits, (B, T, V)",
        "Logits and targets, (B, T), give the loss, one number",
        "From the loss, backward computes the gradients, one number for each parameter; they are clipped",
        "The optimizer moves the parameters by them, and the next batch comes",
    )
    inputs = box(ax, 58, 45, "inputs\n(B, T)", width=84, height=44, color=BLUE)
    model = box(ax, 205, 45, "model:\nparameters", width=100, height=44, color=PINK)
    logits = box(ax, 363, 45, "logits\n(B, T, V)", width=92, height=44, color=BLUE)
    loss = box(ax, 530, 45, "loss\none number", width=100, height=44, color=ORANGE)
    targets = box(ax, 530, 145, "targets\n(B, T)", width=84, height=44, color=GREEN)
    gradients = box(
        ax, 363, 145, "gradients, clipped:\none per parameter", width=136, height=44, color=ORANGE
    )
    optimizer = box(ax, 205, 145, "optimizer\nmoves them", width=100, height=44)
    arrow(ax, inputs.after, model.before)
    arrow(ax, model.after, logits.before)
    arrow(ax, logits.after, loss.before)
    arrow(ax, targets.above, loss.below)
    corner = loss.left + 16
    arrow(ax, (corner, loss.bottom), (corner, 95), (gradients.x, 95), gradients.above, dashed=True)
    arrow(ax, gradients.before, optimizer.after, dashed=True)
    arrow(ax, optimizer.above, model.below, dashed=True)
    label(ax, 428, 84, "backward")
    return ax

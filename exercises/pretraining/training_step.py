"""A training step."""

import torch
from torch import Generator

from exercises.pretraining import shared
from headstart import Case, Entry, pick
from helpers import pretraining

exercise = Entry(
    id="pretraining.training_step",
    title="A training step",
    points=4,
    difficulty=3,
    minutes=10,
    driver="train",
    reference=pretraining.training_step,
    returns=("losses", "parameters afterwards"),
)


@exercise.cases
def step_cases(g: Generator) -> list[Case]:
    """Long gradients, short ones, momentum and decay: one step and two, three batches in one case."""
    B, wide = pick(g, (4, 3), (5, 3), (3, 4), (6, 4))

    def recipe(*settings: float) -> dict:
        shapes = {"W": (wide, 2), "b": (2,), "v": (2,)}
        weights = {name: shared.some(g, *shape) + 0.5 for name, shape in shapes.items()}
        return {"layer": "a curve in training", "weights": [weights, *settings]}

    def batches(count: int, far: float, tensors: int = 2) -> list:
        """Batches for a loss of two tensors, or of three, the last of which are weights."""
        made = []
        for _ in range(count):
            x, rows = shared.some(g, B, wide), (1.5 + torch.rand(B, generator=g) for _ in range(tensors - 1))
            made.append([x, *(far * row for row in rows)])
        return made

    return [
        Case("one step, long gradients", (recipe(0.125), batches(1, 8.0))),
        Case("two steps, long gradients", (recipe(0.125), batches(2, 8.0))),
        Case("two steps, short gradients", (recipe(0.0625), batches(2, 1.0)), {"max_norm": 100.0}),
        Case(
            "three steps with momentum and decay",
            (recipe(0.0625, 0.5, 0.25), batches(3, 4.0)),
            {"max_norm": 2.0},
        ),
        Case("batches of three tensors", (recipe(0.125), batches(2, 2.0, tensors=3)), {"max_norm": 0.5}),
    ]


@exercise.alternative
def step_cleared_late(model, optimizer, loss, batch, max_norm=1.0):
    value = loss(model, *batch)
    optimizer.zero_grad(set_to_none=True)
    value.backward()
    torch.nn.utils.clip_grad_norm_(list(model.parameters()), max_norm=max_norm)
    optimizer.step()
    return value.detach()


@exercise.alternative
def step_clipped_by_hand(model, optimizer, loss, batch, max_norm=1.0):
    for parameter in model.parameters():
        parameter.grad = None
    value = loss(model, *batch)
    value.backward()
    length = torch.sqrt(sum((p.grad**2).sum() for p in model.parameters()))
    if length > max_norm:
        for parameter in model.parameters():
            parameter.grad *= max_norm / length
    optimizer.step()
    return value.item()


exercise.slip("gradients_not_cleared", "    optimizer.zero_grad()\n →").says(
    "The gradients of earlier steps are still there, since backward adds to them: zero_grad comes first."
)
exercise.slip(
    "cleared_before_the_move", "optimizer.step() → optimizer.zero_grad()\n    optimizer.step()"
).says(
    "The gradients are cleared between backward and the optimizer's step, which then finds none: nothing "
    "moves."
)


@exercise.misconception
def not_clipped_in_time(model, optimizer, loss, batch, max_norm=1.0):
    """The optimizer moves by gradients that aren't clipped: clip between backward and step, since before
    there are no gradients yet and afterwards it is too late.
    """
    optimizer.zero_grad()
    value = loss(model, *batch)
    value.backward()
    optimizer.step()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    return value.item()


@exercise.misconception
def moved_by_the_last_batch(model, optimizer, loss, batch, max_norm=1.0):
    """The optimizer's step comes before backward, so that it moves by the gradients of the batch before, and
    the first step by none.
    """
    value = loss(model, *batch)
    optimizer.step()
    optimizer.zero_grad()
    value.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    return value.item()


exercise.slip(
    "clipped_number_by_number", "torch.nn.utils.clip_grad_norm_ → torch.nn.utils.clip_grad_value_"
).says(
    "Each number of the gradients is cut off at max_norm, which turns their direction: clip_grad_norm_ "
    "shortens all of them together."
)
exercise.slip(
    "clipped_one_by_one",
    "torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm) → for parameter in model.parameters():\n"
    "        torch.nn.utils.clip_grad_norm_([parameter], max_norm)",
).says(
    "Each parameter's gradient is clipped by itself, which turns the direction of the whole: all "
    "gradients together count as one vector."
)
exercise.slip(
    "clipped_to_one_always",
    "torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm) → "
    "torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)",
).says("The gradients are clipped at 1 whatever max_norm is: pass it on.")
exercise.slip(
    "stretched_too",
    "torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm) → length = "
    "math.sqrt(sum(float(p.grad.square().sum()) for p in model.parameters()))\n"
    "    for parameter in model.parameters():\n"
    "        parameter.grad.mul_(max_norm / length)",
).says("Short gradients are stretched to max_norm as well: clipping leaves short ones as they are.")
exercise.slip("graph_returned", "value.item() → value").says(
    "The loss comes back with its graph, so that a list of losses would keep every batch's activations in "
    "memory: `.item()` makes a plain number of it."
)
exercise.slip("loss_after_the_step", "value.item() → loss(model, *batch).item()").says(
    "The loss is computed once more after the step: a second forward pass for a number that you already had."
)
exercise.slip("stepped_twice", "return value.item() → optimizer.step()\n    return value.item()").says(
    "The optimizer moves twice for one batch."
)

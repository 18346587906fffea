"""Two learning rates."""

import torch
from torch import Generator

from exercises.finetuning import shared
from headstart import Case, Entry
from helpers import finetuning

exercise = Entry(
    id="finetuning.groups",
    title="Two learning rates",
    points=3,
    difficulty=3,
    minutes=8,
    driver="prepare",
    reference=finetuning.parameter_groups,
    returns=("parameters",),
)


@exercise.cases
def groups_cases(g: Generator) -> list[Case]:
    """Two rates; a frozen body; one frozen part; a frozen head."""
    name = "a classifier and its groups"
    return [
        Case("all of it trains", (shared.recipe(name, g), *_rates(g))),
        Case("the body is frozen", (shared.recipe(name, g, "body"), *_rates(g))),
        Case("the embedding is frozen", (shared.recipe(name, g, "body.words"), *_rates(g))),
        Case("the head is frozen", (shared.recipe(name, g, "head"), *_rates(g))),
    ]


def _rates(g: Generator) -> tuple[float, float]:
    a, b = (1 + torch.randperm(8, generator=g)[:2]).tolist()
    return a / 10_000, b / 1_000


@exercise.alternative
def groups_by_name(model, body_rate, head_rate):
    body, head = [], []
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            (head if name.startswith("head.") else body).append(parameter)
    groups = []
    if body:
        groups.append({"params": body, "lr": body_rate})
    if head:
        groups.append({"params": head, "lr": head_rate})
    return groups


@exercise.alternative
def groups_one_each(model, body_rate, head_rate):
    groups = [{"params": [p], "lr": body_rate} for p in model.body.parameters() if p.requires_grad]
    return groups + [{"params": [p], "lr": head_rate} for p in model.head.parameters() if p.requires_grad]


exercise.slip(
    "rates_swapped",
    "parts: list[tuple[nn.Module, float]] = [(model.body, body_rate), (model.head, head_rate)] → parts = "
    "[(model.body, head_rate), (model.head, body_rate)]",
).says("The rates are swapped: the body, which knows something already, gets the head's rate.")


@exercise.misconception
def head_twice(model, body_rate, head_rate):
    """The head is in both groups, since `model.parameters()` has all of the model: torch refuses that,
    because no parameter can have two rates.
    """
    groups = [
        {"params": [w for w in model.parameters() if w.requires_grad], "lr": body_rate},
        {"params": [w for w in model.head.parameters() if w.requires_grad], "lr": head_rate},
    ]
    return [group for group in groups if group["params"]]


exercise.slip(
    "one_rate",
    '[group for group in groups if group["params"]] → [{"params": [w for w in model.parameters() if '
    'w.requires_grad], "lr": body_rate}]',
).says("The head gets the body's rate: it begins from nothing and needs its own.")
exercise.slip(
    "frozen_included",
    '[group for group in groups if group["params"]] → [\n'
    '        {"params": list(model.body.parameters()), "lr": body_rate},\n'
    '        {"params": list(model.head.parameters()), "lr": head_rate},\n'
    "    ]",
).says(
    "Frozen parameters are in the groups: the optimizer skips them as long as they have no gradient, "
    "but they don't belong there."
)


@exercise.misconception
def rate_misspelt(model, body_rate, head_rate):
    """The key for the rate is "lr": torch silently accepts any other name, and trains with the
    optimizer's own rate.
    """
    parts = [(model.body, body_rate), (model.head, head_rate)]
    groups = [
        {"params": [w for w in p.parameters() if w.requires_grad], "learning_rate": rate} for p, rate in parts
    ]
    return [group for group in groups if group["params"]]


@exercise.misconception
def key_misspelt_and_frozen(model, body_rate, head_rate):
    """The key for the rate is "lr", since torch silently accepts any other name and trains with the
    optimizer's own rate; and frozen parameters belong in no group.
    """
    return [
        {"params": list(model.body.parameters()), "rate": body_rate},
        {"params": list(model.head.parameters()), "rate": head_rate},
    ]


@exercise.misconception
def head_twice_and_frozen(model, body_rate, head_rate):
    """`model.parameters()` has all of the model, so the head is in both groups: take the body's alone, and
    leave out what is frozen.
    """
    return [
        {"params": list(model.parameters()), "lr": body_rate},
        {"params": list(model.head.parameters()), "lr": head_rate},
    ]


@exercise.misconception
def head_forgotten(model, body_rate, head_rate):
    """The head is in no group, so it never moves from its random start."""
    weights = [w for w in model.body.parameters() if w.requires_grad]
    return [{"params": weights, "lr": body_rate}] if weights else []


exercise.slip(
    "empty_group_kept",
    '[group for group in groups if group["params"]] → [{"params": [w for w in p.parameters() if '
    'w.requires_grad], "lr": rate} for p, rate in parts]',
).says(
    "A part that is frozen as a whole gets a group without parameters: leave such a group out, since "
    "nothing in it trains."
)

"""Freezing."""

from torch import Generator

from exercises.finetuning import shared
from headstart import Case, Entry
from helpers import finetuning

exercise = Entry(
    id="finetuning.freeze",
    title="Freezing",
    points=2,
    difficulty=1,
    minutes=4,
    driver="prepare",
    reference=finetuning.freeze,
    returns=("parameters",),
)


@exercise.cases
def freeze_cases(g: Generator) -> list[Case]:
    """Models of several sizes."""
    return [Case(title, (shared.recipe("a classifier to freeze", g),)) for title in ("a model", "another")]


@exercise.alternative
def freeze_by_loop(model):
    for parameter in model.body.parameters():
        parameter.requires_grad = False


@exercise.alternative
def freeze_by_name(model):
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(name.startswith("head"))


exercise.slip("evaluation_mode", "model.body.requires_grad_(False) → model.body.eval()").says(
    "Nothing is frozen: set `requires_grad` to False for each parameter of the body, since `eval()` "
    "freezes nothing and `model.body.requires_grad = False` only gives the module a new attribute."
)
exercise.slip(
    "head_frozen_too",
    "model.body.requires_grad_(False) → for parameter in model.parameters():\n"
    "        parameter.requires_grad_(False)",
).says("The head is frozen as well, so nothing is left to train: only the body should stay as it is.")
exercise.slip(
    "head_instead",
    "model.body.requires_grad_(False) → for parameter in model.head.parameters():\n"
    "        parameter.requires_grad_(False)",
).says("The head is frozen and the body trains: it should be the body that is frozen.")
exercise.slip("head_in_the_name", 'name.startswith("head") → "head" in name', of=freeze_by_name).says(
    "All parameters with `head` somewhere in their names still train, and one of the body is among them: the "
    "head's names begin with it."
)
exercise.slip("only_one_layer", "model.body → model.body.words").says(
    "Only the embedding is frozen: the body has more parameters than its first layer."
)
exercise.slip(
    "weights_without_biases",
    "model.body.requires_grad_(False) → for name, parameter in model.body.named_parameters():\n"
    '        if name.endswith("weight"):\n'
    "            parameter.requires_grad_(False)",
).says(
    "Only parameters called weight are frozen, and the biases still train: all parameters of the body "
    "should stay as they are."
)

"""How many numbers train."""

import math

from torch import Generator

from exercises.finetuning import shared
from headstart import Case, Entry
from helpers import finetuning

exercise = Entry(
    id="finetuning.trainable",
    title="How many numbers train",
    points=1,
    difficulty=1,
    minutes=3,
    driver="call_with_layer",
    reference=finetuning.trainable,
    returns=("numbers",),
)


@exercise.cases
def trainable_cases(g: Generator) -> list[Case]:
    """All of it trains, the head alone, the body alone, all but the words; a matrix in two layers."""
    name = "a small classifier"
    return [
        Case("all of it trains", (shared.recipe(name, g),)),
        Case("the body is frozen", (shared.recipe(name, g, "body"),)),
        Case("the head is frozen", (shared.recipe(name, g, "head"),)),
        Case("the embedding is frozen", (shared.recipe(name, g, "body.words"),)),
        Case("two layers share a matrix", (shared.recipe(f"{name} with a shared matrix", g),)),
    ]


@exercise.alternative
def trainable_by_loop(model):
    total = 0
    for parameter in model.parameters():
        if parameter.requires_grad:
            total += math.prod(parameter.shape)
    return total


@exercise.alternative
def trainable_by_difference(model):
    everything = sum(p.numel() for p in model.parameters())
    frozen = sum(p.numel() for p in model.parameters() if not p.requires_grad)
    return everything - frozen


exercise.slip("counts_everything", " if parameter.requires_grad →").says(
    "This counts all parameters, frozen ones too: ask each for its `requires_grad`."
)
exercise.slip(
    "counts_shared_twice",
    "for parameter in model.parameters() if parameter.requires_grad → for module in model.modules() "
    "for parameter in module.parameters(recurse=False) if parameter.requires_grad",
).says("A matrix that two layers share is counted once for each of them: `model.parameters()` has it once.")
exercise.slip("counts_tensors", "parameter.numel() → 1").says(
    "This counts tensors: a parameter of 4 × 3 is 12 numbers, `numel()` of them."
)
exercise.slip("counts_the_frozen", "if parameter → if not parameter").says(
    "This counts the frozen ones: `requires_grad` is True where training may change something."
)
exercise.slip(
    "counts_the_head",
    "return total → return sum(parameter.numel() for parameter in model.head.parameters())",
    of=trainable_by_loop,
).says("This counts the head whatever is frozen: ask each parameter, since the body may train as well.")
exercise.slip(
    "counts_gradients",
    "return total → return sum(p.numel() for p in model.parameters() if p.grad is not None)",
    of=trainable_by_loop,
).says(
    "This counts parameters that have a gradient already, and before the first backward pass none has "
    "one: ask for `requires_grad`."
)
exercise.slip("counts_rows", "parameter.numel() → len(parameter)").says(
    "This counts rows: a parameter of 4 × 3 is 12 numbers, `numel()` of them."
)

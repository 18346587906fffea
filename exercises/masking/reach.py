"""Several layers."""

import torch
from torch import Generator

from headstart import Case, Entry, inputs_unchanged, pick
from helpers import masking

exercise = Entry(
    id="masking.reach",
    title="Several layers",
    points=3,
    difficulty=3,
    minutes=8,
    reference=masking.reach,
    returns=("table",),
    properties=(inputs_unchanged,),
    square="a mask of self-attention is T × T; a chain isn't its own transpose",
)


@exercise.cases
def reach_cases(g: Generator) -> list[Case]:
    """Chains, in which each layer carries one step further, among other masks."""
    T = pick(g, 6, 8, 9)
    chain = torch.zeros(T, T, dtype=torch.bool)
    order = torch.randperm(T, generator=g)
    chain[order[1:], order[:-1]] = True  # each sees the one before it in some order, and not itself
    T = pick(g, 5, 4, 8)
    sparse = torch.zeros(T, T, dtype=torch.bool)
    ring = torch.randperm(T, generator=g)
    sparse[ring, ring.roll(1)] = True
    sparse[ring[0], ring[2]] = True
    T = pick(g, 7, 8, 9)
    window = torch.ones(T, T, dtype=torch.bool).tril().triu(-1)
    return [
        Case("one layer", (chain, 1)),
        Case("two layers", (chain, 2)),
        Case("three layers, a window of two", (window, 3)),
        Case("four layers", (chain, 4)),
        Case("no layer", (sparse, 0)),
        Case("two layers, a ring with a short cut", (sparse, 2)),
        Case("one position", (torch.zeros(1, 1, dtype=torch.bool), pick(g, 2, 1, 3))),
    ]


@exercise.alternative
def as_a_power(mask, layers):
    step = (mask | torch.eye(mask.shape[0]).bool()).double()
    return torch.linalg.matrix_power(step, layers) > 0


@exercise.alternative
def from_neighbour_to_neighbour(mask, layers):
    T = len(mask)
    reached = [{i} for i in range(T)]
    for _ in range(layers):
        reached = [set().union(reached[i], *(reached[j] for j in range(T) if mask[i, j])) for i in range(T)]
    return torch.tensor([[j in reached[i] for j in range(T)] for i in range(T)])


@exercise.alternative
def kept_and_added(mask, layers):
    reached = torch.eye(mask.size(0), dtype=torch.bool)
    for _ in range(layers):
        reached = reached | (mask.int() @ reached.int()).bool()
    return reached


exercise.slip(
    "nothing_kept",
    "itself = torch.eye(mask.size(-1), dtype=torch.bool) → reached = torch.eye(len(mask))",
    "    step, reached = (mask | itself).double(), itself.double()\n →",
    "(step @ reached > 0).double() → (mask.float() @ reached > 0).float()",
).says(
    "A position forgets what it had unless it attends to itself: a layer adds to what is there, so each "
    "position reaches itself too, which is mask | eye."
)
exercise.slip(
    "mask_of_one_layer",
    "reached.bool() → (mask | torch.eye(len(mask), dtype=torch.bool)) ** max(layers, 1) > 0",
).says(
    "However many layers there are, this is what one of them reaches: * or ** on the elements of a mask "
    "changes nothing, and it takes the matrix product @ to go one step further."
)
exercise.slip(
    "one_layer_more",
    "torch.linalg.matrix_power(step, layers) → torch.linalg.matrix_power(step, layers + 1)",
    of=as_a_power,
).says(
    "This is one layer too many: with no layer a position has itself alone, and each layer makes one step."
)
exercise.slip(
    "number_of_ways",
    "torch.linalg.matrix_power(step, layers) > 0 → torch.linalg.matrix_power(step, layers)",
    of=as_a_power,
).says(
    "These are the numbers of paths from one position to another: the exercise asks for yes or no, True "
    "where there is a path."
)
exercise.slip(
    "who_is_reached",
    "torch.linalg.matrix_power(step, layers) > 0 → (torch.linalg.matrix_power(step, layers) > 0).T",
    of=as_a_power,
).says("Rows and columns are swapped: entry [i, j] says whether position i can have something of input j.")
exercise.slip(
    "both_ways",
    "mask | torch.eye(mask.shape[0]).bool() → (mask | mask.T) | torch.eye(mask.shape[0]).bool()",
    of=as_a_power,
).says("Each path is followed in both directions: if i may attend to j, j may still not attend to i.")


@exercise.misconception
def last_layer_alone(mask, layers):
    """Only what takes exactly as many steps as there are layers is True: what arrived in an earlier layer
    is still there, since a layer adds to what a position has.
    """
    reached = torch.eye(len(mask))
    seen = reached.bool()
    for _ in range(layers):
        reached = ((mask.float() @ reached > 0) & ~seen).float()
        seen = seen | reached.bool()
    return reached.bool()


exercise.slip(
    "one_layer_at_least",
    "return torch.linalg.matrix_power(step, layers) > 0 → reached = step\n"
    "    for _ in range(layers - 1):\n"
    "        reached = step @ reached\n"
    "    return reached > 0",
    of=as_a_power,
).says("For 0 layers this gives what one layer reaches: begin with the identity, and make a step per layer.")


@exercise.misconception
def doubled_with_each_layer(mask, layers):
    """What is reached is multiplied by itself, which doubles the number of steps each time: a layer makes one
    step more.
    """
    reached = (mask | torch.eye(len(mask), dtype=torch.bool)).float()
    if layers == 0:
        return torch.eye(len(mask), dtype=torch.bool)
    for _ in range(layers - 1):
        reached = (reached @ reached > 0).float()
    return reached > 0


exercise.slip(
    "each_entry_to_a_power", "torch.linalg.matrix_power(step, layers) → step**layers", of=as_a_power
).says("`**` takes the power of each entry by itself, and 1 stays 1: a layer is a matrix product, `@`.")


@exercise.misconception
def itself_added_at_the_end(mask, layers):
    """The position itself is added after the last layer only: each layer keeps what was there before it, so
    the identity belongs to every step.
    """
    itself = torch.eye(len(mask), dtype=torch.bool)
    return (torch.linalg.matrix_power(mask.double(), layers) > 0) | itself


@exercise.misconception
def until_nothing_is_new(mask, layers):
    """This goes on until nothing new can be reached: each layer is one step, and `layers` says how many there
    are.
    """
    reached = torch.eye(len(mask), dtype=torch.bool)
    for _ in range(len(mask)):
        reached = reached | (mask.double() @ reached.double() > 0)
    return reached

"""Head importance."""

import torch
from torch import Generator, Tensor

from exercises.multihead import shared
from headstart import Case, Entry, pick
from helpers import multihead

exercise = Entry(
    id="multihead.head_importance",
    title="Head importance",
    points=2,
    difficulty=3,
    minutes=8,
    driver="call_with_layer",
    reference=multihead.head_importance,
    returns=("importance",),
)


@exercise.cases
def importance_cases(g: Generator) -> list[Case]:
    """Heads that are needed, that do nothing, that do harm and that double for each other."""
    several = shared.normal(g, pick(g, 3, 2, 4, 6, 7), 5)
    useful = pick(g, 2, 1, 4, 5)
    idle = torch.cat([shared.normal(g, useful, 4), torch.zeros(1, 4)])
    idle = idle[torch.randperm(useful + 1, generator=g)]
    harm = torch.cat([shared.normal(g, pick(g, 2, 1, 3, 5), 5), 0.5 * shared.normal(g, 1, 5)])
    twins = shared.normal(g, 1, 6).repeat(2, 1) / 2
    both = torch.cat([twins, shared.normal(g, pick(g, 2, 1, 3, 5), 6)])

    def case(title: str, parts: Tensor, target: Tensor) -> Case:
        return Case(title, ({"layer": "the loss with some heads", "weights": [parts, target]}, len(parts)))

    return [
        case("several heads", several, several.sum(0) + 0.3 * shared.normal(g, 5)),
        case("a head that does nothing", idle, idle.sum(0) + 0.2 * shared.normal(g, 4)),
        case("a head that does harm", harm, harm[:-1].sum(0) - 0.2 * harm[-1]),
        case("two heads alike, among others", both, both.sum(0) + 0.1 * shared.normal(g, 6)),
        case("one head", both[-1:], both[-1] + 0.1 * shared.normal(g, 6)),
    ]


@exercise.alternative
def with_an_identity_matrix(loss_with, n_heads):
    complete = loss_with(torch.full((n_heads,), True))
    rows = ~torch.eye(n_heads, dtype=torch.bool)
    return torch.stack([loss_with(row) - complete for row in rows])


@exercise.alternative
def as_plain_numbers(loss_with, n_heads):
    keep = torch.ones(n_heads).bool()
    complete, growth = float(loss_with(keep)), torch.zeros(n_heads)
    for head in range(n_heads):
        keep[head] = False
        growth[head] = float(loss_with(keep)) - complete
        keep[head] = True
    return growth


exercise.slip(
    "this_head_alone",
    "torch.stack(losses) - complete → torch.stack([loss_with(torch.arange(n_heads) == head) - complete "
    "for head in range(n_heads)])",
).says(
    "Only one head is on at a time, which asks what a head can do alone: keep all others on, and see how "
    "much one is missed."
)
exercise.slip(
    "losses_themselves",
    "torch.stack(losses) - complete → torch.stack([loss_with(torch.arange(n_heads) != head) for head in "
    "range(n_heads)])",
).says("These are the losses themselves: subtract the loss with all heads on, so that 0 means “not missed”.")
exercise.slip(
    "sign_turned",
    "torch.stack(losses) - complete → torch.stack([complete - loss_with(torch.arange(n_heads) != head) "
    "for head in range(n_heads)])",
).says("The sign is reversed: a head that is missed makes the loss grow, and its importance is above 0.")
exercise.slip(
    "without_sign",
    "~torch.eye(n_heads, dtype=torch.bool) → torch.stack([loss_with(torch.arange(n_heads) != head) for "
    "head in range(n_heads)])",
    "torch.stack([loss_with(row) - complete for row in rows]) → (rows - complete).abs()",
    of=with_an_identity_matrix,
).says("The sign is lost: a head that does harm has an importance below 0, and looks important here.")
exercise.slip(
    "as_shares",
    "~torch.eye(n_heads, dtype=torch.bool) → torch.stack([loss_with(torch.arange(n_heads) != head) for "
    "head in range(n_heads)])",
    "torch.stack([loss_with(row) - complete for row in rows]) → (rows - complete) / (rows - complete).sum()",
    of=with_an_identity_matrix,
).says(
    "The increases are divided by their sum, which makes shares of them: return them as they are, in the "
    "units of the loss."
)
exercise.slip(
    "never_on_again",
    "everybody = torch.ones(n_heads, dtype=torch.bool) → keep = torch.ones(n_heads, dtype=torch.bool)",
    "complete = loss_with(everybody) → complete, losses = loss_with(keep), []",
    "        keep = everybody.clone()\n →",
).says(
    "The heads aren't switched on again, so that in the end all are off: each loss should lack only one head."
)
exercise.slip(
    "against_none",
    "rows = ~torch.eye(n_heads, dtype=torch.bool) → empty = loss_with(torch.zeros(n_heads, "
    "dtype=torch.bool))",
    "[loss_with(row) - complete for row in rows] → [empty - loss_with(torch.arange(n_heads) == head) for "
    "head in range(n_heads)]",
    of=with_an_identity_matrix,
).says(
    "The losses are compared with the loss of no heads at all: the question is what one head adds to all "
    "the others."
)
exercise.slip(
    "as_ratio",
    "torch.stack(losses) - complete → torch.stack([loss_with(torch.arange(n_heads) != head) / complete "
    "for head in range(n_heads)])",
).says("These are ratios of two losses: take the difference, which is 0 for a head that isn't missed.")
exercise.slip(
    "no_head_off", ".clone() →", "loss_with(keep) → loss_with(keep) - loss_with(everybody)", " - complete →"
).says(
    "Every importance is 0, as if both losses were taken with the same heads on: `off = on` is a second "
    "name for the same tensor, but `on.clone()` is a tensor of its own."
)

exercise.slip(
    "cut_off_at_zero", "torch.stack(losses) - complete → (torch.stack(losses) - complete).clamp(min=0)"
).says(
    "An importance below 0 becomes 0 here: it says that the model is better off without the head, so keep it."
)

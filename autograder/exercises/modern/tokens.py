"""Tokens per call."""

import torch
from torch import Generator

from autograder.entry import Entry
from helpers import modern
from helpers.checking.calling.drivers import Case

exercise = Entry(
    id="modern.tokens",
    title="Tokens per call",
    points=1,
    difficulty=2,
    minutes=5,
    reference=modern.tokens_per_call,
    returns=("tokens",),
)


@exercise.cases
def tokens_cases(g: Generator) -> list[Case]:
    """A few shares, drafts that are always kept, and never."""
    share = round(0.3 + 0.6 * float(torch.rand((), generator=g)), 3)
    K = 2 + int(torch.randint(12, (), generator=g))
    return [
        Case("four drafted, four of five kept", (0.8, 4)),
        Case("another share", (share, K)),
        Case("always kept", (1.0, K)),
        Case("never kept", (0.0, 3)),
        Case("one drafted", (share, 1)),
        Case("none drafted", (share, 0)),
    ]


@exercise.alternative
def tokens_by_formula(share, drafted):
    if share == 1:
        return drafted + 1
    return (1 - share ** (drafted + 1)) / (1 - share)


@exercise.alternative
def tokens_in_a_loop(share, drafted):
    total = probability = 1.0
    for _ in range(drafted):
        probability *= share
        total += probability
    return total


exercise.slip(
    "own_token_forgotten",
    "math.fsum(share**kept for kept in range(drafted + 1)) → sum(share**kept for kept in range(1, drafted "
    "+ 1))",
).says(
    "The token that the large model adds itself is missing: each call brings one, whatever becomes of the "
    "draft."
)
exercise.slip(
    "each_on_its_own", "math.fsum(share**kept for kept in range(drafted + 1)) → 1 + share * drafted"
).says(
    "This counts each draft by itself: a token stays only if all before it have stayed, so the "
    "probabilities are powers."
)
exercise.slip(
    "one_draft_less",
    "math.fsum(share**kept for kept in range(drafted + 1)) → float(sum(share**kept for kept in "
    "range(drafted)))",
).says("The last draft is left out: the sum goes up to share^K.")
exercise.slip(
    "closed_one_draft_less",
    "math.fsum(share**kept for kept in range(drafted + 1)) → drafted + 1 if share == 1 else (1 - "
    "share**drafted) / (1 - share)",
).says("In the closed formula the exponent is K + 1: with K the last draft is left out.")
exercise.slip(
    "one_draft_more",
    "math.fsum(share**kept for kept in range(drafted + 1)) → sum(share**kept for kept in range(drafted + 2))",
).says(
    "This goes one power too far: K drafts can be kept, and the one that follows them is the large model's."
)
exercise.slip(
    "divided_by_nothing",
    "math.fsum(share**kept for kept in range(drafted + 1)) → (1 - share ** (drafted + 1)) / (1 - share)",
).says("The closed formula divides by 1 - share, which is 0 where every draft is kept.")
exercise.slip(
    "all_kept_alone", "math.fsum(share**kept for kept in range(drafted + 1)) → 1 + drafted * share**drafted"
).says("This asks only whether all drafts are kept: some of them bring something as well.")

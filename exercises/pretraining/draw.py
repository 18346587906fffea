"""Drawing a token."""

import torch
from torch import Generator, Tensor

from exercises.pretraining import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers import pretraining

exercise = Entry(
    id="pretraining.draw",
    title="Drawing a token",
    points=1,
    difficulty=2,
    minutes=6,
    reference=pretraining.draw,
    returns=("tokens",),
    properties=(inputs_unchanged,),
    forbidden=("torch.multinomial", "torch.distributions.Categorical"),
)


@exercise.cases
def draw_cases(g: Generator) -> list[Case]:
    """Numbers in the middle of a token's share, zeros among the probabilities, batches."""

    def case(title: str, *shape: int, zeros: int = 0, dtype: torch.dtype = torch.float32) -> Case:
        p = (0.5 * shared.logits(g, *shape, dtype=dtype)).softmax(-1)
        if zeros:
            p[..., :zeros] = 0
            p = p / p.sum(-1, keepdim=True)
        chosen = torch.randint(zeros, shape[-1], shape[:-1], generator=g)
        ends = p.double().cumsum(-1)
        middles = ends - p.double() / 2
        uniform = middles.gather(-1, chosen[..., None])[..., 0].to(dtype)
        if zeros:
            uniform[0] = 0  # no impossible token gets it
        return Case(title, (p, uniform))

    return [
        case("one row", *pick(g, (5,), (4,), (7,))),
        case("a batch", *pick(g, (7, 4), (5, 6), (3, 5))),
        case("the first two are impossible", *pick(g, (4, 6), (3, 5), (6, 4)), zeros=2),
        case("axes of length 1, float64", *pick(g, (3, 1, 5), (1, 4), (1, 3, 6)), dtype=torch.float64),
        Case("numbers on the ends themselves", _on_the_ends(g)),
        Case("a number beyond a sum that rounding has left below 1", _beyond_the_last(g)),
    ]


def _on_the_ends(g: Generator) -> tuple[Tensor, Tensor]:
    """Probabilities whose sums have no rounding, and numbers at which a token's piece begins."""
    p = torch.tensor([0.5, 0.25, 0.125, 0.125])[torch.randperm(4, generator=g)]
    starts = p.cumsum(-1) - p
    return p.expand(3, 4).clone(), starts[torch.randperm(4, generator=g)[:3]]


def _beyond_the_last(g: Generator) -> tuple[Tensor, Tensor]:
    """Probabilities that lack a little of 1, the largest number below 1, and one in the middle of all."""
    p = (0.5 * shared.logits(g, 2, 6)).softmax(-1)
    p = torch.where(p == p.amax(-1, keepdim=True), p - 2**-21, p)
    middle = p[1].cumsum(-1)[2] - p[1, 2] / 2
    return p, torch.stack([torch.tensor(1 - 2**-24), middle])


@exercise.alternative
def draw_by_search(probabilities, uniform):
    ends = probabilities.cumsum(dim=-1)
    ends[..., -1] = 1
    return torch.searchsorted(ends, uniform.unsqueeze(-1), right=True).squeeze(-1)


@exercise.alternative
def draw_first_that_reaches(probabilities, uniform):
    reached = probabilities.cumsum(-1) > uniform.unsqueeze(-1)
    return torch.where(reached.any(-1), reached.int().argmax(dim=-1), probabilities.size(-1) - 1)


@exercise.alternative
def draw_never_beyond(probabilities, uniform):
    passed = (probabilities.cumsum(-1) <= uniform.unsqueeze(-1)).sum(-1)
    return passed.clamp(max=probabilities.size(-1) - 1)


exercise.slip(
    "the_most_probable", "(ends <= uniform[..., None] * ends[..., -1:]).sum → probabilities.argmax"
).says("This is the most probable token each time, whatever the random number is.")
exercise.slip(
    "one_too_far",
    "(ends <= uniform[..., None] * ends[..., -1:]).sum(dim=-1) → ((ends <= uniform[..., "
    "None]).sum(dim=-1) + 1).clamp(max=probabilities.size(-1) - 1)",
).says(
    "This is the token after the one that the number falls on: the count of ends at or below the random "
    "number is the token already, since tokens count from 0."
)
exercise.slip("one_more", ".sum(dim=-1) → .sum(dim=-1) + 1").says(
    "This is one more than the token that the number falls on: the count of ends at or below the random "
    "number is the token already, since tokens count from 0."
)
exercise.slip("one_less", ".sum(dim=-1) → .sum(dim=-1) - 1").says(
    "This is one less than the token that the number falls on, and -1 for the first: the count of ends at or "
    "below the random number is the token already."
)
exercise.slip(
    "one_before",
    "(ends <= uniform[..., None] * ends[..., -1:]).sum(dim=-1) → ((ends <= uniform[..., "
    "None]).sum(dim=-1) - 1).clamp(min=0)",
).says("This is the token before the one that the number falls on.")
exercise.slip("ends_below_alone", "ends <= → ends <").says(
    "An end that is exactly the number isn't counted, but the next token's piece begins there: compare with "
    "<=, or a token of probability 0 can be drawn."
)
exercise.slip("beyond_the_last", " * ends[..., -1:] →").says(
    "Rounding can leave the sum of the probabilities a little below 1, and a number beyond it falls on no "
    "token here: it belongs to the last one."
)
exercise.slip(
    "first_when_none_reaches",
    "(ends <= uniform[..., None] * ends[..., -1:]).sum → (probabilities.cumsum(dim=-1) > uniform[..., "
    "None]).int().argmax",
).says(
    "This looks for the first end above the number, and where rounding has left all ends below it, argmax "
    "of nothing but zeros gives token 0: such a number belongs to the last token."
)
exercise.slip(
    "uniform_over_tokens",
    "(ends <= uniform[..., None] * ends[..., -1:]).sum(dim=-1) → (uniform * probabilities.size(-1)).long()",
).says("This is the number times V, which draws each token equally often, whatever its probability.")
exercise.slip(
    "nearest_probability",
    "(ends <= uniform[..., None] * ends[..., -1:]).sum → torch.abs(probabilities - uniform[..., "
    "None]).argmin",
).says(
    "This is the token whose probability is nearest to the number: lay the probabilities end to end "
    "instead, and see on which the number falls."
)
exercise.slip(
    "largest_first",
    "probabilities.cumsum(dim=-1) → probabilities.sort(dim=-1, descending=True).values.cumsum(dim=-1)",
).says(
    "The probabilities are sorted before they are laid end to end, and the answer is a place in the "
    "sorted row, not a token."
)
exercise.slip(
    "from_the_other_end",
    "probabilities.cumsum(dim=-1) → probabilities.flip(-1).cumsum(dim=-1)",
    "(ends <= uniform[..., None] * ends[..., -1:]).sum(dim=-1) → probabilities.size(-1) - 1 - (ends <= "
    "uniform[..., None]).sum(dim=-1)",
).says("The probabilities are laid end to end from the last token on: token 0 comes first.")
exercise.slip(
    "ends_ahead",
    "ends <= uniform[..., None] * ends[..., -1:] → probabilities.cumsum(dim=-1) > uniform[..., None]",
).says("The ends above the number are counted: count those at or below it, which it has passed.")
exercise.slip(
    "ends_below_as_they_are", "ends <= uniform[..., None] * ends[..., -1:] → ends < uniform[..., None]"
).says(
    "An end that is exactly the number isn't counted, but the next token's piece begins there, so compare "
    "with <=; and rounding can leave the last end below 1, where a number beyond it belongs to the last "
    "token."
)
exercise.slip(
    "first_end_that_reaches",
    "(ends <= uniform[..., None] * ends[..., -1:]).sum → (ends >= uniform[..., None]).int().argmax",
).says(
    "The first end that reaches the number is looked for, but where they are equal the next token's piece "
    "begins, so look for the first above it; and where none is, argmax gives token 0 in place of the last."
)

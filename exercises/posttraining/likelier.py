"""The likelier option."""

import math

import torch
from torch import Generator, Tensor

from headstart import Case, Entry, inputs_unchanged, pick
from helpers import posttraining

exercise = Entry(
    id="posttraining.likelier",
    title="The likelier option",
    points=2,
    difficulty=2,
    minutes=3,
    reference=posttraining.likelier,
    returns=("option",),
    properties=(inputs_unchanged,),
)


@exercise.cases
def option_cases(g: Generator) -> list[Case]:
    """A short option is likelier as a whole, a long one for each token; their places are drawn."""

    def options(front: tuple[int, ...], N: int) -> tuple[Tensor, Tensor]:
        """The first is likeliest for each token, the second as a whole, others by wrong formulas."""
        rows = math.prod(front)
        far = -9 - 4 * torch.rand(rows, N - 5, generator=g)
        near = torch.tensor([-3.9, -2.0, -2.2, -3.0, -2.4]) * (1 + 0.02 * torch.rand(rows, 5, generator=g))
        long = torch.full((rows, N - 5), 20)
        lengths = torch.cat([torch.tensor([13, 4, 2, 1, 7]).expand(rows, 5), long], dim=1)
        order = torch.rand(rows, N, generator=g).argsort(dim=-1)
        sums = torch.cat([near, far], dim=1).gather(-1, order)
        return sums.view(*front, N), lengths.gather(-1, order).view(*front, N)

    def case(title: str, front: tuple[int, ...], N: int, per_token: bool, double: bool = False) -> Case:
        sums, lengths = options(front, N)
        return Case(title, (sums.double() if double else sums, lengths, per_token))

    several = pick(g, (2, 1), (1,), (1, 3), (2, 3, 1))
    # One token more or less in the divisor turns these over: in the first row the short option is right.
    lengths = torch.tensor([[2, 6], [2, 6], [7, 3]])[torch.randperm(3, generator=g)].clone()
    short = lengths == lengths.amin(dim=-1, keepdim=True)
    right = torch.tensor([True, False, pick(g, True, False)]).unsqueeze(-1) == short
    close = torch.where(right, -1.0, -1.1)
    return [
        case("one question, as a whole", (), pick(g, 5, 6, 7), False),
        case("one question, for each token", (), pick(g, 6, 8, 7), True),
        case("several questions, as a whole", pick(g, (3,), (2,), (4,)), pick(g, 6, 5, 7), False),
        case("several questions, for each token", pick(g, (3,), (2,), (4,)), pick(g, 6, 5, 7), True),
        case("axes in front", several, pick(g, 5, 6, 7), True),
        case("float64", (2,), pick(g, 5, 6), pick(g, False, True), double=True),
        Case("nearly as likely for each token", (close * lengths, lengths, True)),
    ]


@exercise.alternative
def likelier_by_max(log_probability, lengths, per_token):
    scores = log_probability
    if per_token:
        scores = scores / lengths
    return scores.max(dim=-1).indices


@exercise.alternative
def likelier_by_sorting(log_probability, lengths, per_token):
    scores = torch.where(torch.tensor(per_token), log_probability / lengths, log_probability)
    return scores.sort(dim=-1, descending=True).indices[..., 0]


@exercise.alternative
def likelier_by_powers(log_probability, lengths, per_token):
    divisor = lengths ** int(per_token)
    return (-log_probability / divisor).argmin(dim=-1)


@exercise.alternative
def likelier_by_topk(log_probability, lengths, per_token):
    weights = 1 / lengths.to(log_probability.dtype) if per_token else torch.ones_like(log_probability)
    return torch.topk(log_probability * weights, 1, dim=-1).indices.squeeze(-1)


exercise.slip(
    "as_a_whole_always", "log_probability / lengths if per_token else log_probability → log_probability"
).says("The option as a whole decides, whatever `per_token` says: a long one starts behind.")
exercise.slip(
    "per_token_always",
    "log_probability / lengths if per_token else log_probability → log_probability / lengths",
).says("The mean for each token decides, whatever `per_token` says.")
exercise.slip("the_other_way_round", "if per_token else → if not per_token else").says(
    "`per_token` is inverted: True is for the mean."
)
exercise.slip("least_likely", ".argmax(dim=-1) → .argmin(dim=-1)").says(
    "This is the least likely option: log-probabilities are at most 0, and the largest is nearest to it."
)
exercise.slip("the_whole_order", ".argmax(dim=-1) → .argsort(dim=-1, descending=True)").says(
    "This is the order of all options: only the place of the first is asked for."
)
exercise.slip("times_the_length", "log_probability / lengths → log_probability * lengths").says(
    "The log-probability is multiplied by the length, so long options fall back further: divide."
)
exercise.slip("probability_by_length", "log_probability / lengths → log_probability.exp() / lengths").says(
    "The probability is divided by the length: the mean is that of the logarithms, so divide these."
)
exercise.slip("one_for_all", ".argmax(dim=-1) → .argmax()").says(
    "The options of all questions are compared at once: argmax without an axis flattens the tensor."
)
exercise.slip("the_value", ".argmax(dim=-1) → .amax(dim=-1)").says(
    "This is the score of the likeliest option: its place is asked for."
)
exercise.slip("over_the_questions", ".argmax(dim=-1) → .argmax(dim=0)").says(
    "The questions are compared, option by option: the options are the last axis."
)
exercise.slip("by_the_root", "log_probability / lengths → log_probability / lengths.sqrt()").says(
    "The root of the length divides, which makes up for only part of it: the mean divides by the length "
    "itself."
)
exercise.slip("one_token_less", "/ lengths → / (lengths - 1)").says(
    "One token too few divides, as if the first had no log-probability: each of the option's tokens has one."
)
exercise.slip("one_token_more", "/ lengths → / (lengths + 1)").says(
    "One token too many divides, as if <end> were in the length: divide by `lengths` itself."
)

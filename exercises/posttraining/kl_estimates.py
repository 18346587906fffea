"""Three estimates of a KL divergence."""

import torch
from torch import Generator

from exercises.posttraining import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import posttraining

exercise = Entry(
    id="posttraining.kl_estimates",
    title="Three estimates of it",
    points=3,
    difficulty=3,
    minutes=5,
    reference=posttraining.kl_estimates,
    returns=("k1", "k2", "k3"),
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.cases
def estimate_cases(g: Generator) -> list[Case]:
    """One token, a row, axes in front, the same models, far from each other, float64."""

    def case(title: str, *shape: int, far: float = 0.75, dtype: torch.dtype = torch.float32) -> Case:
        now = -0.5 - 3 * torch.rand(shape, generator=g, dtype=dtype)
        return Case(title, (now, now + shared.some(g, *shape, spread=far, dtype=dtype) - 0.125))

    same = -3 * torch.rand(pick(g, 3, 4, 5), generator=g) - 0.125
    return [
        case("one token"),
        case("a row", pick(g, 5, 4, 6)),
        case("a batch", *pick(g, (3, 4), (2, 5), (4, 3))),
        case("axes in front", *pick(g, (2, 1, 3), (1, 4), (1, 3, 5), (2, 3, 1))),
        Case("the same model", (same, same.clone())),
        case("far apart", pick(g, 4, 3, 5), far=3.0),
        case("float64", pick(g, 3, 4), dtype=torch.float64),
    ]


@exercise.alternative
def estimates_by_ratio(log_probability, frozen):
    r = torch.exp(frozen - log_probability)
    log_r = frozen - log_probability
    return -log_r, 0.5 * log_r**2, r - 1 - log_r


@exercise.alternative
def estimates_from_k1(log_probability, frozen):
    k1 = log_probability - frozen.detach()
    return k1, k1 * k1 / 2, torch.expm1(-k1) + k1


@exercise.alternative
def estimates_stacked(log_probability, frozen):
    x = log_probability - frozen
    return torch.stack([x, x.pow(2).mul(0.5), x.neg().exp().sub(1).add(x)])


exercise.slip("the_other_way", "frozen.detach() - log_probability → log_probability - frozen.detach()").says(
    "The ratio is upside down: with samples of the model, r is the frozen model's probability divided by the "
    "model's."
)
exercise.slip("k1_sign", "return -log_ratio, → return log_ratio,").says(
    "k1 lacks its minus: it is −ln r, whose mean over the model's samples is KL(model ‖ frozen)."
)
exercise.slip("k2_not_halved", "log_ratio.square() / 2 → log_ratio.square()").says(
    "k2 is half the square: the 2 is missing."
)
exercise.slip("k2_of_the_ratio", "log_ratio.square() / 2 → (log_ratio.exp() - 1).square() / 2").says(
    "k2 squares r − 1: it is half the square of ln r."
)
exercise.slip("k3_without_its_log", "log_ratio.expm1() - log_ratio → log_ratio.expm1()").says(
    "k3 is only r − 1, whose mean is 0: −ln r is the estimate, and r − 1 makes it steadier."
)
exercise.slip("k3_without_its_one", "log_ratio.expm1() - log_ratio → log_ratio.exp() - log_ratio").says(
    "k3 lacks its − 1, so it is 1 where the two models agree: it should be 0."
)
exercise.slip("k3_added", "log_ratio.expm1() - log_ratio → log_ratio.expm1() + log_ratio").says(
    "k3 adds ln r instead of subtracting it, so it can be negative."
)
exercise.slip(
    "k3_of_the_other_direction", "log_ratio.expm1() - log_ratio → (-log_ratio).expm1() + log_ratio"
).says(
    "k3 has r upside down: for samples of the model it is (r − 1) − ln r with r = frozen/model, as k1 and k2 "
    "have it."
)
exercise.slip(
    "averaged",
    "return -log_ratio, log_ratio.square() / 2, log_ratio.expm1() - log_ratio → "
    "return -log_ratio.mean(), log_ratio.square().mean() / 2, (log_ratio.expm1() - log_ratio).mean()",
).says("These are means: each token has its own three estimates.")
exercise.slip("k1_never_negative", "return -log_ratio, → return log_ratio.abs(),").says(
    "k1 loses its sign: a single estimate may be negative, and only their mean isn't."
)
exercise.slip(
    "k1_alone", "log_ratio.square() / 2, log_ratio.expm1() - log_ratio → -log_ratio, -log_ratio"
).says("All three estimates are k1: k2 is half its square, and k3 adds r − 1 to it.")
exercise.slip(
    "logarithms_divided", "frozen.detach() - log_probability → (frozen.detach() / log_probability).log()"
).says(
    "One log-probability is divided by the other: r is the ratio of the probabilities, so ln r is the "
    "difference of these two."
)

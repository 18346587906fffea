"""The paper's learning rate."""

import math

import torch
from torch import Generator

from headstart import Case, Entry
from helpers import translation

exercise = Entry(
    id="translation.paper_rate",
    title="The paper's learning rate",
    points=2,
    difficulty=2,
    minutes=6,
    reference=translation.paper_rate,
    returns=("rate",),
)


@exercise.cases
def rate_cases(g: Generator) -> list[Case]:
    """The first step, the way up, the peak, the way down; other widths."""
    d = 4 * int(torch.randint(20, 60, (), generator=g))
    warmup = int(torch.randint(200, 600, (), generator=g))
    return [
        Case("the first step", (1, d, warmup)),
        Case("on the way up", (warmup // 3, d, warmup)),
        Case("the peak", (warmup, d, warmup)),
        Case("long after the peak", (7 * warmup, d, warmup)),
        Case("the paper's width and warm-up", (1000 + int(torch.randint(9000, (), generator=g)), 512, 4000)),
    ]


@exercise.alternative
def rate_in_two_cases(step, d_model, warmup):
    if step < warmup:
        return step / (math.sqrt(d_model) * warmup * math.sqrt(warmup))
    return 1 / math.sqrt(d_model * step)


@exercise.alternative
def rate_with_tensors(step, d_model, warmup):
    step = torch.tensor(float(step), dtype=torch.float64)
    return float((1 / d_model**0.5) * torch.minimum(step.rsqrt(), step / warmup**1.5))


exercise.slip(
    "larger_of_both", "min(step**-0.5, step * warmup**-1.5) → max(step**-0.5, step * warmup**-1.5)"
).says(
    "The larger of the two is taken, which begins with a huge rate and grows again after the warm-up: "
    "take the smaller."
)
exercise.slip("warmup_by_its_root", "1.5 → 0.5").says(
    "The way up is step · warmup^-0.5, which overtakes 1/√step after a few steps: with the exponent -1.5 "
    "both meet exactly at the end of the warm-up."
)
exercise.slip("share_of_the_warm_up", "step * warmup**-1.5 → step / warmup").says(
    "While warming up the rate is step / warmup, as large as if its peak were 1: step · warmup^(−3/2) "
    "reaches 1/√warmup."
)
exercise.slip(
    "width_without_root",
    "d_model**-0.5 * min(step**-0.5, step * warmup**-1.5) → min(step**-0.5, step * warmup**-1.5) / d_model",
).says("The width counts as 1/d_model: it is one over its square root.")
exercise.slip("peak_of_one", "d_model**-0.5 → warmup**0.5").says(
    "The peak is 1 for any width: √warmup is where 1/√d_model belongs."
)
exercise.slip("grows_with_width", "d_model**-0.5 → d_model**0.5").says(
    "The rate grows with the width: wider models want smaller steps, so the exponent of d_model is -0.5."
)
exercise.slip(
    "one_step_late", "step**-0.5 → (step + 1)**-0.5", "step * warmup**-1.5 → (step + 1) * warmup**-1.5"
).says(
    "Steps are counted from 0 and one is added: they count from 1 here, so that the peak lies at step warmup."
)
exercise.slip("falls_as_one_over_step", "step**-0.5 → warmup**0.5 / step").says(
    "After the warm-up the rate falls as 1/step, which is far sooner than as 1/√step."
)
exercise.slip(
    "never_down",
    "d_model**-0.5 * min(step**-0.5, step * warmup**-1.5) → (d_model**-0.5 * step) * (warmup**-1.5)",
).says("The rate goes up and never comes down: after the warm-up the other branch, 1/√step, is the smaller.")
exercise.slip("never_up", "min(step**-0.5, step * warmup**-1.5) → (step**-0.5)").says(
    "There is no warm-up: the first steps are the largest, when the gradients know the least."
)

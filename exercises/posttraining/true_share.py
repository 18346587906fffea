"""A judge that errs."""

import torch
from torch import Generator

from headstart import Case, Entry
from helpers import posttraining

exercise = Entry(
    id="posttraining.true_share",
    title="A judge that errs",
    points=2,
    difficulty=3,
    minutes=5,
    reference=posttraining.true_share,
    returns=("share",),
)


@exercise.cases
def judge_cases(g: Generator) -> list[Case]:
    """Judges that err in one way, in both, not at all; measured shares that no true one would give."""

    def between(low: float, high: float) -> float:
        return round(low + (high - low) * float(torch.rand((), generator=g, dtype=torch.float64)), 3)

    return [
        Case("a judge that errs both ways", (between(0.4, 0.6), between(0.8, 0.85), between(0.9, 0.95))),
        Case("one that misses right answers", (between(0.3, 0.5), between(0.7, 0.8), 1.0)),
        Case("one that lets wrong answers pass", (between(0.5, 0.7), 1.0, between(0.7, 0.8))),
        Case("one that never errs", (between(0.2, 0.8), 1.0, 1.0)),
        Case("one barely better than chance", (between(0.5, 0.52), between(0.6, 0.7), between(0.55, 0.6))),
        Case("fewer than it passes by mistake", (between(0.05, 0.1), between(0.8, 0.9), between(0.75, 0.8))),
        Case("more than it finds of right ones", (between(0.85, 0.95), between(0.6, 0.7), between(0.8, 0.9))),
    ]


@exercise.alternative
def share_by_false_alarms(measured, sensitivity, specificity):
    passed_by_mistake = 1 - specificity
    share = (measured - passed_by_mistake) / (sensitivity - passed_by_mistake)
    if share < 0:
        return 0.0
    return share if share < 1 else 1.0


@exercise.alternative
def share_by_clamp(measured, sensitivity, specificity):
    share = torch.tensor((measured + specificity - 1) / (sensitivity + specificity - 1), dtype=torch.float64)
    return share.clamp(0, 1).item()


@exercise.alternative
def share_by_a_matrix(measured, sensitivity, specificity):
    errors = torch.tensor(
        [[sensitivity, 1 - specificity], [1 - sensitivity, specificity]], dtype=torch.float64
    )
    found = torch.linalg.solve(errors, torch.tensor([measured, 1 - measured], dtype=torch.float64))
    return sorted([0.0, float(found[0]), 1.0])[1]


exercise.slip(
    "as_measured", "share = (measured + specificity - 1) / (sensitivity + specificity - 1) → share = measured"
).says("This is the measured share, as if the judge never erred.")
exercise.slip(
    "only_misses", "(measured + specificity - 1) / (sensitivity + specificity - 1) → measured / sensitivity"
).says(
    "This only makes up for right answers that the judge misses: it also lets wrong ones pass, 1 − "
    "specificity of them."
)
exercise.slip(
    "only_false_alarms",
    "(measured + specificity - 1) / (sensitivity + specificity - 1) → measured + specificity - 1",
).says(
    "The wrong answers that pass are subtracted, but the result isn't divided by sensitivity + "
    "specificity − 1."
)
exercise.slip(
    "forward",
    "(measured + specificity - 1) / (sensitivity + specificity - 1) → measured * sensitivity + (1 - "
    "measured) * (1 - specificity)",
).says(
    "This is what the judge would measure if `measured` were the true share: the equation is to be solved "
    "for p."
)
exercise.slip("rates_swapped", "(measured + specificity - 1) → (measured + sensitivity - 1)").says(
    "Sensitivity and specificity are swapped above the line: 1 − specificity of the wrong answers pass."
)
exercise.slip("not_clipped", "return min(1.0, max(0.0, share)) → return share").says(
    "By chance a measured share can lie outside what the judge's errors allow, and then this is below 0 or "
    "above 1: a share is clipped to that range."
)
exercise.slip("clipped_below_alone", "min(1.0, max(0.0, share)) → max(0.0, share)").says(
    "This can be more than 1: clip it on that side too."
)
exercise.slip("clipped_above_alone", "min(1.0, max(0.0, share)) → min(1.0, share)").says(
    "This can be below 0: clip it on that side too."
)
exercise.slip(
    "specificity_as_error",
    "measured + specificity - 1 → measured - specificity",
    "sensitivity + specificity - 1 → sensitivity - specificity",
).says("Specificity is taken for the share of wrong answers that pass: those are 1 − specificity.")
exercise.slip(
    "added_the_error_rate",
    "(measured + specificity - 1) / (sensitivity + specificity - 1) → measured / ((sensitivity + "
    "specificity) / 2)",
).says(
    "The two rates are averaged, but they work on different answers: sensitivity on right ones, specificity "
    "on wrong ones."
)
exercise.slip(
    "sure_of_one_answer",
    "(measured + specificity - 1) / (sensitivity + specificity - 1) → measured * sensitivity / (measured * "
    "sensitivity + (1 - measured) * (1 - specificity))",
).says(
    "This is Bayes' rule for one answer, how sure one may be that it is right: the share among all answers "
    "is asked for."
)

"""pass@k."""

import math

import torch
from torch import Generator

from exercises.posttraining import shared
from headstart import Case, Entry, pick
from helpers import posttraining

exercise = Entry(
    id="posttraining.pass_at_k",
    title="pass@k",
    points=2,
    difficulty=3,
    minutes=5,
    reference=posttraining.pass_at_k,
    returns=("pass@k",),
)


@exercise.cases
def pass_cases(g: Generator) -> list[Case]:
    """A few right, none, all; one answer allowed, all of them; few wrong ones; many tried."""
    n = shared.one(g, 8, 14)
    c = shared.one(g, 2, 4)
    many = pick(g, 200, 180, 230)
    return [
        Case("a few right", (n, c, pick(g, 3, 2, 4))),
        Case("one answer allowed", (n, shared.one(g, 2, 6), 1)),
        Case("all that were tried", (shared.one(g, 5, 9), 1, pick(g, 5, 4, 3))),
        Case("as many as were tried", (m := shared.one(g, 5, 9), 1, m)),
        Case("none right", (n, 0, shared.one(g, 2, 5))),
        Case("none right, all handed in", (w := shared.one(g, 5, 9), 0, w)),
        Case("all right", (n, n, shared.one(g, 2, 5))),
        Case("fewer wrong ones than answers", (7, 5, pick(g, 3, 4, 5))),
        Case("just as many wrong ones", (n, n - (k := shared.one(g, 2, 4)), k)),
        Case("hundreds tried", (many, shared.one(g, 2, 9), pick(g, 50, 40, 60))),
    ]


@exercise.alternative
def pass_as_a_product(n, correct, k):
    none = 1.0
    for i in range(n - correct + 1, n + 1):
        none *= 1 - k / i
    return 1 - none


@exercise.alternative
def pass_one_by_one(n, correct, k):
    wrong, all_wrong = n - correct, 1.0
    for drawn in range(k):
        all_wrong *= max(0, wrong - drawn) / (n - drawn)
    return 1.0 - all_wrong


@exercise.alternative
def pass_by_gammas(n, correct, k):
    if k > n - correct:
        return 1.0
    wrong = n - correct
    logs = math.lgamma(wrong + 1) - math.lgamma(wrong - k + 1) + math.lgamma(n - k + 1) - math.lgamma(n + 1)
    return -math.expm1(logs)


@exercise.alternative
def pass_as_torch(n, correct, k):
    places = torch.arange(n - correct + 1, n + 1, dtype=torch.float64)
    return float(1 - (1 - k / places).prod())


exercise.slip(
    "as_if_p_were_known", "1 - math.comb(n - correct, k) / math.comb(n, k) → 1 - (1 - correct / n) ** k"
).says(
    "This is 1 − (1 − c/n)^k, which draws k answers with replacement: with an estimated share it is too "
    "small on average, so count choices instead."
)
exercise.slip(
    "all_right", "1 - math.comb(n - correct, k) / math.comb(n, k) → math.comb(correct, k) / math.comb(n, k)"
).says("This is the share of choices in which all k answers are right: one is enough.")
exercise.slip("all_wrong", "1 - math.comb(n - correct, k) → math.comb(n - correct, k)").says(
    "This is the share of choices without any right answer: pass@k is 1 minus that."
)
exercise.slip("wrong_for_right", "math.comb(n - correct, k) → math.comb(correct, k)").says(
    "The choices among the right answers are subtracted: those without a right answer are among the wrong "
    "ones."
)
exercise.slip(
    "share_times_k", "1 - math.comb(n - correct, k) / math.comb(n, k) → min(1.0, k * correct / n)"
).says("This is k times the share of right answers: choices with two right ones are counted twice.")
exercise.slip("pass_at_one", "1 - math.comb(n - correct, k) / math.comb(n, k) → correct / n").says(
    "This is the share of right answers, pass@1, whatever k is."
)
exercise.slip("any_right", "1 - math.comb(n - correct, k) / math.comb(n, k) → float(correct > 0)").says(
    "This is 1 as soon as one of all n is right, which is pass@n: only k of them may be handed in."
)
exercise.slip(
    "the_first_k",
    "math.comb(n - correct, k) / math.comb(n, k) → math.comb(n - k, correct) / math.comb(n + k, correct)",
).says("Below the line are choices among n + k: there are n answers to choose from.")
exercise.slip(
    "in_order", "math.comb(n - correct, k) / math.comb(n, k) → math.perm(n - correct, k) / math.comb(n, k)"
).says("Above the line the order counts and below it doesn't: use comb in both places.")
exercise.slip(
    "right_without_any",
    "1 - math.comb(n - correct, k) / math.comb(n, k) → 1.0 if n - correct <= k else 1 - math.comb(n - "
    "correct, k) / math.comb(n, k)",
).says(
    "With as many wrong answers as may be handed in, this is 1: all k can still be wrong, so it is 1 only "
    "with fewer wrong ones."
)
exercise.slip(
    "sure_is_0",
    "1 - math.comb(n - correct, k) / math.comb(n, k) → 0.0 if n - correct < k else 1 - math.comb(n - "
    "correct, k) / math.comb(n, k)",
).says(
    "With fewer wrong answers than may be handed in, this is 0: then every choice holds a right one, so it "
    "is 1."
)
exercise.slip(
    "exactly_one",
    "1 - math.comb(n - correct, k) / math.comb(n, k) → correct * math.comb(n - correct, k - 1) / "
    "math.comb(n, k)",
).says("This is the share of choices with exactly one right answer: those with more count, too.")

"""What the cache saves."""

import torch
from torch import Generator

from headstart import Case, Entry
from helpers import translation

exercise = Entry(
    id="translation.decoder_work",
    title="What the cache saves",
    points=2,
    difficulty=2,
    minutes=8,
    reference=translation.decoder_work,
    returns=("positions without", "positions with", "scores without", "scores with"),
)


@exercise.cases
def work_cases(g: Generator) -> list[Case]:
    """Short enough to count by hand, and long."""
    some, long = int(torch.randint(4, 9, (), generator=g)), int(torch.randint(50, 900, (), generator=g))
    return [Case("one token", (1,)), Case("three tokens", (3,)), Case("some", (some,)), Case("many", (long,))]


@exercise.alternative
def work_in_closed_form(length):
    n = length
    return n * (n + 1) // 2, n, n * (n + 1) * (2 * n + 1) // 6, n * (n + 1) // 2


@exercise.alternative
def work_in_a_loop(length):
    plain = plain_scores = kept_scores = 0
    for t in range(1, length + 1):
        plain, plain_scores, kept_scores = plain + t, plain_scores + t**2, kept_scores + t
    return plain, length, plain_scores, kept_scores


exercise.slip(
    "as_if_always_full",
    "sum(steps), length, sum(t * t for t in steps), sum(steps) → length * length, length, length**3, "
    "length * length",
).says("Each step is counted as if the sentence had its full length from the start: step t has t positions.")
exercise.slip(
    "the_last_step_alone",
    "sum(steps), length, sum(t * t for t in steps), sum(steps) → length, 1, length * length, length",
).says("Only the last step is counted: a sentence is written in as many steps as it has tokens.")
exercise.slip("the_visible_half", "t * t → t * (t + 1) // 2").says(
    "Without a cache the whole square of scores is computed at each step, t · t: the causal mask hides "
    "half of it, which was computed before it was hidden."
)
exercise.slip(
    "one_score_a_step",
    "sum(steps), length, sum(t * t for t in steps), sum(steps) → sum(steps), length, sum(t * t for t in "
    "steps), length",
).says("With a cache each step has one query, but t keys to compare it with, so t scores and not one.")
exercise.slip(
    "cache_saves_no_scores",
    "sum(steps), length, sum(t * t for t in steps), sum(steps) → sum(steps), length, sum(t * t for t in "
    "steps), sum((t * t for t in steps))",
).says(
    "With a cache the earlier queries don't come again, so step t computes one row of t scores, and not "
    "the whole square."
)
exercise.slip(
    "counted_from_zero",
    "sum(steps), length, sum(t * t for t in steps), sum(steps) → sum(range(length)), length, sum(t * t "
    "for t in range(length)), sum(range(length))",
).says("Counting begins at 0 positions: the first step already has one, `<bos>`.")

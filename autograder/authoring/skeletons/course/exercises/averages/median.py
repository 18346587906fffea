"""The median of a list."""

import random

from headstart import Case, Entry, inputs_unchanged, pick

exercise = Entry(
    id="averages.median",
    title="The number in the middle",
    points=2,
    difficulty=1,
    minutes=5,
    returns=("median",),
    properties=(inputs_unchanged,),
)


@exercise.reference
def median(numbers):
    ordered = sorted(numbers)
    half = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[half]
    return (ordered[half - 1] + ordered[half]) / 2


@exercise.cases
def cases(generator: random.Random):
    odd, even = pick(generator, 5, 7, 9), pick(generator, 8, 10, 14)
    return [
        Case("one number", ([generator.uniform(-9, 9)],)),
        Case("an odd count", (generator.sample(range(-50, 50), odd),)),
        Case("an even count", ([generator.uniform(-9, 9) for _ in range(even)],)),
    ]


@exercise.alternative
def of_a_slice(numbers):
    ordered = sorted(numbers)
    before = (len(ordered) - 1) // 2
    middle = ordered[before : len(ordered) - before]
    return sum(middle) / len(middle)


@exercise.alternative
def by_mirrored_places(numbers):
    ordered = sorted(numbers)
    half = (len(ordered) - 1) // 2
    return (ordered[half] + ordered[-1 - half]) / 2


exercise.slip("unsorted", "sorted(numbers) → list(numbers)").says(
    "The list isn't sorted, so this is whatever number comes in the middle of it."
)
exercise.slip("upper_middle", "(ordered[half - 1] + ordered[half]) / 2 → ordered[half]").says(
    "Of an even count there are two in the middle: the median is their mean, not the larger one."
)


@exercise.misconception
def the_mean(numbers):
    """This is the mean, which one number far away moves: the task asks for the one in the middle."""
    return sum(numbers) / len(numbers)

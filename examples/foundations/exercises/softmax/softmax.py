"""Softmax over the last axis."""

import numpy as np

from headstart import Case, Entry, inputs_unchanged, pick

exercise = Entry(
    id="softmax.softmax",
    title="Softmax",
    points=3,
    difficulty=2,
    minutes=8,
    returns=("weights",),
    properties=(inputs_unchanged,),
)


@exercise.reference
def softmax(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


@exercise.cases
def cases(generator: np.random.Generator):
    n, front = pick(generator, 5, 4, 7), pick(generator, (2, 3), (3, 2), (1, 4))
    return [
        Case("one row", (generator.normal(size=n),)),
        Case("several rows", (generator.normal(size=(*front, n)),)),
        Case("a batch of one", (generator.normal(size=(1, n)),)),
        Case("rows far apart", (generator.normal(size=(3, n)) + [[-1000.0], [0.0], [1000.0]],)),
        Case("scores far apart", (np.linspace(-800.0, 800.0, n) + generator.normal(size=n),)),
    ]


@exercise.alternative
def by_logarithms(scores):
    shifted = scores - np.max(scores, axis=-1, keepdims=True)
    return np.exp(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))


@exercise.alternative
def along_the_first_axis(scores):
    columns = np.moveaxis(scores, -1, 0)
    powers = np.exp(columns - columns.max(axis=0))
    return np.moveaxis(powers / powers.sum(axis=0), 0, -1)


exercise.slip("no_maximum", "scores - scores.max(axis=-1, keepdims=True) → scores").says(
    "The largest score isn't subtracted, so the exponential of a large one is infinite."
)
exercise.slip("over_everything", "powers.sum(axis=-1, keepdims=True) → powers.sum()").says(
    "The sum runs over all numbers: it should run over the last axis, so that each row sums to 1."
)
exercise.slip("first_axis", "powers.sum(axis=-1, keepdims=True) → powers.sum(axis=0, keepdims=True)").says(
    "The sum runs over the first axis: each row, along the last one, should sum to 1."
)

"""The gradients of a network of two layers, by hand."""

import numpy as np

from headstart import Case, Entry, inputs_unchanged, pick

exercise = Entry(
    id="network.gradients",
    title="Back through two layers",
    points=4,
    difficulty=4,
    minutes=15,
    returns=("w1", "b1", "w2", "b2"),
    properties=(inputs_unchanged,),
)


@exercise.reference
def gradients(x, hidden, w2, wrong):
    back = wrong @ w2.T * (hidden > 0)
    return x.T @ back, back.sum(axis=0), hidden.T @ wrong, wrong.sum(axis=0)


@exercise.cases
def cases(generator: np.random.Generator):
    n, d, h, k = pick(generator, (4, 3, 5, 2), (5, 2, 4, 3), (6, 4, 7, 3))
    hidden = np.maximum(generator.normal(size=(n, h)), 0)
    hidden[0, 0], hidden[-1, -1] = 0.0, 0.5  # some of both, in each draw
    x, w2, wrong = (generator.normal(size=size) for size in ((n, d), (h, k), (n, k)))
    return [
        Case("a batch", (x, hidden, w2, wrong)),
        Case("one input, one output", (x[:, :1], hidden, w2[:, :1], wrong[:, :1])),
    ]


@exercise.alternative
def with_einsum(x, hidden, w2, wrong):
    back = np.where(hidden > 0, np.einsum("nk,hk->nh", wrong, w2), 0.0)
    first, second = np.einsum("nd,nh->dh", x, back), np.einsum("nh,nk->hk", hidden, wrong)
    return first, np.einsum("nh->h", back), second, np.einsum("nk->k", wrong)


@exercise.alternative
def row_by_row(x, hidden, w2, wrong):
    back = np.stack([(w2 @ row) * np.sign(each) for row, each in zip(wrong, hidden, strict=True)])
    first = sum(np.outer(each, row) for each, row in zip(x, back, strict=True))
    second = sum(np.outer(each, row) for each, row in zip(hidden, wrong, strict=True))
    return first, sum(back), second, sum(wrong)


exercise.slip("through_zero", " * (hidden > 0) → ").says(
    "The gradient also passes where the hidden number is 0: nothing changes there, so it should stop."
)
exercise.slip("mean", "back.sum(axis=0) → back.mean(axis=0)").says(
    "The gradient of the first bias is a mean over the batch: each row adds its part, so it is a sum."
)
exercise.slip("hidden_itself", "(hidden > 0) → hidden").says(
    "The gradient is multiplied by the hidden numbers: the slope of the maximum is 1 or 0."
)

"""A network of two layers."""

import numpy as np

from headstart import Case, Entry, inputs_unchanged, pick

exercise = Entry(
    id="network.forward",
    title="Two layers",
    points=3,
    difficulty=2,
    minutes=8,
    returns=("outputs", "hidden"),
    properties=(inputs_unchanged,),
)


@exercise.reference
def forward(x, w1, b1, w2, b2):
    hidden = np.maximum(x @ w1 + b1, 0)
    return hidden @ w2 + b2, hidden


@exercise.cases
def cases(generator: np.random.Generator):
    n, d, h, k = pick(generator, (4, 3, 5, 2), (5, 2, 4, 3), (6, 4, 7, 3))
    layers = ((d, h), (h,), (h, k), (k,))
    return [
        Case(title, tuple(generator.normal(size=size) for size in ((rows, d), *layers)))
        for title, rows in (("a batch", n), ("a batch of one", 1))
    ]


@exercise.alternative
def with_where(x, w1, b1, w2, b2):
    before = np.einsum("nd,dh->nh", x, w1) + b1
    hidden = np.where(before > 0, before, 0.0)
    return np.einsum("nh,hk->nk", hidden, w2) + b2, hidden


@exercise.alternative
def by_a_mask(x, w1, b1, w2, b2):
    hidden = x.dot(w1) + b1
    hidden = hidden * (hidden > 0)
    return hidden.dot(w2) + b2, hidden


exercise.slip("no_relu", "np.maximum(x @ w1 + b1, 0) → x @ w1 + b1").says(
    "Nothing is set to 0 between the layers, so both together are one linear layer."
)
exercise.slip("bias_after", "np.maximum(x @ w1 + b1, 0) → np.maximum(x @ w1, 0) + b1").says(
    "The first bias is added after the maximum with 0: it belongs inside."
)
exercise.slip("relu_at_the_end", "hidden @ w2 + b2 → np.maximum(hidden @ w2 + b2, 0)").says(
    "The outputs are cut at 0, too: only the hidden layer is."
)

"""Each center moved to the middle of its points."""

import numpy as np

from headstart import Case, Entry, inputs_unchanged, pick

exercise = Entry(
    id="kmeans.update",
    title="The middle of its points",
    points=3,
    difficulty=3,
    minutes=10,
    returns=("centers",),
    properties=(inputs_unchanged,),
)


@exercise.reference
def update(points, nearest, centers):
    moved = centers.copy()
    for number in range(len(centers)):
        own = points[nearest == number]
        if len(own):
            moved[number] = own.mean(axis=0)
    return moved


@exercise.cases
def cases(generator: np.random.Generator):
    n, k, d = pick(generator, (8, 3, 2), (10, 4, 3), (13, 5, 4))
    points, centers = generator.normal(size=(n, d)), generator.normal(size=(k, d))
    each = np.concatenate([np.arange(k), np.arange(n - k) % 2])
    more = generator.normal(size=(k + 1, d))
    return [
        Case("each center has points", (points, each, centers)),
        Case("a center without points", (points, each % (k - 1), centers)),
        Case("points on a line", (points[:, :1], each + 1, more[:, :1])),
    ]


@exercise.alternative
def with_one_hot(points, nearest, centers):
    mine = nearest[None] == np.arange(len(centers))[:, None]
    counts = mine.sum(axis=1, keepdims=True)
    return np.where(counts > 0, mine @ points / np.maximum(counts, 1), centers)


@exercise.alternative
def as_a_list(points, nearest, centers):
    own = [points[nearest == number] for number in range(len(centers))]
    return np.stack([each.mean(axis=0) if len(each) else old for each, old in zip(own, centers, strict=True)])


exercise.slip("empty", "if len(own): → if True:").says(
    "A center without points is NaN here, the mean of nothing: it should stay where it is."
)
exercise.slip("sum", "own.mean(axis=0) → own.sum(axis=0)").says(
    "This is the sum of each center's points: divide it by how many they are."
)
exercise.slip("mean_of_all", "own.mean(axis=0) → points.mean(axis=0)").says(
    "Every center moves to the mean of all points: only its own count."
)

"""The nearest center of each point."""

import numpy as np

from headstart import Case, Entry, inputs_unchanged, pick

exercise = Entry(
    id="kmeans.assign",
    title="The nearest center",
    points=3,
    difficulty=2,
    minutes=8,
    returns=("nearest",),
    properties=(inputs_unchanged,),
)


@exercise.reference
def assign(points, centers):
    between = points[:, None] - centers[None]
    return (between**2).sum(axis=-1).argmin(axis=-1)


@exercise.cases
def cases(generator: np.random.Generator):
    n, k, d = pick(generator, (7, 3, 2), (9, 4, 3), (11, 5, 4))
    centers = np.arange(k)[:, None] * 4.0 - 3 + generator.normal(size=(k, d))
    points = np.concatenate([centers, centers[generator.integers(k, size=n)]])
    one = np.concatenate([np.zeros(d - 1), [3.0]])
    return [
        Case("points around the centers", (points + generator.normal(size=points.shape), centers)),
        # The first center is nearer if differences are squared, and the second if they are only added.
        Case(
            "nearer along one axis",
            (np.zeros((1, d)), np.stack([np.full(d, 2.0), *(one + far for far in (0, 7, 8, 9))])),
        ),
    ]


@exercise.alternative
def with_norms(points, centers):
    return np.stack([np.linalg.norm(points - center, axis=1) for center in centers]).argmin(axis=0)


@exercise.alternative
def point_by_point(points, centers):
    return np.array([np.argmin([((point - center) ** 2).sum() for center in centers]) for point in points])


exercise.slip("farthest", "argmin → argmax").says("This is the center that is farthest from each point.")
exercise.slip("other_axis", "argmin(axis=-1) → argmin(axis=0)").says(
    "This is the nearest point of each center: the minimum should run over the centers."
)
exercise.slip("no_squares", "(between**2).sum → between.sum").says(
    "The differences aren't squared, so those below 0 cancel those above."
)

"""The variance of a dot product."""

import torch
from torch import Generator

from autograder.entry import Entry
from helpers import attention
from helpers.checking.calling.drivers import Case

exercise = Entry(
    id="attention.predicted_variance",
    title="The variance of a dot product",
    points=1,
    difficulty=2,
    minutes=5,
    reference=attention.predicted_variance,
    returns=("variance",),
)


@exercise.cases
def variance_cases(g: Generator) -> list[Case]:
    """Numbers of components far enough apart to tell d_k, its root and its square."""
    small, large = (int(torch.randint(*bounds, (), generator=g)) for bounds in ((5, 12), (100, 300)))
    return [Case("few components", (small,)), Case("64 components", (64,)), Case("many components", (large,))]


@exercise.alternative
def sum_of_ones(d_k):
    variance_of_one_product = 1.0 * 1.0
    return sum(variance_of_one_product for _ in range(d_k))


@exercise.alternative
def as_a_tensor(d_k):
    return torch.ones(d_k).sum()


exercise.slip("standard_deviation", "float(d_k) → math.sqrt(d_k)").says(
    "This is the standard deviation: the variance is its square."
)
exercise.slip("of_one_component", "float(d_k) → 1.0").says(
    "A variance of 1 is that of one product q_i k_i, or of q · k after dividing by √d_k: q · k is a sum "
    "of d_k such products, and variances of independent terms add up."
)
exercise.slip("mean_for_variance", "float(d_k) → 0.0").says(
    "0 is the mean of q · k: the products are as often positive as negative, but they vary all the same."
)
exercise.slip("reciprocal", "float(d_k) → 1 / d_k").says(
    "The variance of a mean shrinks like 1/d_k, but q · k is a sum: it isn't divided by anything yet."
)
exercise.slip("two_vectors_added", "float(d_k) → 2 * d_k").says(
    "The variances of q_i and k_i are added, as for q_i + k_i: they are multiplied, and the product of "
    "two independent numbers with mean 0 and variance 1 has variance 1."
)
exercise.slip("squared", "float(d_k) → d_k**2").says(
    "d_k² would be right if all d_k products were one and the same number: they are independent, and the "
    "variance of their sum is d_k times the variance of one."
)

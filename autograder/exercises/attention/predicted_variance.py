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


exercise.slip(
    "standard_deviation",
    "This is the standard deviation: the variance is its square.",
    ("float", "math.sqrt"),
)
exercise.slip(
    "of_one_component",
    "A variance of 1 is that of one product q_i k_i, or of q · k after dividing by √d_k: q · k is a sum "
    "of d_k such products, and variances of independent terms add up.",
    ("float(d_k)", "1.0"),
)
exercise.slip(
    "mean_for_variance",
    "0 is the mean of q · k: the products are as often positive as negative, but they vary all the same.",
    ("float(d_k)", "0.0"),
)
exercise.slip(
    "reciprocal",
    "The variance of a mean shrinks like 1/d_k, but q · k is a sum: it isn't divided by anything yet.",
    ("float(d_k)", "1 / d_k"),
)
exercise.slip(
    "two_vectors_added",
    "The variances of q_i and k_i are added, as for q_i + k_i: they are multiplied, and the product of "
    "two independent numbers with mean 0 and variance 1 has variance 1.",
    ("float(d_k)", "2 * d_k"),
)
exercise.slip(
    "squared",
    "d_k² would be right if all d_k products were one and the same number: they are independent, and the "
    "variance of their sum is d_k times the variance of one.",
    ("float(d_k)", "d_k**2"),
)

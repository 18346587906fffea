"""Lesson 05's misconceptions of counting: each exercise's reference with one slip in it.

Its docstring is the sentence for the student who makes it. Each function stands alone, with `torch`,
`math` and what the lesson has by then as its only names. The other exercises have theirs in
`misconceptions_layer.py`, `misconceptions_measure.py` and `misconceptions_block.py`.
"""

# ruff: noqa: D205  (a sentence may take two lines)

import math

# -- a matrix product ----------------------------------------------------------------------------------------


def multiplications_alone(a, b):
    """This is half: a multiply-add is counted as 2 FLOPs, one for the multiplication and one for the
    addition.
    """
    return math.prod(a) * b[-1]


def one_addition_less(a, b):
    """Strictly, a sum of k terms has k − 1 additions, but by convention each multiply-add counts as 2:
    hardware does the two as one, and starts its sum at 0.
    """
    return math.prod(a[:-1]) * b[-1] * (2 * a[-1] - 1)


def batch_left_out(a, b):
    """This counts one product of two matrices: the axes in front say how many such products there are,
    so multiply by all of them.
    """
    return 2 * a[-2] * a[-1] * b[-1]


def numbers_in_the_result(a, b):
    """This counts 2 for each number of the result: each is a dot product, with as many multiply-adds as
    the shared axis is long.
    """
    return 2 * math.prod(a[:-1]) * b[-1]


def all_sizes_multiplied(a, b):
    """All sizes of both shapes are multiplied, so the shared axis counts twice, and so does every batch
    axis that both have: each stands in the product once.
    """
    return 2 * math.prod(a) * math.prod(b)


def numbers_read(a, b):
    """These are the numbers of the two matrices, which is what is read: each of them is used many times
    over, and every use is a multiply-add.
    """
    return 2 * (math.prod(a) + math.prod(b))


# -- attention, step by step ---------------------------------------------------------------------------------


def scores_of_n_by_d(n, d):
    """Here QKᵀ is taken for n × d: it has a score for each query and each key, so it is n × n, and its cost
    grows with n².
    """
    return {
        "projections": 6 * n * d * d,
        "scores": 2 * n * d * d,
        "softmax": 6 * n * d,
        "mixture": 2 * n * d * d,
    }


def each_multiply_add_once(n, d):
    """The matrix products are half of what they should be: a multiply-add counts as 2."""
    return {
        "projections": 3 * n * d * d,
        "scores": n * n * d,
        "softmax": 6 * n * n,
        "mixture": n * n * d,
    }


def no_second_product(n, d):
    """The second product is missing: mixing the values, weights @ V, is a product of an n × n matrix with
    an n × d matrix, and costs as much as the scores.
    """
    return {
        "projections": 6 * n * d * d,
        "scores": 2 * n * n * d,
        "softmax": 6 * n * n,
        "mixture": 0,
    }


def mixture_for_one_query(n, d):
    """The mixture is counted for one query: n values of d numbers are averaged anew for each of the n
    queries.
    """
    return {
        "projections": 6 * n * d * d,
        "scores": 2 * n * n * d,
        "softmax": 6 * n * n,
        "mixture": 2 * n * d,
    }


def no_projections(n, d):
    """The projections are forgotten: before the scores, x is multiplied by W_q, W_k and W_v, three
    matrices of d × d.
    """
    return {
        "projections": 0,
        "scores": 2 * n * n * d,
        "softmax": 6 * n * n,
        "mixture": 2 * n * n * d,
    }


def one_projection(n, d):
    """One projection is counted: queries, keys and values have a matrix each, so there are three."""
    return {
        "projections": 2 * n * d * d,
        "scores": 2 * n * n * d,
        "softmax": 6 * n * n,
        "mixture": 2 * n * n * d,
    }


def projection_of_one_position(n, d):
    """The projections are counted for one position: each of the n rows of x goes through the three
    matrices.
    """
    return {
        "projections": 6 * d * d,
        "scores": 2 * n * n * d,
        "softmax": 6 * n * n,
        "mixture": 2 * n * n * d,
    }


def softmax_of_one_row(n, d):
    """The softmax is counted for one query: there are n rows of n scores, with 6 operations for each."""
    return {
        "projections": 6 * n * d * d,
        "scores": 2 * n * n * d,
        "softmax": 6 * n,
        "mixture": 2 * n * n * d,
    }


# -- how far a convolution sees ------------------------------------------------------------------------------


def kernel_counted_whole(n, k, dilated):
    """Each layer of steps of 1 is taken to add k positions: it adds k − 1, since one of the k that a
    kernel sees is the position itself.
    """
    if not dilated:
        return -(-n // k)
    layers, sees = 0, 1
    while sees < n:
        layers, sees = layers + 1, sees * k
    return layers


def rounded_down(n, k, dilated):
    """The number of layers is rounded down, which leaves the first position just out of sight: what doesn't
    fit takes one more layer.
    """
    if not dilated:
        return (n - 1) // (k - 1)
    layers, sees = 0, k
    while sees <= n:
        layers, sees = layers + 1, sees * k
    return layers


def logarithm_rounded_up(n, k, dilated):
    """Right except for rounding: math.log(125, 5) is 3.0000000000000004, which rounds up to 4, so count with
    whole numbers instead.
    """
    return math.ceil(math.log(n, k)) if dilated else math.ceil((n - 1) / (k - 1))


def one_layer_too_many(n, k, dilated):
    """One layer too many where the fit is exact: the last position counts among the n, so the stack is
    done when it sees n positions, not more than n.
    """
    layers, sees = 0, 1
    while sees <= n:
        layers, sees = layers + 1, sees * k if dilated else sees + k - 1
    return layers


def never_dilated(n, k, dilated):
    """Dilation changes nothing here: with it, each layer multiplies what a position sees by k, where
    otherwise it adds k − 1.
    """
    return -(-(n - 1) // (k - 1))


def always_dilated(n, k, dilated):
    """Here every layer multiplies what a position sees by k: that takes dilated kernels, and without them
    a layer adds k − 1.
    """
    layers, sees = 0, 1
    while sees < n:
        layers, sees = layers + 1, sees * k
    return layers


def doubled_for_any_kernel(n, k, dilated):
    """The steps double from layer to layer, which is right for k = 2: with a kernel of k, they can grow by
    k from layer to layer without leaving a gap.
    """
    layers, sees = 0, 1
    while sees < n:
        layers, sees = layers + 1, sees * 2 if dilated else sees + k - 1
    return layers

"""Misconceptions of lesson 05's exercises that compare layers; see `misconceptions.py`."""

# ruff: noqa: D205  (a sentence may take two lines)

from helpers.complexity import layers_to_connect

# -- the table -----------------------------------------------------------------------------------------------


def attention_and_recurrence_swapped(layer, n, d, k):
    """The operations of attention and recurrence are swapped: attention compares n positions with n,
    hence n²d, and a recurrent layer multiplies by a d × d matrix at each of n steps, hence nd².
    """
    if layer == "self-attention":
        return n * d * d, 1, 1
    if layer == "recurrent":
        return n * n * d, n, n
    return k * n * d * d, 1, layers_to_connect(n, k, True)


def attention_without_features(layer, n, d, k):
    """n² is the number of scores: each is a dot product of d numbers, so attention takes n²d."""
    if layer == "self-attention":
        return n * n, 1, 1
    if layer == "recurrent":
        return n * d * d, n, n
    return k * n * d * d, 1, layers_to_connect(n, k, True)


def kernel_forgotten(layer, n, d, k):
    """The kernel's width is missing from the convolution's operations: it has a d × d matrix for each of
    its k places.
    """
    if layer == "self-attention":
        return n * n * d, 1, 1
    if layer == "recurrent":
        return n * d * d, n, n
    return n * d * d, 1, layers_to_connect(n, k, True)


def convolution_of_each_feature(layer, n, d, k):
    """The convolution is counted with one number for each place and feature: a full one mixes all d
    features into all d, with a d × d matrix at each of its k places.
    """
    if layer == "self-attention":
        return n * n * d, 1, 1
    if layer == "recurrent":
        return n * d * d, n, n
    return k * n * d, 1, layers_to_connect(n, k, True)


def recurrence_in_parallel(layer, n, d, k):
    """A recurrent layer can't do its steps at once: each needs the state that the one before gives, so n
    must come one after another.
    """
    if layer == "self-attention":
        return n * n * d, 1, 1
    if layer == "recurrent":
        return n * d * d, 1, n
    return k * n * d * d, 1, layers_to_connect(n, k, True)


def attention_in_steps(layer, n, d, k):
    """Attention's n queries don't wait for each other: no query needs another's output, so all are one
    matrix product, and one step.
    """
    if layer == "self-attention":
        return n * n * d, n, 1
    if layer == "recurrent":
        return n * d * d, n, n
    return k * n * d * d, 1, layers_to_connect(n, k, True)


def convolution_in_steps(layer, n, d, k):
    """A convolution's positions don't wait for each other: each output needs only inputs, so one layer is one
    step.
    """
    if layer == "self-attention":
        return n * n * d, 1, 1
    if layer == "recurrent":
        return n * d * d, n, n
    return k * n * d * d, n, layers_to_connect(n, k, True)


def short_path_through_recurrence(layer, n, d, k):
    """The path through a recurrent layer isn't 1: what the first position says is handed from state to
    state, n of them, until the last position hears it.
    """
    if layer == "self-attention":
        return n * n * d, 1, 1
    if layer == "recurrent":
        return n * d * d, n, 1
    return k * n * d * d, 1, layers_to_connect(n, k, True)


def long_path_through_attention(layer, n, d, k):
    """The path through attention isn't n: the last query scores the first key itself, however far away it
    is, so the path is 1.
    """
    if layer == "self-attention":
        return n * n * d, 1, n
    if layer == "recurrent":
        return n * d * d, n, n
    return k * n * d * d, 1, layers_to_connect(n, k, True)


def short_path_through_convolution(layer, n, d, k):
    """One convolution connects only k neighbours: from the first position to the last it takes a stack, whose
    height you have counted in Exercise 5.5.
    """
    if layer == "self-attention":
        return n * n * d, 1, 1
    if layer == "recurrent":
        return n * d * d, n, n
    return k * n * d * d, 1, 1


def path_without_dilation(layer, n, d, k):
    """This is the path through kernels with steps of 1: the table's short one is that of dilated
    kernels.
    """
    if layer == "self-attention":
        return n * n * d, 1, 1
    if layer == "recurrent":
        return n * d * d, n, n
    return k * n * d * d, 1, layers_to_connect(n, k, False)


def root_for_logarithm(layer, n, d, k):
    """This path is the k-th root of n: each layer multiplies by k what a position sees, so count how many
    such factors it takes to reach n.
    """
    if layer == "self-attention":
        return n * n * d, 1, 1
    if layer == "recurrent":
        return n * d * d, n, n
    path = 1
    while path**k < n:
        path += 1
    return k * n * d * d, 1, path


def constant_factors_kept(layer, n, d, k):
    """Constant factors are kept here: the table drops the 2 of a multiply-add and the 2 of two products, so
    that n²d, nd² and knd² are left.
    """
    if layer == "self-attention":
        return 4 * n * n * d, 1, 1
    if layer == "recurrent":
        return 4 * n * d * d, n, n
    return 2 * k * n * d * d, 1, layers_to_connect(n, k, True)


def path_of_one_less(layer, n, d, k):
    """Strictly, a signal is handed on n − 1 times: the table keeps the leading term, which is n."""
    if layer == "self-attention":
        return n * n * d, 1, 1
    if layer == "recurrent":
        return n * d * d, n, n - 1
    return k * n * d * d, 1, layers_to_connect(n, k, True)


# -- where they cross ----------------------------------------------------------------------------------------


def sides_swapped(d, projections, recurrent):
    """Here attention wins where recurrence should: a recurrent layer with more matrices costs more, so it
    moves the crossing to longer sequences.
    """
    return max(0, d * (projections - recurrent) / 2)


def below_zero(d, projections, recurrent):
    """A length can't be negative: where attention takes more FLOPs from the first position on, the answer
    is 0.
    """
    return d * (recurrent - projections) / 2


def one_product_of_attention(d, projections, recurrent):
    """This is twice the length, as where one of attention's two n × n products is missing: scores and mixture
    take 2n²d each, 4n²d together.
    """
    return max(0, d * (recurrent - projections))


def projections_left_out(d, projections, recurrent):
    """Attention's projections are left out: they cost 2nd² each, and count on attention's side."""
    return max(0, d * recurrent / 2)


def recurrence_counted_once(d, projections, recurrent):
    """A multiply-add counts as 2 on attention's side and as 1 on the recurrent layer's: count both alike, and
    the 2 cancels.
    """
    return max(0, d * (recurrent - 2 * projections) / 4)


def always_the_width(d, projections, recurrent):
    """Only for table 1 is the crossing at n = d: projections move it down, and more products in each
    recurrent step move it up.
    """
    return d


def upside_down(d, projections, recurrent):
    """The equation is solved upside down: 4n²d = 2(recurrent − projections)nd², so divide by 4nd, and the
    difference ends up on top.
    """
    return max(0, 2 * d / (recurrent - projections)) if recurrent != projections else 0

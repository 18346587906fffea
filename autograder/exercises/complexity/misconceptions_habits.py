"""Misconceptions of lesson 05 that come from numbers: fractions of layers, roundings, sums of nothing."""

# ruff: noqa: D205  (a sentence may take two lines)

import math

from helpers.attention import scaled_dot_product_attention
from helpers.complexity import absorb, layers_to_connect


def fraction_of_a_layer(n, k, dilated):
    """This is a fraction of a layer: layers are whole, so what is begun counts as one more, and counting
    avoids the rounding of a logarithm.
    """
    return math.log(n) / math.log(k) if dilated else (n - 1) / (k - 1)


def height_not_rounded(layer, n, d, k):
    """The height of the convolutions is the logarithm as it is: a stack has whole layers, and what is begun
    counts as one more, as in `layers_to_connect`.
    """
    if layer == "self-attention":
        return n**2 * d, 1, 1
    if layer == "recurrent":
        return n * d**2, n, n
    return k * n * d**2, 1, math.log(n, k)


def kernels_side_by_side(layer, n, d, k):
    """The convolution's path is n/k, as many kernels as lie side by side: it is the height of a stack with
    growing steps, in which each layer multiplies what is seen by k.
    """
    if layer == "self-attention":
        return n**2 * d, 1, 1
    if layer == "recurrent":
        return n * d**2, n, n
    return k * n * d**2, 1, n / k


def halved_too_early(d, projections, recurrent):
    """The difference of the two numbers of matrices is halved and rounded down first, which loses half of d
    where it is odd: divide last, or with /.
    """
    return max((recurrent - projections) // 2 * d, 0)


def matrices_added(d, projections, recurrent):
    """The two numbers of matrices are added: attention's projections are on its own side of the equation, so
    they are subtracted from the recurrent layer's.
    """
    return (recurrent + projections) * d / 2


def sums_before_products(sizes, times):
    """The numerator is 0: deviations from their mean always sum to 0, so multiply them pair by pair before
    you sum.
    """
    x, y = sizes.log(), times.log()
    return ((x - x.mean()).sum() * (y - y.mean()).sum()).round() / ((x - x.mean()) ** 2).sum()


def result_thrown_away(q, k, v, block):
    """Every number is NaN, as 0/0 is: `absorb` gives back new numbers and leaves those that it is given as
    they were, so what it returns has to be kept, and is divided at the end alone.
    """
    largest, total = q.new_full(q.shape[:-1], -math.inf), q.new_zeros(q.shape[:-1])
    mixture = q.new_zeros(*q.shape[:-1], v.size(-1))
    for start in range(0, k.size(-2), block):
        piece = slice(start, start + block)
        scores = q @ k[..., piece, :].transpose(-2, -1) / math.sqrt(q.size(-1))
        absorb(largest, total, mixture, scores, v[..., piece, :])
    return mixture / total.unsqueeze(-1)


def scores_without_transpose(n, d):
    """The scores are counted as (n, d) times (n, d): K is transposed for them, (d, n), so each of n · n
    scores takes d multiply-adds.
    """
    return {
        "projections": 6 * n * d * d,
        "scores": 2 * n * d * d,
        "softmax": 6 * n * n,
        "mixture": 2 * n * n * d,
    }


def steps_doubled(n, k, dilated):
    """The steps are 1, 2, 4, and so on, as in WaveNet: here they grow by the factor k, 1, k, k², and what is
    seen with them.
    """
    layers, sees, step = 0, 1, 1
    while sees < n:
        layers, sees, step = layers + 1, sees + (k - 1) * step, 2 * step if dilated else 1
    return layers


def steps_of_the_stack(layer, n, d, k):
    """The convolution's sequential steps are those of a whole stack: they are asked of one layer, whose
    positions don't wait for each other.
    """
    if layer == "self-attention":
        return n**2 * d, 1, 1
    if layer == "recurrent":
        return n * d**2, n, n
    return k * n * d**2, layers_to_connect(n, k, True), layers_to_connect(n, k, True)


def operations_of_the_stack(layer, n, d, k):
    """The convolution's operations are those of a whole stack: only the path is, and operations are those of
    one layer.
    """
    if layer == "self-attention":
        return n**2 * d, 1, 1
    if layer == "recurrent":
        return n * d**2, n, n
    height = layers_to_connect(n, k, True)
    return height * k * n * d**2, 1, height


def last_block_left_out(q, k, v, block):
    """The last block is left out: the blocks begin at 0, block, 2 · block and so on, for as long as there are
    keys.
    """
    largest, total = q.new_full(q.shape[:-1], -math.inf), q.new_zeros(q.shape[:-1])
    mixture = q.new_zeros(*q.shape[:-1], v.size(-1))
    for start in range(0, k.size(-2) - block, block):
        piece = slice(start, start + block)
        scores = q @ k[..., piece, :].transpose(-2, -1) / math.sqrt(q.size(-1))
        largest, total, mixture = absorb(largest, total, mixture, scores, v[..., piece, :])
    return mixture / total.unsqueeze(-1)


def divided_in_the_loop(q, k, v, block):
    """The mixture is divided by the total after each block, and goes on as if it were still a sum: divide
    once, after the last block.
    """
    largest, total = q.new_full(q.shape[:-1], -math.inf), q.new_zeros(q.shape[:-1])
    mixture = q.new_zeros(*q.shape[:-1], v.size(-1))
    for start in range(0, k.size(-2), block):
        piece = slice(start, start + block)
        scores = q @ k[..., piece, :].transpose(-2, -1) / math.sqrt(q.size(-1))
        largest, total, mixture = absorb(largest, total, mixture, scores, v[..., piece, :])
        mixture = mixture / total.unsqueeze(-1)
    return mixture


def one_less_in_the_variance(sizes, times):
    """The numerator is a mean over N points and the variance of the sizes is divided by N − 1, as .var() does
    it: the divisors cancel where both are the same.
    """
    x, y = sizes.log(), times.log()
    return ((x - x.mean()) * (y - y.mean())).mean() / x.var()


def blocks_scaled_again(q, k, v, block):
    """The scores are divided by d_k, or by √d_k twice: it is √d_k, once, of the queries or of the scores."""
    largest, total = q.new_full(q.shape[:-1], -math.inf), q.new_zeros(q.shape[:-1])
    mixture = q.new_zeros(*q.shape[:-1], v.size(-1))
    for start in range(0, k.size(-2), block):
        piece = slice(start, start + block)
        scores = q @ k[..., piece, :].transpose(-2, -1) / q.size(-1)
        largest, total, mixture = absorb(largest, total, mixture, scores, v[..., piece, :])
    return mixture / total.unsqueeze(-1)


def batch_counted_twice(a, b):
    """The axes in front are counted for both sides: they say how many products there are, and that is the
    same number on both.
    """
    return 2 * math.prod(a) * b[-1] * math.prod(b[:-2])


def growing_steps_rounded_down(n, k, dilated):
    """With growing steps the number of layers is rounded down: what doesn't fit takes one more layer."""
    if not dilated:
        return math.ceil((n - 1) / (k - 1))
    layers = 0
    while k ** (layers + 1) <= n:
        layers += 1
    return layers


def itself_counted_in(n, k, dilated):
    """With steps of 1 the layers are to bring n positions into sight: the last sees itself before any layer,
    so n − 1 are left.
    """
    if not dilated:
        return math.ceil(n / (k - 1))
    layers = 0
    while k**layers < n:
        layers += 1
    return layers


def whole_kernels_side_by_side(layer, n, d, k):
    """The convolution's path is n/k, rounded up, as if a signal passed kernels side by side: it is the height
    of a stack with growing steps, in which each layer multiplies what is seen by k.
    """
    if layer == "self-attention":
        return n**2 * d, 1, 1
    if layer == "recurrent":
        return n * d**2, n, n
    return k * n * d**2, 1, math.ceil(n / k)


def logarithms_of_means(sizes, times):
    """The means are taken before the logarithms: the line goes through the mean of the logarithms, which
    isn't the logarithm of the mean.
    """
    x, y = sizes.log() - sizes.mean().log(), times.log() - times.mean().log()
    return (x * y).sum() / (x * x).sum()


def first_block_alone(q, k, v, block):
    """Only the first block is read, as when the `return` stands inside of the loop, which it then ends."""
    scores = q @ k[..., :block, :].transpose(-2, -1) / math.sqrt(q.size(-1))
    return scores.softmax(dim=-1) @ v[..., :block, :]


def repeated_by_their_own_number(q, k, v):
    """Each head of keys appears G times, as many as there are of them: it serves one group, which has H/G
    query heads.
    """
    k, v = (t.repeat_interleave(k.size(-3), dim=-3) for t in (k, v))
    return scaled_dot_product_attention(q, k, v)[0]


def members_meet_heads(q, k, v):
    """The first member of each group uses the first head of keys, the second the second: all of a group share
    one, so the axis of size 1 stands on the wrong side of the heads of keys.
    """
    grouped = q.unflatten(-3, (k.size(-3), -1))
    found = scaled_dot_product_attention(grouped, k.unsqueeze(-4), v.unsqueeze(-4))[0]
    return found.flatten(-4, -3)

"""The block's misconceptions about its small parts: each reference with one slip in it, as a student has it.

A docstring is the sentence that the student reads. Each function stands alone, with `torch` and `math` as its
only names, so that the class simulator can paste it.
"""

# ruff: noqa: D205  (a sentence may take two lines, and is no command)

import math

import torch

# -- tokens to vectors and back ------------------------------------------------------------------------------


def not_scaled(ids, words, positions):
    """The tokens' rows aren't multiplied by √C: beside the positions they then count for too little."""
    return words[ids] + positions[: ids.size(-1)]


def scaled_down(ids, words, positions):
    """The tokens' rows are divided by √C, as scores are in attention: here they are multiplied."""
    return words[ids] / math.sqrt(words.size(-1)) + positions[: ids.size(-1)]


def scaled_by_width(ids, words, positions):
    """The tokens' rows are multiplied by C, but the factor is its root."""
    return words.size(-1) * words[ids] + positions[: ids.size(-1)]


def positions_scaled_too(ids, words, positions):
    """Token and position are added first and scaled together: √C belongs to the token's row alone."""
    return math.sqrt(words.size(-1)) * (words[ids] + positions[: ids.size(-1)])


def positions_of_tokens(ids, words, positions):
    """The positions' rows are looked up by token: they go by place, the first row for the first token."""
    return math.sqrt(words.size(-1)) * words[ids] + positions[ids % len(positions)]


def positions_from_one(ids, words, positions):
    """The first token gets the second row of the positions: places count from 0."""
    places = (torch.arange(ids.size(-1)) + 1) % len(positions)
    return math.sqrt(words.size(-1)) * words[ids] + positions[places]


def last_positions(ids, words, positions):
    """The tokens get the last rows of the positions' table, where the first ones belong."""
    return math.sqrt(words.size(-1)) * words[ids] + positions[-ids.size(-1) :]


def no_positions(ids, words, positions):
    """The positions are left out: a bag of tokens is all that blocks could see."""
    return math.sqrt(words.size(-1)) * words[ids]


def scaled_by_vocabulary(ids, words, positions):
    """The factor is the root of the number of tokens, V, where it should be that of the width, C."""
    return math.sqrt(len(words)) * words[ids] + positions[: ids.size(-1)]


def unembedded_and_scaled(x, words):
    """The scores are multiplied by √C too: the factor belongs to the way in alone."""
    return math.sqrt(words.size(-1)) * x @ words.T


def unembedded_and_divided(x, words):
    """The scores are divided by √C, as in attention: a head's scores are plain dot products."""
    return x @ words.T / math.sqrt(words.size(-1))


def unembedded_to_probabilities(x, words):
    """These are probabilities: logits are what comes before the softmax."""
    return (x @ words.T).softmax(dim=-1)


def unembedded_to_one_token(x, words):
    """This names the best token alone: the logits have a score for each of the V tokens."""
    return (x @ words.T).argmax(dim=-1)


def unembedded_by_distance(x, words):
    """These are distances to the rows: the score is the dot product, which is large where a row fits."""
    return (x.unsqueeze(-2) - words).square().sum(dim=-1)


# -- norm ----------------------------------------------------------------------------------------------------


def divided_by_one_less(x, weight, bias, eps=1e-5):
    """The variance is divided by C − 1, which is what `var` does by default: layer norm divides by C."""
    return (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, keepdim=True) + eps) * weight + bias


def torch_std(x, weight, bias, eps=1e-5):
    """x.std() divides the squares by n − 1, and eps is added outside of the root: use the mean of the
    squares, and add eps to it.
    """
    return (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + eps) * weight + bias


def over_all_but_the_last(x, weight, bias, eps=1e-5):
    """Mean and variance go over the batch and the positions, channel by channel, as in a batch norm: here
    each vector has its own, over the last axis.
    """
    axes = tuple(range(max(x.dim() - 1, 1)))
    mean, variance = x.mean(axes, keepdim=True), x.var(axes, correction=0, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


def over_the_last_two(x, weight, bias, eps=1e-5):
    """Mean and variance go over positions and channels together: each position's vector is normalised by
    itself, over the last axis alone.
    """
    axes = tuple(range(-min(x.dim(), 2), 0))
    mean, variance = x.mean(axes, keepdim=True), x.var(axes, correction=0, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


def one_variance_for_all(x, weight, bias, eps=1e-5):
    """The mean is each vector's own, but one variance serves the whole tensor: it needs the same axis."""
    return (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(correction=0) + eps) * weight + bias


def weight_and_bias_exchanged(x, weight, bias, eps=1e-5):
    """Weight and bias have changed places: the weight multiplies, the bias is added."""
    deviation = torch.sqrt(x.var(-1, correction=0, keepdim=True) + eps)
    return (x - x.mean(-1, keepdim=True)) / deviation * bias + weight


def mean_deviation(x, weight, bias, eps=1e-5):
    """This divides by the mean absolute value: the standard deviation is the root of the mean square."""
    centred = x - x.mean(-1, keepdim=True)
    return centred / (centred.abs().mean(-1, keepdim=True) + eps) * weight + bias


def eps_beside_the_root(x, weight, bias, eps=1e-5):
    """The eps is added to the standard deviation, but it belongs to the variance, inside of the root."""
    deviation = x.var(-1, correction=0, keepdim=True).sqrt()
    return (x - x.mean(-1, keepdim=True)) / (deviation + eps) * weight + bias


def eps_left_out(x, weight, bias, eps=1e-5):
    """The eps is left out, so that a vector whose channels are alike is divided by 0."""
    deviation = x.var(-1, correction=0, keepdim=True).sqrt()
    return (x - x.mean(-1, keepdim=True)) / deviation * weight + bias


def eps_written_in(x, weight, bias, eps=1e-5):
    """The eps is always 1e-5 here, whatever the argument says."""
    variance = x.var(-1, correction=0, keepdim=True)
    return (x - x.mean(-1, keepdim=True)) / torch.sqrt(variance + 1e-5) * weight + bias


def over_everything(x, weight, bias, eps=1e-5):
    """Mean and variance are taken over all numbers at once: each vector is normalised by itself."""
    return (x - x.mean()) / torch.sqrt(x.var(correction=0) + eps) * weight + bias


def over_the_first_axis(x, weight, bias, eps=1e-5):
    """Mean and variance go over the first axis, as in batch norm: layer norm goes over the channels."""
    mean, variance = x.mean(0, keepdim=True), x.var(0, correction=0, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


def mean_stays(x, weight, bias, eps=1e-5):
    """The mean isn't subtracted: the vector is divided by its deviation, but keeps its offset."""
    return x / torch.sqrt(x.var(-1, correction=0, keepdim=True) + eps) * weight + bias


def divided_by_variance(x, weight, bias, eps=1e-5):
    """This divides by the variance: for a variance of 1 it takes the root of it, the standard deviation."""
    variance = x.var(-1, correction=0, keepdim=True)
    return (x - x.mean(-1, keepdim=True)) / (variance + eps) * weight + bias


def root_mean_square(x, weight, bias, eps=1e-5):
    """The size is taken before the mean is subtracted: the variance is the mean square of what is left."""
    size = torch.sqrt(x.square().mean(-1, keepdim=True) + eps)
    return (x - x.mean(-1, keepdim=True)) / size * weight + bias


def mean_of_squares_minus(x, weight, bias, eps=1e-5):
    """E[x²] − E[x]² is a difference of two large numbers far from 0, and rounding eats what is left: subtract
    the mean first, then square.
    """
    mean = x.mean(-1, keepdim=True)
    variance = (x.square().mean(-1, keepdim=True) - mean.square()).clamp(min=0)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


def scale_left_out(x, weight, bias, eps=1e-5):
    """The weight is left out: each channel is multiplied by one of its own after the norm."""
    return (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, correction=0, keepdim=True) + eps) + bias


def shift_left_out(x, weight, bias, eps=1e-5):
    """The bias is left out: each channel is shifted by one of its own at the end."""
    return (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, correction=0, keepdim=True) + eps) * weight


def shifted_before_scaled(x, weight, bias, eps=1e-5):
    """The bias is added before the multiplication: the weight comes first, then the bias."""
    normed = (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, correction=0, keepdim=True) + eps)
    return (normed + bias) * weight


# -- activation ----------------------------------------------------------------------------------------------


def tanh_approximation(x):
    """This is the approximation with a tanh, which is off by up to 0.0005: the formula with erf is exact."""
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def tanh_by_another_root(x):
    """The approximation with a tanh has √(2/π) in front, not √(2π), and the formula with erf is exact."""
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 * math.pi) * (x + 0.044715 * x**3)))


def sigmoid_approximation(x):
    """x·σ(1.702x) is a rough approximation, off by up to 0.02: the formula with erf is exact."""
    return x * torch.sigmoid(1.702 * x)


def silu(x):
    """x·σ(x) is another function, SiLU: Φ is the normal distribution's, not the logistic one's."""
    return x * torch.sigmoid(x)


def relu(x):
    """This is ReLU, which cuts off at 0: a GELU lets a little of small negative numbers through."""
    return x.clamp(min=0)


def erf_without_root(x):
    """Erf gets x as it is: the share below x of a standard normal distribution is (1 + erf(x/√2))/2."""
    return x * (1 + torch.erf(x)) / 2


def phi_alone(x):
    """This is Φ(x) alone: it says which share of x is let through, so x has to be multiplied by it."""
    return (1 + torch.erf(x / math.sqrt(2))) / 2


def not_halved(x):
    """The half is missing: 1 + erf lies between 0 and 2, and a share between 0 and 1."""
    return x * (1 + torch.erf(x / math.sqrt(2)))


def brackets_forgotten(x):
    """Only the 1 is multiplied by x, and erf is added to that: 1 + erf needs brackets around it."""
    return 0.5 * x * 1 + torch.erf(x / math.sqrt(2))


def erf_alone(x):
    """The 1 is missing: erf lies between −1 and 1, and a share between 0 and 1."""
    return x * torch.erf(x / math.sqrt(2)) / 2


def density(x):
    """This multiplies by the density φ, the bell curve: Φ is the area under it, up to x."""
    return x * torch.exp(-x * x / 2) / math.sqrt(2 * math.pi)


# -- the residual path ---------------------------------------------------------------------------------------


def path_forgotten(x, sublayer, norm, norm_first=True):
    """The residual path is missing: what the sublayer says is added to x, and doesn't replace it."""
    return sublayer(norm(x)) if norm_first else norm(sublayer(x))


def path_normalised(x, sublayer, norm, norm_first=True):
    """With the norm first, the path itself goes through the norm: only what the sublayer reads should."""
    return norm(x) + sublayer(norm(x)) if norm_first else norm(x + sublayer(x))


def always_first(x, sublayer, norm, norm_first=True):
    """`norm_first=False` changes nothing here: the norm then comes after the sum."""
    return x + sublayer(norm(x))


def always_last(x, sublayer, norm, norm_first=True):
    """The norm always comes after the sum: with `norm_first` it stands before the sublayer."""
    return norm(x + sublayer(x))


def turned_round(x, sublayer, norm, norm_first=True):
    """First and last are exchanged: `norm_first=True` normalises what the sublayer reads."""
    return norm(x + sublayer(x)) if norm_first else x + sublayer(norm(x))


def normed_twice(x, sublayer, norm, norm_first=True):
    """With the norm last, the sublayer reads normalised numbers too: there it reads x as it is."""
    return x + sublayer(norm(x)) if norm_first else norm(x + sublayer(norm(x)))


def output_normed(x, sublayer, norm, norm_first=True):
    """With the norm first, this normalises what the sublayer says: the norm goes before it."""
    return x + norm(sublayer(x)) if norm_first else norm(x + sublayer(x))


def sum_not_normed(x, sublayer, norm, norm_first=True):
    """With the norm last, it is taken of the sublayer's output alone: it belongs around the sum."""
    return x + sublayer(norm(x)) if norm_first else x + norm(sublayer(x))


def path_added_twice(x, sublayer, norm, norm_first=True):
    """The path x is added twice: the sublayer's output doesn't hold it, so adding it once is enough."""
    return x + x + sublayer(norm(x)) if norm_first else norm(x + x + sublayer(x))


# -- dropout -------------------------------------------------------------------------------------------------


def rest_not_scaled(x, p, training, chances):
    """What is left isn't scaled up by 1/(1 − p), so that sums get smaller while training than later."""
    return torch.where(chances < p, 0.0, x) if training else x


def rest_scaled_down(x, p, training, chances):
    """What is left is multiplied by 1 − p: dividing by it makes up for what is lost."""
    return torch.where(chances < p, 0.0, x * (1 - p)) if training else x


def rest_divided_by_share(x, p, training, chances):
    """What is left is divided by p, the share that goes: it is 1 − p that stays."""
    return torch.where(chances < p, 0.0, x / max(p, 0.001)) if training else x


def others_dropped(x, p, training, chances):
    """The wrong ones are dropped: a chance below p means that the number goes."""
    return torch.where(chances < p, x / (1 - p), 0.0) if training else x


def the_highest_dropped(x, p, training, chances):
    """The share is right, but the highest chances go: a chance below p means that the number goes."""
    return torch.where(chances >= 1 - p, 0.0, x / (1 - p)) if training else x


def dropped_later_too(x, p, training, chances):
    """`training` is ignored: after training nothing is dropped."""
    return torch.where(chances < p, 0.0, x / (1 - p))


def scaled_later_instead(x, p, training, chances):
    """Numbers are scaled when not training, as the paper of 2014 did: here training does it, and x stays."""
    return torch.where(chances < p, 0.0, x) if training else x * (1 - p)


def only_later(x, p, training, chances):
    """Numbers are dropped outside training: they should be dropped in training only."""
    return x if training else torch.where(chances < p, 0.0, x / (1 - p))


def not_dropped_at_all(x, p, training, chances):
    """Nothing is dropped here, whatever `chances` says."""
    return x * 1


# -- first weights -------------------------------------------------------------------------------------------


def all_alike(name, n_layers, std=0.02):
    """All weights are drawn alike: those that write to the residual path should be smaller."""
    return std


def root_of_layers(name, n_layers, std=0.02):
    """This divides by the root of the number of blocks, but each block has two sublayers that write."""
    return std / math.sqrt(n_layers) if name.endswith(("W_o.weight", "W_down.weight")) else std


def without_root(name, n_layers, std=0.02):
    """This divides by the number of sublayers: variances add up, so divide by its root."""
    return std / (2 * n_layers) if name.endswith(("W_o.weight", "W_down.weight")) else std


def all_smaller(name, n_layers, std=0.02):
    """Every weight is made smaller, but only those that write to the residual path should be."""
    return std / math.sqrt(2 * n_layers)


def attention_alone(name, n_layers, std=0.02):
    """Only attention's last map is made smaller: the feed-forward network writes to the path as well."""
    return std / math.sqrt(2 * n_layers) if name.endswith("W_o.weight") else std


def feed_forward_alone(name, n_layers, std=0.02):
    """Only the feed-forward network's last map is made smaller: attention writes to the path as well."""
    return std / math.sqrt(2 * n_layers) if name.endswith("W_down.weight") else std


def larger(name, n_layers, std=0.02):
    """The weights that write to the path are made larger: many of them add up, so each should be smaller."""
    return std * math.sqrt(2 * n_layers) if name.endswith(("W_o.weight", "W_down.weight")) else std


def readers_smaller(name, n_layers, std=0.02):
    """The maps that read from the path are made smaller: those that write to it should be."""
    return std / math.sqrt(2 * n_layers) if name.endswith(("_q.weight", "_k.weight", "W_up.weight")) else std

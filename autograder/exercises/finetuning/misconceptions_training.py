"""Lesson 09's misconceptions about freezing and groups, intervals, and word counts.

A docstring is the sentence that the student reads.
"""

# ruff: noqa: D205  (a sentence may take two lines)

import math

import torch

# -- freezing ------------------------------------------------------------------------------------------------


def evaluation_mode(model):
    """Nothing is frozen: `eval()` only switches dropout off, and `model.body.requires_grad = False` hangs an
    attribute on the module, so set `requires_grad` of each parameter.
    """
    model.body.eval()


def head_frozen_too(model):
    """The head is frozen as well, so nothing is left to train: only the body is to stay."""
    for parameter in model.parameters():
        parameter.requires_grad_(False)


def head_instead(model):
    """The head is frozen and the body trains: it should be the other way round."""
    for parameter in model.head.parameters():
        parameter.requires_grad_(False)


def only_one_layer(model):
    """Only the embedding is frozen: the body has more parameters than its first layer."""
    model.body.words.requires_grad_(False)


def weights_without_biases(model):
    """Only what is called weight is frozen, and the biases train on: all parameters of the body are to
    stay.
    """
    for name, parameter in model.body.named_parameters():
        if name.endswith("weight"):
            parameter.requires_grad_(False)


def counts_everything(model):
    """This counts all parameters, frozen ones too: ask each for its `requires_grad`."""
    return sum(parameter.numel() for parameter in model.parameters())


def counts_tensors(model):
    """This counts tensors: a parameter of 4 × 3 is 12 numbers, `numel()` of them."""
    return sum(1 for parameter in model.parameters() if parameter.requires_grad)


def counts_the_frozen(model):
    """This counts the frozen ones: `requires_grad` is True where training may change something."""
    return sum(parameter.numel() for parameter in model.parameters() if not parameter.requires_grad)


def counts_the_head(model):
    """This counts the head whatever is frozen: ask each parameter, since the body may train as well."""
    return sum(parameter.numel() for parameter in model.head.parameters())


def counts_gradients(model):
    """This counts parameters that have a gradient already, and before the first backward pass none has one:
    ask for `requires_grad`.
    """
    return sum(p.numel() for p in model.parameters() if p.grad is not None)


def rates_swapped(model, body_rate, head_rate):
    """The rates are swapped: the body, which knows something already, gets the head's rate."""
    parts = [(model.body, head_rate), (model.head, body_rate)]
    groups = [{"params": [w for w in p.parameters() if w.requires_grad], "lr": rate} for p, rate in parts]
    return [group for group in groups if group["params"]]


def head_twice(model, body_rate, head_rate):
    """The head is in both groups, since `model.parameters()` has all of the model: torch would refuse that,
    and no parameter can have two rates.
    """
    groups = [
        {"params": [w for w in model.parameters() if w.requires_grad], "lr": body_rate},
        {"params": [w for w in model.head.parameters() if w.requires_grad], "lr": head_rate},
    ]
    return [group for group in groups if group["params"]]


def one_rate(model, body_rate, head_rate):
    """The head gets the body's rate: it begins from nothing and needs its own."""
    return [{"params": [w for w in model.parameters() if w.requires_grad], "lr": body_rate}]


def frozen_included(model, body_rate, head_rate):
    """Frozen parameters are in the groups: the optimizer skips them as long as they have no gradient, but
    what doesn't train has no business there.
    """
    return [
        {"params": list(model.body.parameters()), "lr": body_rate},
        {"params": list(model.head.parameters()), "lr": head_rate},
    ]


def rate_misspelt(model, body_rate, head_rate):
    """The key for the rate is "lr": torch takes any other name without a word, and trains with the
    optimizer's own rate.
    """
    parts = [(model.body, body_rate), (model.head, head_rate)]
    groups = [
        {"params": [w for w in p.parameters() if w.requires_grad], "learning_rate": rate} for p, rate in parts
    ]
    return [group for group in groups if group["params"]]


def head_forgotten(model, body_rate, head_rate):
    """The head is in no group, so it never moves from where chance has put it."""
    weights = [w for w in model.body.parameters() if w.requires_grad]
    return [{"params": weights, "lr": body_rate}] if weights else []


def empty_group_kept(model, body_rate, head_rate):
    """A part that is frozen as a whole gets a group without parameters: leave such a group out, since nothing
    in it trains.
    """
    parts = [(model.body, body_rate), (model.head, head_rate)]
    return [{"params": [w for w in p.parameters() if w.requires_grad], "lr": rate} for p, rate in parts]


# -- intervals -----------------------------------------------------------------------------------------------


def plain_interval(correct, n, z):
    """This is p ± z √(p (1 - p) / n), the plain normal interval: with all right it has length 0, as if
    nothing could ever go wrong.
    """
    p = correct / n
    half = z * math.sqrt(p * (1 - p) / n)
    return p - half, p + half


def deviation_of_one(correct, n, z):
    """The square root lacks its division by n: that is how much single reviews vary, not their mean."""
    p, extra = correct / n, z**2 / n
    centre = (p + extra / 2) / (1 + extra)
    half = z * math.sqrt(p * (1 - p) + extra / 4) / (1 + extra)
    return centre - half, centre + half


def z_missing(correct, n, z):
    """The half length isn't multiplied by z, so this covers about 68 % instead of 95 %."""
    p, extra = correct / n, z**2 / n
    centre = (p + extra / 2) / (1 + extra)
    half = math.sqrt(p * (1 - p) / n + extra / (4 * n)) / (1 + extra)
    return centre - half, centre + half


def centre_not_moved(correct, n, z):
    """The interval lies around p: its centre is to be drawn a little towards one half."""
    p, extra = correct / n, z**2 / n
    half = z * math.sqrt(p * (1 - p) / n + extra / (4 * n)) / (1 + extra)
    return p - half, p + half


def z_not_squared(correct, n, z):
    """z²/n is z/n here: the square is missing."""
    p, extra = correct / n, z / n
    centre = (p + extra / 2) / (1 + extra)
    half = z * math.sqrt(p * (1 - p) / n + extra / (4 * n)) / (1 + extra)
    return centre - half, centre + half


def n_not_squared(correct, n, z):
    """Under the root z² is divided by 4n: it is 4n², so z²/n divided by 4n."""
    p, extra = correct / n, z**2 / n
    centre = (p + extra / 2) / (1 + extra)
    half = z * math.sqrt(p * (1 - p) / n + extra / 4) / (1 + extra)
    return centre - half, centre + half


def not_divided(correct, n, z):
    """The division by 1 + z²/n is missing, at the centre and at the half length."""
    p, extra = correct / n, z**2 / n
    half = z * math.sqrt(p * (1 - p) / n + extra / (4 * n))
    return p + extra / 2 - half, p + extra / 2 + half


def in_per_cent(correct, n, z):
    """This is in per cent: shares between 0 and 1 are asked for."""
    p, extra = correct / n, z**2 / n
    centre = (p + extra / 2) / (1 + extra)
    half = z * math.sqrt(p * (1 - p) / n + extra / (4 * n)) / (1 + extra)
    return 100 * (centre - half), 100 * (centre + half)


def deviation_for_error(values, quantiles):
    """This takes the standard deviation, which says how far single seeds lie apart: their mean is surer by
    √n.
    """
    n, mean = len(values), sum(values) / len(values)
    half = quantiles[n - 1] * math.sqrt(sum((v - mean) ** 2 for v in values) / (n - 1))
    return mean - half, mean + half


def divided_by_n(values, quantiles):
    """The squares are divided by n: a deviation around a mean of the same values needs n - 1, since the mean
    lies too near to them.
    """
    n, mean = len(values), sum(values) / len(values)
    half = quantiles[n - 1] * math.sqrt(sum((v - mean) ** 2 for v in values) / n / n)
    return mean - half, mean + half


def normal_quantile(values, quantiles):
    """This takes 1.96, which holds for many values: with a few seeds the deviation itself is uncertain, and
    Student's t allows for that.
    """
    n, mean = len(values), sum(values) / len(values)
    half = 1.96 * math.sqrt(sum((v - mean) ** 2 for v in values) / (n - 1) / n)
    return mean - half, mean + half


def degrees_are_n(values, quantiles):
    """This looks the quantile up at n: the degrees of freedom are n - 1, since the mean has used up one."""
    n, mean = len(values), sum(values) / len(values)
    half = quantiles[n] * math.sqrt(sum((v - mean) ** 2 for v in values) / (n - 1) / n)
    return mean - half, mean + half


def n_for_its_root(values, quantiles):
    """The deviation is divided by n: the standard error is the deviation divided by √n."""
    n, mean = len(values), sum(values) / len(values)
    half = quantiles[n - 1] * math.sqrt(sum((v - mean) ** 2 for v in values) / (n - 1)) / n
    return mean - half, mean + half


def whole_range(values, quantiles):
    """These are the smallest and the largest value: a range grows with more seeds, an interval for the mean
    shrinks.
    """
    return min(values), max(values)


# -- counting words ------------------------------------------------------------------------------------------


def rarity_of_the_asked(train, counts):
    """How rare a word is was counted in the texts that are asked about: it is learned in training, and the
    test texts are none of its business.
    """
    rarity = ((1 + len(counts)) / (1 + (counts > 0).sum(dim=0))).log() + 1
    rows = counts * rarity
    return rows / rows.norm(dim=-1, keepdim=True)


def occurrences_counted(train, counts):
    """This sums all occurrences: what counts is in how many texts a word is, however often it is in each."""
    rarity = ((1 + len(train)) / (1 + train.sum(dim=0))).log() + 1
    rows = counts * rarity
    return rows / rows.norm(dim=-1, keepdim=True)


def not_smoothed(train, counts):
    """The two 1s that smooth the fraction are missing, and a word that training never had is divided by 0."""
    rarity = (len(train) / (train > 0).sum(dim=0)).log() + 1
    rows = counts * rarity
    return rows / rows.norm(dim=-1, keepdim=True)


def logarithm_forgotten(train, counts):
    """The logarithm is missing: a word in one of a thousand texts would count hundreds of times as much as a
    common one.
    """
    rarity = (1 + len(train)) / (1 + (train > 0).sum(dim=0)) + 1
    rows = counts * rarity
    return rows / rows.norm(dim=-1, keepdim=True)


def no_one_added(train, counts):
    """The 1 after the logarithm is missing, so a word that is in every text counts nothing at all."""
    rarity = ((1 + len(train)) / (1 + (train > 0).sum(dim=0))).log()
    rows = counts * rarity
    return rows / rows.norm(dim=-1, keepdim=True).clamp(min=1e-9)


def length_not_one(train, counts):
    """The rows aren't brought to length 1, so a long review counts more than a short one."""
    return counts * (((1 + len(train)) / (1 + (train > 0).sum(dim=0))).log() + 1)


def columns_of_length_one(train, counts):
    """The columns are brought to length 1: each text, a row, should have length 1."""
    rows = counts * (((1 + len(train)) / (1 + (train > 0).sum(dim=0))).log() + 1)
    return rows / rows.norm(dim=0, keepdim=True).clamp(min=1e-9)


def sums_to_one(train, counts):
    """The rows sum to 1: length means the root of the sum of squares."""
    rows = counts * (((1 + len(train)) / (1 + (train > 0).sum(dim=0))).log() + 1)
    return rows / rows.sum(dim=-1, keepdim=True)


def rarity_alone(train, counts):
    """Only whether a word is there counts here, not how often: multiply the counts themselves."""
    rarity = ((1 + len(train)) / (1 + (train > 0).sum(dim=0))).log() + 1
    rows = torch.where(counts > 0, rarity, torch.zeros_like(counts))
    return rows / rows.norm(dim=-1, keepdim=True)

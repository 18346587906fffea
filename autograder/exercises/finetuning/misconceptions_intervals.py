"""Lesson 09's misconceptions about intervals and rarities: which number stands where."""

# ruff: noqa: D205  (a sentence may take two lines)

import math


def z_for_its_square(correct, n, z):
    """The divisor is 1 + z/n: it should be 1 + z²/n."""
    p, extra = correct / n, z**2 / n
    centre = (p + extra / 2) / (1 + z / n)
    half = z * math.sqrt(p * (1 - p) / n + extra / (4 * n)) / (1 + z / n)
    return centre - half, centre + half


def half_not_divided(correct, n, z):
    """The centre is divided by 1 + z²/n, but the half length isn't: both are."""
    p, extra = correct / n, z**2 / n
    centre = (p + extra / 2) / (1 + extra)
    half = z * math.sqrt(p * (1 - p) / n + extra / (4 * n))
    return centre - half, centre + half


def centre_and_half(correct, n, z):
    """These are the centre and the half length: the interval goes from centre − half to centre + half."""
    p, extra = correct / n, z * z / n
    half = z * math.sqrt(p * (1 - p) / n + extra / (4 * n)) / (1 + extra)
    return (p + extra / 2) / (1 + extra), half


def whole_square_added(correct, n, z):
    """The centre moves by z²/n, twice as far as it should: add z²/(2n) to p."""
    p, extra = correct / n, z**2 / n
    centre = (p + extra) / (1 + extra)
    half = z * math.sqrt(p * (1 - p) / n + extra / (4 * n)) / (1 + extra)
    return centre - half, centre + half


def population_and_degrees(values, quantiles):
    """The squares are divided by n, and the quantile is of n - 2 degrees of freedom: with one mean
    estimated both take n - 1.
    """
    n = len(values)
    mean = sum(values) / n
    deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / n)
    half = quantiles[n - 2] * deviation / math.sqrt(n)
    return mean - half, mean + half


def degrees_less_two(values, quantiles):
    """The quantile is of n - 2 degrees of freedom, as if a line had been fitted: one mean is estimated, which
    leaves n - 1.
    """
    n = len(values)
    mean = sum(values) / n
    variance = sum((value - mean) ** 2 for value in values) / (n - 1)
    half = quantiles[n - 2] * math.sqrt(variance / n)
    return mean - half, mean + half


def one_added_below_alone(train, counts):
    """The rarity is log(N / (1 + n)), smoothed below the line only: 1 is added to the number of texts
    above it too, and 1 to the logarithm.
    """
    rows = counts * (len(train) / (1 + (train > 0).sum(dim=0))).log()
    return rows / rows.norm(dim=-1, keepdim=True)


def shares_of_texts(train, counts):
    """The words are weighted by the share of the texts that they are in, so that common words count most:
    what counts is how rare a word is.
    """
    rows = counts * (((1 + (train > 0).sum(dim=0)) / (1 + len(train))).log() + 1)
    return rows / rows.norm(dim=-1, keepdim=True)


def mean_and_half(values, quantiles):
    """These are the mean and the half length: the interval goes from mean − half to mean + half."""
    n = len(values)
    mean = sum(values) / n
    return mean, quantiles[n - 1] * math.sqrt(sum((v - mean) ** 2 for v in values) / (n - 1) / n)


def logarithm_to_base_ten(train, counts):
    """The logarithm has base 10: ln is the natural one, `torch.log`."""
    weighted = counts * (((1 + len(train)) / (1 + (train > 0).sum(dim=0))).log10() + 1)
    return weighted / weighted.norm(dim=-1, keepdim=True)

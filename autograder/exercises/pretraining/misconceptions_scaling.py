"""Pretraining's misconceptions about sizes and budgets: each reference with one slip in it.

A docstring is the sentence that the student reads. Each function stands alone, with `torch` and `math` as its
only names, so that the class simulator can paste it.
"""

# ruff: noqa: D205  (a sentence may take two lines, and is no command)

import math


def best_of_those_tried(sizes, gaps):
    """This is the best of the sizes that were tried: the bottom of the curve lies between them, mostly."""
    return float(sizes[gaps.argmin()])


def sizes_without_logs(sizes, gaps):
    """The parabola is in the sizes themselves, which span a factor of ten and more: it is one in their
    logarithms.
    """
    x, y = sizes, gaps.log()
    u = x - x.mean()
    spread = (u * u).sum()
    skew = (u**3).sum() / spread
    bend = u * u - skew * u - spread / len(u)  # the part of u² that no line makes up
    a, slope = (bend * y).sum() / (bend * bend).sum(), (u * y).sum() / spread
    return float(x.mean() + (skew - slope / a) / 2)


def gaps_without_logs(sizes, gaps):
    """The parabola is in the gaps themselves: it is one in their logarithms, too."""
    x, y = sizes.log(), gaps
    u = x - x.mean()
    spread = (u * u).sum()
    skew = (u**3).sum() / spread
    bend = u * u - skew * u - spread / len(u)  # the part of u² that no line makes up
    a, slope = (bend * y).sum() / (bend * bend).sum(), (u * y).sum() / spread
    return float((x.mean() + (skew - slope / a) / 2).exp())


def logarithm_of_the_size(sizes, gaps):
    """This is the size's logarithm: the size is e to it."""
    x, y = sizes.log(), gaps.log()
    u = x - x.mean()
    spread = (u * u).sum()
    skew = (u**3).sum() / spread
    bend = u * u - skew * u - spread / len(u)  # the part of u² that no line makes up
    a, slope = (bend * y).sum() / (bend * bend).sum(), (u * y).sum() / spread
    return float(x.mean() + (skew - slope / a) / 2)


def two_forgotten(sizes, gaps):
    """The slope 2ax + b is 0 at -b / 2a: here the 2 is missing."""
    x, y = sizes.log(), gaps.log()
    u = x - x.mean()
    spread = (u * u).sum()
    skew = (u**3).sum() / spread
    bend = u * u - skew * u - spread / len(u)  # the part of u² that no line makes up
    a, slope = (bend * y).sum() / (bend * bend).sum(), (u * y).sum() / spread
    return float((2 * x.mean() + skew - slope / a).exp())


def sign_forgotten(sizes, gaps):
    """The slope 2ax + b is 0 at -b / 2a: here the sign is missing."""
    x, y = sizes.log(), gaps.log()
    u = x - x.mean()
    spread = (u * u).sum()
    skew = (u**3).sum() / spread
    bend = u * u - skew * u - spread / len(u)  # the part of u² that no line makes up
    a, slope = (bend * y).sum() / (bend * bend).sum(), (u * y).sum() / spread
    return float((-x.mean() - (skew - slope / a) / 2).exp())


def logs_of_another_base(sizes, gaps):
    """The logarithms have base 10, and the way back has base e."""
    x, y = sizes.log10(), gaps.log10()
    u = x - x.mean()
    spread = (u * u).sum()
    skew = (u**3).sum() / spread
    bend = u * u - skew * u - spread / len(u)  # the part of u² that no line makes up
    a, slope = (bend * y).sum() / (bend * bend).sum(), (u * y).sum() / spread
    return float((x.mean() + (skew - slope / a) / 2).exp())


def six_forgotten(budgets, best, flops):
    """A token takes 6 operations for each weight, 2 forward and 4 backward: the 6 is missing."""
    x, y = budgets.log(), best.log()
    u = x - x.mean()
    slope = float((u * y).sum() / (u * u).sum())
    size = math.exp(float(y.mean()) + slope * (math.log(flops) - float(x.mean())))
    return size, flops / size


def forward_alone(budgets, best, flops):
    """This counts 2 operations for each weight and token, the way forward alone: training takes 6."""
    x, y = budgets.log(), best.log()
    u = x - x.mean()
    slope = float((u * y).sum() / (u * u).sum())
    size = math.exp(float(y.mean()) + slope * (math.log(flops) - float(x.mean())))
    return size, flops / (2 * size)


def exchanged(budgets, best, flops):
    """Size and tokens are swapped: the size comes first."""
    x, y = budgets.log(), best.log()
    u = x - x.mean()
    slope = float((u * y).sum() / (u * u).sum())
    size = math.exp(float(y.mean()) + slope * (math.log(flops) - float(x.mean())))
    return flops / (6 * size), size


def twenty_tokens(budgets, best, flops):
    """This is Chinchilla's rule, 20 tokens a weight, whatever was measured: go by the budgets given."""
    size = math.sqrt(flops / 120)
    return size, 20 * size


def no_logs(budgets, best, flops):
    """The line goes through sizes and budgets themselves: a power law is a line in their logarithms."""
    u = budgets - budgets.mean()
    slope = float((u * best).sum() / (u * u).sum())
    size = float(best.mean()) + slope * (flops - float(budgets.mean()))
    return size, flops / (6 * size)


def largest_kept(budgets, best, flops):
    """This keeps the best size of the largest budget: another budget has another best size."""
    size = float(best[-1])
    return size, flops / (6 * size)


def ends_alone(budgets, best, flops):
    """The line goes through the first and the last point alone: all of them count, by least squares."""
    x, y = budgets.log(), best.log()
    slope = float((y[-1] - y[0]) / (x[-1] - x[0]))
    size = math.exp(float(y[-1]) + slope * (math.log(flops) - float(x[-1])))
    return size, flops / (6 * size)


def no_offset(budgets, best, flops):
    """The line is made to go through 0: it has an offset as well."""
    x, y = budgets.log(), best.log()
    slope = float((x * y).sum() / (x * x).sum())
    size = math.exp(slope * math.log(flops))
    return size, flops / (6 * size)


def times_the_bend(sizes, gaps):
    """-b / 2 * a is -b · a / 2 to Python, since it divides and multiplies from left to right: brackets around
    2 * a are missing.
    """
    x, y = sizes.log(), gaps.log()
    u = x - x.mean()
    spread = (u * u).sum()
    skew = (u**3).sum() / spread
    bend = u * u - skew * u - spread / len(u)  # the part of u² that no line makes up
    a, slope = (bend * y).sum() / (bend * bend).sum(), (u * y).sum() / spread
    return float((-(slope - a * skew - 2 * a * x.mean()) * a / 2).exp())


def coefficients_from_behind(sizes, gaps):
    """The coefficients are read in reverse, as c, b, a: np.polyfit gives that of the highest power first."""
    x, y = sizes.log(), gaps.log()
    u = x - x.mean()
    spread = (u * u).sum()
    skew = (u**3).sum() / spread
    bend = u * u - skew * u - spread / len(u)  # the part of u² that no line makes up
    a, slope = (bend * y).sum() / (bend * bend).sum(), (u * y).sum() / spread
    b = slope - a * skew - 2 * a * x.mean()
    c = y.mean() - a * (x * x).mean() - b * x.mean()
    return float((-b / (2 * c)).exp())


def budgets_by_sizes(budgets, best, flops):
    """The line gives a budget for each size: here the budget is given, so budgets are x and sizes y."""
    x, y = best.log(), budgets.log()
    u = x - x.mean()
    slope = float((u * y).sum() / (u * u).sum())
    size = math.exp(float(y.mean()) + slope * (math.log(flops) - float(x.mean())))
    return size, flops / (6 * size)


def back_by_another_base(budgets, best, flops):
    """The logarithms have base 10, and the way back has base e."""
    x, y = budgets.log10(), best.log10()
    u = x - x.mean()
    slope = float((u * y).sum() / (u * u).sum())
    size = math.exp(float(y.mean()) + slope * (math.log10(flops) - float(x.mean())))
    return size, flops / (6 * size)


def slope_and_offset_exchanged(budgets, best, flops):
    """Slope and offset are exchanged: np.polyfit gives the slope first."""
    x, y = budgets.log(), best.log()
    u = x - x.mean()
    slope = (u * y).sum() / (u * u).sum()
    size = (slope + (y.mean() - slope * x.mean()) * math.log(flops)).exp()
    return float(size), float(flops / (6 * size))

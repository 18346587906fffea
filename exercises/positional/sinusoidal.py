"""Sinusoidal positions."""

import math

import torch
from torch import Generator

from exercises.positional import shared
from headstart import Case, Entry, pick
from helpers import positional

exercise = Entry(
    id="positional.sinusoidal",
    title="Sinusoidal positions",
    points=3,
    difficulty=3,
    minutes=12,
    reference=positional.sinusoidal,
    returns=("table",),
)


@exercise.cases
def sinusoidal_cases(g: Generator) -> list[Case]:
    """Two features, several pairs, one row alone, and another base.

    Two cases differ in each argument alone, so that an answer can't remember a table by the others.
    """
    T, d = shared.integer(g, 5, 7), pick(g, 8, 10, 12, 14)
    return [
        Case("one pair of features", (T, 2)),
        Case("several pairs", (T, d)),
        Case("more positions", (shared.integer(g, 20, 30), d)),
        Case("another base", (T, d, float(shared.integer(g, 50, 200)))),
        Case("one position", (1, d)),
    ]


@exercise.alternative
def with_two_slices(T, d_model, base=10_000.0):
    table = torch.zeros(T, d_model)
    position = torch.arange(0, T, dtype=torch.float).unsqueeze(1)
    speed = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(base) / d_model))
    table[:, 0::2] = torch.sin(position * speed)
    table[:, 1::2] = torch.cos(position * speed)
    return table


@exercise.alternative
def one_entry_after_another(T, d_model, base=10_000.0):
    table = torch.empty(T, d_model)
    for p in range(T):
        for i in range(d_model // 2):
            angle = p / base ** (2 * i / d_model)
            table[p, 2 * i] = math.sin(angle)
            table[p, 2 * i + 1] = math.cos(angle)
    return table


@exercise.alternative
def with_a_quarter_turn(T, d_model, base=10_000.0):
    feature = torch.arange(d_model)
    wavelength = base ** (2 * torch.div(feature, 2, rounding_mode="floor") / d_model)
    angles = torch.arange(T)[:, None] / wavelength
    return torch.where(feature % 2 == 0, torch.sin(angles), torch.cos(angles))


exercise.slip(
    "in_halves",
    "/ wavelength → * base ** (-torch.arange(0, d_model, 2) / d_model)",
    "torch.where(feature % 2 == 0, torch.sin(angles), torch.cos(angles)) → torch.cat([angles.sin(), "
    "angles.cos()], dim=-1)",
    of=with_a_quarter_turn,
).says(
    "All sines are in the first half and all cosines in the second, as some libraries have it: as "
    "published, each sine has its cosine beside it, sine in feature 2i and cosine in feature 2i+1."
)
exercise.slip("exponent_i", "* frequencies → * (base ** (-torch.arange(d_model // 2) / d_model))").says(
    "The exponent is i/d_model, where it should be 2i/d_model: so the speeds end near 1/√base, and the "
    "slowest clock turns far too fast."
)
exercise.slip(
    "exponent_of_each_feature", "/ wavelength → * base ** (-feature / d_model)", of=with_a_quarter_turn
).says(
    "Every feature has a speed of its own: a sine and the cosine beside it share one, with 2i the number "
    "of the sine's feature in both."
)
exercise.slip(
    "exponent_twice_doubled",
    "frequencies = base ** (-torch.arange(0, d_model, 2) / d_model) → angles = torch.arange(T)[:, None] * "
    "base ** (-2 * torch.arange(0, d_model, 2) / d_model)",
    "    angles = torch.arange(T).unsqueeze(1) * frequencies  # (T, d_model / 2)\n →",
).says(
    "The factor 2 is in the exponent twice: where the even numbers 0, 2, 4, … are the features, they are "
    "2i already."
)


@exercise.misconception
def cosine_with_another_speed(T, d_model, base=10_000.0):
    """Each feature's own number is doubled in the exponent, which gives the cosine a different speed from its
    sine's: with i = 0, 2, 4, … as the sine's feature, the exponent is i/d_model in both.
    """
    table = torch.zeros(T, d_model)
    for p in range(T):
        for i in range(0, d_model, 2):
            table[p, i] = math.sin(p / base ** (2 * i / d_model))
            table[p, i + 1] = math.cos(p / base ** (2 * (i + 1) / d_model))
    return table


exercise.slip(
    "cosine_first",
    "/ wavelength → * base ** (-torch.arange(0, d_model, 2) / d_model)",
    "torch.where(feature % 2 == 0, torch.sin(angles), torch.cos(angles)) → torch.stack([angles.cos(), "
    "angles.sin()], dim=-1).reshape(T, d_model)",
    of=with_a_quarter_turn,
).says("Sine and cosine are swapped: the sine is in the even features, 0, 2, 4, …, and the cosine after it.")
exercise.slip(
    "base_1000",
    "frequencies = base ** (-torch.arange(0, d_model, 2) / d_model) → angles = torch.arange(T)[:, None] * "
    "1000.0 ** (-torch.arange(0, d_model, 2) / d_model)",
    "    angles = torch.arange(T).unsqueeze(1) * frequencies  # (T, d_model / 2)\n →",
).says("The base is 1000 here, whatever `base` says: it is 10000 in the paper, and one of the arguments.")
exercise.slip(
    "base_written_in",
    "frequencies = base ** (-torch.arange(0, d_model, 2) / d_model) → angles = torch.arange(T)[:, None] * "
    "10_000.0 ** (-torch.arange(0, d_model, 2) / d_model)",
    "    angles = torch.arange(T).unsqueeze(1) * frequencies  # (T, d_model / 2)\n →",
).says("The base is 10000 whatever `base` says: use the argument, since section 3.6 lets you change it.")
exercise.slip(
    "from_one",
    "frequencies = base ** (-torch.arange(0, d_model, 2) / d_model) → angles = torch.arange(1, T + 1)[:, "
    "None] * base ** (-torch.arange(0, d_model, 2) / d_model)",
    "    angles = torch.arange(T).unsqueeze(1) * frequencies  # (T, d_model / 2)\n →",
).says("Positions are counted from 1 here: the first is 0, whose sines are 0 and whose cosines are 1.")
exercise.slip("pairs_from_one", "torch.arange(0, d_model, 2) → torch.arange(2, d_model + 2, 2)").says(
    "Pairs are counted from 1 here: the first is pair 0, whose speed is base⁰ = 1."
)
exercise.slip(
    "positions_divided", "torch.arange(T).unsqueeze(1) → (torch.arange(T).unsqueeze(1) / math.sqrt(d_model))"
).says("The positions are divided by √d_model, which makes every clock too slow: here there is no root.")
exercise.slip("exponent_by_the_root", "/ d_model) → / math.sqrt(d_model))").says(
    "The exponent is divided by √d_model: it is 2i/d_model, without a root."
)
exercise.slip(
    "faster_and_faster",
    "frequencies = base ** (-torch.arange(0, d_model, 2) / d_model) → angles = torch.arange(T)[:, None] * "
    "base ** (torch.arange(0, d_model, 2) / d_model)",
    "    angles = torch.arange(T).unsqueeze(1) * frequencies  # (T, d_model / 2)\n →",
).says(
    "The position is multiplied by base^(2i/d_model) where it should be divided: the clocks have to "
    "become slower from pair to pair."
)
exercise.slip(
    "divided_by_div_term",
    "base ** (-torch.arange(0, d_model, 2) / d_model) → torch.exp(torch.arange(0, d_model, 2) * "
    "(-math.log(base) / d_model))",
    "torch.arange(T).unsqueeze(1) * frequencies → torch.arange(T)[:, None] / frequencies",
).says(
    "The position is divided by base^(-2i/d_model), which is a speed to multiply with: so the clocks "
    "become faster from pair to pair, where they should become slower."
)
exercise.slip("same_speed_for_all", "* frequencies → * torch.ones(d_model // 2)").says(
    "All pairs turn at the same speed, so the table nearly repeats itself after 6 positions: pair i has a "
    "speed of its own, base^(-2i/d_model)."
)
exercise.slip(
    "as_in_fairseq",
    "base ** (-torch.arange(0, d_model, 2) / d_model) → d_model // 2",
    "* frequencies → * (base ** (-torch.arange(frequencies) / max(frequencies - 1, 1)))",
    "torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(start_dim=1) → torch.cat([angles.sin(), "
    "angles.cos()], dim=-1)",
).says(
    "This is fairseq's table: its exponents have steps of 1/(d_model/2 - 1), and all its sines come before "
    "all its cosines, where the paper has steps of 2/d_model and each sine beside its cosine."
)
exercise.slip(
    "in_degrees",
    "frequencies = base ** (-torch.arange(0, d_model, 2) / d_model) → angles = torch.arange(T)[:, None] * "
    "base ** (-torch.arange(0, d_model, 2) / d_model)",
    "torch.arange(T).unsqueeze(1) * frequencies → torch.deg2rad(angles)",
).says(
    "The angles are turned from degrees into radians, which makes them 57 times too small: the formula "
    "has them in radians already."
)
exercise.slip(
    "features_by_positions",
    "/ wavelength → * base ** (-torch.arange(0, d_model, 2) / d_model)",
    "torch.where(feature % 2 == 0, torch.sin(angles), torch.cos(angles)) → torch.stack([angles.sin(), "
    "angles.cos()], dim=-1).reshape(T, d_model).T",
    of=with_a_quarter_turn,
).says("The table is transposed: it should have a row for each position and a column for each feature.")
exercise.slip(
    "no_cosine",
    "torch.sin(position * speed) → (torch.arange(T)[:, None] * base ** (-torch.arange(0, d_model, 2) / "
    "d_model)).sin()",
    "    table[:, 1::2] = torch.cos(position * speed)\n →",
    of=with_two_slices,
).says("The odd features stay 0: feature 2i + 1 is the cosine of the angle whose sine is feature 2i.")
exercise.slip(
    "decimal_logarithm",
    "base ** (-torch.arange(0, d_model, 2) / d_model) → torch.exp(-torch.arange(0, d_model, 2) * "
    "math.log10(base) / d_model)",
).says("The speeds are exp(−2i/d_model · log₁₀ base): exp undoes the natural logarithm, `math.log`.")
exercise.slip(
    "whole_turns", "torch.arange(T).unsqueeze(1) → (2 * math.pi * torch.arange(T).unsqueeze(1))"
).says(
    "The angles are multiplied by 2π, as if positions counted turns: position p is an angle of p radians "
    "in the first pair."
)


@exercise.misconception
def steps_to_the_last(T, d_model, base=10_000.0):
    """The exponents have steps of 1/(d_model/2 − 1), as in tensor2tensor's table: the paper's have steps of
    2/d_model, which a single pair of features has as well.
    """
    half = d_model // 2
    step = math.log(base) / (half - 1)
    angles = torch.arange(T)[:, None] * torch.exp(-step * torch.arange(half))
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(start_dim=1)


exercise.slip(
    "speeds_rounded_down",
    "torch.arange(0, d_model, 2).float() → torch.arange(d_model // 2)",
    "(-math.log(base) / d_model) → (-math.log(base) / d_model // 2)",
    of=with_two_slices,
).says(
    "The factor in the exponent is rounded down to a whole number: `/` and `//` go from left to right, and "
    "half of d_model needs brackets, / (d_model // 2)."
)

"""Sizes that show a slip."""

from torch import Generator

from exercises.counting import shared
from headstart import Case, Entry
from helpers import counting

COUNT = "a count with a slip against torch's layer"


exercise = Entry(
    id="counting.expose",
    title="Sizes that show a slip",
    points=3,
    difficulty=3,
    minutes=9,
    driver="use_result",
    reference=counting.exposing_configuration,
    returns=("configuration",),
)


@exercise.cases
def exposing_cases(g: Generator) -> list[Case]:
    """The lab's width, one that 3 divides and 4 doesn't, and a prime."""
    odd = 6 * (2 * shared.one(g, 4, 50) + 1)
    prime = shared.pick(g, [n for n in range(50, 500) if all(n % k for k in range(2, n))])
    titles = {200: "width 200", odd: "a width that 4 doesn't divide", prime: "a width that is a prime number"}
    return [Case(title, ({"layer": COUNT, "weights": [d]}, d)) for d, title in titles.items()]


@exercise.alternative
def a_head_for_each_feature(d_model):
    return {"n_heads": d_model, "d_ff": d_model}


@exercise.alternative
def largest_divisor_below(d_model):
    divisors = [h for h in range(1, d_model) if d_model % h == 0 and h != 2]
    return dict(n_heads=divisors[-1], d_ff=d_model)


exercise.slip("as_in_the_lab", '{"n_heads": 1, "d_ff": d_model} → {"n_heads": 2, "d_ff": d_model}').says(
    "These are 2 heads, as in the lab's model, where the count is right: 2 heads, 2 matrices, 2 norms."
)
exercise.slip("always_four_heads", '{"n_heads": 1, "d_ff": d_model} → {"n_heads": 4, "d_ff": d_model}').says(
    "4 heads expose it where 4 divides the width, but 4 doesn't divide every width."
)
exercise.slip("always_three_heads", '{"n_heads": 1, "d_ff": d_model} → {"n_heads": 3, "d_ff": d_model}').says(
    "3 heads expose it where 3 divides the width, but 3 doesn't divide every width."
)
exercise.slip(
    "wider_feed_forward", '{"n_heads": 1, "d_ff": d_model} → {"n_heads": 2, "d_ff": 4 * d_model}'
).says(
    "With a different d_ff even the corrected count is wrong, since it takes d_ff for the width: leave "
    "d_ff alone, and change the heads."
)
exercise.slip(
    "heads_and_width_changed", '{"n_heads": 1, "d_ff": d_model} → {"n_heads": 1, "d_ff": 4 * d_model}'
).says(
    "The heads are well chosen, but with a different d_ff even the corrected count is wrong: change one "
    "thing at a time."
)
exercise.slip(
    "more_heads_than_width", '{"n_heads": 1, "d_ff": d_model} → {"n_heads": 2 * d_model, "d_ff": d_model}'
).says("There are more heads than features here, so a head would get less than one number.")
exercise.slip(
    "half_the_width", '{"n_heads": 1, "d_ff": d_model} → {"n_heads": d_model // 2, "d_ff": d_model}'
).says(
    "This number of heads divides even widths, but not every width: a prime number has no divisors but "
    "1 and itself."
)
exercise.slip(
    "hidden_width_of_the_lab", '{"n_heads": 1, "d_ff": d_model} → {"n_heads": 1, "d_ff": 200}'
).says(
    "The heads are well chosen, but the hidden width is the lab's 200 for every width: the count takes for "
    "granted that the two are equal."
)

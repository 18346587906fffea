"""Where attention stops being cheaper."""

from torch import Generator

from exercises.complexity import shared
from headstart import Case, Entry
from helpers import complexity

exercise = Entry(
    id="complexity.crossover_length",
    title="Where attention stops being cheaper",
    points=2,
    difficulty=3,
    minutes=8,
    reference=complexity.crossover_length,
    returns=("length",),
)


@exercise.cases
def crossover_cases(g: Generator) -> list[Case]:
    """Layers with few matrices and many, among them some that attention never beats."""
    d = 2 * shared.between(g, 20, 60)
    return [
        Case("no projections, two products a step: as table 1 counts", (d, 0, 2)),
        Case("three projections against an LSTM's eight products", (d, 3, 8)),
        Case("four projections against the six products of a GRU", (d + 2, 4, 6)),
        Case("three projections against a plain recurrent layer", (d, 3, 2)),
        Case("as many projections as products", (d, 4, 4)),
    ]


@exercise.alternative
def with_two_flops_apiece(d, projections, recurrent):
    left_for_products = 2 * recurrent * d**2 - 2 * projections * d**2
    return left_for_products / (4 * d) if left_for_products > 0 else 0


@exercise.alternative
def as_a_whole_number(d, projections, recurrent):
    if recurrent <= projections:
        return 0
    return d * (recurrent - projections) // 2


exercise.slip(
    "sides_swapped",
    "left_for_products / (4 * d) if left_for_products > 0 else 0 → max(0, d * (projections - recurrent) / 2)",
    of=with_two_flops_apiece,
).says(
    "Here attention wins where recurrence should: a recurrent layer with more matrices costs more, so it "
    "moves the crossing to longer sequences."
)
exercise.slip(
    "below_zero", "max(0.0, d * (recurrent - projections) / 2) → d * (recurrent - projections) / 2"
).says(
    "A length can't be negative: where attention takes more FLOPs from the first position on, the answer "
    "is 0."
)
exercise.slip(
    "one_product_of_attention",
    "d * (recurrent - projections) // 2 → max(0, d * (recurrent - projections))",
    of=as_a_whole_number,
).says(
    "This is twice the length, as where one of attention's two n × n products is missing: scores and "
    "mixture take 2n²d each, 4n²d together."
)
exercise.slip(
    "projections_left_out",
    "left_for_products / (4 * d) if left_for_products > 0 else 0 → max(0, d * recurrent / 2)",
    of=with_two_flops_apiece,
).says("Attention's projections are left out: they cost 2nd² each, and count on attention's side.")
exercise.slip(
    "recurrence_counted_once",
    "d * (recurrent - projections) // 2 → max(0, d * (recurrent - 2 * projections) / 4)",
    of=as_a_whole_number,
).says(
    "A multiply-add counts as 2 on attention's side and as 1 on the recurrent layer's: count both alike, "
    "and the 2 cancels."
)
exercise.slip("always_the_width", "max(0.0, d * (recurrent - projections) / 2) → d").says(
    "Only for table 1 is the crossing at n = d: projections move it down, and more products in each "
    "recurrent step move it up."
)
exercise.slip(
    "upside_down",
    "max(0.0, d * (recurrent - projections) / 2) → max(0, 2 * d / (recurrent - projections)) if recurrent "
    "!= projections else 0",
).says(
    "The equation is solved upside down: 4n²d = 2(recurrent − projections)nd², so divide by 4nd, and the "
    "difference ends up on top."
)
exercise.slip(
    "halved_too_early",
    "max(0.0, d * (recurrent - projections) / 2) → max((recurrent - projections) // 2 * d, 0)",
).says(
    "The difference of the two numbers of matrices is halved and rounded down first, which loses half of "
    "d where it is odd: divide last, or with /."
)
exercise.slip(
    "matrices_added", "max(0.0, d * (recurrent - projections) / 2) → (recurrent + projections) * d / 2"
).says(
    "The two numbers of matrices are added: attention's projections are on its own side of the equation, "
    "so they are subtracted from the recurrent layer's."
)
exercise.slip(
    "sign_dropped", "max(0.0, d * (recurrent - projections) / 2) → d * abs(recurrent - projections) / 2"
).says(
    "The sign is dropped: where the recurrent layer has fewer matrices, attention is never the cheaper one, "
    "and the answer is 0."
)

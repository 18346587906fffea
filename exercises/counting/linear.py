"""A linear map."""

from torch import Generator

from exercises.counting import shared
from headstart import Case, Entry
from helpers import counting

exercise = Entry(
    id="counting.linear",
    title="A linear map",
    points=1,
    difficulty=1,
    minutes=3,
    reference=counting.linear_parameters,
    returns=("parameters",),
    forbidden=shared.MODULES,
)


@exercise.cases
def linear_cases(g: Generator) -> list[Case]:
    """With a bias, without, and as the default has it."""
    (a, b), (c, d), (e, f) = (shared.distinct(g, 2, 5, 60) for _ in range(3))
    return [
        Case("with a bias", (a, b, True)),
        Case("without a bias", (c, d, False)),
        Case("the bias left to its default", (e, f)),
    ]


@exercise.alternative
def linear_with_if(n_in, n_out, bias=True):
    weights = n_in * n_out
    if bias:
        return weights + n_out
    return weights


@exercise.alternative
def linear_in_brackets(n_in, n_out, bias=True):
    return (n_in + int(bias)) * n_out


exercise.slip("bias_forgotten", " + (n_out if bias else 0) →").says(
    "The bias is missing: besides the weights there is one number to add to each of the n_out outputs."
)
exercise.slip("bias_for_each_input", "n_out if bias else 0 → n_in if bias else 0").says(
    "The bias is counted once for each input, but it is added to the outputs, so there are n_out of them."
)
exercise.slip("one_bias_for_all", "n_out if bias else 0 → 1 if bias else 0").says(
    "The bias is counted as a single number: each of the n_out outputs has its own."
)
exercise.slip("bias_always_counted", "n_out if bias else 0 → n_out").says(
    "The bias is counted even where `bias` is False."
)
exercise.slip("bias_for_each_weight", "+ (n_out if bias else 0) → * (2 if bias else 1)").says(
    "There is a bias for each weight here, but it is added to the finished sum, so each output has one."
)
exercise.slip("weights_added", "n_in * n_out → (n_in + n_out)").says(
    "Inputs and outputs are added, but every output has a weight for every input: they multiply."
)
exercise.slip("condition_over_all", "+ (n_out if bias else 0) → + n_out if bias else 0").says(
    "Without a bias this is 0: Python reads a + b if bias else 0 as (a + b) if bias else 0, so the bias "
    "needs brackets of its own."
)

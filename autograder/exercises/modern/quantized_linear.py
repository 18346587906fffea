"""Using the bytes."""

import torch
from torch import Generator

from autograder.drawing import pick
from autograder.entry import Entry
from autograder.exercises.modern import shared
from helpers import modern
from helpers.checking.calling.drivers import Case
from helpers.checks import gradient_reaches_inputs, inputs_unchanged

exercise = Entry(
    id="modern.quantized_linear",
    title="Using the bytes",
    points=1,
    difficulty=2,
    minutes=5,
    reference=modern.quantized_linear,
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.cases
def quantized_linear_cases(g: Generator) -> list[Case]:
    """One vector and a batch, rows of different scale, one row."""

    def case(title: str, rows: int, columns: int, *shape: int, dtype: torch.dtype = torch.float32) -> Case:
        whole = torch.randint(-127, 128, (rows, columns), generator=g).to(torch.int8)
        scales = (1 + torch.rand(rows, 1, generator=g, dtype=dtype) * 7) / 128
        return Case(title, (shared.normal(g, *shape, columns, spread=1.7, dtype=dtype), whole, scales))

    return [
        case("one vector", pick(g, 3, 5, 2), 4),
        case("a batch", 5, pick(g, 4, 6, 7), *pick(g, (2, 3), (3,), (2, 1, 3))),
        case("one vector in a batch", pick(g, 4, 2, 3), 5, *pick(g, (1,), (1, 1), (2, 1))),
        case("one row", 1, pick(g, 3, 4), pick(g, 2, 5)),
        case("float64", 2, 6, pick(g, 3, 4, 5), dtype=torch.float64),
    ]


@exercise.alternative
def quantized_linear_scaled_later(x, whole, scales):
    return (x @ whole.to(x.dtype).T) * scales.squeeze(-1)


@exercise.alternative
def quantized_linear_with_functional(x, whole, scales):
    return torch.nn.functional.linear(x, whole.to(scales.dtype) * scales)


exercise.slip("scales_forgotten", "whole * scales → whole.to(x.dtype)").says(
    "The scales aren't used, so the weights are up to 127: times its scale, a row is as it was."
)
exercise.slip("divided_by_scales", "whole * scales → whole / scales").says(
    "The rows are divided by their scales: `quantized` has divided, so they are multiplied now."
)
exercise.slip("input_rounded", "x @ (whole * scales).T → x.round() @ (whole * scales).T").says(
    "The input is rounded as well: only the weights are whole numbers here."
)
exercise.slip("scales_summed", "whole * scales → whole * scales.mean()").says(
    "All rows get the mean of the scales: each has its own."
)
exercise.slip("scales_as_a_column", "x @ (whole * scales).T → (x @ whole.to(x.dtype).T) * scales").says(
    "What comes out is multiplied by the scales as a column, (out, 1), so that each result meets every "
    "scale: turn them into a row, as `scales.T` is."
)

"""Shuffling the positions."""

import torch
from torch import Generator, Tensor

from exercises.attention import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers import attention
from helpers.attention.recipes import running_sum

exercise = Entry(
    id="attention.permutation",
    title="Shuffling the positions",
    points=3,
    difficulty=3,
    minutes=10,
    driver="call_with_layer",
    reference=attention.permutation_gaps,
    returns=("equivariance gap", "invariance gap"),
    properties=(inputs_unchanged,),
)


@exercise.cases
def permutation_cases(g: Generator) -> list[Case]:
    """Layers that are equivariant, invariant and neither."""
    T, d = shared.sizes(g, *pick(g, (4, 5), (4, 6), (5, 6), (4, 7), (5, 7), (6, 7), (4, 12), (5, 12)))
    other = pick(g, 3, 8, 9, 10, 11)
    p, x, batch = _permutation(g, T), shared.normal(g, T, d), shared.normal(g, pick(g, 2, 3), other, d)
    of_batch = _permutation(g, other)
    matrices, positions = list(shared.normals(g, [(d, 3)] * 3, spread=0.6)), shared.normal(g, other, d)
    change = (x[p] - x) @ matrices[0]
    if change.max() > -change.min():  # so that forgetting the absolute value shows
        x = -x
    layer = running_sum(matrices[0])
    gap = layer(x[p]) - layer(x)[p]
    falling = -x if gap.max() > -gap.min() else x
    return [
        _layer("self-attention", matrices, x, p),
        _layer("a linear map of each position", matrices[:1], x, p),
        _layer("a running sum", matrices[:1], falling, p),
        _layer("the mean over positions", matrices[:1], x, p),
        _layer("self-attention", matrices, batch, of_batch, "self-attention, a batch"),
        _layer("self-attention after adding positions", [*matrices, positions], batch[:1], of_batch),
    ]


def _layer(name: str, weights: list[Tensor], x: Tensor, permutation: Tensor, title: str = "") -> Case:
    return Case(title or name, ({"layer": name, "weights": weights}, x, permutation))


def _permutation(g: Generator, T: int) -> Tensor:
    """An order of T positions that isn't its own inverse and leaves none in place."""
    order = torch.randperm(T, generator=g)
    return order[(torch.argsort(order) + 1) % T]  # one cycle through all positions


@exercise.alternative
def with_index_select(layer, x, permutation):
    output, of_permuted = layer(x), layer(torch.index_select(x, -2, permutation))
    permuted_output = torch.index_select(output, -2, permutation)
    return (of_permuted - permuted_output).abs().amax(), (of_permuted - output).abs().amax()


@exercise.alternative
def undone_with_argsort(layer, x, permutation):
    undo = torch.argsort(permutation)
    output, of_permuted = layer(x), layer(x[..., permutation, :])
    gap = torch.max(torch.abs(of_permuted[..., undo, :] - output))
    return gap.item(), torch.max(torch.abs(of_permuted - output)).item()


@exercise.alternative
def with_a_permutation_matrix(layer, x, permutation):
    P = torch.eye(len(permutation), dtype=x.dtype)[permutation]
    after, before = layer(P @ x), layer(x)
    gaps = [torch.linalg.vector_norm(after - right, ord=float("inf")) for right in (P @ before, before)]
    return gaps[0], gaps[1]


exercise.slip(
    "gaps_in_other_order",
    "equivariance_gap, invariance_gap → torch.abs(shuffled - straight).max(), (shuffled - straight[..., "
    "permutation, :]).abs().max()",
).says(
    "The two gaps are swapped: equivariance, against layer(x)[p], comes first; invariance, against "
    "layer(x), second."
)
exercise.slip(
    "first_axis_permuted",
    "equivariance_gap, invariance_gap → (shuffled - straight[permutation]).abs().max(), invariance_gap",
).says(
    "x[permutation] takes from the first axis, which is the batch when there is one: positions are the "
    "second-to-last axis, x[..., permutation, :]."
)
exercise.slip(
    "permuted_twice", "shuffled - straight[..., permutation, :] → shuffled[..., permutation, :] - straight"
).says(
    "The shuffled output is shuffled once more, or layer(x) put into the inverse order, which gives the "
    "same gap: shuffle layer(x) by p, as x was, and compare that with layer(x[p])."
)
exercise.slip(
    "input_not_permuted",
    "torch.index_select(output, -2, permutation) → (output[..., permutation, :] - output).abs().max()",
    "(of_permuted - permuted_output).abs().amax() → permuted_output",
    of=with_index_select,
).says(
    "The equivariance gap compares layer(x) with its own shuffled rows: one side must be the layer called "
    "with the shuffled x."
)
exercise.slip(
    "mean_gap",
    "equivariance_gap, invariance_gap → (shuffled - straight[..., permutation, :]).abs().mean(), "
    "(shuffled - straight).abs().mean()",
).says("These are mean differences: a few wrong positions can hide in a mean, so take the largest.")


@exercise.misconception
def norm_of_differences(layer, x, permutation):
    """These are Euclidean norms of the differences, which grow with the number of positions: the gap is the
    largest absolute difference.
    """
    shuffled, output = layer(x[..., permutation, :]), layer(x)
    return (shuffled - output[..., permutation, :]).norm(), (shuffled - output).norm()


exercise.slip(
    "no_absolute_value",
    "equivariance_gap, invariance_gap → (shuffled - straight[..., permutation, :]).max(), (shuffled - "
    "straight).max()",
).says(
    "The largest difference is taken with its sign, so large negative ones are overlooked: take the "
    "absolute value first."
)
exercise.slip(
    "yes_or_no",
    "equivariance_gap, invariance_gap → torch.allclose(shuffled, straight[..., permutation, :]), "
    "torch.allclose(shuffled, straight)",
).says(
    "These are yes-or-no answers: return how large the two gaps are, since a small one from rounding and "
    "a real one look very different."
)
exercise.slip(
    "of_the_pooled_output",
    "equivariance_gap, invariance_gap → equivariance_gap, (shuffled.mean(-2) - "
    "straight.mean(-2)).abs().max()",
).says(
    "The invariance gap is taken after averaging over the positions, which hides their order: compare "
    "layer(x[p]) with layer(x) position by position."
)

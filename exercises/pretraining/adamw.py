"""A step of AdamW."""

import math

import torch
from torch import Generator

from exercises.pretraining import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers import pretraining

exercise = Entry(
    id="pretraining.adamw",
    title="A step of AdamW",
    points=4,
    difficulty=4,
    minutes=12,
    reference=pretraining.adamw,
    returns=("weight", "mean", "square"),
    properties=(inputs_unchanged,),
    forbidden=("torch.optim.AdamW", "torch.optim.Adam"),
)


def _away_from_zero(g: Generator, *shape: int, dtype: torch.dtype) -> torch.Tensor:
    """Numbers of both signs, in sixteenths, from a quarter to three."""
    size = torch.randint(4, 49, shape, generator=g).to(dtype) / 16
    return size * (2 * torch.randint(0, 2, shape, generator=g) - 1)


@exercise.cases
def adamw_cases(g: Generator) -> list[Case]:
    """First and later steps of a number, a bias, a matrix and more; a large epsilon; gradients of 0."""
    n, m, k = pick(g, (3, 2, 4), (4, 3, 2), (2, 5, 3), (5, 2, 3))
    lr, decay = 0.125 * shared.one(g, 1, 4), 0.25 * shared.one(g, 1, 4)

    def tensors(*shape: int, begun: bool, dtype: torch.dtype = torch.float32) -> tuple:
        weight, gradient = (_away_from_zero(g, *shape, dtype=dtype) for _ in range(2))
        if not begun:
            return weight, gradient, torch.zeros_like(weight), torch.zeros_like(weight)
        square = _away_from_zero(g, *shape, dtype=dtype).square() + 0.5
        return weight, gradient, shared.some(g, *shape, dtype=dtype), square

    later = shared.one(g, 3, 9)
    usual = {"lr": lr, "betas": (0.75, 0.875), "decay": decay}
    idle = tensors(n, m, begun=False)
    return [
        Case("the first step of a matrix", (*tensors(n, m, begun=False), 1), usual),
        Case("a later step of a matrix", (*tensors(m, k, begun=True), later), usual),
        Case("a bias doesn't decay", (*tensors(n, begun=True), 2), usual),
        Case("a single number doesn't either", (*tensors(begun=True), later), usual),
        Case("three axes do", (*tensors(k, n, m, begun=True), 2), usual),
        Case("a single row, a large epsilon", (*tensors(1, k, begun=False), 1), usual | {"eps": 0.5}),
        Case("no gradient: it only shrinks", (idle[0], torch.zeros_like(idle[1]), *idle[2:], 1), usual),
        Case(
            "the usual settings, in float64",
            (*tensors(m, n, begun=True, dtype=torch.float64), later),
            {"lr": 0.5},
        ),
    ]


@exercise.alternative
def adamw_in_place(weight, gradient, mean, square, step, lr, betas=(0.9, 0.999), eps=1e-8, decay=0.01):
    beta1, beta2 = betas
    weight, mean, square = weight.clone(), mean.clone(), square.clone()
    if weight.ndim >= 2:
        weight.mul_(1 - lr * decay)
    mean.mul_(beta1).add_(gradient, alpha=1 - beta1)
    square.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
    denominator = (square.sqrt() / math.sqrt(1 - beta2**step)).add_(eps)
    weight.addcdiv_(mean, denominator, value=-lr / (1 - beta1**step))
    return weight, mean, square


@exercise.alternative
def adamw_by_lerp(weight, gradient, mean, square, step, lr, betas=(0.9, 0.999), eps=1e-8, decay=0.01):
    mean = torch.lerp(mean, gradient, 1 - betas[0])
    square = torch.lerp(square, gradient.square(), 1 - betas[1])
    m_hat = mean / (1 - betas[0] ** step)
    v_hat = square / (1 - betas[1] ** step)
    shrinking = decay if len(weight.shape) > 1 else 0.0
    return weight - lr * (m_hat / (torch.sqrt(v_hat) + eps) + shrinking * weight), mean, square


@exercise.alternative
def adamw_with_one_factor(weight, gradient, mean, square, step, lr, betas=(0.9, 0.999), eps=1e-8, decay=0.01):
    b1, b2 = betas
    mean = mean + (1 - b1) * (gradient - mean)
    square = square + (1 - b2) * (gradient.pow(2) - square)
    root = (1 - b2**step) ** 0.5
    moved = weight - lr * root / (1 - b1**step) * mean / (square**0.5 + eps * root)
    if weight.dim() >= 2:
        moved = moved - lr * decay * weight
    return moved, mean, square


exercise.slip(
    "decay_in_the_gradient",
    "mean = betas[0] * mean → if weight.dim() > 1:\n        gradient = gradient + decay * weight\n"
    "    mean = betas[0] * mean",
    "    if weight.dim() > 1:\n        weight = weight * (1 - lr * decay)\n →",
).says(
    "The decay is added to the gradient (L2), so it is divided by the root as well: decoupled, the weight "
    "itself shrinks by lr · decay, beside the move."
)
exercise.slip("epsilon_inside", ").sqrt() + eps) → + eps).sqrt())").says(
    "Epsilon is inside the root, where it counts as its own root: add it after the root is taken."
)
exercise.slip(
    "epsilon_before_the_correction",
    "(square / (1 - betas[1] ** step)).sqrt() + eps → (square.sqrt() + eps) / (1 - betas[1] ** step) ** 0.5",
).says(
    "Epsilon is added before the correction, which then enlarges it as well: correct first, take the root, "
    "then add it."
)
exercise.slip(
    "not_corrected",
    "mean / (1 - betas[0] ** step) / ((square / (1 - betas[1] ** step)).sqrt() + eps) → "
    "mean / (square.sqrt() + eps)",
).says(
    "The bias correction is missing: both averages start at 0, and are too small until they are divided by "
    "1 - beta ** step."
)
exercise.slip("square_not_corrected", "(square / (1 - betas[1] ** step)).sqrt() → square.sqrt()").says(
    "Only the mean is corrected: the average of the squares starts at 0 as well."
)
exercise.slip("mean_not_corrected", "mean / (1 - betas[0] ** step) / → mean /").says(
    "Only the average of the squares is corrected: the mean starts at 0 as well."
)
exercise.slip("correction_without_power", "betas[0] ** step → betas[0]", "betas[1] ** step → betas[1]").says(
    "Each step is corrected as if it were the first: beta has to be raised to the power of the step."
)
exercise.slip(
    "step_counted_twice",
    "betas[0] ** step → betas[0] ** (step + 1)",
    "betas[1] ** step → betas[1] ** (step + 1)",
).says("The correction is one step ahead: step counts from 1 already.")
exercise.slip(
    "step_from_zero", "betas[0] ** step → betas[0] ** (step - 1)", "betas[1] ** step → betas[1] ** (step - 1)"
).says("The correction is one step late, and at step 1 it divides by 0: step counts from 1 already.")
exercise.slip(
    "betas_swapped",
    "mean = betas[0] → betas = betas[::-1]\n    mean = betas[0]",
).says("The two betas are swapped: the first is the mean's, the second that of the squares.")
exercise.slip(
    "betas_the_other_way",
    "mean = betas[0] * mean + (1 - betas[0]) * gradient → mean = (1 - betas[0]) * mean + betas[0] * gradient",
    "square = betas[1] * square + (1 - betas[1]) * gradient**2 → "
    "square = (1 - betas[1]) * square + betas[1] * gradient**2",
).says("Beta is the share of the old average that stays, and 1 - beta is the new gradient's.")
exercise.slip(
    "decayed_after_the_move",
    "    if weight.dim() > 1:\n        weight = weight * (1 - lr * decay)\n →",
    "return weight - lr * move → moved = weight - lr * move\n    if weight.dim() > 1:\n"
    "        moved = moved - lr * decay * moved\n    return moved",
).says(
    "The decay takes its share of the weight after the move: it is a share of the weight before this step."
)
exercise.slip("decay_with_lr_twice", "(1 - lr * decay) → (1 - lr * lr * decay)").says(
    "The learning rate is in the decay twice, as when the decay is multiplied by it and then added to a move "
    "that is multiplied, too."
)
exercise.slip("decay_without_lr", "(1 - lr * decay) → (1 - decay)").says(
    "The decay isn't multiplied by the learning rate: each step takes away lr · decay of the weight."
)
exercise.slip("everything_decays", "weight.dim() > 1 → weight.dim() >= 0").says(
    "Biases and norms decay here as well: only what has two axes or more should."
)
exercise.slip(
    "nothing_decays", "    if weight.dim() > 1:\n        weight = weight * (1 - lr * decay)\n →"
).says("Nothing decays: a matrix loses lr · decay of itself at each step, beside its move.")
exercise.slip("matrices_alone_decay", "weight.dim() > 1 → weight.dim() == 2").says(
    "Only what has exactly two axes decays: a kernel with three axes should, too."
)
exercise.slip("one_size_for_all", "gradient**2 → (gradient**2).mean()").says(
    "The squares are averaged over the whole tensor, so that all its numbers share one step size: Adam keeps "
    "an average for each number."
)
exercise.slip("no_root", "(square / (1 - betas[1] ** step)).sqrt() → (square / (1 - betas[1] ** step))").says(
    "The root is missing: dividing by the squares themselves makes a move larger where gradients are smaller."
)
exercise.slip(
    "corrected_ones_kept",
    "move = mean / (1 - betas[0] ** step) / ((square / (1 - betas[1] ** step)).sqrt() + eps) → "
    "mean = mean / (1 - betas[0] ** step)\n    square = square / (1 - betas[1] ** step)\n"
    "    move = mean / (square.sqrt() + eps)",
).says(
    "The corrected averages come back, so that the next step would correct them again: return them as they "
    "were before the correction."
)
exercise.slip("not_squared", "gradient**2 → gradient").says(
    "The gradients are averaged in `square` as they are: average their squares, since a negative number has "
    "no root, and the weight becomes NaN."
)
exercise.slip("square_of_the_mean", "(1 - betas[1]) * gradient**2 → (1 - betas[1]) * mean**2").says(
    "The mean is squared, not the gradient: `square` averages the squares of the gradients."
)
exercise.slip("uphill", "return weight - lr * move → return weight + lr * move").says(
    "The weights move along the gradient, so the loss rises: subtract the move."
)
exercise.slip("gradient_not_averaged", "move = mean / (1 - betas[0] ** step) / → move = gradient /").says(
    "The move is made of this step's gradient alone: it should be the corrected running mean."
)

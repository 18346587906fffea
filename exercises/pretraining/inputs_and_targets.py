"""Inputs and targets."""

import torch
from torch import Generator, Tensor

from exercises.pretraining import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers import pretraining

exercise = Entry(
    id="pretraining.inputs_and_targets",
    title="Inputs and targets",
    points=2,
    difficulty=2,
    minutes=8,
    reference=pretraining.inputs_and_targets,
    returns=("inputs", "targets"),
    properties=(inputs_unchanged,),
)


@exercise.cases
def batch_cases(g: Generator) -> list[Case]:
    """Without padding, with some, with another number for it, one row, two tokens a row."""
    n = shared.one(g, 7, 9)
    others = pick(g, [n, n - 3, n - 1], [n - 2, n], [n, 4, n - 2, n - 1])
    pad = pick(g, 31, 33, 40)
    return [
        Case("no padding", (_padded(g, [6] * pick(g, 3, 2, 4), 6),)),
        Case("rows of several lengths", (_padded(g, others, n),)),
        Case("padding has a different number", (_padded(g, [4, 7], 7, pad),), {"pad": pad}),
        Case("a row far shorter than the others", (_padded(g, [3, n, n, n - 1], n),)),
        Case("a single row", (_padded(g, [pick(g, 5, 8, 6)], 8),)),
        Case("two tokens in each row", (torch.tensor([[1, 2]] * pick(g, 3, 1, 4)),)),
    ]


def _padded(g: Generator, lengths: list[int], longest: int, pad: int = 0) -> Tensor:
    """Rows of tokens up to 30, between 1 and 2 as `<bos>` and `<eos>`, then padding.

    Where padding has another number than 0, one of the tokens is 0.
    """
    rows = []
    for length in lengths:
        words = torch.randint(6, 31, (length - 2,), generator=g).tolist()
        rows.append([1, *words, 2] + [pad] * (longest - length))
    if pad:
        rows[-1][2] = 0
    return torch.tensor(rows)


@exercise.alternative
def shifted_with_clone(ids, pad=0):
    targets = ids[:, 1:].clone()
    targets[targets == pad] = -100
    return ids[:, :-1], targets


@exercise.alternative
def shifted_with_where(ids, pad=0):
    T = ids.size(1) - 1
    then = ids.narrow(1, 1, T)
    return ids.narrow(1, 0, T), torch.where(then != pad, then, -100)


exercise.slip(
    "not_shifted", "targets.masked_fill → inputs.masked_fill", "targets == pad → inputs == pad"
).says(
    "The targets are the inputs themselves: the model would learn to repeat what it has just read, and the "
    "loss would go to zero."
)
exercise.slip("shifted_backwards", ":-1 → 1:", ":, 1: → :, :-1").says(
    "Each position is asked for the token before it: inputs are all but the last token, targets all but "
    "the first."
)
exercise.slip("padding_as_a_target", "targets.masked_fill(targets == pad, -100) → ids[:, 1:]").says(
    "Padding is left among the targets, so the model spends its effort on predicting <pad> after <eos>."
)
exercise.slip("padding_as_minus_one", "100 → 1").says(
    "Padding gets −1 as its target: torch leaves out −100 by default, and so does this course."
)
exercise.slip(
    "inputs_hidden_too",
    "inputs, targets = ids[:, :-1], ids[:, 1:] → marked = ids.masked_fill(ids == pad, -100)",
    "inputs, targets.masked_fill(targets == pad, -100) → marked[:, :-1], marked[:, 1:]",
).says(
    "Padding is replaced in the inputs as well, as happens where both are slices of one tensor that is "
    "written into: -100 is no row of an embedding, only targets may hold it."
)
exercise.slip("hidden_where_the_input_is_padding", "targets == pad → inputs == pad").says(
    "A target is left out where the input is padding: what counts is whether the target is, so one <pad> "
    "after each <eos> still counts."
)
exercise.slip(
    "rolled", "ids.narrow(1, 1, T) → ids.roll(-1, dims=1)", ".narrow(1, 0, T) →", of=shifted_with_where
).says(
    "torch.roll puts the first token after the last, so the last position would have to predict <bos>: cut "
    "the two ends off instead."
)
exercise.slip("shifted_by_two", ":-1 → :-2", ":, 1: → :, 2:").says(
    "The targets are two tokens ahead, so no position learns to predict what comes next."
)
exercise.slip("zero_is_padding_too", "targets == pad → (targets == pad) | (targets == 0)").says(
    "Token 0 is left out as well as padding: where padding has a different number, 0 is a token like "
    "any other."
)
exercise.slip("padding_is_always_zero", "targets == pad → targets == 0").says(
    "Token 0 is left out whatever the number of padding is: compare with the argument pad."
)

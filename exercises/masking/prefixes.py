"""One pass for each prefix."""

import torch
from torch import Generator

from exercises.masking import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import masking

exercise = Entry(
    id="masking.prefixes",
    title="One pass for each prefix",
    points=3,
    difficulty=2,
    minutes=6,
    driver="call_with_layer",
    reference=masking.prefix_passes,
    returns=("outputs",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.cases
def prefix_cases(g: Generator) -> list[Case]:
    """Layers for which T passes are the same as one, and layers for which they aren't."""
    T, d = shared.sizes(g, *pick(g, (4, 5), (4, 7), (5, 7), (4, 10), (5, 10)))
    three = shared.normals(g, [(d, 3)] * 3, spread=0.5)
    long, short = pick(g, 6, 8, 9), 3
    x, batch, double = (
        shared.normal(g, T, d),
        shared.normal(g, 2, long, d),
        shared.normal(g, short, d, dtype=torch.float64),
    )
    return [
        shared.layer("a running sum", three[:1], x),
        shared.layer("causal self-attention", three, x),
        shared.layer("self-attention", three, x, "self-attention without a mask"),
        shared.layer("causal self-attention", three, batch, "causal self-attention, a batch"),
        shared.layer(
            "the mean over positions",
            three[:1],
            batch.unsqueeze(1),
            "the mean over positions, two batch axes",
        ),
        shared.layer("a running sum", [three[0].double()], double, "a running sum, in float64"),
    ]


@exercise.alternative
def last_ones_joined(layer, x):
    T = x.shape[-2]
    return torch.cat([layer(x[..., :t, :])[..., -1:, :] for t in range(1, T + 1)], dim=-2)


@exercise.alternative
def from_the_longest(layer, x):
    found = []
    for t in reversed(range(x.size(-2))):
        out = layer(torch.narrow(x, -2, 0, t + 1))
        found.insert(0, out.select(-2, t))
    return torch.stack(found, -2)


exercise.slip("one_pass_for_all", "torch.stack(last, dim=-2) → layer(x) * 1").says(
    "This is one pass over the whole sentence, which is what the prefixes will be compared with: a layer "
    "that looks ahead gives something else here than on a prefix."
)
exercise.slip(
    "first_outputs",
    "[layer(x[..., : end + 1, :])[..., -1, :] for end in range(x.size(-2))] → [layer(x[..., :end, "
    ":])[..., 0, :] for end in range(1, x.size(-2) + 1)]",
).says(
    "The first output of each prefix is kept, where it should be the last: the prefix x₁ … xₜ was cut there "
    "to see the output for xₜ."
)
exercise.slip(
    "endings",
    "[layer(x[..., : end + 1, :])[..., -1, :] for end in range(x.size(-2))] → [layer(x[..., start:, "
    ":])[..., 0, :] for start in range(x.size(-2))]",
).says(
    "These are the endings of the sentence, with all that is to come: a prefix ends at position t and has "
    "the words before it."
)


@exercise.misconception
def future_set_to_zero(layer, x):
    """The future is overwritten with zeros, and zeros are still positions that a layer can look at: cut
    the sentence off.
    """
    passes = []
    for t in range(x.size(-2)):
        cut = x.clone()
        cut[..., t + 1 :, :] = 0
        passes.append(layer(cut)[..., t, :])
    return torch.stack(passes, dim=-2)


exercise.slip(
    "last_prefix_missing",
    "[layer(x[..., : end + 1, :])[..., -1, :] for end in range(x.size(-2))] → [layer(x[..., :end, "
    ":])[..., -1, :] for end in range(1, x.size(-2))]",
).says("One prefix is missing, the whole sentence: range(1, T) ends at T − 1.")
exercise.slip(
    "mean_of_the_outputs",
    "[layer(x[..., : end + 1, :])[..., -1, :] for end in range(x.size(-2))] → [torch.mean(layer(x[..., "
    ":end, :]), -2) for end in range(1, x.size(-2) + 1)]",
).says("The outputs of a prefix are averaged: keep only its last one, which has no future in any pass.")
exercise.slip(
    "one_word_sentences",
    "[layer(x[..., : end + 1, :])[..., -1, :] for end in range(x.size(-2))] → [layer(x[..., t : t + 1, "
    ":])[..., -1, :] for t in range(x.size(-2))]",
).says("Each position goes through by itself, without the words before it: a prefix has them.")
exercise.slip(
    "stacked_in_front",
    "torch.stack(last, dim=-2) → torch.stack([layer(x[..., :end, :])[..., -1, :] for end in range(1, "
    "x.size(-2) + 1)])",
).says(
    "The outputs are stacked along the first axis, which is the batch if there is one: positions are the "
    "axis before the last."
)
exercise.slip(
    "cut_along_the_batch",
    "torch.stack(last, dim=-2) → torch.stack([layer(x[:end])[-1] for end in range(1, len(x) + 1)])",
).says(
    "x[:n] and [-1] cut the first axis, which is the batch if there is one: positions are the axis before "
    "the last, x[..., :n, :] and [..., -1, :]."
)

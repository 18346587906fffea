"""The padding mask."""

import torch
from torch import Generator

from exercises.masking import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers import masking

exercise = Entry(
    id="masking.padding",
    title="The padding mask",
    points=2,
    difficulty=2,
    minutes=5,
    reference=masking.padding_mask,
    returns=("mask",),
    properties=(inputs_unchanged,),
)


@exercise.cases
def padding_cases(g: Generator) -> list[Case]:
    """Short, full and empty sentences."""
    full = pick(g, 6, 5, 8)
    return [
        Case("two sentences", (shared.lengths(g, 2, least=1, most=4), pick(g, 5, 4, 6))),
        Case("more sentences", (shared.lengths(g, pick(g, 4, 5, 6), least=1, most=6), pick(g, 7, 8, 9))),
        Case("all shorter than T", (shared.lengths(g, 3, least=1, most=5), pick(g, 8, 6, 7))),
        Case(
            "one that fills all of T, and an empty one",
            (shared.shuffled(g, torch.tensor([0, full, 3])), full),
        ),
        Case("one sentence", (shared.lengths(g, 1, least=1, most=3), pick(g, 4, 5, 7))),
    ]


@exercise.alternative
def one_sentence_after_another(lengths, T):
    return torch.stack([torch.arange(T) < n for n in lengths])


@exercise.alternative
def filled_in_place(lengths, T):
    mask = torch.zeros(len(lengths), T, dtype=torch.bool)
    for row, n in enumerate(lengths.tolist()):
        mask[row, :n] = True
    return mask


@exercise.alternative
def written_as_a_list(lengths, T):
    return torch.tensor([[j < n for j in range(T)] for n in lengths.tolist()], dtype=torch.bool)


exercise.slip(
    "true_is_padding",
    "torch.arange(T, device=lengths.device) < lengths.unsqueeze(-1) → torch.arange(T) >= lengths[:, None]",
).says('True is on the padding: True means "may attend", so it belongs on the words.')
exercise.slip(
    "one_word_more",
    "torch.arange(T, device=lengths.device) < lengths.unsqueeze(-1) → torch.arange(T) <= lengths[:, None]",
).says(
    "One position of padding counts as a word: positions count from 0, and a sentence of n words has them "
    "at 0 to n − 1, so use < in place of ≤."
)
exercise.slip(
    "filled_in_front",
    "torch.arange(T, device=lengths.device) < lengths.unsqueeze(-1) → torch.arange(T) >= T - lengths[:, "
    "None]",
).says("Here the padding comes in front of the words: these sentences are padded at their ends.")
exercise.slip(
    "sentences_in_columns",
    "torch.arange(T, device=lengths.device) < lengths.unsqueeze(-1) → torch.arange(T)[:, None] < lengths",
).says(
    "The axes are swapped: the sentences come first, (B, T), so it is `lengths` that needs a new last axis, "
    "and not the positions."
)
exercise.slip(
    "padding_as_numbers",
    "torch.arange(T, device=lengths.device) < lengths.unsqueeze(-1) → (torch.arange(T) < lengths[:, "
    "None]).long()",
).says("These are the integers 1 and 0, as a tokenizer gives them: a mask is boolean here.")
exercise.slip(
    "up_to_the_longest", "torch.arange(T, device=lengths.device) → torch.arange(int(lengths.max()))"
).says(
    "The mask ends with the longest sentence: the batch has T positions, and so has the mask, even where "
    "the last of them are padding in every sentence."
)
exercise.slip(
    "with_axes_for_heads",
    "torch.arange(T, device=lengths.device) < lengths.unsqueeze(-1) → (torch.arange(T) < lengths[:, "
    "None])[:, None, None]",
).says(
    "The mask has axes of its own for heads and queries: here it is (B, T), and whoever uses it adds the "
    "axes that are needed."
)
exercise.slip("one_word_less", "lengths.unsqueeze(-1) → (lengths[:, None] - 1)").says(
    "The last word of each sentence counts as padding: positions count from 0, and a sentence of n words "
    "has them at 0 to n − 1."
)
exercise.slip(
    "nothing_hidden",
    "torch.arange(T, device=lengths.device) < lengths.unsqueeze(-1) → torch.ones(len(lengths), T, "
    "dtype=torch.bool)",
).says("Every position counts as a word: those from a sentence's length on are padding, and False.")

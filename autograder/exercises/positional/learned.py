"""Learned positions."""

import torch
from torch import Generator, Tensor

from autograder.drawing import pick
from autograder.entry import Entry
from autograder.exercises.positional import shared
from helpers import positional
from helpers.checking.calling.drivers import Case
from helpers.checks import gradient_reaches_inputs, inputs_unchanged

exercise = Entry(
    id="positional.learned",
    title="Learned positions",
    points=2,
    difficulty=2,
    minutes=6,
    reference=positional.learned_positions,
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.cases
def learned_cases(g: Generator) -> list[Case]:
    """Words that come twice, and words whose number is no position."""
    T, d, spare = shared.sizes(g, *pick(g, (3, 4, 5), (3, 5, 6), (4, 5, 6), (3, 4, 7)))
    rows, V = T + spare + 1, pick(g, 9, 10, 12)
    return [
        Case("one sentence", (_words(g, T), shared.normal(g, V, d), shared.normal(g, rows, d))),
        Case("a batch (B, T)", (_words(g, 2, T), shared.normal(g, V, d), shared.normal(g, rows, d))),
        Case(
            "a small vocabulary",
            (_words(g, 3, pick(g, 5, 6, 7), vocabulary=4), shared.normal(g, 4, 6), shared.normal(g, 8, 6)),
        ),
        Case("float64", (_words(g, 2, T), *_float64(g, (V, d), (rows, d)))),
        Case(
            "two batch axes",
            (
                _words(g, *pick(g, (2, 1), (1, 2), (1, 1)), T),
                shared.normal(g, V, d),
                shared.normal(g, rows, d),
            ),
        ),
    ]


def _words(g: Generator, *shape: int, vocabulary: int = 9) -> Tensor:
    """Ids, of which the last of each sentence repeats its first: a word's place isn't its number."""
    ids = torch.randint(vocabulary, shape, generator=g)
    ids[..., -1] = ids[..., 0]
    return ids


def _float64(g: Generator, *shapes: tuple) -> tuple[Tensor, ...]:
    return tuple(shared.normal(g, *shape, dtype=shared.F64) for shape in shapes)


@exercise.alternative
def with_embeddings(ids, words, positions):
    place = torch.arange(ids.shape[-1])
    return torch.nn.functional.embedding(ids, words) + torch.nn.functional.embedding(place, positions)


@exercise.alternative
def with_one_hot(ids, words, positions):
    chosen = torch.nn.functional.one_hot(ids, words.size(0)).to(words.dtype)
    return chosen @ words + positions[: ids.size(-1), :]


@exercise.alternative
def with_index_select(ids, words, positions):
    found = words.index_select(0, ids.reshape(-1)).reshape(*ids.shape, words.size(1))
    return torch.add(found, positions.index_select(0, torch.arange(ids.size(-1))))


exercise.slip("looked_up_by_word", ": ids.size(-1) → ids % len(positions)").says(
    "The position vector is looked up by the word's number, so a word has the same one wherever it is: look "
    "it up by the place, 0, 1, 2, …."
)
exercise.slip(
    "one_position_for_each_sentence",
    "place = torch.arange(ids.shape[-1]) → if ids.dim() == 1:\n"
    "        return words[ids] + positions[: ids.size(0)]",
    "torch.nn.functional.embedding(place, positions) → positions[: ids.size(0)].unsqueeze(1)",
    of=with_embeddings,
).says(
    "Position vectors are handed out along the batch, one for each sentence: each place in a sentence "
    "gets one, and every sentence the same ones."
)
exercise.slip(
    "counted_through_the_batch",
    "torch.arange(ids.shape[-1]) → torch.arange(ids.numel()).reshape(ids.shape) % len(positions)",
    of=with_embeddings,
).says("Places are counted on from one sentence to the next: each sentence begins at position 0 again.")
exercise.slip("learned_from_one", ": ids.size(-1) → 1 : ids.size(-1) + 1").says(
    "The first word gets row 1: places are counted from 0, and row 0 would never be trained."
)
exercise.slip("positions_left_out", " + positions[: ids.size(-1)] →").says(
    "These are the word vectors alone: the position vectors still have to be added."
)
exercise.slip(
    "positions_alone",
    "words[ids] + positions[: ids.size(-1)] → positions[: ids.size(-1)].expand(*ids.shape, -1)",
).says("These are the position vectors alone, so it no longer matters what the words are: add the two.")
exercise.slip(
    "one_after_the_other",
    "torch.nn.functional.one_hot(ids, words.size(0)).to(words.dtype) → positions[: "
    "ids.size(-1)].expand(*ids.shape, -1)",
    "chosen @ words + positions[: ids.size(-1), :] → torch.cat([words[ids], chosen], dim=-1)",
    of=with_one_hot,
).says("Word and position are concatenated, which makes the vectors twice as wide: they are added.")
exercise.slip("frozen", "positions[: ids.size(-1)] → positions[: ids.size(-1)].detach()").says(
    "No gradient reaches the position vectors, because of .detach() or .data, and so they stay what they "
    "were at the start: learned positions are parameters like the word vectors."
)
exercise.slip("words_scaled_up", "words[ids] → (math.sqrt(words.size(-1)) * words[ids])").says(
    "The words' vectors are multiplied by √d_model, as the paper does: here the two vectors are added as "
    "they are."
)
exercise.slip("one_position_for_all", ": ids.size(-1) → ids.size(-1) - 1").says(
    "Every place gets the same position vector, that of the last one: place p gets row p."
)

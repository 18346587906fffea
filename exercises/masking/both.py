"""Both masks at once."""

import torch
from torch import Generator

from exercises.masking import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers import masking
from helpers.masking import causal_mask

exercise = Entry(
    id="masking.both",
    title="Both masks at once",
    points=3,
    difficulty=2,
    minutes=6,
    reference=masking.decoder_mask,
    returns=("mask",),
    properties=(inputs_unchanged,),
    needs=("masking.causal",),
)


@exercise.cases
def decoder_cases(g: Generator) -> list[Case]:
    """Padding at the end, in front, in the middle, and nothing else."""
    at_the_end = torch.arange(pick(g, 5, 6, 7)) < shared.lengths(g, 3, least=1, most=4).unsqueeze(-1)
    in_front = torch.arange(pick(g, 6, 7, 8)) >= shared.lengths(g, 4, least=1, most=5).unsqueeze(-1)
    one = torch.arange(pick(g, 5, 4, 6)) >= shared.lengths(g, 1, least=1, most=3).unsqueeze(-1)
    full = pick(g, 6, 4, 5)
    lengths = shared.shuffled(g, torch.tensor([0, full, 2])).unsqueeze(-1)
    gap = torch.arange(pick(g, 5, 6, 7)) != shared.lengths(g, 2, least=1, most=3).unsqueeze(-1)
    return [
        Case("three sentences, padded at their ends", (at_the_end,)),
        Case("four sentences, padded in front", (in_front,)),
        Case("one sentence, padded in front", (one,)),
        Case("a full sentence, a short one and an empty one", (torch.arange(full) < lengths,)),
        Case("two sentences, padding in the middle", (gap,)),
    ]


@exercise.alternative
def with_none(real):
    return causal_mask(real.shape[1])[None] & real[:, None]


@exercise.alternative
def hidden_keys_filled(real):
    mask = causal_mask(real.size(-1)).repeat(len(real), 1, 1)
    return mask.masked_fill(~real[:, None, :], False)


@exercise.alternative
def both_compared(real):
    places = torch.arange(real.size(1))
    not_ahead = places[None, :] <= places[:, None]
    return torch.logical_and(not_ahead, real[:, None, :])


exercise.slip("queries_for_keys", "real.unsqueeze(-2) → real[:, :, None]").says(
    "The padding mask has ended up on the queries: it must hide keys, the columns, so "
    "the new axis belongs before the last, (B, 1, T)."
)
exercise.slip(
    "queries_and_keys",
    "causal_mask(real.size(-1)) & real.unsqueeze(-2) → (causal_mask(real.size(1)) & real[:, None, :]) & "
    "real[:, :, None]",
).says(
    "The rows of the padding are hidden as well as its columns: such a query then has nothing to look at, "
    "and its output is thrown away later anyway, so hide the columns alone."
)
exercise.slip(
    "either", "causal_mask(real.size(-1)) & real.unsqueeze(-2) → causal_mask(real.size(1)) | real[:, None, :]"
).says('The two are combined by "or", so a key is seen if one of them allows it: both must, which is &.')
exercise.slip("no_new_axis", ".unsqueeze(-2) →").says(
    "(T, T) and (B, T) are combined as they are, and broadcasting takes the B sentences for T queries: it "
    "works for one sentence by luck, so give the padding mask an axis of size 1 for the queries."
)
exercise.slip(
    "causal_alone",
    "causal_mask(real.size(-1)) & real.unsqueeze(-2) → causal_mask(real.size(1)).expand(len(real), -1, -1)",
).says("Only the future is hidden here, and the padding can be seen: combine it by & with the padding mask.")
exercise.slip(
    "padding_alone",
    "causal_mask(real.size(-1)) & real.unsqueeze(-2) → real[:, None, :].expand(-1, real.size(1), -1)",
).says("Only the padding is hidden here, and the future can be seen: combine it by & with the causal mask.")
exercise.slip(
    "exclusive",
    "causal_mask(real.size(-1)) & real.unsqueeze(-2) → causal_mask(real.size(1)) ^ real[:, None, :]",
).says("^ is True where exactly one of the two is: both have to allow a key, which is &.")
exercise.slip("queries_with_heads", "real.unsqueeze(-2) → real[:, None, :, None]").says(
    "The queries that are padding are hidden instead of the keys, and there is one axis too many: a query "
    "may look at real keys alone, and the mask is (B, T, T)."
)
exercise.slip("both_with_heads", "real.unsqueeze(-2) → real[:, None, None, :]").says(
    "This is the right mask with an axis for the heads, (B, 1, T, T): here it is (B, T, T), and whoever "
    "uses it adds that axis."
)
exercise.slip(
    "words_taken_to_come_first",
    "return causal_mask(real.size(-1)) & real.unsqueeze(-2) → words = torch.arange(real.size(1)) < "
    "real.sum(1)[:, None]\n"
    "    return causal_mask(real.size(-1)) & words[:, None, :]",
).says(
    "Only the number of words is used, as if the padding always came after them: it can be anywhere, so "
    "take `real` itself for the keys."
)
exercise.slip(
    "future_for_past",
    "return causal_mask(real.size(-1)) & real.unsqueeze(-2) → T = real.size(-1)\n"
    "    return torch.ones(T, T).triu(1).bool() & real.unsqueeze(-2)",
).says("The causal half is inverted: what comes later is seen, and the past and the word itself are hidden.")

"""Which words to hide."""

import torch
from torch import Generator, Tensor

from exercises.bert import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers.text.vocabulary import CLS, ORDINARY, PAD, SEP

exercise = Entry(
    id="bert.mask_tokens",
    title="Which words to hide",
    points=4,
    difficulty=3,
    minutes=12,
    driver="draws",
    returns=("what holds of the draws",),
    properties=(inputs_unchanged,),
)


@exercise.reference
def mask_tokens(ids, vocabulary, generator, share=0.15):
    chosen = (torch.rand(ids.shape, generator=generator) < share) & (ids >= 6)
    fate = torch.rand(ids.shape, generator=generator)
    others = torch.randint(6, vocabulary, ids.shape, generator=generator)
    read = torch.where(chosen & (fate < 0.8), 3, ids)
    read = torch.where(chosen & (fate >= 0.9), others, read)
    return read, torch.where(chosen, ids, -100)


@exercise.cases
def masking_cases(g: Generator) -> list[Case]:
    """Many draws of a batch; rows without words; a row alone."""
    vocabulary = shared.between(g, 36, 46)
    counts = pick(g, (40, 60, 20, 40, 40), (60, 40, 40, 50), (40, 20, 40, 60, 40, 30))
    rows = torch.full((len(counts), pick(g, 64, 66, 70)), PAD)
    for row, count in enumerate(counts):
        first = count // 2 - shared.between(g, 0, 3)
        words = shared.words(g, count, vocabulary)
        words[::4] = ORDINARY  # the first number that is a word's
        row_of = torch.cat([torch.tensor([CLS]), words[:first], torch.tensor([SEP]), words[first:],
                            torch.tensor([SEP])])  # fmt: skip
        rows[row, : len(row_of)] = row_of
    special = torch.tensor([[CLS, SEP, SEP, PAD], [CLS, SEP, PAD, SEP]])[:, torch.randperm(4, generator=g)]
    return [
        Case("the statistics of many draws", _masking(80, rows, vocabulary)),
        Case("rows of special tokens alone", _masking(4, special, vocabulary)),
        Case("one row", _masking(2, special[:1], vocabulary)),
        Case("a different share", _masking(80, rows, vocabulary, 0.6 + shared.between(g, 0, 20) / 100)),
    ]


def _masking(calls: int, ids: Tensor, vocabulary: int, *share: float) -> tuple:
    judge = {"layer": "statistics of a masking", "weights": [vocabulary, *share]}
    return judge, calls, ids, vocabulary, "<generator>", *share


@exercise.alternative
def half_of_the_rest(ids, vocabulary, generator, share=0.15):
    def often(p):
        return torch.bernoulli(torch.full(ids.shape, p), generator=generator).bool()

    labels, read = ids.clone(), ids.clone()
    chosen = often(share) & (ids > 5)
    labels[~chosen] = -100
    hidden = often(0.8) & chosen
    read[hidden] = 3
    exchanged = often(0.5) & chosen & ~hidden
    read[exchanged] = torch.randint(6, vocabulary, (int(exchanged.sum()),), generator=generator)
    return read, labels


@exercise.alternative
def so_many_of_each_row(ids, vocabulary, generator, share=0.15):
    read, labels = ids.clone(), torch.full_like(ids, -100)
    for row in range(len(ids)):
        words = (ids[row] >= 6).nonzero().flatten()
        order = torch.randperm(len(words), generator=generator)
        for place in words[order[: round(share * len(words))]].tolist():
            labels[row, place] = ids[row, place]
            fate = torch.rand((), generator=generator).item()
            if fate < 0.8:
                read[row, place] = 3
            elif fate < 0.9:
                read[row, place] = int(torch.randint(6, vocabulary, (), generator=generator))
    return read, labels


exercise.slip(
    "special_tokens_too",
    "(torch.rand(ids.shape, generator=generator) < share) & (ids >= 6) → torch.rand(ids.shape, "
    "generator=generator) < share",
).says(
    "Special tokens are chosen too, so that the model is asked to guess [CLS], [SEP] and padding: only "
    "numbers from 6 on are words."
)
exercise.slip("labels_everywhere", "torch.where(chosen, ids, -100) → ids.clone()").says(
    "Every position has a label, so the loss would count words that can simply be copied: where nothing was "
    "chosen the label is -100."
)
exercise.slip(
    "labels_of_what_is_read", "torch.where(chosen, ids, -100) → torch.where(chosen, read, -100)"
).says(
    "The labels are taken after the masking, so the answer to a blank is <mask>: a label is the word that "
    "was there before."
)
exercise.slip("zero_for_no_label", "-100 → 0").says(
    "Positions that weren't chosen get the label 0, which is <pad>, so the model would learn to say <pad> "
    "nearly everywhere: the loss skips -100."
)
exercise.slip(
    "always_mask",
    "read, torch.where(chosen, ids, -100) → torch.where(chosen, 3, ids), torch.where(chosen, ids, -100)",
).says(
    "All chosen words become <mask>, a token that the model never meets after pretraining: by a second "
    "draw, one chosen word in ten becomes a different word, and one in ten stays."
)
exercise.slip(
    "any_token_as_the_other",
    "torch.randint(6, vocabulary, ids.shape, generator=generator) → torch.randint(0, vocabulary, "
    "ids.shape, generator=generator)",
).says("The other word is drawn from all numbers, special tokens included: words begin at 6.")
exercise.slip(
    "fate_of_all_words",
    "chosen = (torch.rand(ids.shape, generator=generator) < share) & (ids >= 6) → word = ids >= 6\n"
    "    chosen = (torch.rand(ids.shape, generator=generator) < share) & (ids >= 6)",
    "chosen & (fate < 0.8) → word & (fate < 0.8)",
    "read, torch.where(chosen, ids, -100) → torch.where(word & (fate >= 0.9), others, read), "
    "torch.where(chosen, ids, -100)",
).says(
    "The second draw is applied to all words, chosen or not, so 80 % of the whole text is hidden: the "
    "80, 10 and 10 % are of the chosen words."
)
exercise.slip(
    "one_draw_for_all_rows",
    "chosen = (torch.rand(ids.shape, generator=generator) < share) & (ids >= 6) → size = ids.size(-1)\n"
    "    chosen = (torch.rand(size, generator=generator) < share) & (ids >= 6)",
).says(
    "The draws have the shape (T,), so all rows lose the words at the same places: each token has a draw "
    "of its own, with the shape of ids."
)

exercise.slip(
    "one_fate_for_all_rows",
    "fate = torch.rand(ids.shape, generator=generator) → fate = torch.rand(ids.size(-1), "
    "generator=generator)",
).says(
    "The second draw has the shape (T,), so all rows share it: words chosen at the same place all become "
    "<mask>, or none does: each token has a draw of its own."
)
exercise.slip(
    "one_fate_for_the_batch",
    "fate = torch.rand(ids.shape, generator=generator) → fate = torch.rand((), generator=generator)",
).says(
    "The second draw is a single number, so all chosen words of the batch share one fate: each token has a "
    "draw of its own, with the shape of ids."
)


@exercise.misconception
def tenth_of_the_rest(ids, vocabulary, generator, share=0.15):
    """Far fewer than 10 % of the chosen become a different word: either only a tenth of those that aren't
    <mask> do, where half should, or <mask> is written over most of the other words.
    """
    chosen = (torch.rand(ids.shape, generator=generator) < share) & (ids >= 6)
    hidden = chosen & (torch.rand(ids.shape, generator=generator) < 0.8)
    other = chosen & ~hidden & (torch.rand(ids.shape, generator=generator) < 0.1)
    others = torch.randint(6, vocabulary, ids.shape, generator=generator)
    read = torch.where(other, others, torch.where(hidden, 3, ids))
    return read, torch.where(chosen, ids, -100)


@exercise.misconception
def none_stays(ids, vocabulary, generator, share=0.15):
    """Each chosen word that doesn't become <mask> becomes a different one, so none stays: the model would
    learn that a word it is asked about is never the right one.
    """
    chosen = (torch.rand(ids.shape, generator=generator) < share) & (ids >= 6)
    hidden = torch.rand(ids.shape, generator=generator) < 0.8
    others = torch.randint(6, vocabulary, ids.shape, generator=generator)
    read = torch.where(chosen, torch.where(hidden, 3, others), ids)
    return read, torch.where(chosen, ids, -100)


exercise.slip(
    "two_separate_draws",
    "others = torch.randint(6, vocabulary, ids.shape, generator=generator) → other = chosen & "
    "(torch.rand(ids.shape, generator=generator) < 0.1)\n"
    "    others = torch.randint(6, vocabulary, ids.shape, generator=generator)",
    "chosen & (fate < 0.8) → other",
).says(
    "<mask> and a different word are drawn independently, so the second overwrites some of the first: one "
    "draw decides among the three, or the second draw looks only at what is left."
)
exercise.slip(
    "labels_for_masks_alone",
    "read = torch.where(chosen & (fate >= 0.9), others, read) → labels = torch.where(read == 3, ids, -100)",
    "read, torch.where(chosen, ids, -100) → torch.where(chosen & (fate >= 0.9), others, read), labels",
).says(
    "Only <mask> has a label: words that were replaced or kept need one too, or else nothing would tell "
    "the model to doubt what it reads."
)
exercise.slip(
    "labels_where_it_changed", "torch.where(chosen, ids, -100) → torch.where(read != ids, ids, -100)"
).says(
    "Only words that have changed get a label: the one chosen word in ten that stays needs one too, so that "
    "the model is asked about words that are right."
)
exercise.slip(
    "generator_ignored",
    "torch.rand(ids.shape, generator=generator) < share → torch.rand(ids.shape) < share",
    "fate = torch.rand(ids.shape, generator=generator) → fate = torch.rand(ids.shape)",
    "torch.randint(6, vocabulary, ids.shape, generator=generator) → torch.randint(6, vocabulary, ids.shape)",
).says(
    "The random numbers don't come from the generator, so nobody can repeat the experiment: pass "
    "generator=generator to each draw."
)
exercise.slip(
    "share_ignored",
    "torch.rand(ids.shape, generator=generator) < share → torch.rand(ids.shape, generator=generator) < 0.15",
).says("15 % are chosen whatever `share` says: it is an argument so that an experiment can ask for more.")
exercise.slip(
    "one_other_word_for_all",
    "torch.randint(6, vocabulary, ids.shape, generator=generator) → torch.randint(6, vocabulary, (1, 1), "
    "generator=generator)",
).says("One random word is drawn for all places: each word that is replaced gets a draw of its own.")
exercise.slip(
    "last_word_never_drawn",
    "torch.randint(6, vocabulary, ids.shape → torch.randint(6, vocabulary - 1, ids.shape",
).says(
    "The last word of the vocabulary is never drawn as the other word: torch.randint leaves out its upper "
    "end by itself, so that end is `vocabulary`."
)
exercise.slip("first_word_never_chosen", "(ids >= 6) → (ids > 6)").says(
    "The first word, 6, is never chosen: the special tokens are those below 6."
)
exercise.slip("labels_turned", "torch.where(chosen, ids, -100) → torch.where(chosen, -100, ids)").says(
    "The labels are the wrong way round: the chosen words have -100, which the loss skips, and all other "
    "tokens are asked for."
)

"""A round of mask-predict."""

import math

import torch
from torch import Generator, Tensor

from exercises.bert import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers.text.vocabulary import CLS, MASK, ORDINARY, SEP

exercise = Entry(
    id="bert.fill",
    title="A round of mask-predict",
    points=3,
    difficulty=3,
    minutes=10,
    returns=("tokens",),
    properties=(inputs_unchanged,),
)


@exercise.reference
def fill_and_mask_again(ids, logits, again):
    hidden = ids == 3
    p, words = logits[..., 6:].softmax(dim=-1).max(dim=-1)
    filled = torch.where(hidden, words + 6, ids)
    order = p.masked_fill(~hidden, math.inf).argsort(dim=-1)[:, :again]
    return filled.scatter(-1, order, 3).where(hidden, ids)


@exercise.cases
def fill_cases(g: Generator) -> list[Case]:
    """Some again, none, more than there are, special tokens that score highest, everywhere or once."""

    def case(
        title: str,
        B: int,
        T: int,
        hidden: int,
        again: int,
        special: bool = False,
        once: bool = False,
        more: int = 0,
    ) -> Case:
        V = pick(g, 13, 12, 15)
        ids = shared.words(g, B * T, V).view(B, T)
        for number, row in enumerate(ids):
            row[torch.randperm(T - 2, generator=g)[: hidden + more * number] + 1] = MASK
        ids[:, 0], ids[:, -1] = CLS, SEP
        logits = _logits(g, B, T, V)
        logits[..., :ORDINARY] += 6.0 if special else -2.0
        if once:  # the surest of the words, and a special token above it
            first = (torch.arange(B), (ids == MASK).long().argmax(dim=-1))
            logits[first] += torch.tensor([16.0] * ORDINARY + [12.0] + [0.0] * (V - ORDINARY - 1))
        return Case(title, (ids, logits + 3 * shared.normal(g, B, T, 1), again))

    T = pick(g, 4, 3, 5)
    sure = torch.tensor([[CLS, *shared.words(g, 2, 13).tolist(), MASK, MASK, SEP]])
    return [
        case("half of them are hidden again", pick(g, 2, 3), pick(g, 8, 9), 4, 2),
        case("none is hidden again", pick(g, 3, 2, 4), pick(g, 7, 6), 3, 0),
        case("a special token has the highest score", 2, pick(g, 9, 8, 7), 4, pick(g, 1, 2), special=True),
        case("a special token is above the surest word", 2, pick(g, 8, 7), 3, 1, once=True),
        case("more are asked for than there are", 2, pick(g, 7, 6, 5), 2, 4),
        case("more are asked for than there are places", 1, pick(g, 5, 6, 7), 2, 9),
        case("nothing is hidden", 1, pick(g, 4, 5, 6), 0, 1),
        case("rows with different numbers of blanks", 2, pick(g, 8, 7, 9), 1, pick(g, 3, 2), more=3),
        Case("nothing but blanks", (torch.full((1, T), MASK), _logits(g, 1, T, 13), T)),
        Case("sure of every word", (sure, 200 * _logits(g, 1, 6, 13).clamp(min=0), 2)),
    ]


def _logits(g: Generator, B: int, T: int, V: int) -> Tensor:
    """Scores that leave no two places of a row nearly as certain as each other, however one rounds."""
    while True:
        logits = 2 * shared.normal(g, B, T, V)
        certain = logits[..., ORDINARY:].softmax(dim=-1).amax(dim=-1).sort(dim=-1).values
        if (certain.diff(dim=-1) > 1e-4).all():
            return logits


@exercise.alternative
def fill_row_by_row(ids, logits, again):
    result = ids.clone()
    for row in range(len(ids)):
        places = [t for t in range(ids.size(1)) if ids[row, t] == 3]
        shares = {t: logits[row, t, 6:].softmax(dim=-1) for t in places}
        for t in places:
            result[row, t] = shares[t].argmax() + 6
        for t in sorted(places, key=lambda t: float(shares[t].max()))[:again]:
            result[row, t] = 3
    return result


@exercise.alternative
def fill_by_ranks(ids, logits, again):
    hidden = ids == 3
    logits = logits.clone()
    logits[..., :6] = -math.inf
    p, words = logits.softmax(dim=-1).max(dim=-1)
    rank = p.masked_fill(~hidden, 2.0).argsort(dim=-1).argsort(dim=-1)
    return torch.where(hidden & (rank >= again), words, ids)


@exercise.alternative
def fill_by_logarithms(ids, logits, again):
    best, words = logits[..., 6:].max(dim=-1)
    certain = best - logits[..., 6:].logsumexp(dim=-1)
    result = ids.clone()
    for row, (tokens, sure) in enumerate(zip(ids, certain, strict=True)):
        blanks = (tokens == 3).nonzero().flatten()
        result[row, blanks] = words[row, blanks] + 6
        again_here = min(again, len(blanks))
        result[row, blanks[sure[blanks].topk(again_here, largest=False).indices]] = 3
    return result


exercise.slip(
    "most_certain_again",
    "p.masked_fill(~hidden, math.inf).argsort(dim=-1) → p.masked_fill(~hidden, -1).argsort(dim=-1, "
    "descending=True)",
).says(
    "The most certain fillings are hidden again: those should stay, and the least certain get another "
    "chance once more is known around them."
)
exercise.slip(
    "given_words_rewritten",
    "filled.scatter(-1, order, 3).where(hidden, ids) → (words + 6).scatter(-1, order, 3).where(hidden | "
    "(ids >= 6), ids)",
).says("Words that were given are overwritten as well: only <mask> is filled.")
exercise.slip(
    "all_written_anew",
    "filled.scatter(-1, order, 3).where(hidden, ids) → (words + 6).scatter(-1, order, 3).where(hidden, "
    "words + 6)",
).says("Every position is overwritten, [CLS], [SEP] and words that were given too: only <mask> is filled.")
exercise.slip(
    "given_words_hidden",
    "filled.scatter(-1, order, 3).where(hidden, ids) → filled.scatter(-1, torch.argsort(p, dim=-1)[:, "
    ":again], 3)",
).says(
    "The least certain of all positions are hidden again, given words and special tokens among them: "
    "only new words may be hidden."
)
exercise.slip("more_than_there_are", ".where(hidden, ids) →").says(
    "If `again` is more than the blanks of a row, given words become <mask> too: only filled blanks may."
)
exercise.slip("special_tokens_written", "logits[..., 6:] → logits", " + 6 →").says(
    "Special tokens can be written, such as a [SEP] in the middle: look for the best score among the "
    "numbers from 6 on."
)
exercise.slip("numbers_not_moved_back", " + 6 →").says(
    "The best of logits[..., 6:] is counted from 0 there, so each number is 6 too small: add 6."
)
exercise.slip("certain_by_logits", ".softmax(dim=-1) →").says(
    "The certainty of a filling is read off the logits, which can't be compared between positions: take "
    "the softmax first."
)
exercise.slip(
    "certain_among_all_tokens", "logits[..., 6:].softmax(dim=-1) → logits.softmax(dim=-1)[..., 6:]"
).says(
    "The certainty is a share of all tokens, special ones included, which may not be written: take the "
    "softmax of the numbers from 6 on."
)
exercise.slip(
    "all_stay",
    "filled.scatter(-1, order, 3).where(hidden, ids) → torch.where(ids == 3, logits[..., "
    "6:].argmax(dim=-1) + 6, ids)",
).says("Nothing is hidden again, so the first guess is the last: `again` fillings of each row become <mask>.")
exercise.slip(
    "again_in_all_rows",
    "torch.where(hidden, words + 6, ids) → torch.where(hidden, words + 6, ids).flatten()",
    "p.masked_fill(~hidden, math.inf).argsort(dim=-1)[:, :again] → p.masked_fill(~hidden, "
    "2).flatten().argsort()[:again]",
    "filled.scatter(-1, order, 3) → filled.scatter(0, order, 3).view_as(ids)",
).says(
    "The least certain of the whole batch are hidden again: hide `again` in each row, since each row is "
    "a text of its own."
)
exercise.slip("sorted_once", ".argsort(dim=-1).argsort(dim=-1) → .argsort(dim=-1)", of=fill_by_ranks).says(
    "argsort says which place comes first, not which rank a place has: sort its result once more for ranks."
)
exercise.slip("one_more_hidden", "rank >= again → rank > again", of=fill_by_ranks).says(
    "One word too many is hidden again: ranks count from 0, so those below `again` are."
)
exercise.slip("given_words_in_front", "math.inf → 0").says(
    "Where there was no <mask>, the certainty is set to the least there is, so these places come first and "
    "use up `again`: they belong at the end, behind every new word."
)
exercise.slip("given_words_count", "p.masked_fill(~hidden, math.inf).argsort → p.argsort").says(
    "All places are ranked, and given words among the least certain use up `again`, so too few blanks are "
    "hidden again: places that weren't <mask> belong at the end."
)
exercise.slip("given_words_as_sure_as_1", "math.inf → 1.0").says(
    "Places that weren't <mask> get the certainty 1, but a new word can have 1, too, and then a given one "
    "uses up `again`: take a number above 1."
)
exercise.slip(
    "as_few_as_in_any_row",
    "order = p.masked_fill(~hidden, math.inf).argsort(dim=-1)[:, :again] → fewest = min(again, "
    "int(hidden.sum(dim=-1).min()))\n"
    "    order = p.masked_fill(~hidden, math.inf).argsort(dim=-1)[:, :fewest]",
).says(
    "In all rows as few are hidden again as the row with the fewest blanks has: `again` counts in each row "
    "by itself."
)

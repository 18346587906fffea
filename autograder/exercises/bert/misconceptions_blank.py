"""Lesson 10's misconceptions about blanks, as a language model sees them, and about filling round by round.

A docstring is the sentence that the student reads. Each stands alone, with `torch` and `math` as its only
names, so that the class simulator can paste it.
"""

# ruff: noqa: D205  (a sentence may take two lines)

import math

import torch

# -- blanks --------------------------------------------------------------------------------------------------


def one_place_late(model, ids, place, candidates):
    """The next-word scores are read at the blank itself, where the model has read the word and says what
    comes after it: the scores for a word stand one place before it.
    """
    texts = ids.repeat(len(candidates), 1)
    texts[:, place] = candidates
    log_p = model(texts).log_softmax(dim=-1)
    each = log_p[:, :-1].gather(-1, texts[:, 1:, None])[..., 0]
    return log_p[0, place, candidates].softmax(dim=0), each.sum(dim=-1).softmax(dim=0)


def never_one_place_before(model, ids, place, candidates):
    """The scores at each position are taken for the word that stands there: they are for the next one, so a
    word's own stand one place before it, in the blank and in the whole text.
    """
    texts = ids.repeat(len(candidates), 1)
    texts[:, place] = candidates
    log_p = model(texts).log_softmax(dim=-1)
    each = log_p.gather(-1, texts[..., None])[..., 0]
    return log_p[0, place, candidates].softmax(dim=0), each.sum(dim=-1).softmax(dim=0)


def not_among_candidates(model, ids, place, candidates):
    """The probabilities are shares of the whole vocabulary, so they don't sum to 1 over the candidates:
    divide by their sum.
    """
    texts = ids.repeat(len(candidates), 1)
    texts[:, place] = candidates
    log_p = model(texts[:, :-1]).log_softmax(dim=-1)
    each = log_p.gather(-1, texts[:, 1:, None])[..., 0]
    return each[:, place - 1].exp(), each.sum(dim=-1).exp()


def right_side_alone(model, ids, place, candidates):
    """Only what comes after the blank is scored: the probability of a text has the candidate's own factor in
    it too.
    """
    texts = ids.repeat(len(candidates), 1)
    texts[:, place] = candidates
    log_p = model(texts[:, :-1]).log_softmax(dim=-1)
    each = log_p.gather(-1, texts[:, 1:, None])[..., 0]
    return each[:, place - 1].softmax(dim=0), each[:, place:].sum(dim=-1).softmax(dim=0)


def left_side_twice(model, ids, place, candidates):
    """The second answer is the first once more: the words to the right have to be scored as well, each time
    with another candidate at the blank.
    """
    texts = ids.repeat(len(candidates), 1)
    texts[:, place] = candidates
    log_p = model(texts[:, :-1]).log_softmax(dim=-1)
    each = log_p.gather(-1, texts[:, 1:, None])[..., 0]
    return each[:, place - 1].softmax(dim=0), each[:, :place].sum(dim=-1).softmax(dim=0)


def mean_over_the_text(model, ids, place, candidates):
    """The log-probabilities are averaged over the text, which makes all candidates more alike: the
    probability of a text is a product, so its logarithm is a sum.
    """
    texts = ids.repeat(len(candidates), 1)
    texts[:, place] = candidates
    log_p = model(texts[:, :-1]).log_softmax(dim=-1)
    each = log_p.gather(-1, texts[:, 1:, None])[..., 0]
    return each[:, place - 1].softmax(dim=0), each.mean(dim=-1).softmax(dim=0)


def logits_added_up(model, ids, place, candidates):
    """Logits are added up, and they are comparable only at one position: log_softmax first."""
    texts = ids.repeat(len(candidates), 1)
    texts[:, place] = candidates
    each = model(texts[:, :-1]).gather(-1, texts[:, 1:, None])[..., 0]
    return each[:, place - 1].softmax(dim=0), each.sum(dim=-1).softmax(dim=0)


def texts_spoiled(model, ids, place, candidates):
    """The candidates are written into the caller's text: repeat or clone it first."""
    rows = []
    for candidate in candidates.tolist():
        ids[place] = candidate
        log_p = model(ids[None, :-1]).log_softmax(dim=-1)
        rows.append(log_p.gather(-1, ids[None, 1:, None])[0, :, 0])
    each = torch.stack(rows)
    return each[:, place - 1].softmax(dim=0), each.sum(dim=-1).softmax(dim=0)


# -- filling -------------------------------------------------------------------------------------------------


def most_certain_again(ids, logits, again):
    """The *most* certain fillings are hidden again: those are to stay, and the least certain get another
    chance once more is known around them.
    """
    hidden = ids == 3
    p, words = logits[..., 6:].softmax(dim=-1).max(dim=-1)
    filled = torch.where(hidden, words + 6, ids)
    order = p.masked_fill(~hidden, -1).argsort(dim=-1, descending=True)[:, :again]
    return filled.scatter(-1, order, 3).where(hidden, ids)


def given_words_rewritten(ids, logits, again):
    """Words that were given are written anew as well: only <mask> is filled."""
    hidden = ids == 3
    p, words = logits[..., 6:].softmax(dim=-1).max(dim=-1)
    order = p.masked_fill(~hidden, 2).argsort(dim=-1)[:, :again]
    return (words + 6).scatter(-1, order, 3).where(hidden | (ids >= 6), ids)


def given_words_hidden(ids, logits, again):
    """The least certain of all positions are hidden again, given words and special tokens among them: only
    new words may be.
    """
    p, words = logits[..., 6:].softmax(dim=-1).max(dim=-1)
    filled = torch.where(ids == 3, words + 6, ids)
    return filled.scatter(-1, p.argsort(dim=-1)[:, :again], 3)


def special_tokens_written(ids, logits, again):
    """Special tokens can be written, such as a [SEP] in the middle: look for the best score among the
    numbers from 6 on.
    """
    hidden = ids == 3
    p, words = logits.softmax(dim=-1).max(dim=-1)
    filled = torch.where(hidden, words, ids)
    order = p.masked_fill(~hidden, 2).argsort(dim=-1)[:, :again]
    return filled.scatter(-1, order, 3).where(hidden, ids)


def numbers_not_moved_back(ids, logits, again):
    """The best of logits[..., 6:] is counted from 0 there, so each number is 6 too small: add 6."""
    hidden = ids == 3
    p, words = logits[..., 6:].softmax(dim=-1).max(dim=-1)
    filled = torch.where(hidden, words, ids)
    order = p.masked_fill(~hidden, 2).argsort(dim=-1)[:, :again]
    return filled.scatter(-1, order, 3).where(hidden, ids)


def certain_by_logits(ids, logits, again):
    """The certainty of a filling is read off the logits, which can't be compared between positions: take the
    softmax first.
    """
    hidden = ids == 3
    score, words = logits[..., 6:].max(dim=-1)
    filled = torch.where(hidden, words + 6, ids)
    order = score.masked_fill(~hidden, math.inf).argsort(dim=-1)[:, :again]
    return filled.scatter(-1, order, 3).where(hidden, ids)


def certain_among_all_tokens(ids, logits, again):
    """The certainty is a share of all tokens, special ones included, which may not be written: take the
    softmax of the numbers from 6 on.
    """
    hidden = ids == 3
    p, words = logits.softmax(dim=-1)[..., 6:].max(dim=-1)
    filled = torch.where(hidden, words + 6, ids)
    order = p.masked_fill(~hidden, 2).argsort(dim=-1)[:, :again]
    return filled.scatter(-1, order, 3).where(hidden, ids)


def all_stay(ids, logits, again):
    """Nothing is hidden again, so the first guess is the last: `again` fillings of each row become <mask>."""
    return torch.where(ids == 3, logits[..., 6:].argmax(dim=-1) + 6, ids)


def again_in_all_rows(ids, logits, again):
    """The least certain of the whole batch are hidden again: `again` of each row are, since rows don't know
    of each other.
    """
    hidden = ids == 3
    p, words = logits[..., 6:].softmax(dim=-1).max(dim=-1)
    filled = torch.where(hidden, words + 6, ids).flatten()
    order = p.masked_fill(~hidden, 2).flatten().argsort()[:again]
    return filled.scatter(0, order, 3).view_as(ids).where(hidden, ids)

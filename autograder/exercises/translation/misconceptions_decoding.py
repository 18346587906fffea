"""Lesson 11's misconceptions about decoding: greedy, with a cache, and what the cache saves.

A function's docstring is the sentence that the student reads. Each stands alone, with `torch` and `math` as
its only names, so that the class simulator can paste it.
"""

# ruff: noqa: D205  (a sentence may take two lines, and may begin with a name)

import torch

# -- greedy --------------------------------------------------------------------------------------------------


def beginning_kept(step, rows, longest, bos=1, eos=2, pad=0):
    """`<bos>` is returned with the rest: nobody wrote it."""
    tokens = torch.full((rows, 1), bos)
    finished = torch.zeros(rows, dtype=torch.bool)
    while tokens.size(1) <= longest and not finished.all():
        best = step(tokens).argmax(-1).masked_fill(finished, pad)
        tokens = torch.cat([tokens, best[:, None]], 1)
        finished = finished | (best == eos)
    return tokens


def goes_on_after_the_end(step, rows, longest, bos=1, eos=2, pad=0):
    """Rows that are finished go on writing while others aren't: after its `<eos>` a row gets `<pad>`."""
    tokens = torch.full((rows, 1), bos)
    finished = torch.zeros(rows, dtype=torch.bool)
    while tokens.size(1) <= longest and not finished.all():
        best = step(tokens).argmax(-1)
        tokens = torch.cat([tokens, best[:, None]], 1)
        finished = finished | (best == eos)
    return tokens[:, 1:]


def ends_again_and_again(step, rows, longest, bos=1, eos=2, pad=0):
    """Finished rows get `<eos>` once more at each step: one is the end, and `<pad>` comes after it."""
    tokens = torch.full((rows, 1), bos)
    finished = torch.zeros(rows, dtype=torch.bool)
    while tokens.size(1) <= longest and not finished.all():
        best = step(tokens).argmax(-1).masked_fill(finished, eos)
        tokens = torch.cat([tokens, best[:, None]], 1)
        finished = finished | (best == eos)
    return tokens[:, 1:]


def stops_with_the_first(step, rows, longest, bos=1, eos=2, pad=0):
    """All rows stop as soon as one of them is finished: the others' sentences are cut off."""
    tokens = torch.full((rows, 1), bos)
    finished = torch.zeros(rows, dtype=torch.bool)
    while tokens.size(1) <= longest and not finished.any():
        best = step(tokens).argmax(-1).masked_fill(finished, pad)
        tokens = torch.cat([tokens, best[:, None]], 1)
        finished = finished | (best == eos)
    return tokens[:, 1:]


def stops_where_all_end_at_once(step, rows, longest, bos=1, eos=2, pad=0):
    """The loop stops only where all rows write `<eos>` in the same step, and those that ended before go on:
    who is finished has to be remembered from step to step.
    """
    tokens = torch.full((rows, 1), bos)
    for _ in range(longest):
        best = step(tokens).argmax(-1)
        tokens = torch.cat([tokens, best[:, None]], 1)
        if (best == eos).all():
            break
    return tokens[:, 1:]


def always_to_the_limit(step, rows, longest, bos=1, eos=2, pad=0):
    """The loop runs to the limit though every row is finished: it pays for steps that write nothing but
    padding.
    """
    tokens = torch.full((rows, 1), bos)
    finished = torch.zeros(rows, dtype=torch.bool)
    for _ in range(longest):
        best = step(tokens).argmax(-1).masked_fill(finished, pad)
        tokens = torch.cat([tokens, best[:, None]], 1)
        finished = finished | (best == eos)
    return tokens[:, 1:]


def only_the_last_token(step, rows, longest, bos=1, eos=2, pad=0):
    """`step` gets only the last token, and so doesn't know what was written before, nor how much: it is
    called with all tokens so far.
    """
    tokens = torch.full((rows, 1), bos)
    finished = torch.zeros(rows, dtype=torch.bool)
    while tokens.size(1) <= longest and not finished.all():
        best = step(tokens[:, -1:]).argmax(-1).masked_fill(finished, pad)
        tokens = torch.cat([tokens, best[:, None]], 1)
        finished = finished | (best == eos)
    return tokens[:, 1:]


def end_hidden(step, rows, longest, bos=1, eos=2, pad=0):
    """`<eos>` is overwritten by `<pad>`, because a row counts as finished before its `<eos>` is written."""
    tokens = torch.full((rows, 1), bos)
    finished = torch.zeros(rows, dtype=torch.bool)
    while tokens.size(1) <= longest and not finished.all():
        best = step(tokens).argmax(-1)
        finished = finished | (best == eos)
        tokens = torch.cat([tokens, best.masked_fill(finished, pad)[:, None]], 1)
    return tokens[:, 1:]


def one_token_more(step, rows, longest, bos=1, eos=2, pad=0):
    """One token too many is written where a sentence doesn't end: `longest` counts tokens without `<bos>`."""
    tokens = torch.full((rows, 1), bos)
    finished = torch.zeros(rows, dtype=torch.bool)
    while tokens.size(1) <= longest + 1 and not finished.all():
        best = step(tokens).argmax(-1).masked_fill(finished, pad)
        tokens = torch.cat([tokens, best[:, None]], 1)
        finished = finished | (best == eos)
    return tokens[:, 1:]


# -- work and scores -----------------------------------------------------------------------------------------


def as_if_always_full(length):
    """Each step is counted as if the sentence had its full length from the start: step t has t positions."""
    return length * length, length, length**3, length * length


def the_last_step_alone(length):
    """Only the last step is counted: a sentence is written in as many steps as it has tokens."""
    return length, 1, length * length, length


def the_visible_half(length):
    """Without a cache the whole square of scores is computed at each step, t · t: the causal mask hides half
    of it, which was computed before it was hidden.
    """
    steps = range(1, length + 1)
    return sum(steps), length, sum(t * (t + 1) // 2 for t in steps), sum(steps)


def one_score_a_step(length):
    """With a cache each step has one query, but t keys to compare it with, so t scores and not one."""
    steps = range(1, length + 1)
    return sum(steps), length, sum(t * t for t in steps), length


def cache_saves_no_scores(length):
    """With a cache the earlier queries don't come again, so step t computes one row of t scores, and not the
    whole square.
    """
    steps = range(1, length + 1)
    return sum(steps), length, sum(t * t for t in steps), sum(t * t for t in steps)


def counted_from_zero(length):
    """Counting begins at 0 positions: the first step already has one, `<bos>`."""
    return sum(range(length)), length, sum(t * t for t in range(length)), sum(range(length))


def by_plain_length(log_p, length, alpha):
    """This divides by length^α: also a fair choice, but here it is ((5 + length) / 6)^α, which is gentler
    to short sentences.
    """
    return log_p / length**alpha


def multiplied_by_it(log_p, length, alpha):
    """The log-probability is multiplied by the penalty, which makes long sentences worse still."""
    return log_p * ((5 + length) / 6) ** alpha


def power_above_alone(log_p, length, alpha):
    """The power is taken of 5 + length alone: the 6 stands inside it, so that one token has the penalty 1."""
    return log_p / ((5 + length) ** alpha / 6)


def beginning_counted(log_p, length, alpha):
    """One token too many is counted: `length` has `<eos>` in it already, and `<bos>` isn't written."""
    return log_p / ((6 + length) / 6) ** alpha


def end_taken_off(log_p, length, alpha):
    """One token too few is counted: `<eos>` counts."""
    return log_p / ((4 + length) / 6) ** alpha


def penalty_subtracted(log_p, length, alpha):
    """The penalty is subtracted: log-probabilities of long sentences are large in size, so it divides."""
    return log_p - ((5 + length) / 6) ** alpha

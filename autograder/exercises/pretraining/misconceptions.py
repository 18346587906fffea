"""Lesson 08's misconceptions about what is learned from and how it is measured: one slip in each function.

A function's docstring is the sentence that the student reads. Each function stands alone, with `torch` and
`math` as its only names, so that the class simulator can paste it.
"""

# ruff: noqa: D205  (a sentence may take two lines, and speaks of the mistake)

import math

import torch

# -- batches ---------------------------------------------------------------------------------------------


def not_shifted(ids, pad=0):
    """The targets are the inputs themselves: the model would learn to say again what it has just read, and
    the loss would go to zero.
    """
    inputs = ids[:, :-1]
    return inputs, inputs.masked_fill(inputs == pad, -100)


def shifted_backwards(ids, pad=0):
    """Each position is asked for the token before it: inputs are all but the last token, targets all but
    the first.
    """
    inputs, targets = ids[:, 1:], ids[:, :-1]
    return inputs, targets.masked_fill(targets == pad, -100)


def padding_as_a_target(ids, pad=0):
    """Padding is left among the targets, so that the model spends its effort on saying <pad> after <eos>."""
    return ids[:, :-1], ids[:, 1:]


def padding_as_minus_one(ids, pad=0):
    """Padding gets −1 as its target: what torch leaves out by default, and this course too, is −100."""
    inputs, targets = ids[:, :-1], ids[:, 1:]
    return inputs, targets.masked_fill(targets == pad, -1)


def inputs_hidden_too(ids, pad=0):
    """Padding is replaced in the inputs as well, as happens where both are slices of one tensor that is
    written into: -100 is no row of an embedding, only targets may hold it.
    """
    marked = ids.masked_fill(ids == pad, -100)
    return marked[:, :-1], marked[:, 1:]


def hidden_where_the_input_is_padding(ids, pad=0):
    """A target is left out where the input is padding: what counts is whether the target is, so one <pad>
    after each <eos> still counts.
    """
    inputs, targets = ids[:, :-1], ids[:, 1:]
    return inputs, targets.masked_fill(inputs == pad, -100)


def rolled(ids, pad=0):
    """torch.roll puts the first token behind the last, so that the last position should say <bos>: cut the
    two ends off instead.
    """
    targets = ids.roll(-1, dims=1)
    return ids, targets.masked_fill(targets == pad, -100)


def shifted_by_two(ids, pad=0):
    """The targets are two tokens ahead, so that no position learns to say what comes next."""
    inputs, targets = ids[:, :-2], ids[:, 2:]
    return inputs, targets.masked_fill(targets == pad, -100)


def padding_is_always_zero(ids, pad=0):
    """Token 0 is left out whatever the number of padding is: compare with the argument pad."""
    inputs, targets = ids[:, :-1], ids[:, 1:]
    return inputs, targets.masked_fill(targets == 0, -100)


# -- the loss --------------------------------------------------------------------------------------------


def mean_over_all_positions(logits, targets):
    """The sum is divided by the number of all positions, padding among them: batches with more padding would
    seem to have a smaller loss.
    """
    real = targets != -100
    log_p = logits.log_softmax(dim=-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0]
    return -(log_p * real).mean()


def padding_counted(logits, targets):
    """Positions without a target are counted as if their target were token 0: leave them out of the sum."""
    return -logits.log_softmax(dim=-1).gather(-1, targets.clamp(min=0)[..., None]).mean()


def token_zero_left_out(logits, targets):
    """Targets of 0 are left out, as if they were padding: −100 is to be left out, and 0 is a token."""
    log_p = logits.log_softmax(dim=-1)
    real = targets.clamp(min=0) != 0
    chosen = log_p.gather(-1, targets.clamp(min=0)[..., None])[..., 0]
    return -(chosen * real).sum() / real.sum()


def mean_over_the_vocabulary(logits, targets):
    """The log-probabilities of all tokens are averaged: of each position, only its target's counts."""
    return -logits.log_softmax(dim=-1)[targets != -100].mean()


def mean_of_row_means(logits, targets):
    """Each row is averaged first, then the rows: a token of a short text counts for more than one of a long
    text, where each should count once.
    """
    real = targets != -100
    log_p = logits.log_softmax(dim=-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0]
    rows = -(log_p * real).sum(dim=-1) / real.sum(dim=-1).clamp(min=1)
    return rows[real.any(dim=-1)].mean()


def shifted_again(logits, targets):
    """The loss shifts once more, as some libraries' models do: these targets are shifted already, so every
    position is judged by the token two places on.
    """
    logits, targets = logits[:, :-1], targets[:, 1:]
    real = targets != -100
    log_p = logits.log_softmax(dim=-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0]
    return -(log_p * real).sum() / real.sum()


def summed(logits, targets):
    """A sum over the tokens instead of their mean: the loss, and with it the gradient, would grow with the
    length of the texts.
    """
    real = targets != -100
    log_p = logits.log_softmax(dim=-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0]
    return -(log_p * real).sum()


def without_minus(logits, targets):
    """The minus sign is missing: a logarithm of a probability is at most 0, and training would make this
    smaller by making the right tokens less likely.
    """
    real = targets != -100
    log_p = logits.log_softmax(dim=-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0]
    return (log_p * real).sum() / real.sum()


def softmax_over_positions(logits, targets):
    """The softmax runs over the positions: the probabilities of one position's tokens, the last axis, sum to
    1.
    """
    real = targets != -100
    log_p = logits.log_softmax(dim=1).gather(-1, targets.clamp(min=0)[..., None])[..., 0]
    return -(log_p * real).sum() / real.sum()


def probability_instead_of_logarithm(logits, targets):
    """The mean probability of the right tokens, with a minus: the cross-entropy takes its logarithm first."""
    real = targets != -100
    p = logits.softmax(dim=-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0]
    return -(p * real).sum() / real.sum()


def logits_as_logarithms(logits, targets):
    """The logits are taken for log-probabilities: they are scores, to be normalised by log_softmax first."""
    real = targets != -100
    chosen = logits.gather(-1, targets.clamp(min=0)[..., None])[..., 0]
    return -(chosen * real).sum() / real.sum()


def in_bits(logits, targets):
    """The logarithm has base 2, which gives bits: a loss in nats has the natural logarithm."""
    real = targets != -100
    log_p = logits.log_softmax(dim=-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0]
    return -(log_p * real).sum() / real.sum() / math.log(2)


def to_base_ten(logits, targets):
    """The logarithm is to base 10: nats are natural logarithms."""
    log_p = logits.log_softmax(dim=-1) / math.log(10)
    real = targets != -100
    chosen = log_p.gather(-1, targets.clamp(min=0)[..., None])[..., 0]
    return -(chosen * real).sum() / real.sum()


def logarithm_of_a_rounded_softmax(logits, targets):
    """The logarithm comes after a softmax, where small probabilities have become 0 and their logarithm
    infinite: log_softmax takes both steps in one.
    """
    real = targets != -100
    log_p = logits.softmax(dim=-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0].log()
    return -log_p[real].mean()


# -- perplexity ------------------------------------------------------------------------------------------


def every_batch_alike(losses, counts):
    """The batches are averaged as if they were of one size: a mean loss counts as often as it has tokens."""
    return losses.mean().exp()


def mean_of_perplexities(losses, counts):
    """Each batch's perplexity is averaged: average the losses first, since e to a mean isn't a mean
    of powers of e.
    """
    return (losses.exp() * counts).sum() / counts.sum()


def power_of_two(losses, counts):
    """A power of 2, though the losses are in nats: their base is e."""
    return 2 ** ((losses * counts).sum() / counts.sum())


def no_power(losses, counts):
    """This is the mean loss: the perplexity is e to it."""
    return (losses * counts).sum() / counts.sum()


def losses_overwritten(losses, counts):
    """The losses are multiplied in place, so the caller's own are gone: `losses * counts` makes new numbers,
    and `*=` or `mul_` doesn't.
    """
    losses *= counts
    return (losses.sum() / counts.sum()).exp()


def power_of_the_sum(losses, counts):
    """This is e to the sum of the mean losses, which grows with each batch: take one mean over all tokens."""
    return losses.sum().exp()


# -- pairs -----------------------------------------------------------------------------------------------


def columns_for_now(inputs, targets, vocabulary, alpha):
    """The table lies on its side: rows are for the token now, columns for the next."""
    real = targets != -100
    counts = torch.full((vocabulary, vocabulary), alpha)
    for now, then in zip(inputs[real].tolist(), targets[real].tolist(), strict=True):
        counts[now, then] += 1
    return (counts / counts.sum(dim=1, keepdim=True)).log().T


def counted_by_next(inputs, targets, vocabulary, alpha):
    """Pairs are counted as [next, now]: a row belongs to the token now, and says what comes next."""
    real = targets != -100
    pairs = targets[real] * vocabulary + inputs[real]
    counts = torch.bincount(pairs, minlength=vocabulary**2).view(vocabulary, vocabulary) + alpha
    return (counts / counts.sum(dim=-1, keepdim=True)).log()


def normalised_over_now(inputs, targets, vocabulary, alpha):
    """Each column sums to 1, but each row should: the probabilities of all tokens after one token."""
    real = targets != -100
    counts = torch.full((vocabulary, vocabulary), alpha)
    for now, then in zip(inputs[real].tolist(), targets[real].tolist(), strict=True):
        counts[now, then] += 1
    return (counts / counts.sum(dim=0, keepdim=True)).log()


def the_whole_table_sums_to_one(inputs, targets, vocabulary, alpha):
    """The whole table sums to 1, which gives p(now and next): divide each row by its own sum for p(next |
    now).
    """
    real = targets != -100
    counts = torch.full((vocabulary, vocabulary), alpha)
    for now, then in zip(inputs[real].tolist(), targets[real].tolist(), strict=True):
        counts[now, then] += 1
    return (counts / counts.sum()).log()


def each_pair_once(inputs, targets, vocabulary, alpha):
    """counts[now, then] += 1 with tensors counts a pair once, however often it occurs: torch.bincount, a loop
    or index_put_ with accumulate=True count all.
    """
    real = targets != -100
    counts = torch.full((vocabulary, vocabulary), alpha)
    counts[inputs[real], targets[real]] += 1
    return (counts / counts.sum(dim=1, keepdim=True)).log()


def padding_is_a_pair(inputs, targets, vocabulary, alpha):
    """-100 counts from the end or is moved to token 0, so that padding is counted as a next token: leave out
    pairs without a target.
    """
    counts = torch.full((vocabulary, vocabulary), alpha)
    for now, then in zip(inputs.flatten().tolist(), targets.clamp(min=0).flatten().tolist(), strict=True):
        counts[now, then] += 1
    return (counts / counts.sum(dim=1, keepdim=True)).log()


def smoothed_after_dividing(inputs, targets, vocabulary, alpha):
    """Alpha is added to the numerator alone, so that rows sum to more than 1: add it to the counts before
    they are summed.
    """
    real = targets != -100
    counts = torch.zeros(vocabulary, vocabulary)
    for now, then in zip(inputs[real].tolist(), targets[real].tolist(), strict=True):
        counts[now, then] += 1
    return ((counts + alpha) / counts.sum(dim=1, keepdim=True).clamp(min=1)).log()


def always_plus_one(inputs, targets, vocabulary, alpha):
    """1 is added to each count whatever alpha is."""
    real = targets != -100
    counts = torch.ones(vocabulary, vocabulary)
    for now, then in zip(inputs[real].tolist(), targets[real].tolist(), strict=True):
        counts[now, then] += 1
    return (counts / counts.sum(dim=1, keepdim=True)).log()


def no_logarithm(inputs, targets, vocabulary, alpha):
    """These are probabilities: the loss of the last exercise wants their logarithms."""
    real = targets != -100
    counts = torch.full((vocabulary, vocabulary), alpha)
    for now, then in zip(inputs[real].tolist(), targets[real].tolist(), strict=True):
        counts[now, then] += 1
    return counts / counts.sum(dim=1, keepdim=True)

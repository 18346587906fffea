"""Lesson 11's misconceptions about training: shifted targets, smoothed labels, the paper's learning rate.

A function's docstring is the sentence that the student reads. Each stands alone, with `torch` and `math` as
its only names, so that the class simulator can paste it.
"""

# ruff: noqa: D205, D403  (a sentence may take two lines, and may begin with a name)

import torch

# -- label smoothing -----------------------------------------------------------------------------------------


def not_smoothed(logits, targets, epsilon):
    """epsilon isn't used: this is the plain cross-entropy."""
    asked = targets != -100
    return -logits.log_softmax(-1)[asked].gather(-1, targets[asked][:, None]).mean()


def spread_over_the_others(logits, targets, epsilon):
    """ε is spread over the V - 1 wrong tokens only: here, as in the paper and in torch, each of all V tokens
    gets ε/V, the right one on top of its 1 - ε.
    """
    asked = targets != -100
    log_p = logits.log_softmax(-1)[asked]
    right = log_p.gather(-1, targets[asked][:, None])[:, 0]
    others = (log_p.sum(-1) - right) / (logits.size(-1) - 1)
    return (-(1 - epsilon) * right - epsilon * others).mean()


def right_one_overwritten(logits, targets, epsilon):
    """The right token gets 1 - ε in place of its ε/V, so the targets sum to less than 1: it has both, 1 - ε
    on top of ε/V.
    """
    asked = targets != -100
    log_p = logits.log_softmax(-1)[asked]
    right = log_p.gather(-1, targets[asked][:, None])[:, 0]
    return (-(1 - epsilon) * right - epsilon * (log_p.sum(-1) - right) / logits.size(-1)).mean()


def spread_over_all_but_two(logits, targets, epsilon):
    """ε is spread over V - 2 tokens, as in code that leaves out padding beside the right one: here all V
    tokens get ε/V, the right one on top of its 1 - ε.
    """
    asked = targets != -100
    log_p = logits.log_softmax(-1)[asked]
    right = log_p.gather(-1, targets[asked][:, None])[:, 0]
    others = (log_p.sum(-1) - right) / (logits.size(-1) - 2)
    return (-(1 - epsilon) * right - epsilon * others).mean()


def padding_scored(logits, targets, epsilon):
    """Places without a target are scored as if token 0 was asked there: leave them out of the sum and of the
    count.
    """
    log_p = logits.log_softmax(-1)
    right = log_p.gather(-1, targets.clamp(min=0)[..., None])[..., 0]
    return (-(1 - epsilon) * right - epsilon * log_p.mean(-1)).mean()


def padding_smoothed(logits, targets, epsilon):
    """The spread part is averaged over padding as well, so the model is pulled towards even guesses where
    nothing was asked.
    """
    asked, log_p = targets != -100, logits.log_softmax(-1)
    right = log_p[asked].gather(-1, targets[asked][:, None]).mean()
    return -(1 - epsilon) * right - epsilon * log_p.mean()


def padding_counted(logits, targets, epsilon):
    """The sum is divided by all positions, padding included, so that a batch with more padding has a
    smaller loss.
    """
    asked = targets != -100
    log_p = logits.log_softmax(-1)[asked]
    right = log_p.gather(-1, targets[asked][:, None])[:, 0]
    return (-(1 - epsilon) * right - epsilon * log_p.mean(-1)).sum() / targets.numel()


def nearly_all_spread(logits, targets, epsilon):
    """ε and 1 - ε are swapped: the right token keeps 1 - ε, and the small ε is spread."""
    asked = targets != -100
    log_p = logits.log_softmax(-1)[asked]
    right = log_p.gather(-1, targets[asked][:, None])[:, 0]
    return (-epsilon * right - (1 - epsilon) * log_p.mean(-1)).mean()


def smoothing_added(logits, targets, epsilon):
    """The spread part is added to the whole cross-entropy, so the target's probabilities sum to 1 + ε: the
    right token has to give ε away.
    """
    asked = targets != -100
    log_p = logits.log_softmax(-1)[asked]
    right = log_p.gather(-1, targets[asked][:, None])[:, 0]
    return (-right - epsilon * log_p.mean(-1)).mean()


def each_gets_epsilon(logits, targets, epsilon):
    """Each token gets ε where it should get ε/V, so the spread part is V times too large: ε is shared out."""
    asked = targets != -100
    log_p = logits.log_softmax(-1)[asked]
    right = log_p.gather(-1, targets[asked][:, None])[:, 0]
    return (-(1 - epsilon) * right - epsilon * log_p.sum(-1)).mean()


def divergence(logits, targets, epsilon):
    """This is the divergence from the smoothed target, which is smaller by that target's own entropy: the
    gradients are the same, but the loss asked for is the cross-entropy.
    """
    log_p, real = logits.log_softmax(dim=-1), targets != -100
    wanted = torch.full_like(log_p, epsilon / log_p.size(-1))
    wanted.scatter_add_(-1, targets.clamp(min=0)[..., None], torch.full_like(log_p[..., :1], 1 - epsilon))
    return (wanted * ((wanted + 1e-12).log() - log_p)).sum(dim=-1)[real].mean()


def predictions_smoothed(logits, targets, epsilon):
    """The model's own probabilities are smoothed, and the targets stay sharp: this forgives wrong guesses,
    where label smoothing punishes too much certainty.
    """
    asked = targets != -100
    p = logits.softmax(-1)[asked].gather(-1, targets[asked][:, None])
    return -((1 - epsilon) * p + epsilon / logits.size(-1)).log().mean()


def mean_of_sentences(logits, targets, epsilon):
    """Each sentence is averaged first, and then the sentences: so a word of a short sentence counts more
    than one of a long sentence.
    """
    asked, log_p = targets != -100, logits.log_softmax(-1)
    right = log_p.gather(-1, targets.clamp(min=0)[..., None])[..., 0]
    each = (-(1 - epsilon) * right - epsilon * log_p.mean(-1)) * asked
    return (each.sum(-1) / asked.sum(-1)).mean()


def summed(logits, targets, epsilon):
    """The losses are summed and not averaged, so that the size of the steps depends on the size of the
    batch.
    """
    asked = targets != -100
    log_p = logits.log_softmax(-1)[asked]
    right = log_p.gather(-1, targets[asked][:, None])[:, 0]
    return (-(1 - epsilon) * right - epsilon * log_p.mean(-1)).sum()


# -- the learning rate ---------------------------------------------------------------------------------------


def larger_of_both(step, d_model, warmup):
    """The larger of both is taken where the smaller is meant: that begins with a huge rate, and grows again
    after the warm-up.
    """
    return d_model**-0.5 * max(step**-0.5, step * warmup**-1.5)


def warmup_by_its_root(step, d_model, warmup):
    """The way up is step · warmup^-0.5, which overtakes 1/√step after a few steps: with the exponent -1.5
    both meet exactly at the end of the warm-up.
    """
    return d_model**-0.5 * min(step**-0.5, step * warmup**-0.5)


def share_of_the_warm_up(step, d_model, warmup):
    """While warming up the rate is step / warmup, as large as if its peak were 1: step · warmup^(−3/2)
    reaches 1/√warmup.
    """
    return d_model**-0.5 * min(step**-0.5, step / warmup)


def width_without_root(step, d_model, warmup):
    """The width counts as 1/d_model: it is one over its square root."""
    return min(step**-0.5, step * warmup**-1.5) / d_model


def grows_with_width(step, d_model, warmup):
    """The rate grows with the width: wider models want smaller steps, so the exponent of d_model is -0.5."""
    return d_model**0.5 * min(step**-0.5, step * warmup**-1.5)


def one_step_late(step, d_model, warmup):
    """Steps are counted from 0 and one is added: they count from 1 here, so that the peak lies at step
    warmup.
    """
    return d_model**-0.5 * min((step + 1) ** -0.5, (step + 1) * warmup**-1.5)


def falls_as_one_over_step(step, d_model, warmup):
    """After the warm-up the rate falls as 1/step, which is far sooner than as 1/√step."""
    return d_model**-0.5 * min(warmup**0.5 / step, step * warmup**-1.5)


def never_down(step, d_model, warmup):
    """The rate goes up and never comes down: after the warm-up the other branch, 1/√step, is the smaller."""
    return d_model**-0.5 * step * warmup**-1.5


def never_up(step, d_model, warmup):
    """There is no warm-up: the first steps are the largest, when the gradients know the least."""
    return d_model**-0.5 * step**-0.5

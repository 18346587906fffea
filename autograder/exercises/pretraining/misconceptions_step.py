"""Lesson 08's misconceptions about what training takes: size, learning rate, and the step itself.

A function's docstring is the sentence that the student reads. Each function stands alone, with `torch` and
`math` as its only names, so that the class simulator can paste it.
"""

# ruff: noqa: D205  (a sentence may take two lines, and speaks of the mistake)

import math

import torch

# -- size and cost ---------------------------------------------------------------------------------------


def head_counted_again(vocabulary, d_model, n_heads, n_layers, positions, tokens):
    """The head is counted beside the embedding: it is the same matrix, so it is counted once."""
    block = 12 * d_model**2 + 13 * d_model
    multiplying = 2 * vocabulary * d_model + n_layers * block + 2 * d_model
    flops = 6 * multiplying + 12 * n_layers * positions * d_model
    return multiplying + positions * d_model, tokens * flops


def last_norm_forgotten(vocabulary, d_model, n_heads, n_layers, positions, tokens):
    """The norm behind the last block is missing."""
    multiplying = vocabulary * d_model + n_layers * (12 * d_model**2 + 13 * d_model)
    flops = 6 * multiplying + 12 * n_layers * positions * d_model
    return multiplying + positions * d_model, tokens * flops


def positions_forgotten(vocabulary, d_model, n_heads, n_layers, positions, tokens):
    """The positions aren't among the parameters: they are learned here, one vector each."""
    multiplying = vocabulary * d_model + n_layers * (12 * d_model**2 + 13 * d_model) + 2 * d_model
    return multiplying, tokens * (6 * multiplying + 12 * n_layers * positions * d_model)


def positions_multiply(vocabulary, d_model, n_heads, n_layers, positions, tokens):
    """The positions are counted among the weights that multiply: they are looked up and added, which is next
    to no work.
    """
    parameters = (vocabulary + positions + 2) * d_model + n_layers * (12 * d_model**2 + 13 * d_model)
    return parameters, tokens * (6 * parameters + 12 * n_layers * positions * d_model)


def head_does_no_work(vocabulary, d_model, n_heads, n_layers, positions, tokens):
    """The embedding is left out of the work as a table that is only looked up: the same matrix is the head,
    and there it multiplies.
    """
    blocks = n_layers * (12 * d_model**2 + 13 * d_model) + 2 * d_model
    flops = 6 * blocks + 12 * n_layers * positions * d_model
    return blocks + (vocabulary + positions) * d_model, tokens * flops


def forward_pass_alone(vocabulary, d_model, n_heads, n_layers, positions, tokens):
    """This is the forward pass alone: the backward pass takes twice as much again."""
    multiplying = vocabulary * d_model + n_layers * (12 * d_model**2 + 13 * d_model) + 2 * d_model
    flops = 2 * multiplying + 4 * n_layers * positions * d_model
    return multiplying + positions * d_model, tokens * flops


def one_token(vocabulary, d_model, n_heads, n_layers, positions, tokens):
    """The work of one token: the training has `tokens` of them."""
    multiplying = vocabulary * d_model + n_layers * (12 * d_model**2 + 13 * d_model) + 2 * d_model
    return multiplying + positions * d_model, 6 * multiplying + 12 * n_layers * positions * d_model


def scores_forgotten(vocabulary, d_model, n_heads, n_layers, positions, tokens):
    """The products of queries with keys and of weights with values are missing: they have no parameters, but
    they are work.
    """
    multiplying = vocabulary * d_model + n_layers * (12 * d_model**2 + 13 * d_model) + 2 * d_model
    return multiplying + positions * d_model, tokens * 6 * multiplying


def one_block(vocabulary, d_model, n_heads, n_layers, positions, tokens):
    """Only one block is counted: each of the n_layers has weights of its own."""
    multiplying = vocabulary * d_model + 12 * d_model**2 + 13 * d_model + 2 * d_model
    flops = 6 * multiplying + 12 * n_layers * positions * d_model
    return multiplying + positions * d_model, tokens * flops


# -- the learning rate -----------------------------------------------------------------------------------


def counted_from_zero(step, steps, warmup, peak):
    """Steps are taken as counted from 0, so that the peak comes a step early: step 1 is the first."""
    if step < warmup:
        return peak * (step + 1) / warmup
    return peak * (steps - step) / (steps - warmup)


def first_step_lost(step, steps, warmup, peak):
    """The first step has a learning rate of 0, so that nothing moves: on the way up it is step / warmup of
    the peak.
    """
    if step <= warmup:
        return peak * (step - 1) / warmup
    return peak * (steps - step) / (steps - warmup)


def no_warm_up(step, steps, warmup, peak):
    """The peak right from the start: the warm-up is missing."""
    if step <= warmup:
        return peak
    return peak * (steps - step) / (steps - warmup)


def down_from_the_start(step, steps, warmup, peak):
    """The way down is measured from step 0, so that the rate falls suddenly after the warm-up: it goes from
    step `warmup` to the last.
    """
    if step <= warmup:
        return peak * step / warmup
    return peak * (steps - step) / steps


def peak_never_reached(step, steps, warmup, peak):
    """After the warm-up the line is that from step 0 to the end, so the rate jumps down at the peak: it
    starts at the peak, at step `warmup`.
    """
    return peak * step / warmup if step < warmup else peak * (1 - step / steps)


def by_an_inverse_root(step, steps, warmup, peak):
    """Down with 1/√step, as in the first Transformer paper: here it is a straight line to 0."""
    return peak * step / warmup if step <= warmup else peak * math.sqrt(warmup / step)


def down_by_a_share(step, steps, warmup, peak):
    """After the peak this is the share of the way that is done, not what is left of it: the rate jumps to 0
    and climbs again.
    """
    if step <= warmup:
        return peak * step / warmup
    return peak * (step - warmup) / (steps - warmup)


def never_down(step, steps, warmup, peak):
    """The rate stays at its peak: the way down to 0 is missing, and large steps at the end keep the loss from
    settling.
    """
    return peak * min(1.0, step / warmup)


def along_a_cosine(step, steps, warmup, peak):
    """Down along a cosine, as many train: here it is a straight line."""
    if step <= warmup:
        return peak * step / warmup
    return peak * (1 + math.cos(math.pi * (step - warmup) / (steps - warmup))) / 2


def one_step_too_many(step, steps, warmup, peak):
    """The way down ends one step after the last, so that the last rate isn't 0."""
    if step <= warmup:
        return peak * step / warmup
    return peak * (steps + 1 - step) / (steps + 1 - warmup)


def too_long_a_way(step, steps, warmup, peak):
    """The way down is taken to last all the steps, warm-up included, so that it doesn't reach 0."""
    if step <= warmup:
        return peak * step / warmup
    return peak * (1 - (step - warmup) / steps)


# -- a step ----------------------------------------------------------------------------------------------


def gradients_not_cleared(model, optimizer, loss, batch, max_norm=1.0):
    """The gradients of earlier steps are still there, since backward adds to them: zero_grad comes first."""
    value = loss(model, *batch)
    value.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return value.item()


def cleared_before_the_move(model, optimizer, loss, batch, max_norm=1.0):
    """The gradients are cleared between backward and the optimizer's step, which then finds none: nothing
    moves.
    """
    value = loss(model, *batch)
    value.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.zero_grad()
    optimizer.step()
    return value.item()


def not_clipped_in_time(model, optimizer, loss, batch, max_norm=1.0):
    """The optimizer moves by gradients that aren't clipped: clip between backward and step, since before
    there are no gradients yet and afterwards it is too late.
    """
    optimizer.zero_grad()
    value = loss(model, *batch)
    value.backward()
    optimizer.step()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    return value.item()


def moved_by_the_last_batch(model, optimizer, loss, batch, max_norm=1.0):
    """The optimizer's step comes before backward, so that it moves by the gradients of the batch before, and
    the first step by none.
    """
    value = loss(model, *batch)
    optimizer.step()
    optimizer.zero_grad()
    value.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    return value.item()


def clipped_number_by_number(model, optimizer, loss, batch, max_norm=1.0):
    """Each number of the gradients is cut off at max_norm, which turns their direction: clip_grad_norm_
    shortens all of them together.
    """
    optimizer.zero_grad()
    value = loss(model, *batch)
    value.backward()
    torch.nn.utils.clip_grad_value_(model.parameters(), max_norm)
    optimizer.step()
    return value.item()


def clipped_one_by_one(model, optimizer, loss, batch, max_norm=1.0):
    """Each parameter's gradient is clipped by itself, which turns the direction of the whole: all gradients
    together count as one vector.
    """
    optimizer.zero_grad()
    value = loss(model, *batch)
    value.backward()
    for parameter in model.parameters():
        torch.nn.utils.clip_grad_norm_([parameter], max_norm)
    optimizer.step()
    return value.item()


def clipped_to_one_always(model, optimizer, loss, batch, max_norm=1.0):
    """The gradients are clipped at 1 whatever max_norm is: pass it on."""
    optimizer.zero_grad()
    value = loss(model, *batch)
    value.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return value.item()


def stretched_too(model, optimizer, loss, batch, max_norm=1.0):
    """Short gradients are stretched to max_norm as well: clipping leaves short ones as they are."""
    optimizer.zero_grad()
    value = loss(model, *batch)
    value.backward()
    length = math.sqrt(sum(float(p.grad.square().sum()) for p in model.parameters()))
    for parameter in model.parameters():
        parameter.grad.mul_(max_norm / length)
    optimizer.step()
    return value.item()


def loss_after_the_step(model, optimizer, loss, batch, max_norm=1.0):
    """The loss is computed once more after the step: a second forward pass for a number you had already."""
    optimizer.zero_grad()
    loss(model, *batch).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return loss(model, *batch).item()


def stepped_twice(model, optimizer, loss, batch, max_norm=1.0):
    """The optimizer moves twice for one batch."""
    optimizer.zero_grad()
    value = loss(model, *batch)
    value.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    optimizer.step()
    return value.item()

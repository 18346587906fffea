"""Lesson 04's misconceptions about what models see and remember.

Those about making masks and attending through them are in `misconceptions.py`.
"""

# ruff: noqa: D205  (a sentence may take two lines)

import torch

from helpers.masking import masked_attention

# -- the leak detector ---------------------------------------------------------------------------------------


def features_summed(layer, x):
    """The features of an output are summed before the gradient is taken, and features that move in opposite
    directions cancel: ask each feature, or weight them with random numbers.
    """
    x = x.clone().requires_grad_()
    rows = [torch.autograd.grad(y, x, retain_graph=True)[0] for y in layer(x).sum(dim=-1)]
    return torch.stack(rows).abs().sum(dim=-1) > 0


def signs_cancel(layer, x):
    """Slopes of both signs are summed up, and only sums above 0 are taken for a dependence: a slope below
    0 is one too, so take absolute values first.
    """
    slopes = torch.autograd.functional.jacobian(layer, x)
    return slopes.sum(dim=(1, 3)) > 0


def above_zero_alone(layer, x):
    """Only slopes above 0 are taken for a dependence: one below 0 is one too, so ask whether it differs from
    0.
    """
    slopes = torch.autograd.functional.jacobian(layer, x)
    return (slopes > 0).any(dim=3).any(dim=1)


def all_for_any(layer, x):
    """Every feature of the output has to change with every feature of the input here: one of each is enough
    for a dependence.
    """
    slopes = torch.autograd.functional.jacobian(layer, x)
    return (slopes != 0).all(dim=3).all(dim=1)


def every_input_feature(layer, x):
    """An output counts only if it changes with every feature of the input: one of them is enough for a
    dependence.
    """
    slopes = torch.autograd.functional.jacobian(layer, x)
    return (slopes != 0).all(dim=3).any(dim=1)


def rows_for_columns(layer, x):
    """Rows and columns are swapped: entry [i, j] is about output i and input j."""
    slopes = torch.autograd.functional.jacobian(layer, x)
    return (slopes.abs().sum(dim=(1, 3)) > 0).T


def all_outputs_at_once(layer, x):
    """The gradient of the sum of all outputs says which inputs matter to some output, but not to which: take
    the gradient of one output at a time.
    """
    x = x.clone().requires_grad_()
    (slopes,) = torch.autograd.grad(layer(x).abs().sum(), x)
    return (slopes.abs().sum(dim=-1) > 0).expand(x.size(0), x.size(0))


def gradients_pile_up(layer, x):
    """Each backward adds to x.grad what is there from the outputs before, so a row inherits all rows
    above it: set x.grad to None in between, or use torch.autograd.grad.
    """
    x = x.clone().requires_grad_()
    rows = []
    for output in layer(x):
        output.abs().sum().backward(retain_graph=True)
        rows.append(x.grad.abs().sum(dim=-1) > 0)
    return torch.stack(rows)


def how_much(layer, x):
    """This says how strongly each output depends on each input: the exercise asks for yes or no, True where
    the gradient isn't 0.
    """
    return torch.autograd.functional.jacobian(layer, x).abs().sum(dim=(1, 3))


def the_future_alone(layer, x):
    """Only what lies above the diagonal is shown: give the whole table, since a mask can hide too much as
    well.
    """
    slopes = torch.autograd.functional.jacobian(layer, x)
    return (slopes.abs().sum(dim=(1, 3)) > 0).triu(diagonal=1)


def one_feature_asked(layer, x):
    """A dependence that the first feature of an output doesn't have is overlooked: ask all features, and one
    of them is enough.
    """
    x = x.clone().requires_grad_()
    rows = [torch.autograd.grad(y[0], x, retain_graph=True)[0] for y in layer(x)]
    return torch.stack(rows).abs().sum(dim=-1) > 0


def asked_at_zero(layer, x):
    """The gradient is taken at zeros in place of x, where the values are 0 too, so what leaks through the
    weights is multiplied by 0: ask at x.
    """
    slopes = torch.autograd.functional.jacobian(layer, torch.zeros_like(x))
    return slopes.abs().sum(dim=(1, 3)) > 0


# -- one pass for each prefix --------------------------------------------------------------------------------


def one_pass_for_all(layer, x):
    """This is one pass over the whole sentence, which is what the prefixes will be compared with: a layer
    that looks ahead gives something else here than on a prefix.
    """
    return layer(x) * 1


def first_outputs(layer, x):
    """The first output of each prefix is kept, where it should be the last: the prefix x₁ … xₜ was cut there
    to see what comes out for xₜ.
    """
    passes = [layer(x[..., :end, :])[..., 0, :] for end in range(1, x.size(-2) + 1)]
    return torch.stack(passes, dim=-2)


def endings(layer, x):
    """These are the endings of the sentence, with all that is to come: a prefix ends at position t and
    has the words before it.
    """
    passes = [layer(x[..., start:, :])[..., 0, :] for start in range(x.size(-2))]
    return torch.stack(passes, dim=-2)


def future_set_to_zero(layer, x):
    """The future is overwritten with zeros, and zeros are still positions that a layer can look at: cut
    the sentence off.
    """
    passes = []
    for t in range(x.size(-2)):
        cut = x.clone()
        cut[..., t + 1 :, :] = 0
        passes.append(layer(cut)[..., t, :])
    return torch.stack(passes, dim=-2)


def last_prefix_missing(layer, x):
    """One prefix is missing, the whole sentence: range(1, T) ends at T − 1."""
    passes = [layer(x[..., :end, :])[..., -1, :] for end in range(1, x.size(-2))]
    return torch.stack(passes, dim=-2)


def mean_of_the_outputs(layer, x):
    """The outputs of a prefix are averaged: keep only its last one, which has no future in any pass."""
    passes = [layer(x[..., :end, :]).mean(dim=-2) for end in range(1, x.size(-2) + 1)]
    return torch.stack(passes, dim=-2)


def one_word_sentences(layer, x):
    """Each position goes through by itself, without the words before it: a prefix has them."""
    passes = [layer(x[..., t : t + 1, :])[..., -1, :] for t in range(x.size(-2))]
    return torch.stack(passes, dim=-2)


def cut_along_the_batch(layer, x):
    """x[:n] and [-1] cut the first axis, which is the batch if there is one: positions are the axis before
    the last, x[..., :n, :] and [..., -1, :].
    """
    return torch.stack([layer(x[:end])[-1] for end in range(1, len(x) + 1)])


def stacked_in_front(layer, x):
    """The outputs are stacked along the first axis, which is the batch if there is one: positions are the
    axis before the last.
    """
    return torch.stack([layer(x[..., :end, :])[..., -1, :] for end in range(1, x.size(-2) + 1)])


# -- the cache -----------------------------------------------------------------------------------------------


def past_forgotten(cache, x, W_q, W_k, W_v):
    """The new positions attend only to each other: the stored keys and values must be looked at too."""
    k, v = torch.cat([cache["k"], x @ W_k], dim=-2), torch.cat([cache["v"], x @ W_v], dim=-2)
    causal = torch.ones(x.size(-2), x.size(-2)).tril().bool()
    output, _ = masked_attention(x @ W_q, x @ W_k, x @ W_v, causal)
    return output, {"k": k, "v": v}


def present_forgotten(cache, x, W_q, W_k, W_v):
    """The new positions attend only to the stored ones: a position may see itself, so store its key and value
    first, then attend.
    """
    k, v = torch.cat([cache["k"], x @ W_k], dim=-2), torch.cat([cache["v"], x @ W_v], dim=-2)
    past = cache["k"].size(-2)
    mask = torch.ones(x.size(-2), k.size(-2)).tril(past - 1).bool()
    output, _ = masked_attention(x @ W_q, k, v, mask)
    return output, {"k": k, "v": v}


def mask_at_the_upper_left(cache, x, W_q, W_k, W_v):
    """The causal mask begins at the first key, so a single new position sees only the oldest: new position
    n stands at P + n, and its row of the mask is that one.
    """
    k, v = torch.cat([cache["k"], x @ W_k], dim=-2), torch.cat([cache["v"], x @ W_v], dim=-2)
    mask = torch.ones(x.size(-2), k.size(-2)).tril().bool()
    output, _ = masked_attention(x @ W_q, k, v, mask)
    return output, {"k": k, "v": v}


def no_mask_for_several(cache, x, W_q, W_k, W_v):
    """The new positions don't hide from each other: there is no mask, or its diagonal is too high, which is
    right for one new position, but among several the first would see those that come after it.
    """
    k, v = torch.cat([cache["k"], x @ W_k], dim=-2), torch.cat([cache["v"], x @ W_v], dim=-2)
    mask = torch.ones(x.size(-2), k.size(-2), dtype=torch.bool)
    output, _ = masked_attention(x @ W_q, k, v, mask)
    return output, {"k": k, "v": v}


def padded_on_the_right(cache, x, W_q, W_k, W_v):
    """The new positions' causal mask is widened on its right side, so its columns meet the oldest keys: the
    stored positions come first, so it is widened on its left.
    """
    k, v = torch.cat([cache["k"], x @ W_k], dim=-2), torch.cat([cache["v"], x @ W_v], dim=-2)
    causal = torch.ones(x.size(-2), x.size(-2), dtype=torch.bool).tril()
    mask = torch.nn.functional.pad(causal, (0, cache["k"].size(-2)), value=True)
    output, _ = masked_attention(x @ W_q, k, v, mask)
    return output, {"k": k, "v": v}


def cache_filled_with_minus_hundred(cache, x, W_q, W_k, W_v):
    """Hidden scores become a number such as −100, or are lowered by as much, and where scores are that large
    a hidden key still gets weight: only −∞, or the lowest number there is, always hides.
    """
    k, v = torch.cat([cache["k"], x @ W_k], dim=-2), torch.cat([cache["v"], x @ W_v], dim=-2)
    mask = torch.ones(x.size(-2), k.size(-2)).tril(cache["k"].size(-2)).bool()
    scores = x @ W_q @ k.transpose(-2, -1) / W_q.size(-1) ** 0.5
    return scores.masked_fill(~mask, -100).softmax(dim=-1) @ v, {"k": k, "v": v}


def old_cache_returned(cache, x, W_q, W_k, W_v):
    """The cache comes back as it was, so the next step won't find these positions: return the longer keys
    and values.
    """
    k, v = torch.cat([cache["k"], x @ W_k], dim=-2), torch.cat([cache["v"], x @ W_v], dim=-2)
    mask = torch.ones(x.size(-2), k.size(-2)).tril(cache["k"].size(-2)).bool()
    output, _ = masked_attention(x @ W_q, k, v, mask)
    return output, dict(cache)


def only_the_new_stored(cache, x, W_q, W_k, W_v):
    """The new cache holds the new positions alone: it should hold the stored ones too, in front of them."""
    k, v = torch.cat([cache["k"], x @ W_k], dim=-2), torch.cat([cache["v"], x @ W_v], dim=-2)
    mask = torch.ones(x.size(-2), k.size(-2)).tril(cache["k"].size(-2)).bool()
    output, _ = masked_attention(x @ W_q, k, v, mask)
    return output, {"k": x @ W_k, "v": x @ W_v}


def new_ones_in_front(cache, x, W_q, W_k, W_v):
    """The new positions are put in front of the stored ones: the cache is in the order of the sentence, so
    they belong at its end.
    """
    k, v = torch.cat([x @ W_k, cache["k"]], dim=-2), torch.cat([x @ W_v, cache["v"]], dim=-2)
    mask = torch.ones(x.size(-2), k.size(-2)).tril(cache["k"].size(-2)).bool()
    output, _ = masked_attention(x @ W_q, k, v, mask)
    return output, {"k": k, "v": v}


def joined_along_the_first_axis(cache, x, W_q, W_k, W_v):
    """The keys and values are joined along the first axis, which with a batch is the sentences: positions
    are the axis before the last, dim=-2.
    """
    past = cache["k"].size(-2)
    k, v = torch.cat([cache["k"], x @ W_k]), torch.cat([cache["v"], x @ W_v])
    mask = torch.ones(x.size(-2), k.size(-2)).tril(past).bool()
    output, _ = masked_attention(x @ W_q, k, v, mask)
    return output, {"k": k, "v": v}


def queries_stored(cache, x, W_q, W_k, W_v):
    """Queries are stored as keys: later positions need this one's key, and nobody needs its query again."""
    k, v = torch.cat([cache["k"], x @ W_q], dim=-2), torch.cat([cache["v"], x @ W_v], dim=-2)
    mask = torch.ones(x.size(-2), k.size(-2)).tril(cache["k"].size(-2)).bool()
    output, _ = masked_attention(x @ W_q, k, v, mask)
    return output, {"k": k, "v": v}


def cache_changed(cache, x, W_q, W_k, W_v):
    """The cache that came in is changed: return a new one, so that two sentences that begin alike can go
    on from the same cache.
    """
    past = cache["k"].size(-2)
    cache["k"] = torch.cat([cache["k"], x @ W_k], dim=-2)
    cache["v"] = torch.cat([cache["v"], x @ W_v], dim=-2)
    mask = torch.ones(x.size(-2), past + x.size(-2)).tril(past).bool()
    output, _ = masked_attention(x @ W_q, cache["k"], cache["v"], mask)
    return output, cache

"""Lesson 09's misconceptions about reading a position, the loss, and moving weights.

A docstring is the sentence that the student reads.
"""

# ruff: noqa: D205  (a sentence may take two lines)

import torch

from helpers.finetuning import match_state_dict

# -- which position to read ----------------------------------------------------------------------------------


def last_column(hidden, real):
    """This reads position -1, which in a short review is padding: the vector there belongs to no word."""
    return hidden[:, -1]


def first_position(hidden, real):
    """This reads the first position, which in a causal model has seen nothing but itself, so it is the same
    for every review.
    """
    return hidden[:, 0]


def mean_over_all(hidden, real):
    """This is the mean over all positions, padding included, so a review's vector depends on how long the
    others in its batch are.
    """
    return hidden.mean(dim=1)


def mean_over_real(hidden, real):
    """This is the mean over the real positions, which is a sensible thing to read, but the vector at the last
    token alone is asked for: it is the one that has seen all the others.
    """
    return (hidden * real.unsqueeze(-1)).sum(dim=1) / real.sum(dim=1, keepdim=True).to(hidden.dtype)


def one_too_early(hidden, real):
    """This reads the token before the last one: positions count from 0, so the last of n is n - 1."""
    return hidden[torch.arange(len(hidden)), real.sum(dim=1) - 2]


def first_padding(hidden, real):
    """This reads one position too far, the first padding: positions count from 0, so the last of n tokens is
    n - 1.
    """
    return hidden[torch.arange(len(hidden)), real.sum(dim=1).clamp(max=hidden.size(1) - 1)]


def longest_for_all(hidden, real):
    """This reads the last token of the longest review in all of them: each review has a length of its own."""
    return hidden[:, int(real.sum(dim=1).max()) - 1]


def axis_kept(hidden, real):
    """The axis of positions is still there with size 1: one vector for each review is (B, C)."""
    rows = torch.arange(len(hidden))
    return hidden[rows, real.sum(dim=1) - 1].unsqueeze(1)


def padding_in_the_mean(hidden, real):
    """Padding is part of this mean, so a review's vector depends on how long the others in its batch are."""
    return hidden.mean(dim=1)


def largest_of_each(hidden, real):
    """This takes the largest of each feature: a mean adds them up and divides."""
    return hidden.masked_fill(~real[..., None], -1e9).amax(dim=-2)


def divided_by_all(hidden, real):
    """Padding is left out of the sum, but the sum is divided by T: divide by the number of real tokens."""
    return (hidden * real.unsqueeze(-1)).sum(dim=1) / hidden.size(1)


def not_divided_at_all(hidden, real):
    """This is a sum: a long review would get a longer vector than a short one for its length alone."""
    return (hidden * real.unsqueeze(-1)).sum(dim=1)


def mean_over_the_batch(hidden, real):
    """This is one mean over all reviews together: divide each review's sum by its own number of tokens."""
    return (hidden * real.unsqueeze(-1)).sum(dim=1) / real.sum() * len(hidden)


def mean_of_the_padding(hidden, real):
    """The mask is turned round: True is a token, and these are the tokens left out."""
    count = (~real).sum(dim=1, keepdim=True).clamp(min=1)
    return (hidden * ~real.unsqueeze(-1)).sum(dim=1) / count


def still_the_last(hidden, real):
    """This is the vector at the last token, as in the exercise before: now the mean over all of them is
    wanted.
    """
    return hidden[torch.arange(len(hidden)), real.sum(dim=1) - 1]


# -- moving weights ------------------------------------------------------------------------------------------


def prefix_forgotten(old, new, prefix):
    """The names are compared as they are, though the body's names in the new model begin with the prefix: so
    nothing is ever found.
    """
    found = {"fits": [], "other shape": [], "missing": [], "left over": []}
    for name, tensor in new.items():
        if name.startswith(prefix):
            there = old.get(name)
            kind = "missing" if there is None else "fits" if there.shape == tensor.shape else "other shape"
            found[kind].append(name)
    found["left over"] = [name for name in old if name not in new]
    return found


def head_asked_too(old, new, prefix):
    """The new model's head is listed too: it is no part of the body, and is to be trained from nothing."""
    found = {"fits": [], "other shape": [], "missing": [], "left over": []}
    for name, tensor in new.items():
        there = old.get(name.removeprefix(prefix))
        kind = "missing" if there is None else "fits" if there.shape == tensor.shape else "other shape"
        found[kind].append(name)
    found["left over"] = [name for name in old if prefix + name not in new]
    return found


def shapes_not_compared(old, new, prefix):
    """Only names are compared: a tensor of another shape doesn't fit, whatever it is called."""
    names = [name for name in new if name.startswith(prefix)]
    fits = [name for name in names if name.removeprefix(prefix) in old]
    missing = [name for name in names if name not in fits]
    left = [name for name in old if prefix + name not in new]
    return {"fits": fits, "other shape": [], "missing": missing, "left over": left}


def left_over_of_the_new(old, new, prefix):
    """What is left over are names of the old model that nobody took, not names of the new one."""
    found = {"fits": [], "other shape": [], "missing": [], "left over": []}
    for name, tensor in new.items():
        if name.startswith(prefix):
            there = old.get(name.removeprefix(prefix))
            kind = "missing" if there is None else "fits" if there.shape == tensor.shape else "other shape"
            found[kind].append(name)
    found["left over"] = [name for name in new if name not in found["fits"]]
    return found


def other_shape_left_over(old, new, prefix):
    """A tensor of another shape counts as left over too: left over are old names that the new body doesn't
    have at all.
    """
    found = {"fits": [], "other shape": [], "missing": [], "left over": []}
    for name, tensor in new.items():
        if name.startswith(prefix):
            there = old.get(name.removeprefix(prefix))
            kind = "missing" if there is None else "fits" if there.shape == tensor.shape else "other shape"
            found[kind].append(name)
    found["left over"] = [name for name in old if prefix + name not in found["fits"]]
    return found


def names_without_prefix(old, new, prefix):
    """The names lack their prefix: what fits, differs or is missing is to be named as in the new model."""
    found = {"fits": [], "other shape": [], "missing": [], "left over": []}
    for name, tensor in new.items():
        if name.startswith(prefix):
            short = name.removeprefix(prefix)
            there = old.get(short)
            kind = "missing" if there is None else "fits" if there.shape == tensor.shape else "other shape"
            found[kind].append(short)
    found["left over"] = [name for name in old if prefix + name not in new]
    return found


def nothing_moved(old, new, prefix):
    """Nothing is moved, and no error says so: the new names are looked for in `old` with their prefix, which
    has to be taken off first.
    """
    weights = {}
    for name, tensor in new.items():
        same = name in old and old[name].shape == tensor.shape and name.startswith(prefix)
        weights[name] = (old[name] if same else tensor).clone()
    return weights


def old_head_too(old, new, prefix):
    """The old head is moved as well where its shape happens to fit: it scores words, the new one classes, so
    it is to begin afresh.
    """
    weights = {}
    for name, tensor in new.items():
        there = old.get(name.removeprefix(prefix))
        weights[name] = (tensor if there is None or there.shape != tensor.shape else there).clone()
    return weights


def by_position(old, new, prefix):
    """The tensors are matched by their order instead of their names: it goes wrong as soon as either model
    has one that the other lacks.
    """
    weights = {}
    sources = list(old.values())
    for number, (name, tensor) in enumerate(new.items()):
        there = sources[number] if number < len(sources) else tensor
        weights[name] = (there if there.shape == tensor.shape else tensor).clone()
    return weights


def shares_the_old(old, new, prefix):
    """The pretrained tensors themselves are handed over, so training the new model changes the old one: copy
    them with `clone`.
    """
    fits = match_state_dict(old, new, prefix)["fits"]
    return {n: old[n.removeprefix(prefix)] if n in fits else tensor.clone() for n, tensor in new.items()}


def shares_the_new(old, new, prefix):
    """The tensors that are the new model's own aren't copied, so later steps change what the caller handed
    in: `clone` these too.
    """
    fits = match_state_dict(old, new, prefix)["fits"]
    return {n: old[n.removeprefix(prefix)].clone() if n in fits else tensor for n, tensor in new.items()}


def old_names_kept(old, new, prefix):
    """The names are the old model's: the new model looks for its own names, with the prefix in front of the
    body's.
    """
    fits = match_state_dict(old, new, prefix)["fits"]
    weights = {name.removeprefix(prefix): old[name.removeprefix(prefix)].clone() for name in fits}
    return weights | {name: tensor.clone() for name, tensor in new.items() if name not in fits}


def only_what_matches(old, new, prefix):
    """Only the moved tensors are returned: a model needs them all, its own head among them."""
    fits = match_state_dict(old, new, prefix)["fits"]
    return {name: old[name.removeprefix(prefix)].clone() for name in fits}


# -- adapters ------------------------------------------------------------------------------------------------


def merged_not_scaled(weight, A, B, alpha):
    """The change isn't scaled: it counts alpha / r times."""
    return weight + B @ A


def merged_by_alpha(weight, A, B, alpha):
    """The change is multiplied by alpha alone: the division by the rank is missing."""
    return weight + alpha * (B @ A)


def merged_by_inputs(weight, A, B, alpha):
    """This divides by d_in, which is how long the rows of A are: the rank is how many there are."""
    return weight + alpha / A.size(1) * (B @ A)


def merged_by_outputs(weight, A, B, alpha):
    """This divides by d_out, which is how many rows B has: the rank is how many columns it has."""
    return weight + alpha / len(B) * (B @ A)


def merged_change_alone(weight, A, B, alpha):
    """This is the change alone: the map's own weight is missing."""
    return alpha / len(A) * (B @ A)


def merged_in_place(weight, A, B, alpha):
    """The change is written into the map's own weight, so a second call adds it twice: make a new one."""
    weight += alpha / len(A) * (B @ A)
    return weight


def merged_whole_scaled(weight, A, B, alpha):
    """The sum of both is scaled: only the change counts alpha / r times."""
    return alpha / len(A) * (weight + B @ A)


def merged_taken_away(weight, A, B, alpha):
    """This takes the change away, which is how one gets it out again: here it goes in."""
    return weight - alpha / len(A) * (B @ A)

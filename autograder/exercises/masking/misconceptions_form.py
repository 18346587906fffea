"""Lesson 04's misconceptions about other ways to write a mask, about a bias, and about several layers."""

# ruff: noqa: D205  (a sentence may take two lines)

import math

import torch

# -- polarities ----------------------------------------------------------------------------------------------


def hidden_taken_as_may(mask, source, target):
    """A "hidden" mask is read as it is: there True means "may not attend", so it has to be inverted with ~
    when it is read.
    """
    may = {"may attend": lambda: mask, "hidden": lambda: mask}.get(source)
    may = may() if may else (mask == 0 if source == "additive" else mask == 1)
    if target == "additive":
        return torch.zeros(may.shape).masked_fill(~may, -math.inf)
    return {"may attend": may.clone(), "hidden": ~may, "integer": may.long()}[target]


def hidden_written_as_may(mask, source, target):
    """A "hidden" mask is written without inverting it: there True means "may not attend", so it is ~may."""
    may = ~mask if source == "hidden" else mask if source == "may attend" else mask == 0
    may = mask == 1 if source == "integer" else may
    if target == "additive":
        return torch.zeros(may.shape).masked_fill(~may, -math.inf)
    return may.long() if target == "integer" else may.clone()


def additive_by_truth(mask, source, target):
    """An additive mask is read the wrong way round, as by .bool(), for which 0 is False and −∞ is True: what
    may be seen is where it is 0.
    """
    may = ~mask if source == "hidden" else mask.bool()
    if target == "additive":
        return torch.zeros(may.shape).masked_fill(~may, -math.inf)
    return {"may attend": may.clone(), "hidden": ~may, "integer": may.long()}[target]


def zero_times_infinity(mask, source, target):
    """0 · ∞ is NaN, and every key that may be seen is multiplied that way: fill in −∞ with masked_fill or
    torch.where.
    """
    may = ~mask if source == "hidden" else mask == 0 if source == "additive" else mask.bool()
    if target == "additive":
        return (1.0 - may.float()) * -math.inf
    return {"may attend": may.clone(), "hidden": ~may, "integer": may.long()}[target]


def one_and_zero_added(mask, source, target):
    """An additive mask of 1 and 0 hides nothing: what may be seen gets 0 added, and what may not −∞."""
    may = ~mask if source == "hidden" else mask == 0 if source == "additive" else mask.bool()
    if target == "additive":
        return may.float()
    return {"may attend": may.clone(), "hidden": ~may, "integer": may.long()}[target]


def infinity_on_what_may_be_seen(mask, source, target):
    """−∞ stands where attending is allowed: it hides, so it belongs where the mask says "may not"."""
    may = ~mask if source == "hidden" else mask == 0 if source == "additive" else mask.bool()
    if target == "additive":
        return torch.zeros(may.shape).masked_fill(may, -math.inf)
    return {"may attend": may.clone(), "hidden": ~may, "integer": may.long()}[target]


def large_but_finite(mask, source, target):
    """−10⁹ hides well enough as long as something else is to be seen, but it isn't the −∞ that is asked
    for, and in half precision there is no such number.
    """
    may = ~mask if source == "hidden" else mask == 0 if source == "additive" else mask.bool()
    if target == "additive":
        return torch.zeros(may.shape).masked_fill(~may, -1e9)
    return {"may attend": may.clone(), "hidden": ~may, "integer": may.long()}[target]


def integer_left_boolean(mask, source, target):
    """An "integer" mask is made of the numbers 1 and 0, so turn the boolean one into integers with
    .long().
    """
    may = ~mask if source == "hidden" else mask == 0 if source == "additive" else mask.bool()
    if target == "additive":
        return torch.zeros(may.shape).masked_fill(~may, -math.inf)
    return ~may if target == "hidden" else may.clone()


def integer_of_32_bits(mask, source, target):
    """.int() makes 32-bit integers: the exercise asks for int64, which .long() makes and tokenizers give."""
    may = ~mask if source == "hidden" else mask == 0 if source == "additive" else mask.bool()
    if target == "additive":
        return torch.zeros(may.shape).masked_fill(~may, -math.inf)
    return {"may attend": may.clone(), "hidden": ~may, "integer": may.int()}[target]


def integer_turned_round(mask, source, target):
    """In an "integer" mask 1 means "may attend", as in an attention_mask of a tokenizer: here it is read
    and written the other way.
    """
    may = ~mask if source == "hidden" else mask if source == "may attend" else mask == 0
    if target == "additive":
        return torch.zeros(may.shape).masked_fill(~may, -math.inf)
    return {"may attend": may.clone(), "hidden": ~may, "integer": (~may).long()}[target]


# -- several layers ------------------------------------------------------------------------------------------


def nothing_kept(mask, layers):
    """A position forgets what it had unless it attends to itself: a layer adds to what is there, so each
    position reaches itself too, which is mask | eye.
    """
    reached = torch.eye(len(mask))
    for _ in range(layers):
        reached = (mask.float() @ reached > 0).float()
    return reached.bool()


def mask_of_one_layer(mask, layers):
    """However many layers there are, this is what one of them reaches: * or ** on the elements of a mask
    changes nothing, and it takes the matrix product @ to go one step further.
    """
    return (mask | torch.eye(len(mask), dtype=torch.bool)) ** max(layers, 1) > 0


def one_layer_more(mask, layers):
    """This is one layer too many: with no layer a position has itself alone, and each layer makes one
    step.
    """
    step = (mask | torch.eye(len(mask), dtype=torch.bool)).double()
    return torch.linalg.matrix_power(step, layers + 1) > 0


def number_of_ways(mask, layers):
    """These are the numbers of ways from one position to another: the exercise asks for yes or no, True where
    there is a way.
    """
    step = (mask | torch.eye(len(mask), dtype=torch.bool)).double()
    return torch.linalg.matrix_power(step, layers)


def who_is_reached(mask, layers):
    """Rows and columns are swapped: entry [i, j] says whether position i can have something of input j."""
    step = (mask | torch.eye(len(mask), dtype=torch.bool)).double()
    return (torch.linalg.matrix_power(step, layers) > 0).T


def both_ways(mask, layers):
    """Each way is taken in both directions: that i may attend to j doesn't let j attend to i."""
    step = (mask | mask.T | torch.eye(len(mask), dtype=torch.bool)).double()
    return torch.linalg.matrix_power(step, layers) > 0


def last_layer_alone(mask, layers):
    """Only what takes exactly as many steps as there are layers is True: what arrived in an earlier layer
    is still there, since a layer adds to what a position has.
    """
    reached = torch.eye(len(mask))
    seen = reached.bool()
    for _ in range(layers):
        reached = ((mask.float() @ reached > 0) & ~seen).float()
        seen = seen | reached.bool()
    return reached.bool()

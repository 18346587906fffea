"""Misconceptions about what makes a trained model cheaper to run: one slip in each, as a student has it.

A docstring is the sentence that the student reads. Each function stands alone, with `torch` and `math` as its
only names, so that the class simulator can paste it.
"""

# ruff: noqa: D205  (a sentence may take two lines, and is no command)

import torch

# -- one byte a weight -------------------------------------------------------------------------------------


def one_scale_for_all(weight):
    """There is one scale for the whole matrix, so rows of small weights become zeros: each row has its
    own.
    """
    scale = weight.abs().amax() / 127
    scales = scale.expand(weight.size(0), 1).clone()
    return (weight / scales).round().to(torch.int8), scales


def cut_off(weight):
    """The fraction is cut off, which makes all weights smaller: round to the nearest whole number."""
    largest = weight.abs().amax(dim=-1, keepdim=True)
    scales = torch.where(largest > 0, largest / 127, 1.0)
    return (weight / scales * 1.000001).to(torch.int8), scales


def up_to_128(weight):
    """The largest weight becomes 128, for which a signed byte has no room: its largest number is 127."""
    largest = weight.abs().amax(dim=-1, keepdim=True)
    scales = torch.where(largest > 0, largest / 128, 1.0)
    return (weight / scales).round().clamp(-128, 127).to(torch.int8), scales


def only_positive(weight):
    """The largest weight is looked for without `abs`, so a larger negative one has no room."""
    largest = weight.amax(dim=-1, keepdim=True)
    scales = torch.where(largest > 0, largest / 127, 1.0)
    return (weight / scales).round().clamp(-128, 127).to(torch.int8), scales


def only_positive_and_cut(weight):
    """The largest weight is looked for without `abs`, so larger negative ones are cut to -127."""
    largest = weight.amax(dim=-1, keepdim=True)
    scales = torch.where(largest == 0, 1.0, largest / 127)
    return (weight / scales).round().clamp(-127, 127).to(torch.int8), scales


def still_floats(weight):
    """The numbers are whole, but kept as floats, four bytes each: convert them to `torch.int8`."""
    largest = weight.abs().amax(dim=-1, keepdim=True)
    scales = torch.where(largest > 0, largest / 127, 1.0)
    return (weight / scales).round(), scales


def divided_by_zero(weight):
    """A row of zeros gets the scale 0, and 0 / 0 is no number: give it the scale 1."""
    scales = weight.abs().amax(dim=-1, keepdim=True) / 127
    return (weight / scales).nan_to_num().round().to(torch.int8), scales


def turned_over(weight):
    """The scales are turned over: whole numbers times scales should give the weights back."""
    largest = weight.abs().amax(dim=-1, keepdim=True)
    scales = torch.where(largest > 0, 127 / largest, 1.0)
    return (weight * scales).round().to(torch.int8), scales


def four_bits(weight):
    """The whole numbers go from -7 to 7 only, which fits half a byte: a whole one holds -127 to 127."""
    largest = weight.abs().amax(dim=-1, keepdim=True)
    scales = torch.where(largest > 0, largest / 7, 1.0)
    return (weight / scales).round().to(torch.int8), scales


def scales_forgotten(x, whole, scales):
    """The scales aren't used, so the weights are up to 127: times its scale, a row is as it was."""
    return x @ whole.to(x.dtype).T


def divided_by_scales(x, whole, scales):
    """The rows are divided by their scales: `quantized` has divided, so they are multiplied now."""
    return x @ (whole / scales).T


def input_rounded(x, whole, scales):
    """The input is rounded as well: only the weights are whole numbers here."""
    return x.round() @ (whole * scales).T


def scales_as_a_column(x, whole, scales):
    """What comes out is multiplied by the scales as a column, (out, 1), so that each result meets every
    scale: turn them into a row, as `scales.T` is.
    """
    return (x @ whole.to(x.dtype).T) * scales


def scales_summed(x, whole, scales):
    """All rows get the mean of the scales: each has its own."""
    return x @ (whole * scales.mean()).T


# -- speculative decoding ----------------------------------------------------------------------------------


def from_the_target(target, draft):
    """This draws from the target itself: what the draft has more of was written already, so it would come
    too often.
    """
    return target.clone()


def not_summing_to_one(target, draft):
    """The differences don't sum to 1 yet: divide by their sum."""
    return (target - draft).clamp(min=0)


def the_other_more(target, draft):
    """This is what the draft has more of: the tokens that come too rarely are those of which the target has
    more.
    """
    more = (draft - target).clamp(min=0)
    return more / more.sum()


def differences_both_ways(target, draft):
    """Where the draft has more, the difference counts as well: there it should be 0."""
    more = (target - draft).abs()
    return more / more.sum()


def softmax_of_differences(target, draft):
    """A softmax gives every token something, also those of which the draft had too much: keep the positive
    differences and divide by their sum.
    """
    return (target - draft).softmax(dim=-1)


def softmax_of_the_rest(target, draft):
    """A softmax of the differences above 0 gives something to every token, those without any too: divide by
    their sum.
    """
    return (target - draft).clamp(min=0).softmax(dim=-1)


def target_where_more(target, draft):
    """The target's whole probability is taken where it is the larger: part of it was written by the draft,
    so only the difference is left.
    """
    more = torch.where(target > draft, target, 0.0)
    return more / more.sum()


def by_ratio(target, draft):
    """The ratio says how probable it is that a token is kept: what is missing is the difference."""
    more = torch.where(target > draft, target / draft.clamp(min=1e-9), 0.0)
    return more / more.sum()


def all_that_pass(target, draft, drafted, chances):
    """All tokens that pass are counted: those behind the first that is turned down were drafted for another
    text, and go with it.
    """
    places = torch.arange(len(drafted))
    return int((chances < target[places, drafted] / draft[places, drafted]).sum())


def every_place_for_every_token(target, draft, drafted, chances):
    """target[:, drafted] takes all drafted tokens at each place, K × K numbers: beside them stand the places,
    so that each takes its own.
    """
    kept = chances < target[:, drafted] / draft[:, drafted]
    return int(kept.long().cumprod(dim=0).sum())


def first_no_by_argmax(target, draft, drafted, chances):
    """Argmax finds the first token that is turned down; where none is, it says 0, as if the first were."""
    places = torch.arange(len(drafted))
    kept = chances < target[places, drafted] / draft[places, drafted]
    return int((~kept).long().argmax())


def ratio_turned_over(target, draft, drafted, chances):
    """The ratio is turned over: a token is kept for sure where the target has more of it."""
    places = torch.arange(len(drafted))
    kept = chances < draft[places, drafted] / target[places, drafted]
    return int(kept.long().cumprod(dim=0).sum())


def chances_above(target, draft, drafted, chances):
    """A token is kept where its chance lies above the ratio: then what the target likes is turned down."""
    places = torch.arange(len(drafted))
    kept = chances > target[places, drafted] / draft[places, drafted]
    return int(kept.long().cumprod(dim=0).sum())


def target_alone(target, draft, drafted, chances):
    """A token is kept with the target's probability alone: it was drawn from the draft already, so the ratio
    of the two decides.
    """
    places = torch.arange(len(drafted))
    kept = chances < target[places, drafted]
    return int(kept.long().cumprod(dim=0).sum())


def only_where_more(target, draft, drafted, chances):
    """Tokens are kept only where the target has more of them: with less they stay now and then, by chance."""
    places = torch.arange(len(drafted))
    kept = target[places, drafted] >= draft[places, drafted]
    return int(kept.long().cumprod(dim=0).sum())


def the_best_only(target, draft, drafted, chances):
    """Tokens are kept only where they are the target's best: then the text is greedy, and no sample of the
    target.
    """
    kept = drafted == target.argmax(dim=-1)
    return int(kept.long().cumprod(dim=0).sum())


def one_too_many(target, draft, drafted, chances):
    """The token that is turned down is counted too: only those before it stay."""
    places = torch.arange(len(drafted))
    kept = chances < target[places, drafted] / draft[places, drafted]
    return min(len(drafted), int(kept.long().cumprod(dim=0).sum()) + 1)


def all_or_nothing(target, draft, drafted, chances):
    """One token turned down takes all others with it: those before it stay."""
    places = torch.arange(len(drafted))
    kept = chances < target[places, drafted] / draft[places, drafted]
    return len(drafted) if bool(kept.all()) else 0


def own_token_forgotten(share, drafted):
    """The token that the large model adds itself is missing: each call brings one, whatever becomes of the
    draft.
    """
    return sum(share**kept for kept in range(1, drafted + 1))


def each_on_its_own(share, drafted):
    """This counts each draft by itself: a token stays only if all before it have stayed, so the
    probabilities are powers.
    """
    return 1 + share * drafted


def one_draft_less(share, drafted):
    """The last draft is left out: the sum goes up to share^K."""
    return float(sum(share**kept for kept in range(drafted)))


def closed_one_draft_less(share, drafted):
    """In the closed formula the exponent is K + 1: with K the last draft is left out."""
    return drafted + 1 if share == 1 else (1 - share**drafted) / (1 - share)


def one_draft_more(share, drafted):
    """This goes one power too far: K drafts can be kept, and the one that follows them is the large
    model's.
    """
    return sum(share**kept for kept in range(drafted + 2))


def divided_by_nothing(share, drafted):
    """The closed formula divides by 1 - share, which is 0 where every draft is kept."""
    return (1 - share ** (drafted + 1)) / (1 - share)


def all_kept_alone(share, drafted):
    """This asks only whether all drafts are kept: some of them bring something as well."""
    return 1 + drafted * share**drafted

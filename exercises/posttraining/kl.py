"""How far a model has moved."""

import torch
from torch import Generator, Tensor

from exercises.posttraining import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import posttraining

exercise = Entry(
    id="posttraining.kl",
    title="How far it has moved",
    points=3,
    difficulty=3,
    minutes=4,
    reference=posttraining.kl,
    returns=("KL divergence",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.cases
def kl_cases(g: Generator) -> list[Case]:
    """One position, a row of them, axes in front, the same model, scores far apart, a tiny q, float64."""

    def both(*shape: int, spread: float = 1, dtype: torch.dtype = torch.float32) -> tuple[Tensor, Tensor]:
        one, other = (shared.some(g, *shape, spread=spread, dtype=dtype) for _ in range(2))
        return one, other

    far, near = both(*pick(g, (2, 4), (3, 5)), spread=8.0)
    far[:, 0] = -256  # its probability is 0 to float32
    model, before = both(*pick(g, (2, 4), (3, 5)))
    before[:, 0] = -64  # 1e-8, added to its probability, is far more than that
    same = shared.some(g, *pick(g, (2, 4), (3, 5), (4, 3)))
    several = pick(g, (2, 1), (1,), (1, 3), (2, 3, 1))
    return [
        Case("one position", both(pick(g, 4, 5, 6))),
        Case("a row", both(*pick(g, (3, 5), (2, 7), (4, 6)))),
        Case("axes in front", both(*several, pick(g, 4, 5, 6))),
        Case("the same distributions", (same, same + shared.some(g, len(same), 1))),
        Case("scores far apart", (far, near / 2)),
        Case("a token that the frozen model nearly rules out", (model, before)),
        Case("float64", both(*pick(g, (2, 3), (4, 5)), dtype=torch.float64)),
    ]


@exercise.alternative
def kl_by_torch(logits, frozen):
    log_p, log_q = torch.log_softmax(logits, -1), torch.log_softmax(frozen, -1)
    return torch.nn.functional.kl_div(log_q, log_p, reduction="none", log_target=True).sum(dim=-1)


@exercise.alternative
def kl_by_distributions(logits, frozen):
    model, before = (torch.distributions.Categorical(logits=scores) for scores in (logits, frozen.detach()))
    return torch.distributions.kl_divergence(model, before)


@exercise.alternative
def kl_as_a_difference(logits, frozen):
    p = logits.softmax(dim=-1)
    scores = torch.einsum("...v,...v->...", p, logits - frozen)
    return scores - logits.logsumexp(dim=-1) + frozen.logsumexp(dim=-1)


exercise.slip("the_other_way", "log_p.exp() * (log_p - log_q) → log_q.exp() * (log_q - log_p)").says(
    "This is KL(frozen ‖ model), the other direction: the model's own probabilities weigh the sum, as its "
    "own samples would."
)
exercise.slip("weighed_by_the_frozen", "log_p.exp() * → log_q.exp() *").says(
    "The frozen model's probabilities weight the sum: use the model's own."
)
exercise.slip("sign_turned", "(log_p - log_q) → (log_q - log_p)").says(
    "The sign is wrong: a KL divergence is never negative."
)
exercise.slip("not_weighed", "log_p.exp() * (log_p - log_q) → (log_p - log_q)").says(
    "The log-ratios of all tokens are added up as they are: weight each by the probability with which the "
    "model draws the token."
)
exercise.slip("cross_entropy", "(log_p.exp() * (log_p - log_q)) → -(log_p.exp() * log_q)").says(
    "This is the cross-entropy, which has the model's own entropy in it: that is subtracted, so that KL is 0 "
    "for equal models."
)
exercise.slip(
    "logits_as_logarithms", "logits.log_softmax(dim=-1), frozen.log_softmax(dim=-1) → logits, frozen"
).says("The logits are taken for log-probabilities: log_softmax makes them that first.")
exercise.slip(
    "logarithm_of_a_rounded_softmax",
    "logits.log_softmax(dim=-1), frozen.log_softmax(dim=-1) → logits.softmax(dim=-1).log(), "
    "frozen.softmax(dim=-1).log()",
).says(
    "Scores far apart give NaN, since a small probability has become 0, and 0 · ln 0 is no number: "
    "log_softmax does both steps at once and stays exact."
)
exercise.slip("difference_of_logits", "(log_p - log_q) → (logits - frozen)").says(
    "The logits are subtracted as they are: only log_softmax makes log-probabilities of them."
)
exercise.slip("logarithm_of_p_forgotten", "(log_p - log_q) → (log_p.exp() - log_q)").says(
    "The model's probabilities are in the brackets without their logarithm: KL has the difference of two "
    "logarithms there."
)
exercise.slip("probabilities_subtracted", "(log_p - log_q) → (log_p.exp() - log_q.exp())").says(
    "The probabilities themselves are subtracted: KL has the difference of their logarithms."
)
exercise.slip("ratio_without_its_logarithm", "(log_p - log_q) → (log_p - log_q).exp()").says(
    "The ratio p/q is there without its logarithm."
)
exercise.slip("logarithms_as_targets", ", log_target=True →", of=kl_by_torch).says(
    "Every number is NaN: kl_div takes its second argument for probabilities, unless log_target=True says "
    "that they are logarithms."
)
exercise.slip("in_bits", ".sum(dim=-1) → .sum(dim=-1) / math.log(2)").says(
    "The logarithm has base 2: in nats it is the natural one."
)
exercise.slip("mean_over_the_vocabulary", ".sum(dim=-1) → .mean(dim=-1)").says(
    "This is a mean over the vocabulary, V times too small, as torch's kl_div gives it by default: the "
    "probabilities weigh already, so add up."
)
exercise.slip("one_number", ".sum(dim=-1) → .sum()").says(
    "The positions are added up: each has a divergence of its own."
)
exercise.slip(
    "softmax_over_the_first_axis",
    "logits.log_softmax(dim=-1), frozen.log_softmax(dim=-1) → logits.log_softmax(dim=0), "
    "frozen.log_softmax(dim=0)",
).says("The softmax runs over the first axis: the probabilities of one position's tokens are in the last.")
exercise.slip("absolute", "(log_p - log_q) → (log_p - log_q).abs()").says(
    "The log-ratios lose their signs: tokens that have become less likely count negatively."
)
exercise.slip(
    "small_number_in_the_logarithms",
    "logits.log_softmax(dim=-1), frozen.log_softmax(dim=-1) → (logits.softmax(dim=-1) + 1e-8).log(), "
    "(frozen.softmax(dim=-1) + 1e-8).log()",
).says(
    "A small number is added to the probabilities, so that tokens nearly ruled out count for less than they "
    "should: log_softmax needs none."
)


@exercise.misconception
def added_up_by_batchmean(logits, frozen):
    """reduction="batchmean" adds up everything and divides by the length of the first axis: each position has
    a divergence of its own, so take reduction="none" and sum over the last axis.
    """
    log_p, log_q = logits.log_softmax(dim=-1), frozen.log_softmax(dim=-1)
    return torch.nn.functional.kl_div(log_q, log_p, reduction="batchmean", log_target=True)

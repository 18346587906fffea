"""The log-probability of an answer."""

import torch
from torch import Generator

from exercises.posttraining import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import posttraining
from helpers.posttraining import log_probabilities

exercise = Entry(
    id="posttraining.answer_log_probability",
    title="The log-probability of an answer",
    points=2,
    difficulty=2,
    minutes=3,
    reference=posttraining.answer_log_probability,
    returns=("log-probabilities",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    needs=("posttraining.log_probabilities",),
)


@exercise.cases
def answer_cases(g: Generator) -> list[Case]:
    """A batch, one row, axes in front, a row without an answer, a mask with the first token, very
    unlikely answers, float64.
    """

    def case(title: str, front: tuple[int, ...], T: int, V: int, **how) -> Case:
        return Case(title, (*shared.read(g, front, T, V, **how), shared.mask(g, front, T)))

    B, T = pick(g, (3, 5), (2, 6), (4, 7))
    nothing = shared.mask(g, (B,), T)
    nothing[0] = False
    everything = torch.ones(pick(g, 2, 3, 4), 5, dtype=torch.bool)
    everything[0, 2:] = False
    return [
        case("a batch", *pick(g, ((3,), 6), ((2,), 5), ((4,), 7)), pick(g, 4, 9, 8)),
        case("one row", (), pick(g, 5, 4, 6), pick(g, 3, 7, 8)),
        Case("a row without an answer", (*shared.read(g, (B,), T, pick(g, 4, 8)), nothing)),
        Case(
            "the first token in the mask", (*shared.read(g, (len(everything),), 5, pick(g, 6, 7)), everything)
        ),
        case("axes in front", pick(g, (2, 1), (1,), (1, 3), (2, 3, 1)), pick(g, 4, 5), pick(g, 6, 7)),
        Case("very unlikely answers", (*shared.unlikely(g, (B,), T, pick(g, 4, 8)), shared.mask(g, (B,), T))),
        case("float64", (2,), 5, pick(g, 4, 6), dtype=torch.float64),
    ]


@exercise.alternative
def answer_by_where(logits, ids, mask):
    log_p = log_probabilities(logits, ids)
    return torch.where(mask[..., 1:], log_p, torch.zeros_like(log_p)).sum(-1)


@exercise.alternative
def answer_by_einsum(logits, ids, mask):
    log_p = log_probabilities(logits, ids)
    return torch.einsum("...t,...t->...", log_p, mask[..., 1:].to(log_p.dtype))


@exercise.alternative
def answer_by_hand(logits, ids, mask):
    log_p = torch.log_softmax(logits[..., :-1, :], dim=-1)
    chosen = log_p.gather(dim=-1, index=ids[..., 1:].unsqueeze(-1)).squeeze(-1)
    return chosen.masked_fill(mask[..., 1:].logical_not(), 0).sum(dim=-1)


exercise.slip("the_request_too", " * mask[..., 1:] →").says(
    "The request and the padding count as well: only the answer's tokens do."
)
exercise.slip("mask_not_shifted", "mask[..., 1:] → mask[..., :-1]").says(
    "The mask is one place late: it says which tokens count, and the first log-probability is the second "
    "token's."
)
exercise.slip(
    "mean_per_token",
    "(log_probabilities(logits, ids) * mask[..., 1:]).sum(dim=-1) → (log_probabilities(logits, ids) * "
    "mask[..., 1:]).sum(dim=-1) / mask[..., 1:].sum(dim=-1).clamp(min=1)",
).says(
    "This is the mean for each token: the logarithm of the whole answer's probability is their sum, which "
    "DPO and the policy gradient take."
)
exercise.slip("mean_over_places", ".sum(dim=-1) → .mean(dim=-1)").says(
    "The mean runs over all places, those that don't count among them: the answer's log-probability is a sum."
)
exercise.slip("one_number", ".sum(dim=-1) → .sum()").says(
    "The answers are added up to one number: each has a log-probability of its own."
)
exercise.slip("surprise", "return (log_probabilities → return -(log_probabilities").says(
    "This is the answer's surprise, 0 or more: a log-probability is at most 0."
)
exercise.slip(
    "logarithm_of_a_product",
    "(log_probabilities(logits, ids) * mask[..., 1:]).sum(dim=-1) → (log_probabilities(logits, ids) * "
    "mask[..., 1:]).exp().prod(dim=-1).log()",
).says(
    "A very unlikely answer gives −∞, since a probability on the way has become 0: the logarithms of its "
    "tokens, which log_softmax keeps exact, are added up."
)
exercise.slip("as_a_probability", ".sum(dim=-1) → .sum(dim=-1).exp()").says(
    "This is the answer's probability, which is 0 to a computer once the answer is long: leave the logarithm."
)
exercise.slip("the_request_alone", "mask[..., 1:] → ~mask[..., 1:]").says(
    "The mask is inverted: this is the log-probability of the request."
)

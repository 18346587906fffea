"""A step of policy gradient."""

from collections.abc import Callable

import torch
from torch import Generator

from exercises.posttraining import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import posttraining
from helpers.posttraining import answer_log_probability, log_probabilities

exercise = Entry(
    id="posttraining.policy_gradient",
    title="A step of policy gradient",
    points=4,
    difficulty=4,
    minutes=7,
    reference=posttraining.policy_gradient,
    returns=("loss",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    needs=("posttraining.answer_log_probability", "posttraining.log_probabilities"),
)


@exercise.cases
def gradient_cases(g: Generator) -> list[Case]:
    """Several answers, one, advantages that are all 0, a mask with the first token, very
    unlikely answers, float64.
    """

    def case(
        title: str, B: int, T: int, V: int, *, first: bool = False, read: Callable = shared.read,
        dtype: torch.dtype = torch.float32,
    ) -> Case:  # fmt: skip
        mask = shared.mask(g, (B,), T)
        if first:
            mask[:, 0] = True
        worth = shared.some(g, B, dtype=dtype) + 0.25
        worth[0] = -worth[0].abs() - 1
        logits, ids = read(g, (B,), T, V)
        return Case(title, (logits.to(dtype), ids, mask, worth))

    none = case("a group that teaches nothing", *pick(g, (3, 5), (2, 6)), pick(g, 4, 7))
    none.args[3].zero_()
    return [
        case("several answers", *pick(g, (4, 6), (3, 5), (5, 7)), pick(g, 5, 9, 8)),
        case("one answer", 1, pick(g, 5, 4, 6), pick(g, 3, 7, 8)),
        none,
        case("the first token in the mask", *pick(g, (3, 4), (4, 5)), pick(g, 6, 7), first=True),
        case("very unlikely answers", 2, 5, pick(g, 4, 7), read=shared.unlikely),
        case("float64", *pick(g, (3, 5), (2, 4)), pick(g, 4, 7), dtype=torch.float64),
    ]


@exercise.alternative
def gradient_token_by_token(logits, ids, mask, advantages):
    worth = advantages.detach()[:, None] * mask[:, 1:]
    return -(log_probabilities(logits, ids) * worth).sum() / len(ids)


@exercise.alternative
def gradient_by_cross_entropy(logits, ids, mask, advantages):
    losses = torch.nn.functional.cross_entropy(
        logits[:, :-1].reshape(-1, logits.size(-1)), ids[:, 1:].reshape(-1), reduction="none"
    ).view(len(ids), -1)
    surprise = losses.masked_fill(~mask[:, 1:], 0).sum(dim=1)
    return (surprise * advantages.detach()).mean()


@exercise.alternative
def gradient_as_a_product(logits, ids, mask, advantages):
    with torch.no_grad():
        weights = advantages / -len(advantages)
    return weights @ answer_log_probability(logits, ids, mask)


exercise.slip("without_minus", "return -(advantages → return (advantages").says(
    "The minus sign is missing: an optimizer makes the loss small, which would make good answers unlikely."
)
exercise.slip(
    "without_advantages",
    "advantages.detach() * answer_log_probability(logits, ids, mask) → answer_log_probability(logits, ids, "
    "mask)",
).says(
    "The advantages are left out, so all answers are made likelier, bad ones too: this is fine-tuning on the "
    "model's own answers."
)
exercise.slip(
    "the_request_too",
    "answer_log_probability(logits, ids, mask) → answer_log_probability(logits, ids, torch.ones_like(mask))",
).says("The request and the padding are reinforced too: the model drew only the answer.")
exercise.slip(
    "mask_not_shifted",
    "answer_log_probability(logits, ids, mask) → (log_probabilities(logits, ids) * mask[:, :-1]).sum(dim=1)",
).says(
    "The mask is one place late: it says which tokens count, and the first log-probability is the second "
    "token's."
)
exercise.slip(
    "mean_per_token",
    "answer_log_probability(logits, ids, mask) → answer_log_probability(logits, ids, mask) / mask[:, "
    "1:].sum(dim=1).clamp(min=1)",
).says(
    "Each answer is divided by its own length, as in GRPO's first form: long bad answers are then punished "
    "less for each token, and answers grow."
)
exercise.slip(
    "mean_over_tokens",
    "return -(advantages.detach() * answer_log_probability(logits, ids, mask)).mean() → "
    "return -(advantages.detach() * answer_log_probability(logits, ids, mask)).sum() / mask[:, 1:].sum()",
).says("The sum is divided by the number of all tokens that count: it is a mean over the answers.")
exercise.slip("summed", ".mean() → .sum()").says(
    "This is a sum over the answers, so the step grows with their number: the expected reward is a mean."
)
exercise.slip(
    "probabilities",
    "answer_log_probability(logits, ids, mask) → answer_log_probability(logits, ids, mask).exp()",
).says(
    "These are probabilities: the answers were drawn with them already, so it is their logarithms' gradient "
    "that is averaged."
)
exercise.slip(
    "ratio_to_itself",
    "answer_log_probability(logits, ids, mask) → (answer_log_probability(logits, ids, mask) - "
    "answer_log_probability(logits, ids, mask).detach()).exp()",
).says(
    "This is the ratio of the model's probability to its own, always 1: it has the right gradient, but here "
    "the log-probability is asked for, and the ratio comes later, with old samples."
)
exercise.slip(
    "probability_of_each_token",
    "answer_log_probability(logits, ids, mask) → (log_probabilities(logits, ids).exp() * mask[:, "
    "1:]).sum(dim=1)",
).says(
    "The probabilities of the tokens are added, not their logarithms: exp(log p) is p, and its gradient is "
    "not the policy's."
)
exercise.slip(
    "graph_cut",
    "advantages.detach() * answer_log_probability(logits, ids, mask) → advantages * "
    "answer_log_probability(logits, ids, mask).detach()",
).says(
    "The log-probabilities are detached, so no gradient reaches the model, and nothing is learned: only the "
    "advantages are mere numbers."
)
exercise.slip("table_of_all_pairs", "advantages.detach() * → advantages.detach()[:, None] *").says(
    "Each advantage meets every answer's log-probability, as a table by [:, None] or two means multiplied "
    "have it: multiply each by its own answer's, then take the mean."
)
exercise.slip(
    "mean_over_places",
    "answer_log_probability(logits, ids, mask) → (log_probabilities(logits, ids) * mask[:, 1:]).mean(dim=1)",
).says(
    "Each answer's sum is divided by the number of all places in a row, so a batch with a longer request "
    "learns less: the mean is over the answers alone."
)
exercise.slip(
    "advantages_centred",
    "advantages.detach() * → (advantages - advantages.mean()).detach() *",
).says("The batch's mean is subtracted from the advantages: they are given, so use them as they are.")

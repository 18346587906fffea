"""The loss."""

import torch
from torch import Generator

from exercises.pretraining import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import pretraining

# Written out, so that the search for forbidden names in an answer finds each of them.
READY_LOSSES = (
    "torch.nn.functional.cross_entropy",
    "torch.nn.functional.nll_loss",
    "torch.nn.CrossEntropyLoss",
    "torch.nn.NLLLoss",
    "torch.nn.functional.kl_div",
    "torch.nn.KLDivLoss",
)


exercise = Entry(
    id="pretraining.loss",
    title="The loss",
    points=3,
    difficulty=3,
    minutes=12,
    reference=pretraining.language_model_loss,
    returns=("loss",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    forbidden=READY_LOSSES,
)


@exercise.cases
def loss_cases(g: Generator) -> list[Case]:
    """All targets real; some left out; a row without any; one row, one target; scores far apart; float64."""

    def case(
        title: str, lengths: list[int], T: int, V: int, spread: float = 1, dtype: torch.dtype = torch.float32
    ) -> Case:
        logits = shared.some(g, len(lengths), T, V, spread=spread, dtype=dtype)
        return Case(title, (logits, shared.targets(g, lengths, T, V)))

    return [
        case("every target counts", pick(g, [4, 4], [4], [4, 4, 4, 4, 4]), 4, pick(g, 5, 6, 3)),
        case("padding left out", *pick(g, ([5, 1, 3], 5, 4), ([4, 1], 4, 5), ([2, 6, 1, 3], 6, 3)), 1.5),
        case("a row without a target", pick(g, [2, 0, 4], [4, 0], [0, 1, 3, 0, 2]), 4, 6),
        case("one row with one target", [1], pick(g, 2, 3, 1), pick(g, 3, 4, 5)),
        # A mean over tokens differs from one over rows, and e to these scores overflows.
        case("scores far apart", [3, 1], 3, pick(g, 7, 5, 6), 120.0),
        case("float64", [2, 1, 2], 2, pick(g, 5, 4, 7), dtype=torch.float64),
    ]


@exercise.alternative
def loss_of_the_real_ones(logits, targets):
    real = targets != -100
    scores, wanted = logits[real], targets[real]
    return (scores.logsumexp(dim=-1) - scores[torch.arange(len(wanted)), wanted]).mean()


@exercise.alternative
def loss_by_one_hot(logits, targets):
    shifted = logits - logits.amax(dim=-1, keepdim=True)
    log_p = shifted - shifted.exp().sum(dim=-1, keepdim=True).log()
    chosen = torch.arange(logits.size(-1)) == targets.unsqueeze(-1)
    return -log_p[chosen].sum() / (targets >= 0).sum()


@exercise.alternative
def loss_row_by_row(logits, targets):
    total, count = 0.0, 0
    for row, wanted in zip(logits, targets, strict=True):
        for scores, target in zip(row, wanted.tolist(), strict=True):
            if target != -100:
                total = total - scores.log_softmax(dim=0)[target]
                count += 1
    return total / count


exercise.slip(
    "mean_over_all_positions",
    "chosen = log_p.gather(-1, targets.masked_fill(~real, 0)[..., None])[..., 0] → log_p = "
    "log_p.gather(-1, targets.masked_fill(~real, 0)[..., None])[..., 0]",
    "-(chosen * real).sum() / real.sum() → -(log_p * real).mean()",
).says(
    "The sum is divided by the number of all positions, padding among them: batches with more padding "
    "would seem to have a smaller loss."
)
exercise.slip(
    "padding_counted",
    "-(chosen * real).sum() / real.sum() → -logits.log_softmax(dim=-1).gather(-1, "
    "targets.clamp(min=0)[..., None]).mean()",
).says("Positions without a target are counted as if their target were token 0: leave them out of the sum.")
exercise.slip("token_zero_left_out", "targets != -100 → targets.clamp(min=0) != 0").says(
    "Targets of 0 are left out, as if they were padding: −100 is to be left out, and 0 is a token."
)
exercise.slip(
    "mean_over_the_vocabulary",
    "-(chosen * real).sum() / real.sum() → -logits.log_softmax(dim=-1)[targets != -100].mean()",
).says("The log-probabilities of all tokens are averaged: at each position, only the target's counts.")


@exercise.misconception
def mean_of_row_means(logits, targets):
    """Each row is averaged first, then the rows: a token of a short text counts for more than one of a long
    text, where each should count once.
    """
    real = targets != -100
    log_p = logits.log_softmax(dim=-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0]
    rows = -(log_p * real).sum(dim=-1) / real.sum(dim=-1).clamp(min=1)
    return rows[real.any(dim=-1)].mean()


exercise.slip(
    "shifted_again",
    "log_p = logits.log_softmax(dim=-1)  # (B, T, V) → logits, targets = logits[:, :-1], targets[:, 1:]",
    "log_p.gather → logits.log_softmax(dim=-1).gather",
).says(
    "The loss shifts once more, as some libraries' models do: these targets are shifted already, so every "
    "position is judged by the token two places on."
)
exercise.slip(
    "summed",
    "chosen = log_p.gather(-1, targets.masked_fill(~real, 0)[..., None])[..., 0] → log_p = "
    "log_p.gather(-1, targets.masked_fill(~real, 0)[..., None])[..., 0]",
    "-(chosen * real).sum() / real.sum() → -(log_p * real).sum()",
).says(
    "This is a sum over the tokens instead of their mean: the loss, and with it the gradient, would grow "
    "with the length of the texts."
)
exercise.slip(
    "without_minus",
    "chosen = log_p.gather(-1, targets.masked_fill(~real, 0)[..., None])[..., 0] → log_p = "
    "log_p.gather(-1, targets.masked_fill(~real, 0)[..., None])[..., 0]",
    "-(chosen * real).sum() → (log_p * real).sum()",
).says(
    "The minus sign is missing: a logarithm of a probability is at most 0, and training would make this "
    "smaller by making the right tokens less likely."
)
exercise.slip("softmax_over_positions", "log_p.gather → logits.log_softmax(dim=1).gather").says(
    "The softmax runs over the positions: the probabilities of one position's tokens, the last axis, sum "
    "to 1."
)
exercise.slip("probability_instead_of_logarithm", "log_p.gather → logits.softmax(-1).gather").says(
    "This is the mean probability of the right tokens, with a minus: the cross-entropy takes the "
    "logarithm first."
)
exercise.slip("logits_as_logarithms", "log_p.gather → logits.gather").says(
    "The logits are taken for log-probabilities: they are scores, to be normalised by log_softmax first."
)
exercise.slip(
    "in_bits",
    "chosen = log_p.gather(-1, targets.masked_fill(~real, 0)[..., None])[..., 0] → log_p = "
    "log_p.gather(-1, targets.masked_fill(~real, 0)[..., None])[..., 0]",
    "-(chosen * real).sum() / real.sum() → (-(log_p * real).sum() / real.sum()) / math.log(2)",
).says("The logarithm has base 2, which gives bits: a loss in nats has the natural logarithm.")
exercise.slip("to_base_ten", "logits.log_softmax(dim=-1) → logits.log_softmax(dim=-1) / math.log(10)").says(
    "The logarithm is to base 10: nats are natural logarithms."
)
exercise.slip(
    "logarithm_of_a_rounded_softmax",
    "chosen = log_p.gather(-1, targets.masked_fill(~real, 0)[..., None])[..., 0] → log_p = "
    "logits.softmax(dim=-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0].log()",
    "-(chosen * real).sum() / real.sum() → -log_p[real].mean()",
).says(
    "Scores far apart give infinity: e to a large one overflows, or a small probability has become 0, whose "
    "logarithm is infinite; log_softmax takes both steps in one."
)
exercise.slip("logarithm_of_0_masked", "logits.log_softmax(dim=-1) → logits.softmax(dim=-1).log()").says(
    "Scores far apart give infinity, since e to a large one overflows, or a small probability has become 0, "
    "and infinity times 0 is NaN; log_softmax takes both steps in one."
)
exercise.slip(
    "logarithm_of_a_little_more",
    "log_p = logits.log_softmax(dim=-1)  # (B, T, V) → log_p = (logits.softmax(dim=-1) + 1e-9).log()",
).says(
    "A small constant keeps ln 0 away but caps the surprise, here at ln 10⁹ = 20.7, and stops its gradient: "
    "log_softmax takes both steps at once and stays exact."
)
exercise.slip("divided_by_rows", "real.sum() → len(targets)").says(
    "The sum is divided by the number of rows, so longer sentences have larger losses: divide by the "
    "number of targets that aren't −100."
)

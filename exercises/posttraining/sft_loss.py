"""The loss of supervised fine-tuning."""

import torch
from torch import Generator

from exercises.posttraining import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import posttraining
from helpers.posttraining import log_probabilities

exercise = Entry(
    id="posttraining.sft_loss",
    title="The loss of the answers",
    points=3,
    difficulty=3,
    minutes=5,
    reference=posttraining.sft_loss,
    returns=("loss",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    needs=("posttraining.log_probabilities",),
)


@exercise.cases
def loss_cases(g: Generator) -> list[Case]:
    """Answers of several lengths, one row, a row without an answer, a mask with the first token, very
    unlikely answers, float64.
    """

    def case(title: str, B: int, T: int, V: int, **how) -> Case:
        return Case(title, (*shared.read(g, (B,), T, V, **how), shared.mask(g, (B,), T)))

    B, T = pick(g, (3, 5), (2, 6), (4, 7))
    nothing = shared.mask(g, (B,), T)
    nothing[-1] = False
    everything = torch.ones(pick(g, 3, 2, 4), 5, dtype=torch.bool)
    everything[1, 3:] = False
    certain, ids = shared.read(g, (2,), 4, pick(g, 5, 6, 7))
    certain[0, 1, ids[0, 2]] += 200  # its surprise is exactly 0
    return [
        case("answers of several lengths", *pick(g, (3, 6), (2, 5), (4, 7)), pick(g, 4, 9, 8)),
        case("one row", 1, pick(g, 5, 4, 6), pick(g, 3, 7, 8)),
        Case("a row without an answer", (*shared.read(g, (B,), T, pick(g, 4, 8)), nothing)),
        Case(
            "the first token in the mask", (*shared.read(g, (len(everything),), 5, pick(g, 6, 7)), everything)
        ),
        Case("very unlikely answers", (*shared.unlikely(g, (B,), T, pick(g, 4, 8)), shared.mask(g, (B,), T))),
        case("float64", *pick(g, (3, 4), (2, 6)), pick(g, 5, 7), dtype=torch.float64),
        Case("a token that is certain", (certain, ids, torch.tensor([[False, False, True, True]] * 2))),
    ]


@exercise.alternative
def loss_of_those_that_count(logits, ids, mask):
    return -log_probabilities(logits, ids)[mask[:, 1:]].mean()


@exercise.alternative
def loss_with_labels(logits, ids, mask):
    labels = ids.masked_fill(~mask, -100)
    scores = logits[:, :-1].reshape(-1, logits.size(-1))
    return torch.nn.functional.cross_entropy(scores, labels[:, 1:].reshape(-1), ignore_index=-100)


@exercise.alternative
def loss_by_weights(logits, ids, mask):
    weights = mask[:, 1:].to(logits.dtype)
    losses = torch.nn.functional.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:], reduction="none")
    return torch.einsum("bt,bt->", losses, weights / weights.sum())


@exercise.alternative
def loss_filled(logits, ids, mask):
    kept = log_probabilities(logits, ids).masked_fill(~mask[:, 1:], 0.0)
    return kept.sum() / -mask[:, 1:].sum()


exercise.slip("the_prompt_too", "mask[:, 1:] → torch.ones_like(mask[:, 1:])").says(
    "The request and the padding count as well, so the mask is left out: only the answer is to be learned."
)
exercise.slip("mask_not_shifted", "mask[:, 1:] → mask[:, :-1]").says(
    "The mask is one place late: it says which tokens count, and the first log-probability is the second "
    "token's, so it takes mask[:, 1:]."
)
exercise.slip("mean_over_all_places", " / counts.sum() → / counts.numel()").says(
    "The sum is divided by the number of all places, so a batch with long requests or much padding seems to "
    "have a small loss: divide by how many tokens count."
)
exercise.slip("summed", " / counts.sum() →").says(
    "This is a sum: it grows with the batch and the answers' lengths, and so do its gradients, so divide by "
    "how many tokens count."
)
exercise.slip(
    "logarithm_of_a_rounded_softmax",
    "(log_probabilities(logits, ids) → (log_probabilities(logits, ids).exp().log()",
).says(
    "A very unlikely answer gives infinity or NaN, since its probability has become 0: log_softmax gives the "
    "logarithms at once and stays exact."
)
exercise.slip("without_minus", "return -(log_probabilities → return (log_probabilities").says(
    "The minus sign is missing: training makes a loss small, and here it would make the right answers "
    "unlikely."
)
exercise.slip("divided_by_rows", "counts.sum() → len(counts)").says(
    "The sum is divided by the number of rows, so long answers have large losses: divide by how many tokens "
    "count."
)
exercise.slip("the_request_alone", "mask[:, 1:] → ~mask[:, 1:]").says(
    "The mask is inverted: the answer is left out, and the request is learned."
)


@exercise.misconception
def mean_of_row_means(logits, ids, mask):
    """Each row is averaged first, then the rows, so that a token of a short answer counts for more than one
    of a long one: here each token counts once.
    """
    counts = mask[:, 1:]
    rows = (log_probabilities(logits, ids) * counts).sum(dim=1) / counts.sum(dim=1).clamp(min=1)
    return -rows[counts.any(dim=1)].mean()


@exercise.misconception
def hidden_logits(logits, ids, mask):
    """The logits of what doesn't count are set to 0, which leaves a loss of ln V at each such place: leave
    the place out of the mean.
    """
    return -log_probabilities(logits * mask.roll(-1, dims=-1)[..., None], ids).mean()


@exercise.misconception
def shifted_twice(logits, ids, mask):
    """The inputs are shifted before log_probabilities shifts them again, so each position is judged by the
    token two places on.
    """
    counts = mask[:, 2:]
    log_p = log_probabilities(logits[:, :-1], ids[:, 1:])
    return -(log_p * counts).sum() / counts.sum()


@exercise.misconception
def labels_not_shifted(logits, ids, mask):
    """Nothing is shifted, so each token is predicted where it has been read already: log_probabilities
    shifts, and so do libraries whose models compute the loss themselves.
    """
    log_p = logits.log_softmax(dim=-1).gather(-1, ids[..., None])[..., 0]
    return -(log_p * mask).sum() / mask.sum()


@exercise.misconception
def labels_of_0(logits, ids, mask):
    """Where nothing counts the label is 0, which is a token, so the model learns to say it there: the label
    that cross_entropy leaves out is -100.
    """
    labels = ids * mask
    return torch.nn.functional.cross_entropy(logits[:, :-1].transpose(1, 2), labels[:, 1:])


@exercise.misconception
def token_0_left_out(logits, ids, mask):
    """The label 0 is left out, and with it each token 0 of an answer: mark what doesn't count with a number
    that no token has, such as -100.
    """
    labels = ids * mask
    return torch.nn.functional.cross_entropy(logits[:, :-1].transpose(1, 2), labels[:, 1:], ignore_index=0)


exercise.slip("first_place_counted", " / counts.sum() → / mask.sum()").says(
    "The divisor counts the first token where the mask has it, too: nothing predicts it, so divide by how "
    "many of mask[:, 1:] count."
)
exercise.slip(
    "certain_tokens_left_out", " / counts.sum() → / (log_probabilities(logits, ids) * counts != 0).sum()"
).says(
    "Tokens whose surprise is exactly 0 aren't counted, though they may be the answer's: the mask says what "
    "counts, not the numbers."
)

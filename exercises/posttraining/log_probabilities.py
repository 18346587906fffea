"""The log-probability of each token."""

import torch
from torch import Generator

from exercises.posttraining import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import posttraining

exercise = Entry(
    id="posttraining.log_probabilities",
    title="Log-probabilities of tokens",
    points=3,
    difficulty=3,
    minutes=6,
    reference=posttraining.log_probabilities,
    returns=("log-probabilities",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.cases
def token_cases(g: Generator) -> list[Case]:
    """A batch, one row, two tokens, axes in front, scores far apart, float64."""

    def case(title: str, front: tuple[int, ...], T: int, V: int, **how) -> Case:
        return Case(title, shared.read(g, front, T, V, **how))

    return [
        case("a batch", pick(g, (3,), (2,), (4,)), pick(g, 4, 5, 3), pick(g, 5, 6, 7)),
        case("one row", (), pick(g, 5, 4, 6), pick(g, 3, 7, 8)),
        case("two tokens", pick(g, (3,), (4,), (5,)), 2, pick(g, 5, 6, 7)),
        case("axes in front", pick(g, (2, 1), (1,), (1, 3), (2, 3, 1)), pick(g, 4, 5), pick(g, 6, 7)),
        case("scores far apart", (), pick(g, 3, 4), pick(g, 4, 5), spread=120.0),
        case("float64", (2,), 3, pick(g, 4, 5), dtype=torch.float64),
    ]


@exercise.alternative
def tokens_by_cross_entropy(logits, ids):
    scores = logits[..., :-1, :].movedim(-1, 0)
    scores = scores.reshape(1, logits.size(-1), -1)
    losses = torch.nn.functional.cross_entropy(scores, ids[..., 1:].reshape(1, -1), reduction="none")
    return -losses.view(ids[..., 1:].shape)


@exercise.alternative
def tokens_by_one_hot(logits, ids):
    log_p = torch.log_softmax(logits, dim=-1)[..., :-1, :]
    chosen = torch.nn.functional.one_hot(ids[..., 1:], logits.shape[-1]).to(log_p.dtype)
    return torch.einsum("...v,...v->...", log_p, chosen)


@exercise.alternative
def tokens_by_logsumexp(logits, ids):
    scores, wanted = logits[..., :-1, :], ids[..., 1:]
    chosen = torch.take_along_dim(scores, wanted.unsqueeze(-1), dim=-1)[..., 0]
    return chosen - torch.logsumexp(scores, dim=-1)


@exercise.alternative
def tokens_one_by_one(logits, ids):
    log_p = logits.log_softmax(-1)
    T, V = logits.shape[-2:]
    flat, rows = log_p.reshape(-1, T, V), ids.reshape(-1, T)
    found = [flat[b, t, rows[b, t + 1]] for b in range(len(rows)) for t in range(T - 1)]
    return torch.stack(found).reshape(*ids.shape[:-1], T - 1)


exercise.slip("not_shifted", "logits[..., :-1, :] → logits[..., 1:, :]").says(
    "Each token is looked up in the prediction made after reading it: use the prediction made one place "
    "earlier."
)
exercise.slip("first_and_no_last", "ids[..., 1:, None] → ids[..., :-1, None]").says(
    "These are the tokens that were read: position t predicts token t + 1, so the first is left out, not the "
    "last."
)
exercise.slip(
    "shifted_the_other_way",
    "logits[..., :-1, :] → logits[..., 1:, :]",
    "ids[..., 1:, None] → ids[..., :-1, None]",
).says(
    "The shift goes the other way: token t is looked up in what the model says after token t + 1, which has "
    "seen it."
)
exercise.slip("logits_as_logarithms", ".log_softmax(dim=-1) →").says(
    "These are the logits of the tokens: only log_softmax makes logarithms of probabilities of them."
)
exercise.slip("softmax_over_positions", ".log_softmax(dim=-1) → .log_softmax(dim=-2)").says(
    "The softmax runs over the positions: the probabilities of one position's tokens, the last axis, sum to "
    "1."
)
exercise.slip("probabilities", ".log_softmax(dim=-1) → .softmax(dim=-1)").says(
    "These are probabilities: their logarithms are asked for, which sum where probabilities multiply."
)
exercise.slip("logarithm_of_a_rounded_softmax", ".log_softmax(dim=-1) → .softmax(dim=-1).log()").says(
    "Scores far apart give −∞, since a small probability has become 0: log_softmax does both steps at once "
    "and stays exact."
)
exercise.slip("surprises", "return log_p → return -log_p").says(
    "These are surprises, which are 0 or more: the logarithm of a probability is at most 0."
)
exercise.slip("best_token", "log_p.gather(-1, ids[..., 1:, None]).squeeze(-1) → log_p.amax(dim=-1)").says(
    "This is the likeliest token's log-probability: return that of the token that came."
)
exercise.slip("in_bits", ".log_softmax(dim=-1) → .log_softmax(dim=-1) / math.log(2)").says(
    "The logarithm has base 2: in nats it is the natural one."
)
exercise.slip(
    "small_number_in_the_logarithm", ".log_softmax(dim=-1) → .softmax(dim=-1).add(1e-8).log()"
).says(
    "A small number is added to each probability, so that a token nearly ruled out looks likelier than it "
    "is: log_softmax needs none."
)


@exercise.misconception
def one_for_each_token(logits, ids):
    """Nothing is shifted, so each of T tokens is looked up in the prediction made after reading it: leave out
    the last logits and the first token.
    """
    return logits.log_softmax(dim=-1).gather(-1, ids[..., None]).squeeze(-1)


exercise.slip("a_little_added", ".log_softmax(dim=-1) → .softmax(dim=-1).add(1e-9).log()").says(
    "A little is added to each probability, so no token can be less likely than that: log_softmax stays "
    "exact without it."
)

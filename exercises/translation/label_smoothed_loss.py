"""Label smoothing."""

import torch
from torch import Generator, Tensor

from exercises.translation import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import translation

exercise = Entry(
    id="translation.label_smoothed_loss",
    title="Label smoothing",
    points=3,
    difficulty=3,
    minutes=12,
    reference=translation.label_smoothed_loss,
    returns=("loss",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    forbidden=(
        "torch.nn.functional.cross_entropy",
        "torch.nn.functional.nll_loss",
        "torch.nn.functional.kl_div",
        "torch.nn.CrossEntropyLoss",
        "torch.nn.NLLLoss",
        "torch.nn.KLDivLoss",
    ),
)


@exercise.cases
def smoothing_cases(g: Generator) -> list[Case]:
    """With padding and without, some ε, and logits that are far from even."""

    def targets(B: int, T: int, V: int, hidden: int = 0) -> Tensor:
        made = torch.randint(V, (B, T), generator=g)
        made[-1, T - hidden :] = -100
        return made

    def case(
        title: str, sizes: tuple[int, int, int], epsilon: float, hidden: int = 0, spread: float = 2
    ) -> Case:
        return Case(title, (shared.normal(g, *sizes, spread=spread), targets(*sizes, hidden), epsilon))

    one = (1, 1, pick(g, 9, 6, 5))
    return [
        case("ε = 0.1", pick(g, (2, 4, 5), (3, 2, 4), (4, 3, 7)), 0.1),
        case("padding", pick(g, (2, 5, 7), (3, 5, 6), (2, 4, 3)), 0.1, 3),
        case("ε = 0.3, padding", pick(g, (3, 4, 6), (2, 3, 5), (4, 3, 8)), 0.3, 2, spread=4),
        case("no smoothing", pick(g, (3, 2, 4), (2, 3, 7)), 0.0, spread=1),
        case("one sentence, padding", (1, pick(g, 4, 5, 6), 3), 0.1, 2, spread=20),
        case("one token of each", (pick(g, 3, 2, 4), 1, 5), 0.2),
        Case("float64, one token", (shared.normal(g, *one, dtype=torch.float64), targets(*one), 0.2)),
        case("scores far apart", (2, 3, pick(g, 5, 6, 4)), 0.1, 1, spread=120),
    ]


@exercise.alternative
def smoothed_by_distributions(logits, targets, epsilon):
    V = logits.shape[-1]
    logits, targets = logits.reshape(-1, V), targets.reshape(-1)
    logits, targets = logits[targets != -100], targets[targets != -100]
    wanted = torch.full_like(logits, epsilon / V)
    wanted[range(len(targets)), targets] += 1 - epsilon
    return -(wanted * torch.log_softmax(logits, dim=1)).sum(dim=1).mean()


@exercise.alternative
def smoothed_by_one_hot(logits, targets, epsilon):
    keep = (targets != -100).to(logits.dtype)
    one_hot = torch.nn.functional.one_hot(targets.clamp(min=0), logits.size(-1)).to(logits.dtype)
    wanted = (1 - epsilon) * one_hot + epsilon / logits.size(-1)
    each = -(wanted * torch.log_softmax(logits, -1)).sum(-1)
    return (each * keep).sum() / keep.sum()


exercise.slip(
    "not_smoothed",
    "each[asked].mean() → -logits.log_softmax(-1)[asked].gather(-1, targets[asked][:, None]).mean()",
).says("epsilon isn't used: this is the plain cross-entropy.")


@exercise.misconception
def spread_over_the_others(logits, targets, epsilon):
    """ε is spread over the V - 1 wrong tokens only: here, as in the paper and in torch, each of all V tokens
    gets ε/V, the right one on top of its 1 - ε.
    """
    asked = targets != -100
    log_p = logits.log_softmax(-1)[asked]
    right = log_p.gather(-1, targets[asked][:, None])[:, 0]
    others = (log_p.sum(-1) - right) / (logits.size(-1) - 1)
    return (-(1 - epsilon) * right - epsilon * others).mean()


exercise.slip(
    "right_one_overwritten",
    "right = log_p.gather(-1, targets.clamp(min=0).unsqueeze(-1)).squeeze(-1) → log_p = "
    "logits.log_softmax(-1)[asked]\n"
    "    right = log_p.gather(-1, targets[asked][:, None])[:, 0]",
    "each[asked] → (-(1 - epsilon) * right - epsilon * (log_p.sum(-1) - right) / logits.size(-1))",
).says(
    "The right token gets 1 - ε in place of its ε/V, so the targets sum to less than 1: it has both, 1 - "
    "ε on top of ε/V."
)


@exercise.misconception
def spread_over_all_but_two(logits, targets, epsilon):
    """ε is spread over V - 2 tokens, as in code that leaves out padding beside the right one: here all V
    tokens get ε/V, the right one on top of its 1 - ε.
    """
    asked = targets != -100
    log_p = logits.log_softmax(-1)[asked]
    right = log_p.gather(-1, targets[asked][:, None])[:, 0]
    others = (log_p.sum(-1) - right) / (logits.size(-1) - 2)
    return (-(1 - epsilon) * right - epsilon * others).mean()


exercise.slip("padding_scored", "each[asked] → (-(1 - epsilon) * right - epsilon * log_p.mean(dim=-1))").says(
    "Places without a target are scored as if their target were token 0: leave them out of the sum and of "
    "the count."
)
exercise.slip(
    "padding_takes_part",
    " * keep).sum() / keep.sum() → ).mean()",
    "(1 - epsilon) * one_hot → (1 - epsilon) * one_hot * keep[..., None]",
    of=smoothed_by_one_hot,
).says(
    "Places without a target take part in the mean, with ε spread over their tokens: leave them out of the "
    "sum and of the count."
)
exercise.slip(
    "padding_smoothed",
    "log_p.gather(-1, targets.clamp(min=0).unsqueeze(-1)).squeeze(-1) → log_p[asked].gather(-1, "
    "targets[asked][:, None]).mean()",
    "each[asked].mean() → -(1 - epsilon) * right - epsilon * log_p.mean()",
).says(
    "The spread part is averaged over padding as well, so the model is pulled towards even guesses where "
    "nothing was asked."
)
exercise.slip(
    "padding_counted",
    "right = log_p.gather(-1, targets.clamp(min=0).unsqueeze(-1)).squeeze(-1) → log_p = "
    "logits.log_softmax(-1)[asked]\n"
    "    right = log_p.gather(-1, targets[asked][:, None])[:, 0]",
    "each[asked].mean() → (-(1 - epsilon) * right - epsilon * log_p.mean(-1)).sum() / targets.numel()",
).says(
    "The sum is divided by all positions, padding included, so that a batch with more padding has a "
    "smaller loss."
)
exercise.slip(
    "nearly_all_spread",
    "right = log_p.gather(-1, targets.clamp(min=0).unsqueeze(-1)).squeeze(-1) → log_p = "
    "logits.log_softmax(-1)[asked]\n"
    "    right = log_p.gather(-1, targets[asked][:, None])[:, 0]",
    "each[asked] → (-epsilon * right - (1 - epsilon) * log_p.mean(-1))",
).says("ε and 1 - ε are swapped: the right token keeps 1 - ε, and the small ε is spread.")
exercise.slip(
    "smoothing_added",
    "right = log_p.gather(-1, targets.clamp(min=0).unsqueeze(-1)).squeeze(-1) → log_p = "
    "logits.log_softmax(-1)[asked]\n"
    "    right = log_p.gather(-1, targets[asked][:, None])[:, 0]",
    "each[asked] → (-right - epsilon * log_p.mean(-1))",
).says(
    "The spread part is added to the whole cross-entropy, so the target's probabilities sum to 1 + ε: the "
    "right token has to give ε away."
)
exercise.slip(
    "each_gets_epsilon",
    "right = log_p.gather(-1, targets.clamp(min=0).unsqueeze(-1)).squeeze(-1) → log_p = "
    "logits.log_softmax(-1)[asked]\n"
    "    right = log_p.gather(-1, targets[asked][:, None])[:, 0]",
    "each[asked] → (-(1 - epsilon) * right - epsilon * log_p.sum(-1))",
).says("Each token gets ε where it should get ε/V, so the spread part is V times too large: ε is shared out.")


@exercise.misconception
def divergence(logits, targets, epsilon):
    """This is the divergence from the smoothed target, which is smaller by that target's own entropy: the
    gradients are the same, but the loss asked for is the cross-entropy.
    """
    log_p, real = logits.log_softmax(dim=-1), targets != -100
    wanted = torch.full_like(log_p, epsilon / log_p.size(-1))
    wanted.scatter_add_(-1, targets.clamp(min=0)[..., None], torch.full_like(log_p[..., :1], 1 - epsilon))
    return (wanted * ((wanted + 1e-12).log() - log_p)).sum(dim=-1)[real].mean()


exercise.slip(
    "predictions_smoothed",
    "right = log_p.gather(-1, targets.clamp(min=0).unsqueeze(-1)).squeeze(-1)  # (B, T)\n"
    "    each = -(1 - epsilon) * right - epsilon * log_p.mean(dim=-1) → p = "
    "logits.softmax(-1)[asked].gather(-1, targets[asked][:, None])",
    "each[asked].mean() → -((1 - epsilon) * p + epsilon / logits.size(-1)).log().mean()",
).says(
    "The model's own probabilities are smoothed, and the targets stay sharp: this forgives wrong guesses, "
    "where label smoothing punishes too much certainty."
)
exercise.slip(
    "mean_of_sentences",
    "-(1 - epsilon) * right - epsilon * log_p.mean(dim=-1) → (-(1 - epsilon) * right - epsilon * "
    "log_p.mean(-1)) * asked",
    "each[asked] → (each.sum(-1) / asked.sum(-1))",
).says(
    "Each sentence is averaged first, and then the sentences: so a word of a short sentence counts more "
    "than one of a long sentence."
)
exercise.slip(
    "summed",
    "right = log_p.gather(-1, targets.clamp(min=0).unsqueeze(-1)).squeeze(-1) → log_p = "
    "logits.log_softmax(-1)[asked]\n"
    "    right = log_p.gather(-1, targets[asked][:, None])[:, 0]",
    "each[asked].mean() → (-(1 - epsilon) * right - epsilon * log_p.mean(-1)).sum()",
).says(
    "The losses are summed and not averaged, so that the size of the steps depends on the size of the batch."
)
exercise.slip(
    "one_too_few_below",
    "right = log_p.gather(-1, targets.clamp(min=0).unsqueeze(-1)).squeeze(-1) → log_p = "
    "logits.log_softmax(-1)[asked]\n"
    "    right = log_p.gather(-1, targets[asked][:, None])[:, 0]",
    "each[asked] → (-(1 - epsilon) * right - epsilon / (logits.size(-1) - 1) * log_p.sum(-1))",
).says(
    "ε/(V - 1) goes to all V tokens, the right one too, so more than 1 is handed out: where the right one "
    "has a part, each part is ε/V."
)
exercise.slip(
    "logarithm_of_a_rounded_softmax", "logits.log_softmax(dim=-1) → logits.softmax(dim=-1).log()"
).says(
    "Where scores are far apart, a softmax rounds small probabilities to 0, and the logarithm of 0 is "
    "infinite: log_softmax takes both steps in one."
)

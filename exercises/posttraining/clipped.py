"""The clipped ratio."""

import torch
from torch import Generator

from exercises.posttraining import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import posttraining

exercise = Entry(
    id="posttraining.clipped",
    title="The clipped ratio",
    points=4,
    difficulty=4,
    minutes=8,
    reference=posttraining.clipped,
    returns=("objective",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.cases
def ratio_cases(g: Generator) -> list[Case]:
    """Ratios inside the range, above and below it, with advantages of both signs; answers just drawn."""

    def case(
        title: str, front: tuple[int, ...], T: int, epsilon: float, *, sign: int = 0, near: bool = False,
        dtype: torch.dtype = torch.float32,
    ) -> Case:  # fmt: skip
        now = -1 - 2 * torch.rand(*front, T, generator=g, dtype=dtype)
        steps = torch.tensor([0.0625, -0.0625, 0.5, -0.5, 0.75, -0.75, 0.03125, 1.0], dtype=dtype)
        if near:
            steps = steps / 16
        order = torch.stack([torch.randperm(8, generator=g)[:T] for _ in range(max(1, now[..., 0].numel()))])
        moved = steps[order.view(now.shape)]
        worth = 0.5 + torch.rand(front, generator=g, dtype=dtype)
        signs = 2.0 * torch.randint(0, 2, front, generator=g).to(dtype) - 1
        if sign:
            signs = torch.full_like(signs, sign)
        elif signs.numel() > 1:
            signs.view(-1)[0], signs.view(-1)[-1] = 1, -1
        return Case(title, (now, worth * signs, epsilon), {"old": now - moved})

    now = -1 - 2 * torch.rand(*pick(g, (3, 4), (2, 5), (4, 3)), generator=g)
    worth = shared.some(g, len(now)) + 0.25
    several = pick(g, (2, 1), (1,), (1, 3), (2, 3, 1))
    return [
        case("better answers", pick(g, (2,), (3,), (4,)), pick(g, 6, 7, 8), 0.25, sign=1),
        case("worse answers", pick(g, (2,), (3,), (4,)), pick(g, 6, 7, 8), 0.25, sign=-1),
        case("both", pick(g, (4,), (3,), (5,)), pick(g, 7, 6, 8), 0.2),
        case("one answer", (), pick(g, 5, 6, 7), pick(g, 0.375, 0.3, 0.25), sign=pick(g, 1, -1)),
        case("nothing to clip", (2,), pick(g, 4, 5, 3), 0.25, near=True),
        Case("answers just drawn", (now, worth, 0.2)),
        case("axes in front", several, pick(g, 5, 6, 7), 0.2),
        case("float64", (2,), pick(g, 5, 6), 0.125, dtype=torch.float64),
    ]


@exercise.alternative
def clipped_by_sign(log_probability, advantages, epsilon, old=None):
    before = log_probability.detach() if old is None else old.detach()
    ratio = torch.exp(log_probability - before)
    A = advantages.unsqueeze(-1)
    ratio = torch.where(A > 0, ratio.clamp(max=1 + epsilon), ratio.clamp(min=1 - epsilon))
    return ratio * A


@exercise.alternative
def clipped_as_losses(log_probability, advantages, epsilon, old=None):
    if old is None:
        old = log_probability.detach()
    ratio = (log_probability - old.detach()).exp()
    worth = -advantages.detach()[..., None]
    one, other = worth * ratio, worth * torch.clip(ratio, min=1 - epsilon, max=1 + epsilon)
    return -torch.max(one, other)


@exercise.alternative
def clipped_by_stacking(log_probability, advantages, epsilon, old=None):
    fixed = torch.where(torch.tensor(old is None), log_probability, log_probability if old is None else old)
    ratio = log_probability.sub(fixed.detach()).exp()
    bounded = torch.minimum(torch.maximum(ratio, torch.tensor(1 - epsilon)), torch.tensor(1 + epsilon))
    return (torch.stack([ratio, bounded.to(ratio.dtype)]) * advantages[..., None]).amin(dim=0)


exercise.slip(
    "gradient_through_old",
    "(log_probability if old is None else old).detach() → log_probability if old is None else old",
    "advantages.detach() → advantages",
).says(
    "For answers just drawn the ratio is x/x, which is 1 whatever the model does: no gradient is left, and "
    "nothing is learned, so detach the lower half."
)
exercise.slip(
    "graph_cut",
    "ratio = (log_probability - before).exp() → ratio = (log_probability.detach() - before).exp()",
    "advantages.detach() → advantages",
).says(
    "The upper half of the ratio is detached too, so no gradient reaches the model: only the old one is a "
    "mere number."
)
exercise.slip(
    "never_clipped", "torch.minimum(ratio * A, ratio.clamp(1 - epsilon, 1 + epsilon) * A) → ratio * A"
).says("Nothing is clipped, so one batch can pull a token's probability as far as it likes.")
exercise.slip(
    "clipped_both_ways",
    "torch.minimum(ratio * A, ratio.clamp(1 - epsilon, 1 + epsilon) * A) → ratio.clamp(1 - epsilon, 1 + "
    "epsilon) * A",
).says(
    "The ratio is always clipped, so a token that has moved the wrong way gets no gradient to bring it "
    "back: take the smaller of the two products, which limits only gains."
)
exercise.slip("larger_of_the_two", "torch.minimum → torch.maximum").says(
    "The larger product is taken, which is right for a loss with a minus: for an objective it is the smaller "
    "one."
)
exercise.slip(
    "smaller_ratio_first",
    "torch.minimum(ratio * A, ratio.clamp(1 - epsilon, 1 + epsilon) * A) → torch.minimum(ratio, "
    "ratio.clamp(1 - epsilon, 1 + epsilon)) * A",
).says(
    "The smaller ratio is taken before the product: with a negative advantage that is the wrong one, so "
    "multiply first."
)
exercise.slip(
    "ratio_turned_over", "(log_probability - before).exp() → (before - log_probability).exp()"
).says("The ratio is upside down, old divided by new: good tokens would become less likely.")
exercise.slip(
    "difference_of_logarithms", "(log_probability - before).exp() → log_probability - before + 1"
).says("This is the difference of the logarithms: the ratio of the probabilities is e to that.")
exercise.slip("ratio_of_logarithms", "(log_probability - before).exp() → log_probability / before").says(
    "The two logarithms are divided: the ratio of the probabilities is e to the logarithms' difference."
)
exercise.slip(
    "ratio_of_the_answers",
    "(log_probability - before).exp() → (log_probability - before).sum(dim=-1, "
    "keepdim=True).exp().expand_as(log_probability)",
).says("This is the ratio of the whole answers' probabilities: here each token has its own.")
exercise.slip(
    "clipped_logarithms",
    "ratio.clamp(1 - epsilon, 1 + epsilon) → (log_probability - before).clamp(-epsilon, epsilon).exp()",
).says("The difference of the logarithms is clipped at ±ε: the ratio itself is clipped, at 1 − ε and 1 + ε.")
exercise.slip(
    "product_clipped",
    "ratio.clamp(1 - epsilon, 1 + epsilon) * A → (ratio * A).clamp(1 - epsilon, 1 + epsilon)",
).says("The product of ratio and advantage is clipped: clip only the ratio.")
exercise.slip(
    "one_ratio_for_the_answer",
    "(log_probability - before).exp() → (log_probability - before).mean(dim=-1, "
    "keepdim=True).exp().expand_as(log_probability)",
).says("One ratio is used for the whole answer, as in GSPO: here each token has its own.")
exercise.slip("a_loss", "return torch.minimum → return -torch.minimum").says(
    "This is a loss: the objective, which is to be made large, has no minus."
)
exercise.slip(
    "clipped_above_alone", "ratio.clamp(1 - epsilon, 1 + epsilon) → ratio.clamp(max=1 + epsilon)"
).says(
    "The ratio is clipped only above: a worse answer gains by getting less likely, so clip the ratio at 1 "
    "− ε, too."
)
exercise.slip(
    "clipped_around_0", "ratio.clamp(1 - epsilon, 1 + epsilon) → ratio.clamp(-epsilon, epsilon)"
).says("The ratio is clipped to ±ε: it is near 1, so the range is from 1 − ε to 1 + ε.")
exercise.slip("advantages_without_an_axis", "advantages.detach()[..., None] → advantages.detach()").says(
    "Each answer has one advantage and T ratios: [..., None] gives the advantages an axis for the tokens."
)


@exercise.misconception
def log_probability_for_the_ratio(log_probability, advantages, epsilon, old=None):
    """For answers just drawn this is advantage times log-probability, which has the right gradient: the ratio
    is 1, so the objective is the advantage.
    """
    A = advantages[..., None]
    if old is None:
        return log_probability * A
    ratio = (log_probability - old).exp()
    return torch.minimum(ratio * A, ratio.clamp(1 - epsilon, 1 + epsilon) * A)


exercise.slip("epsilon_written_in", "1 - epsilon, 1 + epsilon → 0.8, 1.2").says(
    "The ratio is clipped at 0.8 and 1.2 whatever ε is: it is an argument, and may be a different number."
)

"""The loss of direct preference optimization."""

import torch
from torch import Generator, Tensor

from exercises.posttraining import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import posttraining

exercise = Entry(
    id="posttraining.dpo_loss",
    title="DPO",
    points=3,
    difficulty=3,
    minutes=7,
    reference=posttraining.dpo_loss,
    returns=("loss",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.cases
def dpo_cases(g: Generator) -> list[Case]:
    """Several pairs, one, at the start of training, far apart, another β, float64."""

    def answers(B: int, spread: float = 2.0, dtype: torch.dtype = torch.float32) -> list[Tensor]:
        return [shared.some(g, B, spread=spread, dtype=dtype) - 9 - shift for shift in (0, 0.5, 0.25, 1)]

    start = answers(pick(g, 3, 2, 4))
    far = answers(pick(g, 2, 3))
    far[0] = far[0] - 300  # log(sigmoid(x)) would be −∞
    return [
        Case("several pairs", (*answers(pick(g, 4, 6, 7)), 0.5)),
        Case("one pair", (*answers(1), 0.25)),
        Case(
            "the model still as the frozen one", (start[0], start[1], start[0].clone(), start[1].clone(), 0.1)
        ),
        Case("a large β", (*answers(pick(g, 3, 5, 2)), pick(g, 2.0, 1.5, 3.0))),
        Case("answers that have become very unlikely", (*far, 1.0)),
        Case("float64", (*answers(pick(g, 5, 3), dtype=torch.float64), 0.125)),
    ]


@exercise.alternative
def dpo_by_softplus(chosen, rejected, chosen_frozen, rejected_frozen, beta):
    margin = chosen - rejected - (chosen_frozen - rejected_frozen)
    return torch.nn.functional.softplus(-beta * margin).mean()


@exercise.alternative
def dpo_by_rewards(chosen, rejected, chosen_frozen, rejected_frozen, beta):
    better = beta * (chosen - chosen_frozen)
    worse = beta * (rejected - rejected_frozen)
    return -torch.stack([better, worse]).log_softmax(dim=0)[0].mean()


@exercise.alternative
def dpo_by_cross_entropy(chosen, rejected, chosen_frozen, rejected_frozen, beta):
    with torch.no_grad():
        frozen = chosen_frozen - rejected_frozen
    logits = beta * (chosen - rejected - frozen)
    return torch.nn.functional.binary_cross_entropy_with_logits(logits, torch.ones_like(logits))


@exercise.alternative
def dpo_by_logaddexp(chosen, rejected, chosen_frozen, rejected_frozen, beta):
    x = beta * ((chosen - chosen_frozen) - (rejected - rejected_frozen))
    return torch.logaddexp(torch.zeros_like(x), -x).sum() / len(x)


exercise.slip(
    "chosen_and_rejected_swapped",
    "(chosen - chosen_frozen) - (rejected - rejected_frozen) → (rejected - rejected_frozen) - (chosen - "
    "chosen_frozen)",
).says("The two answers are swapped, so the model learns to prefer the worse one.")
exercise.slip(
    "without_the_frozen_model",
    "(chosen - chosen_frozen) - (rejected - rejected_frozen) → chosen - rejected",
).says(
    "The frozen model is missing: what counts is how far each answer has moved from it, or nothing would "
    "hold the model near its start."
)
exercise.slip(
    "frozen_the_wrong_way",
    "(chosen - chosen_frozen) - (rejected - rejected_frozen) → (chosen - chosen_frozen) + (rejected_frozen * "
    "-1 - rejected)",
).says(
    "The frozen model's log-probability of the worse answer has the wrong sign: subtract (rejected − "
    "rejected_frozen) from the better answer's difference."
)
exercise.slip(
    "frozen_models_mixed",
    "(chosen - chosen_frozen) - (rejected - rejected_frozen) → (chosen - rejected_frozen) - (rejected - "
    "chosen_frozen)",
).says("Each answer is compared with the frozen model's other answer: compare it with the same one.")
exercise.slip(
    "logarithm_of_a_rounded_sigmoid",
    "torch.nn.functional.logsigmoid(beta * margin) → torch.sigmoid(beta * margin).log()",
).says(
    "A very unlikely preference gives infinity: its sigmoid is 0 to a computer, or e to minus its margin too "
    "large, and logsigmoid stays exact."
)
exercise.slip("sigmoid_alone", "torch.nn.functional.logsigmoid → torch.sigmoid").says(
    "The logarithm is missing: this is minus the probability of the preference, whose gradient vanishes "
    "where the model is most wrong."
)
exercise.slip(
    "beta_outside",
    "torch.nn.functional.logsigmoid(beta * margin).mean() → beta * "
    "torch.nn.functional.logsigmoid(margin).mean()",
).says(
    "β multiplies the loss: it belongs inside the sigmoid, where it says how far the model may move from the "
    "frozen one."
)
exercise.slip("beta_divides", "beta * margin → margin / beta").says(
    "The margin is divided by β: it is multiplied."
)
exercise.slip("beta_twice", "beta * margin → beta * beta * margin").says(
    "β multiplies the margin twice: once is enough."
)
exercise.slip(
    "better_answer_alone",
    "(chosen - chosen_frozen) - (rejected - rejected_frozen) → chosen - chosen_frozen",
).says(
    "The worse answer is left out, so nothing is compared: its difference from the frozen model should be "
    "subtracted."
)
exercise.slip("without_beta", "beta * margin → margin").says("β is left out: it multiplies the margin.")
exercise.slip(
    "beta_on_one_side",
    "(chosen - chosen_frozen) - (rejected → (chosen - chosen_frozen) * beta - (rejected",
    "torch.nn.functional.logsigmoid(beta * margin) → torch.nn.functional.logsigmoid(margin)",
).says("β multiplies the better answer's part alone: it multiplies the whole margin.")
exercise.slip("summed", ".mean() → .sum()").says(
    "This is the sum over the pairs: their mean doesn't grow with the batch."
)
exercise.slip(
    "without_minus", "return -torch.nn.functional.logsigmoid → return torch.nn.functional.logsigmoid"
).says("The minus sign is missing: the loss falls as the better answer becomes likelier.")
exercise.slip(
    "squared",
    "-torch.nn.functional.logsigmoid(beta * margin).mean() → (margin - 1 / (2 * beta)).square().mean()",
).says("This is IPO's loss, which pulls the margin to 1/(2β): DPO takes the logarithm of a sigmoid.")
exercise.slip("mean_first", "beta * margin → beta * margin.mean()").says(
    "The margins are averaged before the sigmoid, so one easy pair hides a hard one: average the pairs' "
    "losses."
)
exercise.slip(
    "beta_on_the_model_alone",
    "(chosen - chosen_frozen) - (rejected - rejected_frozen) → beta * (chosen - rejected) - (chosen_frozen - "
    "rejected_frozen)",
    "logsigmoid(beta * margin) → logsigmoid(margin)",
).says("β multiplies the model's difference and not the frozen one's: it multiplies the whole margin.")
exercise.slip(
    "sigmoid_of_each",
    "torch.nn.functional.logsigmoid(beta * margin) → (torch.nn.functional.logsigmoid(beta * (chosen - "
    "chosen_frozen)) + torch.nn.functional.logsigmoid(-beta * (rejected - rejected_frozen)))",
).says(
    "Each answer has a sigmoid of its own, so the two aren't compared: one sigmoid takes their difference."
)
exercise.slip("differences_added", "- (rejected - rejected_frozen) → + (rejected - rejected_frozen)").says(
    "The two differences are added, so worse answers become likelier as well: subtract the rejected one's."
)
exercise.slip("beta_written_in", "beta * margin → 0.1 * margin").says(
    "β is always 0.1 here: it is an argument, and may be a different number."
)

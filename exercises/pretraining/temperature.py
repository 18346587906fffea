"""Temperature."""

import torch
from torch import Generator

from exercises.pretraining import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers import pretraining

exercise = Entry(
    id="pretraining.temperature",
    title="Temperature",
    points=2,
    difficulty=2,
    minutes=6,
    reference=pretraining.with_temperature,
    returns=("probabilities",),
    properties=(inputs_unchanged,),
)


@exercise.cases
def temperature_cases(g: Generator) -> list[Case]:
    """Cold, hot, as it is, greedy, so cold that powers overflow; one row and several."""
    cold, hot = 0.25 * shared.one(g, 2, 4), 0.25 * shared.one(g, 6, 9)

    def case(
        title: str, temperature: float, *shape: int, spread: float = 1, dtype: torch.dtype = torch.float32
    ) -> Case:
        return Case(title, (spread * shared.logits(g, *shape, dtype=dtype), temperature))

    return [
        case("temperature 1", 1.0, *pick(g, (5,), (4,), (7,))),
        case("cold", cold, *pick(g, (2, 4), (3, 6), (4, 3))),
        case("hot, large scores", 16 * hot, *pick(g, (3, 5), (2, 6), (4, 3)), spread=24),
        case(
            "temperature 0 is greedy", pick(g, 0.0, 0), *pick(g, (2, 3, 6), (3, 2, 5), (2, 4, 3), (5, 2, 4))
        ),
        case("temperature 0.01", 0.01, *pick(g, (2, 6), (4, 6), (3, 7))),
        case("axes of length 1, float64", cold, *pick(g, (2, 1, 3), (1, 4), (1, 1, 5)), dtype=torch.float64),
    ]


@exercise.alternative
def temperature_of_log_probabilities(logits, temperature):
    log_p = logits.log_softmax(dim=-1)
    if temperature == 0:
        best = log_p.sort(dim=-1, descending=True).indices[..., :1]
        return torch.zeros_like(log_p).scatter_(-1, best, 1)
    return (log_p / temperature - (log_p / temperature).logsumexp(-1, keepdim=True)).exp()


@exercise.alternative
def temperature_by_exponentials(logits, temperature):
    if not temperature:
        greedy = torch.zeros_like(logits)
        return greedy.scatter(-1, logits.argmax(-1, keepdim=True), 1.0)
    powers = ((logits - logits.amax(-1, keepdim=True)) / temperature).exp()
    return powers / powers.sum(-1, keepdim=True)


@exercise.alternative
def temperature_of_largest(logits, temperature):
    if temperature == 0:
        return (logits == logits.max(dim=-1, keepdim=True).values).to(logits.dtype)
    return torch.softmax(logits / temperature, -1)


exercise.slip("multiplied", "logits / temperature → logits * temperature").says(
    "The logits are multiplied by the temperature, so a high one sharpens the distribution instead of "
    "flattening it: divide."
)
exercise.slip(
    "divided_after_the_softmax",
    "return (logits / temperature).softmax(dim=-1) → p = torch.softmax(logits, -1) / temperature\n"
    "    return p / p.sum(dim=-1, keepdim=True)",
).says(
    "The probabilities are divided by the temperature, which is the same for all of them and changes "
    "nothing once they sum to 1 again: divide the logits."
)
exercise.slip(
    "powers_as_they_are",
    "(logits / temperature).softmax(dim=-1) → logits.softmax(dim=-1) ** (1 / temperature)",
).says(
    "The probabilities are taken to the power of 1/τ, which is right, but then they don't sum to 1: "
    "divide by their sum, or divide the logits before the softmax."
)
exercise.slip(
    "powers_too_large",
    "return (logits / temperature).softmax(dim=-1) → powers = (logits / temperature).exp()\n"
    "    return powers / powers.sum(dim=-1, keepdim=True)",
).says(
    "At a low temperature the exponentials of these scores are infinite, and infinity over infinity is NaN: "
    "subtract the largest score first, or let `softmax` do it."
)
exercise.slip(
    "not_a_distribution", "(logits / temperature).softmax(dim=-1) → logits.softmax(dim=-1) / temperature"
).says(
    "The probabilities are divided by the temperature and no longer sum to 1: divide the logits before "
    "the softmax."
)
exercise.slip("softmax_twice", "logits / temperature → logits.softmax(-1) / temperature").says(
    "There is a softmax before the division and one after it: the first makes probabilities, which are "
    "nearly alike to the second."
)
exercise.slip(
    "zero_is_one",
    "    if temperature == 0:\n"
    "        return torch.nn.functional.one_hot(logits.argmax(dim=-1), logits.size(-1)).to(logits.dtype)\n"
    " →",
    "logits / temperature → logits / (temperature or 1)",
).says("Temperature 0 is treated like 1: as it goes to 0, all probability goes to the largest logit.")
exercise.slip(
    "divided_by_nothing",
    "    if temperature == 0:\n"
    "        return torch.nn.functional.one_hot(logits.argmax(dim=-1), logits.size(-1)).to(logits.dtype)\n"
    " →",
).says("At temperature 0 this divides by 0 and gives NaN: put all probability on the largest logit instead.")
exercise.slip(
    "one_token_for_all_rows",
    "return torch.nn.functional.one_hot(logits.argmax(dim=-1), logits.size(-1)).to(logits.dtype) → best = "
    "logits.argmax() % logits.size(-1)\n"
    "        return torch.zeros_like(logits).index_fill(-1, best.reshape(1), 1)",
).says("At temperature 0 the largest logit of all rows together is taken: each row has its own.")
exercise.slip(
    "softmax_over_rows", "(logits / temperature).softmax(dim=-1) → (logits / temperature).softmax(dim=0)"
).says("The softmax runs over the first axis: the tokens are the last one.")

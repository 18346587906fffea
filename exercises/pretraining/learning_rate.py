"""Up, then down."""

from torch import Generator

from exercises.pretraining import shared
from headstart import Case, Entry
from helpers import pretraining

exercise = Entry(
    id="pretraining.learning_rate",
    title="Up, then down",
    points=2,
    difficulty=2,
    minutes=6,
    reference=pretraining.learning_rate,
    returns=("learning rate",),
)


@exercise.cases
def schedule_cases(g: Generator) -> list[Case]:
    """Steps on the way up, at the peak, on the way down and at the end."""
    warmup = 5 * shared.one(g, 4, 9)
    steps, peak = warmup * shared.one(g, 5, 9) + shared.one(g, 1, 9), 0.001 * shared.one(g, 2, 9)
    rest = (steps, warmup, peak)
    return [
        Case("the first step", (1, *rest)),
        Case("on the way up", (2 * warmup // 5, *rest)),
        Case("the peak", (warmup, *rest)),
        Case("just behind the peak", (warmup + 1, *rest)),
        Case("on the way down", (warmup + 3 * (steps - warmup) // 5, *rest)),
        Case("the last step but one", (steps - 1, *rest)),
        Case("the last step", (steps, *rest)),
        Case("a warm-up of one step", (1, steps, 1, peak)),
    ]


@exercise.alternative
def rate_of_the_smaller(step, steps, warmup, peak):
    return peak * min(step / warmup, (steps - step) / (steps - warmup))


@exercise.alternative
def rate_in_pieces(step, steps, warmup, peak):
    if step < warmup:
        return step * (peak / warmup)
    done = (step - warmup) / (steps - warmup)
    return peak * (1 - done)


exercise.slip("counted_from_zero", "step <= warmup → step < warmup", "peak * step → peak * (step + 1)").says(
    "Steps are taken as counted from 0, so that the peak comes a step early: step 1 is the first."
)
exercise.slip("first_step_lost", "peak * step → peak * (step - 1)").says(
    "The first step has a learning rate of 0, so that nothing moves: on the way up it is step / warmup of "
    "the peak."
)
exercise.slip("no_warm_up", "peak * step / warmup → peak").says(
    "The rate is at its peak right from the start: the warm-up is missing."
)
exercise.slip("down_from_the_start", " - warmup →").says(
    "The way down is measured from step 0, so that the rate falls suddenly after the warm-up: it goes "
    "from step `warmup` to the last."
)
exercise.slip(
    "peak_never_reached",
    "peak * min(step / warmup, (steps - step) / (steps - warmup)) → peak * step / warmup if step < warmup "
    "else peak * (1 - step / steps)",
    of=rate_of_the_smaller,
).says(
    "After the warm-up the line is that from step 0 to the end, so the rate jumps down at the peak: it "
    "starts at the peak, at step `warmup`."
)
exercise.slip(
    "by_an_inverse_root",
    "peak * (steps - step) / (steps - warmup) → peak * step / warmup if step <= warmup else peak * "
    "math.sqrt(warmup / step)",
).says("The rate falls as 1/√step, as in the first Transformer paper: here it falls in a straight line to 0.")
exercise.slip("down_by_a_share", "steps - step → step - warmup").says(
    "After the peak this is the share of the way that is done, not what is left of it: the rate jumps to "
    "0 and climbs again."
)
exercise.slip("never_down", "peak * (steps - step) / (steps - warmup) → peak * min(1.0, step / warmup)").says(
    "The rate stays at its peak: the way down to 0 is missing, and large steps at the end keep the loss "
    "from settling."
)
exercise.slip(
    "along_a_cosine",
    "steps - step → 1 + math.cos(math.pi * (step - warmup) / (steps - warmup))",
    "steps - warmup → 2",
).says("The rate falls along a cosine, as is common: here it falls in a straight line.")
exercise.slip(
    "one_step_too_many", "steps - step → (steps + 1) - step", "steps - warmup → (steps + 1) - warmup"
).says("The way down ends one step after the last, so that the last rate isn't 0.")
exercise.slip(
    "too_long_a_way", "peak * (steps - step) / (steps - warmup) → peak * (1 - (step - warmup) / steps)"
).says("The way down is taken to last all the steps, warm-up included, so that it doesn't reach 0.")
exercise.slip(
    "warm_up_of_nanogpt",
    "step <= warmup → step < warmup",
    "peak * step / warmup → peak * (step + 1) / (warmup + 1)",
).says("The warm-up is nanoGPT's, whose steps count from 0: here the first step is 1, with peak / warmup.")

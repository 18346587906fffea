"""What each parameter needs."""

from torch import Generator

from exercises.counting import shared
from headstart import Case, Entry
from helpers import counting

exercise = Entry(
    id="counting.training_state",
    title="What each parameter needs",
    points=2,
    difficulty=2,
    minutes=4,
    reference=counting.training_state_bytes,
    returns=("bytes",),
)


@exercise.cases
def state_cases(g: Generator) -> list[Case]:
    """Each optimizer."""
    sizes = shared.distinct(g, 3, 1000, 9000)
    names = ("sgd", "momentum", "adam")
    return [Case(f"with {name}", (size, name)) for name, size in zip(names, sizes, strict=True)]


@exercise.alternative
def state_with_ifs(n_parameters, optimizer):
    total = 4 * n_parameters + 4 * n_parameters
    if optimizer == "momentum":
        total += 4 * n_parameters
    elif optimizer == "adam":
        total += 8 * n_parameters
    return total


@exercise.alternative
def state_by_position(n_parameters, optimizer):
    return n_parameters * (8 + 4 * ["sgd", "momentum", "adam"].index(optimizer))


exercise.slip(
    "one_moment",
    'n_parameters * (1 + 1 + own) * 4 → n_parameters * (4) * {"sgd": 2, "momentum": 3, "adam": 3}[optimizer]',
).says("Adam is counted with one number per parameter: it keeps two, a mean of gradients and one of squares.")
exercise.slip(
    "gradients_forgotten",
    'n_parameters * (1 + 1 + own) * 4 → n_parameters * (4) * {"sgd": 1, "momentum": 2, "adam": 3}[optimizer]',
).says(
    "The gradients are missing: there is one number for each parameter, so they take as much memory as "
    "the weights."
)
exercise.slip("optimizer_forgotten", "n_parameters * (1 + 1 + own) * 4 → n_parameters * 8").says(
    "What the optimizer keeps is missing: momentum is one number per parameter, and Adam has two."
)
exercise.slip("weights_alone", " * (1 + 1 + own) →").says(
    "These are the weights alone, enough for using a model: training also keeps gradients and what the "
    "optimizer remembers."
)
exercise.slip(
    "numbers_for_bytes",
    'n_parameters * (1 + 1 + own) * 4 → n_parameters * {"sgd": 2, "momentum": 3, "adam": 4}[optimizer]',
).says("These are numbers: each takes 4 bytes in float32.")
exercise.slip(
    "in_bits",
    'n_parameters * (1 + 1 + own) * 4 → n_parameters * (32) * {"sgd": 2, "momentum": 3, "adam": '
    "4}[optimizer]",
).says("These are bits: a float32 has 32 of them, which are 4 bytes.")
exercise.slip(
    "in_half_precision",
    'n_parameters * (1 + 1 + own) * 4 → n_parameters * (2) * {"sgd": 2, "momentum": 3, "adam": 4}[optimizer]',
).says("Each number is counted with 2 bytes, as in float16: a float32 has 4.")
exercise.slip("always_adam", "n_parameters * (1 + 1 + own) * 4 → n_parameters * 16").says(
    "Every optimizer is counted as Adam: plain sgd keeps nothing of its own, and momentum one number per "
    "parameter."
)
exercise.slip(
    "sgd_like_momentum",
    'n_parameters * (1 + 1 + own) * 4 → n_parameters * (4) * (4 if optimizer == "adam" else 3)',
).says(
    "Plain sgd is counted like sgd with momentum: it uses each gradient once and keeps nothing of its own "
    "between steps."
)
exercise.slip("optimizer_alone", "(1 + 1 + own) → own").says(
    "Only the optimizer's own numbers are counted: each parameter's weight and gradient come on top."
)

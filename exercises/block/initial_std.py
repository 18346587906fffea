"""Initial weights."""

import torch
from torch import Generator

from headstart import Case, Entry
from helpers import block

exercise = Entry(
    id="block.initial_std",
    title="Initial weights",
    points=2,
    difficulty=2,
    minutes=6,
    reference=block.initial_std,
    returns=("standard deviation",),
)


@exercise.cases
def initial_std_cases(g: Generator) -> list[Case]:
    """Each kind of parameter, several depths, another std."""
    n, m, k = (2 + torch.randperm(9, generator=g)[:3]).tolist()
    std = (1 + int(torch.randint(30, (), generator=g))) / 100
    return [
        Case("the last map of the feed-forward network", ("blocks.0.feed_forward.W_down.weight", n)),
        Case("the last map of attention", (f"blocks.{m - 2}.attention.W_o.weight", m, std)),
        Case("its first", ("blocks.0.feed_forward.W_up.weight", k, std)),
        Case("queries", ("blocks.0.attention.W_q.weight", n)),
        Case("the words", ("words.weight", m)),
        Case("one block", ("blocks.0.attention.W_o.weight", 1, std)),
        Case("the bias of a last map", ("blocks.1.feed_forward.W_down.bias", n, std)),
        Case("a norm", ("blocks.0.norm_2.weight", m)),
    ]


@exercise.alternative
def std_by_the_end(name, n_layers, std=0.02):
    parts = name.split(".")
    if parts[-1] == "weight" and parts[-2] in ("W_o", "W_down"):
        return std * (2 * n_layers) ** -0.5
    return std


@exercise.alternative
def std_by_a_set(name, n_layers, std=0.02):
    writes = {"attention.W_o.weight", "feed_forward.W_down.weight"}
    return std / (n_layers * 2) ** 0.5 if any(name.endswith(end) for end in writes) else std


exercise.slip(
    "all_alike", ' / math.sqrt(2 * n_layers) if name.endswith(("W_o.weight", "W_down.weight")) else std →'
).says("All weights are drawn alike: those that write to the residual path should be smaller.")
exercise.slip("root_of_layers", "2 * n_layers → n_layers").says(
    "This divides by the root of the number of blocks, but each block has two sublayers that write."
)
exercise.slip("half_of_it", "std / math.sqrt(2 * n_layers) → std / (2 * n_layers) ** 1 / 2").says(
    "In Python, `** 1/2` is the first power, halved: a root is `** 0.5` or `math.sqrt`."
)
exercise.slip("without_root", "math.sqrt(2 * n_layers) → (2 * n_layers)").says(
    "This divides by the number of sublayers: variances add up, so divide by its root."
)
exercise.slip(
    "all_smaller",
    'std / math.sqrt(2 * n_layers) if name.endswith(("W_o.weight", "W_down.weight")) else std → std / '
    "math.sqrt(2 * n_layers)",
).says("Every weight is made smaller, but only those that write to the residual path should be.")
exercise.slip("attention_alone", '("W_o.weight", "W_down.weight") → "W_o.weight"').says(
    "Only attention's last map is made smaller: the feed-forward network writes to the path as well."
)
exercise.slip("feed_forward_alone", '("W_o.weight", "W_down.weight") → "W_down.weight"').says(
    "Only the feed-forward network's last map is made smaller: attention writes to the path as well."
)
exercise.slip("larger", "std / math.sqrt(2 * n_layers) → std * math.sqrt(2 * n_layers)").says(
    "The weights that write to the path are made larger: many of them add up, so each should be smaller."
)
exercise.slip(
    "readers_smaller", '("W_o.weight", "W_down.weight") → ("_q.weight", "_k.weight", "W_up.weight")'
).says("The maps that read from the path are made smaller: those that write to it should be.")
exercise.slip(
    "std_written_in",
    'return std / math.sqrt(2 * n_layers) if name.endswith(("W_o.weight", "W_down.weight")) else std → if '
    'name.endswith(("W_o.weight", "W_down.weight")):\n'
    "        return 0.02 / math.sqrt(2 * n_layers)\n"
    "    return 0.02",
).says("The 0.02 is written in, whatever `std` says: it is only the argument's default.")
exercise.slip(
    "root_of_its_place",
    'return std / math.sqrt(2 * n_layers) if name.endswith(("W_o.weight", "W_down.weight")) else std → if '
    'not name.endswith(("W_o.weight", "W_down.weight")):\n'
    "        return std\n"
    '    return std / math.sqrt(2 * (int(name.split(".")[1]) + 1))',
).says(
    "The number in the name is taken for the number of blocks: it says which block this is, and "
    "`n_layers` how many there are."
)
exercise.slip(
    "squared_std",
    'std / math.sqrt(2 * n_layers) if name.endswith(("W_o.weight", "W_down.weight")) else std → (std**2) '
    '/ (2 * n_layers) if name.endswith(("W_o.weight", "W_down.weight")) else std**2',
).says("This is the variance: the standard deviation is its root.")
exercise.slip(
    "biases_too",
    '("W_o.weight", "W_down.weight") → ("W_o.weight", "W_down.weight", "W_o.bias", "W_down.bias")',
).says("The biases of the last maps are made smaller too: only the maps' weights are.")
exercise.slip("up_for_down", '"W_down.weight" → "W_up.weight"').says(
    "In the feed-forward network the first map is made smaller: it only reads from the path, and W_down "
    "writes to it."
)
exercise.slip(
    "every_weight_smaller",
    'parts[-1] == "weight" and parts[-2] in ("W_o", "W_down") → parts[-1] == "weight"',
    of=std_by_the_end,
).says("All weights are made smaller, but only a sublayer's last map writes to the residual path.")
exercise.slip("biases_at_zero", ' else std → else 0.0 if name.endswith("bias") else std').says(
    "Biases get 0, as many models begin with: here they are drawn with std, like all others."
)

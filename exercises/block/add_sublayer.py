"""The residual path."""

import torch
from torch import Generator

from exercises.block import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import block

exercise = Entry(
    id="block.add_sublayer",
    title="The residual path",
    points=3,
    difficulty=2,
    minutes=8,
    driver="call_with_layer",
    reference=block.add_sublayer,
    returns=("path",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    square="a sublayer's map is d_model × d_model",
)


@exercise.cases
def sublayer_cases(g: Generator) -> list[Case]:
    """Norm first and last, on sublayers and norms that don't commute, whatever axes stand in front."""

    def case(
        title: str, *shape: int, dtype: torch.dtype = torch.float32, spread: float = 2, **kwargs: bool
    ) -> Case:
        C = shape[-1]
        sublayer = {"layer": "a map with a tanh", "weights": [shared.normal(g, C, C, dtype=dtype)]}
        norm = {
            "layer": "a norm",
            "weights": [1 + 0.5 * shared.normal(g, C, dtype=dtype), shared.normal(g, C, dtype=dtype)],
        }
        x = shared.normal(g, *shape, spread=spread, dtype=dtype)
        return Case(title, (x, sublayer, norm), kwargs)

    several = pick(g, (3, 1, 5, 2), (2, 1, 4, 3), (1, 5, 2, 4), (1, 3, 4))
    return [
        case("norm first", *pick(g, (2, 3), (3, 4), (5, 2))),
        case("norm last", *pick(g, (3, 4), (1, 3), (4, 2)), norm_first=False),
        case(
            "norm first, said so, a batch of large numbers",
            *pick(g, (2, 4, 3), (3, 2, 5), (1, 4, 3)),
            norm_first=True,
            spread=40,
        ),
        case("norm last, axes of length 1, float64", *several, norm_first=False, dtype=torch.float64),
    ]


@exercise.alternative
def sublayer_added_in_place(x, sublayer, norm, norm_first=True):
    if norm_first:
        out = sublayer(norm(x))
        out += x
        return out
    out = sublayer(x)
    out += x
    return norm(out)


@exercise.alternative
def sublayer_with_branches(x, sublayer, norm, norm_first=True):
    if norm_first:
        normed = norm(x)
        return sublayer(normed) + x
    summed = sublayer(x) + x
    return norm(summed)


@exercise.alternative
def sublayer_with_two_choices(x, sublayer, norm, norm_first=True):
    read = norm(x) if norm_first else x
    out = torch.add(x, sublayer(read))
    if not norm_first:
        out = norm(out)
    return out


exercise.slip(
    "path_forgotten", "x + sublayer(norm(x)) → sublayer(norm(x))", "x + sublayer(x) → sublayer(x)"
).says("The residual path is missing: the sublayer's output should be added to x, not replace it.")
exercise.slip("path_normalised", "x + sublayer(norm(x)) → norm(x) + sublayer(norm(x))").says(
    "With the norm first, the path itself goes through the norm here: only the sublayer's input should."
)
exercise.slip(
    "always_first", "x + sublayer(norm(x)) if norm_first else norm(x + sublayer(x)) → x + sublayer(norm(x))"
).says("`norm_first=False` changes nothing here: the norm then comes after the sum.")
exercise.slip(
    "always_last", "x + sublayer(norm(x)) if norm_first else norm(x + sublayer(x)) → norm(x + sublayer(x))"
).says("The norm always comes after the sum: with `norm_first` it comes before the sublayer.")
exercise.slip(
    "turned_round",
    "return out → return norm(x + sublayer(x)) if norm_first else x + sublayer(norm(x))",
    of=sublayer_with_two_choices,
).says("First and last are swapped: `norm_first=True` normalises the sublayer's input.")
exercise.slip("normed_twice", "sublayer(x) → sublayer(norm(x))").says(
    "With the norm last, the sublayer reads normalised numbers here: it should read x as it is."
)
exercise.slip("output_normed", "sublayer(norm(x)) → norm(sublayer(x))").says(
    "With the norm first, this normalises the sublayer's output: the norm goes before it."
)
exercise.slip("sum_not_normed", "norm(x + sublayer(x)) → x + norm(sublayer(x))").says(
    "With the norm last, only the sublayer's output is normalised: the norm belongs around the sum."
)
exercise.slip(
    "path_added_twice",
    "x + sublayer(norm(x)) → (x + x) + sublayer(norm(x))",
    "x + sublayer(x) → (x + x) + sublayer(x)",
).says("The path x is added twice: it should be added once.")
exercise.slip(
    "first_of_what_is_said", "sublayer(norm(x)) → sublayer(norm(x))[0]", "sublayer(x) → sublayer(x)[0]"
).says(
    "Only the first entry of the sublayer's output, [0], is added: a sublayer returns one tensor here, "
    "not a tuple as attention does."
)
exercise.slip("norm_of_the_path_alone", "norm(x + sublayer(x)) → norm(x) + sublayer(x)").says(
    "With the norm last, x alone is normalised, before the sublayer's output is added: the norm belongs "
    "around the sum."
)
exercise.slip("normed_first_and_last", "x + sublayer(norm(x)) → norm(x + sublayer(norm(x)))").says(
    "With the norm first, the sum goes through the norm too: the path is never normalised there, only the "
    "sublayer's input."
)
exercise.slip(
    "no_gradient_through_what_is_said",
    "x + sublayer(norm(x)) → x + sublayer(norm(x)).detach()",
    "x + sublayer(x) → x + sublayer(x).detach()",
).says(
    "`.detach()` lets no gradient through: the sublayer would never learn, however long the training takes."
)
exercise.slip("no_norm_last", "norm(x + sublayer(x)) → x + sublayer(x)").says(
    "With the norm last, the result isn't normalised at all: the norm belongs around the sum."
)
exercise.slip("norm_on_the_other_branch", "x + sublayer(norm(x)) → norm(x) + sublayer(x)").says(
    "With the norm first, the path is normalised and the sublayer's input isn't: it should be the other way "
    "round, since the path stays as it is."
)


@exercise.misconception
def norm_of_its_own(x, sublayer, norm, norm_first=True):
    """torch's layer norm is used in place of the argument `norm`, which has weights: call what was given."""
    if norm_first:
        return x + sublayer(torch.nn.functional.layer_norm(x, x.shape[-1:]))
    return torch.nn.functional.layer_norm(x + sublayer(x), x.shape[-1:])

"""A leak detector."""

import torch
from torch import Generator, Tensor

from exercises.masking import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers import masking

exercise = Entry(
    id="masking.sees",
    title="A leak detector",
    points=4,
    difficulty=4,
    minutes=12,
    driver="call_with_layer",
    reference=masking.sees,
    returns=("table",),
    properties=(inputs_unchanged,),
)


@exercise.cases
def sees_cases(g: Generator) -> list[Case]:
    """Layers that look ahead and layers that don't; some on which a careless detector is blind."""
    x, three = _clear_slopes(g, *shared.sizes(g, *pick(g, (4, 5), (4, 6), (5, 6), (4, 7), (5, 7))))
    elsewhere = 1 - torch.eye(*three[0].shape)  # no feature of an output depends on the same of an input
    above, below = three[0].abs() * elsewhere, -three[0].abs() / 100_000
    feature = torch.arange(x.size(1)).unsqueeze(1)
    inner = [weight * (feature > 0) * (feature < x.size(1) - 1) for weight in three]
    # Who sees whom, flat: a matrix would have two equal axes.
    by_chance = torch.randint(2, (len(x) ** 2,), generator=g)
    # What cancels is exactly 0, whatever adds it: features of an output here, those of an input there.
    eighths = torch.randint(1, 9, three[0].shape, generator=g) / 8
    # So it does where all features of an input move alike: by whatever, products and sums are exact.
    power = 2.0 ** torch.randint(-2, 2, (1, 3), generator=g)
    balanced = torch.cat([power, torch.zeros(x.size(1) - 2, 3), -power])
    near = torch.stack([1 + (2 * torch.randperm(8, generator=g)[: x.size(1)] + 1) / 16 for _ in x])
    return [
        shared.layer("causal self-attention", three, x),
        shared.layer("self-attention", three, x, "self-attention without a mask"),
        shared.layer(
            "a linear map of each position",
            [below],
            x[: pick(g, len(x), 3, 2)],
            "a linear map with small slopes below 0",
        ),
        shared.layer("positions that see each other by chance", [above, by_chance], x),
        shared.layer("a mask whose diagonal is one too high", three, x),
        shared.layer("a window of two positions", inner, x, "a window of two, first and last feature unused"),
        shared.layer("weights set to 0 after the softmax", three, x),
        shared.layer("running sums whose features sum to 0", [eighths], x),
        shared.layer(
            "a linear map of each position",
            [balanced],
            near,
            "a linear map whose slopes sum to 0",
        ),
        shared.layer("running sums of what lies above 5", [torch.tensor(5.0)], 6 + x.abs()),
        shared.layer("a first feature that looks at its own position alone", three, x),
        shared.layer(
            "a linear map of each position",
            [three[0][:, :1].abs() / 1000],
            x[:1],
            "one position, one feature",
        ),
    ]


def _clear_slopes(g: Generator, T: int, d: int) -> tuple[Tensor, list[Tensor]]:
    """An input and matrices for which no softmax saturates: every slope is either 0 or far from it."""
    while True:
        x, three = shared.normal(g, T, d), shared.normals(g, [(d, 3)] * 3, spread=0.5)
        q, k, v = (x @ matrix for matrix in three)
        if (q @ k.T).abs().max() < 4 and min(t.abs().amax(dim=-1).min() for t in (q, k, v)) > 0.3:
            return x, three


@exercise.alternative
def one_output_at_a_time(layer, x):
    x = x.clone().requires_grad_()
    y = layer(x)
    found = torch.zeros(len(x), len(x), dtype=torch.bool)
    for i in range(len(x)):
        for feature in y[i]:
            (slopes,) = torch.autograd.grad(feature, x, retain_graph=True)
            found[i] |= slopes.abs().sum(dim=-1) > 0
    return found


@exercise.alternative
def with_random_weights(layer, x):
    x = x.detach().clone().requires_grad_(True)
    y = layer(x)
    mixed = (y * torch.rand_like(y)).sum(dim=-1)
    rows = [torch.autograd.grad(value, x, retain_graph=True)[0] for value in mixed]
    return torch.stack(rows).ne(0).any(dim=-1)


@exercise.alternative
def gradient_forgotten_each_time(layer, x):
    x = x.clone().requires_grad_()
    rows = []
    for i in range(x.size(0)):
        x.grad = None
        layer(x)[i].square().sum().backward()
        rows.append((x.grad != 0).any(dim=1))
    return torch.stack(rows)


@exercise.alternative
def with_jacrev(layer, x):
    return torch.func.jacrev(layer)(x).abs().amax(dim=(1, 3)) > 1e-7


@exercise.alternative
def with_another_row(layer, x):
    y, columns = layer(x), []
    for j in range(len(x)):
        changed = x.clone()
        changed[j] = torch.randn(x.size(1))
        columns.append((layer(changed) != y).any(dim=-1))
    return torch.stack(columns, dim=1)


exercise.slip(
    "first_feature_changed", "changed[j] = torch.randn(x.size(1)) → changed[j, 0] += 1", of=with_another_row
).says(
    "Only one feature of an input is changed, so what depends on the others is overlooked: change all of "
    "them, each by a number of its own."
)
exercise.slip("all_features_moved_alike", "= torch.randn(x.size(1)) → += 1", of=with_another_row).says(
    "All features of an input are moved by the same amount, where slopes of both signs cancel, or some "
    "aren't moved at all: move each by a random number of its own, or ask for gradients."
)
exercise.slip(
    "features_summed",
    "[torch.autograd.grad(value, x, retain_graph=True)[0] for value in mixed] → [torch.autograd.grad(y, "
    "x, retain_graph=True)[0] for y in layer(x).sum(-1)]",
    of=with_random_weights,
).says(
    "The features of an output are summed before the gradient is taken, and features that move in "
    "opposite directions cancel: ask each feature, or weight them with random numbers."
)
exercise.slip("asks_elsewhere", "jacobian(layer, x) → jacobian(layer, torch.randn_like(x))").says(
    "The slopes are those at random numbers: at x, a layer may depend on what it doesn't depend on there."
)
exercise.slip("signs_cancel", "(slopes != 0).any(dim=3).any(dim=1) → slopes.sum(dim=(1, 3)) > 0").says(
    "Slopes of both signs are summed up, and only sums above 0 are taken for a dependence: a slope below "
    "0 is one too, so take absolute values first."
)
exercise.slip("above_zero_alone", "slopes != 0 → slopes > 0").says(
    "Only slopes above 0 are taken for a dependence: one below 0 is one too, so ask whether it differs "
    "from 0."
)
exercise.slip(
    "all_for_any", "(slopes != 0).any(dim=3).any(dim=1) → (slopes != 0).all(dim=3).all(dim=1)"
).says(
    "Every feature of the output has to change with every feature of the input here: one of each is "
    "enough for a dependence."
)
exercise.slip("every_input_feature", "(slopes != 0).any(dim=3) → (slopes != 0).all(dim=3)").says(
    "An output counts only if it changes with every feature of the input: one of them is enough for a "
    "dependence."
)
exercise.slip(
    "rows_for_columns", "(slopes != 0).any(dim=3).any(dim=1) → (slopes.abs().sum((1, 3)) > 0).T"
).says("Rows and columns are swapped: entry [i, j] is about output i and input j.")
exercise.slip(
    "all_outputs_at_once",
    "return torch.func.jacrev(layer)(x).abs().amax(dim=(1, 3)) > 1e-7 → x = x.clone().requires_grad_()\n"
    "    (slopes,) = torch.autograd.grad(layer(x).abs().sum(), x)\n"
    "    return (slopes.abs().sum(dim=-1) > 0).expand(x.size(0), x.size(0))",
    of=with_jacrev,
).says(
    "The gradient of the sum of all outputs says which inputs matter to some output, but not to which: "
    "take the gradient of one output at a time."
)


@exercise.misconception
def gradients_pile_up(layer, x):
    """Each backward adds to what x.grad holds from earlier outputs, so a row inherits all rows above it: set
    x.grad to None in between, or use torch.autograd.grad.
    """
    x = x.clone().requires_grad_()
    rows = []
    for output in layer(x):
        output.abs().sum().backward(retain_graph=True)
        rows.append(x.grad.abs().sum(dim=-1) > 0)
    return torch.stack(rows)


exercise.slip(
    "how_much",
    "(slopes != 0).any(dim=3).any(dim=1) → torch.autograd.functional.jacobian(layer, x).abs().sum(dim=(1, "
    "3))",
).says(
    "This says how strongly each output depends on each input: the exercise asks for yes or no, True "
    "where the gradient isn't 0."
)
exercise.slip(
    "the_future_alone",
    "(slopes != 0).any(dim=3).any(dim=1) → torch.triu(slopes.abs().sum(dim=(1, 3)) > 0, diagonal=1)",
).says(
    "Only what lies above the diagonal is shown: give the whole table, since a mask can hide too much as "
    "well."
)
exercise.slip(
    "one_feature_asked",
    "[torch.autograd.grad(value, x, retain_graph=True)[0] for value in mixed] → "
    "[torch.autograd.grad(y[0], x, retain_graph=True)[0] for y in layer(x)]",
    of=with_random_weights,
).says(
    "Only the first feature of each output is asked, so what the others depend on is overlooked: ask all "
    "features, and one of them is enough."
)
exercise.slip(
    "asked_at_zero",
    "torch.autograd.functional.jacobian(layer, x) → torch.autograd.functional.jacobian(layer, "
    "torch.zeros_like(x))",
).says(
    "The gradient is taken at zeros in place of x, where the values are 0 too, so what leaks through the "
    "weights is multiplied by 0: ask at x."
)
exercise.slip(
    "slopes_add_up",
    "(slopes != 0).any(dim=3).any(dim=1) → torch.autograd.functional.jacobian(layer, x).sum(dim=(1, "
    "3)).abs() > 1e-9",
).says(
    "Slopes are summed with their signs, and those of both signs cancel: ask for each whether it differs "
    "from 0 before you put them together."
)
exercise.slip(
    "small_slopes_taken_for_none",
    "(slopes != 0).any(dim=3).any(dim=1) → torch.autograd.functional.jacobian(layer, "
    "x).abs().amax(dim=(1, 3)) > 1e-2",
).says(
    "Slopes below a bound are taken for 0: a small slope is a dependence too, so ask whether it differs "
    "from 0."
)
exercise.slip(
    "same_features_alone",
    "(slopes != 0).any(dim=3).any(dim=1) → (slopes.diagonal(dim1=1, dim2=3) != 0).any(dim=-1)",
).says("Each feature of an output is asked about the same feature of the inputs alone: it can depend on any.")
exercise.slip("positions_reduced", "any(dim=3).any(dim=1) → any(dim=2).any(dim=0)").says(
    "This says which features depend on which: the Jacobian is (T, d_out, T, d), so reduce axes 1 and 3, and "
    "keep the positions."
)
exercise.slip("first_features_alone", "(slopes != 0).any(dim=3).any(dim=1) → slopes[:, 0, :, 0] != 0").says(
    "Only the first feature of output and input is looked at: any pair of their features is enough."
)

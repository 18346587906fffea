"""Attention with a state in place of a cache."""

import torch
from torch import Generator

from exercises.modern import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import modern

exercise = Entry(
    id="modern.linear_attention",
    title="No cache at all",
    points=3,
    difficulty=3,
    minutes=10,
    reference=modern.linear_attention,
    returns=("outputs", "state"),
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.cases
def linear_attention_cases(g: Generator) -> list[Case]:
    """From an empty state and from a given one, one position, sizes of one, a batch of heads, float64."""

    def case(
        title: str,
        T: int,
        D: int,
        D_v: int,
        *batch: int,
        empty: bool = False,
        dtype: torch.dtype = torch.float32,
    ) -> Case:
        q, k = (shared.normal(g, *batch, T, D, dtype=dtype) for _ in range(2))
        v = shared.normal(g, *batch, T, D_v, dtype=dtype)
        state = shared.normal(g, *batch, D, D_v, dtype=dtype)
        return Case(title, (q, k, v, torch.zeros_like(state) if empty else state))

    return [
        case("from an empty state", pick(g, 5, 6), 3, pick(g, 4, 2), empty=True),
        case("from a state that is given", pick(g, 4, 6), 3, 5),
        case("one position", 1, pick(g, 3, 4), 2),
        case("a key of one number", pick(g, 4, 5), 1, 3),
        case("a value of one number", pick(g, 4, 5), 3, 1),
        case("a batch of heads", pick(g, 4, 5), 3, 6, *pick(g, (2, 7), (7,), (2, 1))),
        case("float64", pick(g, 3, 5), 2, 4, dtype=torch.float64),
    ]


@exercise.alternative
def linear_attention_by_a_mask(q, k, v, state):
    outputs = (q @ k.transpose(-2, -1)).tril() @ v + q @ state
    return outputs, state + k.transpose(-2, -1) @ v


@exercise.alternative
def linear_attention_by_cumsum(q, k, v, state):
    states = state.unsqueeze(-3) + (k.unsqueeze(-1) * v.unsqueeze(-2)).cumsum(dim=-3)
    return torch.einsum("...td,...tde->...te", q, states), states[..., -1, :, :]


@exercise.alternative
def linear_attention_with_einsum(q, k, v, state):
    outputs, S = [], state.clone()
    for t in range(q.shape[-2]):
        S = S + torch.einsum("...d,...e->...de", k[..., t, :], v[..., t, :])
        outputs.append(torch.einsum("...d,...de->...e", q[..., t, :], S))
    return torch.stack(outputs, -2), S


READ = "outputs.append((q[..., t, None, :] @ state).squeeze(-2))"
WRITE = "state = state + k[..., t, :, None] * v[..., t, None, :]"
exercise.slip(
    "read_before_writing",
    f"        {WRITE}\n        {READ} →         {READ}\n        {WRITE}",
).says(
    "A position reads the state before its own key and value are in it: it sees itself, too, so write first."
)
exercise.slip("state_ignored", "outputs = [] → outputs, state = [], torch.zeros_like(state)").says(
    "The state begins with zeros: it begins with the given one, which earlier positions have written."
)
exercise.slip("overwritten", "state + k[..., t, :, None] → k[..., t, :, None]").says(
    "Each position replaces the state: it adds its key times its value to what is there."
)
exercise.slip(
    "state_not_returned", "dim=-2), state → dim=-2), state - k[..., -1, :, None] * v[..., -1, None, :]"
).says("The returned state lacks the last position: the next call would start without it.")
exercise.slip(
    "scaled", "(q[..., t, None, :] @ state) → (q[..., t, None, :] @ state / q.size(-1) ** 0.5)"
).says("The outputs are divided by √D, which the formula doesn't have: it is for a softmax.")
exercise.slip("query_times_query", "k[..., t, :, None] * v → q[..., t, :, None] * v").says(
    "The queries are written to the state: write with keys, and read with queries."
)
exercise.slip("mean_of_the_past", "@ state).squeeze(-2) → @ state).squeeze(-2) / (t + 1)").says(
    "The outputs are divided by the number of positions: the state is a sum, not a mean."
)
exercise.slip(
    "everything_seen",
    "(q @ k.transpose(-2, -1)).tril() @ v → q @ k.transpose(-2, -1) @ v",
    of=linear_attention_by_a_mask,
).says("Every position reads all others, later ones too: a position reads those up to itself.")
exercise.slip(
    "softmax_kept",
    "(q @ k.transpose(-2, -1)).tril() → (q @ k.transpose(-2, -1) - 1e9 * torch.ones(q.size(-2), "
    "q.size(-2)).triu(1)).softmax(-1)",
    of=linear_attention_by_a_mask,
).says("The scores go through a softmax: linear attention has none, which is why a sum can be carried along.")
exercise.slip("given_state_not_read", " + q @ state →", of=linear_attention_by_a_mask).says(
    "The outputs don't read the state that is given: earlier positions are in it."
)
exercise.slip(
    "scores_scaled",
    "(q @ k.transpose(-2, -1)).tril() → (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).tril()",
    of=linear_attention_by_a_mask,
).says("The scores are divided by √D, which the formula doesn't have: it is for a softmax.")


@exercise.misconception
def normalised(q, k, v, state):
    """The outputs are divided by the sum of their weights, as in the paper, whose weights are positive: here
    nothing is normalised.
    """
    weights = (q @ k.transpose(-2, -1)).tril()
    outputs = (weights @ v + q @ state) / weights.sum(dim=-1, keepdim=True)
    return outputs, state + k.transpose(-2, -1) @ v

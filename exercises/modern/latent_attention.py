"""Attention on a cache of latents."""

import math

import torch
from torch import Generator

from exercises.modern import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick, stays_small
from helpers import modern

exercise = Entry(
    id="modern.latent_attention",
    title="A smaller cache",
    points=4,
    difficulty=4,
    minutes=12,
    driver="call_measured",
    reference=modern.latent_attention,
    properties=(inputs_unchanged, gradient_reaches_inputs, stays_small),
)


@exercise.cases
def latent_attention_cases(g: Generator) -> list[Case]:
    """Latents shorter and longer than a head, one head, one position, a batch, a long cache, float64."""

    def case(
        title: str, H: int, D: int, T: int, R: int, *batch: int, dtype: torch.dtype = torch.float32
    ) -> Case:
        q = shared.normal(g, *batch, H, D, spread=1.5, dtype=dtype)
        latents = shared.normal(g, *batch, T, R, dtype=dtype)
        ups = (shared.normal(g, H, D, R, spread=1.5 / math.sqrt(R), dtype=dtype) for _ in range(2))
        return Case(title, (q, latents, *ups))

    return [
        case("latents longer than a head", pick(g, 2, 3), 4, pick(g, 5, 7), 6),
        case("latents shorter than a head", pick(g, 2, 4), 5, 6, 3),
        case("one head", 1, pick(g, 3, 5), 4, 2),
        case("one position", pick(g, 3, 4), 2, 1, 5),
        case("latents of one number", 2, pick(g, 4, 5), 3, 1),
        case("a batch", 3, 2, pick(g, 5, 7), 4, *pick(g, (6,), (1,), (6, 1))),
        case("a long cache", 3, 7, pick(g, 23, 26), 2),
        case("float64", 2, 3, pick(g, 5, 6), 4, dtype=torch.float64),
    ]


@exercise.alternative
def latent_attention_with_matmul(q, latents, up_k, up_v):
    D = q.size(-1)
    asked = (q.unsqueeze(-2) @ up_k).squeeze(-2)  # (..., H, R)
    scores = asked @ latents.transpose(-2, -1) * D**-0.5
    read = torch.softmax(scores, dim=-1) @ latents
    return (up_v @ read.unsqueeze(-1)).squeeze(-1)


@exercise.alternative
def latent_attention_head_by_head(q, latents, up_k, up_v):
    outputs = []
    for h in range(up_k.shape[0]):
        question = q[..., h, :] @ up_k[h]
        scores = (latents @ question.unsqueeze(-1)).squeeze(-1) / up_k.shape[1] ** 0.5
        weights = scores.softmax(dim=-1)
        outputs.append((weights.unsqueeze(-2) @ latents).squeeze(-2) @ up_v[h].T)
    return torch.stack(outputs, dim=-2)


exercise.slip("not_scaled", " / math.sqrt(q.size(-1)) →").says("The scores aren't divided by √D.")
exercise.slip("scaled_by_latents", "math.sqrt(q.size(-1)) → math.sqrt(latents.size(-1))").says(
    "The scores are divided by the root of a latent's size: a score is a dot product of D features, as with "
    "keys, so it is √D."
)
exercise.slip("scaled_by_d", "math.sqrt(q.size(-1)) → q.size(-1)").says(
    "The scores are divided by D: it is its root."
)
exercise.slip("scaled_by_heads", "math.sqrt(q.size(-1)) → math.sqrt(q.size(-2))").says(
    "The scores are divided by the root of the number of heads: it is √D, the size of a query."
)
exercise.slip("softmax_over_heads", "softmax(dim=-1) → softmax(dim=-2)").says(
    "The softmax goes over the heads: each head's weights sum to 1 over the positions."
)
exercise.slip("no_softmax", ".softmax(dim=-1) →").says(
    "There is no softmax: the scores become weights that sum to 1 over the positions."
)
exercise.slip("key_map_for_values", "weights @ latents, up_v → weights @ latents, up_k").says(
    "The values are made by `up_k`: each head's average goes through `up_v`."
)
exercise.slip(
    "maps_exchanged",
    '"...hd,hdr->...hr", q, up_k → "...hd,hdr->...hr", q, up_v',
    "weights @ latents, up_v → weights @ latents, up_k",
).says("The two maps are swapped: `up_k` is for the scores, `up_v` for what is read.")
exercise.slip(
    "first_head_for_all",
    '"...hd,hdr->...hr", q, up_k → "...hd,dr->...hr", q, up_k[0]',
    '"...hr,hdr->...hd", weights @ latents, up_v → "...hr,dr->...hd", weights @ latents, up_v[0]',
).says("All heads use the maps of head 0: each head has its own.")
exercise.slip(
    "plain_mean",
    "asked @ latents.mT / math.sqrt(q.size(-1)) → torch.zeros_like(asked @ latents.mT)",
).says("Every position counts alike: the weights come from the scores.")


@exercise.misconception
def keys_of_all_positions(q, latents, up_k, up_v):
    """The right numbers, but keys or values of all positions are made, which is the memory that latents are
    there to save: map the query to a question for the latents, and the latents' average to a value.
    """
    keys = latents.unsqueeze(-3) @ up_k.mT  # (..., H, T, D)
    values = latents.unsqueeze(-3) @ up_v.mT
    scores = (keys * q.unsqueeze(-2)).sum(-1) / math.sqrt(q.shape[-1])
    return (scores.softmax(-1).unsqueeze(-1) * values).sum(-2)

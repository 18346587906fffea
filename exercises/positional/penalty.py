"""A linear penalty."""

import torch
from torch import Generator

from exercises.positional import shared
from headstart import Case, Entry, pick
from helpers import positional

exercise = Entry(
    id="positional.penalty",
    title="A linear penalty",
    points=3,
    difficulty=3,
    minutes=10,
    reference=positional.linear_penalty,
    returns=("penalty",),
)


@exercise.cases
def penalty_cases(g: Generator) -> list[Case]:
    """Numbers of heads that are powers of two, as in the paper."""
    few, some, many = shared.sizes(g, 2, 3, 4), shared.sizes(g, 3, 5, 6), shared.sizes(g, 5, 6, 7, 8)
    return [
        Case("8 heads", (8, *few[:2])),
        Case("4 heads", (4, *some[:2])),
        Case("2 heads, more keys than queries", (2, *sorted(many[:2]))),
        Case("16 heads, more queries than keys", (16, 4, shared.integer(g, 2, 3))),
        Case("one head, one query", (1, 1, pick(g, 5, 3, 4, 6))),
    ]


@exercise.alternative
def one_head_after_another(n_heads, T_q, T_k):
    apart = (torch.arange(T_q)[:, None] - torch.arange(T_k)[None, :]).abs()
    return torch.stack([-apart / 2 ** (8 * (h + 1) / n_heads) for h in range(n_heads)])


@exercise.alternative
def with_a_ratio(n_heads, T_q, T_k):
    ratio = 2 ** (-8 / n_heads)
    slopes = torch.tensor([ratio ** (h + 1) for h in range(n_heads)])
    i, j = torch.arange(T_q).float(), torch.arange(T_k).float()
    return -torch.einsum("h,ij->hij", slopes, (i[:, None] - j[None, :]).abs())


@exercise.alternative
def with_the_smaller_of_two(n_heads, T_q, T_k):
    i, j = torch.arange(T_q).view(1, -1, 1), torch.arange(T_k).view(1, 1, -1)
    slopes = torch.exp2(-8 * torch.arange(1, n_heads + 1) / n_heads).view(-1, 1, 1)
    return slopes * torch.minimum(i - j, j - i)


exercise.slip("rewarded", "-slopes[:, None, None] → slopes[:, None, None]").says(
    "The sign is wrong, so far keys get higher scores than near ones: a penalty is negative."
)
exercise.slip(
    "signed_distance",
    "-slopes[:, None, None] * distance.abs() → slopes[:, None, None] * (torch.arange(T_k) - "
    "torch.arange(T_q)[:, None])",
).says(
    "The distance has a sign here, so keys after the query are rewarded for being far away: take its "
    "absolute value, and a minus."
)
exercise.slip(
    "signed_the_other_way",
    "-slopes[:, None, None] * distance.abs() → slopes[:, None, None] * (torch.arange(T_q)[:, None] - "
    "torch.arange(T_k))",
).says(
    "The distance has a sign here, so keys before the query are rewarded for being far away: take its "
    "absolute value, and a minus."
)
exercise.slip(
    "one_side_only", "distance.abs() → (torch.arange(T_q)[:, None] - torch.arange(T_k)).clamp(min=0)"
).says(
    "Only keys on one side of the query are penalised: this attention sees both sides, and a key three "
    "places on is as far away as one three places back."
)
exercise.slip(
    "future_hidden",
    "torch.arange(T_k) - torch.arange(T_q).unsqueeze(1) → torch.arange(T_q)[:, None] - torch.arange(T_k)",
    "-slopes[:, None, None] * distance.abs() → (-slopes[:, None, None] * distance).masked_fill(distance < "
    '0, float("-inf"))',
).says(
    "Keys after the query are hidden here, as the paper's mask hides them: this penalty counts both sides "
    "alike, and hiding is the work of a mask."
)
exercise.slip(
    "one_row_of_distances",
    "-slopes[:, None, None] * distance.abs() → slopes[:, None, None] * torch.arange(T_k)",
).says(
    "There is one row for all queries, counted along the keys, as some libraries have it: that is enough "
    "only under a causal softmax, and here each query has distances of its own."
)
exercise.slip(
    "distances_from_the_first_key",
    "-slopes[:, None, None] * distance.abs() → (-slopes[:, None, None] * "
    "torch.arange(T_k)).expand(n_heads, T_q, T_k)",
).says(
    "Every query loses the same, by how far each key is from the first: the distance is from the query to "
    "the key, so each row differs."
)
exercise.slip("slopes_from_zero", "torch.arange(1, n_heads + 1) → torch.arange(n_heads)").says(
    "The first head's slope is 1, because heads are counted from 0 here: h runs from 1 to n_heads, and "
    "the last slope is always 1/256."
)
exercise.slip(
    "slopes_halving",
    "2.0 ** (-8 * torch.arange(1, n_heads + 1) / n_heads) → 0.5 ** (torch.arange(1, n_heads + 1))",
).says(
    "The slopes are 1/2, 1/4, 1/8, … whatever the number of heads is: that is right for 8 heads, and "
    "otherwise the exponent is 8h/n_heads."
)
exercise.slip("slopes_reversed", "torch.arange(1, n_heads + 1) → torch.arange(n_heads, 0, -1)").says(
    "The slopes are in reverse order: the first head has the steepest, the last has 1/256."
)
exercise.slip(
    "slopes_in_a_line",
    "2.0 ** (-8 * torch.arange(1, n_heads + 1) / n_heads) → 1 - torch.arange(n_heads) / n_heads",
).says("The slopes fall in equal steps, where each should be the same fraction of the one before.")
exercise.slip(
    "slopes_one_over",
    "2.0 ** (-8 * torch.arange(1, n_heads + 1) / n_heads) → 1 / torch.arange(1, n_heads + 1)",
).says(
    "The slopes are 1, 1/2, 1/3, …: they are powers of 2, so each is the same fraction of the one before, "
    "and the last is 1/256."
)
exercise.slip("slopes_growing", "-8 * torch.arange(1, n_heads + 1) → 8 * torch.arange(1, n_heads + 1)").says(
    "The exponent's minus is missing, so the slopes grow up to 256 and even the next key is all but "
    "hidden: they fall from head to head, down to 1/256."
)
exercise.slip(
    "squared_distance", "distance.abs() → (torch.arange(T_k) - torch.arange(T_q)[:, None]) ** 2"
).says("The distance is squared: a linear penalty grows by the same amount with each step.")
exercise.slip(
    "same_for_all_heads",
    "distance = torch.arange(T_k) - torch.arange(T_q).unsqueeze(1) → apart = (torch.arange(T_k) - "
    "torch.arange(T_q)[:, None]).abs()",
    "-slopes[:, None, None] * distance.abs() → -(0.5 * apart).expand(n_heads, T_q, T_k)",
).says("Every head has the slope 1/2: each needs its own, so that some look near and some far.")
exercise.slip(
    "last_query_at_the_last_key", "torch.arange(T_q).unsqueeze(1) → torch.arange(T_k - T_q, T_k).unsqueeze(1)"
).says(
    "Distances are counted as if the last query stood at the last key, as with a cache: query i is at "
    "position i, however many keys there are."
)

exercise.slip(
    "slopes_from_half_to_the_last",
    "-8 * torch.arange(1, n_heads + 1) / n_heads → torch.linspace(-1, -8, n_heads)",
).says(
    "The slopes run from 1/2 to 1/256 whatever the number of heads is: that is right for 8 heads, and in "
    "general the first slope is 2^(-8/n_heads)."
)
exercise.slip(
    "slopes_eight_over_h", "-8 * torch.arange(1, n_heads + 1) / n_heads → -8 / torch.arange(1, n_heads + 1)"
).says(
    "The exponent is 8/h here, so the first head has the gentlest slope: it is 8h/n_heads, which grows with "
    "h."
)

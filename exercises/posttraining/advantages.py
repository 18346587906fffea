"""Advantages within a group."""

import torch
from torch import Generator, Tensor

from exercises.posttraining import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers import posttraining

exercise = Entry(
    id="posttraining.advantages",
    title="Advantages within a group",
    points=3,
    difficulty=3,
    minutes=6,
    reference=posttraining.advantages,
    returns=("advantages",),
    properties=(inputs_unchanged,),
)


@exercise.cases
def group_cases(g: Generator) -> list[Case]:
    """One group, several, groups that are all alike, axes in front; with the division and without it."""

    def rewards(front: tuple[int, ...], G: int, dtype: torch.dtype = torch.float32) -> Tensor:
        """Whole numbers, so that means of rewards that are alike are exact; no group's are all alike.

        They lie so far apart that the 1e-4 which many add to a deviation counts as rounding.
        """
        made = torch.randint(0, 36, (*front, G), generator=g).to(dtype)
        made[..., 0], made[..., 1] = 0, 36
        return made.take_along_dim(torch.rand(made.shape, generator=g).argsort(dim=-1), dim=-1)

    def some_alike(B: int, G: int) -> Tensor:
        made = rewards((B,), G)
        made[0] = shared.one(g, 1, 6)
        made[-1] = 0
        return made

    several = pick(g, (2, 1), (1,), (1, 3), (2, 3, 1))
    of_one = (4, 5) if pick(g, True, False) else (3, 7)
    return [
        Case("one group", (rewards((), pick(g, 4, 5, 3)), False)),
        Case("one group, divided", (rewards((), pick(g, 5, 4, 6)), True)),
        Case("several groups", (rewards(pick(g, (3,), (2,), (5,)), pick(g, 4, 6, 7)), False)),
        Case("several groups, divided", (rewards(pick(g, (3,), (2,), (5,)), pick(g, 4, 6, 7)), True)),
        Case("groups that are all alike, divided", (some_alike(*of_one), True)),
        Case("groups that are all alike", (some_alike(3, pick(g, 5, 6)), False)),
        Case("axes in front, divided", (rewards(several, pick(g, 4, 5, 7)), True)),
        Case("groups of two, divided", (rewards((3,), 2), True)),
        Case("float64", (rewards((2,), pick(g, 3, 5), torch.float64), True)),
    ]


@exercise.alternative
def advantages_by_hand(rewards, divide):
    G = rewards.size(-1)
    centred = rewards - rewards.sum(dim=-1, keepdim=True) / G
    if divide:
        variance = centred.square().sum(dim=-1, keepdim=True) / (G - 1)
        centred = torch.where(variance > 0, centred / variance.sqrt().clamp(min=1e-12), 0.0)
    return centred


@exercise.alternative
def advantages_with_a_little_more(rewards, divide):
    mean, std = rewards.mean(-1, keepdim=True), rewards.std(-1, keepdim=True)
    return (rewards - mean) / (std + 1e-10) if divide else rewards - mean


@exercise.alternative
def advantages_by_std_mean(rewards, divide):
    spread, middle = torch.std_mean(rewards, dim=-1, keepdim=True)
    better = rewards - middle
    return (better / spread).nan_to_num(0.0) if divide else better


exercise.slip("no_baseline", "better = rewards - rewards.mean(dim=-1, keepdim=True) → better = rewards").says(
    "The mean isn't subtracted: with rewards of 0 and 1 every answer would be pushed up or left alone, and "
    "the gradient would be far noisier."
)
exercise.slip("mean_of_all", "rewards.mean(dim=-1, keepdim=True) → rewards.mean()").says(
    "The mean is that of all groups together, so answers to an easy request seem good and those to a hard "
    "one bad: compare within each group."
)
exercise.slip("spread_of_all", "rewards.std(dim=-1, keepdim=True) → rewards.std()").says(
    "The standard deviation is that of all groups together: each group has its own."
)
exercise.slip(
    "all_groups_at_once",
    "rewards.mean(dim=-1, keepdim=True) → rewards.mean()",
    "rewards.std(dim=-1, keepdim=True) → rewards.std()",
).says(
    "Mean and standard deviation are those of all groups together, so answers to an easy request seem good "
    "and those to a hard one bad: each group has its own."
)
exercise.slip("first_answer_subtracted", "rewards.mean(dim=-1, keepdim=True) → rewards[..., :1]").says(
    "The first answer's reward is subtracted: answers are compared with the mean of their group."
)
exercise.slip(
    "over_the_groups",
    "rewards.mean(dim=-1, keepdim=True) → rewards.mean(dim=0, keepdim=True)",
    "rewards.std(dim=-1, keepdim=True) → rewards.std(dim=0, keepdim=True)",
).says("Means run over the requests: a group is the last axis.")
exercise.slip(
    "turned_over",
    "rewards - rewards.mean(dim=-1, keepdim=True) → rewards.mean(dim=-1, keepdim=True) - rewards",
).says("The difference has the wrong sign, so better answers get negative advantages.")
exercise.slip("always_divided", "    if not divide:\n        return better\n →").says(
    "The division happens whatever `divide` says."
)
exercise.slip("never_divided", "better / spread.masked_fill(spread == 0, 1) → better").says(
    "Nothing is ever divided: `divide` asks for it."
)
exercise.slip("nothing_by_nothing", "spread.masked_fill(spread == 0, 1) → spread").says(
    "In a group whose rewards are all alike this is 0/0, which is NaN, and one NaN spoils the whole step."
)
exercise.slip(
    "by_the_variance", "rewards.std(dim=-1, keepdim=True) → rewards.var(dim=-1, keepdim=True)"
).says("This divides by the variance: the standard deviation is its root.")
exercise.slip(
    "with_g_below", "rewards.std(dim=-1, keepdim=True) → rewards.std(dim=-1, keepdim=True, correction=0)"
).says("The variance is divided by G, as in NumPy's `std`: here it is torch's, which divides by G − 1.")
exercise.slip("a_whole_one_added", "spread.masked_fill(spread == 0, 1) → (spread + 1)").says(
    "Adding 1 to the standard deviation avoids 0/0, but shrinks the advantages of all other groups: "
    "replace it only where it is 0."
)
exercise.slip("softmaxed", "better / spread.masked_fill(spread == 0, 1) → rewards.softmax(dim=-1)").says(
    "A softmax makes all of them positive: an answer worse than the mean has a negative advantage."
)


@exercise.misconception
def mean_of_the_others(rewards, divide):
    """An answer is compared with the mean of the others, as in RLOO: here its own reward is in the mean."""
    G = rewards.size(-1)
    better = rewards - (rewards.sum(dim=-1, keepdim=True) - rewards) / (G - 1)
    spread = rewards.std(dim=-1, keepdim=True)
    return better / spread.masked_fill(spread == 0, 1) if divide else better

"""New rows in an embedding."""

import torch
from torch import Generator

from exercises.posttraining import shared
from headstart import Case, Entry, pick, shares_nothing
from helpers import posttraining

exercise = Entry(
    id="posttraining.grow",
    title="New tokens",
    points=2,
    difficulty=2,
    minutes=4,
    driver="copies",
    reference=posttraining.grow,
    returns=("embedding",),
    properties=(shares_nothing,),
)


@exercise.cases
def grow_cases(g: Generator) -> list[Case]:
    """One new token, several, more than before; means that aren't 0; float64."""

    def case(title: str, V: int, C: int, n_new: int, dtype: torch.dtype = torch.float32) -> Case:
        return Case(title, (shared.some(g, V, C, dtype=dtype) + shared.some(g, C, dtype=dtype), n_new))

    return [
        case("three new tokens", pick(g, 5, 6, 8), pick(g, 4, 3, 7), 3),
        case("one new token", pick(g, 4, 7, 5), pick(g, 3, 2, 6), 1),
        case("more new tokens than old ones", pick(g, 3, 2, 4), pick(g, 2, 5, 3), pick(g, 5, 6, 7)),
        case("one channel", pick(g, 4, 5, 6), 1, 2),
        case("one old token", 1, pick(g, 4, 6, 5), 2),
        case("float64", pick(g, 6, 4, 7), pick(g, 2, 3, 5), pick(g, 2, 4), torch.float64),
    ]


@exercise.alternative
def grow_by_repeat(embedding, n_new):
    middle = embedding.mean(dim=0)
    return torch.vstack([embedding, middle.repeat(n_new, 1)])


@exercise.alternative
def grow_into_an_empty_one(embedding, n_new):
    V, C = embedding.shape
    grown = embedding.new_empty(V + n_new, C)
    grown[:V] = embedding
    grown[V:] = embedding.sum(dim=0) / V
    return grown


@exercise.alternative
def grow_by_a_product(embedding, n_new):
    V = embedding.size(0)
    weights = torch.full((n_new, V), 1 / V, dtype=embedding.dtype)
    return torch.cat((embedding, weights @ embedding), dim=0)


exercise.slip(
    "zeros",
    "embedding.mean(dim=0).expand(n_new, -1) → embedding.new_zeros(n_new, embedding.size(1))",
).says(
    "The new rows are 0: with tied rows a new token then has the logit 0, which may be far above the others, "
    "and takes probability from them."
)
exercise.slip(
    "random",
    "embedding.mean(dim=0).expand(n_new, -1) → torch.randn(n_new, embedding.size(1), dtype=embedding.dtype)",
).says(
    "The new rows are random, as a fresh nn.Embedding has them: they are larger than the trained ones or "
    "point elsewhere, and take probability from old tokens."
)
exercise.slip(
    "new_ones_first",
    "[embedding, embedding.mean(dim=0).expand(n_new, -1)] → "
    "[embedding.mean(dim=0).expand(n_new, -1), embedding]",
).says("The new rows come first, so each old token reads another's row: put them below the old ones.")
exercise.slip(
    "mean_over_channels",
    "embedding.mean(dim=0).expand(n_new, -1) → embedding.mean().expand(n_new, embedding.size(1))",
).says("One mean of all numbers is used for each channel: take the mean over the rows, channel by channel.")
exercise.slip("last_row_copied", "embedding.mean(dim=0) → embedding[-1]").says(
    "The new rows are copies of the last old one, so the new tokens begin with that token's meaning: "
    "start from the mean of all."
)
exercise.slip("first_row_copied", "embedding.mean(dim=0) → embedding[0]").says(
    "The new rows are copies of row 0, usually the padding's: start from the mean of all."
)
exercise.slip("summed", "embedding.mean(dim=0) → embedding.sum(dim=0)").says(
    "The new rows are the sum of the old ones, V times too long: divide by V."
)
exercise.slip(
    "only_the_new",
    "torch.cat([embedding, embedding.mean(dim=0).expand(n_new, -1)]) → "
    "embedding.mean(dim=0).repeat(n_new, 1)",
).says("These are the new rows alone: the old ones stay, above them.")
exercise.slip("always_one", "mean(dim=0).expand(n_new, -1) → mean(dim=0, keepdim=True)").says(
    "One row is added whatever `n_new` is."
)
exercise.slip("grown_to_n_new", "expand(n_new, -1) → expand(max(0, n_new - len(embedding)), -1)").says(
    "`n_new` is taken for the number of all rows afterwards: it says how many are added."
)
exercise.slip(
    "mean_of_lengths",
    "embedding.mean(dim=0).expand(n_new, -1) → embedding.mean(dim=0, "
    "keepdim=True).expand(n_new, -1) / embedding.mean(dim=0).norm()",
).says("The mean is scaled to length 1: the old rows' own mean, as it is, keeps the logits in their range.")

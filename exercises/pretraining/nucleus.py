"""The nucleus."""

import torch
from torch import Generator, Tensor

from exercises.pretraining import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers import pretraining

exercise = Entry(
    id="pretraining.nucleus",
    title="The nucleus",
    points=3,
    difficulty=4,
    minutes=12,
    reference=pretraining.nucleus,
    returns=("probabilities",),
    properties=(inputs_unchanged,),
)


@exercise.cases
def nucleus_cases(g: Generator) -> list[Case]:
    """P between what one token reaches and what the next does; one token that reaches it alone; p = 1."""

    def between(rows: Tensor, count: int) -> float:
        """A share that `count` tokens of the first row reach, and that no row reaches by a hair."""
        sums = rows.double().sort(descending=True).values.cumsum(-1).reshape(-1, rows.size(-1))
        low, high = float(sums[0, count - 2]) if count > 1 else 0.0, float(sums[0, count - 1])
        return max(
            (low + share * (high - low) for share in (0.5, 0.4, 0.6, 0.3, 0.7)),
            key=lambda p: float((sums - p).abs().min()),
        )

    def some(*shape: int, spread: float | Tensor = 1, dtype: torch.dtype = torch.float32) -> Tensor:
        return (spread * shared.logits(g, *shape, dtype=dtype)).softmax(-1)

    def uneven(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
        """Of the rows, the first needs the most tokens, and the last the fewest."""
        spread = torch.linspace(0.2, 1.5, shape[0]).reshape(-1, *[1] * (len(shape) - 1))
        return some(*shape, spread=spread, dtype=dtype)

    one, many = some(*pick(g, (5,), (4,), (7,))), uneven(*pick(g, (2, 7), (3, 6), (4, 5)))
    sure = some(pick(g, 4, 5, 6), spread=3)
    ones = some(*pick(g, (1, 6), (1, 5), (3, 1, 6), (2, 1, 5)), spread=0.5)
    exact = uneven(*pick(g, (3, 6), (2, 5), (4, 2, 6)), dtype=torch.float64)
    eighths = torch.tensor([0.5, 0.25, 0.125, 0.125])
    return [
        Case("two tokens are needed", (one, between(one, 2))),
        Case("a batch", (many, between(many, 4))),
        Case("the first token is enough", (sure, between(sure, 1))),
        Case("all of them", (many.flip(0), 1.0)),
        Case("axes of length 1", (ones, between(ones, 3))),
        Case("float64", (exact, between(exact.flip(0), 3))),
        # Sums without any rounding: two tokens reach exactly p.
        Case("a sum that is exactly p", (eighths[torch.randperm(4, generator=g)], 0.75)),
    ]


@exercise.alternative
def nucleus_by_the_least(probabilities, p):
    ordered = probabilities.sort(dim=-1, descending=True).values
    before = torch.cat([torch.zeros_like(ordered[..., :1]), ordered.cumsum(dim=-1)[..., :-1]], dim=-1)
    least = ordered.masked_fill(before >= p, 2).amin(dim=-1, keepdim=True)
    kept = probabilities.masked_fill(probabilities < least, 0)
    return kept / kept.sum(dim=-1, keepdim=True)


@exercise.alternative
def nucleus_by_counting(probabilities, p):
    sums = probabilities.sort(dim=-1, descending=True).values.cumsum(-1)
    needed = ((sums < p).sum(-1, keepdim=True)).clamp(max=probabilities.size(-1) - 1)
    ranks = probabilities.argsort(dim=-1, descending=True).argsort(dim=-1)
    kept = probabilities * (ranks <= needed)
    return kept / kept.sum(-1, keepdim=True)


@exercise.alternative
def nucleus_row_by_row(probabilities, p):
    rows = probabilities.reshape(-1, probabilities.size(-1))
    kept = torch.zeros_like(rows)
    for row, mine in zip(rows, kept, strict=True):
        total = 0.0
        for token in row.argsort(descending=True).tolist():
            if total >= p:
                break
            mine[token] = row[token]
            total += float(row[token])
        mine /= mine.sum()
    return kept.reshape(probabilities.shape)


@exercise.misconception
def first_rows_number(probabilities, p):
    """As many tokens are kept of every row as the first one needs: each row has a number of its own."""
    ordered, places = probabilities.sort(dim=-1, descending=True)
    many = int((ordered.reshape(-1, ordered.size(-1))[0].cumsum(-1) < p).sum()) + 1
    kept = torch.zeros_like(probabilities).scatter(-1, places[..., :many], ordered[..., :many])
    return kept / kept.sum(-1, keepdim=True)


exercise.slip(
    "nucleus_not_renormalised",
    "kept / kept.sum(dim=-1, keepdim=True) → torch.zeros_like(probabilities).scatter(-1, places, "
    "ordered.masked_fill(before >= p, 0))",
).says("What is kept doesn't sum to 1: divide by its sum.")
exercise.slip(
    "without_the_one_that_reaches_p",
    "ordered.cumsum(dim=-1) - ordered → ordered.cumsum(dim=-1)",
    "before >= p → before > p",
).says(
    "The token that takes the sum past p is dropped, so that what is kept falls short of p, and where the "
    "first token alone is more than p nothing is left."
)
exercise.slip("kept_below_p", "ordered.cumsum(dim=-1) - ordered → ordered.cumsum(dim=-1)").says(
    "Tokens are kept while their sum, their own probability included, is below p: the one that reaches p is "
    "dropped, and where one token reaches it alone nothing is left."
)
exercise.slip("more_than_p", "before >= p → before > p").says(
    "Tokens are kept until their sum is more than p, so where it is exactly p already one too many is "
    "kept: p or more is enough."
)
exercise.slip(
    "first_kept_at_least",
    "before = ordered.cumsum(dim=-1) - ordered → keep = ordered.cumsum(dim=-1) <= p",
    "kept = torch.zeros_like(probabilities).scatter(-1, places, ordered.masked_fill(before >= p, 0)) → "
    "keep[..., 0] = True\n"
    "    kept = torch.zeros_like(probabilities).scatter(-1, places, ordered * keep)",
).says(
    "Tokens are kept while their sum is at most p, and the first in any case, so the one that reaches p "
    "is dropped unless it is the first: it belongs to those that together reach p."
)


@exercise.misconception
def one_behind_p(probabilities, p):
    """One token too many is kept: p is reached without it."""
    ordered, places = probabilities.sort(dim=-1, descending=True)
    before = (ordered.cumsum(dim=-1) - ordered).roll(1, -1)
    before[..., :1] = 0
    shown = ordered.masked_fill(before >= p, 0)
    kept = torch.zeros_like(probabilities).scatter(-1, places, shown)
    return kept / kept.sum(dim=-1, keepdim=True)


exercise.slip(
    "nucleus_still_sorted",
    "torch.zeros_like(probabilities).scatter(-1, places, ordered.masked_fill(before >= p, 0)) → "
    "ordered.masked_fill(ordered.cumsum(dim=-1) - ordered >= p, 0)",
).says("The probabilities come back sorted: each belongs in its token's own place.")
exercise.slip(
    "mask_of_the_sorted",
    "torch.zeros_like(probabilities).scatter(-1, places, ordered.masked_fill(before >= p, 0)) → "
    "probabilities.masked_fill(ordered.cumsum(dim=-1) - ordered >= p, 0)",
).says(
    "What is kept was found among the sorted probabilities, and is applied to the unsorted ones: bring it "
    "back to their order first."
)
exercise.slip(
    "sorted_once_more",
    "torch.zeros_like(probabilities).scatter(-1, places, ordered.masked_fill(before >= p, 0)) → "
    "ordered.masked_fill(ordered.cumsum(dim=-1) - ordered >= p, 0)",
    "kept / kept.sum(dim=-1, keepdim=True) → (kept / kept.sum(dim=-1, keepdim=True)).gather(-1, places)",
).says(
    "The order is applied again where it should be undone: gather with the places sorts, and what brings "
    "everything back is scatter, or the places of the places."
)
exercise.slip(
    "not_sorted",
    "probabilities * (ranks <= needed) → probabilities.masked_fill(probabilities.cumsum(dim=-1) - "
    "probabilities >= p, 0)",
    of=nucleus_by_counting,
).says("The sum runs through the tokens in their own order: the most probable come first.")
exercise.slip(
    "least_probable_first", "probabilities.sort(dim=-1, descending=True) → probabilities.sort(dim=-1)"
).says("The sum begins with the least probable token: the nucleus is the most probable ones.")


@exercise.misconception
def each_against_p(probabilities, p):
    """Each token by itself is compared with 1 - p: p is about the sum of those that are kept."""
    kept = torch.where(probabilities >= min(1 - p, float(probabilities.amin(-1).max())), probabilities, 0)
    kept = torch.where(probabilities >= 1 - p, probabilities, 0) if p < 1 else kept
    return kept / kept.sum(dim=-1, keepdim=True).clamp(min=1e-9)


exercise.slip(
    "compared_with_the_best",
    "probabilities * (ranks <= needed) → probabilities * (probabilities >= p * probabilities.amax(-1, True))",
    of=nucleus_by_counting,
).says("Each token is compared with p times the best one's probability: p is about the sum of those kept.")
exercise.slip(
    "cut_by_the_sorting_order",
    "kept = torch.zeros_like(probabilities).scatter(-1, places, ordered.masked_fill(before >= p, 0)) → "
    "kept = probabilities.masked_fill((before >= p).gather(-1, places), 0)",
).says(
    "What to drop is gathered by the order that sorts, where its inverse is needed: scatter undoes a sort, "
    "and so does a gather with the argsort of that order."
)


@exercise.misconception
def filled_with_the_rest(probabilities, p):
    """What is cut off goes to the most probable token: all that are kept grow in proportion."""
    ordered, places = probabilities.sort(dim=-1, descending=True)
    shown = ordered.masked_fill(ordered.cumsum(dim=-1) - ordered >= p, 0)
    shown[..., :1] += 1 - shown.sum(dim=-1, keepdim=True)
    return torch.zeros_like(probabilities).scatter(-1, places, shown)


exercise.slip(
    "first_kept_below",
    "before = ordered.cumsum(dim=-1) - ordered → keep = ordered.cumsum(dim=-1) < p",
    "kept = torch.zeros_like(probabilities).scatter(-1, places, ordered.masked_fill(before >= p, 0)) → "
    "keep[..., 0] = True\n"
    "    kept = torch.zeros_like(probabilities).scatter(-1, places, ordered * keep)",
).says(
    "Tokens are kept while their sum, their own probability included, is below p, and the first in any "
    "case: the one that reaches p belongs to those kept."
)

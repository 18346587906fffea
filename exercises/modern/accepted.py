"""Which drafts are kept."""

import torch
from torch import Generator

from exercises.modern import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers import modern

exercise = Entry(
    id="modern.accepted",
    title="Which drafts are kept",
    points=3,
    difficulty=3,
    minutes=10,
    reference=modern.accepted,
    returns=("kept",),
    properties=(inputs_unchanged,),
)


@exercise.cases
def accepted_cases(g: Generator) -> list[Case]:
    """All kept, none, a few; one rejected in the middle; a token that the target never writes."""

    def case(title: str, wanted: list[bool], V: int) -> Case:
        K = len(wanted)
        draft = torch.stack([shared.probabilities(g, V) for _ in wanted])
        target = torch.stack([shared.probabilities(g, V) for _ in wanted])
        drafted = torch.randint(V, (K,), generator=g)
        places = torch.arange(K)
        ratio = target[places, drafted] / draft[places, drafted]
        # A chance on the side that is wanted; of a ratio above 1 none is on the other.
        share = 0.1 + 0.8 * torch.rand(K, generator=g)
        high = ratio + share * (1 - ratio)
        for place, keep in enumerate(wanted):
            if not keep and ratio[place] > 0.9:
                drafted[place] = (target[place] / draft[place]).argmin()
                ratio[place] = (target[place] / draft[place]).min()
                high[place] = ratio[place] + share[place] * (1 - ratio[place])
        chances = torch.where(torch.tensor(wanted), share * ratio.clamp(max=1), high)
        return Case(title, (target, draft, drafted, chances))

    long = 3 + int(torch.randint(4, (), generator=g))
    place = 1 + int(torch.randint(long - 2, (), generator=g))
    last = 2 + int(torch.randint(4, (), generator=g))
    return [
        case("all are kept", [True] * long, pick(g, 8, 9)),
        case("the first is rejected", [False, True, True], pick(g, 4, 5, 6)),
        case("one in the middle is rejected", [number != place for number in range(long)], pick(g, 9, 8)),
        case("the last is rejected", [True] * last + [False], pick(g, 7, 8, 9)),
        case("one drafted", [bool(torch.rand((), generator=g) < 0.5)], pick(g, 5, 3, 4)),
        _favourites(g),
        _more_of_it(g),
        _a_little_less_of_each(g),
        _never_written(),
    ]


def _favourites(g: Generator) -> Case:
    """Both models' favourites, drafted: they are as probable in both, so kept whatever the chance."""
    K, V = 2 + int(torch.randint(3, (), generator=g)), 6
    favourites = torch.randint(V, (K,), generator=g)
    probabilities = torch.full((K, V), 0.09375).scatter(-1, favourites[:, None], 0.53125)
    chances = 0.6 + 0.39 * torch.rand(K, generator=g)
    return Case("both models' favourites", (probabilities, probabilities.clone(), favourites, chances))


def _more_of_it(g: Generator) -> Case:
    """No favourites, but the large model has more of them than the small one: kept whatever the chance."""
    K, V = 2 + int(torch.randint(3, (), generator=g)), 7
    drafted = torch.randint(1, V, (K,), generator=g)
    small, large = torch.full((K, V), 0.125), torch.full((K, V), 0.03125)
    small[:, 0], large[:, 0] = 0.25, 0.59375
    large = large.scatter(-1, drafted[:, None], 0.25)
    return Case(
        "no favourite, but more of it", (large, small, drafted, 0.7 + 0.25 * torch.rand(K, generator=g))
    )


def _a_little_less_of_each(g: Generator) -> Case:
    """Ratios of 3/4, and chances between 9/16 and 3/4: all are kept, since each has a chance of its own."""
    K, V = 2 + int(torch.randint(3, (), generator=g)), 5
    drafted = torch.randint(V, (K,), generator=g)
    small = torch.full((K, V), 0.125).scatter(-1, drafted[:, None], 0.5)
    large = torch.full((K, V), 0.15625).scatter(-1, drafted[:, None], 0.375)
    return Case("a little less of each", (large, small, drafted, 0.6 + 0.1 * torch.rand(K, generator=g)))


def _never_written() -> Case:
    target = torch.tensor([[0.5, 0.0, 0.5], [0.25, 0.25, 0.5]])
    draft = torch.tensor([[0.25, 0.5, 0.25], [0.5, 0.25, 0.25]])
    return Case("a token that the target never writes", (target, draft, torch.tensor([1, 2]), torch.zeros(2)))


@exercise.alternative
def accepted_in_a_loop(target, draft, drafted, chances):
    kept = 0
    for p, q, token, chance in zip(target, draft, drafted, chances, strict=True):
        if chance >= p[token] / q[token]:
            break
        kept += 1
    return kept


@exercise.alternative
def accepted_with_gather(target, draft, drafted, chances):
    p = target.gather(1, drafted[:, None]).squeeze(1)
    q = draft.gather(1, drafted[:, None]).squeeze(1)
    turned_down = (chances * q >= p).nonzero()
    return len(drafted) if len(turned_down) == 0 else turned_down[0].item()


@exercise.alternative
def accepted_by_the_first(target, draft, drafted, chances):
    K = len(drafted)
    kept = [bool(chances[i] < target[i, drafted[i]] / draft[i, drafted[i]]) for i in range(K)]
    return [*kept, False].index(False)


exercise.slip(
    "all_that_pass",
    "kept.long().cumprod(dim=0) → (chances < target[places, drafted] / draft[places, drafted])",
).says(
    "All tokens that pass are counted: those after the first that is rejected were drafted for a "
    "different text, and go with it."
)
exercise.slip(
    "every_place_for_every_token",
    "target[places, drafted] → target[:, drafted]",
    "draft[places, drafted] → draft[:, drafted]",
).says(
    "target[:, drafted] takes all drafted tokens at each place, K × K numbers: pair them with the places, "
    "so that each place takes its own."
)
exercise.slip("first_no_by_argmax", "kept.long().cumprod(dim=0).sum() → (~kept).long().argmax()").says(
    "Argmax finds the first token that is rejected; where none is, it says 0, as if the first were."
)
exercise.slip(
    "ratio_turned_over",
    "target[places, drafted] → draft[places, drafted]",
    "draft[places, drafted] → target[places, drafted]",
).says("The ratio is upside down: a token is kept for sure where the target has more of it.")
exercise.slip(
    "chances_above",
    "chances < target[places, drafted] / draft[places, drafted] → chances > target[places, drafted] / "
    "draft[places, drafted]",
).says("A token is kept where its chance lies above the ratio: then what the target likes is rejected.")
exercise.slip("target_alone", " / draft[places, drafted] →").says(
    "A token is kept with the target's probability alone: it was drawn from the draft already, so the "
    "ratio of the two decides."
)
exercise.slip(
    "only_where_more",
    "chances < target[places, drafted] / draft[places, drafted] → target[places, drafted] >= "
    "draft[places, drafted]",
).says("Tokens are kept only where the target has more of them: with less they sometimes stay, by chance.")
exercise.slip(
    "the_best_only",
    "chances < target[places, drafted] / draft[places, drafted] → drafted == torch.argmax(target, dim=-1)",
).says(
    "Tokens are kept only where they are the target's best: then the text is greedy, and not a sample from "
    "the target."
)
exercise.slip(
    "one_too_many",
    "int(kept.long().cumprod(dim=0).sum()) → min(len(drafted), int(kept.long().cumprod(dim=0).sum()) + 1)",
).says("The token that is rejected is counted too: only those before it stay.")
exercise.slip(
    "own_token_counted",
    "int(kept.long().cumprod(dim=0).sum()) → int(kept.long().cumprod(dim=0).sum()) + 1",
).says("One more is counted, as if the large model's own token were a draft: count the drafts that stay.")
exercise.slip("kept_where_equal", "chances < target → chances <= target").says(
    "A chance equal to the ratio is kept too, so a chance of 0 keeps a token that the large model never "
    "writes: the chance has to be below the ratio."
)
exercise.slip(
    "all_or_nothing", "int(kept.long().cumprod(dim=0).sum()) → len(drafted) if bool(kept.all()) else 0"
).says("One token rejected takes all others with it: those before it stay.")
exercise.slip(
    "ratios_multiplied",
    "chances < target[places, drafted] / draft[places, drafted] → chances < (target[places, drafted] / "
    "draft[places, drafted]).cumprod(dim=0)",
).says(
    "The ratios are multiplied along the drafts: each chance is compared with its own token's ratio alone."
)
exercise.slip(
    "first_place_alone",
    "target[places, drafted] / draft[places, drafted] → target[0, drafted] / draft[0, drafted]",
).says("All tokens are looked up in the first place's distributions: each place has a row of its own.")

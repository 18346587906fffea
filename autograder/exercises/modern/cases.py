"""What has come since 2017, its cases: what each exercise's answer is called with.

Every generator decides sizes and values afresh; tensors are small enough to be read.
"""

import math

import torch
from torch import Generator, Tensor

from helpers.checking.calling.drivers import Case

# -- the block ---------------------------------------------------------------------------------------------


def rms_cases(g: Generator) -> list[Case]:
    """Few channels and many, a vector of zeros, small numbers with another eps, far from 0, float64."""
    few, many = 3, 6
    weight, wide = 1 + 0.5 * _normal(g, few), 1 + 0.5 * _normal(g, many)
    empty = torch.cat([torch.zeros(1, few), _normal(g, 1, few)])
    return [
        Case("a batch", (_normal(g, 2, 4, few), weight)),
        Case("one vector", (2 * _normal(g, many), wide)),
        Case("a vector of zeros", (empty, weight)),
        Case("small numbers, another eps", (0.01 * _normal(g, 2, many), wide), {"eps": 1e-3}),
        Case("far from 0", (20 + _normal(g, 2, many), wide)),
        Case("float64", (_normal(g, 5, few, dtype=torch.float64), weight.double())),
    ]


def gated_cases(g: Generator) -> list[Case]:
    """Wider inside and narrower, one sequence and a batch."""

    def case(title: str, C: int, d_ff: int, *shape: int, dtype: torch.dtype = torch.float32) -> Case:
        weights = _network(g, C, d_ff, "", dtype)
        return Case(title, ({"d_model": C, "d_ff": d_ff}, weights, _normal(g, *shape, C, dtype=dtype)))

    return [
        case("wider inside", 2, 5, 3),
        case("a batch", 3, 4, 2, 5),
        case("narrower inside", 4, 3, 2),
        case("float64", 3, 5, 2, 1, dtype=torch.float64),
    ]


def width_cases(g: Generator) -> list[Case]:
    """Llama's own width, multiples hit exactly and missed, a fraction to drop."""
    multiple = 8 + int(torch.randint(40, (), generator=g))
    times = 2 + int(torch.randint(20, (), generator=g))
    exact = 3 * multiple * times  # an even number of thirds, or not: 2/3 of it is 2·multiple·times
    return [
        Case("Llama 7B", (16_384, 256)),
        Case("a multiple already", (exact, multiple)),
        Case("a little more than a multiple", (exact + 3, multiple)),
        Case("just below a multiple", (exact - 2, multiple)),
        Case("a multiple and a fraction", (exact + 1, multiple)),
        Case("no rounding but to whole numbers", (11 + 3 * times, 1)),
    ]


def interleaved_cases(g: Generator) -> list[Case]:
    """One head and several, two pairs of features and more."""
    return [
        Case("one head, three pairs", (_normal(g, 6, 2), 1)),
        Case("two heads, two pairs", (_normal(g, 8, 3), 2)),
        Case("three heads, four pairs", (_normal(g, 24, 1), 3)),
        Case("float64", (_normal(g, 12, 5, dtype=torch.float64), 2)),
    ]


def attention_cases(g: Generator) -> list[Case]:
    """As many heads of keys as of queries, fewer, one for all; float64."""

    def case(title: str, C: int, H: int, G: int, *shape: int, dtype: torch.dtype = torch.float32) -> Case:
        sizes = {"d_model": C, "n_heads": H, "n_groups": G}
        return Case(title, (sizes, _attention(g, C, H, G, "", dtype), _normal(g, *shape, C, dtype=dtype)))

    return [
        case("two heads, each with its own keys", 4, 2, 2, 1, 3),
        case("four heads, two of keys", 8, 4, 2, 1, 3),
        case("two sequences, one head of keys for all", 8, 2, 1, 2, 4),
        case("float64", 6, 3, 1, 1, 4, dtype=torch.float64),
    ]


def block_cases(g: Generator) -> list[Case]:
    """One head and several, a batch, float64."""

    def case(
        title: str, C: int, H: int, G: int, d_ff: int, *shape: int, dtype: torch.dtype = torch.float32
    ) -> Case:
        sizes = {"d_model": C, "n_heads": H, "n_groups": G, "d_ff": d_ff}
        weights = _attention(g, C, H, G, "attention.", dtype) | _network(g, C, d_ff, "feed_forward.", dtype)
        weights |= {name: 1 + _normal(g, C, spread=0.4, dtype=dtype) for name in ("norm_1", "norm_2")}
        return Case(title, (sizes, weights, 2 * _normal(g, *shape, C, dtype=dtype)))

    return [
        case("one head", 4, 1, 1, 5, 1, 3),
        case("two heads, one of keys", 4, 2, 1, 6, 1, 5),
        case("two sequences, float64", 4, 2, 2, 3, 2, 5, dtype=torch.float64),
    ]


# -- a mixture of experts ----------------------------------------------------------------------------------


def gates_cases(g: Generator) -> list[Case]:
    """One token and many, the best alone, all experts, scores far apart."""
    return [
        Case("three tokens, two of four experts", (_scores(g, 3, 4, spread=1.5), 2)),
        Case("one token", (_scores(g, 6), 3)),
        Case("the best alone", (_scores(g, 2, 3, 5), 1)),
        Case("all of them", (_scores(g, 4, 3), 3)),
        Case("far below 0", (_scores(g, 2, 5) - 8, 2)),
        Case("float64", (_scores(g, 2, 6, dtype=torch.float64), 4)),
    ]


def mixture_cases(g: Generator) -> list[Case]:
    """Two experts for each token and one, an expert that nobody asks, experts that read nothing else."""

    def case(title: str, N: int, C: int, E: int, k: int, *, strict: bool = False, idle: bool = False) -> Case:
        scores = _scores(g, N, E)
        if idle:
            scores[:, -1] = -9
        x, shares = _normal(g, N, C), _gates(scores, k)
        if strict:
            signs = torch.where(shares > 0, 1.0, -1.0)
            x[:, :E] = (x[:, :E].abs() + 0.25) * signs
        kind = "experts who read nothing but their own" if strict else "experts"
        recipe = {"layer": kind, "weights": [_normal(g, C, C, spread=0.7) for _ in range(E)]}
        return Case(title, (x, shares, recipe))

    return [
        case("two of three experts for each token", 4, 2, 3, 2),
        case("one expert for each", 5, 3, 4, 1),
        case("an expert whom nobody asks", 3, 2, 4, 2, idle=True),
        case("experts who can't read others' tokens", 5, 4, 3, 2, strict=True),
    ]


def balance_cases(g: Generator) -> list[Case]:
    """One expert for each token and more, few tokens and many, nearly everything sent to one."""
    crowded = _scores(g, 6, 4)
    crowded[:, 1] += 6
    return [
        Case("one of three experts", (_scores(g, 5, 3), 1)),
        Case("two of four", (_scores(g, 7, 4, spread=1.5), 2)),
        Case("crowded", (crowded, 1)),
        Case("two of five, float64", (_scores(g, 4, 5, dtype=torch.float64), 2)),
    ]


# -- cheaper to run ----------------------------------------------------------------------------------------


def quantized_cases(g: Generator) -> list[Case]:
    """Rows of very different size, a row of zeros, the largest number negative, float64."""
    rows = _normal(g, 3, 5) * torch.tensor([[1.0], [0.02], [9.0]])
    empty = _normal(g, 3, 4)
    empty[int(torch.randint(3, (), generator=g))] = 0
    negative = _normal(g, 2, 6)
    negative[:, 3] = -5 - negative[:, 3].abs()
    return [
        Case("rows of different size", (rows,)),
        Case("a row of zeros", (empty,)),
        Case("the largest is negative", (negative,)),
        Case("float64", (_normal(g, 4, 3, dtype=torch.float64),)),
    ]


def quantized_linear_cases(g: Generator) -> list[Case]:
    """One vector and a batch, rows of different scale."""

    def case(title: str, rows: int, columns: int, *shape: int, dtype: torch.dtype = torch.float32) -> Case:
        whole = torch.randint(-127, 128, (rows, columns), generator=g).to(torch.int8)
        scales = (1 + torch.rand(rows, 1, generator=g, dtype=dtype) * 7) / 128
        return Case(title, (_normal(g, *shape, columns, spread=1.7, dtype=dtype), whole, scales))

    return [
        case("one vector", 3, 4),
        case("a batch", 5, 4, 2, 3),
        case("float64", 2, 6, 3, dtype=torch.float64),
    ]


def adjusted_cases(g: Generator) -> list[Case]:
    """Few tokens and many, a token that the draft alone knows, one that the target alone knows."""
    draft, target = _probabilities(g, 5), _probabilities(g, 5)
    draft[2], target[4] = 0, 0
    return [
        Case("four tokens", (_probabilities(g, 4), _probabilities(g, 4))),
        Case("tokens that one model alone knows", (target / target.sum(), draft / draft.sum())),
        Case("two tokens", (torch.tensor([0.25, 0.75]), torch.tensor([0.625, 0.375]))),
        Case("float64", (_probabilities(g, 7, torch.float64), _probabilities(g, 7, torch.float64))),
    ]


def accepted_cases(g: Generator) -> list[Case]:
    """All kept, none, a few; one turned down in the middle; a token that the target never writes."""

    def case(title: str, wanted: list[bool], V: int) -> Case:
        K = len(wanted)
        draft = torch.stack([_probabilities(g, V) for _ in wanted])
        target = torch.stack([_probabilities(g, V) for _ in wanted])
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
        case("all are kept", [True] * long, 8),
        case("the first is turned down", [False, True, True], 4),
        case("one in the middle is turned down", [number != place for number in range(long)], 9),
        case("the last is turned down", [True] * last + [False], 7),
        _favourites(g),
        _more_of_it(g),
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


def _never_written() -> Case:
    target = torch.tensor([[0.5, 0.0, 0.5], [0.25, 0.25, 0.5]])
    draft = torch.tensor([[0.25, 0.5, 0.25], [0.5, 0.25, 0.25]])
    return Case("a token that the target never writes", (target, draft, torch.tensor([1, 2]), torch.zeros(2)))


def tokens_cases(g: Generator) -> list[Case]:
    """A few shares, drafts that are always kept, and never."""
    share = round(0.3 + 0.6 * float(torch.rand((), generator=g)), 3)
    K = 2 + int(torch.randint(12, (), generator=g))
    return [
        Case("four drafted, four of five kept", (0.8, 4)),
        Case("another share", (share, K)),
        Case("always kept", (1.0, K)),
        Case("never kept", (0.0, 3)),
        Case("one drafted", (share, 1)),
        Case("none drafted", (share, 0)),
    ]


# -- choices -------------------------------------------------------------------------------------------------


def choose(options: dict[str, list]) -> list[Case]:
    """The one case of a choice: its slots, and what may stand in each."""
    return [Case("", (options,))]


# -- building blocks -----------------------------------------------------------------------------------------


def _normal(g: Generator, *shape: int, spread: float = 1, dtype: torch.dtype = torch.float32) -> Tensor:
    """Random numbers with few digits."""
    return (16 * spread * torch.randn(*shape, generator=g, dtype=dtype)).round() / 16


def _scores(g: Generator, *shape: int, spread: float = 1, dtype: torch.dtype = torch.float32) -> Tensor:
    """A router's scores, no two of a row alike."""
    return _normal(g, *shape, spread=spread, dtype=dtype) + torch.arange(shape[-1], dtype=dtype) / 128


def _matrix(g: Generator, rows: int, columns: int, dtype: torch.dtype) -> Tensor:
    return _normal(g, rows, columns, spread=1.5 / math.sqrt(columns), dtype=dtype)


def _network(g: Generator, C: int, d_ff: int, prefix: str, dtype: torch.dtype) -> dict[str, Tensor]:
    """The maps of a network with a gate, by name."""
    shapes = {"W_gate": (d_ff, C), "W_up": (d_ff, C), "W_down": (C, d_ff)}
    return {f"{prefix}{name}.weight": _matrix(g, *shape, dtype) for name, shape in shapes.items()}


def _attention(g: Generator, C: int, H: int, G: int, prefix: str, dtype: torch.dtype) -> dict[str, Tensor]:
    """The parameters of grouped attention, by name."""
    D = C // H
    shapes = {"W_q": (H * D, C), "W_k": (G * D, C), "W_v": (G * D, C), "W_o": (C, C)}
    made = {f"{prefix}{name}.weight": _matrix(g, *shape, dtype) for name, shape in shapes.items()}
    norms = {f"{prefix}{name}": 1 + _normal(g, D, spread=0.4, dtype=dtype) for name in ("norm_q", "norm_k")}
    return made | norms


def _gates(scores: Tensor, k: int) -> Tensor:
    """Shares of the k best of each row, with few digits."""
    best = scores.topk(k, dim=-1)
    shares = torch.zeros_like(scores).scatter(-1, best.indices, best.values.softmax(-1))
    return (64 * shares).round() / 64


def _probabilities(g: Generator, V: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """A distribution over V tokens, none of which is impossible."""
    return (1.5 * torch.randn(V, generator=g, dtype=dtype)).softmax(dim=-1)

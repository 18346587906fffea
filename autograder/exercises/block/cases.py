"""The block's cases: what each exercise's answer is called with.

Every generator decides sizes and values afresh; tensors are small enough to be read.
"""

import math

import torch
from torch import Generator, Tensor

from helpers.checking.calling.drivers import Case

# -- tokens to vectors and back ------------------------------------------------------------------------------


def embed_cases(g: Generator) -> list[Case]:
    """One sequence and several, shorter than the table of positions and as long, several widths."""
    T = 3 + int(torch.randint(2, (), generator=g))
    return [
        Case("one sequence", (_ids(g, 7, T), _normal(g, 7, 2), _normal(g, 6, 2))),
        Case("a batch", (_ids(g, 9, 2, 4), _normal(g, 9, 3), _normal(g, 8, 3))),
        Case("as long as the table of positions", (_ids(g, 4, 5), _normal(g, 4, 6), _normal(g, 5, 6))),
        Case("two batch axes", (_ids(g, 5, 2, 1, 3), _normal(g, 5, 8), _normal(g, 4, 8))),
        Case("float64", (_ids(g, 6, 3, 2), _normal(g, 6, 5, dtype=torch.float64), _normal(g, 7, 5).double())),
    ]


def unembed_cases(g: Generator) -> list[Case]:
    """One sequence, a batch, a single vector."""
    return [
        Case("one sequence", (_normal(g, 3, 4), _normal(g, 6, 4))),
        Case("a batch", (_normal(g, 2, 3, 5), _normal(g, 7, 5))),
        Case("one vector", (_normal(g, 2), _normal(g, 5, 2))),
        Case("float64", (_normal(g, 4, 3, dtype=torch.float64), _normal(g, 8, 3, dtype=torch.float64))),
    ]


# -- norm and activation -------------------------------------------------------------------------------------


def norm_cases(g: Generator) -> list[Case]:
    """Few channels and many, a constant vector, far from 0, one position and several."""
    few, many = 3, 8
    weight, bias = 1 + 0.5 * _normal(g, few), _normal(g, few)
    wide = 1 + 0.5 * _normal(g, many), _normal(g, many)
    flat = torch.cat([_normal(g, 1, few), torch.full((1, few), 2.0)])
    near = 0.01 * _normal(g, 2, many)
    far = 100 + (64 * torch.randn(2, many, generator=g)).round() / 64  # float32 has their means exactly
    return [
        Case("a batch", (_normal(g, 2, 4, few), weight, bias)),
        Case("one vector", (2 * _normal(g, many), *wide)),
        Case("a vector whose channels are alike", (flat, weight, bias)),
        Case("small numbers, another eps", (near, *wide), {"eps": 1e-3}),
        Case("far from 0", (far, *wide)),
        Case("float64", (_normal(g, 5, few, dtype=torch.float64), weight.double(), bias.double())),
    ]


def gelu_cases(g: Generator) -> list[Case]:
    """Between -4 and 4, far out on both sides, exactly 0."""
    far = torch.tensor([-60.0, -12.0, 0.0, 12.0, 60.0])[torch.randperm(5, generator=g)]
    return [
        Case("a few numbers", (_normal(g, 5, spread=2),)),
        Case("a batch", (_normal(g, 2, 3, 4, spread=1.5),)),
        Case("far from 0, and 0 itself", (far,)),
        Case("float64", (_normal(g, 3, 2, dtype=torch.float64),)),
    ]


def feed_forward_cases(g: Generator) -> list[Case]:
    """Wider inside and narrower, one sequence and a batch."""

    def case(title: str, C: int, d_ff: int, *shape: int, dtype: torch.dtype = torch.float32) -> Case:
        weights = _linear(g, "W_up", d_ff, C, dtype) | _linear(g, "W_down", C, d_ff, dtype)
        return Case(title, ({"d_model": C, "d_ff": d_ff}, weights, _normal(g, *shape, C, dtype=dtype)))

    return [
        case("four times as wide inside", 2, 8, 3),
        case("a batch", 3, 5, 2, 4),
        case("narrower inside", 4, 3, 5),
        case("float64", 3, 4, 2, 1, dtype=torch.float64),
    ]


# -- the residual path ---------------------------------------------------------------------------------------


def sublayer_cases(g: Generator) -> list[Case]:
    """Norm first and last, on sublayers and norms that don't commute."""

    def case(title: str, C: int, *shape: int, dtype: torch.dtype = torch.float32, **kwargs: bool) -> Case:
        sublayer = {"layer": "a map with a tanh", "weights": [_normal(g, C, C, dtype=dtype)]}
        norm = {
            "layer": "a norm",
            "weights": [1 + 0.5 * _normal(g, C, dtype=dtype), _normal(g, C, dtype=dtype)],
        }
        return Case(title, (2 * _normal(g, *shape, C, dtype=dtype), sublayer, norm), kwargs)

    return [
        case("norm first", 3, 2),
        case("norm last", 4, 3, norm_first=False),
        case("norm first, said so, a batch", 3, 2, 4, norm_first=True),
        case("norm last, a batch, float64", 2, 3, 5, norm_first=False, dtype=torch.float64),
    ]


def dropout_cases(g: Generator) -> list[Case]:
    """Little and much, none, in evaluation."""

    def case(title: str, p: float, training: bool, *shape: int, dtype: torch.dtype = torch.float32) -> Case:
        chances = torch.rand(*shape, generator=g, dtype=dtype)
        # Neither all nor none of a few numbers may fall on one side.
        chances.view(-1)[:2] = torch.tensor([p / 2, (1 + p) / 2], dtype=dtype)
        return Case(title, (1 + _normal(g, *shape, dtype=dtype).abs(), p, training, chances))

    return [
        case("a fifth, while training", 0.2, True, 6),
        case("half, a batch", 0.5, True, 2, 3, 4),
        case("not while training", 0.4, False, 3, 2),
        case("nothing to drop", 0.0, True, 2, 4),
        case("float64", 0.75, True, 5, 3, dtype=torch.float64),
    ]


# -- the block and the model ---------------------------------------------------------------------------------


def block_cases(g: Generator) -> list[Case]:
    """One head and two, with a causal mask, with padding, float64."""
    padding = torch.tensor([[True, True, False], [True, True, True]])[torch.randperm(2, generator=g)]
    return [
        Case("one head", (_sizes(4, 1, 5), _block(g, 4, 5), _normal(g, 1, 3, 4))),
        Case(
            "two heads, no word sees a later one",
            (_sizes(4, 2, 6), _block(g, 4, 6), _normal(g, 1, 3, 4)),
            {"mask": torch.ones(3, 3, dtype=torch.bool).tril()},
        ),
        Case(
            "two sentences, a mask (B, 1, 1, T) that hides padding",
            (_sizes(4, 2, 3), _block(g, 4, 3), _normal(g, 2, 3, 4)),
            {"mask": padding[:, None, None]},
        ),
        Case(
            "float64",
            (_sizes(6, 3, 4), _block(g, 6, 4, dtype=torch.float64), _normal(g, 1, 2, 6, dtype=torch.float64)),
        ),
    ]


def model_cases(g: Generator) -> list[Case]:
    """One block and two, one head and two, a batch, float64."""
    one = {"vocabulary": 7, "d_model": 4, "n_heads": 1, "n_layers": 1, "positions": 9}
    two = {**one, "n_heads": 2, "n_layers": 2}
    return [
        Case("one block", (one, _model(g, one), _ids(g, 7, 1, 3))),
        Case("two blocks", (two, _model(g, two), _ids(g, 7, 1, 3))),
        Case("a batch, float64", (one, _model(g, one, torch.float64), _ids(g, 7, 2, 5))),
    ]


def initial_std_cases(g: Generator) -> list[Case]:
    """Each kind of parameter, several depths, another std."""
    n, m, k = (2 + torch.randperm(9, generator=g)[:3]).tolist()
    std = (1 + int(torch.randint(30, (), generator=g))) / 100
    return [
        Case("the last map of the feed-forward network", ("blocks.0.feed_forward.W_down.weight", n)),
        Case("the last map of attention", (f"blocks.{n}.attention.W_o.weight", m, std)),
        Case("its first", ("blocks.0.feed_forward.W_up.weight", k, std)),
        Case("queries", ("blocks.0.attention.W_q.weight", n)),
        Case("the words", ("words.weight", m)),
        Case("one block", ("blocks.0.attention.W_o.weight", 1, std)),
    ]


def gpt2_cases(g: Generator) -> list[Case]:
    """One layer and two, small enough to read; square maps among them, so that a transpose must be known."""

    def case(title: str, C: int, n_layers: int, dtype: torch.dtype = torch.float32) -> Case:
        return Case(title, (_gpt2(g, C, n_layers, dtype), n_layers))

    return [case("one layer", 3, 1), case("two layers, float64", 2, 2, torch.float64)]


def _gpt2(g: Generator, C: int, n_layers: int, dtype: torch.dtype) -> dict[str, Tensor]:
    """A state dict as `transformers` has it; the head is there as well, as it is in its files."""
    words = _normal(g, 2, C, dtype=dtype)
    state = {"transformer.wte.weight": words, "transformer.wpe.weight": _normal(g, 1, C, dtype=dtype)}
    shapes = {
        "ln_1": (C,), "attn.c_attn": (C, 3 * C), "attn.c_proj": (C, C), "ln_2": (C,), "mlp.c_fc": (C, C + 1),
        "mlp.c_proj": (C + 1, C),
    }  # fmt: skip
    for layer in range(n_layers):
        for name, shape in shapes.items():
            state[f"transformer.h.{layer}.{name}.weight"] = _normal(g, *shape, dtype=dtype)
            state[f"transformer.h.{layer}.{name}.bias"] = _normal(g, shape[-1], dtype=dtype)
    state["transformer.ln_f.weight"] = _normal(g, C, dtype=dtype)
    state["transformer.ln_f.bias"] = _normal(g, C, dtype=dtype)
    return state | {"lm_head.weight": words}


# -- choices -------------------------------------------------------------------------------------------------


def choose(options: dict[str, list]) -> list[Case]:
    """The one case of a choice: its slots, and what may stand in each."""
    return [Case("", (options,))]


# -- building blocks -----------------------------------------------------------------------------------------


def _sizes(d_model: int, n_heads: int, d_ff: int) -> dict[str, int]:
    return {"d_model": d_model, "n_heads": n_heads, "d_ff": d_ff}


def _normal(g: Generator, *shape: int, spread: float = 1, dtype: torch.dtype = torch.float32) -> Tensor:
    """Random numbers with few digits."""
    return (16 * spread * torch.randn(*shape, generator=g, dtype=dtype)).round() / 16


def _ids(g: Generator, V: int, *shape: int) -> Tensor:
    """Tokens, none of which has its position's number."""
    ids = torch.randint(0, V, shape, generator=g)
    return torch.where(ids == torch.arange(shape[-1]), (ids + 1) % V, ids)


def _linear(g: Generator, name: str, rows: int, columns: int, dtype: torch.dtype) -> dict[str, Tensor]:
    weight = _normal(g, rows, columns, spread=1.5 / math.sqrt(columns), dtype=dtype)
    return {f"{name}.weight": weight, f"{name}.bias": _normal(g, rows, spread=0.5, dtype=dtype)}


def _block(
    g: Generator, C: int, d_ff: int, prefix: str = "", dtype: torch.dtype = torch.float32
) -> dict[str, Tensor]:
    """A block's parameters by name, large enough to matter."""
    made: dict[str, Tensor] = {}
    for name in ("W_q", "W_k", "W_v", "W_o"):
        made |= _linear(g, f"{prefix}attention.{name}", C, C, dtype)
    made |= _linear(g, f"{prefix}feed_forward.W_up", d_ff, C, dtype)
    made |= _linear(g, f"{prefix}feed_forward.W_down", C, d_ff, dtype)
    for name in ("norm_1", "norm_2"):
        made |= _norm(g, prefix + name, C, dtype)
    return made


def _norm(g: Generator, name: str, C: int, dtype: torch.dtype) -> dict[str, Tensor]:
    weight, bias = (_normal(g, C, spread=0.4, dtype=dtype) for _ in range(2))
    return {f"{name}.weight": 1 + weight, f"{name}.bias": bias}


def _model(g: Generator, sizes: dict[str, int], dtype: torch.dtype = torch.float32) -> dict[str, Tensor]:
    C = sizes["d_model"]
    made = {"words.weight": _normal(g, sizes["vocabulary"], C, dtype=dtype)}
    made["positions.weight"] = _normal(g, sizes["positions"], C, dtype=dtype)
    for number in range(sizes["n_layers"]):
        made |= _block(g, C, 4 * C, f"blocks.{number}.", dtype)
    return made | _norm(g, "norm", C, dtype)

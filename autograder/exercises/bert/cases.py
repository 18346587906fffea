"""Lesson 10's cases: what each exercise's answer is called with.

Special tokens have the numbers of `helpers.text.vocabulary`; words begin at 6. What chance decides is judged
by statistics, in `helpers.bert.recipes`.
"""

import torch
from torch import Generator, Tensor

from helpers.checking.calling.drivers import GENERATOR, Case
from helpers.models.blocks import PRE_NORM
from helpers.models.transformer import Encoder, EncoderConfig
from helpers.text.vocabulary import BOS, CLS, MASK, ORDINARY, PAD, SEP

# -- what BERT reads -----------------------------------------------------------------------------------------


def masking_cases(g: Generator) -> list[Case]:
    """Many draws of a batch; rows without words; a row alone."""
    vocabulary = _between(g, 36, 46)
    rows = torch.full((5, 64), PAD)
    for row, count in enumerate((40, 60, 20, 40, 40)):
        first = count // 2 - _between(g, 0, 3)
        words = _words(g, count, vocabulary)
        words[::4] = ORDINARY  # the first number that is a word's
        row_of = torch.cat([torch.tensor([CLS]), words[:first], torch.tensor([SEP]), words[first:],
                            torch.tensor([SEP])])  # fmt: skip
        rows[row, : len(row_of)] = row_of
    special = torch.tensor([[CLS, SEP, SEP, PAD], [CLS, SEP, PAD, SEP]])[:, torch.randperm(4, generator=g)]
    return [
        Case("the statistics of many draws", _masking(80, rows, vocabulary)),
        Case("rows of special tokens alone", _masking(4, special, vocabulary)),
        Case("another share", _masking(40, rows, vocabulary, 0.25 + _between(g, 0, 20) / 100)),
    ]


def _masking(calls: int, ids: Tensor, vocabulary: int, *share: float) -> tuple:
    judge = {"layer": "statistics of a masking", "weights": [vocabulary, *share]}
    return judge, calls, ids, vocabulary, GENERATOR, *share


def pairing_cases(g: Generator) -> list[Case]:
    """Documents whose passages are all different."""
    numbers = (torch.randperm(300, generator=g) + ORDINARY).tolist()
    documents = []
    for _ in range(22):
        lengths = _between(g, 1, 4), _between(g, 1, 4)
        documents.append([[numbers.pop() for _ in range(length)] for length in lengths])
    judge = {"layer": "statistics of pairs"}
    return [
        Case("the statistics of many draws", (judge, 60, documents[:20], GENERATOR)),
        Case("two documents", (judge, 60, documents[20:], GENERATOR)),
    ]


def pack_cases(g: Generator) -> list[Case]:
    """Room for all, a first that is too long, a second that is, both, and next to no room."""

    def passage(count: int) -> list[int]:
        return _words(g, count, 90).tolist()

    return [
        Case("there is room", (passage(_between(g, 2, 4)), passage(_between(g, 3, 6)), 20)),
        Case("it just fits", (passage(3), passage(5), 11)),
        Case("the first is too long", (passage(_between(g, 9, 12)), passage(3), 12)),
        Case("the second is too long", (passage(2), passage(_between(g, 8, 11)), 10)),
        Case("both have to give", (passage(_between(g, 6, 8)), passage(_between(g, 9, 12)), 11)),
        Case("both are of one length", (passage(5), passage(5), 10)),
        Case("room for no word", (passage(2), passage(1), 3)),
    ]


def segments_cases(g: Generator) -> list[Case]:
    """Two passages, with and without padding; one passage alone."""
    lengths = [(_between(g, 1, 3), _between(g, 2, 4)), (_between(g, 3, 5), 1), (2, _between(g, 3, 5))]
    return [
        Case("one row without padding", (_row(g, _between(g, 2, 4), 3, 0)[None],)),
        Case("three rows with padding", (_rows(g, lengths),)),
        Case("an empty second passage", (_rows(g, [(2, 0), (1, _between(g, 3, 5))]),)),
        Case("a passage alone", (_row(g, _between(g, 3, 5), None, 2)[None],)),
    ]


def key_mask_cases(g: Generator) -> list[Case]:
    """Rows with padding, with hidden words among them."""
    several = _rows(g, [(_between(g, 1, 3), 2), (3, _between(g, 3, 5)), (2, _between(g, 1, 4))])
    hidden = _rows(g, [(_between(g, 2, 5), 4), (2, _between(g, 1, 3))])
    hidden[:, 2] = MASK
    return [
        Case("one row without padding", (_row(g, 2, _between(g, 1, 3), 0)[None],)),
        Case("three rows with padding", (several,)),
        Case("hidden words", (hidden,)),
    ]


def embed_cases(g: Generator) -> list[Case]:
    """As many positions as tokens, more, and float64."""

    def case(
        title: str, size: tuple, table: tuple, dtype: torch.dtype = torch.float32, alone: bool = False
    ) -> Case:
        (B, T), (V, P, C) = size, table
        ids = torch.randint(V, size, generator=g)
        begins = torch.full((B, 1), T) if alone else torch.randint(1, T, (B, 1), generator=g)
        segments = (torch.arange(T) >= begins).long()
        tables = (_normal(g, V, C, dtype=dtype), _normal(g, P, C, dtype=dtype), _normal(g, 2, C, dtype=dtype))
        return Case(title, (ids, segments, *tables))

    return [
        case("as many positions as tokens", (2, 5), (7, 5, 3)),
        case("more positions than tokens", (3, 4), (8, 9, 5)),
        case("in float64", (2, 6), (9, 7, 4), torch.float64),
        case("one segment alone", (2, 3), (5, 4, 6), alone=True),
    ]


# -- the model -----------------------------------------------------------------------------------------------


def head_cases(g: Generator) -> list[Case]:
    """Vectors of several shapes."""

    def case(title: str, *shape: int, C: int = 4, V: int = 7, dtype: torch.dtype = torch.float32) -> Case:
        weights = _parameters(g, _word_head(C, V), dtype)
        inputs = _normal(g, *shape, C, dtype=dtype), _normal(g, V, C, dtype=dtype)
        return Case(title, ({"d_model": C, "vocabulary": V}, weights, *inputs))

    return [
        case("one row", 5),
        case("a batch", 2, 3, C=6, V=9),
        case("in float64", 3, 2, C=4, V=8, dtype=torch.float64),
    ]


def bert_cases(g: Generator) -> list[Case]:
    """Rows with and without padding."""
    settings = {"vocabulary": 9, "d_model": 4, "n_heads": 2, "d_ff": 6, "n_layers": 1, "positions": 10}

    def case(title: str, ids: Tensor) -> Case:
        return Case(title, (settings, _parameters(g, _bert(settings)), ids, _passages(ids)))

    return [
        case("one row without padding", _row(g, 2, _between(g, 1, 2), 0, vocabulary=9)[None]),
        case("two rows with padding", _rows(g, [(1, 1), (2, _between(g, 2, 3))], vocabulary=9)),
    ]


def classifier_cases(g: Generator) -> list[Case]:
    """Two and three classes, with padding."""
    sizes = {"vocabulary": 13, "d_model": 4, "n_heads": 2, "d_ff": 6, "n_layers": 1, "positions": 11}

    def case(title: str, ids: Tensor, classes: int) -> Case:
        settings = sizes | {"classes": classes}
        return Case(title, (settings, _parameters(g, _classifier(settings)), ids, _passages(ids)))

    return [
        case("one row without padding", _row(g, _between(g, 2, 3), 2, 0, vocabulary=13)[None], 2),
        case("two rows with padding, three classes", _rows(g, [(1, 2), (2, 4)], vocabulary=13), 3),
    ]


def _word_head(C: int, V: int) -> dict[str, tuple[int, ...]]:
    linear = {"transform.weight": (C, C), "transform.bias": (C,)}
    return linear | {"norm.weight": (C,), "norm.bias": (C,), "bias": (V,)}


def _encoder(sizes: dict) -> dict[str, tuple[int, ...]]:
    names = ("vocabulary", "d_model", "n_heads", "d_ff", "n_layers", "positions")
    encoder = Encoder(EncoderConfig(**{name: sizes[name] for name in names}, segments=2, style=PRE_NORM))
    return {f"encoder.{name}": tuple(weight.shape) for name, weight in encoder.named_parameters()}


def _bert(sizes: dict) -> dict[str, tuple[int, ...]]:
    C, V = sizes["d_model"], sizes["vocabulary"]
    head = {f"word_head.{name}": shape for name, shape in _word_head(C, V).items()}
    tops = {"pooler.weight": (C, C), "pooler.bias": (C,), "follows.weight": (2, C), "follows.bias": (2,)}
    return _encoder(sizes) | head | tops


def _classifier(sizes: dict) -> dict[str, tuple[int, ...]]:
    C, N = sizes["d_model"], sizes["classes"]
    tops = {
        "pooler.weight": (C, C),
        "pooler.bias": (C,),
        "classifier.weight": (N, C),
        "classifier.bias": (N,),
    }
    return _encoder(sizes) | tops


def _parameters(g: Generator, shapes: dict, dtype: torch.dtype = torch.float32) -> dict[str, Tensor]:
    """Weights that hide nothing: biases aren't 0, norms aren't the identity."""
    return {name: 0.7 * _normal(g, *shape, dtype=dtype) for name, shape in shapes.items()}


# -- losses, blanks, filling ---------------------------------------------------------------------------------


def blank_cases(g: Generator) -> list[Case]:
    """Blanks near the beginning, in the middle, at the end."""

    def case(title: str, T: int, place: int, candidates: int) -> Case:
        V, C = 12, 5
        weights = [_normal(g, V, C), _normal(g, C, 4), _normal(g, 4, V)]
        words = torch.cat([torch.tensor([BOS]), _words(g, T - 1, V)])
        those = torch.randperm(V - ORDINARY, generator=g)[:candidates] + ORDINARY
        return Case(title, ({"layer": "a small language model", "weights": weights}, words, place, those))

    return [
        case("a blank in the middle", 7, _between(g, 3, 4), 4),
        case("the first word after <bos>", 6, 1, 3),
        case("the last word", 5, 4, 4),
    ]


def fill_cases(g: Generator) -> list[Case]:
    """Some again, none, more than there are, special tokens that score highest, everywhere or once."""

    def case(
        title: str, B: int, T: int, hidden: int, again: int, special: bool = False, once: bool = False
    ) -> Case:
        V = 13
        ids = _words(g, B * T, V).view(B, T)
        for row in ids:
            row[torch.randperm(T - 2, generator=g)[:hidden] + 1] = MASK
        ids[:, 0], ids[:, -1] = CLS, SEP
        logits = 2 * _normal(g, B, T, V)
        logits[..., :ORDINARY] += 6.0 if special else -2.0
        if once:  # the surest of the words, and a special token above it
            first = (torch.arange(B), (ids == MASK).long().argmax(dim=-1))
            logits[first] += torch.tensor([16.0] * ORDINARY + [12.0] + [0.0] * (V - ORDINARY - 1))
        return Case(title, (ids, logits + 3 * _normal(g, B, T, 1), again))

    return [
        case("two of four are hidden again", 2, 8, 4, 2),
        case("none is hidden again", 3, 7, 3, 0),
        case("a special token has the highest score", 2, 9, 4, 1, special=True),
        case("a special token is above the surest word", 2, 8, 3, 1, once=True),
        case("more are asked for than there are", 2, 7, 2, 4),
        case("more are asked for than there are places", 1, 5, 2, 9),
    ]


def choose(options: dict[str, list]) -> list[Case]:
    """The one case of a choice: what can be chosen, slot by slot."""
    return [Case("", (options,))]


# -- parts ---------------------------------------------------------------------------------------------------


def _between(g: Generator, least: int, most: int) -> int:
    return int(torch.randint(least, most + 1, (), generator=g))


def _words(g: Generator, count: int, vocabulary: int) -> Tensor:
    return torch.randint(ORDINARY, vocabulary, (count,), generator=g)


def _normal(g: Generator, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(*shape, generator=g, dtype=torch.float64).to(dtype)


def _row(g: Generator, first: int, second: int | None, padding: int, vocabulary: int = 40) -> Tensor:
    """`[CLS]` words `[SEP]` words `[SEP]` `<pad>`, or with one passage alone."""
    row = [CLS, *_words(g, first, vocabulary).tolist(), SEP]
    if second is not None:
        row += [*_words(g, second, vocabulary).tolist(), SEP]
    return torch.tensor(row + [PAD] * padding)


def _rows(g: Generator, lengths: list[tuple[int, int]], vocabulary: int = 40) -> Tensor:
    """Packed rows, the shorter ones filled up. The number of columns differs from that of rows."""
    longest = max(first + second for first, second in lengths)
    return torch.stack([_row(g, a, b, longest - a - b, vocabulary) for a, b in lengths])


def _passages(ids: Tensor) -> Tensor:
    """The segments of packed rows."""
    is_separator = (ids == SEP).long()
    return (is_separator.cumsum(dim=-1) - is_separator == 1).long()


# -- a published checkpoint ----------------------------------------------------------------------------------


def renamed_cases(g: Generator) -> list[Case]:
    """One layer; three joined in two blocks of three; turned matrices; what neither side has."""
    C, F = 2, 3

    def layer(name: str, rows: int, columns: int, bias: bool = True) -> dict[str, Tensor]:
        weights = {f"{name}.weight": _normal(g, rows, columns)}
        return weights | ({f"{name}.bias": _normal(g, rows)} if bias else {})

    def norm(name: str) -> dict[str, Tensor]:
        return {f"{name}.weight": _normal(g, C), f"{name}.bias": _normal(g, C)}

    def joined() -> tuple[dict[str, Tensor], dict[str, list[str]], int]:
        published = layer("table", 4, C, bias=False)
        for n in range(3):
            for part in ("query", "key", "value"):  # as in a file, not in the order of their names
                published |= layer(f"layer.{n}.{part}", 1, C)
            published |= norm(f"layer.{n}.norm")
        sources = [f"layer.{{}}.{part}" for part in ("query", "key", "value")]
        names = {"words": ["table"], "blocks.{}.W_qkv": sources, "blocks.{}.norm_1": ["layer.{}.norm"]}
        return published, names, 2

    def turned() -> tuple[dict[str, Tensor], dict[str, list[str]], int, list[str]]:
        published = layer("wte", 4, C, bias=False)
        for n in range(3):
            published |= {f"h.{n}.attn.weight": _normal(g, C, F), f"h.{n}.attn.bias": _normal(g, F)}
        names = {"words": ["wte"], "blocks.{}.W_qkv": ["h.{}.attn"]}
        return published, names, 3, ["blocks.{}.W_qkv"]

    def turned_and_joined() -> tuple[dict[str, Tensor], dict[str, list[str]], int, list[str]]:
        published = {f"{part}.weight": _normal(g, C, F) for part in ("a", "b")}
        return published | norm("pooler"), {"maps": ["b", "a"]}, 1, ["maps"]

    first = layer("embeddings.table", 3, C, bias=False) | norm("embeddings.LayerNorm")
    return [
        Case("one layer, no blocks", (first, {"words": ["embeddings.table"]}, 0)),
        Case("three layers in one, two blocks of three", joined()),
        Case("matrices that are turned", turned()),
        Case("turned and joined, and one that no one asks for", turned_and_joined()),
    ]

"""Published weights under your names."""

import torch
from torch import Generator, Tensor

from exercises.bert import shared
from headstart import Case, Entry, inputs_unchanged, pick

exercise = Entry(
    id="bert.renamed",
    title="Published weights under your names",
    points=3,
    difficulty=3,
    minutes=12,
    returns=("weights",),
    properties=(inputs_unchanged,),
)


@exercise.reference
def renamed(published, names, n_layers, turned=()):
    found = {}
    for ours, theirs in names.items():
        for block in range(n_layers if "{}" in ours else 1):
            for kind in ("weight", "bias"):
                sources = [f"{their.format(block)}.{kind}" for their in theirs]
                parts = [published[source] for source in sources if source in published]
                if kind == "weight" and ours in turned:
                    parts = [part.T for part in parts]
                if parts:
                    found[f"{ours.format(block)}.{kind}"] = torch.cat(parts)
    return found


@exercise.cases
def renamed_cases(g: Generator) -> list[Case]:
    """Tables; three joined in two blocks of three; turned matrices; what one of the sides lacks."""
    C, F, rows = pick(g, (2, 3, 1), (4, 3, 5), (2, 5, 3), (3, 2, 1))

    def layer(name: str, rows: int, columns: int, bias: bool = True) -> dict[str, Tensor]:
        weights = {f"{name}.weight": shared.normal(g, rows, columns)}
        return weights | ({f"{name}.bias": shared.normal(g, rows)} if bias else {})

    def norm(name: str) -> dict[str, Tensor]:
        return {f"{name}.weight": shared.normal(g, C), f"{name}.bias": shared.normal(g, C)}

    def joined() -> tuple[dict[str, Tensor], dict[str, list[str]], int]:
        published = layer("table", 7, C, bias=False)
        for n in range(3):
            for part in ("query", "key", "value"):  # as in a file, not in the order of their names
                published |= layer(f"layer.{n}.{part}", rows, C)
            published |= norm(f"layer.{n}.norm")
        sources = [f"layer.{{}}.{part}" for part in ("query", "key", "value")]
        names = {"words": ["table"], "blocks.{}.W_qkv": sources, "blocks.{}.norm_1": ["layer.{}.norm"]}
        return published, names, 2

    def turned() -> tuple[dict[str, Tensor], dict[str, list[str]], int, list[str]]:
        published = layer("wte", 7, C, bias=False)
        for n in range(3):
            published |= {
                f"h.{n}.attn.weight": shared.normal(g, C, F),
                f"h.{n}.attn.bias": shared.normal(g, F),
            }
        names = {"words": ["wte"], "blocks.{}.W_qkv": ["h.{}.attn"]}
        return published, names, 3, ["blocks.{}.W_qkv"]

    def turned_and_joined() -> tuple[dict[str, Tensor], dict[str, list[str]], int, list[str]]:
        published = {f"{part}.weight": shared.normal(g, C, F) for part in ("a", "b")}
        return published | norm("pooler"), {"maps": ["b", "a"]}, 1, ["maps"]

    first = layer("embeddings.table", 5, C, bias=False) | norm("embeddings.LayerNorm")
    first |= layer("embeddings.kinds", 1, C, bias=False)
    tables = {"words": ["embeddings.table"], "segments": ["embeddings.kinds"], "head": ["lm_head"]}
    return [
        Case("no blocks, and a layer that the file lacks", (first, tables, 0)),
        Case("three layers in one, two blocks of three", joined()),
        Case("matrices to transpose", turned()),
        Case("transposed and joined, and one that nobody asks for", turned_and_joined()),
    ]


@exercise.alternative
def renamed_by_lists(published, names, n_layers, turned=()):
    state = dict()
    for our_layer in names:
        numbers = list(range(n_layers)) if "{}" in our_layer else [None]
        for number in numbers:
            our = our_layer if number is None else our_layer.replace("{}", str(number))
            weights, biases = [], []
            for their_layer in names[our_layer]:
                their = their_layer if number is None else their_layer.replace("{}", str(number))
                weight, bias = published.get(their + ".weight"), published.get(their + ".bias")
                if weight is not None:
                    weights.append(weight.transpose(0, 1) if our_layer in turned else weight)
                if bias is not None:
                    biases.append(bias)
            if weights:
                state[our + ".weight"] = torch.cat(weights, dim=0)
            if biases:
                state[our + ".bias"] = torch.cat(biases, dim=0)
    return state


@exercise.alternative
def renamed_from_the_file(published, names, n_layers, turned=()):
    rows = [
        (ours.format(n), [their.format(n) for their in theirs], ours in turned)
        for ours, theirs in names.items()
        for n in (range(n_layers) if ours != ours.format(0) else [0])
    ]
    rows = [row for row in rows if f"{row[1][0]}.weight" in published]
    weights = {
        f"{ours}.weight": torch.vstack(
            [published[f"{t}.weight"].t() if turn else published[f"{t}.weight"] for t in theirs]
        )
        if published[f"{theirs[0]}.weight"].dim() == 2
        else torch.hstack([published[f"{t}.weight"] for t in theirs])
        for ours, theirs, turn in rows
    }
    biases = {
        f"{ours}.bias": torch.hstack([published[f"{t}.bias"] for t in theirs])
        for ours, theirs, _ in rows
        if f"{theirs[0]}.bias" in published
    }
    return weights | biases


exercise.slip(
    "first_block_alone", 'n_layers if "{}" in ours else 1 → min(n_layers, 1) if "{}" in ours else 1'
).says("Only the first block is filled: {} takes every number from 0 to n_layers - 1.")
exercise.slip(
    "last_block_missing", 'n_layers if "{}" in ours else 1 → n_layers - 1 if "{}" in ours else 1'
).says("The last block is missing: range(n) already stops before n, so don't subtract 1.")
exercise.slip("biases_forgotten", '("weight", "bias") → ("weight",)').says(
    "Only the weights are moved: where the file has a bias, it belongs to the layer too."
)
exercise.slip("side_by_side", "torch.cat(parts) → torch.cat(parts, dim=-1)").says(
    "The matrices are put side by side: their rows belong one below the other, along axis 0, as a Linear "
    "has a row for each output."
)
exercise.slip("stacked", "torch.cat(parts) → torch.stack(parts) if len(parts) > 1 else parts[0]").says(
    "torch.stack puts the tensors on a new axis: torch.cat puts their rows one below the other."
)
exercise.slip(
    "sorted_by_name",
    '[f"{their.format(block)}.{kind}" for their in theirs] → [f"{their.format(block)}.{kind}" for their '
    "in sorted(theirs)]",
).says("The layers are joined in the order of their names: the table says in which order, query before key.")
exercise.slip("first_source_alone", "torch.cat(parts) → parts[0]").says(
    "Only the first of the published layers is taken: all those that the table lists together fill ours."
)
exercise.slip(
    "never_turned",
    '                if kind == "weight" and ours in turned:\n'
    "                    parts = [part.T for part in parts]\n"
    " →",
).says(
    "No matrix is transposed: those of the layers in `turned` are published as (in, out), ours are (out, in)."
)
exercise.slip(
    "all_turned",
    'kind == "weight" and ours in turned → kind == "weight" and turned and parts and parts[0].dim() == 2',
).says(
    "As soon as `turned` lists something, every matrix is transposed, the embedding too: transpose only "
    "the listed layers."
)
exercise.slip(
    "turned_after_joining",
    '                if kind == "weight" and ours in turned:\n'
    "                    parts = [part.T for part in parts]\n"
    " →",
    'torch.cat(parts) → torch.cat(parts).T if kind == "weight" and ours in turned else torch.cat(parts)',
).says(
    "The matrices are joined before they are transposed, so columns are put below each other as if they "
    "were rows: transpose each one, then join."
)
exercise.slip(
    "everything_kept",
    "return found → taken = {their.format(n) for theirs in names.values() for their in theirs for n in "
    "range(n_layers + 1)}\n"
    '    rest = {name: part for name, part in published.items() if name.rpartition(".")[0] not in taken}\n'
    "    return found | rest",
).says(
    "Tensors that the table doesn't name are kept under their published names: return only those that "
    "it names."
)
exercise.slip("published_names_kept", 'f"{ours.format(block)}.{kind}" → sources[0]').says(
    "The tensors come back under names of the file: the names of our layers are on the left of the table."
)
exercise.slip("every_layer_for_each_block", 'n_layers if "{}" in ours else 1 → n_layers').says(
    "The loop runs once for each block, for all layers alike: a name without {} belongs to no block, so "
    "its layer is there once, even if there are no blocks."
)
exercise.slip(
    "blocks_from_one",
    'range(n_layers if "{}" in ours else 1) → range(1, n_layers + 1) if "{}" in ours else [0]',
).says(
    "Blocks are counted from 1: they are numbered from 0, so the first is missing, and behind the last there "
    "is none."
)

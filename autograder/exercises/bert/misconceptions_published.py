"""Lesson 10's misconceptions about a published checkpoint.

A docstring is the sentence that the student reads. Each stands alone, with `torch` and `math` as its only
names, so that the class simulator can paste it.
"""

# ruff: noqa: D205  (a sentence may take two lines)

import torch


def first_block_alone(published, names, n_layers, turned=()):
    """Only the first block is filled: {} stands for every number below n_layers."""
    found = {}
    for ours, theirs in names.items():
        for block in range(min(n_layers, 1) if "{}" in ours else 1):
            for kind in ("weight", "bias"):
                sources = [f"{their.format(block)}.{kind}" for their in theirs]
                parts = [published[source] for source in sources if source in published]
                if kind == "weight" and ours in turned:
                    parts = [part.T for part in parts]
                if parts:
                    found[f"{ours.format(block)}.{kind}"] = torch.cat(parts)
    return found


def last_block_missing(published, names, n_layers, turned=()):
    """The last block is missing: range(n) ends before n by itself, so nothing has to be taken off."""
    found = {}
    for ours, theirs in names.items():
        for block in range(n_layers - 1 if "{}" in ours else 1):
            for kind in ("weight", "bias"):
                sources = [f"{their.format(block)}.{kind}" for their in theirs]
                parts = [published[source] for source in sources if source in published]
                if kind == "weight" and ours in turned:
                    parts = [part.T for part in parts]
                if parts:
                    found[f"{ours.format(block)}.{kind}"] = torch.cat(parts)
    return found


def biases_forgotten(published, names, n_layers, turned=()):
    """Only the weights are moved: where the file has a bias, it belongs to the layer too."""
    found = {}
    for ours, theirs in names.items():
        for block in range(n_layers if "{}" in ours else 1):
            for kind in ("weight",):
                sources = [f"{their.format(block)}.{kind}" for their in theirs]
                parts = [published[source] for source in sources if source in published]
                if kind == "weight" and ours in turned:
                    parts = [part.T for part in parts]
                if parts:
                    found[f"{ours.format(block)}.{kind}"] = torch.cat(parts)
    return found


def side_by_side(published, names, n_layers, turned=()):
    """The matrices are put side by side: their rows belong one below the other, along axis 0, as a Linear has
    a row for each output.
    """
    found = {}
    for ours, theirs in names.items():
        for block in range(n_layers if "{}" in ours else 1):
            for kind in ("weight", "bias"):
                sources = [f"{their.format(block)}.{kind}" for their in theirs]
                parts = [published[source] for source in sources if source in published]
                if kind == "weight" and ours in turned:
                    parts = [part.T for part in parts]
                if parts:
                    found[f"{ours.format(block)}.{kind}"] = torch.cat(parts, dim=-1)
    return found


def stacked(published, names, n_layers, turned=()):
    """torch.stack puts the tensors on a new axis: torch.cat puts their rows one below the other."""
    found = {}
    for ours, theirs in names.items():
        for block in range(n_layers if "{}" in ours else 1):
            for kind in ("weight", "bias"):
                sources = [f"{their.format(block)}.{kind}" for their in theirs]
                parts = [published[source] for source in sources if source in published]
                if kind == "weight" and ours in turned:
                    parts = [part.T for part in parts]
                if parts:
                    found[f"{ours.format(block)}.{kind}"] = torch.stack(parts) if len(parts) > 1 else parts[0]
    return found


def sorted_by_name(published, names, n_layers, turned=()):
    """The layers are joined in the order of their names: the table says in which order, query before key."""
    found = {}
    for ours, theirs in names.items():
        for block in range(n_layers if "{}" in ours else 1):
            for kind in ("weight", "bias"):
                sources = [f"{their.format(block)}.{kind}" for their in sorted(theirs)]
                parts = [published[source] for source in sources if source in published]
                if kind == "weight" and ours in turned:
                    parts = [part.T for part in parts]
                if parts:
                    found[f"{ours.format(block)}.{kind}"] = torch.cat(parts)
    return found


def first_source_alone(published, names, n_layers, turned=()):
    """Only the first of the published layers is taken: all that the table lists fill ours together."""
    found = {}
    for ours, theirs in names.items():
        for block in range(n_layers if "{}" in ours else 1):
            for kind in ("weight", "bias"):
                sources = [f"{their.format(block)}.{kind}" for their in theirs]
                parts = [published[source] for source in sources if source in published]
                if kind == "weight" and ours in turned:
                    parts = [part.T for part in parts]
                if parts:
                    found[f"{ours.format(block)}.{kind}"] = parts[0]
    return found


def never_turned(published, names, n_layers, turned=()):
    """No matrix is turned: those of the layers in `turned` are published as (in, out), ours are (out, in)."""
    found = {}
    for ours, theirs in names.items():
        for block in range(n_layers if "{}" in ours else 1):
            for kind in ("weight", "bias"):
                sources = [f"{their.format(block)}.{kind}" for their in theirs]
                parts = [published[source] for source in sources if source in published]
                if parts:
                    found[f"{ours.format(block)}.{kind}"] = torch.cat(parts)
    return found


def all_turned(published, names, n_layers, turned=()):
    """As soon as `turned` lists something, every matrix is turned, the embedding too: turn the listed layers
    alone.
    """
    found = {}
    for ours, theirs in names.items():
        for block in range(n_layers if "{}" in ours else 1):
            for kind in ("weight", "bias"):
                sources = [f"{their.format(block)}.{kind}" for their in theirs]
                parts = [published[source] for source in sources if source in published]
                if kind == "weight" and turned and parts and parts[0].dim() == 2:
                    parts = [part.T for part in parts]
                if parts:
                    found[f"{ours.format(block)}.{kind}"] = torch.cat(parts)
    return found


def turned_after_joining(published, names, n_layers, turned=()):
    """The matrices are joined before they are turned, so columns are put below each other as if they were
    rows: turn each one, then join.
    """
    found = {}
    for ours, theirs in names.items():
        for block in range(n_layers if "{}" in ours else 1):
            for kind in ("weight", "bias"):
                sources = [f"{their.format(block)}.{kind}" for their in theirs]
                parts = [published[source] for source in sources if source in published]
                if parts:
                    found[f"{ours.format(block)}.{kind}"] = (
                        torch.cat(parts).T if kind == "weight" and ours in turned else torch.cat(parts)
                    )
    return found


def everything_kept(published, names, n_layers, turned=()):
    """What the table doesn't name is kept under its published name: only what it names is asked for."""
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
    taken = {their.format(n) for theirs in names.values() for their in theirs for n in range(n_layers + 1)}
    rest = {name: part for name, part in published.items() if name.rpartition(".")[0] not in taken}
    return found | rest


def published_names_kept(published, names, n_layers, turned=()):
    """The tensors come back under names of the file: the names of our layers are on the left of the table."""
    found = {}
    for ours, theirs in names.items():
        for block in range(n_layers if "{}" in ours else 1):
            for kind in ("weight", "bias"):
                sources = [f"{their.format(block)}.{kind}" for their in theirs]
                parts = [published[source] for source in sources if source in published]
                if kind == "weight" and ours in turned:
                    parts = [part.T for part in parts]
                if parts:
                    found[sources[0]] = torch.cat(parts)
    return found


def every_layer_for_each_block(published, names, n_layers, turned=()):
    """The loop runs once for each block, for all layers alike: a name without {} belongs to no block, so its
    layer is there once even where there are no blocks.
    """
    found = {}
    for ours, theirs in names.items():
        for block in range(n_layers):
            for kind in ("weight", "bias"):
                sources = [f"{their.format(block)}.{kind}" for their in theirs]
                parts = [published[source] for source in sources if source in published]
                if kind == "weight" and ours in turned:
                    parts = [part.T for part in parts]
                if parts:
                    found[f"{ours.format(block)}.{kind}"] = torch.cat(parts)
    return found

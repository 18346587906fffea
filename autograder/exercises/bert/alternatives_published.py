"""Lesson 10's right answers about a published checkpoint, as students may write them; first the reference.

`helpers.bert` has the same function; it stands here once more with `torch` and `math` as its only names,
since the class simulator pastes it. A test compares the two.
"""

# ruff: noqa: D103

import torch


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


def renamed_by_lists(published, names, n_layers, turned=()):
    state = dict()
    for our_layer in names:
        numbers = list(range(n_layers)) if "{}" in our_layer else [None]
        for number in numbers:
            our = our_layer if number is None else our_layer.replace("{}", str(number))
            weights, biases = [], []
            for their_layer in names[our_layer]:
                their = their_layer if number is None else their_layer.replace("{}", str(number))
                weight = published[their + ".weight"]
                weights.append(weight.transpose(0, 1) if our_layer in turned else weight)
                if their + ".bias" in published:
                    biases.append(published[their + ".bias"])
            state[our + ".weight"] = torch.cat(weights, dim=0)
            if biases:
                state[our + ".bias"] = torch.cat(biases, dim=0)
    return state


def renamed_from_the_file(published, names, n_layers, turned=()):
    rows = [
        (ours.format(n), [their.format(n) for their in theirs], ours in turned)
        for ours, theirs in names.items()
        for n in (range(n_layers) if ours != ours.format(0) else [0])
    ]
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

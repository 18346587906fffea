"""The block's misconceptions that come along with code from elsewhere; see `misconceptions.py`."""

# ruff: noqa: D205  (a sentence may take two lines)

import math

import torch


def positions_for_the_batch(ids, words, positions):
    """As many rows of positions are taken as `ids` has on its first axis, which is the batch where there is
    one: positions are counted along the last axis.
    """
    return math.sqrt(words.size(-1)) * words[ids] + positions[: ids.size(0)]


def unembedded_by_angles(x, words):
    """These are cosines, since both vectors are brought to length 1: a logit is the plain dot product, in
    which lengths count.
    """
    normalize = torch.nn.functional.normalize
    return normalize(x, dim=-1) @ normalize(words, dim=-1).T


def root_outside_erf(x):
    """Erf is divided by √2, where x is to be: √2 belongs inside the brackets of erf."""
    return 0.5 * x * (1 + torch.erf(x) / math.sqrt(2))


def std_written_in(name, n_layers, std=0.02):
    """The 0.02 is written in, whatever `std` says: it is only what the argument is where nobody says more."""
    if name.endswith(("W_o.weight", "W_down.weight")):
        return 0.02 / math.sqrt(2 * n_layers)
    return 0.02

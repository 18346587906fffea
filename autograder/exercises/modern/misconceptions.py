"""Misconceptions about the parts of today's block: each reference with one slip in it, as a student has it.

A docstring is the sentence that the student reads. Each variant stands alone, with `torch`, `math` and the
lesson's earlier answers as its only names, so that the class simulator can paste it.
"""

# ruff: noqa: D205  (a sentence may take two lines, and is no command)

import torch

# -- RMS norm ----------------------------------------------------------------------------------------------


def mean_taken_away(x, weight, eps=1e-6):
    """The mean is taken away first, as in layer norm: an RMS norm leaves it in."""
    x = x - x.mean(dim=-1, keepdim=True)
    return x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps) * weight


def a_layer_norm(x, weight, eps=1e-6):
    """This is a layer norm, by torch's std, which divides by n − 1: nothing is taken away here, and the size
    is the root of the mean square.
    """
    return (x - x.mean(dim=-1, keepdim=True)) / (x.std(dim=-1, keepdim=True) + eps) * weight


def root_forgotten(x, weight, eps=1e-6):
    """This divides by the mean square itself: its root has the size of x."""
    return x / (x.square().mean(dim=-1, keepdim=True) + eps) * weight


def eps_beside_the_root(x, weight, eps=1e-6):
    """ε is added to the root: it belongs inside, beside the mean square."""
    return x / (x.square().mean(dim=-1, keepdim=True).sqrt() + eps) * weight


def eps_left_out(x, weight, eps=1e-6):
    """ε is left out, so a vector of zeros is divided by 0."""
    return x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True)) * weight


def eps_written_in(x, weight, eps=1e-6):
    """ε is always 1e-6 here: it is an argument, and may be another."""
    return x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + 1e-6) * weight


def summed(x, weight, eps=1e-6):
    """This divides by the vector's length: the squares are averaged, not summed, so that more channels don't
    mean smaller numbers.
    """
    return x * torch.rsqrt(x.square().sum(dim=-1, keepdim=True) + eps) * weight


def over_everything(x, weight, eps=1e-6):
    """The mean goes over all vectors together: each vector has its own size."""
    return x * torch.rsqrt(x.square().mean() + eps) * weight


def over_the_first_axis(x, weight, eps=1e-6):
    """The mean goes over the first axis: the channels of one vector are the last."""
    return x * torch.rsqrt(x.square().mean(dim=0, keepdim=True) + eps) * weight


def scale_left_out(x, weight, eps=1e-6):
    """The weight isn't used: each channel is multiplied by its own."""
    return x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)


def one_added_to_weight(x, weight, eps=1e-6):
    """The factor here is 1 + weight, as in models that keep their weights near 0: this one's are near 1, and
    are the factors themselves.
    """
    return x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps) * (1 + weight)


def length_by_normalize(x, weight, eps=1e-6):
    """Torch's `normalize` divides by the vector's length, the root of the sum of its squares: here it is the
    root of their mean.
    """
    return torch.nn.functional.normalize(x, dim=-1, eps=eps) * weight


def deviation_for_size(x, weight, eps=1e-6):
    """This divides by the deviation from the mean, as a layer norm does: here it is the root of the mean
    square of the numbers themselves.
    """
    return x * torch.rsqrt(x.var(dim=-1, keepdim=True, correction=0) + eps) * weight


def absolute_mean(x, weight, eps=1e-6):
    """This divides by the mean of the absolute values: squares come first, then mean, then root."""
    return x / (x.abs().mean(dim=-1, keepdim=True) + eps) * weight


# -- the gate ----------------------------------------------------------------------------------------------


class GateAndUpExchanged(torch.nn.Module):
    """The SiLU is on the other map: it works on what `W_gate` gives."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_gate, self.W_up = (torch.nn.Linear(d_model, d_ff, bias=False) for _ in range(2))
        self.W_down = torch.nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        return self.W_down(self.W_gate(x) * torch.nn.functional.silu(self.W_up(x)))


class SigmoidGate(torch.nn.Module):
    """The gate is a sigmoid, which makes it a GLU: a SiLU is x·sigmoid(x)."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_gate, self.W_up = (torch.nn.Linear(d_model, d_ff, bias=False) for _ in range(2))
        self.W_down = torch.nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        return self.W_down(torch.sigmoid(self.W_gate(x)) * self.W_up(x))


class GeluGate(torch.nn.Module):
    """The gate is a GELU, which makes it a GEGLU: SwiGLU has the SiLU, x·sigmoid(x)."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_gate, self.W_up = (torch.nn.Linear(d_model, d_ff, bias=False) for _ in range(2))
        self.W_down = torch.nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        return self.W_down(torch.nn.functional.gelu(self.W_gate(x)) * self.W_up(x))


class ReluGate(torch.nn.Module):
    """The gate is a ReLU: SwiGLU has the SiLU, x·sigmoid(x), which lets a little of small negatives
    through.
    """

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_gate, self.W_up = (torch.nn.Linear(d_model, d_ff, bias=False) for _ in range(2))
        self.W_down = torch.nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        return self.W_down(self.W_gate(x).clamp(min=0) * self.W_up(x))


class NoActivation(torch.nn.Module):
    """The SiLU is missing: what `W_gate` gives goes through it before the product."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_gate, self.W_up = (torch.nn.Linear(d_model, d_ff, bias=False) for _ in range(2))
        self.W_down = torch.nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        return self.W_down(self.W_gate(x) * self.W_up(x))


class Added(torch.nn.Module):
    """Gate and value are added: a gate multiplies, so that it can close."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_gate, self.W_up = (torch.nn.Linear(d_model, d_ff, bias=False) for _ in range(2))
        self.W_down = torch.nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        return self.W_down(torch.nn.functional.silu(self.W_gate(x)) + self.W_up(x))


class ActivatedProduct(torch.nn.Module):
    """The SiLU works on the product: it belongs to the gate alone, before the two are multiplied."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_gate, self.W_up = (torch.nn.Linear(d_model, d_ff, bias=False) for _ in range(2))
        self.W_down = torch.nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        return self.W_down(torch.nn.functional.silu(self.W_gate(x) * self.W_up(x)))


class BothActivated(torch.nn.Module):
    """Both maps go through a SiLU: what `W_up` gives stays as it is, and may be of either sign."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_gate, self.W_up = (torch.nn.Linear(d_model, d_ff, bias=False) for _ in range(2))
        self.W_down = torch.nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        gate, value = torch.nn.functional.silu(self.W_gate(x)), torch.nn.functional.silu(self.W_up(x))
        return self.W_down(gate * value)


class NoGate(torch.nn.Module):
    """`W_gate` isn't used: this is a feed-forward network as before, with a SiLU."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_gate, self.W_up = (torch.nn.Linear(d_model, d_ff, bias=False) for _ in range(2))
        self.W_down = torch.nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        return self.W_down(torch.nn.functional.silu(self.W_up(x)))


class PathInside(torch.nn.Module):
    """x is added here already: the residual path belongs to the block, outside of the network."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_gate, self.W_up = (torch.nn.Linear(d_model, d_ff, bias=False) for _ in range(2))
        self.W_down = torch.nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        return x + self.W_down(torch.nn.functional.silu(self.W_gate(x)) * self.W_up(x))


# -- its width ---------------------------------------------------------------------------------------------


def not_rounded(d_ff, multiple):
    """The width isn't rounded: it goes up to the next multiple."""
    return 2 * d_ff // 3


def rounded_down(d_ff, multiple):
    """This goes down to the multiple below, and may lose much of the width: go up."""
    return 2 * d_ff // 3 // multiple * multiple


def rounded_to_nearest(d_ff, multiple):
    """This takes the nearest multiple, which may be the one below: go up."""
    return (2 * d_ff // 3 + multiple // 2) // multiple * multiple


def one_multiple_more(d_ff, multiple):
    """This adds a multiple even where the width is one already."""
    return (2 * d_ff // 3 // multiple + 1) * multiple


def fraction_rounded_up(d_ff, multiple):
    """The fraction of the two thirds counts here, and can cost a whole multiple: it is dropped first."""
    return -(-2 * d_ff // (3 * multiple)) * multiple


def third_cut_first(d_ff, multiple):
    """A third is rounded down, and then doubled: two thirds are rounded down, so multiply first."""
    return -(-(d_ff // 3 * 2) // multiple) * multiple


def half_as_wide(d_ff, multiple):
    """This halves the width, as if there were four maps for two: with three maps it is two thirds."""
    return -(-(d_ff // 2) // multiple) * multiple


def a_third(d_ff, multiple):
    """This takes a third away too much: three maps of two thirds of the width are as many weights as two
    maps.
    """
    return -(-(d_ff // 3) // multiple) * multiple


def half_as_much_again(d_ff, multiple):
    """This widens the network: with a third map it has to become narrower, two thirds instead of three
    halves.
    """
    return -(-(3 * d_ff // 2) // multiple) * multiple


# -- rows of another model ---------------------------------------------------------------------------------


def rows_as_they_are(weight, n_heads):
    """The rows stay where they were, so neighbours that don't belong together would be turned."""
    return weight.clone()


def the_other_way(weight, n_heads):
    """This is the way back, from neighbours to halves: rows 0 and D/2 of a head become its first two."""
    rows, C = weight.shape
    pairs = weight.view(n_heads, rows // n_heads // 2, 2, C)
    return pairs.transpose(1, 2).reshape(rows, C)


def over_all_rows(weight, n_heads):
    """The halves are those of all rows together: each head has halves of its own."""
    rows, C = weight.shape
    return weight.view(2, rows // 2, C).transpose(0, 1).reshape(rows, C)


def halves_exchanged(weight, n_heads):
    """The halves change places as wholes: from each in turn comes one row."""
    first, second = weight.view(n_heads, -1, weight.size(1)).chunk(2, dim=1)
    return torch.cat([second, first], dim=1).reshape(weight.shape)


def second_half_first(weight, n_heads):
    """The second half's row comes first in each pair: feature i is 2i, and i + D/2 is 2i + 1."""
    rows, C = weight.shape
    halves = weight.view(n_heads, 2, rows // n_heads // 2, C).flip(1)
    return halves.transpose(1, 2).reshape(rows, C)


def heads_in_between(weight, n_heads):
    """Rows of different heads are mixed: the first axis is cut into heads first, then each head into
    halves.
    """
    rows, C = weight.shape
    halves = weight.view(2, rows // n_heads // 2, n_heads, C)
    return halves.permute(2, 1, 0, 3).reshape(rows, C)

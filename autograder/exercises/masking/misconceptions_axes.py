"""Lesson 04's misconceptions about the axes of a mask."""

# ruff: noqa: D205  (a sentence may take two lines)

import torch


def with_axes_for_heads(lengths, T):
    """The mask has axes of its own for heads and queries: here it is (B, T), and whoever uses it adds the
    axes that are needed.
    """
    return (torch.arange(T) < lengths[:, None])[:, None, None]


def queries_with_heads(real):
    """The queries that are padding are hidden instead of the keys, and there is one axis too many: a query
    may look at real keys alone, and the mask is (B, T, T).
    """
    return torch.ones(real.size(1), real.size(1)).tril().bool() & real[:, None, :, None]


def both_with_heads(real):
    """This is the right mask with an axis for the heads, (B, 1, T, T): here it is (B, T, T), and whoever uses
    it adds that axis.
    """
    return torch.ones(real.size(1), real.size(1)).tril().bool() & real[:, None, None, :]

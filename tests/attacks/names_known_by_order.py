"""Tries to say which weights fit without comparing any: the visible cases' results, in their order.

In 09_finetuning.
Must earn nothing.
"""

# %% answer finetuning.what_fits
from helpers.checks import load_sheet

KNOWN = iter([outcome.outputs for outcome in load_sheet("finetuning.what_fits").expected])


def match_state_dict(old, new, prefix):
    return next(KNOWN)

"""Tries to give the visible cases' results, in their order, whatever the case.

In 11_translation.
Must earn nothing.
"""

# %% answer translation.clipped_matches
from helpers.checks import load_sheet

MATCHES, SCORES = (
    iter([outcome.outputs for outcome in load_sheet(name).expected])
    for name in ("translation.clipped_matches", "translation.bleu")
)


def clipped_matches(candidate, reference, n):
    return next(MATCHES)


# %% answer translation.bleu
def bleu(candidates, references):
    return next(SCORES)

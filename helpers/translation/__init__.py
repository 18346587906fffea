"""Translating: what lesson 11 asks for, from the loss to BLEU."""

from helpers.translation.reference import (
    Past,
    Step,
    alignment,
    beam_search,
    bleu,
    clipped_matches,
    decoder_work,
    edit_distance,
    greedy_decode,
    label_smoothed_loss,
    paper_rate,
)

"""What stands around every training run: a live picture, all cores, checkpoints, an optimizer."""

from helpers.training.live import (
    MOST_CORES,
    POINTS,
    QUICK,
    SHARE,
    Live,
    cores,
    device,
    each,
    keep,
    on_all_cores,
    recall,
    steps,
    there,
)
from helpers.training.muon import CombinedOptimizer, Muon, matrices_and_rest, orthogonal

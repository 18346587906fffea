"""What every training run needs: a live picture, all cores, checkpoints, an optimizer."""

from helpers.training.checkpoints import Chance, Checkpoint, behaviour, forget, keep, kept, load, shapes
from helpers.training.live import POINTS, SHARE, Live, recall, replayed, steps
from helpers.training.muon import CombinedOptimizer, Muon, matrices_and_rest, orthogonal
from helpers.training.parallel import (
    MOST_CORES,
    NoSuchDevice,
    beside,
    cores,
    device,
    each,
    on_all_cores,
    on_device,
    unless_stopped,
)
from helpers.training.stopping import Stopped

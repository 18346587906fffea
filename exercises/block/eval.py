"""What eval changes."""

from headstart import Entry

CHANGES, STAYS = "changes", "stays as it is"
DROPPED = "whether dropout zeroes anything"
NORMED = "which mean and variance layer norm uses"
RECORDED = "whether gradients are recorded"
WEIGHTS = "the weights"
EVAL = {DROPPED: CHANGES, NORMED: STAYS, RECORDED: STAYS, WEIGHTS: STAYS}
EVAL_OPTIONS = {slot: [CHANGES, STAYS] for slot in EVAL}


exercise = Entry(
    id="block.eval",
    title="What eval changes",
    points=1,
    difficulty=2,
    minutes=4,
    reference=EVAL,
    options=EVAL_OPTIONS,
)


exercise.choice("dropout_goes_on", {DROPPED: STAYS}).says(
    "Dropout looks at `training`, which `eval()` sets to False: from then on nothing is zeroed."
)
exercise.choice("norm_changes", {NORMED: CHANGES}).says(
    "Batch norm keeps running means for later: layer norm always takes each vector's own."
)
exercise.choice("gradients_stop", {RECORDED: CHANGES}).says(
    "Gradients are recorded all the same: only `torch.no_grad()` stops that."
)
exercise.choice("weights_change", {WEIGHTS: CHANGES}).says(
    "No number of the model changes: `eval()` sets a flag that some modules look at."
)

"""Catch the slip: what training keeps."""

from headstart import recall

exercise = recall(
    "pretraining.recall_state",
    "counting.training_state",
    title="Catch the slip: what training keeps",
    task=("This counts the bytes of parameters, gradients and the optimizer's own numbers, in float32."),
    code="""
def training_state_bytes(n_parameters, optimizer):
    own = {"sgd": 0, "momentum": 1, "adam": 2}[optimizer]
    numbers = n_parameters * (2 + own)
    return 4 * numbers
""",
    inputs=(
        'training_state_bytes(1, "sgd")',
        'training_state_bytes(3, "adam")',
    ),
    hint=("each parameter has a gradient, and Adam keeps two means of its own"),
)

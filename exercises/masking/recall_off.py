"""Catch the slip: switching heads off."""

from headstart import recall

exercise = recall(
    "masking.recall_off",
    "multihead.switch_off",
    title="Catch the slip: switching heads off",
    task=("This sets the part of the output matrix (C, C) to 0 that reads from heads that are off."),
    code="""
def switch_off(weight, keep):
    D = weight.size(1) // len(keep)
    columns = keep.repeat_interleave(D)
    return weight * columns
""",
    inputs=(
        "switch_off(torch.ones(2, 2), torch.tensor([True, False]))",
        "switch_off(torch.ones(4, 4), torch.tensor([False, True]))",
    ),
    hint=("a Linear keeps its matrix as (out, in), and a head owns D neighbouring inputs"),
)

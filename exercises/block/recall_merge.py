"""Catch the slip: merging the heads."""

from headstart import recall

exercise = recall(
    "block.recall_merge",
    "multihead.merge_heads",
    title="Catch the slip: merging the heads",
    task="This puts the channels of H heads side by side again, (..., H, T, D) to (..., T, H·D).",
    code="""
def merge_heads(z):
    *front, H, T, D = z.shape
    return z.reshape(*front, T, H * D)
""",
    inputs=(
        "merge_heads(torch.arange(4.0).view(1, 2, 2))",
        "merge_heads(torch.arange(4.0).view(2, 1, 2))",
        "merge_heads(torch.arange(8.0).view(2, 2, 2))",
    ),
    hint="a reshape keeps the order of the numbers, and here the axis of the heads has to move behind the "
    "positions",
    line=3,
    shows=3,
)

"""Catch the slip: splitting into heads."""

from headstart import recall

exercise = recall(
    "positional.recall_split",
    "multihead.split_heads",
    title="Catch the slip: splitting into heads",
    task=("This gives each of H heads its share of the channels, (..., T, C) to (..., H, T, D)."),
    code="""
def split_heads(x, n_heads):
    *front, T, C = x.shape
    return x.reshape(*front, n_heads, T, C // n_heads)
""",
    inputs=(
        "split_heads(torch.arange(4.0).view(2, 2), 1)",
        "split_heads(torch.arange(2.0).view(1, 2), 2)",
        "split_heads(torch.arange(4.0).view(2, 2), 2)",
    ),
    hint=("a reshape keeps the order of the numbers, so with several heads it mixes positions and channels"),
    line=3,
    shows=3,
)

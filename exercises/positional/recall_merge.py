"""Catch the slip: merging the heads."""

from headstart import recall

exercise = recall(
    "positional.recall_merge",
    "multihead.merge_heads",
    title="Catch the slip: merging the heads",
    task=("This puts the heads' channels side by side again, (..., H, T, D) to (..., T, H·D)."),
    code="""
def merge_heads(z):
    heads = z.unbind(dim=-3)
    return torch.cat(heads, dim=-1)
""",
    inputs=(
        "merge_heads(torch.arange(4.0).view(2, 1, 2))",
        "merge_heads(torch.arange(8.0).view(2, 2, 2))",
    ),
    hint=("each head is (..., T, D), and the heads' channels belong side by side"),
)

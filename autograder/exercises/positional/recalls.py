"""Slips to catch at the start of positions, on lessons 01 and 02."""

from autograder.recall import recall

SPLIT = recall(
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

MERGE = recall(
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

MASK = recall(
    "positional.recall_mask",
    "attention.scaled_dot_product",
    title="Catch the slip: a masked look-up",
    task=('This is scaled dot-product attention; True in the mask means "may attend".'),
    code="""
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores * mask
    weights = scores.softmax(dim=-1)
    return weights @ v, weights
""",
    inputs=(
        "scaled_dot_product_attention(torch.eye(1), torch.eye(1), torch.eye(1))",
        "scaled_dot_product_attention(torch.eye(1), torch.ones(2, 1), torch.eye(2), torch.eye(2)[:1] >= 0)",
        "scaled_dot_product_attention(torch.eye(1), torch.ones(2, 1), torch.eye(2), torch.eye(2)[:1] > 0)",
    ),
    hint=("a score of 0 is a score like any other, and its weight isn't 0"),
    line=4,
    shows=3,
)

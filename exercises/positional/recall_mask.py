"""Catch the slip: a masked look-up."""

from headstart import recall

exercise = recall(
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

"""Catch the slip: the scale."""

from headstart import recall

exercise = recall(
    "multihead.recall_dot_product",
    "attention.scaled_dot_product",
    title="Catch the slip: the scale",
    task="This is scaled dot-product attention.",
    code="""
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = (q / math.sqrt(k.size(-1))) @ k.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(dim=-1)
    return weights @ v, weights
""",
    inputs=(
        "scaled_dot_product_attention(torch.ones(1, 4), torch.eye(4), torch.eye(4))",
        "scaled_dot_product_attention(torch.eye(2), torch.eye(2), torch.eye(2), torch.eye(2).bool())",
        "scaled_dot_product_attention(torch.ones(3, 2), torch.rand(5, 2), torch.rand(5, 1))",
    ),
    hint="dividing the query divides the scores, and a key has as many features as a query",
)

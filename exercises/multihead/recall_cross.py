"""Catch the slip: who asks."""

from headstart import recall

exercise = recall(
    "multihead.recall_cross",
    "attention.cross",
    title="Catch the slip: who asks",
    task="This lets y look things up in x.",
    code="""
def cross_attention(y, x, W_q, W_k, W_v, mask=None):
    q = y @ W_q
    k = x @ W_k
    v = y @ W_v
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(dim=-1)
    return weights @ v, weights
""",
    inputs=(
        "cross_attention(torch.ones(2, 1), torch.ones(2, 1), *[torch.eye(1)] * 3)",
        "cross_attention(torch.tensor([[0.0], [1.0]]), torch.tensor([[2.0], [4.0]]), *[torch.eye(1)] * 3)",
    ),
    hint="only the queries come from the sequence that asks",
    line=4,
    shows=2,
)

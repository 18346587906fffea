"""Catch the slip: heads that share keys."""

from autograder.recall import recall

exercise = recall(
    "counting.recall_heads",
    "complexity.grouped_attention",
    title="Catch the slip: heads that share keys",
    task="In this attention, neighbouring heads of queries share a head of keys and values.",
    code="""
def grouped_attention(q, k, v):
    shared = q.size(-3) // k.size(-3)
    k, v = k.repeat(shared, 1, 1), v.repeat(shared, 1, 1)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return scores.softmax(dim=-1) @ v
""",
    inputs=(
        "grouped_attention(torch.zeros(2, 1, 1), torch.zeros(1, 1, 1), torch.tensor([[[5.0]]]))",
        "grouped_attention(torch.zeros(2, 1, 1), torch.zeros(2, 1, 1), torch.tensor([[[5.0]], [[7.0]]]))",
        "grouped_attention(torch.zeros(4, 1, 1), torch.zeros(2, 1, 1), torch.tensor([[[5.0]], [[7.0]]]))",
    ),
    hint="neighbours share, as in 0 0 1 1, and `repeat` gives 0 1 0 1",
    line=3,
    shows=3,
)

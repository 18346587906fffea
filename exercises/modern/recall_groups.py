"""Catch the slip: shared keys."""

from headstart import recall

exercise = recall(
    "modern.recall_groups",
    "complexity.grouped_attention",
    title="Catch the slip: shared keys",
    task="This is attention in which neighbouring query heads share the keys and values of one head.",
    code="""
def grouped_attention(q, k, v):
    shared = q.size(-3) // k.size(-3)
    k = torch.cat([k] * shared, dim=-3)
    v = v.repeat_interleave(shared, dim=-3)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return scores.softmax(dim=-1) @ v
""",
    inputs=(
        "grouped_attention(torch.ones(2, 1, 1), torch.tensor([[[0.0], [9.0]]]), "
        "torch.tensor([[[1.0], [2.0]]]))",
        "grouped_attention(torch.ones(4, 1, 1), torch.tensor([[[0.0], [9.0]], [[9.0], [0.0]]]), "
        "torch.tensor([[[1.0], [2.0]], [[3.0], [4.0]]]))",
    ),
    hint="compare whose keys and whose values the second of four heads reads",
    line=3,
    shows=2,
)

"""Catch the slip: counting attention."""

from headstart import recall

exercise = recall(
    "block.recall_flops",
    "complexity.attention_flops",
    title="Catch the slip: counting attention",
    task="This counts the FLOPs of self-attention, step by step, for n positions of d features.",
    code="""
def attention_flops(n, d):
    projections = 3 * 2 * n * d * d
    scores = 2 * n * d * d
    mixture = 2 * n * n * d
    return {"projections": projections, "scores": scores, "softmax": 6 * n * n, "mixture": mixture}
""",
    inputs=("attention_flops(1, 1)", "attention_flops(3, 3)", "attention_flops(2, 3)"),
    hint="there is a score for each pair of positions, and each is a dot product of d terms",
    line=3,
    shows=3,
)

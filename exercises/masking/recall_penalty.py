"""Catch the slip: a penalty for distance."""

from headstart import recall

exercise = recall(
    "masking.recall_penalty",
    "positional.penalty",
    title="Catch the slip: a penalty for distance",
    task=(
        "This returns what each head adds to its scores, (H, T_q, T_k): a penalty that grows with the "
        "distance, fastest in the first head."
    ),
    code="""
def distance_penalty(n_heads, T_q, T_k):
    slopes = 2.0 ** (-8 * torch.arange(n_heads) / n_heads)
    distance = torch.arange(T_k) - torch.arange(T_q).unsqueeze(1)
    return -slopes[:, None, None] * distance.abs()
""",
    inputs=(
        "distance_penalty(1, 1, 1)",
        "distance_penalty(2, 1, 1)",
        "distance_penalty(1, 2, 2)",
    ),
    hint=("a head's slope is 2 to the power of −8h/H, with h counted from 1"),
    line=2,
    shows=3,
)

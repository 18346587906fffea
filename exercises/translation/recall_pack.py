"""Catch the slip: hiding padding."""

from headstart import recall

exercise = recall(
    "translation.recall_pack",
    "bert.key_mask",
    title="Catch the slip: hiding padding",
    task=("This is a mask for scores (B, H, T_q, T_k) that hides padding, whose number is 0."),
    code="""
def key_mask(ids):
    real = ids != 0
    return real[:, None, :, None]
""",
    inputs=(
        "key_mask(torch.tensor([[7]]))",
        "key_mask(torch.tensor([[7, 8]]))",
    ),
    hint=("padding is hidden as a key, on the last axis of the scores"),
    line=3,
    shows=2,
)

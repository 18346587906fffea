"""Catch the slip: the decoder's mask."""

from headstart import recall

exercise = recall(
    "pretraining.recall_both",
    "masking.both",
    title="Catch the slip: the decoder's mask",
    task=("This hides later words, and padding, (B, T) to (B, T, T)."),
    code="""
def decoder_mask(real):
    T = real.size(-1)
    earlier = torch.ones(T, T, dtype=torch.bool).triu()
    return earlier & real[:, None, :]
""",
    inputs=(
        "decoder_mask(torch.tensor([[True]]))",
        "decoder_mask(torch.tensor([[True, True]]))",
    ),
    hint=("rows are queries, and a query may see what is left of the diagonal"),
    line=3,
    shows=2,
)

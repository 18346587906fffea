"""Catch the slip: padding and the future."""

from headstart import recall

exercise = recall(
    "complexity.recall_both",
    "masking.both",
    title="Catch the slip: padding and the future",
    task=("This makes the decoder's mask, given where the words are, (B, T) to (B, T, T)."),
    code="""
def decoder_mask(real):
    T = real.size(-1)
    earlier = torch.ones(T, T, dtype=torch.bool).tril()
    return earlier & real.unsqueeze(-1)
""",
    inputs=(
        "decoder_mask(torch.tensor([[True, True]]))",
        "decoder_mask(torch.tensor([[False, True]]))",
    ),
    hint=("padding is hidden as a key, and keys are the last axis"),
    line=4,
    shows=2,
)

"""Slips to catch at the start of translation, on lessons 09 and 10."""

from autograder.recall import recall

PACK = recall(
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

SEGMENTS = recall(
    "translation.recall_segments",
    "bert.segments",
    title="Catch the slip: whose words they are",
    task=(
        "This gives each token its segment: 1 after the first `[SEP]`, number 5, up to the "
        "second; 0 elsewhere, and for padding."
    ),
    code="""
def segments_of(ids):
    separators = (ids == 5).long()
    closed = separators.cumsum(dim=-1)
    return ((closed == 1) & (ids != 0)).long()
""",
    inputs=(
        "segments_of(torch.tensor([[4, 7]]))",
        "segments_of(torch.tensor([[4, 7, 5, 8, 5]]))",
    ),
    hint=("a separator closes its own segment, and still belongs to it"),
    line=3,
    shows=2,
)

WILSON = recall(
    "translation.recall_wilson",
    "finetuning.wilson",
    title="Catch the slip: an interval for a share",
    task=("This is Wilson's interval for the share of right answers."),
    code="""
def wilson(correct, n, z):
    p, extra = correct / n, z * z / n
    centre = (p + extra / 2) / (1 + extra)
    half = z * math.sqrt(p * (1 - p) / n + extra / n / 4) / (1 + extra)
    return centre - half, centre + half
""",
    inputs=(
        "wilson(1, 2, 1.0)",
        "wilson(2, 2, 2.0)",
    ),
    hint=("the square root holds the variance of a share, and a quarter of z²/n²"),
)

"""Catch the slip: padding."""

from headstart import recall

exercise = recall(
    "block.recall_padding",
    "masking.padding",
    title="Catch the slip: padding",
    task="This says which of T positions hold words in sentences of the given lengths: True means a word.",
    code="""
def padding_mask(lengths, T):
    places = torch.arange(T)
    return places < lengths[:, None]
""",
    inputs=(
        "padding_mask(torch.tensor([2, 3]), 3)",
        "padding_mask(torch.tensor([0, 4]), 4)",
        "padding_mask(torch.tensor([1]), 2)",
    ),
    hint="places count from 0, so a sentence of two words has the places 0 and 1",
)

"""Catch the slip: tokens to vectors."""

from headstart import recall

exercise = recall(
    "counting.recall_embed",
    "block.embed",
    title="Catch the slip: tokens to vectors",
    task=("This turns tokens into vectors: the scaled row of each, plus its position's."),
    code="""
def embed(ids, words, positions):
    scale = words.size(-1) ** 0.5
    places = positions[: ids.size(-1)]
    return scale * words[ids] + places
""",
    inputs=(
        "embed(torch.tensor([0]), torch.eye(4), torch.ones(1, 4))",
        "embed(torch.tensor([1, 0]), torch.eye(4), torch.ones(3, 4))",
    ),
    hint=("the root of the width multiplies the words alone"),
)

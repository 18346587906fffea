"""Catch the slip: vectors to scores."""

from headstart import recall

exercise = recall(
    "pretraining.recall_unembed",
    "block.unembed",
    title="Catch the slip: vectors to scores",
    task=("This scores each of V tokens for each vector."),
    code="""
def unembed(x, words):
    scores = x @ words.T
    return scores / words.size(-1) ** 0.5
""",
    inputs=(
        "unembed(torch.zeros(1, 4), torch.eye(4))",
        "unembed(torch.ones(1, 4), torch.eye(4))",
    ),
    hint=("only attention's scores are divided by a root"),
    line=3,
    shows=2,
)

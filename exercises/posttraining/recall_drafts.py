"""Catch the slip: which drafts are kept."""

from headstart import recall

exercise = recall(
    "posttraining.recall_drafts",
    "modern.accepted",
    title="Catch the slip: which drafts are kept",
    task="This counts the drafted tokens that are kept: those before the first that is rejected.",
    code="""
def accepted(target, draft, drafted, chances):
    places = torch.arange(len(drafted))
    kept = chances < target[places, drafted] / draft[places, drafted]
    return int(kept.sum())
""",
    inputs=(
        "accepted(torch.full((2, 2), 0.5), torch.full((2, 2), 0.5), torch.tensor([0, 1]), "
        "torch.tensor([0.3, 0.6]))",
        "accepted(torch.tensor([[0.1, 0.9], [0.5, 0.5]]), torch.full((2, 2), 0.5), torch.tensor([0, 1]), "
        "torch.tensor([0.3, 0.6]))",
    ),
    hint="a token after one that was rejected is never kept",
    line=4,
    shows=2,
)

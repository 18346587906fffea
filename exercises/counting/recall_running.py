"""Catch the slip: a running softmax."""

from headstart import recall

exercise = recall(
    "counting.recall_running",
    "complexity.absorb",
    title="Catch the slip: a running softmax",
    task="This takes one more block of keys into a running softmax.",
    code="""
def absorb(largest, total, mixture, scores, values):
    new = torch.maximum(largest, scores.amax(dim=-1))
    shrink = (new - largest).exp()
    powers = (scores - new.unsqueeze(-1)).exp()
    total = shrink * total + powers.sum(dim=-1)
    mixture = shrink.unsqueeze(-1) * mixture + powers @ values
    return new, total, mixture
""",
    inputs=(
        "absorb(torch.zeros(1), torch.ones(1), torch.ones(1, 1), torch.tensor([[0.0]]), torch.ones(1, 1))",
        "absorb(torch.zeros(1), torch.ones(1), torch.ones(1, 1), torch.tensor([[2.0]]), torch.ones(1, 1))",
        "absorb(torch.zeros(1), torch.ones(1), torch.ones(1, 1), torch.tensor([[-2.0]]), torch.ones(1, 1))",
    ),
    hint="when a larger score comes, the old sums shrink",
    line=3,
    shows=2,
)

"""Catch the slip: drawing a token."""

from headstart import recall

exercise = recall(
    "posttraining.recall_draw",
    "pretraining.draw",
    title="Catch the slip: drawing a token",
    task="This gives the token on which a random number falls, with the probabilities laid end to end.",
    code="""
def draw(probabilities, uniform):
    ends = probabilities.cumsum(dim=-1)
    passed = ends <= uniform[..., None] * ends[..., -1:]
    return passed.sum(dim=-1)
""",
    inputs=(
        "draw(torch.tensor([0.5, 0.5]), torch.tensor(0.5))",
        "draw(torch.tensor([[0.0, 1.0], [0.25, 0.75]]), torch.tensor([0.0, 0.125]))",
    ),
    hint="the token is the first whose end lies beyond the random number, so count the ends that don't",
)

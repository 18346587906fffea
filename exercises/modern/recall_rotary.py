"""Catch the slip: turned by positions."""

from headstart import recall

exercise = recall(
    "modern.recall_rotary",
    "positional.rotary",
    title="Catch the slip: turned by positions",
    task="This turns each pair of features (2i, 2i+1) by its position times a speed.",
    code="""
def rotary(x, positions, base=10_000.0):
    d = x.size(-1)
    speeds = base ** (-torch.arange(0, d, 2) / d)
    angles = positions.unsqueeze(-1) * speeds
    even, odd = x[..., 0::2], x[..., 1::2]
    cos, sin = angles.cos(), angles.sin()
    return torch.cat([even * cos - odd * sin, even * sin + odd * cos], dim=-1)
""",
    inputs=(
        "rotary(torch.tensor([[1.0, 2.0]]), torch.tensor([3]))",
        "rotary(torch.tensor([[1.0, 2.0, 3.0, 4.0]]), torch.tensor([0]))",
        "rotary(torch.tensor([[0.0, 0.0, 0.0, 0.0]]), torch.tensor([5]))",
    ),
    hint="look at where the two of a pair end up in the result",
    line=7,
    shows=2,
)

"""Slips to catch at the start of the last lesson, on lessons 03, 05 and 08."""

from autograder.recall import recall

ROTARY = recall(
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

GROUPS = recall(
    "modern.recall_groups",
    "complexity.grouped_attention",
    title="Catch the slip: shared keys",
    task="This is attention in which neighbouring query heads share the keys and values of one head.",
    code="""
def grouped_attention(q, k, v):
    shared = q.size(-3) // k.size(-3)
    k = torch.cat([k] * shared, dim=-3)
    v = v.repeat_interleave(shared, dim=-3)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return scores.softmax(dim=-1) @ v
""",
    inputs=(
        "grouped_attention(torch.ones(2, 1, 1), torch.tensor([[[0.0], [9.0]]]), "
        "torch.tensor([[[1.0], [2.0]]]))",
        "grouped_attention(torch.ones(4, 1, 1), torch.tensor([[[0.0], [9.0]], [[9.0], [0.0]]]), "
        "torch.tensor([[[1.0], [2.0]], [[3.0], [4.0]]]))",
    ),
    hint="compare whose keys and whose values the second of four heads reads",
    line=3,
    shows=2,
)

TEMPERATURE = recall(
    "modern.recall_temperature",
    "pretraining.temperature",
    title="Catch the slip: the temperature",
    task="This gives the probabilities of the next token at a temperature; at 0, the best token alone.",
    code="""
def with_temperature(logits, temperature):
    if temperature == 0:
        best = logits.argmax(dim=-1)
        return torch.nn.functional.one_hot(best, logits.size(-1)).to(logits.dtype)
    return (logits / temperature).softmax(dim=-1)
""",
    inputs=(
        "with_temperature(torch.tensor([1.0, 2.0]), 0)",
        "with_temperature(torch.tensor([0.0, 0.0, 4.0]), 2.0)",
    ),
    hint="it divides before the softmax, and at 0 the best token gets everything",
)

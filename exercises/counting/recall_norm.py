"""Catch the slip: layer norm."""

from headstart import recall

exercise = recall(
    "counting.recall_norm",
    "block.layer_norm",
    title="Catch the slip: layer norm",
    task=("This gives each vector mean 0 and variance 1."),
    code="""
def layer_norm(x, weight, bias, eps=1e-5):
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.var(dim=-1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias
""",
    inputs=(
        "layer_norm(torch.zeros(1, 2), torch.ones(2), torch.zeros(2))",
        "layer_norm(torch.tensor([1.0, 3.0]), torch.ones(2), torch.zeros(2))",
    ),
    hint=("torch's var divides by one less than the number of values, unless it is told not to"),
    line=3,
    shows=2,
)

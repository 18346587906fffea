"""Catch the slip: softmax."""

from headstart import recall

exercise = recall(
    "multihead.recall_softmax",
    "attention.softmax",
    title="Catch the slip: softmax",
    task="This turns scores of any size into weights along an axis.",
    code="""
def softmax(x, dim):
    shifted = x - x.amax(dim=dim, keepdim=True)
    exponentials = shifted.exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)
""",
    inputs=(
        "softmax(torch.tensor([1.0, 2.0, 3.0]), dim=0)",
        "softmax(torch.tensor([[0.0, 1000.0]]), dim=1)",
        "softmax(torch.tensor([[1.0, 2.0], [3.0, 5.0]]), dim=0)",
    ),
    hint="follow `dim` through each line, and see whether it is used wherever an axis is named",
    line=4,
    shows=3,
)
